/* SPDX-License-Identifier: MIT */
/*
 * What the first word of a line means, in this order: a builtin or a command,
 * a tool, at a terminal the only beginning of one of them. Running it is the
 * command table's matter.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "cli/tools_cache.h"
#include "shell/shell.h"
#include "shell/shell_line.h"

#define SHOWN_MAX 20 /* candidates of an ambiguous word */

struct meaning {
	const struct builtin *builtin;
	const struct command *command;
	char *tool; /* owned */
};

static void meaning_done(struct meaning *m)
{
	mem_free(m->tool);
}

bool shell_is_typed(const struct shell *s)
{
	return s->edit && s->depth == 0;
}

bool shell_allows(const struct command *c)
{
	return (c->flags & CMD_SHELL) != 0;
}

static int refuse(const struct command *c, struct error *err)
{
	error_set(err, ERR_USAGE, "'%s' makes no sense on an open session",
		  c->name);
	return error_hint(err, "outside of the shell it does: ! mcpctl %s",
			  c->name);
}

/* ---- beginnings ---- */

static void add_beginning(struct words *to, const char *name,
			  const char *prefix)
{
	if (text_starts(name, prefix))
		words_add(to, name);
}

/* A command of the same name is what the builtin stands for (help). */
static void add_own(struct words *to, const char *prefix)
{
	for (const struct builtin *b = builtins; b->name; b++)
		add_beginning(to, b->name, prefix);
	for (const struct command *const *c = commands; *c; c++) {
		if (shell_allows(*c) && !((*c)->flags & CMD_HIDDEN) &&
		    !builtin_find((*c)->name))
			add_beginning(to, (*c)->name, prefix);
	}
}

static void add_tools(struct words *to, const struct app *app,
		      const char *prefix)
{
	const struct tool_list *list = &app->tools;

	for (size_t i = 0; app->has_tools && i < list->count; i++) {
		if (!list->tool[i].duplicate)
			add_beginning(to, list->tool[i].name, prefix);
	}
}

static int ambiguous(const char *word, const struct words *found,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };

	for (size_t i = 0; i < found->count && i < SHOWN_MAX; i++)
		buf_printf(&list, "%s%s", i ? "\n" : "", found->word[i]);
	if (found->count > SHOWN_MAX)
		buf_printf(&list, "\nand %zu more", found->count - SHOWN_MAX);
	error_set(err, ERR_USAGE,
		  "'%s' is ambiguous: %zu commands and tools begin so", word,
		  found->count);
	return error_detail(err, buf_string(&list), list.len);
}

/* 1: found; 0: nothing begins so. */
static int find_beginning(const char *word, const struct words *found,
			  struct meaning *out, struct error *err)
{
	if (found->count == 0)
		return 0;
	if (found->count > 1)
		return ambiguous(word, found, err);
	out->builtin = builtin_find(found->word[0]);
	if (!out->builtin)
		out->command = command_find(found->word[0]);
	if (!out->builtin && !out->command)
		out->tool = mem_strdup(found->word[0]);
	return 1;
}

/* ---- tools ---- */

/* Of what is possible here; NULL. */
static const char *nearest_own(const char *word)
{
	const char *near = command_nearest(word);
	const struct command *c = near ? command_find(near) : NULL;

	if (!near || builtin_find(near) || (c && shell_allows(c)))
		return near;
	return NULL;
}

static int unknown(const struct shell *s, const char *word, struct error *err)
{
	const char *tool = s->app->has_tools ?
				   tool_list_nearest(&s->app->tools, word) :
				   NULL;
	const char *command = nearest_own(word);

	error_set(err, ERR_USAGE, "'%s' is neither a command nor a tool", word);
	if (tool && (!command || strchr(word, '.')))
		return error_hint(err, "did you mean '%s'?", tool);
	if (command)
		return error_hint(err, "did you mean '%s'?", command);
	return error_hint(err, "'help' lists the commands, 'tools' the tools");
}

/* Connects if need be. 1: found; 0: there is none of that name. */
static int find_tool(struct shell *s, const char *word, struct meaning *out,
		     struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const struct tool *tool;

	if (app_connect(s->app, err) != 0)
		return -1;
	if (tools_cache_find(s->app, word, &tool, &why) == 0) {
		out->tool = mem_strdup(word);
		return 1;
	}
	if (why.kind == ERR_USAGE)
		return 0;
	error_copy(err, &why);
	return -1;
}

