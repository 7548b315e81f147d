/* SPDX-License-Identifier: MIT */
/*
 * templates: URIs with parts to be filled in.
 */
#include "cli/commands.h"
#include "cli/items_command.h"

static int templates_run(const struct invocation *in, struct error *err)
{
	return items_command(in, LIST_TEMPLATES, err);
}

static const struct example templates_examples[] = {
	{ "sim:llm templates", NULL, 7 }, { NULL, NULL, 0 }
};

const struct command cmd_templates = {
	.name = "templates",
	.args = "[WORD|GLOB]",
	.brief = "the resource templates of a server, a line each",
	.text = "Asks for all pages of resources/templates/list. A template "
		"is a URI with parts in braces, as 'file:///logs/{day}': fill "
		"them in and 'read' the URI. 'complete TEMPLATE PART=' asks "
		"the server which values a part can have. WORD and GLOB are "
		"as for 'resources'; nothing found is status 7.",
	.group = GROUP_DATA,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR,
	.max = 1,
	.operand = OPERAND_TEMPLATE,
	.examples = templates_examples,
	.run = templates_run
};
