/* SPDX-License-Identifier: MIT */
/*
 * What two recorded conversations do not have in common (capture/diff.h), one
 * after the other: a step once, what differs in it below it; or JSON.
 */
#ifndef OUT_DIFFERENCE_H
#define OUT_DIFFERENCE_H

#include "capture/diff.h"
#include "out/render.h"

/* Starts zeroed. */
struct differences_shown {
	const struct step *step; /* the last one */
	size_t lines; /* of it */
};

void render_difference(struct renderer *r, const struct difference *d,
		       struct differences_shown *shown);
/* There are no more. */
void render_differences_end(struct renderer *r,
			    struct differences_shown *shown);

#endif
