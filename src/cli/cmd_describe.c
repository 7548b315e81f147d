/* SPDX-License-Identifier: MIT */
/*
 * describe: all about one tool.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/catalog_file.h"
#include "cli/cmd_describe.h"
#include "cli/cmd_serve.h"
#include "cli/commands.h"
#include "cli/connection.h"

/*
 * The hazards of a tool lie in its neighbours: here one tool alone, which a
 * serve would tell, is not enough.
 */
static void list_all(struct connection *c)
{
	struct error ignored = { 0 };
	if (c->endpoint.scheme->kind == SCHEME_ATTACH && !c->has_tools)
		tools_cache_refresh(c, &ignored);
	error_reset(&ignored);
}

/* What takes the address that its picture goes to; NULL: it sends us none. */
static const char *upload_argument(const struct connection *c,
				   const struct tool *t)
{
	bool sends = c->client.device && connection_takes_pictures(c) &&
		     strcmp(t->name, "self.screen.snapshot") == 0;

	return sends ? "url" : NULL;
}

/*
 * An address that the board reaches and that works behind this command, too:
 * that of a serve, or of this shell. Yours; NULL: there is none.
 */
static char *upload_now(const struct connection *c)
{
	struct error ignored = { 0 };
	char *url = NULL;

	if (c->goes_on || c->endpoint.scheme->kind == SCHEME_ATTACH)
		upload_address(c, &url, &ignored);
	error_reset(&ignored);
	return url;
}

int describe_tool(struct connection *c, const char *name, struct error *err)
{
	struct describe_record record = { 0 };
	CLEANUP(mem_free_ptr) char *url = NULL;
	if (connection_open(c, err))
		return -1;
	list_all(c);
	if (tools_cache_find(c, name, true, &record.tool, err))
		return -1;
	record.list = &c->tools;
	record.device = c->client.device;
	record.upload_argument = upload_argument(c, record.tool);
	if (record.upload_argument)
		url = upload_now(c);
	record.upload = url;
	if (c->app->out.ops->describe)
		c->app->out.ops->describe(&c->app->out, &record);
	return 0;
}

static int describe_run(const struct invocation *in, struct error *err)
{
	return describe_tool(in->connection, in->argv[0], err);
}

static const struct example describe_examples[] = {
	{ "sim: describe self.audio_speaker.set_volume", "integer 0..100", 0 },
	{ "sim: describe self.screen.set_theme", "required", 0 },
	{ "sim: describe self.reboot", "user-only", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_describe = {
	.name = "describe",
	.args = "TOOL",
	.brief = "all about one tool: arguments, an example, its hazards",
	.text = "TOOL may be the last part of a name where only one tool ends so, also of what is for users only (reboot): this only reads.\n"
		"\n"
		"Shows the description, every argument with its type, range, default and whether it is required, an example call that fits the schema, the same with every default where there are some, what comes back (outputSchema), the annotations, and what real backends will do to the tool of a device: rename it, confuse it with another, drop it behind the 32nd, or never show it to the model. "
		"'call TOOL --help' is the same. "
		"Of self.screen.snapshot it shows an address of the running serve, or of the shell's listen:, that takes a picture now.\n"
		"\n"
		"What is inside of an argument stands below it by its path: 'route[].at.lat' is a member of a member of each element of the array 'route'. "
		"'(1 of 2)' is one of two forms that the argument may have, '*' any name, '/PATTERN/' every name that fits it. "
		"Local references are followed; where one leads back to what it is inside of, it says so ('as root above').",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_ANSWERS | CMD_PAGED,
	.min = 1,
	.max = 1,
	.operand = OPERAND_TOOL,
	.examples = describe_examples,
	.run = describe_run
};
