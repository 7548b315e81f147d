/* SPDX-License-Identifier: MIT */
/* One tool: whether it matches a word, and what backends make of its name. */
#include "mcp/types.h"

#include <string.h>

#include "base/text.h"

int tool_by_name(const void *a, const void *b)
{
	const struct tool *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	if (order != 0)
		return order;
	return (*x)->position < (*y)->position ? -1 : 1;
}

bool tool_matches(const struct tool *t, const char *word_or_glob)
{
	const cJSON *argument;

	if (!word_or_glob)
		return true;
	if (text_has_glob(word_or_glob))
		return text_glob(word_or_glob, t->name);
	if (text_find(t->name, word_or_glob) ||
	    text_find(t->description, word_or_glob) ||
	    (t->title && text_find(t->title, word_or_glob)))
		return true;
	cJSON_ArrayForEach(argument, json_object(t->schema, "properties")) {
		if (text_find(argument->string, word_or_glob))
			return true;
	}
	return false;
}

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* How many bytes the character at text has; a lone or cut byte counts as one. */
static size_t character_length(const char *text)
{
	unsigned char c = (unsigned char)*text;
	size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	size_t len = 1;

	while (len < want && ((unsigned char)text[len] & 0xc0) == 0x80)
		len++;
	return len;
}

/* U+4E00 to U+9FFF: E4 B8 80 to E9 BF BF, all of three bytes. */
static bool is_ideograph(const char *text, size_t len)
{
	unsigned char first = (unsigned char)text[0];

	if (len != 3 || first < 0xe4 || first > 0xe9)
		return false;
	return first > 0xe4 || (unsigned char)text[1] >= 0xb8;
}

void tool_sanitise(const char *name, enum sanitise_rule rule, struct buf *out)
{
	if (rule == SANITISE_LOOK) {
		text_skeleton(out, name, strlen(name));
		return;
	}
	while (*name) {
		size_t len = character_length(name);
		bool keep = *name != '.';

		if (rule == SANITISE_WIDE)
			keep = is_plain((unsigned char)*name) ||
			       is_ideograph(name, len);
		if (keep)
			buf_add(out, name, len);
		else
			buf_char(out, '_');
		name += len;
	}
}

const struct tool *tool_collision(const struct tool_list *l,
				  const struct tool *t, enum sanitise_rule rule)
{
	CLEANUP(buf_done) struct buf mine = { 0 };
	CLEANUP(buf_done) struct buf other = { 0 };
	const struct tool *found = NULL;

	tool_sanitise(t->name, rule, &mine);
	for (size_t i = 0; i < l->count && !found; i++) {
		const struct tool *candidate = &l->tool[i];

		if (strcmp(candidate->name, t->name) == 0)
			continue;
		buf_reset(&other);
		tool_sanitise(candidate->name, rule, &other);
		if (strcmp(buf_string(&mine), buf_string(&other)) == 0)
			found = candidate;
	}
	return found;
}
