/* SPDX-License-Identifier: MIT */
/*
 * Silence has layers, and on a board each lives in another task: TCP is
 * acknowledged by its network chip, Ping answered by its network task, an
 * unknown method by its main loop, behind a tool that runs there (device.md
 * 1.4, 3.9). What each of them did tells where it sticks. Pure: who asks fills
 * a struct ladder.
 */
#ifndef DIAG_LADDER_H
#define DIAG_LADDER_H

#include "diag/codes.h"
#include "net/layers.h"

/* What may be asked at once, in all. */
#define LADDER_ASK_MS 1000
/*
 * Bytes that nobody acknowledges for so long are lost with their connection:
 * Wi-Fi that saves power takes some 0.1 to 0.3 s, and TCP has repeated them
 * three times and more.
 */
#define LADDER_GONE_MS 3000

enum rung {
	RUNG_NONE, /* there is none this way, or it was not asked */
	RUNG_SILENT,
	RUNG_ANSWERED
};

struct ladder {
	bool board; /* it speaks the device dialect, or has shown to be one */
	bool tool; /* a tool was called */
	bool owed; /* of that kind each has an answer: diag_owes */
	bool threads; /* firmware_has_threads */
	bool serve; /* it is serve's connection that was looked at */
	int64_t waited_ms; /* since the request was sent */
	struct layers layers;
	enum rung pong, loop;
	int64_t pong_us, loop_us;
	int64_t asked_ms; /* how long they were waited for */
	int64_t late_us; /* the reply came so long after time was over; 0: no */
	const char *stray; /* a reply came that no call has: which; NULL */
	bool odd; /* something came meanwhile that is no message at all */
	const char *ended; /* why the connection ended meanwhile; NULL */
};

struct verdict {
	int code; /* enum diag_code; -1: what is known names none */
	char words[320]; /* what it is; raw */
	char next[200]; /* what to do; "" */
};

/* False: nothing was learned. */
bool ladder_judge(const struct ladder *l, struct verdict *out);

/* A line for each layer that there is, and the verdict: 80 columns, raw. */
void ladder_lines(struct buf *out, const struct ladder *l,
		  const struct verdict *v);
/* The layers in one line, as proof: "tcp 174 B unacknowledged for 10 s; …". */
void ladder_proof(struct buf *out, const struct ladder *l);
/* {"waited_ms","tcp":{…}|null,"ws","loop","stray","verdict","words"} */
void ladder_json(struct buf *out, const struct ladder *l,
		 const struct verdict *v);

#endif
