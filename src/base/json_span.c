/* SPDX-License-Identifier: MIT */
/*
 * Slices of JSON text, without a tree. The text was checked before; where it
 * was not, the answers are wrong, but nothing outside of it is read.
 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && is_space(*p))
		p++;
	return p;
}

/* Behind the string that opens at p; NULL if it does not end. */
static const char *skip_string(const char *p, const char *end)
{
	const char *start = ++p, *q;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		/* An odd number of backslashes in front: the quote is escaped. */
		for (q = p; q > start && q[-1] == '\\';)
			q--;
		start = ++p;
		if ((p - 1 - q) % 2 == 0)
			return p;
	}
	return NULL;
}

/* Behind the array or object that opens at p. */
static const char *skip_brackets(const char *p, const char *end)
{
	size_t depth = 0;

	while (p && p < end) {
		char c = *p;

		if (c == '"') {
			p = skip_string(p, end);
			continue;
		}
		p++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return p;
	}
	return NULL;
}

/* Behind the value at p; NULL if there is none. */
static const char *skip_value(const char *p, const char *end)
{
	const char *start = p;

	if (p == end)
		return NULL;
	if (*p == '"')
		return skip_string(p, end);
	if (*p == '{' || *p == '[')
		return skip_brackets(p, end);
	while (p < end && !is_space(*p) && *p != ',' && *p != ']' && *p != '}')
		p++;
	return p > start ? p : NULL;
}

/* Is the JSON string (with its quotes) this name, its escapes decoded? */
static bool is_name(struct span string, const char *name)
{
	CLEANUP(json_free_ptr) cJSON *decoded = NULL;
	size_t len = string.len - 2;

	if (!memchr(string.text, '\\', string.len))
		return strlen(name) == len &&
		       memcmp(string.text + 1, name, len) == 0;
	decoded = json_parse(string.text, string.len, NULL);
	return cJSON_IsString(decoded) &&
	       strcmp(decoded->valuestring, name) == 0;
}

/* "name": value from *p on, which moves behind it. */
static bool member_at(const char **p, const char *end, struct span *name,
		      struct span *value)
{
	const char *at = *p;

	if (at == end || *at != '"')
		return false;
	name->text = at;
	at = skip_string(at, end);
	if (!at)
		return false;
	name->len = (size_t)(at - name->text);
	at = skip_space(at, end);
	if (at == end || *at != ':')
		return false;
	value->text = skip_space(at + 1, end);
	at = skip_value(value->text, end);
	if (!at)
		return false;
	value->len = (size_t)(at - value->text);
	*p = at;
	return true;
}

bool json_span_member(struct span object, const char *name, struct span *out)
{
	const char *end = object.text + object.len;
	const char *p = skip_space(object.text, end);
	struct span found, value;

	if (p == end || *p != '{')
		return false;
	do {
		p = skip_space(p + 1, end);
		if (!member_at(&p, end, &found, &value))
			return false;
		if (is_name(found, name)) {
			*out = value;
			return true;
		}
		p = skip_space(p, end);
	} while (p < end && *p == ',');
	return false;
}

bool json_span_next(struct span array, size_t *at, struct span *out)
{
	const char *end = array.text + array.len, *p;

	if (*at > array.len)
		return false;
	p = skip_space(array.text + *at, end);
	/* The first value stands behind the bracket, others behind a comma. */
	if (p == end || *p != (*at ? ',' : '['))
		return false;
	out->text = skip_space(p + 1, end);
	p = skip_value(out->text, end);
	if (!p)
		return false;
	out->len = (size_t)(p - out->text);
	*at = (size_t)(p - array.text);
	return true;
}

char *json_span_string(struct span string)
{
	CLEANUP(json_free_ptr) cJSON *decoded = NULL;

	if (string.len < 2 || string.text[0] != '"')
		return NULL;
	if (!memchr(string.text, '\\', string.len))
		return mem_strndup(string.text + 1, string.len - 2);
	decoded = json_parse(string.text, string.len, NULL);
	return mem_strdup(cJSON_GetStringValue(decoded));
}

void json_minify(struct buf *out, const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *from = p;

		while (p < end && !is_space(*p)) {
			if (*p == '"')
				p = skip_string(p, end);
			else
				p++;
			if (!p)
				p = end;
		}
		buf_add(out, from, (size_t)(p - from));
		p = skip_space(p, end);
	}
}
