/* SPDX-License-Identifier: MIT */
/*
 * Events of the session: to the command that waits for them, to the renderer,
 * to what answers questions. Opens nothing and decides nothing about calls.
 */
#include "cli/app_events.h"

#include <string.h>

#include "base/json.h"
#include "cli/requests.h"
#include "cli/trace.h"

static bool is_progress(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name && e->text &&
	       strcmp(e->name, "notifications/progress") == 0;
}

/* Ours have the number of a call as their token. False: it is another, or wrong. */
static bool show_progress(struct renderer *r, const struct event *e)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(e->text, e->len, NULL);
	const struct span whole = { e->text, e->len };
	const cJSON *params = json_object(tree, "params");
	const cJSON *progress = json_member(params, "progress");
	const cJSON *total = json_member(params, "total");
	struct progress_record record = { .message = json_string(params,
								 "message") };
	int64_t token;

	if (json_integer(params, "progressToken", &token) != 0 ||
	    !cJSON_IsNumber(progress) ||
	    !json_span_member(whole, "params", &record.text))
		return false;
	record.progress = progress->valuedouble;
	record.total = cJSON_IsNumber(total) ? total->valuedouble : 0;
	r->ops->progress(r, &record);
	return true;
}

bool app_progress(struct app *app, const struct event *e)
{
	if (!is_progress(e) || !app->out.ops->progress)
		return false;
	/* It is rewritten in place, where a question stands now. */
	return requests_asks(app->answering) || show_progress(&app->out, e);
}

void app_aside(struct app *app, const struct event *e)
{
	if (!requests_told(app->answering, e))
		render_aside(&app->out, e);
}

/* Tail's own function sees what the peer sent; notices are for stderr always. */
void app_on_event(void *owner, const struct event *e)
{
	struct app *app = owner;
	struct renderer *r = &app->out;
	bool notice = e->kind == EVENT_NOTICE;

	if (app->answering)
		requests_event(app->answering, e);
	if (notice && e->notice == NOTICE_LISTENING && app->again)
		return;
	if (!notice && app->on_event)
		app->on_event(app->on_event_owner, e);
	else if (!notice && app->tail && r->ops->event)
		r->ops->event(r, e);
	else if (!app_progress(app, e))
		app_aside(app, e);
}

void app_on_trace(void *owner, const struct trace *t)
{
	struct app *app = owner;

	if (app->out.verbose)
		render_trace(&app->out, t);
	if (app->trace)
		trace_write(app->trace, t);
}

bool app_on_request(void *owner, const struct event *e)
{
	struct app *app = owner;

	return app->answering && requests_request(app->answering, e);
}
