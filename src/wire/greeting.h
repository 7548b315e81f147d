/* SPDX-License-Identifier: MIT */
/*
 * Who is at the other end of serve's socket: the first question of a command
 * (wire/control_frames.h) and its answer, versions compared, and the words that tell
 * of a difference. Pure.
 */
#ifndef WIRE_GREETING_H
#define WIRE_GREETING_H

#include "wire/control_frames.h"

/*
 * Grows when an operation or a frame comes to mean something else. What is
 * only added leaves it as it is: whoever does not know it says so.
 */
#define CONTROL_PROTOCOL 1

struct greeting {
	int protocol; /* CONTROL_PROTOCOL of a serve that told none */
	int pid; /* 0: not told */
	char version
		[64]; /* "": not told, as by those before there were greetings */
};

/* The question {"op":"greet",…}, and serve's answer {"op":"greeting",…}. */
void greeting_ask(struct buf *out);
void greeting_answer(struct buf *out, int pid);

/*
 * The first frame from serve. True: it was the answer, *out says who it is;
 * also where a serve does not know the question. False: something else, which
 * is for whoever asked next; *out is then as of a serve of this version.
 */
bool greeting_read(struct greeting *out, const struct control_frame *f);

bool greeting_differs(const struct greeting *g);
/* -1 (ERR_PROTOCOL): it and this program do not understand each other. */
int greeting_check(const struct greeting *g, struct error *err);
/* One line for the user: which versions they are, and what to restart. */
void greeting_tell(struct buf *out, const struct greeting *g);
/* An error that may come of the difference: its hint tells that. */
void greeting_blame(const struct greeting *g, struct error *err);

#endif
