/* SPDX-License-Identifier: MIT */
#include "cli/expect.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/query.h"
#include "base/utf8.h"
#include "cli/operand.h"
#include "mcp/result_value.h"

/* Does a result contain what was expected of it? The first difference in words. */

#define VALUE_MAX 200
#define SHOWN_MAX 1000 /* bytes of a value in a message */

struct comparison {
	struct buf path;
	struct buf *difference;
};

static bool compare(struct comparison *c, const cJSON *actual,
		    const cJSON *expected);

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
	json_print_cut(c->difference, actual, VALUE_MAX);
	buf_text(c->difference, ", expected ");
	json_print_cut(c->difference, expected, VALUE_MAX);
	return false;
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
			json_print_cut(c->difference, member, VALUE_MAX);
			return false;
		}
		if (!compare(c, there, member))
			return false;
		buf_cut(&c->path, len);
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
		buf_cut(&c->path, len);
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

int expectation_open(struct expectation *e, struct app *app, const char *json,
		     const char *expression, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	*e = (struct expectation){ .timeout = app_query_timeout(app) };
	if (json) {
		if (operand_json(app, json, "--expect", &text, err))
			return -1;
		e->json = json_parse(buf_string(&text), text.len, err);
		if (!e->json)
			return -1;
	}
	if (!expression || query_new(&e->query, expression, err) == 0)
		return 0;
	return error_prefix(err, "--expect-jq");
}

void expectation_done(struct expectation *e)
{
	json_free_ptr(&e->json);
	query_free(e->query);
	*e = (struct expectation){ 0 };
}

static int check_json(const struct expectation *e, const struct result *result,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf difference = { 0 };

	if (!e->json || expect_met(result, e->json, &difference))
		return 0;
	error_set(err, ERR_UNMET, "the result is not as expected");
	return error_detail(err, buf_string(&difference), difference.len);
}

static void add_shown(struct buf *out, const char *text, size_t len)
{
	buf_add(out, text, text_cut(text, len, SHOWN_MAX));
	buf_text(out, len > SHOWN_MAX ? "…" : "");
}

/* "EXPR gives false; the value is {…}" */
static int not_true(const struct expectation *e,
		    const struct query_outputs *outputs,
		    const struct buf *value, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *expression = query_text(e->query);

	add_shown(&text, expression, strlen(expression));
	buf_text(&text, " gives ");
	if (outputs->count)
		add_shown(&text,
			  outputs->text.data +
				  outputs->item[outputs->count - 1].at,
			  outputs->item[outputs->count - 1].len);
	else
		buf_text(&text, "nothing");
	buf_text(&text, "; the value is ");
	add_shown(&text, buf_string(value), value->len);
	error_set(err, ERR_UNMET, "the result is not as expected");
	return error_detail(err, text.data, text.len);
}

static int check_query(const struct expectation *e, const struct buf *value,
		       struct span line, struct error *err)
{
	CLEANUP(query_outputs_done) struct query_outputs outputs = { 0 };

	if (query_run(e->query, (struct span){ value->data, value->len }, line,
		      e->timeout, &outputs, err))
		return error_prefix(err, "--expect-jq");
	if (outputs.count && query_output_is_true(&outputs, outputs.count - 1))
		return 0;
	return not_true(e, &outputs, value, err);
}

int expectation_check(const struct expectation *e, const struct result *result,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	const struct span all = { result->message.text, result->message.len };
	struct span line = { "null", 4 };

	if (check_json(e, result, err))
		return -1;
	if (!e->query)
		return 0;
	result_value(&value, result);
	if (all.text)
		json_span_member(all, "result", &line);
	return check_query(e, &value, line, err);
}

int expectation_check_reply(const struct expectation *e,
			    const struct message *reply, struct error *err)
{
	const struct span all = { reply->text, reply->len };
	CLEANUP(buf_done) struct buf value = { 0 };
	struct span result = { "null", 4 };

	if (!e->query)
		return 0;
	if (all.text)
		json_span_member(all, "result", &result);
	json_minify(&value, result.text, result.len);
	return check_query(e, &value, (struct span){ 0 }, err);
}

void expectation_fail(struct error *row, const struct error *why)
{
	if (why->detail)
		error_set(row, why->kind, "not as expected: %s", why->detail);
	else
		error_copy(row, why);
}
