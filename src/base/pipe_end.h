/* SPDX-License-Identifier: MIT */
/*
 * One end of a pipe (or of a file, a terminal, a socket that stands in for one),
 * read or written without waiting, and without a change of the descriptor that
 * others may share: our own stdin and stdout, and those of a child.
 */
#ifndef BASE_PIPE_END_H
#define BASE_PIPE_END_H

#include "base/loop.h"

#define PIPE_WAITS_MAX ((size_t)1 << 20) /* then who writes should wait */

struct pipe_end_events { /* from the loop only */
	void (*came)(void *owner, const char *data, size_t len);
	/* Of a reader: it is at its end. Of a writer: nobody reads it. Once. */
	void (*ended)(void *owner);
	/* Of a writer: all that waited is written; may be NULL. */
	void (*drained)(void *owner);
	void (*closed)(void *owner); /* the last one; after pipe_end_close */
};

struct pipe_end { /* zeroed at first */
	uv_pipe_t uv;
	struct timer
		timer; /* a file is read in slices; what could not be opened */
	const struct pipe_end_events *events;
	void *owner;
	int fd; /* of a file, which is never waited for; -1 */
	int why; /* errno of a write that failed; 0 */
	bool open, finishing, over, closing, held, timer_gone;
};

/* fd stays the caller's: it is opened once more, or copied. */
void pipe_end_open(struct pipe_end *e, struct loop *l, int fd, bool write,
		   const struct pipe_end_events *events, void *owner);
/* Reading begins with false. */
void pipe_end_hold(struct pipe_end *e, bool hold);
/* Copied, as far as it is not taken at once. */
void pipe_end_write(struct pipe_end *e, const void *data, size_t len);
size_t pipe_end_waiting(const struct pipe_end *e);
/* Closed behind what waits; closed follows. Again is fine, as below. */
void pipe_end_finish(struct pipe_end *e);
void pipe_end_close(struct pipe_end *e);

#endif
