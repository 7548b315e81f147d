/* SPDX-License-Identifier: MIT */
/*
 * What passes between a device and its backend, a line each, as a person reads
 * it: when, who, in which direction, what in words, how long the answer took;
 * findings below the line that they belong to. The same for what passes now
 * and for what was captured.
 */
#ifndef OUT_PASSING_H
#define OUT_PASSING_H

#include "capture/event.h"
#include "out/frame.h"

/* Starts zeroed but for what is set here; may change at any time. */
struct passing {
	int64_t began_ms; /* at_us 0, since 1970; 0: not known, "+1.412" */
	unsigned
		detail; /* -v: pings, audio, packets, nothing cut; -vv: bytes */
	size_t width; /* columns; 0: lines are whole */
	bool color;
	/* its own */
	size_t name_columns;
	struct frames frames;
};

/*
 * Append its line or lines, each with its \n; none for what is shown at more
 * detail. Secrets are masked, and all is safe for the terminal.
 */
void passing_line(struct buf *out, struct passing *p,
		  const struct capture_event *e);
/* It is not shown, but its answer may be. */
void passing_unseen(struct passing *p, const struct capture_event *e);

#endif
