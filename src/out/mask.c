/* SPDX-License-Identifier: MIT */
/*
 * Finding secrets by the words that stand before them. It would rather hide
 * too much than too little.
 */
#include "out/mask.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

#define HIDDEN "***"

static const char *const names[] = { "token",	      "access_token",
				     "authorization", "password",
				     "passwd",	      "secret",
				     "api_key",	      "apikey" };
/* Not "Basic ": descriptions of tools begin with that word. */
static const char *const leads[] = { "Bearer ", "token=", "authorization=",
				     "access_token=", "password=" };

struct scan {
	const char *at, *end;
};

static bool starts(const struct scan *s, const char *word)
{
	size_t len = strlen(word);
	return (size_t)(s->end - s->at) >= len &&
	       strncasecmp(s->at, word, len) == 0;
}

/* How many backslashes and then a quote begin here; 0 if that is not so. */
static size_t quote_length(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && *p == '\\')
		p++;
	return p < end && *p == '"' ? (size_t)(p - at) + 1 : 0;
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

/* Where the text of the member's value begins, NULL if no value follows. */
static const char *value_start(const struct scan *s, const char *name,
			       size_t quote)
{
	struct scan in = { s->at + quote, s->end };
	if (!starts(&in, name))
		return NULL;
	const char *p = in.at + strlen(name);
	if (quote_length(p, s->end) != quote)
		return NULL;
	p = skip_space(p + quote, s->end);
	if (p == s->end || *p != ':')
		return NULL;
	p = skip_space(p + 1, s->end);
	return quote_length(p, s->end) == quote ? p + quote : NULL;
}

/*
 * The end of a string that is quoted as deep as its name: the next quote with
 * no more backslashes before it than that.
 */
static const char *value_end(const char *p, const char *end, size_t quote)
{
	while (p < end) {
		size_t here = quote_length(p, end);
		if (here > 0 && here <= quote)
			return p;
		if (here > 0)
			p += here;
		else
			p++;
	}
	return end;
}

static bool mask_member(struct buf *out, struct scan *s)
{
	size_t quote = quote_length(s->at, s->end);
	if (quote == 0)
		return false;
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *value = value_start(s, names[i], quote);
		if (!value)
			continue;
		buf_add(out, s->at, (size_t)(value - s->at));
		s->at = value_end(value, s->end, quote);
		if (s->at > value)
			buf_text(out, HIDDEN);
		return true;
	}
	return false;
}

/* The words of a header and of a query: the secret ends where a value ends. */
static bool mask_after(struct buf *out, struct scan *s, const char *word)
{
	if (!starts(s, word))
		return false;
	buf_add(out, s->at, strlen(word));
	s->at += strlen(word);
	const char *from = s->at;
	while (s->at < s->end && !strchr(" \t\r\n\"\\&,;<>'", *s->at))
		s->at++;
	if (s->at > from)
		buf_text(out, HIDDEN);
	return true;
}

static bool mask_word(struct buf *out, struct scan *s)
{
	for (size_t i = 0; i < COUNT(leads); i++)
		if (mask_after(out, s, leads[i]))
			return true;
	return false;
}

void mask_secrets(struct buf *out, const char *text, size_t len)
{
	struct scan s = { text, text + len };
	const char *copied = text;
	while (s.at < s.end) {
		/* Cheap first: most bytes begin none of these. */
		if (!*s.at || !strchr("\"\\BbTtAaPp", *s.at)) {
			s.at++;
			continue;
		}
		CLEANUP(buf_done) struct buf masked = { 0 };
		const char *from = s.at;
		if (!mask_member(&masked, &s) && !mask_word(&masked, &s)) {
			s.at++;
			continue;
		}
		buf_add(out, copied, (size_t)(from - copied));
		buf_add(out, masked.data, masked.len);
		copied = s.at;
	}
	buf_add(out, copied, (size_t)(s.end - copied));
}
