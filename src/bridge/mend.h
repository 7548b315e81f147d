/* SPDX-License-Identifier: MIT */
/*
 * Prose of boards as hosts take it: without what a model reads and nobody sees,
 * its blanks folded, capped. Their results: bridge/mend_result.h; their schemas:
 * bridge/mend_schema.h. Pure.
 */
#ifndef BRIDGE_MEND_H
#define BRIDGE_MEND_H

#include "base/buf.h"

#define MEND_TEXT_MAX 1024 /* characters of a description */

/* A description, cleaned and capped; yours to mem_free. */
char *mend_description(const char *text);
/* The same of any prose, up to so many characters; appended. */
void mend_text(struct buf *out, const char *text, size_t characters);

#endif
