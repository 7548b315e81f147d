/* SPDX-License-Identifier: MIT */
/*
 * One connection of a board through the proxy: recorded, judged and counted.
 * A leg opens it, says what passes, and ends it.
 */
#ifndef PROXY_TALK_H
#define PROXY_TALK_H

#include "diag/pace.h"
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
	struct turn *turn; /* until the upstream has said hello; lent; NULL */
	struct alter_state alter; /* of --fault */
	struct voice *voice; /* of its board; NULL: nothing heard, or kept */
	struct sound_pace *pace; /* diag/pace.h; NULL: it did not listen yet */
	int64_t began_us; /* loop_now_us() */
	uint64_t frames[2]; /* [from_device] */
	bool spoke[2]; /* [from_device]: a text that was whole */
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
/* The same for text; passed NULL: it went on as it came. */
void talk_text(struct talk *t, bool from_device, struct span text,
	       const struct span *passed);
/* What the board says, for --save-audio: NULL where that is not kept. */
struct voice *talk_voice(struct talk *t);
/* A line of our own beside it: CAPTURED_NOTICE. */
void talk_note(struct talk *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* Recorded; diag_end if it was at rest. t is gone. how: who ended it, and how. */
void talk_end(struct talk *t, enum event_from from, enum event_end how,
	      int code);

/* ---- beside them: a serial log, which does not pass and is not counted ---- */

/* A number for its connection. */
uint32_t proxy_connection(struct proxy *p);
/* Recorded and told; n and at_us are filled here. */
void proxy_beside(struct proxy *p, struct capture_event *e);
/* Counted; recorded and told if it is news. conn, leg and device: those of at. */
void proxy_beside_found(struct proxy *p, const struct capture_event *at,
			const struct finding *f, bool news);

#endif
