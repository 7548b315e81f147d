/* SPDX-License-Identifier: MIT */
/*
 * Where to look; mcp/expect.c compares.
 */
#include "cli/expect_option.h"

#include "mcp/arguments.h"

static bool is_whole(const cJSON *expected)
{
	return json_member(expected, "content") ||
	       json_member(expected, "isError") ||
	       json_member(expected, "structuredContent");
}

bool expect_wants_error(const cJSON *expected)
{
	return json_true(expected, "isError");
}

/* The texts one by one; the difference is that of the first. */
static bool in_texts(const struct result *result, const cJSON *expected,
		     struct buf *difference)
{
	bool first = true;
	for (size_t i = 0; i < result->count; i++) {
		CLEANUP(buf_done) struct buf other = { 0 };
		const cJSON *text =
			json_member(result->content[i].json, "text");
		if (result->content[i].kind != CONTENT_TEXT || !text)
			continue;
		if (expect_contains(text, expected,
				    first ? difference : &other))
			return true;
		first = false;
	}
	return false;
}

/* Anywhere in the result; the first difference stays where none contains it. */
static bool is_anywhere(const struct result *result, const cJSON *expected,
			struct buf *difference)
{
	CLEANUP(buf_done) struct buf other = { 0 };
	const cJSON *all = result->message.result;
	const cJSON *structured = json_member(all, "structuredContent");
	if (in_texts(result, expected, difference))
		return true;
	if (structured &&
	    expect_contains(structured, expected,
			    difference->len > 0 ? &other : difference))
		return true;
	return expect_contains(all, expected,
			       difference->len > 0 ? &other : difference);
}

bool expect_met(const struct result *result, const cJSON *expected,
		struct buf *difference)
{
	bool met = is_whole(expected) ?
			   expect_contains(result->message.result, expected,
					   difference) :
			   is_anywhere(result, expected, difference);
	if (met)
		buf_reset(difference);
	return met;
}
