/* SPDX-License-Identifier: MIT */
/* Does a result contain what was expected of it? The first difference in words. */
#include <string.h>

#include "base/mem.h"
#include "mcp/arguments.h"

#define VALUE_MAX 200

struct comparison {
	struct buf path;
	struct buf *difference;
};

static bool compare(struct comparison *c, const cJSON *actual,
		    const cJSON *expected);

static void add_value(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t len;

	json_print(&text, value);
	len = text.len;
	if (len > VALUE_MAX)
		for (len = VALUE_MAX;
		     ((unsigned char)text.data[len] & 0xc0) == 0x80;)
			len--;
	buf_add(out, buf_string(&text), len);
	if (len < text.len)
		buf_text(out, "…");
}

static void add_path(struct comparison *c)
{
	buf_text(c->difference,
		 c->path.len > 0 ? buf_string(&c->path) : "the result");
}

static bool differ(struct comparison *c, const cJSON *actual,
		   const cJSON *expected)
{
	add_path(c);
	buf_text(c->difference, " is ");
	add_value(c->difference, actual);
	buf_text(c->difference, ", expected ");
	add_value(c->difference, expected);
	return false;
}

static void path_cut(struct buf *path, size_t len)
{
	if (len < path->len) {
		path->len = len;
		path->data[len] = '\0';
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as expected, which is the user's */
static bool compare_objects(struct comparison *c, const cJSON *actual,
			    const cJSON *expected)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, expected) {
		const cJSON *there = json_member(actual, member->string);
		size_t len = c->path.len;

		buf_printf(&c->path, "%s%s", len > 0 ? "." : "",
			   member->string);
		if (!there) {
			add_path(c);
			buf_text(c->difference, " is missing, expected ");
			add_value(c->difference, member);
			return false;
		}
		if (!compare(c, there, member))
			return false;
		path_cut(&c->path, len);
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): see compare_objects */
static bool compare_arrays(struct comparison *c, const cJSON *actual,
			   const cJSON *expected)
{
	int there = cJSON_GetArraySize(actual);
	int wanted = cJSON_GetArraySize(expected);
	const cJSON *left = actual->child;
	const cJSON *right = expected->child;

	for (size_t i = 0; left && right; i++) {
		size_t len = c->path.len;

		buf_printf(&c->path, "[%zu]", i);
		if (!compare(c, left, right))
			return false;
		path_cut(&c->path, len);
		left = left->next;
		right = right->next;
	}
	if (there == wanted)
		return true;
	add_path(c);
	buf_printf(c->difference, " has %d item%s, expected %d", there,
		   there == 1 ? "" : "s", wanted);
	return false;
}

/* Text of the peer that is JSON, against JSON, or against text that is JSON too. */
/* NOLINTNEXTLINE(misc-no-recursion): see compare_objects */
static bool compare_text(struct comparison *c, const cJSON *actual,
			 const cJSON *expected)
{
	const char *text = actual->valuestring;
	CLEANUP(json_free_ptr) cJSON *inner = NULL;
	CLEANUP(json_free_ptr) cJSON *wanted = NULL;

	if (cJSON_IsString(expected)) {
		if (strcmp(text, expected->valuestring) == 0)
			return true;
		wanted = json_parse(expected->valuestring,
				    strlen(expected->valuestring), NULL);
		if (!wanted)
			return differ(c, actual, expected);
		expected = wanted;
	}
	inner = json_parse(text, strlen(text), NULL);
	/* What is still text inside is compared as it stands: this ends. */
	if (!inner || (cJSON_IsString(inner) && !json_equal(inner, expected)))
		return differ(c, actual, expected);
	return cJSON_IsString(inner) || compare(c, inner, expected);
}

/* NOLINTNEXTLINE(misc-no-recursion): see compare_objects */
static bool compare(struct comparison *c, const cJSON *actual,
		    const cJSON *expected)
{
	if (cJSON_IsString(actual))
		return compare_text(c, actual, expected);
	if (cJSON_IsObject(actual) && cJSON_IsObject(expected))
		return compare_objects(c, actual, expected);
	if (cJSON_IsArray(actual) && cJSON_IsArray(expected))
		return compare_arrays(c, actual, expected);
	return json_equal(actual, expected) || differ(c, actual, expected);
}

bool expect_contains(const cJSON *actual, const cJSON *expected,
		     struct buf *difference)
{
	struct comparison c = { .difference = difference };
	bool contains;

	buf_reset(difference);
	contains = compare(&c, actual, expected);
	buf_done(&c.path);
	return contains;
}
