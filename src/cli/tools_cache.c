/* SPDX-License-Identifier: MIT */
/*
 * The list of tools behind call and describe. It never shows them.
 */
#include "cli/tools_cache.h"

#include <string.h>

#include "base/mem.h"
#include "cli/schema_cache.h"
#include "net/attach.h"

enum { ASK_MS = 10000 };

void tools_cache_drop(struct app *app)
{
	tool_list_done(&app->tools);
	app->has_tools = false;
}

/* For completion and --cached. That it fails is no failure of the command. */
static void keep_list(struct app *app)
{
	const struct endpoint *e = &app->endpoint;
	bool attached = e->scheme && strcmp(e->scheme, "attach") == 0;
	const char *device =
		attached ? session_peer(app->session)->relay_id : NULL;
	CLEANUP(mem_free_ptr) char *key = schema_cache_key(e->text, device);
	CLEANUP(error_reset) struct error why = { 0 };

	if (*key && schema_cache_write(key, &app->tools, &why) != 0 &&
	    app->out.verbose)
		render_note(&app->out, "%s", why.text);
}

int tools_cache_refresh(struct app *app, struct error *err)
{
	tools_cache_drop(app);
	if (client_list_tools(&app->client, false, &app->tools, err) != 0)
		return -1;
	app->has_tools = true;
	keep_list(app);
	return 0;
}

void tools_cache_take(struct app *app, const struct tool_list *list)
{
	tools_cache_drop(app);
	app->tools = *list;
	app->has_tools = true;
	client_know_tools(&app->client, list);
	keep_list(app);
}

static int no_such_tool(const struct app *app, const char *name,
			struct error *err)
{
	const char *nearest = tool_list_nearest(&app->tools, name);
	error_set(err, ERR_USAGE, "no tool '%s'", name);
	if (nearest)
		return error_hint(err,
				  "did you mean '%s'? 'tools' lists them all",
				  nearest);
	return error_hint(err,
			  "the peer has %zu tools: 'tools' lists them; "
			  "'call --no-validate' sends the name all the "
			  "same",
			  app->tools.count);
}

struct asked {
	struct app *app;
	bool answered, kept;
};

/* As if it had come alone on a page. */
static void keep_tool(void *owner, const char *tool, size_t len,
		      const char *nearest, const char *broke)
{
	struct asked *asked = owner;
	CLEANUP(buf_done) struct buf page = { 0 };
	struct message m;

	(void)nearest;
	(void)broke;
	asked->answered = true;
	session_wake(asked->app->session);
	if (!tool)
		return;
	buf_printf(&page, "{\"result\":{\"tools\":[%.*s]}}", (int)len, tool);
	if (message_decode_take(&m, NULL, page.data, page.len, NULL) == 0 &&
	    tool_list_add_take(&asked->app->tools, &m, NULL, NULL) == 0)
		asked->kept = true;
}

/*
 * A serve has listed the tools long ago: one question to it instead of all
 * pages from the device. False: it does not know the tool, or err is set.
 */
static bool ask_serve(struct app *app, const char *name, struct error *err)
{
	struct transport *t = session_transport(app->session);
	struct asked asked = { .app = app };
	int64_t timeout = app->config.timeout;

	if (t->ops != &attach_ops)
		return false;
	tools_cache_drop(app);
	if (attach_ask_tool(t, name, keep_tool, &asked, err) != 0)
		return false;
	session_watch(app->session, &asked.answered,
		      loop_now() + (timeout ? timeout : ASK_MS), err);
	attach_ask_tool(t, NULL, NULL, NULL, NULL);
	return asked.kept;
}

/* The peer may have changed its tools since they were kept. */
static int look_up(struct app *app, const char *name, const struct tool **out,
		   struct error *err)
{
	*out = app->has_tools ? tool_list_find(&app->tools, name) : NULL;
	if (!*out && ask_serve(app, name, err))
		*out = tool_list_find(&app->tools, name);
	if (*out)
		return 0;
	if (err->kind != ERR_NONE)
		return -1;
	int status = tools_cache_refresh(app, err);
	*out = tool_list_find(&app->tools, name);
	return status;
}

int tools_cache_find(struct app *app, const char *name, const struct tool **out,
		     struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int status = look_up(app, name, out, &why);
	if (*out && status != 0)
		render_note(&app->out,
			    "the list of tools is incomplete (%s), "
			    "but has '%s'",
			    why.text, name);
	if (*out)
		return 0;
	if (status == 0)
		return no_such_tool(app, name, err);
	error_copy(err, &why);
	error_prefix(err, "the tools could not be listed");
	if (!err->hint[0])
		error_hint(err, "'call --no-validate' needs no list");
	return -1;
}
