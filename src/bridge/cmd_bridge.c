/* SPDX-License-Identifier: MIT */
/*
 * bridge: boards and servers as one MCP server for hosts. Its options, its
 * fronts, its main line.
 */
#include "base/mem.h"
#include "bridge/fronts.h"
#include "cli/app.h"
#include "cli/commands.h"

#define AT(member) offsetof(struct bridge_options, member)

/* clang-format off */
static const struct option_row bridge_rows[] = {
	{ 0, "stdio", NULL, OPTION_FLAG, AT(stdio),
	  "stdin and stdout, beside other ways, too; without one of those it is the only way", NULL, NULL, 0, 0, NULL },
	{ 0, "names", "flat|dots|raw", OPTION_CHOICE, AT(names),
	  "how tools are called: flat (letters, digits, _ and -, which every host takes), dots, or raw, as boards call them", NULL, "flat dots raw", 0, 0, "flat" },
	{ 0, "user-tools", NULL, OPTION_FLAG, AT(user_tools),
	  "show tools, too, that a board keeps for its user", NULL, NULL, 0, 0, NULL },
	{ 0, "read-only", NULL, OPTION_FLAG, AT(read_only),
	  "show tools that only read, and no others", NULL, NULL, 0, 0, NULL },
	{ 0, "allow", "GLOB", OPTION_LIST, AT(allow),
	  "show tools of that name, whatever they do; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "deny", "GLOB", OPTION_LIST, AT(deny),
	  "hide tools of that name; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "one-tool-a-name", NULL, OPTION_FLAG, AT(merge),
	  "one tool for all boards that have it alike, with an argument 'device'; so it is, too, where there would be more than 40", NULL, NULL, 0, 0, NULL },
	{ 0, "only-awake", NULL, OPTION_FLAG, AT(awake_only),
	  "show tools of boards only while they are connected", NULL, NULL, 0, 0, NULL },
	{ 0, "no-own-tools", NULL, OPTION_FLAG, AT(no_own),
	  "do not show the bridge's own tools: devices, refresh", NULL, NULL, 0, 0, NULL },
	{ 0, "generic", NULL, OPTION_FLAG, AT(generic),
	  "show a tool that calls any tool of any board, for hosts that list tools once", NULL, NULL, 0, 0, NULL },
	{ 0, "false-is-error", NULL, OPTION_FLAG, AT(false_is_error),
	  "a result whose text is 'false' is a failure", NULL, NULL, 0, 0, NULL },
	{ 0, "rate", "N", OPTION_NUMBER, AT(rate),
	  "calls a second for each board; what is more waits", NULL, NULL, 1, 1000, "10" },
	{ 0, "list", NULL, OPTION_FLAG, AT(list),
	  "print what a host would see, and end", NULL, NULL, 0, 0, NULL },
	{ 0, "print-config", "HOST", OPTION_TEXT, AT(print_config),
	  "print what to paste into the settings of claude, cursor, vscode or codex, and end", NULL, NULL, 0, 0, NULL },
	{ 0, "log", "FILE", OPTION_FILE, AT(log),
	  "a line for each call at the end of FILE", NULL, NULL, 0, 0, "stderr" },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};
/* clang-format on */

static int bridge_run(const struct invocation *in, struct error *err)
{
	(void)in;
	return error_set(err, ERR_USAGE, "no front is there yet");
}

const struct command cmd_bridge = {
	.name = "bridge",
	.brief =
		"boards and servers as one MCP server for Claude, Cursor and other hosts",
	.text = "Boards of the running 'mcpctl serve', and targets, as one MCP server.",
	.group = GROUP_USE,
	.flags = CMD_TARGET | CMD_MANY,
	.options = bridge_rows,
	.options_size = sizeof(struct bridge_options),
	.run = bridge_run
};
