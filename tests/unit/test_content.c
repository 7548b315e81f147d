/* SPDX-License-Identifier: MIT */
/* mcp/types: the content of results, odd shapes included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/content.h"
#include "mcp/types.h"

static void decode_text(struct result *r, const char *text)
{
	struct message m;

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	result_decode_take(r, &m);
	/* The message went over. */
	assert_null(m.result);
}

/* A result whose content is this JSON. */
static void decode(struct result *r, const char *content)
{
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
				"\"content\":%s}}",
				content);

	decode_text(r, text);
	mem_free(text);
}

static void texts(void **state)
{
	struct result r;

	(void)state;
	decode(&r, "[{\"type\":\"text\",\"text\":\"true\"},{\"type\":\"text\","
		   "\"text\":\"\"}]");
	assert_int_equal(r.count, 2);
	assert_int_equal(r.content[0].kind, CONTENT_TEXT);
	assert_string_equal(r.content[0].text, "true");
	assert_string_equal(r.content[1].text, "");
	assert_false(r.has_is_error);
	assert_false(r.is_error);
	result_done(&r);
	assert_int_equal(r.count, 0);
}

static void images(void **state)
{
	struct result r;

	(void)state;
	decode(&r,
	       "[{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\","
	       "\"mimeType\":\"image/png\"},{\"type\":\"image\",\"data\":"
	       "\"AAEC?\"},{\"type\":\"image\"},{\"type\":\"audio\",\"data\":"
	       "\"AAEC\",\"mimeType\":\"audio/wav\"}]");
	assert_int_equal(r.count, 4);
	assert_int_equal(r.content[0].kind, CONTENT_IMAGE);
	assert_int_equal(r.content[0].data.len, 8);
	assert_memory_equal(r.content[0].data.data, "\x89PNG\r\n\x1a\n", 8);
	assert_string_equal(r.content[0].mime, "image/png");
	assert_false(r.content[0].bad_data);
	assert_false(r.content[0].wrapped);
	assert_true(r.content[1].bad_data);
	assert_int_equal(r.content[1].data.len, 0);
	assert_null(r.content[1].mime);
	assert_true(r.content[2].bad_data);
	assert_int_equal(r.content[3].kind, CONTENT_AUDIO);
	assert_memory_equal(r.content[3].data.data, "\0\1\2", 3);
	assert_string_equal(r.content[3].mime, "audio/wav");
	result_done(&r);
}

/* device.md 3.6: byte for byte what firmware sends. */
static void wrapped_image(void **state)
{
	struct result r;

	(void)state;
	decode_text(
		&r,
		"{\"jsonrpc\":\"2.0\",\"id\":34,\"result\":{\"content\":[{"
		"\"type\":\"image\",\"image\":\"{\\\"type\\\":\\\"image\\\","
		"\\\"mimeType\\\":\\\"image/png\\\",\\\"data\\\":"
		"\\\"iVBORw0KGgo=\\\"}\"}],\"isError\":false}}");
	assert_int_equal(r.count, 1);
	assert_int_equal(r.content[0].kind, CONTENT_IMAGE);
	assert_true(r.content[0].wrapped);
	assert_false(r.content[0].bad_data);
	assert_string_equal(r.content[0].mime, "image/png");
	assert_int_equal(r.content[0].data.len, 8);
	assert_non_null(r.content[0].inner);
	assert_true(r.has_is_error);
	assert_false(r.is_error || r.odd_is_error);
	result_done(&r);
}

static void broken_wraps(void **state)
{
	struct result r;

	(void)state;
	decode(&r, "[{\"type\":\"image\",\"image\":\"no JSON\"},{\"type\":"
		   "\"image\",\"image\":\"[1]\"},{\"type\":\"image\",\"image\":"
		   "\"{\\\"data\\\":\\\"@\\\"}\"},{\"type\":\"image\","
		   "\"image\":{\"data\":\"AAEC\"}},{\"type\":\"image\","
		   "\"image\":\"{}\",\"data\":\"AAEC\"}]");
	assert_int_equal(r.count, 5);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(r.content[i].kind, CONTENT_IMAGE);
		assert_true(r.content[i].bad_data);
		assert_int_equal(r.content[i].data.len, 0);
	}
	assert_true(r.content[0].wrapped && r.content[1].wrapped);
	assert_null(r.content[0].inner);
	assert_false(r.content[3].wrapped);
	/* MCP's own member wins. */
	assert_false(r.content[4].wrapped || r.content[4].bad_data);
	result_done(&r);
}

