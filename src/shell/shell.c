/* SPDX-License-Identifier: MIT */
/*
 * The main line at a terminal: a line is edited, while events are shown and
 * the peer is looked after; then it is run. Ctrl-C ends the one or the other,
 * never this.
 */
#include "shell/shell.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"
#include "cli/requests.h"
#include "cli/state_file.h"
#include "out/term.h"
#include "shell/shell_line.h"

/* How long the first prompt waits for a peer that is there at once. */
enum { SETTLE_MS = 200 };

/* ---- from the editor, inside the loop ---- */

static void on_line(void *owner, const char *line)
{
	struct shell *s = owner;

	s->editing = false;
	s->has_line = true;
	s->line = mem_strdup(line);
	if (s->app->session)
		session_wake(s->app->session);
}

static void on_complete(void *owner, const char *line, struct completion *out)
{
	struct shell *s = owner;
	struct schema_source source;

	schema_source_session(&source, s->app);
	complete_line(out, line, &source);
	schema_source_close(&source);
}

static bool on_incomplete(void *owner, const char *line)
{
	(void)owner;
	return shell_line_is_open(line);
}

static const struct edit_events events = { .line = on_line,
					   .complete = on_complete,
					   .incomplete = on_incomplete };

/* ---- waiting for a line ---- */

static void show_prompt(struct shell *s)
{
	char *prompt = shell_peer_prompt(s);
	bool same = s->prompt && strcmp(s->prompt, prompt) == 0;

	mem_free(s->prompt);
	s->prompt = prompt;
	if (!s->editing) {
		s->editing = true;
		s->edit->start(prompt);
	} else if (!same) {
		s->edit->prompt(prompt);
	}
}

/* Ctrl-C drops the line; any other signal ends the shell. */
static void interrupted(struct shell *s, const struct error *why)
{
	if (why->code == SIGINT) {
		if (s->editing)
			s->edit->clear();
		return;
	}
	s->signal = why->code;
	s->quit = true;
}

/* A simulator, a serve, a server nearby: then the first prompt is the right one. */
static void settle(struct shell *s)
{
	const struct app *app = s->app;
	int64_t until = loop_now() + SETTLE_MS;
	bool never = false;

	shell_peer_step(s);
	while (!s->quit && app->session && !app->connected &&
	       loop_now() < until) {
		CLEANUP(error_reset) struct error why = { 0 };

		if (session_step(app->session, &never, until, &why) != 0 &&
		    why.kind == ERR_INTERRUPTED)
			interrupted(s, &why);
		shell_peer_step(s);
	}
}

/* What the server asks a person has the terminal; what was typed comes back. */
static void ask_questions(struct shell *s)
{
	const struct app *app = s->app;
	bool never = false;

	if (!requests_asks(app->answering))
		return;
	if (s->editing)
		s->edit->stop();
	s->editing = false;
	requests_lend(app->answering, false);
	while (!s->quit && requests_asks(app->answering)) {
		CLEANUP(error_reset) struct error why = { 0 };

		if (shell_wait(s, &never, &why) != 0)
			interrupted(s, &why);
		shell_peer_step(s);
	}
}

static void wait_line(struct shell *s)
{
	s->has_line = false;
	while (!s->has_line && !s->quit) {
		CLEANUP(error_reset) struct error why = { 0 };

		shell_peer_step(s);
		ask_questions(s);
		show_prompt(s);
		requests_lend(s->app->answering, true);
		if (shell_wait(s, &s->has_line, &why) != 0)
			interrupted(s, &why);
	}
	if (s->editing) {
		s->edit->stop();
		s->editing = false;
	}
	requests_lend(s->app->answering, false);
}

/* ---- running it ---- */

/* "^C" stands where the message begins. */
static void report(struct shell *s, const struct error *why)
{
	struct renderer *r = &s->app->out;

	if (why->kind == ERR_INTERRUPTED && term_moves())
		term_erase(r->err);
	render_error(r, why);
}

static void run_line(struct shell *s, const char *line)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct app *app = s->app;
	int status;

	app->out.width =
		term_width(app->out.out_terminal ? app->out.out : app->out.err);
	status = shell_run_line(s, line, &why);
	if (status != 0) {
		app_check_signal(app, &why);
		report(s, &why);
		if (why.kind == ERR_INTERRUPTED && why.code != SIGINT)
			interrupted(s, &why);
	}
	/* A write that Ctrl-C ended must not spoil the next one. */
	fflush(app->out.out);
	clearerr(app->out.out);
	if (app->stdin_taken)
		clearerr(stdin);
	shell_dress(s);
	shell_peer_after(s, status != 0 ? &why : NULL);
}

static void loop_lines(struct shell *s)
{
	settle(s);
	while (!s->quit) {
		CLEANUP(mem_free_ptr) char *line = NULL;

		wait_line(s);
		line = TAKE(s->line);
		if (!s->has_line || s->quit)
			break;
		if (!line) {
			s->quit = true;
			break;
		}
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		if (!shell_line_has_secret(line))
			s->edit->remember(line);
		run_line(s, line);
	}
}

/* The terminal is gone: as if somebody had asked us to end. */
static void on_hangup(void *owner)
{
	(void)owner;
	raise(SIGTERM);
}

static int signalled(const struct shell *s, struct error *err)
{
	if (!s->signal)
		return 0;
	error_set(err, ERR_INTERRUPTED, "interrupted by a signal");
	return error_code(err, s->signal);
}

static int open_editor(struct shell *s, bool history, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *file = NULL;
	struct app *app = s->app;
	const struct edit_table *edit = module_table("shell", EDIT_TABLE, err);

	if (!edit)
		return -1;
	if (history && state_file(&file, "history", &why) != 0)
		render_note(&app->out, "no history: %s", why.text);
	if (edit->open(app->loop, &events, s, file, err) != 0)
		return -1;
	s->edit = edit;
	return 0;
}

int shell_interact(struct shell *s, bool history, struct error *err)
{
	struct app *app = s->app;
	int status;

	if (app_open_loop(app, err) != 0 ||
	    loop_on_hangup(app->loop, on_hangup, s, err) != 0 ||
	    open_editor(s, history, err) != 0)
		return -1;
	loop_spare(app->loop, true);
	app->stays = true;
	shell_dress(s);
	s->wanted = true;
	builtins_offer();
	status = app_begin(app, err);
	app->found_serve = false;
	/* A wrong target is told at once; what is not there may come. */
	if (status == 0 || err->kind != ERR_USAGE) {
		if (status != 0)
			shell_peer_failed(s, err);
		error_reset(err);
		loop_lines(s);
		status = signalled(s, err);
	}
	s->edit->close();
	loop_spare(app->loop, false);
	return status;
}
