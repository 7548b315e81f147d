/* SPDX-License-Identifier: MIT */
/*
 * The list of tools, asked for once the peer is connected, so that TAB has it:
 * page by page, without waiting. That it fails is told by the command that
 * needs it.
 */
#include "cli/tools_cache.h"
#include "shell/shell.h"

static int ask_page(struct shell_list *l, struct session *session)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	listing_params(&l->listing, &params);
	return session_start(session, &l->call, "tools/list",
			     params.len ? buf_string(&params) : NULL, 0,
			     &ignored);
}

void shell_list_start(struct shell *s)
{
	struct shell_list *l = &s->list;
	struct app *app = s->app;

	if (l->opened != app->opened)
		shell_list_stop(s);
	s->listed = app->opened;
	if (!s->edit || l->active || app->has_tools || !app->connected ||
	    app->config.no_init)
		return;
	*l = (struct shell_list){ .active = true, .opened = app->opened };
	listing_init(&l->listing, &l->tools, app->client.device);
	if (ask_page(l, app->session) != 0)
		shell_list_stop(s);
}

void shell_list_stop(struct shell *s)
{
	struct shell_list *l = &s->list;

	if (!l->active)
		return;
	/* The end of a session ends its calls. */
	if (s->app->session && !l->call.done)
		session_forget(s->app->session, &l->call);
	call_done(&l->call);
	listing_done(&l->listing);
	tool_list_done(&l->tools);
	*l = (struct shell_list){ 0 };
}

void shell_list_step(struct shell *s)
{
	struct shell_list *l = &s->list;
	struct app *app = s->app;
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (!l->active || !l->call.done)
		return;
	if (app->connected && l->opened == app->opened &&
	    l->call.failure.kind == ERR_NONE &&
	    listing_feed_take(&l->listing, &l->call.reply, &ignored) == 0) {
		if (!l->listing.done && ask_page(l, app->session) == 0)
			return;
		if (l->listing.done && !app->has_tools) {
			tools_cache_take(app, &l->tools);
			l->tools = (struct tool_list){ 0 };
		}
	}
	shell_list_stop(s);
}
