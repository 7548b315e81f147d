/* SPDX-License-Identifier: MIT */
/*
 * Where the records of serve go: the renderer's stdout, stderr, or a file. A
 * reader that does not read holds up nothing, and one that went away ends
 * nothing: records wait, or are counted as lost.
 */
#ifndef CLI_SERVE_LOG_H
#define CLI_SERVE_LOG_H

#include "out/render.h"
#include "serve/record.h"

struct serve_log {
	struct renderer *out;
	struct render_place place; /* of the renderer, before */
	const char *path; /* --log; NULL: none. Borrowed */
	FILE *file;
	bool diverted; /* to the file or to stderr */
	bool detached; /* stdout and stderr are the file too */
	struct record *first, **last; /* the reader is slow */
	size_t waiting;
	uint64_t dropped; /* too many waited */
	uint64_t lost; /* could not be written */
	int why; /* errno of the first one */
};

/* path NULL: stdout, or stderr if `aside`. -1 (ERR_OUTPUT): cannot be opened. */
int serve_log_open(struct serve_log *l, struct renderer *r, const char *path,
		   bool aside, struct error *err);

/* Show it, now or when there is room; what -q and -v leave out is released. */
void serve_log_take(struct serve_log *l, struct record *record);

/* Show what waits, as far as there is room. True: something still waits. */
bool serve_log_pump(struct serve_log *l);

/* Open the file anew (SIGHUP: it may have been moved away). */
void serve_log_reopen(struct serve_log *l);

/* stdin becomes /dev/null, stdout and stderr the file. */
void serve_log_detach(struct serve_log *l);

/* The renderer is as it was. -1 (ERR_OUTPUT): records were lost. */
int serve_log_close(struct serve_log *l, struct error *err);

/* $XDG_STATE_HOME/mcpctl/serve.log, its folder made; yours. */
int serve_log_default(char **out, struct error *err);

#endif
