/* SPDX-License-Identifier: MIT */
/*
 * The engine (diag/diag.h) for all connections of a capture: each has one of its
 * own, which judges its frames, its OTA answers, the lists of its tools, and the
 * lines of a serial log beside what passed before. The number of a proof is that of the event.
 */
#ifndef CAPTURE_TALKS_H
#define CAPTURE_TALKS_H

#include "base/map.h"
#include "capture/event.h"
#include "diag/diag.h"

struct talks;

struct capture_talk {
	struct talks *all;
	uint32_t conn;
	char *device; /* its id; "": not told */
	char *asked; /* the address by which the device dialled; NULL */
	struct diag diag;
	struct talk_lists *lists; /* of tools, on their way */
	struct serial_judge *serial; /* it is a serial log; NULL */
	struct capture_talk *next_log;
};

struct talks {
	/* One more, count 1 is the first of its code on that connection; lent. */
	void (*found)(void *owner, const struct capture_talk *t,
		      const struct finding *f, const char *detail);
	/* It is over, with all that was found; then it is forgotten. NULL. */
	void (*over)(void *owner, struct capture_talk *t);
	void *owner;
	struct map conns; /* those that are not over; the engine's own */
	struct capture_talk *logs; /* of these, serial logs */
};

void talks_feed(struct talks *all, const struct capture_event *e);
/* There are no more events: what never came. */
void talks_end(struct talks *all);

#endif
