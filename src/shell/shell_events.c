/* SPDX-License-Identifier: MIT */
/*
 * What comes while a line is edited: shown above it, at a bearable rate.
 * Which events are worth a line is the renderer's matter.
 */
#include <string.h>

#include "cli/app_events.h"
#include "cli/requests.h"
#include "out/term.h"
#include "shell/shell.h"

static void before_output(void *owner)
{
	struct shell *s = owner;

	if (s->editing)
		s->edit->hide();
}

/* stdout is not flushed by itself, and the line comes back below it. */
static void after_output(void *owner)
{
	struct shell *s = owner;

	if (!s->editing)
		return;
	fflush(s->app->out.out);
	s->edit->show();
}

static bool is_tools_changed(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name &&
	       strcmp(e->name, "notifications/tools/list_changed") == 0;
}

static void on_event(void *owner, const struct event *e)
{
	struct shell *s = owner;
	struct renderer *r = &s->app->out;

	/* The terminal may have another width by now. */
	if (s->editing && r->held == 0)
		r->width = term_width(r->out_terminal ? r->out : r->err);
	if (is_tools_changed(e)) {
		bool known = s->app->has_tools;

		s->app->has_tools = false;
		shell_list_start(s);
		/* Who did not have the list yet has no use for the news. */
		if (!known)
			return;
	}
	/* At the prompt no call is under way whose progress it could be. */
	if (s->editing || !app_progress(s->app, e))
		app_aside(s->app, e);
}

void shell_dress(struct shell *s)
{
	struct renderer *r = &s->app->out;

	shell_last_watch(s);
	r->owner = s;
	if (!s->edit)
		return;
	r->begin = before_output;
	r->end = after_output;
	r->chatty = true;
	/* Other commands have one of their own for a while (tail). */
	s->app->on_event = on_event;
	s->app->on_event_owner = s;
}

int shell_wait(struct shell *s, const bool *done, struct error *err)
{
	struct app *app = s->app;
	int64_t deadline = shell_peer_deadline(s);
	int64_t held = render_held(&app->out);
	CLEANUP(error_reset) struct error why = { 0 };
	/* One that is over waits for a script's next command. */
	bool open = app->session && !session_is_over(app->session);
	int status;

	if (held < deadline)
		deadline = held;
	if (open && s->editing && !*done) {
		/* A question that just came wants the terminal at once. */
		session_drain(app->session);
		if (requests_asks(app->answering))
			return 0;
	}
	if (open)
		status = session_step(app->session, done, deadline, &why);
	else
		status = loop_wait(app->loop, done, deadline, &why);
	/* What else ends it, the end of the connection, is the peer's matter. */
	if (status == 0 || why.kind != ERR_INTERRUPTED)
		return 0;
	error_copy(err, &why);
	return -1;
}
