/* SPDX-License-Identifier: MIT */
#include "base/json_quote.h"

#define QUOTE_MAX 64 /* what stands deeper in strings is no JSON to us */

size_t json_quote_length(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && *p == '\\' && p - at < QUOTE_MAX)
		p++;
	return p < end && *p == '"' ? (size_t)(p - at) + 1 : 0;
}

/*
 * A quote that is n strings deep has 2^n - 1 backslashes; what stands before
 * these are escaped backslashes of the string that it ends.
 */
static size_t own_length(size_t quote)
{
	return quote & (~quote + 1);
}

const char *json_quoted_end(const char *p, const char *end, size_t quote)
{
	size_t backslashes = 0;

	for (; p < end; p++) {
		size_t own = own_length(backslashes + 1);

		if (*p == '"' && own <= own_length(quote))
			return p + 1 - own;
		backslashes = *p == '\\' ? backslashes + 1 : 0;
	}
	return end;
}
