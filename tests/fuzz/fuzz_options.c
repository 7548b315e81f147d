/* SPDX-License-Identifier: MIT */
/*
 * Any words, parsed as an invocation or as a line of run. The first byte
 * chooses: how the words are parted, and which of the two.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "cli/config.h"
#include "cli/parse.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parted by newlines, or as a shell does it. */
static void take_words(struct words *out, char *text, bool lines)
{
	if (!lines) {
		words_split(out, text, NULL);
		return;
	}
	while (text && out->count < WORDS_MAX) {
		char *end = strchr(text, '\n');

		if (end)
			*end++ = '\0';
		words_add(out, text);
		text = end;
	}
}

static void check(const struct parsed *p, int result, const struct error *err)
{
	if (result == 0 && err->kind != ERR_NONE)
		abort();
	if (result != 0 && (err->kind != ERR_USAGE || !*err->text))
		abort();
	if (p->command && result == 0 && !p->options)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct config config = { 0 };
	struct parsed parsed;

	if (size == 0)
		return 0;
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup((const char *)data + 1, size - 1);
	take_words(&words, text, data[0] & 1);
	bool inside = data[0] & 2;
	int result = parse_words(&parsed, words.word, words.count,
				 inside ? NULL : &config, &err);
	check(&parsed, result, &err);
	parsed_done(&parsed);
	config_release(&config);
	return 0;
}
