/* SPDX-License-Identifier: MIT */
/*
 * The shell: commands on an open session, line by line, from a terminal or
 * as a script. cmd_shell.c is the command; shell.c the main line at a terminal,
 * the lines of a script, the list of tools, the last result once more;
 * shell_run.c what a line means, and pipes and '!'; shell_peer.c the session:
 * lost, reopened, switched; builtins.c what only the shell understands;
 * shell_line.c takes a line apart.
 */
#ifndef SHELL_SHELL_H
#define SHELL_SHELL_H

#include "cli/complete.h"
#include "cli/connection.h"
#include "mcp/listing.h"
#include "mcp/relist.h"
#include "shell/edit.h"

/* The last result, as it came. */
enum last_kind {
	LAST_NONE,
	LAST_RESULT, /* call */
	LAST_REPLY, /* request */
	LAST_TOOLS,
	LAST_DESCRIBE,
	LAST_INFO,
	LAST_PING
};
struct shell_last {
	enum last_kind kind;
	char *text; /* of the reply; owned, as all here */
	size_t len;
	const char *note; /* static */
	int64_t took_us;
	struct tool_list tools; /* LAST_TOOLS, LAST_DESCRIBE */
	char *name; /* the tool, or the filter; NULL */
	bool device, backend_view;
	bool broke; /* the listing ended early */
	char *kept; /* of which target it was a kept list; NULL */
	int64_t age; /* of that */
	size_t shown, name_width;
	struct ping_record ping;
	unsigned opened; /* LAST_INFO: only while that session is open */
};

/* tools/list in the background, for completion. */
struct shell_list {
	bool active;
	unsigned opened; /* the session that is asked */
	struct call call;
	struct listing listing;
	struct tool_list tools;
};

struct shell {
	struct app *app;
	struct connection *connection;
	const struct edit_table *edit; /* NULL: a script */
	bool editing; /* a line is being edited now */
	bool quit, keep_going;
	bool has_line; /* a line is ready; wakes the main line */
	char *line; /* owned; NULL with has_line: the input ended */
	int signal; /* that ends the shell; 0 */
	unsigned depth; /* of `run FILE` in `run FILE` */

	/* the peer; see shell_peer.c */
	char *target, *device; /* what `use` said; owned, lent to the config */
	char *name; /* what the peer is called; NULL: it never said */
	char *prompt; /* as it is shown */
	char *told; /* the last failure, to be said once; NULL */
	bool up; /* it is connected, as far as the user knows */
	bool was_up;
	bool wanted; /* is to be opened in the background */
	int64_t retry_at; /* loop_now() ms */
	unsigned tries; /* in vain */

	struct shell_list list;
	unsigned listed; /* the session whose list was asked for */
	struct relist relist; /* that list may have changed since */
	struct shell_last last;
	const struct render_ops *inner; /* the renderer's own */
	struct render_ops ops; /* in its place, to keep the last result */
};

/* A builtin: only inside the shell. The same row shape as a command's help. */
struct builtin {
	const char *name, *args, *brief, *text;
	int min, max;
	enum inside_operand operand;
	int (*run)(struct shell *s, int argc, char **argv, struct error *err);
};
/* Ends with name NULL. */
extern const struct builtin builtins[];

/* Lines from the terminal until Ctrl-D, `quit` or a signal. */
int shell_interact(struct shell *s, bool history, struct error *err);

struct shell_input;

/* fd is lent. name: for messages. */
int shell_input_open(struct shell_input **out, struct shell *s, int fd,
		     const char *name, struct error *err);
void shell_input_close(struct shell_input *in);
/*
 * The next line, waited for, lent until the next; *line is NULL at the end.
 * -1: ERR_USAGE (too long, no text, cannot be read), ERR_INTERRUPTED.
 */
int shell_input_next(struct shell_input *in, const char **line,
		     struct error *err);
/* "stdin:3" in front. Always -1. */
int shell_input_prefix(const struct shell_input *in, struct error *err);

void shell_list_start(struct shell *s);
void shell_list_step(struct shell *s);
/* Behind connection_close, whose last events may start it. */
void shell_list_stop(struct shell *s);

/* In place of functions of ops, which keep what they are shown. */
void shell_last_watch(struct shell *s);
/* Show it again. -1 (ERR_UNMET): there is none. */
int shell_last_save(struct shell *s, const char *path, struct error *err);
int shell_last_show(struct shell *s, enum output_form form, struct error *err);
void shell_last_done(struct shell_last *l);

#endif