static void resources(void **state)
{
	struct result r;

	(void)state;
	decode(&r, "[{\"type\":\"resource_link\",\"uri\":\"file:///a\","
		   "\"mimeType\":\"text/plain\",\"name\":\"a\"},{\"type\":"
		   "\"resource\",\"resource\":{\"uri\":\"x:y\",\"mimeType\":"
		   "\"text/html\",\"text\":\"<p>\"}},{\"type\":\"resource\","
		   "\"resource\":{\"uri\":\"x:z\",\"blob\":\"AAEC\"}},{"
		   "\"type\":\"resource\"}]");
	assert_int_equal(r.content[0].kind, CONTENT_LINK);
	assert_string_equal(r.content[0].text, "file:///a");
	assert_string_equal(r.content[0].mime, "text/plain");
	assert_int_equal(r.content[1].kind, CONTENT_RESOURCE);
	assert_string_equal(r.content[1].text, "x:y");
	assert_string_equal(buf_string(&r.content[1].data), "<p>");
	assert_false(r.content[1].bad_data);
	assert_int_equal(r.content[2].data.len, 3);
	assert_int_equal(r.content[3].kind, CONTENT_RESOURCE);
	assert_null(r.content[3].text);
	assert_true(r.content[3].bad_data);
	result_done(&r);
}

static void unknown_kinds_are_kept(void **state)
{
	struct result r;

	(void)state;
	decode(&r, "[{\"type\":\"hologram\",\"x\":1},7,null,{},{\"type\":5},"
		   "{\"type\":\"text\"},{\"type\":\"Text\",\"text\":\"a\"}]");
	assert_int_equal(r.count, 7);
	for (size_t i = 0; i < r.count; i++) {
		assert_int_equal(r.content[i].kind, CONTENT_UNKNOWN);
		assert_non_null(r.content[i].json);
		assert_null(r.content[i].text);
	}
	result_done(&r);
}

static void assert_is_error(const char *value, bool is_error, bool odd)
{
	char *text =
		mem_printf("{\"id\":1,\"result\":{\"isError\":%s}}", value);
	struct result r;

	decode_text(&r, text);
	assert_true(r.has_is_error);
	assert_int_equal(r.is_error, is_error);
	assert_int_equal(r.odd_is_error, odd);
	result_done(&r);
	mem_free(text);
}

static void is_error(void **state)
{
	(void)state;
	assert_is_error("true", true, false);
	assert_is_error("false", false, false);
	assert_is_error("\"true\"", true, true);
	assert_is_error("\"false\"", false, true);
	assert_is_error("1", true, true);
	assert_is_error("0", false, true);
	assert_is_error("null", false, true);
	assert_is_error("{}", false, true);
}

static void odd_results(void **state)
{
	static const char *const odd[] = {
		"{\"id\":1,\"result\":null}",
		"{\"id\":1,\"result\":7}",
		"{\"id\":1,\"result\":[{\"type\":\"text\",\"text\":\"a\"}]}",
		"{\"id\":1,\"result\":{}}",
		"{\"id\":1,\"result\":{\"content\":{}}}",
		"{\"id\":1,\"result\":{\"content\":\"text\"}}",
		"{\"id\":1,\"result\":{\"content\":[]}}",
		"{\"id\":1,\"error\":{\"message\":\"x\"}}",
		"[1]",
		"7",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++) {
		struct result r;

		decode_text(&r, odd[i]);
		assert_int_equal(r.count, 0);
		assert_false(r.has_is_error);
		assert_string_equal(r.message.text, odd[i]);
		result_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(images),
		cmocka_unit_test(wrapped_image),
		cmocka_unit_test(broken_wraps),
		cmocka_unit_test(resources),
		cmocka_unit_test(unknown_kinds_are_kept),
		cmocka_unit_test(is_error),
		cmocka_unit_test(odd_results),
	};

	mem_init();
	return cmocka_run_group_tests_name("content", tests, NULL, NULL);
}
