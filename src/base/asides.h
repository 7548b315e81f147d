/* SPDX-License-Identifier: MIT */
/*
 * Lines that strangers can cause: of each kind so many are told in a minute,
 * the others counted, and told of by one line at its end, so that nobody can
 * fill a log. Tells nothing by itself, and has no timer: its owner has.
 */
#ifndef BASE_ASIDES_H
#define BASE_ASIDES_H

#include "base/base.h"

#define ASIDES_MINUTE_MS 60000
#define ASIDES_TOLD 10 /* of a kind in a minute: the usual number */
#define ASIDES_KINDS 96 /* those beyond are counted as one */
#define ASIDES_LAST_MAX 160

struct aside_kind {
	uintptr_t kind;
	unsigned told;
	uint64_t more; /* that were not */
	int level; /* the highest of those */
	char last[ASIDES_LAST_MAX + 1]; /* the last of those; cut */
};

struct asides { /* of the minute that runs; starts zeroed */
	struct aside_kind of[ASIDES_KINDS];
	size_t used;
	int64_t ends; /* loop_now() ms; 0: none runs */
	bool counted; /* something is to be told at its end */
};

/*
 * Is there a line left for one of that kind (not 0), of which `most` are told? The
 * first one begins the minute; one that is over, and in which nothing was counted,
 * needs no end.
 */
bool asides_has_line(struct asides *a, uintptr_t kind, unsigned most);
/* There was none: whom it was about (NULL), the text, the owner's level. */
void asides_count(struct asides *a, uintptr_t kind, const char *whom,
		  const char *text, int level);
/* The minute is over, or the owner ends: each that has more, and all begins anew. */
void asides_end(struct asides *a,
		void (*rest)(void *owner, const struct aside_kind *k),
		void *owner);
/* "and 12 more like that since, the last one: …"; yours. */
char *asides_text(const struct aside_kind *k);

#endif
