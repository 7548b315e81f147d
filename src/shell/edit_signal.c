/* SPDX-License-Identifier: MIT */
/*
 * Signals of the terminal, while a line is edited: another size, Ctrl-Z and
 * what follows, Ctrl-\. Ctrl-C is the loop's. Outside of editing nothing is
 * caught.
 */
#include <signal.h>
#include <stdlib.h>

#include "shell/edit_private.h"

static void on_resize(uv_signal_t *handle, int number)
{
	struct editor *e = handle->data;

	(void)number;
	if (e->drawn && !e->list.ask)
		rl_resize_terminal();
	else
		rl_reset_screen_size();
	fflush(e->out);
}

/* Whoever had the terminal meanwhile left the cursor on a line of its own. */
static void restore(struct editor *e)
{
	rl_prep_term_function(1);
	rl_reset_screen_size();
	edit_draw(e);
	fflush(e->out);
}

/* As if nobody caught it: stops here until SIGCONT. */
static void stop_here(void)
{
	struct sigaction normal = { .sa_handler = SIG_DFL }, ours;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &normal, &ours);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGTSTP);
	/* cppcheck-suppress unreachableCode */
	sigaction(SIGTSTP, &ours, NULL);
}

static void on_suspend(uv_signal_t *handle, int number)
{
	struct editor *e = handle->data;

	(void)number;
	edit_erase(e);
	rl_deprep_terminal();
	stop_here();
	e->resumed_at = loop_now();
	restore(e);
}

/* After a SIGSTOP, which nobody can catch, the modes must be set anew. */
static void on_resume(uv_signal_t *handle, int number)
{
	struct editor *e = handle->data;

	(void)number;
	/* That of a Ctrl-Z, which is over, comes in the next turn. */
	if (e->resumed_at && loop_now() - e->resumed_at < 200)
		return;
	rl_deprep_terminal();
	e->drawn = false;
	restore(e);
}

/* Ctrl-\ would leave the terminal in readline's modes. */
static void on_quit(uv_signal_t *handle, int number)
{
	(void)handle;
	(void)number;
}

/* A shell without job control had a reason to ignore it. */
static bool suspend_ignored(void)
{
	struct sigaction now;

	return sigaction(SIGTSTP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static int init_signal(struct editor *e, uv_signal_t *handle)
{
	int status = uv_signal_init(loop_uv(e->loop), handle);

	if (status == 0)
		handle->data = e;
	return status;
}

int edit_signal_open(struct editor *e, struct error *err)
{
	int status = init_signal(e, &e->resize);

	if (!status)
		status = init_signal(e, &e->suspend);
	if (!status)
		status = init_signal(e, &e->resume);
	if (!status)
		status = init_signal(e, &e->quit);
	e->can_suspend = !suspend_ignored();
	if (!status)
		return 0;
	error_set(err, ERR_CONNECT, "cannot watch for signals: %s",
		  uv_strerror(status));
	return error_code(err, -status);
}

void edit_signal_start(struct editor *e)
{
	e->resumed_at = 0;
	uv_signal_start(&e->resize, on_resize, SIGWINCH);
	uv_signal_start(&e->resume, on_resume, SIGCONT);
	uv_signal_start(&e->quit, on_quit, SIGQUIT);
	if (e->can_suspend)
		uv_signal_start(&e->suspend, on_suspend, SIGTSTP);
}

void edit_signal_stop(struct editor *e)
{
	uv_signal_stop(&e->resize);
	uv_signal_stop(&e->resume);
	uv_signal_stop(&e->quit);
	if (e->can_suspend)
		uv_signal_stop(&e->suspend);
}

void edit_signal_close(struct editor *e)
{
	edit_close_handle(e, (uv_handle_t *)&e->resize);
	edit_close_handle(e, (uv_handle_t *)&e->suspend);
	edit_close_handle(e, (uv_handle_t *)&e->resume);
	edit_close_handle(e, (uv_handle_t *)&e->quit);
}
