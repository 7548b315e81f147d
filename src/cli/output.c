/* SPDX-License-Identifier: MIT */
/* --jq, -o table: what is made of the lines of the JSON form. */
#include "cli/output.h"

#include "base/query.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "out/queried.h"
#include "out/table.h"
#include "out/text_device.h"

/* Of wire/control_frames.h. */
#define DEVICE_FIELDS \
	"id client_id alias board version transport address claims pick since seen state reason tools user_tools list enrolled findings audio"

static int open_query(struct app *app, struct error *err)
{
	const struct config *c = &app->config;

	if (!c->jq)
		return 0;
	if (c->output != OUTPUT_TEXT && c->output != OUTPUT_JSON) {
		error_set(err, ERR_USAGE,
			  "option '--jq' asks the lines of -o json");
		return error_hint(err, "leave out the other form of output");
	}
	if (query_new(&app->query, c->jq, err))
		return error_prefix(err, "--jq");
	app_configure(app);
	return 0;
}

/* Which command lists what; and the rows of --all, which are of devices. */
static const struct table_how tables[] = {
	{ "id,alias,board,version,transport,state,tools,address", DEVICE_FIELDS,
	  NULL, false, false },
	{ "name,description",
	  "name title description inputSchema outputSchema annotations execution icons _meta",
	  NULL, false, false },
	{ "value,error", DEVICE_FIELDS " took_us value error reply info event",
	  NULL, true, true },
	{ "alias,id,took_us,error",
	  DEVICE_FIELDS " took_us value error reply info event", NULL, true,
	  false },
};

static const struct table_how *table_of(const struct app *app,
					const struct command *c)
{
	if (app->config.all && c->all && !(c->flags & CMD_STREAM) &&
	    c != &cmd_help && c != &cmd_run)
		return &tables[c == &cmd_call ? 2 : 3];
	if (c == &cmd_devices)
		return &tables[0];
	return c == &cmd_tools ? &tables[1] : NULL;
}

static int open_table(struct app *app, const struct command *c,
		      struct error *err)
{
	const struct config *config = &app->config;
	const struct table_how *of = table_of(app, c);
	struct table_how how;

	if (config->output != OUTPUT_TABLE && !config->fields)
		return 0;
	if (config->output != OUTPUT_TABLE && config->output != OUTPUT_TEXT)
		return error_set(err, ERR_USAGE,
				 "option '--fields' is for -o table");
	if (config->jq)
		return error_set(
			err, ERR_USAGE,
			"options '--jq' and '-o table' exclude each other");
	if (!of) {
		error_set(err, ERR_USAGE, "'%s' has no table", c->name);
		return error_hint(
			err, "devices and tools have one, and call with --all");
	}
	how = *of;
	how.name = render_device_name;
	if (config->fields) {
		how.fields = config->fields;
		how.groups = false;
	}
	if (table_new(&app->table, &how, err))
		return -1;
	app_configure(app);
	return 0;
}

int output_open(struct app *app, const struct command *c, struct error *err)
{
	return open_query(app, err) || open_table(app, c, err) ? -1 : 0;
}

/* 0, or -1 with why: the lines did not become what they were to become. */
static int end_lines(struct app *app, struct error *why)
{
	if (app->table && table_show(app->table, &app->out, why))
		return -1;
	return queried_outcome(&app->out, why);
}

int output_end(struct app *app, int status, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (end_lines(app, &why) == 0)
		return status;
	if (status == 0)
		error_copy(err, &why);
	else if (!app->out.query_at_once && why.kind != ERR_INTERRUPTED)
		render_note(&app->out, "%s", why.text);
	return -1;
}
