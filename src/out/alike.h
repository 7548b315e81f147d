/* SPDX-License-Identifier: MIT */
/*
 * Names of one list that look alike (text_skeleton) and are not the same: it
 * is said, since who reads one may take it for the other.
 */
#ifndef OUT_ALIKE_H
#define OUT_ALIKE_H

#include "out/render.h"

#define ALIKE_TOLD_MAX 5 /* with a note of their own */

/* The name that stands at i of list, lent; and whether it is shown. */
typedef const char *alike_name(const void *list, size_t i, bool *shown);

/*
 * A note for each of the count names that looks like one before it, if one of
 * both is shown; then how many more there are than were told.
 */
void alike_tell(struct renderer *r, const void *list, size_t count,
		alike_name *name);

/* "'scan' looks like 'sc\u0430n'", both as they are spelled. */
void alike_words(struct buf *out, const char *one, const char *other);

#endif
