/* SPDX-License-Identifier: MIT */
/* The words of a peer that says no. */
#include "wire/refusal.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

char *refusal_line(const char *text, size_t len)
{
	const char *end;

	len = text_trim(&text, len);
	end = memchr(text, '\n', len);
	if (end)
		len = text_trim(&text, (size_t)(end - text));
	return len ? mem_strndup(text, text_cut(text, len, REFUSAL_MAX)) : NULL;
}

/* "502 Bad Gateway": the status is told by the head. */
static char *page_title(const char *page)
{
	const char *title = text_find(page, "<title>");

	if (!title)
		return NULL;
	title += strlen("<title>");
	title += strspn(title, "0123456789 ");
	return refusal_line(title, strcspn(title, "<"));
}

/* NULL: no text, or one that says nothing. */
static char *words_of(struct span member)
{
	CLEANUP(mem_free_ptr) char *said = json_span_string(member);

	return said ? refusal_line(said, strlen(said)) : NULL;
}

/* As JSON-RPC, OAuth, frameworks and backends of boards have it. */
static char *told_in_json(struct span whole)
{
	static const char *const names[] = { "error_description", "message",
					     "detail", "title", "msg" };
	char *said = NULL;
	struct span member, error;

	for (size_t i = 0; i < COUNT(names) && !said; i++) {
		if (json_span_member(whole, names[i], &member))
			said = words_of(member);
	}
	if (!said && json_span_member(whole, "error", &error)) {
		said = words_of(error);
		if (!said && json_span_member(error, "message", &member))
			said = words_of(member);
	}
	return said;
}

char *refusal_words(const char *text, size_t len)
{
	CLEANUP(mem_free_ptr) char *copy = NULL;

	len = text_trim(&text, len);
	if (!len)
		return NULL;
	if (json_check(text, len, NULL) == 0)
		return *text == '{' ? told_in_json((struct span){ text, len }) :
				      NULL;
	/* Broken JSON is no words. */
	if (strchr("{[", *text) || !text_is_utf8(text, len))
		return NULL;
	if (*text != '<')
		return refusal_line(text, len);
	copy = mem_strndup(text, len);
	return page_title(copy);
}

bool refusal_is_credentials(const char *words)
{
	static const char *const known[] = {
		"认证",	      "鉴权",	    "未授权", "授权失败",
		"token",      "auth",	    "令牌",   "forbidden",
		"credential", "permission", "密码",   "password"
	};
	/* Of a parser, and of language models. */
	static const char *const others[] = { "unexpected token", "tokens" };

	for (size_t i = 0; i < COUNT(others); i++) {
		if (text_find(words, others[i]))
			return false;
	}
	for (size_t i = 0; i < COUNT(known); i++) {
		if (text_find(words, known[i]))
			return true;
	}
	return false;
}
