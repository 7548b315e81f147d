/* SPDX-License-Identifier: MIT */
/*
 * Sorting the words of an invocation, in two passes: an option may stand
 * before its command, so the first pass only finds target and command.
 */
#include "cli/parse.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/config.h"
#include "cli/suggest.h"
#include "cli/words.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NOWHERE SIZE_MAX

struct parser {
	struct parsed *out;
	struct config *config; /* NULL inside run */
	char *const *words;
	size_t count;
	size_t target, command; /* index of these words, or NOWHERE */
	bool tool; /* the command's word is a tool's name */
	bool *seen, *config_seen; /* for each row */
};

static size_t count_rows(const struct option_row *rows)
{
	size_t n = 0;

	while (rows && rows[n].name)
		n++;
	return n;
}

static const struct option_row *config_row(const char *name)
{
	return option_by_name(config_options, name, strlen(name));
}

/* What -o says, kept at once: an error further on is shown in that form. */
static void presume_output(struct parser *p, const char *value)
{
	if (p->config && value)
		option_store(config_row("output"), p->config, value, NULL,
			     NULL);
}

/* A host's name has a dot, too; a command behind it shows what it is. */
static const struct command *command_at(struct parser *p, size_t at)
{
	const char *next = at + 1 < p->count ? p->words[at + 1] : NULL;
	const struct command *c = command_find(p->words[at]);

	p->tool = !c && command_is_tool(p->words[at]) &&
		  !(next && command_find(next));
	return p->tool ? &cmd_call : c;
}

static void survey_word(struct parser *p, struct words_walk *w,
			const struct piece *piece)
{
	if (p->command != NOWHERE)
		return;
	if (p->config && p->target == NOWHERE && strchr(piece->text, ':')) {
		p->target = piece->index;
		return;
	}
	p->command = piece->index;
	p->out->command = command_at(p, piece->index);
	w->command = p->out->command;
}

/* The first pass. */
static void survey(struct parser *p)
{
	struct words_walk w = { .words = p->words, .count = p->count };
	struct piece piece;
	bool execute = false;

	presume_output(p, getenv(config_row("output")->env));
	while (walk_next(&w, &piece)) {
		if (piece.kind == PIECE_WORD) {
			survey_word(p, &w, &piece);
		} else if (piece.global && piece.row == config_row("output")) {
			presume_output(p, piece.value);
		} else if (piece.global && piece.row == config_row("execute")) {
			execute = true;
		}
	}
	if (p->command == NOWHERE && execute && p->config)
		p->out->command = &cmd_run;
}

static int missing_value(const struct piece *piece, struct error *err)
{
	error_set(err, ERR_USAGE, "option '%s' needs %s", piece->text,
		  piece->row->word);
	if (!piece->next)
		return -1;
	return error_hint(
		err,
		"'%s' is an option itself; to mean it as the value: --%s=%s",
		piece->next, piece->row->name, piece->next);
}

/* By the shell's `set`; outside of it nothing is. */
static bool is_setting(const char *name)
{
	const char *const *s = complete_inside_settings;

	while (s && *s && strcmp(*s, name) != 0)
		s++;
	return s && *s;
}

static int refuse_global(const struct piece *piece, struct error *err)
{
	const char *name = piece->row->name;

	error_set(err, ERR_USAGE, "option '%s' holds for the whole run",
		  piece->text);
	if (piece->row == config_row("output") &&
	    text_same(piece->value, "table"))
		return error_hint(
			err,
			"neither the shell nor 'run' makes tables; alone: mcpctl tools -o table");
	if (!is_setting(name))
		return error_hint(err, "give it on mcpctl's own command line");
	return error_hint(
		err, "give it on mcpctl's own command line, or by 'set %s'",
		name);
}

static int unheeded(const struct command *c, const struct piece *piece,
		    struct error *err)
{
	error_set(err, ERR_USAGE, "'%s' has no use for option '%s'", c->name,
		  piece->text);
	return error_hint(err, "leave it out; mcpctl help %s", c->name);
}

/* CMD_MANY: each counts, not the last alone. */
static void take_many(struct parser *p, const struct piece *piece)
{
	const struct command *c = p->out->command;

	if (!c || !(c->flags & CMD_MANY))
		return;
	if (piece->row == config_row("target"))
		words_add(&p->config->targets, piece->value);
	else if (piece->row == config_row("device"))
		words_add(&p->config->devices, piece->value);
}

static int take_global(struct parser *p, const struct piece *piece,
		       struct error *err)
{
	const bool asks = piece->row == config_row("jq");

