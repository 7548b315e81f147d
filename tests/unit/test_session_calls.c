/* SPDX-License-Identifier: MIT */
/*
 * rpc/session over a fake transport: calls, and replies in every order and
 * shape.
 */
#include "session_harness.h"

#include "net/head.h"

#include <signal.h>

#include "rpc/session_calls.h"

/* calls */

static void result(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	fake_push(FAKE_TEXT, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\": {}}",
		  10);
	assert_int_equal(call_peer(&c, "tools/list", "{\"a\":1}", &err), 0);
	assert_string_equal(fake.sent[0],
			    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			    "\"tools/list\",\"params\":{\"a\":1}}");
	assert_string_equal(c.reply.text,
			    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\": {}}");
	assert_true(c.done && c.ended_us >= c.started_us);
	assert_int_equal(seen_count, 0);
	call_done(&c);
}

static void any_order(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 }, b = { 0 }, c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	start(&a, "slow");
	start(&b, "quick");
	start(&c, "middle");
	fake_text("{\"id\":3,\"result\":\"c\"}");
	fake_text("{\"id\":2,\"result\":\"b\"}");
	fake_push(FAKE_TEXT, "{\"id\":1,\"result\":\"a\"}", 100);
	wait_either(&a, &b);
	assert_true(b.done && !a.done);
	assert_int_equal(session_wait(session, &a, &err), 0);
	assert_int_equal(session_wait(session, &b, &err), 0);
	assert_int_equal(session_wait(session, &c, &err), 0);
	assert_string_equal(a.reply.result->valuestring, "a");
	assert_string_equal(b.reply.result->valuestring, "b");
	assert_string_equal(c.reply.result->valuestring, "c");
	assert_null(session->calls);
	call_done(&a);
	call_done(&b);
	call_done(&c);
}

static void start_raw(struct call *c, const char *payload, int32_t id,
		      const char *token)
{
	struct error err = { 0 };
	const struct raw_request rq = { .method = "odd",
					.payload = { payload, strlen(payload) },
					.id = id,
					.token = token };

	assert_int_equal(session_start_raw(session, c, &rq, &err), 0);
}

/* Of the caller's making: sent as it is, found by number or by token. */
static void raw(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 }, b = { 0 }, c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	start_raw(&a, "{\"id\":0,\"x\":null}", 0, NULL);
	assert_string_equal(fake.sent[fake.sent_count - 1],
			    "{\"id\":0,\"x\":null}");
	start_raw(&b, "{\"id\":\"b\"}", 999, "\"b\"");
	start_raw(&c, "{\"id\":7.5}", 7, "7.5");
	fake_text("{\"id\":7.5,\"result\":\"c\"}");
	fake_text("{\"id\":\"b\",\"result\":\"b\"}");
	fake_text("{\"id\":0,\"result\":\"a\"}");
	assert_int_equal(session_wait(session, &a, &err), 0);
	assert_int_equal(session_wait(session, &b, &err), 0);
	assert_int_equal(session_wait(session, &c, &err), 0);
	assert_string_equal(b.reply.result->valuestring, "b");
	assert_string_equal(c.reply.result->valuestring, "c");
	/* Firmware answers with the whole part. */
	start_raw(&c, "{\"id\":7.5}", 7, "7.5");
	fake_text("{\"id\":7,\"result\":1}");
	assert_int_equal(session_wait(session, &c, &err), 0);
	assert_int_equal(seen_count, 0);
	call_done(&a);
	call_done(&b);
	call_done(&c);
}

/* An id that was used is not used again, nor by the next request. */
static void raw_counts(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 }, b = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	assert_int_equal(session_next_id(session), 1);
	start_raw(&a, "{\"id\":1,\"x\":null}", 1, NULL);
	fake_text("{\"id\":1,\"result\":\"a\"}");
	assert_int_equal(session_wait(session, &a, &err), 0);
	assert_int_equal(session_next_id(session), 2);
	start(&b, "x");
	assert_int_equal(b.id, 2);
	session_forget(session, &b);
	call_done(&a);
	call_done(&b);
}

