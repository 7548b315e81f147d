/* SPDX-License-Identifier: MIT */
/*
 * One connection of a board through the proxy: recorded, judged and counted.
 * A leg opens it, says what passes, and ends it.
 */
#ifndef PROXY_TALK_H
#define PROXY_TALK_H

#include "proxy/proxy.h"

struct talk {
	struct proxy *proxy;
	struct talk *next, *previous;
	uint32_t conn; /* of the capture */
	enum diag_leg leg;
	char *device; /* its Device-Id, or client id; NULL: not told */
	char *address; /* of the device's end */
	struct diag
		diag; /* about is the leg's to fill, before the first frame */
	struct alter_state alter; /* of --fault */
	int64_t began_us; /* loop_now_us() */
	uint64_t frames[2]; /* [from_device] */
	bool ended;
};

struct talk_head {
	enum diag_leg leg;
	const char *device, *address; /* copied; NULL */
	struct span
		head; /* of its request, as CAPTURED_OPEN has it; text NULL */
};
/* NULL: there are talks_max of them already. */
struct talk *talk_open(struct proxy *p, const struct talk_head *h);
/* It is known now, or better, who it is; copied. */
void talk_is(struct talk *t, const char *device, const char *board,
	     const char *version);

/* One thing that passed; e: kind, from, data, size, topic, head, status, passed
   are the caller's; n, at_us, conn, leg, device are filled here. Recorded, told,
   judged (text and binary; of data, not of passed), counted. */
void talk_pass(struct talk *t, struct capture_event *e);
/* The same for text (or bytes) that went on as it came, the usual case. */
void talk_frame(struct talk *t, bool from_device, enum capture_kind kind,
		struct span data);
/* A line of our own beside it: CAPTURED_NOTICE. */
void talk_note(struct talk *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* Recorded; diag_end if it was at rest. t is gone. how: who ended it, and how. */
void talk_end(struct talk *t, enum event_from from, enum event_end how,
	      int code);

#endif
