/* SPDX-License-Identifier: MIT */
/*
 * The command's end of serve's socket (wire/control_frames.h): connects, checks that
 * the other end is the same user, sends and receives whole frames. Part of the
 * program itself: attached commands load nothing.
 */
#ifndef NET_CONTROL_CLIENT_H
#define NET_CONTROL_CLIENT_H

#include "base/loop.h"
#include "wire/greeting.h"

struct control_client;

/* From the loop only. */
struct control_client_events {
	/*
	 * Who serve is, once, before any frame; not at all where it ends before
	 * it says. -1: it is not talked to, and closed gets *err.
	 */
	int (*greeted)(void *owner, const struct greeting *g,
		       struct error *err);
	void (*frame)(void *owner, const struct control_frame *f); /* lent */
	/* Once: serve closed or died (why), or control_client_close (ERR_NONE). After it, nothing. */
	void (*closed)(void *owner, const struct error *why);
};

/*
 * Connect now (a Unix socket answers at once) and greet. What is sent before
 * the answer need not wait: a serve of another protocol refuses it. -1: ERR_CONNECT: no serve is
 * running there (no file, or nobody behind it), with what to do; ERR_AUTH: its
 * owner is another user.
 */
int control_client_open(struct control_client **out, struct loop *l,
			const char *path,
			const struct control_client_events *events, void *owner,
			struct error *err);

/* Written at once, the rest queued. -1: more than CONTROL_FRAME_MAX waits. */
int control_client_send(struct control_client *c, enum control_kind kind,
			const void *data, size_t len, struct error *err);

/* Ends in closed from the loop, which releases it. Twice is fine. */
void control_client_close(struct control_client *c);

/* The error of a serve that was asked and says nothing; always -1. */
int control_client_silent(enum error_kind kind, struct error *err);

#endif
