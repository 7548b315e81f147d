/* SPDX-License-Identifier: MIT */
/*
 * One MCP client, the host that started us: a message a line on our stdin, a
 * reply a line on our stdout. Both are read and written without waiting. The end
 * of stdin is the end of it: what is open gets its answers if they come within
 * that second, and no more than that is waited for a host that reads nothing.
 */
#ifndef CLIENTS_STDIO_FRONT_H
#define CLIENTS_STDIO_FRONT_H

#include "base/loop.h"
#include "clients/answerer.h"

#define STDIO_LINE_MAX ((size_t)16 << 20) /* bytes; more is refused */
#define STDIO_OPEN_MAX 256 /* questions at a time; more are refused */
#define STDIO_END_MS 800 /* from the end of stdin to our own */

struct stdio_front;

struct stdio_front_events { /* from the loop only */
	/* The host said all that it will, and got what it gets; once. */
	void (*ended)(void *owner);
	/* What happened, in a line; NULL. */
	void (*line)(void *owner, const char *text);
	void *owner;
};

/* in, out: 0 and 1; they stay the caller's. The answerer is lent until it is closed. */
struct stdio_front *stdio_front_open(struct loop *l, const struct answerer *a,
				     int in, int out,
				     const struct stdio_front_events *events);
/* errno where replies could not be written, though somebody reads them; 0. */
int stdio_front_lost(const struct stdio_front *f);
/*
 * Its questions are abandoned; what waits to be written is, if that goes within
 * a moment. Returns when nothing of it is on the loop, which it runs for that.
 * NULL is fine.
 */
void stdio_front_close(struct stdio_front *f);

#endif
