/* SPDX-License-Identifier: MIT */
/*
 * Lines into words. What can be known to be wrong is said before anything is
 * sent to a device.
 */
#include "cli/script.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/parse.h"

static const char from_option[] = "-e";

int script_prefix(const struct script_line *line, struct error *err)
{
	if (strcmp(line->source, from_option) == 0)
		return error_prefix(err, "command %zu", line->number);
	return error_prefix(err, "%s:%zu", line->source, line->number);
}

static void line_done(struct script_line *line)
{
	mem_free(line->source);
	mem_free(line->text);
	words_done(&line->words);
}

void script_done(struct script *s)
{
	for (size_t i = 0; i < s->count; i++)
		line_done(&s->line[i]);
	mem_free(s->line);
	*s = (struct script){ 0 };
}

static int check_command(struct script_line *line, struct error *err)
{
	const struct words *words = &line->words;
	CLEANUP(parsed_done) struct parsed p = { 0 };
	if (parse_words(&p, words->word, words->count, NULL, err))
		return -1;
	if (!p.command)
		return error_set(err, ERR_USAGE, "no command on this line");
	line->command = p.command;
	if (p.command->flags & CMD_SHELL)
		return line_query_check(p.jq, err);
	return error_set(err, ERR_USAGE,
			 "'%s' makes no sense on an open session",
			 p.command->name);
}

/* Pipes and commands of sh are not run's, and never words by chance. */
static int refuse_shell(const char *text, struct error *err)
{
	const char *found = *text == '!' ? text : words_bare(text, '|');
	if (!found)
		return 0;
	error_set(err, ERR_USAGE, "'%c' is for the shell", *found);
	if (*found == '!')
		return error_hint(
			err,
			"lines with pipes and '!': mcpctl shell <FILE, with the target in front of 'shell'");
	return error_hint(
		err,
		"lines with pipes and '!': mcpctl shell <FILE, with the target in front of 'shell'; in quotes '|' is a character");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int add_line(struct script *s, const struct script_line *where,
		    const char *text, size_t len, struct error *err)
{
	while (len > 0 && is_blank(*text)) {
		text++;
		len--;
	}
	while (len > 0 && is_blank(text[len - 1]))
		len--;
	if (len == 0 || *text == '#')
		return 0;
	s->line = mem_grow(s->line, &s->capacity, s->count, sizeof(*s->line));
	struct script_line *line = &s->line[s->count++];
	*line = (struct script_line){ .source = mem_strdup(where->source),
				      .number = where->number,
				      .text = mem_strndup(text, len) };
	if (refuse_shell(line->text, err) ||
	    words_split(&line->words, line->text, err) ||
	    check_command(line, err))
		return script_prefix(line, err);
	return 0;
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "stdin" : path;
}

int script_add_file(struct script *s, struct app *app, const char *path,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	CLEANUP(mem_free_ptr) char *name = mem_strdup(name_of(path));
	struct script_line where = { .source = name };
	if (operand_file(app, path, &all, err))
		return -1;
	if (memchr(buf_string(&all), '\0', all.len))
		return error_set(err, ERR_USAGE, "'%s' is no text", name);
	const char *at = buf_string(&all);
	at += text_mark(at, all.len);
	while (*at) {
		size_t len = strcspn(at, "\n");
		where.number++;
		if (add_line(s, &where, at, len, err))
			return -1;
		at += len + (at[len] == '\n');
	}
	return 0;
}

int script_add_commands(struct script *s, const struct words *given,
			struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = mem_strdup(from_option);
	struct script_line where = { .source = name };
	for (size_t i = 0; i < given->count; i++) {
		const char *text = given->word[i];
		where.number++;
		if (add_line(s, &where, text, strlen(text), err))
			return -1;
	}
	return 0;
}
