/* SPDX-License-Identifier: MIT */
/*
 * wire/envelope: the outer object of the device dialect.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/envelope.h"

static void decode(struct envelope *e, const char *text)
{
	struct error err = { 0 };

	assert_int_equal(envelope_decode(e, text, strlen(text), &err), 0);
}

static void assert_span(struct span s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.text, text, s.len);
}

static void mcp(void **state)
{
	struct envelope e;

	(void)state;
	decode(&e, "{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":"
		   "{\"id\": 1}}");
	assert_span(e.type, "\"mcp\"");
	assert_span(e.session_id, "\"S1\"");
	assert_false(e.camel_case);
	assert_true(envelope_has_object(&e));
	assert_span((struct span){ e.message.text, e.message.len },
		    "{\"id\": 1}");
	envelope_done(&e);
	envelope_done(&e);
}

static void session_ids(void **state)
{
	struct envelope e;

	(void)state;
	decode(&e, "{\"type\":\"mcp\",\"payload\":{}}");
	assert_null(e.session_id.text);
	envelope_done(&e);
	decode(&e, "{\"type\":\"listen\",\"session_id\":\"\"}");
	assert_span(e.session_id, "\"\"");
	assert_false(envelope_has_object(&e));
	envelope_done(&e);
	decode(&e, "{\"type\":\"mcp\",\"sessionId\":\"S2\",\"payload\":{}}");
	assert_span(e.session_id, "\"S2\"");
	assert_true(e.camel_case);
	envelope_done(&e);
	decode(&e, "{\"type\":\"mcp\",\"session_id\":5}");
	assert_null(e.session_id.text);
	envelope_done(&e);
}

static void bare(void **state)
{
	struct envelope e;

	(void)state;
	decode(&e, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	assert_null(e.type.text);
	envelope_done(&e);
	decode(&e, "[{\"id\":1}]");
	assert_null(e.type.text);
	envelope_done(&e);
	/* a member called "type" makes no envelope of JSON-RPC */
	decode(&e, "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"type\":\"mcp\"}");
	assert_null(e.type.text);
	envelope_done(&e);
	decode(&e, "{\"type\":5}");
	assert_null(e.type.text);
	envelope_done(&e);
}

static void payload_is_no_object(void **state)
{
	static const char *const texts[] = {
		"{\"type\":\"mcp\"}",
		"{\"type\":\"mcp\",\"payload\":\"{}\"}",
		"{\"type\":\"mcp\",\"payload\":null}",
		"{\"type\":\"mcp\",\"payload\":[]}",
	};
	struct envelope e;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		decode(&e, texts[i]);
		assert_span(e.type, "\"mcp\"");
		assert_false(envelope_has_object(&e));
		envelope_done(&e);
	}
}

static void refused(void **state)
{
	static const char *const texts[] = {
		"", "5", "\"x\"", "{\"type\":", "{} x", "{\"a\":\"\xff\"}"
	};
	struct error err = { 0 };
	struct envelope e;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(
			envelope_decode(&e, texts[i], strlen(texts[i]), &err),
			-1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		assert_string_equal(err.detail, texts[i]);
		assert_null(e.message.text);
		error_reset(&err);
	}
}

static void encode(void **state)
{
	struct buf out = { 0 };

	(void)state;
	envelope_encode(&out, "S1", "{\"id\":1}", 8);
	assert_string_equal(buf_string(&out),
			    "{\"session_id\":\"S1\",\"type\":\"mcp\","
			    "\"payload\":{\"id\":1}}");
	buf_reset(&out);
	envelope_encode(&out, NULL, "{}", 2);
	assert_string_equal(buf_string(&out),
			    "{\"type\":\"mcp\",\"payload\":{}}");
	buf_done(&out);
}

/* What an envelope of MCP holds; of all else the frame itself. */
static void payloads(void **state)
{
	static const struct {
		const char *frame, *payload;
	} rows[] = {
		{ "{\"type\":\"mcp\",\"payload\":{\"id\":1}}", "{\"id\":1}" },
		{ "{\"payload\": [1] ,\"type\":\"mcp\"}", "[1]" },
		{ "{\"type\":\"mcp\"}", "{\"type\":\"mcp\"}" },
		{ "{\"type\":\"tts\",\"payload\":{}}",
		  "{\"type\":\"tts\",\"payload\":{}}" },
		{ "{\"payload\":{}}", "{\"payload\":{}}" },
		{ "{\"type\":\"mcp\",\"payload\":{}",
		  "{\"type\":\"mcp\",\"payload\":{}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_span(envelope_payload((struct span){
				    rows[i].frame, strlen(rows[i].frame) }),
			    rows[i].payload);
}

static void assert_same(const struct span *a, const struct span *b)
{
	for (size_t i = 0; i < ENVELOPE_MEMBERS; i++) {
		assert_ptr_equal(a[i].text, b[i].text);
		assert_int_equal(a[i].len, b[i].len);
	}
}

/* What was composed stands where a scan finds it. */
static void compose(const char *method, const char *params, bool bare,
		    const char *session_id)
{
	struct span member[MESSAGE_MEMBERS] = { { 0 } }, whole;
	CLEANUP(buf_done) struct buf payload = { 0 };
	CLEANUP(buf_done) struct buf frame = { 0 };
	struct json_places composed, found;
	bool odd;

	jsonrpc_request_noted(&payload, 2147483647, method, params, member);
	if (bare)
		buf_add(&frame, payload.data, payload.len);
	else
		envelope_encode(&frame, session_id, payload.data, payload.len);
	whole = (struct span){ frame.data, frame.len };
	envelope_places(&composed, whole,
			(struct span){ payload.data, payload.len }, member);
	assert_int_equal(
		envelope_scan(&found, &odd, frame.data, frame.len, NULL), 0);
	assert_same(composed.outer, found.outer);
	assert_same(composed.inner, found.inner);
}

static void places(void **state)
{
	static const char *const methods[] = { "tools/call", "", "a\",b\\" };
	static const char *const params[] = { NULL, "{}",
					      " {\"id\":1,\"name\":\"x\"}\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(methods) * COUNT(params); i++) {
		const char *method = methods[i % COUNT(methods)];
		const char *with = params[i / COUNT(methods)];

		compose(method, with, true, NULL);
		compose(method, with, false, NULL);
		compose(method, with, false, "");
		compose(method, with, false, "a\"b, \\c");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mcp),
		cmocka_unit_test(session_ids),
		cmocka_unit_test(bare),
		cmocka_unit_test(payload_is_no_object),
		cmocka_unit_test(refused),
		cmocka_unit_test(encode),
		cmocka_unit_test(places),
		cmocka_unit_test(payloads),
	};

	return cmocka_run_group_tests_name("envelope", tests, NULL, NULL);
}
