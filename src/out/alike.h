/* SPDX-License-Identifier: MIT */
/*
 * Names of one list that look alike (text_skeleton) and are not the same: it
 * is said, since who reads one may take it for the other.
 */
#ifndef OUT_ALIKE_H
#define OUT_ALIKE_H

#include "mcp/name_set.h"
#include "out/render.h"

#define ALIKE_TOLD_MAX 5 /* with a note of their own */

/* Starts zeroed, but for the renderer. */
struct alike {
	struct renderer *renderer;
	struct name_set seen; /* skeletons */
	struct buf skeleton;
	struct alike_name {
		const char *name;
		bool shown;
	} * name;
	size_t count, capacity, told, more;
};
/*
 * One more of the list, lent until alike_done. A note if it looks like one
 * before it, and one of both is shown.
 */
void alike_add(struct alike *a, const char *name, bool shown);
/* How many more there are than were told. */
void alike_end(struct alike *a);
void alike_done(struct alike *a);

/* "'scan' looks like 'sc\u0430n'", both as they are spelled. */
void alike_words(struct buf *out, const char *one, const char *other);

#endif
