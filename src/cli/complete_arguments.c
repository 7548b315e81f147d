/* SPDX-License-Identifier: MIT */
/*
 * Names of a tool's arguments that are not given yet, the required ones first.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"
#include "mcp/argument_word.h"
#include "mcp/arguments.h"
#include "mcp/name_set.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"
#include "out/wrap.h"

#define NAMES_MAX 512

void complete_describe(const struct tool_schema *t, struct buf *out)
{
	const cJSON *resolved = schema_resolve(t->root, t->property);
	const char *text = json_string(t->property, "description");
	const char *start;
	size_t len;

	schema_describe_in(t->root, t->property, out);
	if (schema_requires(t->root, t->root, t->name))
		buf_text(out, ", required");
	if (!text)
		text = json_string(resolved, "description");
	len = text ? wrap_first(text, &start) : 0;
	if (len == 0)
		return;
	buf_text(out, ": ");
	buf_add(out, start, len);
}

/* NAME of NAME=VALUE and NAME:=JSON; NULL: it is neither. Yours. */
static char *name_of(const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : 0;

	if (len == 0)
		return NULL;
	if (len > 1 && word[len - 1] == ':')
		len--;
	return mem_strndup(word, len);
}

static void add_name(struct completing *c, const struct tool_schema *t)
{
	const char *typed = c->question->word;
	CLEANUP(buf_done) struct buf brief = { 0 };
	CLEANUP(buf_done) struct buf shown = { 0 };
	CLEANUP(mem_free_ptr) char *word = NULL;

	if (!argument_name_is_plain(t->name) || !text_starts(t->name, typed))
		return;
	argument_usage(t->root, t->property, t->name, &shown);
	complete_describe(t, &brief);
	word = mem_printf("%s%s", t->name,
			  argument_needs_json(t->root, t->property) ? ":=" :
								      "=");
	const struct offer offer = { .typed = typed,
				     .shown = buf_string(&shown),
				     .open = true };

	complete_add(c, &offer, word, buf_string(&brief));
}

static void add_names(struct completing *c, const cJSON *root,
		      const struct name_set *given)
{
	const char *name[NAMES_MAX];
	size_t count = schema_property_names(root, root, name, NAMES_MAX);

	for (int required = 1; required >= 0; required--) {
		for (size_t i = 0; i < count; i++) {
			struct tool_schema t = { .root = root,
						 .name = name[i] };

			if (name_set_find(given, name[i]) != NAME_NONE ||
			    schema_requires(root, root, name[i]) != required)
				continue;
			t.property = schema_property(root, root, name[i]);
			add_name(c, &t);
		}
	}
}

static void add_values(struct completing *c, const cJSON *root, size_t name)
{
	CLEANUP(mem_free_ptr) char *text = mem_strndup(c->question->word, name);
	const struct tool_schema t = { .root = root,
				       .name = text,
				       .property = schema_property(root, root,
								   text) };

	if (t.property)
		complete_argument_value(c, &t);
}

/* What needs no schema; true: that was all. */
static bool complete_plainly(struct completing *c, size_t count)
{
	const char *word = c->question->word;
	const char *equals = strchr(word, '=');

	if (*word == '@' && count == 0) {
		complete_files(c, "@", 1);
		return true;
	}
	if (arguments_are_whole(word) || word == equals)
		return true;
	if (!equals)
		return false;
	if (equals[-1] == ':' && equals - word > 1)
		return true;
	if (equals[1] != '@')
		return false;
	complete_files(c, word, (size_t)(equals - word) + 2);
	return true;
}

static void complete_known(struct completing *c, const cJSON *tree,
			   char *const *words, size_t count)
{
	const cJSON *root = json_object(tree, "inputSchema");
	const char *equals = strchr(c->question->word, '=');
	struct name_set given = { 0 };

	if (!root)
		return;
	if (equals) {
		add_values(c, root, (size_t)(equals - c->question->word));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		CLEANUP(mem_free_ptr) char *name = name_of(words[i]);

		if (name)
			name_set_add(&given, name, i);
	}
	add_names(c, root, &given);
	name_set_done(&given);
}

/* False: there is no more to say. */
static bool may_go_on(struct completing *c, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (arguments_are_whole(words[i]))
			return false;
	}
	return !complete_plainly(c, count);
}

void complete_arguments(struct completing *c, const char *tool,
			char *const *words, size_t count)
{
	const struct schema_source *s = c->source;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!may_go_on(c, words, count))
		return;
	if (!s->tool(s->owner, tool, &json)) {
		complete_note_unknown(c);
		return;
	}
	tree = json_parse(buf_string(&json), json.len, NULL);
	complete_known(c, tree, words, count);
}

void complete_item_arguments(struct completing *c, enum list_kind kind,
			     char *const *words, size_t count)
{
	const struct schema_source *s = c->source;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!may_go_on(c, words + 1, count - 1) || !s->item ||
	    !s->item(s->owner, kind, words[0], &json))
		return;
	tree = json_parse(buf_string(&json), json.len, NULL);
	complete_known(c, tree, words + 1, count - 1);
}
