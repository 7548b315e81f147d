/* SPDX-License-Identifier: MIT */
/*
 * What the first word of a line means: a builtin, a command, a tool whose name
 * has a dot. Running it is the command table's matter.
 */
#include "shell/shell_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/outside.h"
#include "cli/suggest.h"
#include "mcp/tools.h"
#include "shell/builtins.h"
#include "shell/shell.h"
#include "shell/shell_line.h"

static int shell_pipe(struct shell *s, char *const *words, size_t count,
		      const char *command, struct error *err);

/* The present line was typed, and is no script's. */
static bool shell_is_typed(const struct shell *s)
{
	return s->edit && s->depth == 0;
}

bool shell_allows(const struct command *c)
{
	return (c->flags & CMD_SHELL) != 0;
}

static int refuse(const struct command *c, struct error *err)
{
	error_set(err, ERR_USAGE, "'%s' makes no sense on an open session",
		  c->name);
	return error_hint(err, "outside of the shell it does: ! mcpctl %s",
			  c->name);
}

/* Of what is possible here; NULL. */
static const char *nearest_own(const char *word)
{
	const char *near = command_nearest(word);
	const struct command *c = near ? command_find(near) : NULL;

	if (!near || builtin_find(near) || (c && shell_allows(c)))
		return near;
	return NULL;
}

/* Nothing is asked: a slip dials nobody. */
static int unknown(const struct shell *s, const char *word, struct error *err)
{
	const struct tool_list *list = &s->connection->tools;
	const char *command = nearest_own(word);
	const struct tool *tool = NULL;

	error_set(err, ERR_USAGE, "unknown command '%s'", word);
	if (s->connection->has_tools)
		tool_list_meant(list, word, &tool, NULL);
	if (tool)
		return error_hint(err, "a tool? call %s", word);
	if (command)
		return error_hint(err, "did you mean '%s'?", command);
	return error_hint(
		err,
		"'help' lists the commands, 'tools' the tools; 'call TOOL' calls one");
}

/* ---- run ---- */

static int run_builtin(struct shell *s, const struct builtin *b,
		       char *const *words, size_t count, struct error *err)
{
	CLEANUP(words_done) struct words operands = { 0 };
	int argc = (int)count - 1;

	for (size_t i = 1; i < count; i++)
		words_add(&operands, words[i]);
	if (argc >= b->min && (b->max < 0 || argc <= b->max)) {
		char *none[] = { NULL };

		return b->run(s, argc, argc ? operands.word : none, err);
	}
	error_set(err, ERR_USAGE, "'%s' takes %s%s", b->name,
		  *b->args ? "these operands: " : "no operands", b->args);
	return error_hint(err, "help %s", b->name);
}

static int run_command(struct shell *s, const struct command *c,
		       char *const *words, size_t count, struct error *err)
{
	struct config *config = &s->app->config;
	const char *device = config->device;
	int status;

	/* What asks serve itself means all devices, not the one in use. */
	if (!(c->flags & (CMD_SESSION | CMD_TARGET)))
		config->device = NULL;
	status = command_run(s->connection, words, count, err);
	config->device = device;
	return status;
}

int shell_words(struct shell *s, char *const *words, size_t count,
		struct error *err)
{
	const char *word = words[0];
	const struct builtin *b = builtin_find(word);
	const struct command *c = command_find(word);

	if (!c && command_is_tool(word))
		c = &cmd_call;
	if (b)
		return run_builtin(s, b, words, count, err);
	if (c && !shell_allows(c))
		return refuse(c, err);
	if (c)
		return run_command(s, c, words, count, err);
	if (strchr(word, ':'))
		return suggest_command(word, true, err);
	return unknown(s, word, err);
}

static int run_one(struct shell *s, const struct shell_line *line,
		   struct error *err)
{
	const struct words *w = &line->words;

	if (w->count == 0)
		return line->outside ? shell_outside(s, line->outside, err) : 0;
	if (line->outside)
		return shell_pipe(s, w->word, w->count, line->outside, err);
	return shell_words(s, w->word, w->count, err);
}

int shell_run_line(struct shell *s, const char *text, struct error *err)
{
	int status = 0;

	/* Hints name them, in a script too. */
	builtins_offer();
	while (status == 0 && *text && !s->quit) {
		CLEANUP(shell_line_done) struct shell_line line = { 0 };

		/* A terminal can be read again, a script's stdin is its own. */
		if (s->edit)
			s->app->stdin_taken = false;
		status = shell_line_read(&line, &text, err);
		if (status == 0)
			status = run_one(s, &line, err);
	}
	return status;
}

/* Commands for sh: alone, or fed by what a line prints. */

struct own {
	struct outside outside;
	/* Before it: a child may leave the terminal in any mode. */
	struct termios modes;
	bool has_modes;
};

/* in: what it reads; -1: what we have, or nothing in a script. */
static int start(struct own *o, struct shell *s, const char *command, int in,
		 struct error *err)
{
	struct outside_order order = { .command = command,
				       .in_fd = in,
				       .secrets = true };

	if (in >= 0)
		order.in = CHILD_PIPE;
	else if (s->edit)
		order.in = CHILD_INHERIT;
	o->has_modes = s->edit && tcgetattr(STDIN_FILENO, &o->modes) == 0;
	fflush(s->app->out.out);
	return outside_start(&o->outside, s->app, &order, err);
}

static void wait_ended(struct own *o, struct shell *s)
{
	outside_wait(&o->outside);
	if (o->outside.signal) {
		s->signal = o->outside.signal;
		s->quit = true;
	}
	if (o->has_modes)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &o->modes);
}