	if (piece->row == config_row("help"))
		p->out->help = true;
	else if (!p->config && !asks)
		return refuse_global(piece, err);
	else if (p->out->command && !command_heeds(p->out->command, piece->row))
		return unheeded(p->out->command, piece, err);
	if (asks && !p->config)
		p->out->jq = piece->value;
	p->config_seen[piece->row - config_options] = true;
	if (!p->config)
		return 0;
	if (option_store(piece->row, p->config, piece->value, NULL, err))
		return -1;
	take_many(p, piece);
	return 0;
}

static int take_option(struct parser *p, const struct piece *piece,
		       struct error *err)
{
	const struct command *c = p->out->command;

	if (!piece->row)
		return suggest_option(c, piece->text, err);
	if (option_takes_word(piece->row) && !piece->value)
		return missing_value(piece, err);
	if (piece->global)
		return take_global(p, piece, err);
	if (!c) {
		const char *name = piece->row->name;

		return error_set(
			err, ERR_USAGE,
			"option '%s' belongs to '%s', and no command was given",
			piece->text, walk_owner(name, strlen(name))->name);
	}
	p->seen[piece->row - c->options] = true;
	return option_store(piece->row, p->out->options, piece->value, NULL,
			    err);
}

/* All behind "--", whatever it looks like. */
static int take_child(struct parser *p, size_t at, struct error *err)
{
	struct config *c = p->config;

	if (!c) {
		error_set(
			err, ERR_USAGE,
			"'--' starts a child process as the target, and this line has one already");
		return error_hint(
			err,
			"give it on mcpctl's own command line, or, in the shell, by 'use -- PROGRAM'");
	}
	if (at == p->count) {
		error_set(err, ERR_USAGE, "behind '--' a program is missing");
		return error_hint(
			err, "for example: mcpctl %s -- %s",
			p->out->command && p->out->command->flags & CMD_RUNS ?
				"lease kitchen" :
				"tools",
			p->out->command && p->out->command->flags & CMD_RUNS ?
				"make test" :
				"node server.js");
	}
	for (; at < p->count; at++)
		words_add(&c->child, p->words[at]);
	if (!p->out->command || !(p->out->command->flags & CMD_RUNS))
		c->child_target =
			endpoint_child_text(c->child.word, c->child.count);
	return 0;
}

/* The second pass. */
static int collect(struct parser *p, struct error *err)
{
	struct words_walk w = { .words = p->words,
				.count = p->count,
				.command = p->out->command };
	struct piece piece;

	while (walk_next(&w, &piece)) {
		if (piece.kind == PIECE_CHILD)
			return take_child(p, piece.index + 1, err);
		if (piece.kind == PIECE_OPTION) {
			if (take_option(p, &piece, err))
				return -1;
		} else if (piece.index != p->target &&
			   (piece.index != p->command || p->tool)) {
			words_add(&p->out->operands, piece.text);
		}
	}
	return 0;
}

/* CMD_MANY: whatever names one adds it. */
static void settle_targets(struct parser *p, const char *argument)
{
	const char *child = p->config->child_target;

	if (argument)
		words_add(&p->config->targets, argument);
	if (child)
		words_add(&p->config->targets, child);
	p->out->target_source = "the command line";
	if (p->config->targets.count)
		p->config->target = p->config->targets.word[0];
}

static int settle_target(struct parser *p, struct error *err)
{
	const struct option_row *row = config_row("target");
	bool *seen = &p->config_seen[row - config_options];
	const char *argument =
		p->target == NOWHERE ? NULL : p->words[p->target];
	const char *child = p->config->child_target;
	const struct command *c = p->out->command;

	if (c && c->flags & CMD_MANY && (argument || child || *seen)) {
		settle_targets(p, argument);
		*seen = true;
		return 0;
	}
	if (child && (argument || *seen))
		return error_set(
			err, ERR_USAGE,
			"two targets: '%s' and what stands behind '--'",
			argument ? argument : p->config->target);
	if (argument && *seen)
		return error_set(err, ERR_USAGE,
				 "two targets: '%s' and '%s' (option -t)",
				 argument, p->config->target);
	p->out->target_source = child	 ? "the command line behind --" :
				argument ? "the argument" :
				*seen	 ? "the option -t" :
					   row->env;
	if (child || argument)
		p->config->target = child ? child : argument;
	*seen = *seen || child || argument;
	return 0;
}

static int child_unused(const struct command *c, struct error *err)
{
	error_set(
		err, ERR_USAGE,
		"'%s' asks no target, so there is nothing to do with the program behind '--'",
		c->name);
	return error_hint(err, "mcpctl help %s", c->name);
}

