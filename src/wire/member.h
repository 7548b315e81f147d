/* SPDX-License-Identifier: MIT */
/*
 * Members of a peer's JSON object into fields of fixed size; shared by the
 * decoders of this folder.
 */
#ifndef WIRE_MEMBER_H
#define WIRE_MEMBER_H

#include "base/json.h"

/*
 * Copy a text member, cut at a whole character to fit size; "" if absent or no
 * text.
 */
void member_copy(const cJSON *object, const char *name, char *out, size_t size);

/* A whole number within int; 0 if absent or anything else. */
int member_int(const cJSON *object, const char *name);

#endif
