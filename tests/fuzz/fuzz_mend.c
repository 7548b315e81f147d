/* SPDX-License-Identifier: MIT */
/*
 * Up to three lines: tools (the inside of "tools":[…]), a result of tools/call,
 * arguments. What a host gets of them is JSON of the right shape, bounded, with
 * names that it takes, each once, and its arguments find back to the device's.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "bridge/catalogue.h"
#include "bridge/host_rules.h"
#include "bridge/mend.h"
#include "bridge/mend_result.h"
#include "bridge/mend_schema.h"
#include "bridge/tool_names.h"
#include "mcp/schema_look.h"
#include "mcp/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next line; empty behind the last. */
static struct span next_line(const char **at, const char *end)
{
	const char *start = *at;
	const char *stop =
		start < end ? memchr(start, '\n', (size_t)(end - start)) : NULL;

	if (!stop)
		stop = end;
	*at = stop < end ? stop + 1 : end;
	return (struct span){ start, (size_t)(stop - start) };
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static void check_name(const char *name, enum bridge_names names)
{
	size_t len = strlen(name);

	assert(len > 0 && len <= 128 && text_is_utf8(name, len));
	if (names != BRIDGE_FLAT)
		return;
	assert(len <= FLAT_NAME_MAX);
	for (; *name; name++)
		assert(is_plain(*name));
}

/* What was mended needs nothing more; where much was cut or added, it may. */
static void check_schema(const cJSON *schema, bool changed)
{
	CLEANUP(json_free_ptr) cJSON *again = mend_schema(schema);
	const char *type = json_string(schema, "type");

	assert(type && strcmp(type, "object") == 0);
	assert(json_object(schema, "properties"));
	assert(changed || json_equal(schema, again));
}

static void check_tool(const struct bridge_catalogue *c,
		       const struct bridge_tool *t, enum bridge_names names)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *description;

	assert((t->name == NULL) == (t->why != NULL));
	assert((t->name == NULL) == (t->json == NULL));
	if (!t->name)
		return;
	check_name(t->name, names);
	assert(bridge_catalogue_find(c, t->name) == t);
	json = json_parse(t->json, strlen(t->json), NULL);
	assert(json && text_is_utf8(t->json, strlen(t->json)));
	description = json_string(json, "description");
	assert(description && *description &&
	       strlen(description) <= (size_t)4 * MEND_TEXT_MAX);
	check_schema(json_object(json, "inputSchema"), strlen(t->json));
}

static void check_hosts(const struct bridge_catalogue *c)
{
	struct host_verdicts v;

	host_verdicts_find(&v, c, "mcpctl");
	for (size_t i = 0; i < v.count; i++) {
		CLEANUP(buf_done) struct buf words = { 0 };

		assert(v.item[i].refused == 0 && v.item[i].tools == c->shown);
		host_verdict_words(&words, &v.item[i]);
		assert(words.len > 0);
	}
	host_verdicts_done(&v);
}

/* The same tools on two boards; by every rule of names, merged and not. */
static void check_tools(const struct tool_list *list)
{
	const struct bridge_source source[] = {
		{ .prefix = "kitchen",
		  .id = "1",
		  .tools = list,
		  .device = true },
		{ .prefix = "hall",
		  .id = "2",
		  .tools = list,
		  .away = "asleep" },
	};

	for (unsigned i = 0; i < 6; i++) {
		struct bridge_rules rules = { .names = (enum bridge_names)(i %
									   3),
					      .merge = i > 2,
					      .user_tools = i & 1,
					      .most = i == 4 ? 3 : 0 };
		struct bridge_catalogue c;

		bridge_catalogue_make(&c, source, i == 3 ? 1 : 2, &rules);
		for (size_t t = 0; t < c.count; t++)
			check_tool(&c, &c.tool[t], rules.names);
		if (rules.names == BRIDGE_FLAT)
			check_hosts(&c);
		bridge_catalogue_done(&c);
	}
}

static void fuzz_tools(struct span line)
{
	CLEANUP(tool_list_done) struct tool_list list = { 0 };

	if (tool_list_add_text(&list, line.text, line.len, NULL) == 0 &&
	    list.count <= 200)
		check_tools(&list);
}

static void check_result(const cJSON *result, size_t most)
{
	const struct mend_rules rules = { .most = most,
					  .false_is_error = most & 1 };
	static const struct mend_photo photos[] = {
		{ "/9j/4AAQSkZJRg==", NULL },
		{ "iVBORw0KGgo=", NULL },
		{ "not base64!", NULL },
		{ NULL, "none came" },
		{ NULL, NULL },
	};
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *mended = NULL;
	const cJSON *item;

	mend_result(&text, result, &rules, &photos[most % COUNT(photos)]);
	assert(text.len <=
	       (most < MEND_RESULT_LEAST ? MEND_RESULT_LEAST : most));
	mended = json_parse(text.data, text.len, NULL);
	assert(mended && cJSON_IsBool(json_member(mended, "isError")));
	assert(json_array(mended, "content"));
	cJSON_ArrayForEach(item, json_array(mended, "content")) {
		assert(json_string(item, "type"));
	}
}

static void fuzz_result(struct span line)
{
	CLEANUP(json_free_ptr)
	cJSON *result = json_parse(line.text, line.len, NULL);
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error err = { 0 };

	if (!result)
		return;
	check_result(result, 700);
	check_result(result, 8191);
	error_set(&err, ERR_PEER, "%.*s", (int)line.len, line.text);
	mend_failure(&text, &err, result);
	assert(json_check(text.data, text.len, NULL) == 0);
	error_reset(&err);
}

/* Each name that a host is told stands for one that the device has. */
static void fuzz_arguments(struct span line)
{
	CLEANUP(json_free_ptr)
	cJSON *schema = json_parse(line.text, line.len, NULL);
	CLEANUP(json_free_ptr) cJSON *mended = mend_schema(schema);
	CLEANUP(json_free_ptr)
	cJSON *back = mend_arguments(schema, json_object(mended, "properties"));
	const cJSON *one;

	cJSON_ArrayForEach(one, back) {
		assert(schema_property(schema, schema, one->string));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;

	fuzz_tools(next_line(&at, end));
	fuzz_result(next_line(&at, end));
	fuzz_arguments(next_line(&at, end));
	return 0;
}