/* A topic that others use too: their replies are not for this call, nor news. */
static void shared(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };
	char reply[64];

	(void)state;
	fake.peer.shared = true;
	with_engine();
	open_up(DIALECT_PLAIN);
	assert_int_not_equal(session->next_id, 1);
	start(&c, "x");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"theirs\"}");
	fake_text(
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"message\":\"a \"b\"\"}}");
	snprintf(reply, sizeof(reply),
		 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":\"ours\"}",
		 (int)c.id);
	fake_push(FAKE_TEXT, reply, 20);
	assert_int_equal(session_wait(session, &c, &err), 0);
	assert_string_equal(c.reply.result->valuestring, "ours");
	assert_int_equal(seen_count, 0);
	/* But twice the same is. */
	fake_text(reply);
	watch(20);
	assert_found("D123", 0, " after the first");
	assert_int_equal(seen_count, 1);
	call_done(&c);
}

static void assert_error(const char *reply, const char *text, bool has_code)
{
	struct error err = { 0 };
	struct call c = { 0 };

	fake_reset();
	open_up(DIALECT_PLAIN);
	fake_text(reply);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_string_equal(err.text, text);
	assert_int_equal(err.has_code, has_code);
	assert_int_equal(c.reply.kind, MESSAGE_ERROR);
	call_done(&c);
	error_reset(&err);
	session_free(session);
	session = NULL;
}

static void errors(void **state)
{
	(void)state;
	assert_error("{\"id\":1,\"error\":{\"message\":\"Missing params\"}}",
		     "Missing params", false);
	assert_error("{\"id\":1,\"error\":{\"code\":-32602,\"message\":"
		     "\"Property 'volume': value 101 exceeds maximum 100\"}}",
		     "invalid params (-32602): Property 'volume': value 101 "
		     "exceeds maximum 100",
		     true);
	/* its name once */
	assert_error("{\"id\":1,\"error\":{\"code\":-32602,\"message\":"
		     "\"Invalid params: no 'x'\"}}",
		     "invalid params (-32602): no 'x'", true);
	assert_error("{\"id\":1,\"error\":{\"code\":-32601,\"message\":"
		     "\"Method not found\"}}",
		     "Method not found (-32601)", true);
	assert_error("{\"id\":1,\"error\":{\"code\":-32603,\"message\":"
		     "\"Internal errors\"}}",
		     "internal error (-32603): Internal errors", true);
	assert_error("{\"id\":1,\"error\":{\"code\":-32000,\"message\":"
		     "\"busy\"}}",
		     "error -32000: busy", true);
	assert_error("{\"id\":1,\"error\":{\"code\":5}}",
		     "error 5: the peer sent an error without a message", true);
	assert_error("{\"id\":1,\"error\":\"plain text\"}", "plain text",
		     false);
	assert_error("{\"id\":1,\"error\":null}",
		     "the peer sent an error without a message", false);
	assert_error("{\"id\":1,\"error\":{\"code\":\"x\",\"message\":\"m\"}}",
		     "m", false);
}

static void error_details(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };
	CLEANUP(buf_done) struct buf reply = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	fake_text("{\"id\":1,\"error\":{\"code\":-32602,\"message\":\"m\","
		  "\"data\":{\"at\": 5}}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(err.code, -32602);
	assert_string_equal(err.detail, "{\"at\": 5}");
	/* a message that does not fit stays whole in the detail */
	buf_text(&reply, "{\"id\":2,\"error\":{\"message\":\"");
	for (int i = 0; i < 1000; i++)
		buf_char(&reply, 'x');
	buf_text(&reply, "\"}}");
	fake_text(buf_string(&reply));
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(strlen(err.detail), 1000);
	call_done(&c);
	error_reset(&err);
}

