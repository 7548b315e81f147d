/* SPDX-License-Identifier: MIT */
/*
 * Long names made short, so that the same becomes the same, and different ones
 * stay different.
 */
#ifndef BRIDGE_CUT_NAME_H
#define BRIDGE_CUT_NAME_H

#include "base/buf.h"

#define NAME_DIGITS 6

/* Hexadecimal digits that depend on the whole key, appended. */
void name_digits(struct buf *out, const char *key);
/* As much of text as leaves room for '_' and the digits of key in max bytes. */
void cut_name(struct buf *out, const char *text, size_t max, const char *key);

#endif
