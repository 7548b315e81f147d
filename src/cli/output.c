/* SPDX-License-Identifier: MIT */
/* --jq, -o table: what is made of the lines of the JSON form. */
#include "cli/output.h"

#include "base/query.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "out/forms.h"
#include "out/queried.h"
#include "out/table.h"
#include "out/text_device.h"

/* Of wire/control_frames.h. */
#define DEVICE_FIELDS \
	"id client_id alias board version transport address claims pick since seen asked state reason tools user_tools list enrolled lease findings last_finding calls p50_us breaker audio"

static int compile(struct query **out, const char *text, struct error *err)
{
	return query_new(out, text, err) == 0 ? 0 : error_prefix(err, "--jq");
}

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
	if (compile(&app->query, c->jq, err))
		return -1;
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

int line_query_check(const char *text, struct error *err)
{
	struct query *query = NULL;

	if (!text)
		return 0;
	if (compile(&query, text, err))
		return -1;
	query_free(query);
	return 0;
}

int line_query_open(struct line_query *q, struct app *app, const char *text,
		    struct error *err)
{
	const int form = app->config.output;

	*q = (struct line_query){ .before = app->out };
	if (!text)
		return 0;
	if (app->query || app->table ||
	    (form != OUTPUT_TEXT && form != OUTPUT_JSON))
		return error_set(
			err, ERR_USAGE,
			"option '--jq' of a line, and another form of output for all of them");
	if (compile(&q->query, text, err))
		return -1;
	renderer_ask(&app->out, q->query, app_query_timeout(app),
		     form == OUTPUT_TEXT);
	return 0;
}

void line_query_done(struct line_query *q, struct app *app)
{
	if (!q->query)
		return;
	app->out.form = q->before.form;
	app->out.ops = q->before.ops;
	app->out.out_color = q->before.out_color;
	app->out.query = q->before.query;
	app->out.query_timeout = q->before.query_timeout;
	query_free(TAKE(q->query));
}
