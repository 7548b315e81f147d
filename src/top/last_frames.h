/* SPDX-License-Identifier: MIT */
/*
 * The last frames of one board, cut, and what else is to be said of it. Pure.
 */
#ifndef TOP_LAST_FRAMES_H
#define TOP_LAST_FRAMES_H

#include "base/base.h"

#define LAST_FRAMES_KEPT 64
#define LAST_FRAME_BYTES 512 /* bytes of each */

struct last_frames {
	char *name; /* whose; NULL: nobody's; owned */
	char *line[LAST_FRAMES_KEPT]; /* raw, a ring; owned */
	size_t count; /* in all */
	uint64_t audio; /* packets since the last line */
};

/* Forgets all; name NULL: nobody is followed. */
void last_frames_begin(struct last_frames *f, const char *name);
/* clock: "12:00:01", or "" for what is no frame. */
void last_frames_add(struct last_frames *f, const char *clock, const char *text,
		     size_t len);
/* An audio packet: packets without a frame between are one line. */
void last_frames_audio(struct last_frames *f, const char *clock);
/* The one back from the end (0: the last); NULL: there are no more. */
const char *last_frames_at(const struct last_frames *f, size_t back);
void last_frames_done(struct last_frames *f);

#endif