/* At a terminal the user saw it. */
static int judge(const struct outside *o, const struct shell *s,
		 const char *command, struct error *err)
{
	if (shell_is_typed(s)) {
		/* "^C" stands where the prompt will be. */
		if (o->interrupted)
			fputs("\n", s->app->out.err);
		return 0;
	}
	if (o->interrupted) {
		error_set(err, ERR_INTERRUPTED, "interrupted by %s",
			  s->signal ? "a signal" : "Ctrl-C");
		return error_code(err, s->signal ? s->signal : SIGINT);
	}
	if (o->status == 0)
		return 0;
	return error_set(err, ERR_UNMET, "'%s' ended with status %d", command,
			 o->status);
}

int shell_outside(struct shell *s, const char *command, struct error *err)
{
	struct own o;

	if (start(&o, s, command, -1, err))
		return -1;
	wait_ended(&o, s);
	return judge(&o.outside, s, command, err);
}

static int no_pipe(struct error *err)
{
	int why = errno;

	error_set(err, ERR_OUTPUT, "cannot make a pipe: %s", strerror(why));
	return error_code(err, why);
}

/* What words print goes to the stream; a reader that had enough is no error. */
static int feed(struct shell *s, char *const *words, size_t count, FILE *to,
		struct error *err)
{
	struct renderer *r = &s->app->out;
	struct render_place place = { r->out, r->out_terminal, r->out_color };
	int status;

	r->out = to;
	r->out_terminal = false;
	r->out_color = r->out_color && s->app->config.color == COLOR_ALWAYS;
	status = shell_words(s, words, count, err);
	render_restore(r, &place);
	fclose(to);
	return status;
}

/* The same, and what words print goes into its stdin. */
static int shell_pipe(struct shell *s, char *const *words, size_t count,
		      const char *command, struct error *err)
{
	struct own o;
	int ends[2], status;
	FILE *to;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return no_pipe(err);
	status = start(&o, s, command, ends[0], err);
	close(ends[0]);
	to = status == 0 ? fdopen(ends[1], "w") : NULL;
	if (!to) {
		close(ends[1]);
		return -1;
	}
	status = feed(s, words, count, to, err);
	wait_ended(&o, s);
	return status != 0 ? -1 : judge(&o.outside, s, command, err);
}

/*
 * The main line of a script: stdin that is no terminal, or a file. It stops
 * at the first failure, or goes on and tells it at the end.
 */

#define DEPTH_MOST 8

struct script_run {
	struct shell *shell;
	struct shell_input *input;
	bool keep_going;
	size_t count, failed;
	enum error_kind first; /* kind of the first failure */
	char *first_line;
};

/* Where going on makes no sense, even if it was asked for. */
static bool is_final(const struct script_run *t, const struct error *why)
{
	return !t->keep_going || why->kind == ERR_INTERRUPTED ||
	       why->kind == ERR_OUTPUT || t->shell->quit;
}

/* 0: it went well, or goes on all the same. */
static int run_line(struct script_run *t, const char *line, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct app *app = t->shell->app;

	t->count++;
	if (shell_run_line(t->shell, line, &why) == 0) {
		/* main tells that something was lost. */
		render_flush(&app->out);
		t->shell->quit |= ferror(app->out.out) != 0;
		return 0;
	}
	app_check_signal(app, &why);
	fflush(app->out.out);
	if (t->failed++ == 0) {
		t->first = why.kind;
		t->first_line = mem_strdup(line + strspn(line, " \t"));
	}
	if (why.kind != ERR_INTERRUPTED)
		shell_input_prefix(t->input, &why);
	if (is_final(t, &why)) {
		error_copy(err, &why);
		return -1;
	}
	render_error(&app->out, &why);
	return 0;
}

static int summary(const struct script_run *t, struct error *err)
{
	if (t->failed == 0)
		return 0;
	error_set(err, t->first, "%zu of %zu lines failed", t->failed,
		  t->count);
	if (t->failed == 1)
		return -1;
	return error_hint(err, "the first was '%s'; the exit status is its own",
			  t->first_line);
}

static int run_all(struct script_run *t, struct error *err)
{
	const char *line;
	int status = 0;

	while (status == 0 && !t->shell->quit) {
		status = shell_input_next(t->input, &line, err);
		if (status != 0 || !line)
			break;
		if (line[strspn(line, " \t\r")] != '\0')
			status = run_line(t, line, err);
	}
	return status != 0 ? -1 : summary(t, err);
}

static int run(struct shell *s, int fd, const char *name, bool keep_going,
	       struct error *err)
{
	struct script_run t = { .shell = s, .keep_going = keep_going };
	int status;

	if (shell_input_open(&t.input, s, fd, name, err))
		return -1;
	status = run_all(&t, err);
	shell_input_close(t.input);
	mem_free(t.first_line);
	return status;
}

int shell_script(struct shell *s, struct error *err)
{
	const struct app *app = s->app;

	/* Also for a script that has no line to stumble over it. */
	if (app->config.target &&
	    shell_check_target(s, app->config.target, false, err))
		return -1;
	s->app->stdin_taken = true;
	return run(s, STDIN_FILENO, "stdin", s->keep_going, err);
}

int shell_script_file(struct shell *s, const char *path, bool keep_going,
		      struct error *err)
{
	int fd, status;

	if (s->depth >= DEPTH_MOST)
		return error_set(err, ERR_USAGE,
				 "'run %s': scripts call each other too deep",
				 path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return error_set(err, ERR_USAGE, "cannot open '%s': %s", path,
				 strerror(errno));
	s->depth++;
	status = run(s, fd, path, keep_going, err);
	s->depth--;
	close(fd);
	return status;
}