/* What only makes sense together, or does not. */
static int check_whole(const struct parser *p, struct error *err)
{
	const struct command *c = p->out->command;

	if (p->config && p->config->commands.count && c != &cmd_run) {
		error_set(err, ERR_USAGE,
			  "option -e and the command '%s' exclude each other",
			  p->words[p->command]);
		return error_hint(err, "give every command by its own -e");
	}
	if (p->config && p->config->child_target && c && c != &cmd_run &&
	    c != &cmd_proxy && !(c->flags & (CMD_SESSION | CMD_TARGET)) &&
	    !p->out->help)
		return child_unused(c, err);
	if (c == &cmd_sim && p->out->operands.count > 0 &&
	    command_find(p->out->operands.word[0])) {
		const char *word = p->out->operands.word[0];

		error_set(
			err, ERR_USAGE,
			"'sim' without ':' is the command that plays a device, and '%s' is no profile",
			word);
		return error_hint(err, "did you mean: mcpctl sim: %s", word);
	}
	return 0;
}

static int fill(struct parser *p, struct error *err)
{
	struct parsed *out = p->out;

	const struct option_row *rows =
		out->command ? out->command->options : NULL;

	if (out->command)
		out->options = mem_zalloc(out->command->options_size + 1);
	p->seen = mem_zalloc(count_rows(rows) + 1);
	p->config_seen = mem_zalloc(count_rows(config_options));
	if (collect(p, err))
		return -1;
	if (p->config) {
		if (settle_target(p, err) ||
		    option_environment(config_options, p->config,
				       p->config_seen, err))
			return -1;
		if (!p->config->target)
			out->target_source = NULL;
	}
	if (out->command && option_environment(out->command->options,
					       out->options, p->seen, err))
		return -1;
	return check_whole(p, err);
}

/* A target that was not written as one: what it should have been. */
static int suggest_target_words(const struct parser *p, struct error *err)
{
	const char *target = p->target == NOWHERE ? NULL : p->words[p->target];
	const char *word = p->words[p->command];
	const char *near;
	const char *next =
		p->command + 1 < p->count ? p->words[p->command + 1] : NULL;

	if (target && strncasecmp(target, "stdio:", 6) == 0)
		return error_hint(
			err,
			"behind 'stdio:' the program and its words are one word, in quotes; or: mcpctl COMMAND -- %s %s …",
			target + 6, word);
	if (!p->config || target || !next || !command_find(next) ||
	    strchr(word, ':') || target_nearest(word))
		return -1;
	near = command_nearest(word);
	if (near)
		return error_hint(
			err,
			"did you mean '%s'? or, if an mcp.json names a server so: mcpctl -t %s %s",
			near, word, next);
	return error_hint(
		err,
		"a server that an mcp.json names is a target behind -t: mcpctl -t %s %s",
		word, next);
}

/*
 * A word that is no command: often it is the value of an option that does not
 * exist (--token X tools), and that is what to say.
 */
static int no_such_command(struct parser *p, struct error *err)
{
	struct words_walk w = { .words = p->words, .count = p->command };
	struct piece piece;

	while (walk_next(&w, &piece)) {
		if (piece.kind == PIECE_OPTION && !piece.row)
			return suggest_option(NULL, piece.text, err);
	}
	suggest_command(p->words[p->command], p->config == NULL, err);
	return suggest_target_words(p, err);
}

/* CMD_VERBATIM: words of another command line, options too. */
static bool take_verbatim(struct parsed *out, char *const *words, size_t count)
{
	const struct command *c = count > 0 ? command_find(words[0]) : NULL;

	if (!c || !(c->flags & CMD_VERBATIM))
		return false;
	out->command = c;
	out->options = mem_zalloc(c->options_size + 1);
	for (size_t i = 1; i < count; i++)
		words_add(&out->operands, words[i]);
	return true;
}

int parse_words(struct parsed *out, char *const *words, size_t count,
		struct config *config, struct error *err)
{
	struct parser p = { .out = out,
			    .config = config,
			    .words = words,
			    .count = count,
			    .target = NOWHERE,
			    .command = NOWHERE };

	*out = (struct parsed){ 0 };
	if (config && take_verbatim(out, words, count))
		return 0;
	survey(&p);
	if (p.command != NOWHERE && !out->command)
		return no_such_command(&p, err);

	int result = fill(&p, err);

	mem_free(p.seen);
	mem_free(p.config_seen);
	return result;
}

void parsed_done(struct parsed *p)
{
	if (p->command)
		option_release(p->command->options, p->options);
	mem_free(p->options);
	words_done(&p->operands);
	*p = (struct parsed){ 0 };
}
