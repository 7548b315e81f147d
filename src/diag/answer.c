/* SPDX-License-Identifier: MIT */
/* Words are cut between characters; whoever shows them makes them safe. */
#include "diag/answer.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "wire/refusal.h"

bool answer_is_page(const char *content_type, const char *body, size_t len)
{
	static const char *const tags[] = { "<!doctype html", "<html", "<head",
					    "<title", "<body" };
	char first[16];

	if (content_type && text_find(content_type, "text/html"))
		return true;
	len = text_trim(&body, len);
	if (len >= sizeof(first))
		len = sizeof(first) - 1;
	memcpy(first, body, len);
	first[len] = '\0';
	for (size_t i = 0; i < COUNT(tags); i++) {
		if (text_find(first, tags[i]) == first)
			return true;
	}
	return false;
}

const char *answer_words(const char *body, size_t len, char out[ANSWER_WORDS])
{
	CLEANUP(mem_free_ptr) char *words = NULL;

	if (len > 0)
		words = refusal_words(body, len);
	len = words ? text_cut(words, strlen(words), ANSWER_WORDS - 3) : 0;
	memcpy(out, ": ", 3);
	if (len > 0)
		memcpy(out + 2, words, len);
	out[len > 0 ? len + 2 : 0] = '\0';
	return out;
}
