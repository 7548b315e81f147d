/* SPDX-License-Identifier: MIT */
/*
 * The list of tools behind call and describe. It never shows them.
 */
#include "cli/tools_cache.h"

#include "cli/commands.h"

void tools_cache_drop(struct app *app)
{
	tool_list_done(&app->tools);
	app->has_tools = false;
}

int tools_cache_refresh(struct app *app, struct error *err)
{
	tools_cache_drop(app);
	if (client_list_tools(&app->client, false, &app->tools, err) != 0)
		return -1;
	app->has_tools = true;
	return 0;
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

/* The peer may have changed its tools since they were kept. */
static int look_up(struct app *app, const char *name, const struct tool **out,
		   struct error *err)
{
	*out = app->has_tools ? tool_list_find(&app->tools, name) : NULL;
	if (*out)
		return 0;
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
