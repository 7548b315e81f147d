/* SPDX-License-Identifier: MIT */
/*
 * The inside of a child, for its own files only: child.c (what comes, its
 * end), child_start.c.
 */
#ifndef BASE_CHILD_PRIVATE_H
#define BASE_CHILD_PRIVATE_H

#include "base/buf.h"
#include "base/child.h"
#include "base/child_input.h"
#include "base/spawner.h"

struct stream {
	uv_pipe_t uv;
	struct child *child;
	struct buf line, kept;
	bool begun; /* a line of which there is no end yet */
	bool used, ended;
};

struct child {
	struct loop *loop;
	uv_process_t process; /* one of the two */
	struct spawned spawned;
	struct child_input in; /* with options.writable */
	struct stream out, err; /* of stdout and stderr */
	struct timer timer; /* until SIGKILL, then until the pipes end */
	const struct child_events *events; /* NULL: nobody listens */
	void *owner;
	size_t keep;
	bool same_group, stopping, killed, exited, told, silent;
	unsigned handles; /* open ones */
	int pid, status;
	char chunk[16384];
};

/* Hear what comes through it, if it is used. */
void child_read(struct stream *s);
/* Close what is open; the memory goes with the last of it. */
void child_close_all(struct child *c);
/* Of the process, of its timer; when a handle that is none of libuv's is closed. */
void child_on_exit(uv_process_t *process, int64_t status, int number);
void child_on_end(void *owner, int64_t status, int number);
void child_on_timer(void *owner);
void child_part_closed(void *owner);

#endif
