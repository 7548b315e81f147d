/* SPDX-License-Identifier: MIT */
/*
 * Asking at a terminal. The kernel edits the line, so that every terminal and
 * every script can be used; only Ctrl-C is ours, as the end of a line.
 */
#include "cli/prompt.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define CTRL_C 3

struct prompt {
	struct app *app;
	uv_poll_t poll;
	prompt_line *line;
	void *owner;
	struct termios modes; /* before it */
	char *question; /* NULL: nothing is asked now */
	bool shown; /* the question is where the cursor is */
	bool interrupted; /* the last line was Ctrl-C's */
	bool writing; /* we do */
	bool closed;
	/* The renderer's own hooks, put back at the end. */
	void (*begin)(void *owner);
	void (*end)(void *owner);
	void *hook_owner;
};

/* ---- whether ---- */

const char *prompt_obstacle(const struct app *app)
{
	const FILE *out = app->out.out;

	if (!isatty(STDIN_FILENO) || !app->out.err_terminal)
		return "there is no terminal to ask at";
	if (app->stdin_taken)
		return "stdin is read by something else";
	if (out != stdout && out != stderr)
		return "the terminal belongs to another program now";
	if (tcgetpgrp(STDIN_FILENO) != getpgrp())
		return "this runs in the background";
	return NULL;
}

/* ---- on the screen ---- */

static void show(struct prompt *p)
{
	FILE *err = p->app->out.err;

	if (!p->question || p->shown)
		return;
	p->shown = true;
	fputs(p->question, err);
	fflush(err);
}

/* Half a line that was typed stays above, for the eye; the kernel has it. */
static void before_output(void *owner)
{
	struct prompt *p = owner;

	if (!p->shown || p->writing)
		return;
	p->shown = false;
	fputc('\n', p->app->out.err);
}

static void after_output(void *owner)
{
	struct prompt *p = owner;

	if (p->writing)
		return;
	fflush(p->app->out.out);
	show(p);
}

static void hook(struct prompt *p)
{
	struct renderer *r = &p->app->out;

	p->begin = r->begin;
	p->end = r->end;
	p->hook_owner = r->owner;
	r->begin = before_output;
	r->end = after_output;
	r->owner = p;
}

/* Whoever dressed the renderer anew meanwhile has put its own there. */
static void unhook(struct prompt *p)
{
	struct renderer *r = &p->app->out;

	if (r->owner != p)
		return;
	r->begin = p->begin;
	r->end = p->end;
	r->owner = p->hook_owner;
}

bool prompt_interrupted(const struct prompt *p)
{
	return p->interrupted;
}

void prompt_say(struct prompt *p, const char *lines)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	FILE *err = p->app->out.err;

	before_output(p);
	render_count_down(&p->app->out, NULL);
	text_safe(&safe, lines, strlen(lines), TEXT_PARAGRAPH);
	fflush(p->app->out.out);
	fputs(buf_string(&safe), err);
	if (safe.len && safe.data[safe.len - 1] != '\n')
		fputc('\n', err);
	fflush(err);
}

void prompt_ask(struct prompt *p, const char *question)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	before_output(p);
	text_safe(&safe, question, strlen(question), TEXT_LINE);
	mem_free(p->question);
	p->question = buf_take(&safe);
	show(p);
}

/* ---- from the keys ---- */

/* A line, or its end by Ctrl-C. The prompt may be closed in it. */
static void take_line(struct prompt *p, char *text, size_t len)
{
	bool interrupted = memchr(text, CTRL_C, len) != NULL;

	p->interrupted = interrupted;
	text[len] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	/* The kernel shows "^C", and no line end behind it. */
	if (interrupted || !len)
		fputc('\n', p->app->out.err);
	p->shown = false;
	mem_free(TAKE(p->question));
	p->line(p->owner, interrupted || !len ? NULL : text);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct prompt *p = poll->data;
	char text[4097];
	ssize_t got = 0;

	(void)events;
	if (p->closed || !p->question)
		return;
	if (status == 0) {
		got = read(STDIN_FILENO, text, sizeof(text) - 1);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			return;
	}
	take_line(p, text, got > 0 ? (size_t)got : 0);
}

/* ---- its life ---- */

static void on_closed(uv_handle_t *handle)
{
	mem_free(handle->data);
}

/*
 * VEOL instead of VINTR: Ctrl-C ends the line at once and is its last byte,
 * while Ctrl-Z and Ctrl-\ do what they always do.
 */
static void set_modes(struct prompt *p)
{
	struct termios modes;

	tcgetattr(STDIN_FILENO, &p->modes);
	modes = p->modes;
	modes.c_iflag |= ICRNL;
	modes.c_lflag |= ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ISIG;
	modes.c_cc[VINTR] = _POSIX_VDISABLE;
	modes.c_cc[VEOL] = CTRL_C;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes);
}

int prompt_open(struct prompt **out, struct app *app, prompt_line *line,
		void *owner, struct error *err)
{
	struct prompt *p = mem_zalloc(sizeof(*p));
	int flags = fcntl(STDIN_FILENO, F_GETFL);
	int status = uv_poll_init(loop_uv(app->loop), &p->poll, STDIN_FILENO);

	/* libuv makes it non-blocking, for all who write to this terminal. */
	fcntl(STDIN_FILENO, F_SETFL, flags);
	if (status) {
		mem_free(p);
		error_set(err, ERR_CONNECT, "cannot watch the terminal: %s",
			  uv_strerror(status));
		return error_code(err, -status);
	}
	p->poll.data = p;
	p->app = app;
	p->line = line;
	p->owner = owner;
	set_modes(p);
	hook(p);
	uv_poll_start(&p->poll, UV_READABLE, on_readable);
	*out = p;
	return 0;
}

void prompt_close(struct prompt *p)
{
	if (!p)
		return;
	before_output(p);
	p->closed = true;
	unhook(p);
	mem_free(TAKE(p->question));
	tcsetattr(STDIN_FILENO, TCSADRAIN, &p->modes);
	uv_poll_stop(&p->poll);
	uv_close((uv_handle_t *)&p->poll, on_closed);
}
