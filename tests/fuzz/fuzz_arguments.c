/* SPDX-License-Identifier: MIT */
/*
 * A line that is a schema, then a word in each line: what is built is one JSON
 * object, what is refused has a reason, and the example of the schema is good.
 * Nothing here reads a file.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "mcp/arguments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* False if a word would open a file or read stdin. */
static bool add_lines(struct words *words, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (*line == '@' || strstr(line, "=@") ||
		    strcmp(line, "-") == 0)
			return false;
		words_add(words, line);
	}
	return true;
}

static void build(const struct words *words,
		  const struct arguments_options *options, bool must)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(buf_done) struct buf warnings = { 0 };
	struct error err = { 0 };
	cJSON *object;

	if (arguments_build(&out, words->word, words->count, options, &warnings,
			    &err) < 0) {
		assert(!must && err.kind == ERR_USAGE && *err.text);
		assert(out.len == 0);
	} else {
		object = json_parse(buf_string(&out), out.len, NULL);
		assert(cJSON_IsObject(object));
		cJSON_Delete(object);
	}
	error_reset(&err);
}

static void check_example(const struct tool *t)
{
	const struct arguments_options options = { .tool = t };
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };
	struct words rest;

	arguments_usage(t, &line);
	buf_reset(&line);
	if (arguments_example(t, &line) < 0)
		return;
	assert(words_split(&words, buf_string(&line), NULL) == 0);
	assert(words.count >= 2 && strcmp(words.word[1], "x y") == 0);
	rest = (struct words){ .word = words.word + 2,
			       .count = words.count - 2 };
	build(&rest, &options, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup((const char *)data, size);
	CLEANUP(json_free_ptr) cJSON *schema = NULL;
	CLEANUP(words_done) struct words words = { 0 };
	struct tool tool = { .name = "x y", .description = "" };
	struct arguments_options options = { .tool = &tool };
	char *rest = text;
	char *first = strsep(&rest, "\n");

	schema = json_parse(first, strlen(first), NULL);
	tool.schema = schema;
	if (schema)
		check_example(&tool);
	if (!rest || !add_lines(&words, rest))
		return 0;
	build(&words, &options, false);
	options.device = true;
	build(&words, &options, false);
	options.no_validate = true;
	build(&words, &options, false);
	return 0;
}
