/* SPDX-License-Identifier: MIT */
/*
 * The terminal of `top`: its keys and signals on the loop, stopped by Ctrl-Z, and
 * lent to another program.
 */
#include "top/top_terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/suspend.h"
#include "cli/outside.h"
#include "out/term.h"
#include "top/top.h"

/* A terminal that says so often that there is a key, and has none, is gone. */
#define IDLE_MAX 100
#define RESUMED_MS 200

static void wake(struct top *t)
{
	t->feed->wake = t->keyed = true;
}

void top_note(struct top *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	mem_free(t->note);
	t->note = mem_vprintf(format, args);
	va_end(args);
}

/* ---- keys and signals ---- */

static void on_keys(uv_poll_t *poll, int status, int events)
{
	struct top *t = poll->data;

	(void)events;
	if (status || t->terminal.idle++ > IDLE_MAX) {
		uv_poll_stop(poll);
		t->gone = true;
	}
	wake(t);
}

static void on_resize(uv_signal_t *handle, int number)
{
	(void)number;
	wake(handle->data);
}

static void come_back(struct top *t)
{
	t->screen->back();
	wake(t);
}

static void on_suspend(uv_signal_t *handle, int number)
{
	struct top *t = handle->data;

	(void)number;
	if (!t->away)
		t->screen->leave();
	suspend_here();
	t->terminal.resumed_at = loop_now();
	if (!t->away)
		come_back(t);
}

/* After a SIGSTOP, which nobody can catch. */
static void on_resume(uv_signal_t *handle, int number)
{
	struct top *t = handle->data;

	(void)number;
	if (t->away || loop_now() - t->terminal.resumed_at < RESUMED_MS)
		return;
	t->screen->leave();
	come_back(t);
}

/* Ctrl-\ would leave the terminal as it is drawn on. */
static void on_quit(uv_signal_t *handle, int number)
{
	(void)handle;
	(void)number;
}

static void watch_signal(struct top *t, uv_signal_t *handle, uv_signal_cb react,
			 int number)
{
	if (uv_signal_init(loop_uv(t->app->loop), handle))
		return;
	handle->data = t;
	t->terminal.handles++;
	uv_signal_start(handle, react, number);
}

static int watch_keys(struct top *t, struct error *err)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);
	int status = uv_poll_init(loop_uv(t->app->loop), &t->terminal.keys,
				  STDIN_FILENO);

	/* libuv makes it non-blocking, for all who write to this terminal. */
	fcntl(STDIN_FILENO, F_SETFL, flags);
	if (status) {
		error_set(err, ERR_CONNECT, "cannot watch the terminal: %s",
			  uv_strerror(status));
		return error_code(err, -status);
	}
	t->terminal.keys.data = t;
	t->terminal.handles++;
	uv_poll_start(&t->terminal.keys, UV_READABLE, on_keys);
	return 0;
}

static int refuse(struct error *err)
{
	error_set(
		err, ERR_USAGE,
		"'top' draws on a terminal, and stdin and stdout are not both one");
	return error_hint(
		err,
		"'mcpctl devices --watch' tells line by line what changes, 'mcpctl -o json devices' is for programs");
}

int top_terminal_open(struct top *t, struct error *err)
{
	if (!term_is_terminal(stdin) || !term_is_terminal(stdout))
		return refuse(err);
	t->screen = module_table("screen", SCREEN_TABLE, err);
	if (!t->screen || watch_keys(t, err))
		return -1;
	/* Before ncurses, which takes those that nobody has. */
	watch_signal(t, &t->terminal.resize, on_resize, SIGWINCH);
	watch_signal(t, &t->terminal.resume, on_resume, SIGCONT);
	watch_signal(t, &t->terminal.quit, on_quit, SIGQUIT);
	if (!suspend_ignored())
		watch_signal(t, &t->terminal.suspend, on_suspend, SIGTSTP);
	return t->screen->open(t->app->out.out_color, err);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct top *t = handle->data;

	t->terminal.closed = --t->terminal.handles == 0;
}

static void close_handle(uv_handle_t *handle)
{
	if (handle->data)
		uv_close(handle, on_handle_closed);
}

void top_terminal_close(struct top *t)
{
	struct top_terminal *x = &t->terminal;

	if (t->screen)
		t->screen->close();
	close_handle((uv_handle_t *)&x->keys);
	close_handle((uv_handle_t *)&x->resize);
	close_handle((uv_handle_t *)&x->suspend);
	close_handle((uv_handle_t *)&x->resume);
	close_handle((uv_handle_t *)&x->quit);
	while (x->handles)
		loop_poll(t->app->loop);
}

/* ---- another program ---- */

/* This program, with the board of row; false: a note says why not. */
static bool add_command(struct buf *out, struct top *t,
			const struct top_row *row)
{
	CLEANUP(mem_free_ptr) char *program = file_program();

	if (!program) {
		top_note(t, "where this program is cannot be told");
		return false;
	}
	words_quote(out, program);
	buf_char(out, ' ');
	if (!t->feed->ops->reach(t->feed, row, out)) {
		top_note(t, "%s went", row->name);
		return false;
	}
	buf_char(out, ' ');
	return true;
}

static void lend(struct top *t, const char *command)
{
	const struct outside_order order = { .command = command,
					     .in = CHILD_INHERIT,
					     .secrets = true };
	CLEANUP(error_reset) struct error why = { 0 };
	struct outside o;
	struct termios modes;
	bool has_modes;

	t->away = true;
	uv_poll_stop(&t->terminal.keys);
	t->screen->leave();
	has_modes = tcgetattr(STDIN_FILENO, &modes) == 0;
	if (outside_start(&o, t->app, &order, &why))
		top_note(t, "%s", why.text);
	else
		outside_wait(&o);
	if (has_modes)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
	if (why.kind == ERR_NONE)
		t->signal = o.signal;
	t->away = false;
	t->terminal.idle = 0;
	uv_poll_start(&t->terminal.keys, UV_READABLE, on_keys);
	come_back(t);
}

void top_run(struct top *t, const struct top_row *row, const char *words,
	     bool pause)
{
	CLEANUP(buf_done) struct buf command = { 0 };

	if (!add_command(&command, t, row))
		return;
	buf_text(&command, words);
	if (pause)
		buf_text(
			&command,
			"; printf '\\n(status %s; Enter goes back) ' $?; read _");
	lend(t, buf_string(&command));
}
