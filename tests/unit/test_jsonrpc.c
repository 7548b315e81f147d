/* SPDX-License-Identifier: MIT */
/*
 * wire/jsonrpc: messages classified and encoded, broken ones salvaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/jsonrpc.h"

static void decode(struct message *m, const char *text)
{
	struct error err = { 0 };

	assert_int_equal(message_decode(m, text, strlen(text), &err), 0);
	assert_string_equal(m->text, text);
	assert_int_equal(m->len, strlen(text));
}

static void assert_kind(const char *text, enum message_kind kind)
{
	struct message m;

	decode(&m, text);
	assert_int_equal(m.kind, kind);
	message_done(&m);
}

static void kinds(void **state)
{
	(void)state;
	assert_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
		    MESSAGE_REQUEST);
	assert_kind("{\"id\":null,\"method\":\"ping\"}", MESSAGE_REQUEST);
	assert_kind("{\"method\":\"notifications/x\"}", MESSAGE_NOTIFICATION);
	assert_kind("{\"id\":1,\"result\":{}}", MESSAGE_RESULT);
	assert_kind("{\"id\":1,\"result\":null}", MESSAGE_RESULT);
	assert_kind("{\"id\":1,\"error\":{\"message\":\"x\"}}", MESSAGE_ERROR);
	assert_kind("{\"id\":1,\"error\":null}", MESSAGE_ERROR);
	assert_kind("{\"error\":{}}", MESSAGE_UNKNOWN);
	assert_kind("{\"id\":1}", MESSAGE_UNKNOWN);
	assert_kind("[{\"id\":1,\"result\":{}}]", MESSAGE_BATCH);
	assert_kind("7", MESSAGE_UNKNOWN);
	/* one backend puts these into its requests */
	assert_kind("{\"id\":1,\"method\":\"x\",\"result\":null,"
		    "\"error\":null}",
		    MESSAGE_REQUEST);
	/* names count with case */
	assert_kind("{\"id\":1,\"Result\":{}}", MESSAGE_UNKNOWN);
}

static void both_result_and_error(void **state)
{
	struct message m;

	(void)state;
	decode(&m, "{\"id\":1,\"result\":{},\"error\":{\"message\":\"x\"}}");
	assert_int_equal(m.kind, MESSAGE_ERROR);
	assert_true(m.both);
	message_done(&m);
	decode(&m, "{\"id\":1,\"result\":{},\"error\":null}");
	assert_int_equal(m.kind, MESSAGE_RESULT);
	assert_true(m.both);
	message_done(&m);
}

static void assert_id(const char *text, bool number, int64_t value, bool quoted)
{
	struct message m;

	decode(&m, text);
	assert_int_equal(m.has_number, number);
	assert_int_equal(m.id_was_text, quoted);
	if (number)
		assert_int_equal(m.number, value);
	message_done(&m);
}

static void ids(void **state)
{
	(void)state;
	assert_id("{\"id\":7,\"result\":1}", true, 7, false);
	assert_id("{\"id\":-2147483648,\"result\":1}", true, INT32_MIN, false);
	assert_id("{\"id\":1e3,\"result\":1}", true, 1000, false);
	assert_id("{\"id\":\"7\",\"result\":1}", true, 7, true);
	assert_id("{\"id\":\"seven\",\"result\":1}", false, 0, false);
	assert_id("{\"id\":7.5,\"result\":1}", false, 0, false);
	assert_id("{\"id\":null,\"result\":1}", false, 0, false);
	assert_id("{\"id\":{},\"result\":1}", false, 0, false);
	assert_id("{\"result\":1}", false, 0, false);
}

