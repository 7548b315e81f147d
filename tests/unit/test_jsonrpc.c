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
	};

	return cmocka_run_group_tests_name("jsonrpc", tests, NULL, NULL);
}
