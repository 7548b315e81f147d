/* SPDX-License-Identifier: MIT */
/*
 * One line as an event, without a tree: of captures, and of traces of before
 * ({"t","device","dir","kind","size","text"|"hex"}).
 */
#ifndef CAPTURE_LINE_H
#define CAPTURE_LINE_H

#include "base/error.h"
#include "capture/event.h"

/* What was decoded of one line: lent to its event. Starts zeroed. */
struct capture_line {
	struct buf data, passed, head, texts[6];
};
void capture_line_done(struct capture_line *l);

/*
 * Strings without escapes are lent from line itself. -1 (ERR_PROTOCOL): what is
 * wrong with it. What is unknown in it is CAPTURED_OTHER.
 */
int capture_line_read(struct capture_line *l, struct span line,
		      struct capture_event *e, struct error *err);

/*
 * A trace says "in" and "out", and not which of these is the device: who says
 * initialize is the backend. Connections are numbered by their device's name,
 * or by their beginnings. Starts zeroed.
 */
struct old_trace {
	bool we_are_device;
	uint32_t conn; /* of what has no name: the last one */
	struct {
		uint64_t hash; /* of the name */
	} named[256];
	size_t names;
};
/* Lines of its beginning. */
void old_trace_look(struct old_trace *o, struct span beginning);
int old_trace_read(struct old_trace *o, struct capture_line *l,
		   struct span line, struct capture_event *e,
		   struct error *err);

#endif
