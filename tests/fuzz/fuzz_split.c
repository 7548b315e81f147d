/* SPDX-License-Identifier: MIT */
/* Any line into words; quoted again, it splits into the same words. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct words *words)
{
	CLEANUP(words_done) struct words again = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };

	for (size_t i = 0; i < words->count; i++) {
		buf_char(&line, ' ');
		words_quote(&line, words->word[i]);
	}
	assert(words_split(&again, buf_string(&line), NULL) == 0);
	assert(again.count == words->count);
	for (size_t i = 0; i < words->count; i++)
		assert(strcmp(again.word[i], words->word[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_strndup((const char *)data, size);
	CLEANUP(words_done) struct words words = { 0 };
	struct error err = { 0 };

	if (words_split(&words, line, &err) == 0) {
		assert(!words.word || !words.word[words.count]);
		check_again(&words);
	} else {
		assert(err.kind == ERR_USAGE && *err.text);
	}
	error_reset(&err);
	return 0;
}
