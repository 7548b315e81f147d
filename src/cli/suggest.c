/* SPDX-License-Identifier: MIT */
/*
 * Proposals for wrong words. The table of synonyms holds what people type who
 * come from docker, kubectl, mosquitto, gdb, git and the MCP inspector.
 */
#include "cli/suggest.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/config.h"
#include "cli/topics.h"
#include "cli/words.h"

#include <string.h>

#define CANDIDATES_MAX 160

struct synonym {
	const char *words; /* separated by spaces */
	const char *ours;
};

static const struct synonym command_synonyms[] = {
	{ "ps boards ls-devices", "devices" },
	{ "list ls tools/list list-tools catalog functions", "tools" },
	{ "logs log listen watch follow monitor events sub notifications",
	  "tail" },
	{ "mock device fake simulate simulator emulate emulator stub play demo",
	  "sim" },
	{ "repl console interactive", "shell" },
	{ "script batch source", "run" },
	{ "exec execute invoke do tools/call call-tool trigger set", "call" },
	{ "man usage docs doc manual commands ?", "help" },
	{ "status hello whoami who about initialize handshake identify device-info",
	  "info" },
	{ "inspect schema show explain arguments args", "describe" },
	{ "rpc req raw method jsonrpc query", "request" },
	{ "notification emit publish pub", "notify" },
	{ "write say post message msg alert tts", "send" },
	{ "allow deny permit revoke untrust approve", "trust" },
	{ "alive heartbeat health healthcheck", "ping" },
	{ "server backend host hub gateway bridge broker daemon start up",
	  "serve" },
	{ "ver", "version" },
	{ "findings codes code finding why explanation", "explain" },
	{ "completions autocomplete", "completion" },
	{ "resource resources/list list-resources", "resources" },
	{ "template resources/templates/list", "templates" },
	{ "resources/read read-resource cat get fetch", "read" },
	{ "resources/subscribe", "subscribe" },
	{ "prompts/list list-prompts", "prompts" },
	{ "prompts/get get-prompt", "prompt" },
	{ "completion/complete", "complete" },
	{ "logging/setLevel log-level set-level verbosity", "loglevel" }
};

/* Words of other tools for what a target does here. */
static const struct synonym target_synonyms[] = {
	{ "listen wait accept", "listen:" },
	{ "sim", "sim:" },
	{ "ws wss websocket connect dial attach", "ws://HOST:PORT/PATH" },
	{ "http https streamable-http sse", "http://HOST:PORT/PATH" },
	{ "stdio", "stdio:COMMAND LINE" }
};

static const struct synonym option_synonyms[] = {
	{ "--token --password --secret --auth --bearer",
	  "secrets are not taken from the command line, where others see them: --token-file or MCPCTL_TOKEN" },
	{ "--vision-token",
	  "secrets are not taken from the command line, where others see them: --vision-token-file or MCPCTL_VISION_TOKEN" },
	{ "--json --format -j", "for JSON: -o json" },
	{ "--raw", "for the received bytes: -o raw" },
	{ "--debug --log-level", "every frame: -v; to a file: --trace FILE" },
	{ "--silent", "without notices: -q" },
	{ "-V --ver", "mcpctl version" },
	{ "--listen --port -p",
	  "to wait for a board: the target listen:PORT, or serve --listen PORT" },
	{ "--url --host --connect",
	  "the peer is named by a target: mcpctl ws://HOST:PORT/PATH COMMAND" }
};

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	if (len == 0 || strchr(word, ' '))
		return false;
	while (*words) {
		size_t n = strcspn(words, " ");

		if (n == len && strncasecmp(words, word, n) == 0)
			return true;
		words += n;
		words += strspn(words, " ");
	}
	return false;
}

static const char *synonym_of(const struct synonym *table, size_t count,
			      const char *word)
{
	for (size_t i = 0; i < count; i++) {
		if (has_word(table[i].words, word))
			return table[i].ours;
	}
	return NULL;
}

/* Names and aliases of what help shows. */
static size_t command_names(const char **out)
{
	size_t n = 0;

	for (const struct command *const *c = commands; *c; c++) {
		if ((*c)->flags & CMD_HIDDEN)
			continue;
		if (n < CANDIDATES_MAX)
			out[n++] = (*c)->name;
		for (const char *const *a = (*c)->aliases; a && *a; a++) {
			if (n < CANDIDATES_MAX)
				out[n++] = *a;
		}
	}
	return n;
}

