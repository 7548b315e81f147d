/* SPDX-License-Identifier: MIT */
/*
 * What the generators of completions share: where the words for an option or
 * an operand come from.
 */
#include "cli/generate.h"
#include "base/mem.h"
#include "cli/app.h"
#include "cli/cmd_loglevel.h"
#include "cli/generate_man.h"
#include "cli/topics.h"
#include "sim/sim.h"

#include <string.h>

static const char *const methods[] = { "initialize",
				       "ping",
				       "tools/list",
				       "tools/call",
				       "resources/list",
				       "resources/read",
				       "resources/templates/list",
				       "resources/subscribe",
				       "resources/unsubscribe",
				       "prompts/list",
				       "prompts/get",
				       "completion/complete",
				       "logging/setLevel",
				       "notifications/initialized",
				       "notifications/cancelled" };

/* Beginnings of targets; where an address follows, the shell adds no space. */
static const char *const targets[][2] = {
	{ "listen:", "wait for a board on port 8000" },
	{ "sim:", "the simulated device" },
	{ "http://", "an MCP server over HTTP" },
	{ "https://", "the same over TLS" },
	{ "stdio:", "a server that is started: its command line" },
	{ "ws://", "dial a WebSocket MCP server" },
	{ "wss://", "the same over TLS" },
	{ "mqtt://", "a device at a broker" },
	{ "mqtts://", "the same over TLS" },
	{ "attach:", "a device of the running serve" }
};

/* One line an example: status, command line, text on stdout; parted by tabs. */
static void generate_examples(FILE *out)
{
	for (const struct command *const *c = commands; *c; c++) {
		const struct example *e = (*c)->examples;

		for (; e && e->line; e++)
			fprintf(out, "%d\t%s\t%s\n", e->status, e->line,
				e->says ? e->says : "");
	}
}

const struct generator generators[] = { { "man", generate_man, false },
					{ "bash", generate_bash, true },
					{ "zsh", generate_zsh, true },
					{ "fish", generate_fish, true },
					{ "examples", generate_examples,
					  false },
					{ NULL, NULL, false } };

const struct generator *generator_find(const char *name)
{
	for (const struct generator *g = generators; g->name; g++) {
		if (strcmp(g->name, name) == 0)
			return g;
	}
	return NULL;
}

/* Devices, targets, and values that begin with a word and end in a file. */
static bool asks(const struct option_row *row)
{
	static const char *const names[] = { "target", "device", "report",
					     "expect", "elicit", "sampling" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], row->name) == 0)
			return true;
	}
	return false;
}

enum source_kind source_of_option(const struct option_row *row)
{
	if (row->type == OPTION_CHOICE)
		return SOURCE_WORDS;
	if (row->type == OPTION_FILE || strcmp(row->name, "root") == 0)
		return SOURCE_FILES;
	if (asks(row))
		return SOURCE_ASK;
	if (strcmp(row->name, "fault") == 0)
		return SOURCE_FAULTS;
	if (strcmp(row->name, "level") == 0)
		return SOURCE_LEVELS;
	if (strcmp(row->name, "execute") == 0)
		return SOURCE_COMMANDS;
	return SOURCE_NONE;
}

enum source_kind source_of_operand(const struct command *c)
{
	switch (c->operand) {
	case OPERAND_NONE:
		break;
	case OPERAND_TOOL:
	case OPERAND_TOOL_CALL:
	case OPERAND_DEVICE:
	case OPERAND_JSON:
	case OPERAND_RESOURCE:
	case OPERAND_TEMPLATE:
	case OPERAND_PROMPT:
	case OPERAND_PROMPT_CALL:
	case OPERAND_COMPLETABLE:
		return SOURCE_ASK;
	case OPERAND_LEVEL:
		return SOURCE_LEVELS;
	case OPERAND_COMMAND_OR_TOPIC:
		return SOURCE_HELP;
	case OPERAND_FILE:
		return SOURCE_FILES;
	case OPERAND_SHELL_NAME:
		return SOURCE_SHELLS;
	case OPERAND_PROFILE:
		return SOURCE_PROFILES;
	case OPERAND_METHOD:
		return SOURCE_METHODS;
	}
	return SOURCE_NONE;
}

static void each_command(source_each *each, void *owner)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN))
			each(owner, (*c)->name, (*c)->brief);
	}
}

static void each_topic(source_each *each, void *owner)
{
	for (const struct topic *t = topics; t->name; t++) {
		if (!command_find(t->name))
			each(owner, t->name, t->brief);
	}
}

static void each_shell(source_each *each, void *owner)
{
	for (const struct generator *g = generators; g->name; g++) {
		if (g->shell)
			each(owner, g->name, "");
	}
}

static void each_fault(source_each *each, void *owner)
{
	for (const struct sim_fault_row *f = sim_fault_rows; f->name; f++)
		each(owner, f->name, f->brief);
}

static void each_method(source_each *each, void *owner)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		each(owner, methods[i], "");
}

static void each_level(source_each *each, void *owner)
{
	for (size_t i = 0; log_levels[i]; i++)
		each(owner, log_levels[i], "");
}

struct forward {
	source_each *each;
	void *owner;
};

static void each_profile_target(void *owner, const char *name,
				const char *brief)
{
	const struct forward *f = owner;
	CLEANUP(mem_free_ptr) char *target = mem_printf("sim:%s", name);

	f->each(f->owner, target, brief);
}

static void each_target(source_each *each, void *owner)
{
	struct forward f = { each, owner };

	for (size_t i = 0; i < COUNT(targets); i++)
		each(owner, targets[i][0], targets[i][1]);
	sim_each_profile(each_profile_target, &f);
}

void source_each_word(enum source_kind kind, source_each *each, void *owner)
{
	switch (kind) {
	case SOURCE_NONE:
	case SOURCE_WORDS:
	case SOURCE_FILES:
	case SOURCE_ASK:
		break;
	case SOURCE_TARGETS:
		each_target(each, owner);
		break;
	case SOURCE_METHODS:
		each_method(each, owner);
		break;
	case SOURCE_LEVELS:
		each_level(each, owner);
		break;
	case SOURCE_FAULTS:
		each_fault(each, owner);
		break;
	case SOURCE_PROFILES:
		sim_each_profile(each, owner);
		break;
	case SOURCE_COMMANDS:
		each_command(each, owner);
		break;
	case SOURCE_HELP:
		each_command(each, owner);
		each_topic(each, owner);
		break;
	case SOURCE_SHELLS:
		each_shell(each, owner);
		break;
	}
}

static void add_word(void *owner, const char *word, const char *brief)
{
	struct buf *out = owner;

	(void)brief;
	buf_printf(out, "%s%s", out->len ? " " : "", word);
}

void source_words(struct buf *out, enum source_kind kind)
{
	source_each_word(kind, add_word, out);
}
