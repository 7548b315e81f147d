/* SPDX-License-Identifier: MIT */
/*
 * version: of this program and, with -v, of the libraries it is running with.
 */
#include <cjson/cJSON.h>
#include <uv.h>

#include "cli/app.h"
#include "cli/commands.h"
#include "out/render_json.h"

static void show_json(struct renderer *r)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_printf(&line,
		   "{\"version\":\"%s\",\"libuv\":\"%s\",\"cJSON\":\"%s\"}",
		   MCPCTL_VERSION, uv_version_string(), cJSON_Version());
	put_json_line(r, &line, (struct span){ 0 });
}

static int version_run(const struct invocation *in, struct error *err)
{
	struct renderer *r = &in->app->out;

	(void)err;
	if (r->form == OUTPUT_JSON)
		show_json(r);
	else if (r->verbose)
		fprintf(r->out, "mcpctl %s\nlibuv %s\ncJSON %s\n",
			MCPCTL_VERSION, uv_version_string(), cJSON_Version());
	else
		fprintf(r->out, "mcpctl %s\n", MCPCTL_VERSION);
	return 0;
}

static const struct example version_examples[] = { { "version", "mcpctl ", 0 },
						   { "-o json version",
						     "{\"version\":\"", 0 },
						   { NULL, NULL, 0 } };

const struct command cmd_version = {
	.name = "version",
	.globals = "jq verbose version",
	.args = "",
	.brief = "the version; with -v also of its libraries",
	.group = GROUP_PROGRAM,
	.flags = CMD_SHELL | CMD_MINOR,
	.examples = version_examples,
	.run = version_run
};