static void broken_error(void **state)
{
	static const char raw[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":"
		"\"Unknown tool: a\"b\\c\nd\"}}";
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	fake_text(raw);
	assert_int_equal(call_peer(&c, "tools/call", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_string_equal(err.text, "Unknown tool: a\"b\\c\nd");
	assert_part(err.hint, "JSON of this reply is broken");
	/* Not every peer is firmware. */
	assert_null(strstr(err.hint, "firmware"));
	assert_string_equal(err.detail, raw);
	assert_string_equal(c.broken, raw);
	assert_null(c.reply.text);
	assert_int_equal(seen_count, 0);
	call_done(&c);
	/* with the code of newer firmware */
	fake_text(
		"{\"id\":2,\"error\":{\"code\":-32602,\"message\":\"a\"b\"}}");
	assert_int_equal(call_peer(&c, "tools/call", NULL, &err), -1);
	assert_string_equal(err.text, "invalid params (-32602): a\"b");
	call_done(&c);
	error_reset(&err);
}

static void broken_error_of_a_device(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_DEVICE);
	fake_text(
		"{\"session_id\":\"S\",\"type\":\"mcp\",\"payload\":{\"id\":1,"
		"\"error\":{\"message\":\"a\"b\"}}}");
	assert_int_equal(call_peer(&c, "tools/call", NULL, &err), -1);
	assert_part(err.hint, "firmware pastes error texts in");
	call_done(&c);
	error_reset(&err);
}

/* A list is no call that runs: another one may stand in its way. */
static void silence_of_a_device(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 50;
	open_up(DIALECT_DEVICE);
	assert_int_equal(call_peer(&c, "tools/list", NULL, &err), -1);
	assert_null(strstr(err.hint, "the call may still be running"));
	assert_part(err.hint, "one tool at a time");
	call_done(&c);
	c.subject = mem_strdup("self.x");
	assert_int_equal(call_peer(&c, "tools/call", NULL, &err), -1);
	assert_part(err.hint, "the call may still be running");
	call_done(&c);
	error_reset(&err);
}

static void broken_result(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	c.subject = mem_strdup("self.x");
	fake_text("{\"id\":1,\"result\":{\"content\":[");
	assert_int_equal(call_peer(&c, "tools/call", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_part(err.text, "the reply to 'tools/call self.x' is broken");
	assert_string_equal(err.detail, "{\"id\":1,\"result\":{\"content\":[");
	call_done(&c);
	error_reset(&err);
}

static void broken_without_call(void **state)
{
	struct call c = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	start(&c, "x");
	fake_text("{\"id\":99,\"error\":{\"message\":\"a\"b\"}}");
	fake_text("nonsense");
	fake_push_bytes(FAKE_TEXT, "{\0xx", 4, 0);
	watch(20);
	assert_false(c.done);
	assert_string_equal(assert_found("D143", 0, "no JSON at byte ")->text,
			    "{\"id\":99,\"error\":{\"message\":\"a\"b\"}}");
	assert_string_equal(assert_found("D143", 1, "no JSON at byte 0")->text,
			    "nonsense");
	assert_int_equal(assert_found("D143", 2, "a NUL byte")->len, 4);
	assert_memory_equal(assert_found("D143", 2, "")->text, "{\0xx", 5);
	session_forget(session, &c);
	fake_text("{\"id\":1,\"error\":{\"message\":\"a\"b\"}}");
	watch(20);
	assert_found("D124", 0, "in answer to x, which is over");
	call_done(&c);
}

static void time_over(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 1000;
	with_engine();
	open_up(DIALECT_DEVICE);
	fake_push(FAKE_BINARY, "x", 500);
	fake_push(FAKE_BINARY, "x", 600);
	c.subject = mem_strdup("self.x");
	assert_int_equal(
		call_peer(&c, "tools/call", "{\"name\":\"self.x\"}", &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.text,
			    "no reply to 'tools/call self.x' within 1 s");
	assert_part(err.hint, "last heard: audio ");
	assert_part(err.hint, " ago, 2 frames; 1 message;");
	assert_part(err.hint, "one tool at a time");
	assert_part(err.hint, "65,535 bytes");
	call_done(&c);
	/* the reply comes after all, and then again */
	fake_text("{\"type\":\"mcp\",\"payload\":{\"id\":1,\"result\":{}}}");
	fake_text("{\"type\":\"mcp\",\"payload\":{\"id\":1,\"result\":{}}}");
	watch(20);
	assert_found("B250", 0, "id 1 (self.x), late by ");
	assert_found("D123", 0, "id 1 (self.x), ");
	assert_found("D123", 0, " after the first");
	error_reset(&err);
}

static void time_over_in_silence(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 20;
	open_up(DIALECT_PLAIN);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	/* The transport knows more of it. */
	assert_part(err.hint, "nothing came at all");
	call_done(&c);
	fake_push(FAKE_TEXT, "{\"method\":\"n\"}", 5);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_part(err.hint, "last heard: a message ");
	assert_part(err.hint, " ago; 1 message;");
	call_done(&c);
	error_reset(&err);
}

static void assert_silence(const char *method, const char *subject,
			   const char *params, const char *hint)
{
	struct error err = { 0 };
	struct call c = { .subject = mem_strdup(subject) };

	assert_int_equal(call_peer(&c, method, params, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_part(err.hint, hint);
	call_done(&c);
	error_reset(&err);
}

static void never_answered(void **state)
{
	(void)state;
	config.timeout = 10;
	open_up(DIALECT_DEVICE);
	assert_silence("tools/call", "self.reboot", "{}",
		       "firmware never answers 'self.reboot'");
	assert_silence("tools/call", "self.upgrade_firmware", "{}",
		       "firmware never answers 'self.upgrade_firmware'");
	assert_silence("tools/call", "self.system.reconfigure_wifi", "{}",
		       "firmware never answers "
		       "'self.system.reconfigure_wifi'");
	assert_silence("ping", NULL, "null", "params are no object");
	assert_silence("notifications/x", NULL, NULL,
		       "starts with 'notifications'");
}

/* A server is told that nobody waits any more; never of initialize. */
static void time_over_is_told(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 20;
	open_up(DIALECT_PLAIN);
	assert_int_equal(call_peer(&c, "initialize", "{}", &err), -1);
	assert_int_equal(fake.sent_count, 1);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(fake.sent_count, 3);
	assert_string_equal(fake.sent[2],
			    "{\"jsonrpc\":\"2.0\",\"method\":"
			    "\"notifications/cancelled\",\"params\":{"
			    "\"requestId\":2,\"reason\":\"time over\"}}");
	assert_int_equal(fake.forgotten_count, 2);
	assert_int_equal(fake.forgotten[0], 1);
	assert_int_equal(fake.forgotten[1], 2);
	start(&c, "x");
	session_forget(session, &c);
	session_forget(session, &c);
	assert_int_equal(fake.forgotten_count, 3);
	assert_int_equal(fake.forgotten[2], 3);
	call_done(&c);
	error_reset(&err);
}

static void push_progress(const char *token, int64_t delay)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"method\":\"notifications/progress\","
				"\"params\":{\"progressToken\":%s,"
				"\"progress\":1}}",
				token);

	fake_push(FAKE_TEXT, text, delay);
}

/* The reply comes after three times the timeout. */
static void progress_gives_time(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 400;
	open_up(DIALECT_PLAIN);
	for (int i = 1; i <= 7; i++)
		push_progress(i % 2 ? "1" : "\"1\"", i * 150);
	fake_push(FAKE_TEXT, "{\"id\":1,\"result\":{}}", 1200);
	assert_int_equal(call_peer(&c, "x", NULL, &err), 0);
	assert_int_equal(c.progress, 7);
	assert_non_null(find_event(EVENT_NOTIFICATION, 6));
	/* of others, and of nothing */
	push_progress("1", 100);
	push_progress("99", 100);
	push_progress("{}", 100);
	push_progress("\"x\"", 100);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_int_equal(c.progress, 0);
	call_done(&c);
	error_reset(&err);
}

/* But not for ever. */
static void progress_has_an_end(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 60;
	open_up(DIALECT_PLAIN);
	start(&c, "x");
	for (int i = 0; i < 62; i++)
		push_progress("1", i * 32);
	assert_in_range(c.latest - c.deadline, 29 * 60, 29 * 60 + 5);
	assert_int_equal(session_wait(session, &c, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_true(c.deadline <= c.latest);
	if (c.deadline == c.latest)
		assert_string_equal(err.text, "no reply to 'x' within 1.8 s, "
					      "for all its progress");
	else
		assert_part(err.text, "after its last progress");
	call_done(&c);
	error_reset(&err);
}

static void held_until(void *owner)
{
	(void)owner;
	session_hold(session, false);
}

/* Somebody thinks for three timeouts; what began meanwhile has its time too. */
static void clocks_stand_still(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 }, b = { 0 };
	static struct timer timer;

	(void)state;
	config.timeout = 200;
	open_up(DIALECT_PLAIN);
	start(&a, "x");
	session_hold(session, true);
	session_hold(session, true);
	session_hold(session, false);
	assert_true(session_next_deadline(session) == LOOP_FOREVER);
	watch(300);
	start(&b, "y");
	watch(300);
	assert_false(a.done || b.done);
	timer_open(&timer, loop, held_until, NULL);
	timer_start(&timer, 10);
	wait_either(&a, &b);
	assert_int_equal(a.failure.kind, ERR_TIMEOUT);
	assert_true(a.ended_us - a.started_us >= 790 * 1000);
	assert_int_equal(session_wait(session, &b, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_true(b.ended_us - b.started_us >= 490 * 1000);
	/* one too many hurts nobody */
	session_hold(session, false);
	timer_close(&timer, NULL);
	loop_poll(loop);
	call_done(&a);
	call_done(&b);
	error_reset(&err);
}

/* Also what it may take in all, though it is at work meanwhile. */
static void all_clocks_stand_still(void **state)
{
	static struct call c;
	int64_t latest, held;

	(void)state;
	open_up(DIALECT_PLAIN);
	start(&c, "x");
	latest = c.latest;
	watch(5);
	session_hold(session, true);
	held = loop_now();
	watch(100);
	push_progress("1", 0);
	watch(20);
	assert_int_equal(c.progress, 1);
	held = loop_now() - held;
	session_hold(session, false);
	assert_true(c.latest - latest >= held);
	assert_true(c.latest - latest <= held + 60000);
	assert_true(c.deadline >= loop_now() + c.timeout - 20);
	session_forget(session, &c);
	call_done(&c);
}

static const char *name_code(int code)
{
	return code == -32000 ? "tired" : NULL;
}

static void codes_have_names(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	session_name_codes(session, name_code);
	fake_text("{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"m\","
		  "\"data\":{\"retry_after\":0.0125}}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_string_equal(err.text, "tired (-32000): m");
	assert_int_equal(err.retry_after, 13);
	fake_text("{\"id\":2,\"error\":{\"code\":-32601,\"message\":\"m\","
		  "\"data\":{\"retry_after\":-1}}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_string_equal(err.text, "method not found (-32601): m");
	assert_int_equal(err.retry_after, 0);
	session_name_codes(session, NULL);
	fake_text("{\"id\":3,\"error\":{\"code\":-32000,\"message\":\"m\","
		  "\"data\":{\"retry_after\":1e300}}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_string_equal(err.text, "error -32000: m");
	assert_true(err.retry_after == 864000000);
	call_done(&c);
	error_reset(&err);
}

static void in_time_after_all(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	assert_int_equal(session_start(session, &c, "x", NULL, 30, &err), 0);
	assert_int_equal(session_next_id(session), 2);
	fake_text("{\"id\":1,\"result\":{}}");
	/* the main line is busy while the reply lies there */
	uv_sleep(50);
	assert_int_equal(session_wait(session, &c, &err), 0);
	call_done(&c);
}

static void unmatched_replies(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}");
	fake_text(
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"message\":\"Parse error\"}}");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), 0);
	assert_found("D116", 0, "id 7, while x waits");
	assert_found("D116", 1, "id \"x\", while x waits");
	assert_found("D116", 2, "id null, while x waits: \"Parse error\"");
	assert_found("D114", 0, "id \"1\" (x)");
	assert_int_equal(seen_count, 4);
	call_done(&c);
}

static void both_members(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	fake_text(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"message\":\"m\"}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_found("D127", 0, "id 1 (x): the error counts");
	/* an error of null is no error */
	fake_text(
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{},\"error\":null}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), 0);
	assert_int_equal(seen_count, 1);
	call_done(&c);
	error_reset(&err);
}

static void forgotten(void **state)
{
	struct call c = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	start(&c, "x");
	session_forget(session, &c);
	session_forget(session, &c);
	call_done(&c);
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	watch(20);
	assert_found("B250", 0, "id 1 (x), late by ");
}

/* What was asked longer ago may be anything: nothing is said of it. */
static void only_the_last(void **state)
{
	struct call c = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	for (int i = 0; i < 70; i++) {
		start(&c, "x");
		session_forget(session, &c);
	}
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":46,\"result\":{}}");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":71,\"result\":{}}");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":47,\"result\":{}}");
	watch(20);
	assert_int_equal(seen_count, 2);
	assert_found("D115", 0, "id 71");
	assert_found("B250", 0, "id 47 (x), late by ");
	call_done(&c);
}

static void ids_wrap(void **state)
{
	struct call a = { 0 }, b = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	session->next_id = INT32_MAX - 1;
	start(&a, "x");
	start(&b, "x");
	assert_int_equal(a.id, INT32_MAX - 1);
	assert_int_equal(b.id, 1);
	/* an id in flight is not given again */
	session->next_id = INT32_MAX - 1;
	session_forget(session, &b);
	start(&b, "x");
	assert_int_equal(b.id, 1);
	session_forget(session, &a);
	session_forget(session, &b);
	call_done(&a);
	call_done(&b);
}

static void one_request_failed(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	fake_push_number(FAKE_FAILED, 99, NULL, 0);
	fake_push_number(FAKE_FAILED, 1, NULL, 0);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_string_equal(err.text, "refused");
	call_done(&c);
	error_reset(&err);
}

static void cannot_send(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_with(&fake_ops);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_string_equal(err.text, "not connected yet");
	assert_int_equal(session_wait_up(session, &err), 0);
	fake.refuse_send = true;
	assert_int_equal(session_start(session, &c, "x", NULL, 0, &err), -1);
	assert_string_equal(err.text, "the queue is full");
	assert_null(session->calls);
	call_done(&c);
	error_reset(&err);
}

/* What stands behind it in the log is the reason, and is told with it. */
static void lost_with_words(void **state)
{
	static const char denied[] = "认证失败",
			  odd[] = "{\"type\":\"error\",\"message\":\"busy\"}";
	struct error err = { 0 };
	struct call a = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	start(&a, "initialize");
	fake_push(FAKE_TEXT, odd, 0);
	fake_push(FAKE_TEXT, denied, 0);
	fake_push(FAKE_CLOSED, NULL, 0);
	assert_int_equal(session_wait(session, &a, &err), -1);
	assert_int_equal(err.kind, ERR_AUTH);
	assert_string_equal(err.text, "connection lost during 'initialize'; "
				      "the last that it said: 认证失败");
	assert_part(err.hint, "give credentials");
	call_done(&a);
	error_reset(&err);
}

/* To give some is no advice to who gave some. */
static void lost_with_credentials(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 };
	struct endpoint to = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	headers_add(&to.headers, "Authorization", "Bearer x");
	session->to = &to;
	start(&a, "initialize");
	fake_push(FAKE_TEXT, "认证失败", 0);
	fake_push(FAKE_CLOSED, NULL, 0);
	assert_int_equal(session_wait(session, &a, &err), -1);
	assert_part(err.hint, "check them");
	session->to = NULL;
	headers_done(&to.headers);
	call_done(&a);
	error_reset(&err);
}

static void lost_in_a_call(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 }, b = { 0 };

	(void)state;
	error_set(&fake.close_why, ERR_CONNECT, "reset by the peer");
	open_up(DIALECT_PLAIN);
	b.subject = mem_strdup("self.x");
	start(&a, "tools/list");
	start(&b, "tools/call");
	fake_push(FAKE_CLOSED, NULL, 0);
	assert_int_equal(session_wait(session, &b, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "connection lost during 'tools/call "
				      "self.x': reset by the peer");
	assert_string_equal(err.hint,
			    "whether the call was carried out is not known");
	assert_true(a.done);
	assert_part(a.failure.text, "connection lost during 'tools/list'");
	assert_string_equal(a.failure.hint,
			    "the server's own log may tell why");
	assert_false(session_is_open(session));
	assert_string_equal(the_event(EVENT_CLOSED, 0)->note,
			    "reset by the peer");
	call_done(&a);
	assert_int_equal(session_start(session, &a, "x", NULL, 0, &err), -1);
	assert_string_equal(err.text, "reset by the peer");
	call_done(&a);
	call_done(&b);
	error_reset(&err);
}

static void interrupted(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	raise(SIGINT);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_false(c.done);
	assert_null(session->calls);
	call_done(&c);
	error_reset(&err);
}

static void freed_with_a_call(void **state)
{
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	start(&c, "x");
	session_free(session);
	session = NULL;
	assert_true(c.done);
	assert_int_equal(c.failure.kind, ERR_CONNECT);
	assert_int_equal(seen_count, 0);
	call_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(result),
		TEST(any_order),
		TEST(raw),
		TEST(raw_counts),
		TEST(shared),
		TEST(errors),
		TEST(error_details),
		TEST(broken_error),
		TEST(broken_error_of_a_device),
		TEST(silence_of_a_device),
		TEST(broken_result),
		TEST(broken_without_call),
		TEST(time_over),
		TEST(time_over_in_silence),
		TEST(never_answered),
		TEST(time_over_is_told),
		TEST(progress_gives_time),
		TEST(progress_has_an_end),
		TEST(clocks_stand_still),
		TEST(all_clocks_stand_still),
		TEST(codes_have_names),
		TEST(in_time_after_all),
		TEST(unmatched_replies),
		TEST(both_members),
		TEST(forgotten),
		TEST(only_the_last),
		TEST(ids_wrap),
		TEST(one_request_failed),
		TEST(cannot_send),
		TEST(lost_with_words),
		TEST(lost_with_credentials),
		TEST(lost_in_a_call),
		TEST(interrupted),
		TEST(freed_with_a_call),
	};

	mem_init();
	return cmocka_run_group_tests_name("session calls", tests, NULL, NULL);
}
