/* SPDX-License-Identifier: MIT */
/*
 * Any words, the last one at the cursor, and any line of the shell: candidates
 * begin with what is typed, and none could disturb a terminal. The first byte
 * chooses which, and how the words are parted.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "../unit/known_tools.h"
#include "base/text_safe.h"
#include "cli/complete.h"
#include "cli/complete_shells.h"
#include "cli/complete_words.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct known_tool tools[] = {
	{ "a\x1b", "\x1b[31m", NULL },
	{ "self.a.b", "one\ntwo",
	  "{\"properties\":{\"v\":{\"type\":\"integer\",\"minimum\":0,"
	  "\"maximum\":9,\"default\":3},\"on\":{\"type\":\"boolean\"},"
	  "\"m\":{\"enum\":[\"x y\",\"@\",5,\"z\\u0007\"]},"
	  "\"t\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/properties/m\"}},"
	  "\"r\":{\"anyOf\":[{\"$ref\":\"#/properties/r\"},"
	  "{\"$ref\":\"#/properties/on\"}]},"
	  "\"o\":{\"type\":\"object\"},\"a b\":{},\"=\":{},\"-\":{}},"
	  "\"required\":[\"v\"]}" },
	{ "self.a.c", "", "{\"properties\":7}" },
	{ "self.d'e \"f", "", NULL },
	{ "\xe8\x87\xaa.x", "", "[]" },
	{ NULL, NULL, NULL }
};
static const char *const devices[][2] = { { "aa:01", "kitchen" },
					  { "kitchen", "aa:01" },
					  { NULL, NULL } };
static const struct inside_word inside[] = {
	{ "set", "", INSIDE_SETTING }, { "use", "", INSIDE_PEER },
	{ "help", "", INSIDE_HELP },   { "last", "", INSIDE_FORM },
	{ "run", "", INSIDE_FILE },    { NULL, NULL, INSIDE_NONE }
};
static const char *const settings[] = { "output", "verbose", "timeout", NULL };

static bool is_safe(const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	text_safe(&safe, text, strlen(text), TEXT_LINE);
	return strcmp(buf_string(&safe), text) == 0;
}

/* What was typed stands in front of the candidates, whatever it was itself. */
static void check(const struct completion *c, const char *typed)
{
	assert(c->count <= CANDIDATES_MAX);
	assert(!c->show_only || c->count == 1);
	for (size_t i = 0; i < c->count; i++) {
		const struct candidate *item = &c->item[i];

		assert(*item->word && item->brief);
		assert(is_safe(item->brief));
		assert(!item->shown || is_safe(item->shown));
		if (!typed || c->show_only)
			continue;
		assert(text_starts(item->word, typed));
		assert(is_safe(item->word) || !is_safe(typed));
	}
	if (typed && c->files && c->keep)
		assert(text_starts(typed, c->keep));
}

static void print(const struct completion *c, const char *typed)
{
	for (int shell = COMPLETE_BASH; shell <= COMPLETE_FISH; shell++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		complete_print(&out, (enum complete_shell)shell, c, typed,
			       typed + strlen(typed) / 2);
		/* bash is told nothing of what it cannot show. */
		assert(out.len > 0 ||
		       (shell == COMPLETE_BASH && (c->show_only || c->note)));
		assert(out.len == 0 || out.data[out.len - 1] == '\n');
	}
}

static void take_words(struct words *out, char *text, bool lines)
{
	char *line;

	if (!lines)
		words_split(out, text, NULL);
	while (lines && out->count < WORDS_MAX && (line = strsep(&text, "\n")))
		words_add(out, line);
	if (out->count == 0)
		words_add(out, "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct known known = { .tool = tools, .device = devices };
	struct schema_source source = known_source(&known);
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(completion_done) struct completion c = { 0 };
	CLEANUP(completion_done) struct completion line = { 0 };

	if (size == 0)
		return 0;
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup((const char *)data + 1, size - 1);
	complete_inside_words = inside;
	complete_inside_settings = settings;
	complete_line(&line, text, &source);
	check(&line, NULL);
	print(&line, text);
	CLEANUP(mem_free_ptr) char *plain = complete_unquote(text);
	take_words(&words, text, data[0] & 1);

	const struct complete_question q = {
		.words = words.word,
		.count = words.count - 1,
		.word = words.word[words.count - 1],
		.inside = data[0] & 2,
		.unsifted = data[0] & 4,
		.options_last = data[0] & 8
	};

	complete(&c, &q, &source);
	check(&c, q.unsifted ? NULL : q.word);
	print(&c, q.word);
	print(&c, plain);
	return 0;
}
