/* SPDX-License-Identifier: MIT */
/*
 * Asking a running serve (wire/control_frames.h) without a loop and without patience:
 * for completion, which must never be felt. Whatever goes wrong, there is no
 * answer, and no error to tell.
 */
#ifndef NET_CONTROL_QUICK_H
#define NET_CONTROL_QUICK_H

#include "base/json.h"

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
