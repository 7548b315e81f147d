/* SPDX-License-Identifier: MIT */
/*
 * A child process on the loop: started with no descriptor of ours but its
 * three, default signals, its own process group; watched; ended properly.
 * Where there is a spawner (base/spawner.h), that starts it.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/loop.h"

struct buf;

struct child;

enum child_stream { CHILD_NULL, CHILD_INHERIT, CHILD_PIPE };

struct child_options {
	char *const *argv; /* argv[0] is searched in PATH; NULL-terminated */
	/*
	 * "NAME=VALUE", added to our environment; NULL-terminated; NULL.
	 * Our secrets (MCPCTL_… with TOKEN, PASSWORD or SECRET in the name) are not
	 * handed on unless they stand here: they are for other peers.
	 */
	const char *const *env;
	bool secrets; /* it gets those too: the user typed the command here */
	enum child_stream out, err;
	/* CHILD_NULL: /dev/null; CHILD_PIPE: the descriptor in_fd, lent */
	enum child_stream in;
	int in_fd;
	int out_fd; /* CHILD_INHERIT: this descriptor instead, lent; 0: ours */
	bool writable; /* stdin is a pipe for child_write; in does not count */
	const char *cwd; /* where it runs; NULL: here */
	size_t keep; /* of each pipe, for child_output: its first bytes */
	bool same_group; /* stays in our process group, so that Ctrl-C reaches it */
};

struct child_events {
	/* A line of a pipe as it comes, without its end, cut at 4 kB; may be NULL. */
	void (*line)(void *owner, bool is_err, const char *line);
	/* Once, after its pipes ended: exit status, or 128 + signal. The child may be asked for its output until this returns. */
	void (*ended)(void *owner, int status);
	/*
	 * Bytes of stdout as they come, any number, lent; len 0: its end. line
	 * is not called for it then. May be NULL.
	 */
	void (*data)(void *owner, const char *data, size_t len);
};

/* -1 (ERR_CONNECT, code errno): it could not be started; what is missing. */
int child_start(struct child **out, struct loop *l,
		const struct child_options *o,
		const struct child_events *events, void *owner,
		struct error *err);

/* What came through the pipe so far (see keep); lent. */
const struct buf *child_output(const struct child *c, bool is_err);
int child_pid(const struct child *c);
/* To it alone, if it runs. */
void child_signal(struct child *c, int number);

#define CHILD_INPUT_MAX (16u << 20) /* bytes waiting to be written */

/*
 * Bytes for its stdin (options.writable), copied. -1 (ERR_CONNECT): it closed
 * it, or more than CHILD_INPUT_MAX wait.
 */
int child_write(struct child *c, const char *data, size_t len,
		struct error *err);
/* Neither it nor we closed its stdin, as far as writing has shown. */
bool child_reads(const struct child *c);
/* The end of its stdin, behind what waits. Again is fine. */
void child_close_input(struct child *c);

/*
 * SIGTERM to its group now, SIGKILL after grace ms. ended comes all the same.
 */
void child_stop(struct child *c, int64_t grace);

/* Forget it: no event any more; it is ended with SIGTERM, then SIGKILL. */
void child_abandon(struct child *c);

struct child_input { /* zeroed at first */
	uv_pipe_t uv;
	void (*closed)(void *owner);
	void *owner;
	bool open; /* there is a handle, and it is not being closed */
	bool ending; /* it is closed once all is written */
};

#endif
