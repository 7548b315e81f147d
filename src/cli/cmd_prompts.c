/* SPDX-License-Identifier: MIT */
/*
 * prompts: what a server has prepared to be said to a model.
 */
#include "cli/commands.h"
#include "cli/items_command.h"

static int prompts_run(const struct invocation *in, struct error *err)
{
	return items_command(in, LIST_PROMPTS, err);
}

static const struct example prompts_examples[] = {
	{ "sim:llm prompts", "entity_extraction_prompt", 0 }, { NULL, NULL, 0 }
};

const struct command cmd_prompts = {
	.name = "prompts",
	.args = "[WORD|GLOB]",
	.brief = "the prompts of a server, a line each",
	.text = "Asks for all pages of prompts/list and prints the name, the "
		"arguments ('city=' is required, '[state=]' is not), and what "
		"is said of it. WORD and GLOB are as for 'resources'; nothing "
		"found is status 7. 'prompt NAME' fills one in.",
	.group = GROUP_DATA,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR,
	.max = 1,
	.operand = OPERAND_PROMPT,
	.examples = prompts_examples,
	.run = prompts_run
};