static void no_json(void **state)
{
	struct error err = { 0 };
	struct message m;

	(void)state;
	assert_int_equal(message_decode(&m, "{\"id\":", 6, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	message_done(&m);
	error_reset(&err);
}

static void taken(void **state)
{
	struct message from, to;

	(void)state;
	decode(&from, "{\"id\":3,\"result\":true}");
	message_take(&to, &from);
	assert_null(from.result);
	assert_null(from.text);
	assert_int_equal(to.number, 3);
	message_done(&from);
	message_done(&to);
}

static void encode(void **state)
{
	struct buf out = { 0 };

	(void)state;
	jsonrpc_request(&out, 5, "tools/call", "{\"name\":\"x\"}");
	assert_string_equal(buf_string(&out),
			    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
			    "\"tools/call\",\"params\":{\"name\":\"x\"}}");
	buf_reset(&out);
	jsonrpc_request(&out, 2147483646, "a\"b", NULL);
	assert_string_equal(buf_string(&out),
			    "{\"jsonrpc\":\"2.0\",\"id\":2147483646,"
			    "\"method\":\"a\\\"b\"}");
	buf_reset(&out);
	jsonrpc_notification(&out, "notifications/initialized", NULL);
	assert_string_equal(buf_string(&out), "{\"jsonrpc\":\"2.0\",\"method\":"
					      "\"notifications/initialized\"}");
	buf_reset(&out);
	jsonrpc_result(&out, "\"x\"", "{}");
	assert_string_equal(buf_string(&out), "{\"jsonrpc\":\"2.0\",\"id\":"
					      "\"x\",\"result\":{}}");
	buf_reset(&out);
	jsonrpc_error(&out, "12345678901234567890", -32601, "no \"x\"");
	assert_string_equal(buf_string(&out),
			    "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,"
			    "\"error\":{\"code\":-32601,\"message\":"
			    "\"no \\\"x\\\"\"}}");
	buf_done(&out);
}

static void salvage(const char *text, struct salvage *out)
{
	jsonrpc_salvage(text, strlen(text), out);
}

/* The replies of firmware 2.4.2 whose message was pasted in unescaped. */
static void salvage_firmware(void **state)
{
	struct salvage s;

	(void)state;
	salvage("{\"jsonrpc\":\"2.0\",\"id\":19,\"error\":{\"message\":"
		"\"Unknown tool: a\"b\\c\nd\"}}",
		&s);
	assert_true(s.has_id && s.is_error && !s.has_code);
	assert_int_equal(s.id, 19);
	assert_string_equal(s.message, "Unknown tool: a\"b\\c\nd");
	salvage_done(&s);
	salvage("{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":{"
		"\"jsonrpc\":\"2.0\",\"id\":20,\"error\":{\"code\":-32602,"
		"\"message\":\"Unknown tool: a\"b\"}}}",
		&s);
	assert_int_equal(s.id, 20);
	assert_true(s.has_code);
	assert_int_equal(s.code, -32602);
	assert_string_equal(s.message, "Unknown tool: a\"b");
	salvage_done(&s);
}

static void salvage_odd(void **state)
{
	struct salvage s;

	(void)state;
	salvage("{\"id\":5,\"result\":{\"content\":[{\"type\":\"te", &s);
	assert_true(s.has_id && !s.is_error);
	assert_null(s.message);
	salvage_done(&s);
	/* cut off inside the message */
	salvage("{\"id\":6,\"error\":{\"message\":\"Unknown to", &s);
	assert_string_equal(s.message, "Unknown to");
	salvage_done(&s);
	/* members in another order, white space, a message that looks like an end */
	salvage("{ \"error\" : { \"message\" : \"a\"}} b\"} , \"id\" : 8 }",
		&s);
	assert_int_equal(s.id, 8);
	assert_string_equal(s.message, "a");
	salvage_done(&s);
	/* both members, as JSON-RPC 1.0 has them: the first counts */
	salvage("{\"id\":7,\"error\":{\"message\":\"a\"b\"},\"result\":null}",
		&s);
	assert_true(s.is_error);
	assert_string_equal(s.message, "a\"b");
	salvage_done(&s);
	salvage("{\"id\":7,\"result\":{\"text\":\"a\"b \"error\":{\"message\":\"c\"}",
		&s);
	assert_true(s.has_id && !s.is_error);
	assert_null(s.message);
	salvage_done(&s);
	/* a code inside the message is text */
	salvage("{\"id\":9,\"error\":{\"message\":\"a\"b \"code\":5\"}}", &s);
	assert_false(s.has_code);
	assert_string_equal(s.message, "a\"b \"code\":5");
	salvage_done(&s);
	salvage("{\"session_id\":\"5\",\"id\":x", &s);
	assert_false(s.has_id);
	salvage_done(&s);
	salvage("", &s);
	assert_false(s.has_id || s.is_error);
	salvage_done(&s);
	salvage("\"id\"", &s);
	assert_false(s.has_id);
	salvage_done(&s);
	salvage("{\"id\":99999999999999999999}", &s);
	assert_false(s.has_id);
	salvage_done(&s);
}

static void code_names(void **state)
{
	(void)state;
	assert_string_equal(jsonrpc_code_name(-32602), "invalid params");
	assert_string_equal(jsonrpc_code_name(-32002), "not found");
	assert_null(jsonrpc_code_name(-32000));
	assert_null(jsonrpc_code_name(-32001));
	assert_null(jsonrpc_code_name(0));
}

static void all_code_names(void **state)
{
	static const struct {
		int code;
		const char *name;
	} rows[] = {
		{ -32700, "parse error" },
		{ -32600, "invalid request" },
		{ -32601, "method not found" },
		{ -32602, "invalid params" },
		{ -32603, "internal error" },
		{ -32002, "not found" },
		{ -32020, "header mismatch" },
		{ -32021, "missing client capability" },
		{ -32022, "unsupported protocol version" },
		{ -32042, "URL elicitation required" },
		{ -32019, NULL },
		{ -32023, NULL },
		{ -32050, NULL },
		{ -32604, NULL },
		{ -32699, NULL },
		{ 32602, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *name = jsonrpc_code_name(rows[i].code);

		if (rows[i].name)
			assert_string_equal(name, rows[i].name);
		else
			assert_null(name);
	}
}

static void assert_span(struct span s, const char *text)
{
	if (!text) {
		assert_null(s.text);
		return;
	}
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.text, text, s.len);
}

/* Where the members stand in what was written. */
static void noted(void **state)
{
	static const struct {
		int32_t id;
		const char *method, *params;
		const char *id_text, *method_text, *params_text;
	} rows[] = {
		{ 0, "x", NULL, "0", "\"x\"", NULL },
		{ -1, "a\"b", "{}", "-1", "\"a\\\"b\"", "{}" },
		{ INT32_MAX, "tools/call", " {\"a\": 1}\n", "2147483647",
		  "\"tools/call\"", "{\"a\": 1}" },
		{ 7, "", "[,]", "7", "\"\"", "[,]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span m[MESSAGE_MEMBERS] = { 0 };
		CLEANUP(buf_done) struct buf out = { 0 }, same = { 0 };

		jsonrpc_request_noted(&out, rows[i].id, rows[i].method,
				      rows[i].params, m);
		jsonrpc_request(&same, rows[i].id, rows[i].method,
				rows[i].params);
		assert_string_equal(buf_string(&out), buf_string(&same));
		assert_span(m[MEMBER_VERSION], "\"2.0\"");
		assert_span(m[MEMBER_ID], rows[i].id_text);
		assert_span(m[MEMBER_METHOD], rows[i].method_text);
		assert_span(m[MEMBER_PARAMS], rows[i].params_text);
		assert_null(m[MEMBER_RESULT].text);
		assert_null(m[MEMBER_ERROR].text);
	}
}

static void salvage_ids(void **state)
{
	static const struct {
		const char *text, *id_text;
		int64_t id;
	} rows[] = {
		{ "{\"id\":\"12\",", "\"12\"", 12 },
		{ "{\"id\":\"12", "\"12", 12 },
		{ "{\"id\":\"12x\"", "\"12", 12 },
		{ "{\"id\":12\"", "12", 12 },
		{ "{\"id\" :\n -5}", "-5", -5 },
		{ "{\"id\":0}", "0", 0 },
		{ "{\"id\":5-5}", "5", 5 },
		{ "{\"id\":109", "109", 109 },
		{ "{\"x\":\"id\",\"id\":7}", "7", 7 },
		{ "{\"id\":9223372036854775807}", "9223372036854775807",
		  INT64_MAX },
		{ "{\"id\":9223372036854775808}", NULL, 0 },
		{ "{\"id\":-}", NULL, 0 },
		{ "{\"id\":\"\"}", NULL, 0 },
		{ "{\"id\":/1}", NULL, 0 },
		{ "{\"id\"::1}", NULL, 0 },
		{ "{\"id\": ", NULL, 0 },
		{ "{\"id\"", NULL, 0 },
		{ "{\"ID\":1}", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct salvage s;

		salvage(rows[i].text, &s);
		assert_int_equal(s.has_id, rows[i].id_text != NULL);
		assert_span(s.id_text, rows[i].id_text);
		if (s.has_id)
			assert_int_equal(s.id, rows[i].id);
		assert_false(s.is_error);
		salvage_done(&s);
		assert_false(s.has_id);
	}
}

/* What stands behind the bytes that came is none of them. */
static void salvage_cut(void **state)
{
	static const char id[] = "{\"id\":\"12345\"";
	static const char message[] = "{\"error\":{\"message\":\"a\"}}";
	struct salvage s;

	(void)state;
	jsonrpc_salvage(id, 8, &s);
	assert_int_equal(s.id, 1);
	assert_span(s.id_text, "\"1");
	salvage_done(&s);
	jsonrpc_salvage(id, 11, &s);
	assert_int_equal(s.id, 1234);
	salvage_done(&s);
	jsonrpc_salvage(id, 12, &s);
	assert_span(s.id_text, "\"12345");
	salvage_done(&s);
	jsonrpc_salvage(message, 20, &s);
	assert_true(s.is_error && !s.message);
	salvage_done(&s);
	jsonrpc_salvage(message, 22, &s);
	assert_string_equal(s.message, "a");
	salvage_done(&s);
}

static void salvage_errors(void **state)
{
	static const struct {
		const char *text, *message;
		bool has_code;
		int code;
	} rows[] = {
		{ "{\"error\":{\"code\":2147483647,\"message\":\"m\"}}", "m",
		  true, INT32_MAX },
		{ "{\"error\":{\"code\":-2147483648,\"message\":\"m\"}}", "m",
		  true, INT32_MIN },
		{ "{\"error\":{\"code\":2147483648,\"message\":\"m\"}}", "m",
		  false, 0 },
		{ "{\"error\":{\"code\":-2147483649,\"message\":\"m\"}}", "m",
		  false, 0 },
		{ "{\"error\":{\"code\":x,\"message\":\"m\"}}", "m", false, 0 },
		{ "{\"error\":{\"code\":5}}", NULL, true, 5 },
		{ "{\"error\":{\"message\":5}}", NULL, false, 0 },
		{ "{\"error\":{\"message\":", NULL, false, 0 },
		{ "{\"error\":{\"message\":\"", "", false, 0 },
		{ "{\"error\":{\"message\":\"\"}", "", false, 0 },
		{ "{\"error\":{\"message\":\"\"}}", "", false, 0 },
		{ "{\"error\":{\"message\":\"a\"}}}}", "a", false, 0 },
		{ "{\"error\":{\"message\":\"a\"}}b\"}}", "a\"}}b", false, 0 },
		{ "{\"error\":{\"message\":\"a\"} b\"} c", "a\"} b", false, 0 },
		{ "{\"code\":4,\"error\":{\"message\":\"a\"}}", "a", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct salvage s;

		salvage(rows[i].text, &s);
		assert_true(s.is_error);
		assert_false(s.has_id);
		if (rows[i].message)
			assert_string_equal(s.message, rows[i].message);
		else
			assert_null(s.message);
		assert_int_equal(s.has_code, rows[i].has_code);
		assert_int_equal(s.code, rows[i].code);
		salvage_done(&s);
		assert_null(s.message);
	}
}

static void member_texts(void **state)
{
	static const struct {
		const char *json;
		size_t size;
		const char *text;
	} rows[] = {
		{ "{\"a\":\"abc\"}", 4, "abc" },
		{ "{\"a\":\"abcd\"}", 4, "abc" },
		{ "{\"a\":\"a\xc3\xa4\"}", 4, "a\xc3\xa4" },
		{ "{\"a\":\"ab\xc3\xa4\"}", 4, "ab" },
		{ "{\"a\":\"\xf0\x9f\x98\x80\"}", 4, "" },
		{ "{\"a\":\"x\"}", 1, "" },
		{ "{\"a\":\"\"}", 4, "" },
		{ "{\"a\":5}", 4, "" },
		{ "{\"A\":\"x\"}", 4, "" },
		{ "[]", 4, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr)
		cJSON *json =
			json_parse(rows[i].json, strlen(rows[i].json), NULL);
		char out[5] = "????";

		member_copy(json, "a", out, rows[i].size);
		assert_string_equal(out, rows[i].text);
		assert_int_equal(out[4], '\0');
	}
}

static void member_numbers(void **state)
{
	static const struct {
		const char *json;
		int number;
	} rows[] = {
		{ "{\"a\":2147483647}", INT32_MAX },
		{ "{\"a\":2147483648}", 0 },
		{ "{\"a\":-2147483648}", INT32_MIN },
		{ "{\"a\":-2147483649}", 0 },
		{ "{\"a\":1}", 1 },
		{ "{\"a\":1.5}", 0 },
		{ "{\"a\":\"5\"}", 0 },
		{ "{}", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr)
		cJSON *json =
			json_parse(rows[i].json, strlen(rows[i].json), NULL);

		assert_int_equal(member_int(json, "a"), rows[i].number);
	}
}

static void error_words(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "{\"id\":1,\"error\":\"plain\"}", "plain" },
		{ "{\"id\":1,\"error\":{\"message\":\"m\"}}", "m" },
		{ "{\"id\":1,\"error\":{\"message\":5}}", NULL },
		{ "{\"id\":1,\"error\":5}", NULL },
		{ "{\"id\":1,\"result\":5}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct message m;

		decode(&m, rows[i].text);
		if (rows[i].words)
			assert_string_equal(message_error_text(&m),
					    rows[i].words);
		else
			assert_null(message_error_text(&m));
		message_done(&m);
	}
}

static void numbers_in_texts(void **state)
{
	static const struct {
		const char *token;
		bool fits;
		int64_t number;
	} rows[] = {
		{ "7", true, 7 },
		{ "\"7\"", true, 7 },
		{ "\"-7\"", true, -7 },
		{ "\"9223372036854775807\"", true, INT64_MAX },
		{ "\"9223372036854775808\"", false, 0 },
		{ "\"\"", false, 0 },
		{ "\"7x\"", false, 0 },
		{ "\"\\u0037\"", true, 7 },
		{ "true", false, 0 },
		{ "7.5", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t n = 0;

		assert_int_equal(
			jsonrpc_number((struct span){ rows[i].token,
						      strlen(rows[i].token) },
				       &n),
			rows[i].fits);
		if (rows[i].fits)
			assert_int_equal(n, rows[i].number);
	}
}

/* What was lent is its own then, part for part. */
static void kept(void **state)
{
	char text[] =
		" {\"id\":\"7\",\"method\":\"m\",\"params\":[1],\"result\":{\"a\":2},\"error\":{\"b\":3}} ";
	const size_t len = strlen(text);
	struct message m;

	(void)state;
	assert_int_equal(message_read(&m, text, len, NULL), 0);
	assert_ptr_equal(m.text, text);
	assert_null(m.result);
	assert_null(m.error);
	assert_int_equal(message_keep(&m, NULL), 0);
	assert_int_equal(message_keep(&m, NULL), 0);
	memset(text, '?', len);
	assert_int_equal(m.len, len);
	assert_ptr_equal(m.text, m.kept);
	assert_span(m.id, "\"7\"");
	assert_span(m.params, "[1]");
	assert_span(m.result_text, "{\"a\":2}");
	assert_span(m.error_text, "{\"b\":3}");
	assert_int_equal(member_int(m.result, "a"), 2);
	assert_int_equal(member_int(m.error, "b"), 3);
	assert_false(m.odd);
	assert_true(m.both);
	message_done(&m);
	assert_null(m.kept);
	assert_int_equal(m.kind, MESSAGE_UNKNOWN);
	decode(&m, "{\"id\":1,\"result\":2}");
	assert_false(m.both);
	message_done(&m);
}

/* Half a surrogate pair is read as U+FFFD; blanks in front change nothing. */
static void odd_texts(void **state)
{
	struct message m;

	(void)state;
	decode(&m, "{\"id\":1,\"result\":{\"a\":\"\\ud800\"}}");
	assert_true(m.odd);
	assert_string_equal(json_string(m.result, "a"), "\xef\xbf\xbd");
	message_done(&m);
	decode(&m, " \n[{\"id\":1,\"method\":\"x\"}]");
	assert_int_equal(m.kind, MESSAGE_BATCH);
	message_done(&m);
	assert_kind("{\"id\":1,\"error\":\"x\",\"result\":1}", MESSAGE_ERROR);
	assert_kind("{\"method\":5,\"id\":1,\"result\":1}", MESSAGE_RESULT);
	assert_kind("{\"result\":1}", MESSAGE_UNKNOWN);
	assert_kind("\"[\"", MESSAGE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(both_result_and_error),
		cmocka_unit_test(ids),
		cmocka_unit_test(no_json),
		cmocka_unit_test(taken),
		cmocka_unit_test(encode),
		cmocka_unit_test(salvage_firmware),
		cmocka_unit_test(salvage_odd),
		cmocka_unit_test(code_names),
		cmocka_unit_test(all_code_names),
		cmocka_unit_test(noted),
		cmocka_unit_test(salvage_ids),
		cmocka_unit_test(salvage_errors),
		cmocka_unit_test(salvage_cut),
		cmocka_unit_test(member_texts),
		cmocka_unit_test(member_numbers),
		cmocka_unit_test(error_words),
		cmocka_unit_test(numbers_in_texts),
		cmocka_unit_test(kept),
		cmocka_unit_test(odd_texts),
	};

	return cmocka_run_group_tests_name("jsonrpc", tests, NULL, NULL);
}
