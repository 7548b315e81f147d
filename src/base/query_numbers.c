/* SPDX-License-Identifier: MIT */
/* Numbers before and behind jq: the bytes of those that it cannot keep. */
#include "base/query_numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
	DIGITS_KEPT = 15, /* of any number, by a double */
	DIGITS_READ = 320 /* of what stands in the input, to tell it apart */
};

/* Behind the string that begins at `at`. */
static size_t behind_string(struct span json, size_t at)
{
	for (at++; at < json.len && json.text[at] != '"'; at++)
		at += json.text[at] == '\\';
	return at + 1;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || strchr("+-.eE", c);
}

/* The next number from *at on, which is then behind it. False: none. */
static bool next_number(struct span json, size_t *at, struct span *out)
{
	while (*at < json.len) {
		const char c = json.text[*at];
		size_t end = *at;

		if (c == '"') {
			*at = behind_string(json, *at);
			continue;
		}
		if (c != '-' && (c < '0' || c > '9')) {
			++*at;
			continue;
		}
		while (end < json.len && json.text[end] &&
		       is_of_number(json.text[end]))
			end++;
		*out = (struct span){ json.text + *at, end - *at };
		*at = end;
		return true;
	}
	return false;
}

static size_t digits_of(struct span number)
{
	size_t digits = 0;

	for (size_t i = 0; i < number.len; i++) {
		const char c = number.text[i];

		if (c == 'e' || c == 'E')
			break;
		digits += c >= '0' && c <= '9' && (digits > 0 || c != '0');
	}
	return digits;
}

/* False: too long for a number that matters. */
static bool value_of(struct span number, double *out)
{
	char text[DIGITS_READ + 1];

	if (number.len > DIGITS_READ)
		return false;
	memcpy(text, number.text, number.len);
	text[number.len] = '\0';
	*out = strtod(text, NULL);
	return true;
}

static bool same_text(struct span a, struct span b)
{
	return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

static void keep(struct query_numbers *n, double value, struct span text)
{
	for (size_t i = 0; i < n->count; i++) {
		/* Equal, and no less: it is the same number to jq. */
		if (!(n->item[i].value < value) &&
		    !(n->item[i].value > value)) {
			n->item[i].shared |= !same_text(n->item[i].text, text);
			return;
		}
	}
	if (n->count == QUERY_NUMBERS_MAX)
		n->more = true;
	else
		n->item[n->count++] =
			(struct query_number){ value, text, false };
}

void query_numbers_add(struct query_numbers *n, struct span json)
{
	struct span number;
	double value;

	for (size_t at = 0; next_number(json, &at, &number);) {
		if (digits_of(number) <= DIGITS_KEPT)
			continue;
		if (value_of(number, &value))
			keep(n, value, number);
		else
			n->more = true;
	}
}

static const struct query_number *find(const struct query_numbers *n,
				       struct span number)
{
	double value;

	if (digits_of(number) <= DIGITS_KEPT || !value_of(number, &value))
		return NULL;
	for (size_t i = 0; i < n->count; i++) {
		if (!(n->item[i].value < value) && !(n->item[i].value > value))
			return &n->item[i];
	}
	return NULL;
}

bool query_numbers_restore(const struct query_numbers *n, struct span json,
			   struct buf *out)
{
	bool exact = true;
	size_t copied = 0;
	struct span number;

	for (size_t at = 0;
	     (n->count || n->more) && next_number(json, &at, &number);) {
		const struct query_number *was = find(n, number);
		const size_t start = (size_t)(number.text - json.text);

		if (!was) {
			exact = exact &&
				!(n->more && digits_of(number) > DIGITS_KEPT);
			continue;
		}
		exact = exact && !was->shared;
		if (was->shared)
			continue;
		buf_add(out, json.text + copied, start - copied);
		buf_add(out, was->text.text, was->text.len);
		copied = at;
	}
	buf_add(out, json.text + copied, json.len - copied);
	return exact;
}