/*
 * Without a device nobody waits for one because of a slip: what can be meant
 * without it is.
 */
static int find_more(struct shell *s, const char *word, struct meaning *out,
		     struct error *err)
{
	CLEANUP(words_done) struct words found = { 0 };
	const struct app *app = s->app;
	bool typed = shell_is_typed(s);
	int status = 0;

	if (typed && !(app->connected && session_is_open(app->session))) {
		add_own(&found, word);
		status = find_beginning(word, &found, out, err);
		words_done(&found);
	}
	if (status == 0)
		status = find_tool(s, word, out, err);
	if (status != 0 || !typed)
		return status;
	add_own(&found, word);
	add_tools(&found, app, word);
	return find_beginning(word, &found, out, err);
}

static int find_meaning(struct shell *s, const char *word, struct meaning *out,
			struct error *err)
{
	int status;

	*out = (struct meaning){ .builtin = builtin_find(word) };
	if (!out->builtin)
		out->command = command_find(word);
	if (out->command && !shell_allows(out->command))
		return refuse(out->command, err);
	if (out->builtin || out->command)
		return 0;
	if (strchr(word, ':') && !strchr(word, '.'))
		return suggest_command(word, true, err);
	status = find_more(s, word, out, err);
	if (status == 0)
		return unknown(s, word, err);
	return status > 0 ? 0 : -1;
}

/* ---- run ---- */

static int run_builtin(struct shell *s, const struct builtin *b,
		       char *const *words, size_t count, struct error *err)
{
	CLEANUP(words_done) struct words operands = { 0 };
	int argc = (int)count - 1;

	for (size_t i = 1; i < count; i++)
		words_add(&operands, words[i]);
	if (argc >= b->min && (b->max < 0 || argc <= b->max)) {
		char *none[] = { NULL };

		return b->run(s, argc, argc ? operands.word : none, err);
	}
	error_set(err, ERR_USAGE, "'%s' takes %s%s", b->name,
		  *b->args ? "these operands: " : "no operands", b->args);
	return error_hint(err, "help %s", b->name);
}

/* words[0] is replaced by the whole name. */
static int run_command(struct shell *s, const struct command *c,
		       char *const *words, size_t count, struct error *err)
{
	struct config *config = &s->app->config;
	const char *device = config->device;
	CLEANUP(words_done) struct words all = { 0 };
	int status;

	words_add(&all, c->name);
	for (size_t i = 1; i < count; i++)
		words_add(&all, words[i]);
	/* What asks serve itself means all devices, not the one in use. */
	if (!(c->flags & CMD_SESSION))
		config->device = NULL;
	status = command_run(s->app, all.word, all.count, err);
	config->device = device;
	return status;
}

static int run_tool(struct shell *s, const char *tool, char *const *words,
		    size_t count, struct error *err)
{
	CLEANUP(words_done) struct words all = { 0 };

	words_add(&all, "call");
	words_add(&all, tool);
	for (size_t i = 1; i < count; i++)
		words_add(&all, words[i]);
	return command_run(s->app, all.word, all.count, err);
}

int shell_words(struct shell *s, char *const *words, size_t count,
		struct error *err)
{
	CLEANUP(meaning_done) struct meaning m = { 0 };

	if (find_meaning(s, words[0], &m, err) != 0)
		return -1;
	if (m.builtin)
		return run_builtin(s, m.builtin, words, count, err);
	if (m.command)
		return run_command(s, m.command, words, count, err);
	return run_tool(s, m.tool, words, count, err);
}

static int run_one(struct shell *s, const struct shell_line *line,
		   struct error *err)
{
	const struct words *w = &line->words;

	if (w->count == 0)
		return line->outside ? shell_outside(s, line->outside, err) : 0;
	if (line->outside)
		return shell_pipe(s, w->word, w->count, line->outside, err);
	return shell_words(s, w->word, w->count, err);
}

int shell_run_line(struct shell *s, const char *text, struct error *err)
{
	int status = 0;

	/* Hints name them, in a script too. */
	builtins_offer();
	while (status == 0 && *text && !s->quit) {
		CLEANUP(shell_line_done) struct shell_line line = { 0 };

		/* A terminal can be read again, a script's stdin is its own. */
		if (s->edit)
			s->app->stdin_taken = false;
		status = shell_line_read(&line, &text, err);
		if (status == 0)
			status = run_one(s, &line, err);
	}
	return status;
}
