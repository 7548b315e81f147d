/* SPDX-License-Identifier: MIT */
/*
 * Contents of resources and messages of prompts, from literal bytes; and the
 * schemas that prompts and templates are checked by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/catalog_file.h"
#include "mcp/content.h"

static struct message reply(const char *result)
{
	struct message m = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
				result);

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	return m;
}

static void test_contents(void **state)
{
	struct message m = reply(
		"{\"contents\":[{\"uri\":\"a:1\",\"mimeType\":\"text/plain\","
		"\"text\":\"one\"},{\"uri\":\"a:2\",\"blob\":\"AAEC\"},"
		"{\"uri\":\"a:3\"},{\"blob\":\"?\"},7]}");
	struct result r;

	(void)state;
	assert_int_equal(contents_decode_take(&r, &m, NULL), 0);
	assert_int_equal(r.count, 5);
	assert_int_equal(r.content[0].kind, CONTENT_RESOURCE);
	assert_string_equal(r.content[0].text, "a:1");
	assert_string_equal(r.content[0].inside, "one");
	assert_string_equal(r.content[0].mime, "text/plain");
	assert_int_equal(r.content[0].data.len, 3);
	assert_null(r.content[1].inside);
	assert_int_equal(r.content[1].data.len, 3);
	assert_memory_equal(r.content[1].data.data, "\0\1\2", 3);
	assert_int_equal(r.content[2].kind, CONTENT_UNKNOWN);
	assert_int_equal(r.content[3].kind, CONTENT_RESOURCE);
	assert_true(r.content[3].bad_data);
	assert_null(r.content[3].text);
	assert_int_equal(r.content[4].kind, CONTENT_UNKNOWN);
	result_done(&r);
}

static void test_no_contents(void **state)
{
	static const char *const wrong[] = { "{}", "[]", "null",
					     "{\"contents\":{}}" };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct message m = reply(wrong[i]), n = reply(wrong[i]);
		struct result r;

		assert_int_equal(contents_decode_take(&r, &m, &err), -1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		assert_non_null(strstr(err.detail, "jsonrpc"));
		assert_int_equal(r.count, 0);
		result_done(&r);
		assert_int_equal(messages_decode_take(&r, &n, &err), -1);
		assert_non_null(strstr(err.text, "'messages'"));
		result_done(&r);
	}
	error_reset(&err);
}

static void test_messages(void **state)
{
	struct message m = reply(
		"{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
		"\"text\",\"text\":\"hi\"}},{\"role\":\"assistant\","
		"\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
		"\"audio\",\"data\":\"AA==\",\"mimeType\":\"audio/wav\"}]},"
		"{\"content\":\"bare\"},{\"role\":5},\"odd\"]}");
	struct result r;

	(void)state;
	assert_int_equal(messages_decode_take(&r, &m, NULL), 0);
	assert_int_equal(r.count, 6);
	assert_string_equal(r.content[0].role, "user");
	assert_string_equal(r.content[0].text, "hi");
	assert_string_equal(r.content[1].role, "assistant");
	assert_string_equal(r.content[2].role, "assistant");
	assert_int_equal(r.content[2].kind, CONTENT_AUDIO);
	assert_int_equal(r.content[2].data.len, 1);
	assert_null(r.content[3].role);
	assert_int_equal(r.content[3].kind, CONTENT_TEXT);
	assert_string_equal(r.content[3].text, "bare");
	assert_int_equal(r.content[4].kind, CONTENT_UNKNOWN);
	assert_int_equal(r.content[5].kind, CONTENT_TEXT);
	result_done(&r);
}

/* The schema of one item, given as its JSON, as text. */
static char *schema_of(enum list_kind kind, const char *key, const char *text)
{
	cJSON *json = json_parse(text, strlen(text), NULL), *schema;
	const struct list_item item = { .key = key, .json = json };
	struct buf out = { 0 };

	assert_non_null(json);
	schema = item_schema(kind, &item);
	json_print(&out, schema);
	cJSON_Delete(schema);
	cJSON_Delete(json);
	return buf_take(&out);
}

static void test_prompt_schema(void **state)
{
	char *text = schema_of(LIST_PROMPTS, "p",
			       "{\"arguments\":[{\"name\":\"a\",\"required\":"
			       "true,\"description\":\"A\"},{\"name\":\"b\"},"
			       "{\"name\":\"a\"},{\"x\":1},2]}");

	(void)state;
	assert_string_equal(
		text, "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
		      "\"string\",\"description\":\"A\"},\"b\":{\"type\":"
		      "\"string\"}},\"required\":[\"a\"],"
		      "\"additionalProperties\":false}");
	mem_free(text);
}

static void template_has(const char *template, const char *properties)
{
	char *text = schema_of(LIST_TEMPLATES, template, "{}");
	CLEANUP(mem_free_ptr)
	char *wanted = mem_printf("\"properties\":{%s}", properties);

	if (!strstr(text, wanted))
		fail_msg("%s: %s", template, text);
	mem_free(text);
}

static void test_template_schema(void **state)
{
	(void)state;
	template_has("a://{x}/b", "\"x\":{\"type\":\"string\"}");
	template_has("a://{+path*}{?q,r:3}",
		     "\"path\":{\"type\":\"string\"},\"q\":{\"type\":"
		     "\"string\"},\"r\":{\"type\":\"string\"}");
	template_has("a://{x}{x}", "\"x\":{\"type\":\"string\"}");
	template_has("a://", "");
	template_has("a://{}{,}{?}", "");
	template_has("a://}{x", "");
	template_has("a://{x{y}", "\"x{y\":{\"type\":\"string\"}");
}

static void test_as_tool(void **state)
{
	const struct list_item item = { .key = "a\"b", .title = "T" };
	struct buf out = { 0 };

	(void)state;
	item_as_tool(&out, LIST_RESOURCES, &item);
	assert_string_equal(
		buf_string(&out),
		"{\"name\":\"a\\\"b\",\"description\":\"T\",\"inputSchema\":{"
		"\"type\":\"object\",\"properties\":{},\"required\":[],"
		"\"additionalProperties\":false}}");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_no_contents),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_prompt_schema),
		cmocka_unit_test(test_template_schema),
		cmocka_unit_test(test_as_tool),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
