/* SPDX-License-Identifier: MIT */
/*
 * The command's end of serve's socket (wire/control_frames.h): connects, checks that
 * the other end is the same user, sends and receives whole frames. Part of the
 * program itself: attached commands load nothing.
 */
#ifndef NET_CONTROL_CLIENT_H
#define NET_CONTROL_CLIENT_H

#include "base/error.h"
#include "base/json.h"
#include "base/loop.h"
#include "wire/control_frames.h"

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
 * Connect (a Unix socket answers at once; one whose queue is full is asked again
 * from the loop for 5 s, and closed tells if that was in vain) and greet. What is sent before
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

/*
 * The socket's path, yours. given: --socket or NULL: the default place, whose
 * folder is made if create; if not, and there is no socket, the other of the two
 * places is looked at. -1 (ERR_CONNECT): the folder is another user's, or
 * open to others, or cannot be made; ERR_USAGE: longer than a socket's
 * address may be (107 bytes).
 */
int control_path(char **out, const char *given, bool create, struct error *err);

/*
 * Whether there is a socket at path that is ours. -1 (ERR_CONNECT): it is of
 * another user (whose), or no socket. 0: *exists says it.
 */
int control_path_check(const char *path, bool *exists, struct error *err);

struct control_quick {
	int fd; /* -1: closed */
	int64_t deadline; /* monotonic ms, for all that is asked */
	struct buf in;
	bool greeted;
	size_t used; /* bytes of in that were answers */
};

/*
 * Connect to the serve at that path, if there is a socket of ours and the same
 * user behind it. ms: for everything from now on. -1: none.
 */
int control_quick_open(struct control_quick *q, const char *path, int64_t ms);
/* A JSON object as a question. -1: closed. */
int control_quick_send(struct control_quick *q, const struct buf *json);
/* The next JSON of an answer, checked; lent until the next call. -1: closed. */
int control_quick_next(struct control_quick *q, struct span *out);
/* Twice is fine. */
void control_quick_close(struct control_quick *q);

#endif
