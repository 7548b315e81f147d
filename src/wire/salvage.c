/* SPDX-License-Identifier: MIT */
/*
 * What a reply meant whose JSON is broken (device.md 3.7): a loose scan for
 * a few keys. No parser; it never fails, it only finds less.
 */
#include "wire/jsonrpc.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at;
}

/*
 * Behind the first `KEY :` in the text, at the value; NULL. key has its quotes.
 */
static const char *find_value(const char *at, const char *end, const char *key)
{
	size_t key_len = strlen(key);

	while (at < end) {
		at = memmem(at, (size_t)(end - at), key, key_len);
		if (!at)
			return NULL;
		at = skip_space(at + key_len, end);
		if (at < end && *at == ':')
			return skip_space(at + 1, end);
	}
	return NULL;
}

/* A whole number, in quotes or not. */
static bool read_number(const char *at, const char *end, int64_t *out)
{
	char digits[24];
	size_t len = 0;

	if (at < end && *at == '"')
		at++;
	while (at < end && len < sizeof(digits) - 1 &&
	       ((*at >= '0' && *at <= '9') || (*at == '-' && !len)))
		digits[len++] = *at++;
	digits[len] = '\0';
	return text_integer(digits, INT64_MIN, INT64_MAX, out) == 0;
}

static const char *find_last(const char *from, const char *end,
			     const char *word)
{
	size_t len = strlen(word);

	for (const char *at = end - len; at >= from; at--) {
		if (memcmp(at, word, len) == 0)
			return at;
	}
	return NULL;
}

/*
 * The message ends at the last `"}}`, since quotes inside it are not
 * escaped. A peer that puts members behind has `"}`; a cut frame has nothing.
 */
static char *read_message(const char *at, const char *end)
{
	const char *stop = NULL;

	if (end - at >= 3)
		stop = find_last(at, end, "\"}}");
	if (!stop && end - at >= 2)
		stop = find_last(at, end, "\"}");
	return mem_strndup(at, (size_t)((stop ? stop : end) - at));
}

static void read_error(const char *at, const char *end, struct salvage *out)
{
	const char *message = find_value(at, end, "\"message\"");
	const char *code = find_value(at, end, "\"code\"");
	int64_t number;

	if (message && message < end && *message == '"')
		out->message = read_message(message + 1, end);
	/* Behind the message's start it would be part of the text. */
	if (code && (!message || code < message) &&
	    read_number(code, end, &number) && number >= INT_MIN &&
	    number <= INT_MAX) {
		out->has_code = true;
		out->code = (int)number;
	}
}

void jsonrpc_salvage(const char *text, size_t len, struct salvage *out)
{
	const char *end = text + len;
	const char *id, *error, *result;

	*out = (struct salvage){ 0 };
	if (!len)
		return;
	id = find_value(text, end, "\"id\"");
	error = find_value(text, end, "\"error\"");
	result = find_value(text, end, "\"result\"");
	out->has_id = id && read_number(id, end, &out->id);
	out->is_error = error && (!result || error < result);
	if (out->is_error)
		read_error(error, end, out);
}

void salvage_done(struct salvage *s)
{
	mem_free(s->message);
	*s = (struct salvage){ 0 };
}
