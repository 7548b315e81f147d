/* SPDX-License-Identifier: MIT */
/*
 * Entries of an mcp.json as words for a person. Expands no variable.
 */
#include "cli/named_describe.h"

#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/named_entry.h"
#include "cli/named_expand.h"

#define LINES_MAX 200 /* of one entry, and names of variables */

/* ---- the lines of one entry ---- */

static void add_line(struct words *lines, const char *label, const char *text)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (lines->count >= LINES_MAX)
		return;
	buf_printf(&line, "%-6s", label);
	text_safe(&line, text, strlen(text), TEXT_LINE);
	words_add(lines, buf_string(&line));
}

/* A text as a word of a command line; what is none, as its JSON. */
static void add_word(struct buf *out, const cJSON *value)
{
	if (out->len)
		buf_char(out, ' ');
	if (cJSON_IsString(value))
		words_quote(out, value->valuestring);
	else
		json_print(out, value);
}

static void add_argv(struct words *lines, const cJSON *entry)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	const cJSON *argument;

	add_word(&words, json_member(entry, "command"));
	cJSON_ArrayForEach(argument, json_member(entry, "args")) {
		add_word(&words, argument);
	}
	add_line(lines, "runs", buf_string(&words));
}

static void add_settings(struct words *lines, const cJSON *entry)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, json_object(entry, "env")) {
		CLEANUP(buf_done) struct buf value = { 0 }, text = { 0 };

		if (cJSON_IsNull(member))
			continue;
		add_word(&value, member);
		buf_printf(&text, "%s=%s", member->string, buf_string(&value));
		add_line(lines, "sets", buf_string(&text));
	}
}

static void add_program(struct words *lines, const cJSON *entry)
{
	const char *cwd = json_string(entry, "cwd");

	add_argv(lines, entry);
	if (cwd && *cwd)
		add_line(lines, "in", cwd);
	add_settings(lines, entry);
}

static void add_url(struct words *lines, const cJSON *entry)
{
	CLEANUP(mem_free_ptr) char *url = named_entry_shown(entry);
	const cJSON *member;

	if (!*url)
		return;
	add_line(lines, "opens", url);
	cJSON_ArrayForEach(member, json_object(entry, "headers")) {
		const char *value = cJSON_GetStringValue(member);
		CLEANUP(mem_free_ptr)
		char *header =
			named_header_shown(member->string, value ? value : "");

		add_line(lines, "sends", header);
	}
}

/* Of the texts in it that count, whatever they are for. */
static void add_variables(struct words *names, const cJSON *value)
{
	const cJSON *member;

	if (cJSON_IsString(value))
		named_expand_names(names, value->valuestring, LINES_MAX);
	cJSON_ArrayForEach(member, value) {
		if (cJSON_IsString(member))
			named_expand_names(names, member->valuestring,
					   LINES_MAX);
	}
}

/* False: they are too many. */
static bool add_reads(struct words *lines, const cJSON *entry)
{
	static const char *const program[] = { "command", "args", "cwd", "env",
					       NULL };
	static const char *const url[] = { "url", "headers", NULL };
	CLEANUP(words_done) struct words names = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *const *part = named_entry_is_program(entry) ? program : url;

	for (; *part; part++)
		add_variables(&names, json_member(entry, *part));
	for (size_t i = 0; i < names.count; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", names.word[i]);
	if (text.len)
		add_line(lines, "reads", buf_string(&text));
	return names.count < LINES_MAX;
}

/* Overwrites lines. False: they are too many. */
static bool describe(struct words *lines, const cJSON *entry)
{
	*lines = (struct words){ 0 };
	if (named_entry_is_program(entry))
		add_program(lines, entry);
	else
		add_url(lines, entry);
	if (!lines->count)
		add_line(lines, "is", "no server: it cannot be used");
	return add_reads(lines, entry) && lines->count < LINES_MAX;
}

/* ---- all of them ---- */

static void add_name(struct buf *out, const char *name)
{
	buf_text(out, "  ");
	text_safe(out, name, strlen(name), TEXT_LINE);
	buf_char(out, '\n');
}

static void add_lines(struct buf *out, char mark, const struct words *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		buf_printf(out, "  %c %s\n", mark, lines->word[i]);
}

/* A name that stands twice means the first. */
static bool counts(const cJSON *servers, const cJSON *entry)
{
	return json_member(servers, entry->string) == entry;
}

bool named_describe(struct buf *out, const cJSON *servers)
{
	const cJSON *entry;
	bool whole = true;

	cJSON_ArrayForEach(entry, servers) {
		CLEANUP(words_done) struct words lines;

		if (!counts(servers, entry))
			continue;
		whole = describe(&lines, entry) && whole;
		add_name(out, entry->string);
		add_lines(out, ' ', &lines);
	}
	return whole;
}

/* ---- what changed ---- */

static bool has_line(const struct words *lines, const char *line)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (strcmp(lines->word[i], line) == 0)
			return true;
	}
	return false;
}

/* Those of a that b has not. Overwrites out. */
static void subtract(struct words *out, const struct words *a,
		     const struct words *b)
{
	*out = (struct words){ 0 };
	for (size_t i = 0; i < a->count; i++) {
		if (!has_line(b, a->word[i]))
			words_add(out, a->word[i]);
	}
}

/* One of them may be NULL: it is new, or gone. False: they are too long. */
static bool compare(struct buf *out, const char *name, const cJSON *before,
		    const cJSON *now)
{
	CLEANUP(words_done) struct words old = { 0 }, new = { 0 };
	CLEANUP(words_done) struct words gone = { 0 }, come = { 0 };

	if ((before && !describe(&old, before)) ||
	    (now && !describe(&new, now)))
		return false;
	subtract(&gone, &old, &new);
	subtract(&come, &new, &old);
	if (!gone.count && !come.count)
		return true;
	add_name(out, name);
	add_lines(out, '-', &gone);
	add_lines(out, '+', &come);
	return true;
}

bool named_describe_change(struct buf *out, const cJSON *before,
			   const cJSON *now)
{
	const cJSON *entry;
	bool whole = true;

	cJSON_ArrayForEach(entry, now) {
		if (counts(now, entry))
			whole = compare(out, entry->string,
					json_member(before, entry->string),
					entry) &&
				whole;
	}
	cJSON_ArrayForEach(entry, before) {
		if (counts(before, entry) && !json_member(now, entry->string))
			whole = compare(out, entry->string, entry, NULL) &&
				whole;
	}
	return whole;
}
