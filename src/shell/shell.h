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
const struct builtin *builtin_find(const char *name);

/* To completion, which is below the shell. */
void builtins_offer(void);

/* ---- shell.c, shell_run.c ---- */

/* Lines from the terminal until Ctrl-D, `quit` or a signal. */
int shell_interact(struct shell *s, bool history, struct error *err);
/* Lines of stdin, as they come; of a file. -1: the first failure. */
int shell_script(struct shell *s, struct error *err);
int shell_script_file(struct shell *s, const char *path, bool keep_going,
		      struct error *err);

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

/* ---- shell_run.c ---- */

/*
 * What was typed, mostly one line: builtins, commands, tools, pipes, one after
 * another until one fails. -1: err, nothing was shown.
 */
int shell_run_line(struct shell *s, const char *text, struct error *err);
/* Whether a command makes sense here. */
bool shell_allows(const struct command *c);

/* ---- shell_run.c ---- */

/* sh -c command, in the foreground. -1: ERR_UNMET, it failed (a script). */
int shell_outside(struct shell *s, const char *command, struct error *err);
/* What stands in front of a pipe, or alone. */
int shell_words(struct shell *s, char *const *words, size_t count,
		struct error *err);

/* ---- shell_peer.c ---- */

/*
 * Between turns of the loop, while a line is edited: notices what was lost,
 * opens, initializes, lists. Says what changed.
 */
void shell_peer_step(struct shell *s);
/* The same behind a command; why: it failed; NULL. */
void shell_peer_after(struct shell *s, const struct error *why);
/* Close it and, if it listens and nobody waits (a terminal), open it in the background; else now. */
int shell_peer_open(struct shell *s, struct error *err);
/* Opening it failed: said once for each reason. */
void shell_peer_failed(struct shell *s, struct error *why);
/* Another target, or device of serve (NULL: whichever), from now on. */
void shell_peer_choose(struct shell *s, const char *target, const char *device);
/* It is from 'use': options were for the first one. */
void shell_mark_later(struct app *app);
/* Whether it can be a target at all; the first one also with the options that
   were given. */
int shell_check_target(const struct shell *s, const char *target, bool later,
		       struct error *err);
/* The target is what a running serve holds. */
bool shell_is_attached(const struct shell *s);
/* "kitchen (lost)> ", with colours; yours. */
char *shell_peer_prompt(const struct shell *s);

void shell_list_start(struct shell *s);
void shell_list_step(struct shell *s);
/* Behind connection_close, whose last events may start it. */
void shell_list_stop(struct shell *s);

/* ---- shell_peer.c ---- */

/* The renderer, as it now is, told of the line that is edited and of the last result. */
void shell_dress(struct shell *s);
/* One round of waiting: events are shown, then a turn of the loop, until *done. */
int shell_wait(struct shell *s, const bool *done, struct error *err);

/* In place of functions of ops, which keep what they are shown. */
void shell_last_watch(struct shell *s);
/* Show it again. -1 (ERR_UNMET): there is none. */
int shell_last_save(struct shell *s, const char *path, struct error *err);
int shell_last_show(struct shell *s, enum output_form form, struct error *err);
void shell_last_done(struct shell_last *l);

#endif
