/* SPDX-License-Identifier: MIT */
/*
 * The stdin of a child: bytes that wait until it reads them, and the end
 * behind them. For base/child.c.
 */
#ifndef BASE_CHILD_INPUT_H
#define BASE_CHILD_INPUT_H

#include "base/loop.h"

struct child_input { /* zeroed at first */
	uv_pipe_t uv;
	void (*closed)(void *owner);
	void *owner;
	bool open; /* there is a handle, and it is not being closed */
	bool ending; /* it is closed once all is written */
};

/*
 * The child's end of the pipe, close-on-exec, or -errno. Also in the latter
 * case `open` says whether there is a handle: then closed comes after
 * child_input_close, or earlier, once all is written or nobody reads.
 */
int child_input_open(struct child_input *i, struct loop *l,
		     void (*closed)(void *owner), void *owner);

/* As child_write and child_close_input of base/child.h. */
int child_input_write(struct child_input *i, const char *data, size_t len,
		      struct error *err);
void child_input_end(struct child_input *i);

/* Drop what waits. Again is fine. */
void child_input_close(struct child_input *i);

#endif
