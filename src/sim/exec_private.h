/* SPDX-License-Identifier: MIT */
/* What commands and models have in common: limit, end, release. Private. */
#ifndef SIM_EXEC_PRIVATE_H
#define SIM_EXEC_PRIVATE_H

#include "sim/exec.h"

struct exec {
	exec_done *done;
	void *owner;
	int64_t started, timeout, retry_after;
	struct buf text; /* what came so far */
	struct timer timer; /* the limit; exec only */
	/* Stops what is under way; it tells nothing any more. */
	void (*stop)(struct exec *o);
	/* One of the two. */
	struct child *child;
	struct http_fetch *fetch;
	const struct http_table *http;
	char *command; /* exec: argv[0] */
	char last_line[256]; /* exec: of stderr */
	char *where, *model; /* ollama */
	bool stream; /* ollama: asked for in pieces */
};

struct exec *exec_new(const struct exec_config *c, exec_done *done,
		      void *owner);
/* Release it; what is under way was stopped, or is over. */
void exec_free(struct exec *o);
/* Tell and release: the text, or why there is none (NULL: all is well). */
void exec_end(struct exec *o, const struct error *why);

#endif
