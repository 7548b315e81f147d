/* SPDX-License-Identifier: MIT */
/*
 * Candidates that are words of a table, the same at every time: commands,
 * topics, faults, beginnings of targets. Which table an option or an operand
 * takes.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/cmd_loglevel.h"
#include "cli/complete.h"
#include "cli/topics.h"
#include "sim/sim.h"

const char *const complete_shells[COMPLETE_SHELLS] = { "bash", "zsh", "fish" };

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

enum source_kind source_of_option(const struct option_row *row)
{
	if (row->type == OPTION_FILE || strcmp(row->name, "root") == 0)
		return SOURCE_FILES;
	if (strcmp(row->name, "level") == 0)
		return SOURCE_LEVELS;
	if (strcmp(row->name, "execute") == 0)
		return SOURCE_COMMANDS;
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

static void each_help(source_each *each, void *owner)
{
	each_command(each, owner);
	each_topic(each, owner);
}

static void each_shell(source_each *each, void *owner)
{
	for (size_t i = 0; i < COUNT(complete_shells); i++)
		each(owner, complete_shells[i], "");
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

/* tag and heading: for zsh. */
static const struct word_table {
	void (*each)(source_each *each, void *owner);
	const char *tag, *heading;
} sources[] = { [SOURCE_NONE] = { NULL, "candidates", "candidate" },
		[SOURCE_CHOICES] = { NULL, "values", "value" },
		[SOURCE_OPTIONS] = { NULL, "options", "option" },
		[SOURCE_FILES] = { NULL, "files", "file" },
		[SOURCE_TARGETS] = { each_target, "targets", "target" },
		[SOURCE_FAULTS] = { each_fault, "faults", "fault" },
		[SOURCE_PROFILES] = { sim_each_profile, "profiles", "profile" },
		[SOURCE_COMMANDS] = { each_command, "commands", "command" },
		[SOURCE_HELP] = { each_help, "topics", "command or topic" },
		[SOURCE_SHELLS] = { each_shell, "shells", "shell" },
		[SOURCE_METHODS] = { each_method, "methods", "method" },
		[SOURCE_LEVELS] = { each_level, "levels", "level" } };

void source_each_word(enum source_kind kind, source_each *each, void *owner)
{
	if (sources[kind].each)
		sources[kind].each(each, owner);
}

const char *source_tag(enum source_kind kind)
{
	return sources[kind].tag;
}

const char *source_heading(enum source_kind kind)
{
	return sources[kind].heading;
}
