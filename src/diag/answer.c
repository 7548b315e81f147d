/* SPDX-License-Identifier: MIT */
/* Words are cut between characters; whoever shows them makes them safe. */
#include "diag/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/facts.h"
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

bool answer_hangs(size_t len, int64_t declared, bool more,
		  char words[ANSWER_SIZE_WORDS])
{
	const size_t most = firmware_answer_max();
	const size_t hangs = firmware_answer_hangs();
	const bool shown = declared <= (int64_t)len;
	int n;

	if (!shown)
		len = (size_t)declared;
	if (most == 0 || len <= most)
		return false;
	n = snprintf(words, ANSWER_SIZE_WORDS,
		     "%zu bytes%s; %zu were seen to pass", len,
		     more && shown ? " or more" : "", most);
	if (hangs > 0)
		snprintf(words + n, ANSWER_SIZE_WORDS - (size_t)n,
			 ", %zu to hang", hangs);
	return true;
}

bool answer_code_fails(struct span body, struct span *at)
{
	struct span value = { 0 };
	int64_t code;
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!body.text || !json_span_member(body, "code", &value))
		return false;
	text = mem_strndup(value.text, value.len);
	if (text_integer(text, 400, INT32_MAX, &code))
		return false;
	*at = value;
	return true;
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
