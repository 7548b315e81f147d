/* SPDX-License-Identifier: MIT */
/*
 * Commands for sh: alone, or fed by what a line prints. They have the terminal
 * while they run, share our process group, and end by Ctrl-C where we do not.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/child.h"
#include "shell/shell.h"

enum { GRACE_MS = 1000 };

struct outside {
	struct child *child;
	bool ended;
	int status;
	bool interrupted;
	/* Before it: a child may leave the terminal in any mode. */
	struct termios modes;
	bool has_modes;
};

static void on_ended(void *owner, int status)
{
	struct outside *o = owner;

	o->ended = true;
	o->status = status;
}

static const struct child_events events = { .ended = on_ended };

/* in: what it reads; -1: what we have, or nothing in a script. */
static int start(struct outside *o, struct shell *s, const char *command,
		 int in, struct error *err)
{
	char name[] = "sh", option[] = "-c";
	/* The child does not change it, and uv_spawn wants no const. */
	char *argv[] = { name, option, NULL, NULL };
	struct child_options options = { .argv = argv,
					 .out = CHILD_INHERIT,
					 .err = CHILD_INHERIT,
					 .same_group = true,
					 .secrets = true,
					 .in_fd = in };

	memcpy(&argv[2], &command, sizeof(command));
	*o = (struct outside){ 0 };
	if (in >= 0)
		options.in = CHILD_PIPE;
	else if (s->edit)
		options.in = CHILD_INHERIT;
	if (s->edit)
		o->has_modes = tcgetattr(STDIN_FILENO, &o->modes) == 0;
	fflush(s->app->out.out);
	if (app_open_loop(s->app, err) != 0)
		return -1;
	return child_start(&o->child, s->app->loop, &options, &events, o, err);
}

/* Events wait: the terminal is the child's. */
static void wait_ended(struct outside *o, struct shell *s)
{
	while (!o->ended) {
		CLEANUP(error_reset) struct error why = { 0 };

		if (loop_wait(s->app->loop, &o->ended, LOOP_FOREVER, &why) == 0)
			break;
		o->interrupted = true;
		if (why.code == SIGINT)
			continue;
		s->signal = why.code;
		s->quit = true;
		child_stop(o->child, GRACE_MS);
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
	struct outside o;

	if (start(&o, s, command, -1, err) != 0)
		return -1;
	wait_ended(&o, s);
	return judge(&o, s, command, err);
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

int shell_pipe(struct shell *s, char *const *words, size_t count,
	       const char *command, struct error *err)
{
	struct outside o;
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
	return status != 0 ? -1 : judge(&o, s, command, err);
}
