/* SPDX-License-Identifier: MIT */
/*
 * resources: what a server offers to be read.
 */
#include "cli/commands.h"
#include "cli/items_command.h"

static int resources_run(const struct invocation *in, struct error *err)
{
	return items_command(in, LIST_RESOURCES, err);
}

static const struct example resources_examples[] = {
	{ "sim:llm resources", "prompt://", 0 },
	{ "sim:llm resources nothing-like-this", NULL, 7 },
	{ NULL, NULL, 0 }
};

const struct command cmd_resources = {
	.name = "resources",
	.args = "[WORD|GLOB]",
	.brief = "the resources of a server, a line each",
	.text = "Asks for all pages of resources/list and prints the URI, the "
		"type, and what is said of it. A WORD is searched in URIs, "
		"names, titles and descriptions, without case; a GLOB (with * "
		"? or [) must match a whole URI or name. Nothing found is "
		"status 7, and so is a server that has no resources (a device "
		"answers with an error: status 1). 'read URI' shows one; "
		"'templates' are URIs with parts to fill in.",
	.group = GROUP_DATA,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR,
	.max = 1,
	.operand = OPERAND_RESOURCE,
	.examples = resources_examples,
	.run = resources_run
};