/* One slip away from a synonym: "lst". */
static const char *near_synonym(const char *word)
{
	for (size_t i = 0; i < COUNT(command_synonyms); i++) {
		const char *at = command_synonyms[i].words;

		while (*at) {
			size_t len = strcspn(at, " ");
			CLEANUP(mem_free_ptr) char *one = mem_strndup(at, len);

			if (len > 2 && text_distance(word, one) <= 1)
				return command_synonyms[i].ours;
			at += len;
			at += strspn(at, " ");
		}
	}
	return NULL;
}

const char *command_nearest(const char *word)
{
	const char *names[CANDIDATES_MAX];
	const char *near =
		synonym_of(command_synonyms, COUNT(command_synonyms), word);
	size_t count;

	if (near)
		return near;
	count = command_names(names);
	near = text_nearest(word, names, count);
	if (near && text_distance(word, near) <= 1)
		return near;

	const char *slip = near_synonym(word);

	return slip ? slip : near;
}

const char *target_nearest(const char *word)
{
	return synonym_of(target_synonyms, COUNT(target_synonyms), word);
}

int suggest_command(const char *word, bool inside, struct error *err)
{
	const char *target = target_nearest(word);
	const char *near = command_nearest(word);

	error_set(err, ERR_USAGE, "unknown command '%s'", word);
	if (inside && strchr(word, ':'))
		return error_hint(
			err,
			"in the shell 'use %s' changes the target; a script has one, before the word run: mcpctl %s run …",
			word, word);
	if (strchr(word, ':'))
		return error_hint(
			err,
			"one target is enough; the command comes next (mcpctl help)");
	if (target && !inside && near)
		return error_hint(
			err,
			"did you mean '%s'? (a target: mcpctl %s info) or the command '%s'?",
			target, target, near);
	if (target && !inside)
		return error_hint(
			err, "did you mean '%s'? (a target: mcpctl %s info)",
			target, target);
	if (near)
		return error_hint(
			err,
			"did you mean '%s'? (mcpctl help lists the commands)",
			near);
	return error_hint(
		err, "mcpctl help lists the commands; 'call %s' calls a tool",
		word);
}

static size_t option_names(const struct option_row *rows, const char **out,
			   size_t n)
{
	for (; rows && rows->name && n < CANDIDATES_MAX; rows++)
		out[n++] = rows->name;
	return n;
}

int suggest_option(const struct command *c, const char *text, struct error *err)
{
	const char *near = NULL;
	const char *synonym =
		synonym_of(option_synonyms, COUNT(option_synonyms), text);
	const char *of = c ? c->name : NULL;

	if (of)
		error_set(err, ERR_USAGE, "unknown option '%s' of '%s'", text,
			  of);
	else
		error_set(err, ERR_USAGE, "unknown option '%s'", text);
	if (synonym)
		return error_hint(err, "%s", synonym);
	if (text[1] == '-') {
		const char *names[CANDIDATES_MAX];
		const struct command *owner =
			walk_owner(text + 2, strlen(text + 2));
		size_t n = option_names(c ? c->options : NULL, names, 0);

		if (owner)
			return error_hint(err, "it is an option of '%s'",
					  owner->name);
		n = option_names(config_options, names, n);
		near = text_nearest(text + 2, names, n);
	}
	if (near)
		return error_hint(err, "did you mean '--%s'?", near);
	return error_hint(err, "mcpctl help %s lists the options",
			  of ? of : "--all");
}

int suggest_topic(const char *word, struct error *err)
{
	const char *names[CANDIDATES_MAX];
	const char *near =
		synonym_of(command_synonyms, COUNT(command_synonyms), word);
	size_t n = command_names(names);

	for (const struct topic *t = topics; t->name; t++) {
		if (n < CANDIDATES_MAX)
			names[n++] = t->name;
	}
	if (!near)
		near = text_nearest(word, names, n);
	error_set(err, ERR_USAGE, "no command and no help topic is called '%s'",
		  word);
	if (near)
		return error_hint(err, "did you mean: mcpctl help %s", near);
	return error_hint(err, "mcpctl help lists both");
}

int suggest_target(const char *text, const char *source, struct error *err)
{
	const char *target =
		synonym_of(target_synonyms, COUNT(target_synonyms), text);

	error_set(err, ERR_USAGE, "target '%s' (from %s) has no ':'", text,
		  source);
	if (target)
		return error_hint(err, "did you mean '%s'?", target);
	return error_hint(err,
			  "mcpctl help targets shows what can stand there");
}
