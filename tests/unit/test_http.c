/* SPDX-License-Identifier: MIT */
/*
 * HTTP beyond the contract: Streamable HTTP and the older HTTP+SSE against a
 * server that says what the test wants, and every way in which they fail,
 * each with its words.
 */
#include <errno.h>

#include "base/module.h"
#include "http_server.h"
#include "net/bearer.h"
#include "net/head.h"
#include "net/http.h"
#include "transport_owner.h"

#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}"
#define INITIALIZED \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"
#define CALL "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\"}"
#define REPLY(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"
#define EVENT(text) "data: " text "\n\n"
#define SESSION "Mcp-Session-Id: hush-1\r\n"

static const struct http_table *http;

static struct web web;
static struct seen seen;

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	http = module_table("http", HTTP_TABLE, &err);
	if (!http)
		fail_msg("%s", err.text);
	seen = (struct seen){ 0 };
	assert_int_equal(loop_new(&seen.loop, &err), 0);
	seen.t = (struct transport){ .loop = seen.loop,
				     .events = &seen_events,
				     .owner = &seen };
	web_open(&web, seen.loop);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (seen.t.impl)
		seen_close(&seen);
	web_close(&web);
	seen_reset(&seen);
	loop_free(seen.loop);
	return 0;
}

static void target(const char *scheme, const char *path)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s://127.0.0.1:%u%s", scheme,
				(unsigned)web.port, path);

	seen_target(&seen, text);
	headers_add(&seen.to.headers, "Authorization", "Bearer hush-2");
}

static void begin(void (*answer)(struct web_client *c, const char *request))
{
	web.answer = answer;
	target("http", "/mcp?k=hush-3");
	seen_open(&seen, &http->dial);
}

static const char *request(size_t index)
{
	while (web.requests.count <= index) {
		const bool never = false;
		static size_t turns;

		if (++turns > 100000)
			fail_msg("request %zu did not come", index);
		loop_wait(seen.loop, &never, loop_now() + 2, NULL);
	}
	return web.requests.word[index];
}

static const char *message(size_t index)
{
	return seen_next(&seen, &seen.messages, index);
}

static const char *notice(size_t index)
{
	return seen_next(&seen, &seen.notices, index);
}

static void wait_closed(void)
{
	while (!seen.closed)
		seen_wait(&seen, "closed");
}

static const char *failure(size_t index)
{
	return seen_next(&seen, &seen.failures, index);
}

static bool asks(const char *request, const char *what)
{
	return strstr(request, what) != NULL;
}

/* ---- Streamable HTTP ---- */

/* What a good server does, with JSON. */
static void answer_well(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET"))
		web_stream(c, "");
	else if (text_starts(rq, "DELETE"))
		web_reply(c, 200, "", "", "");
	else if (asks(rq, "\"initialize\""))
		web_reply(c, 200, SESSION, "application/json", REPLY(1));
	else if (asks(rq, "\"tools/list\""))
		web_json(c, REPLY(2));
	else if (asks(rq, "\"tools/call\""))
		web_json(c, REPLY(3));
	else
		web_reply(c, 202, "", "", "");
}

static void handshake(void)
{
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(0), REPLY(1));
	seen.t.ops->negotiated(&seen.t, "2025-06-18", true);
	seen_send(&seen, INITIALIZED);
}

static void check_first(const char *rq)
{
	assert_true(text_starts(rq, "POST /mcp?k=hush-3 HTTP/1.1\r\n"));
	assert_string_equal(web_body(rq), INITIALIZE);
	web_has(rq, "Accept", "application/json, text/event-stream");
	web_has(rq, "Content-Type", "application/json");
	web_has(rq, "Authorization", "Bearer hush-2");
	web_has(rq, "Mcp-Session-Id", "");
	web_has(rq, "MCP-Protocol-Version", "");
	web_has(rq, "Expect", "");
}

static void test_json(void **state)
{
	(void)state;
	begin(answer_well);
	assert_null(http->spoken(&seen.t));
	handshake();
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
	check_first(request(0));
	for (size_t i = 1; i < 3; i++) {
		web_has(request(i), "Mcp-Session-Id", "hush-1");
		web_has(request(i), "MCP-Protocol-Version", "2025-06-18");
	}
	/* initialized was taken before anything came behind it. */
	assert_string_equal(web_body(request(1)), INITIALIZED);
	assert_true(text_starts(request(2), "GET /mcp?k=hush-3 "));
	web_has(request(2), "Accept", "text/event-stream");
	web_has(request(2), "Mcp-Session-Id", "hush-1");
	web_has(request(2), "Last-Event-ID", "");
	seen_send(&seen, CALL);
	assert_string_equal(message(2), REPLY(3));
	/* One connection for all, and one for the stream. */
	assert_int_equal(web.connections, 2);
	assert_string_equal(http->spoken(&seen.t), "HTTP/1.1");
	seen_close(&seen);
	assert_int_equal(seen.why.kind, ERR_NONE);
	assert_true(text_starts(request(5), "DELETE /mcp?k=hush-3 "));
	web_has(request(5), "Mcp-Session-Id", "hush-1");
	assert_int_equal(web.connections, 2);
	assert_int_equal(seen.failures.count, 0);
}

/* Two writes, and no TCP_NODELAY: the second waits for an acknowledgement. */
static void answer_in_parts(struct web_client *c, const char *rq)
{
	if (!asks(rq, "tools/call")) {
		answer_well(c, rq);
		return;
	}
	uv_tcp_nodelay(&c->tcp, 0);
	web_say(c,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		"Content-Length: %zu\r\n\r\n",
		strlen(REPLY(3)));
	web_say(c, "%s", REPLY(3));
}

static void test_parts_are_acknowledged(void **state)
{
	int64_t start, least = INT64_MAX;

	(void)state;
	begin(answer_in_parts);
	handshake();
	for (size_t i = 0; i < 50; i++) {
		start = loop_now();
		seen_send(&seen, CALL);
		assert_string_equal(message(i + 1), REPLY(3));
		if (loop_now() - start < least)
			least = loop_now() - start;
	}
	/* 40 ms each if they are not acknowledged at once. */
	assert_in_range(least, 0, 20);
}

/* Not before, even when it takes its time. */
static void answer_late(struct web_client *c, const char *rq)
{
	if (!asks(rq, "initialized"))
		answer_well(c, rq);
}

static void test_initialized_comes_first(void **state)
{
	const bool never = false;

	(void)state;
	begin(answer_late);
	handshake();
	seen_send(&seen, LIST);
	request(1);
	loop_wait(seen.loop, &never, loop_now() + 50, NULL);
	assert_int_equal(web.requests.count, 2);
	web_reply(web.clients, 202, "", "", "");
	assert_string_equal(message(1), REPLY(2));
}

/* 2xx is enough: what comes behind it may never end. */
static const char *const endless[] = {
	"\r\n",
	"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
	"Transfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n",
};

static void answer_without_end(struct web_client *c, const char *rq)
{
	if (asks(rq, "initialized"))
		web_say(c, "HTTP/1.1 202 Words\r\n%s", endless[web.step]);
	else
		answer_well(c, rq);
}

static void test_initialized_without_end(void **state)
{
	(void)state;
	for (web.step = 0; web.step < COUNT(endless); web.step++) {
		int64_t start = loop_now();

		begin(answer_without_end);
		handshake();
		seen_send(&seen, LIST);
		assert_string_equal(message(1), REPLY(2));
		seen_close(&seen);
		assert_in_range(loop_now() - start, 0, 10000);
		assert_int_equal(seen.failures.count, 0);
		assert_true(
			text_starts(request(web.requests.count - 1), "DELETE"));
		seen_reset(&seen);
	}
}

/* It was taken, whatever becomes of its body. */
static void answer_taken_and_cut(struct web_client *c, const char *rq)
{
	answer_without_end(c, rq);
	if (asks(rq, "initialized"))
		web_hang_up(c);
}

static void test_initialized_cut(void **state)
{
	(void)state;
	web.step = 1;
	begin(answer_taken_and_cut);
	handshake();
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
	assert_int_equal(seen.failures.count, 0);
}

static void answer_events(struct web_client *c, const char *rq)
{
	if (!asks(rq, "tools/call")) {
		answer_well(c, rq);
		return;
	}
	web_stream(c, "");
	web_say(c, "id: 1\ndata:\n\n"
		   "event: message\ndata: {\"method\":\"a\"}\n\n"
		   "event: other\ndata: {\"method\":\"b\"}\n\n"
		   "data: {\"id\":9,\"result\":{}}\n\n"
		   "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":\"3\","
		   "\"result\":1}\n\n");
	web_hang_up(c);
}

static void test_events(void **state)
{
	(void)state;
	begin(answer_events);
	seen_send(&seen, CALL);
	assert_string_equal(message(0), "{\"method\":\"a\"}");
	assert_string_equal(message(1), "{\"id\":9,\"result\":{}}");
	assert_string_equal(message(2), "{\"jsonrpc\":\"2.0\",\n"
					"\"id\":\"3\",\"result\":1}");
	seen_close(&seen);
	assert_int_equal(seen.failures.count, 0);
	assert_int_equal(seen.messages.count, 3);
	/* No session was given: nothing is to be ended. */
	assert_int_equal(web.requests.count, 1);
}

/* 404 to a session: the way is free for another. */
static void answer_restarted(struct web_client *c, const char *rq)
{
	if (asks(rq, "tools/list"))
		web_reply(c, 404, "", "application/json",
			  "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":"
			  "{\"code\":-32001,\"message\":\"Session not "
			  "found\"}}");
	else
		answer_well(c, rq);
}

static void test_session_lost(void **state)
{
	(void)state;
	begin(answer_restarted);
	handshake();
	request(2);
	seen_send(&seen, LIST);
	assert_string_equal(failure(0), "2: '127.0.0.1' does not know the "
					"session any more: HTTP 404");
	assert_int_equal(seen.last.code, 404);
	assert_int_equal(seen.last.kind, ERR_CONNECT);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(1), REPLY(1));
	web_has(request(4), "Mcp-Session-Id", "");
	web_has(request(4), "MCP-Protocol-Version", "");
	seen_send(&seen, CALL);
	assert_string_equal(message(2), REPLY(3));
	web_has(request(5), "Mcp-Session-Id", "hush-1");
}

static void answer_note_forgotten(struct web_client *c, const char *rq)
{
	if (asks(rq, "notifications/cancelled"))
		web_reply(c, 404, "", "", "");
	else
		answer_well(c, rq);
}

/* The session, and not the server; whoever asks next finds out. */
static void test_session_lost_for_a_note(void **state)
{
	(void)state;
	begin(answer_note_forgotten);
	handshake();
	request(2);
	seen_send(&seen, "{\"method\":\"notifications/cancelled\"}");
	assert_string_equal(failure(0), "0: a notification or reply was not "
					"taken: '127.0.0.1' does not know the "
					"session any more: HTTP 404");
	seen_send(&seen, CALL);
	assert_string_equal(message(1), REPLY(3));
	web_has(web.requests.word[web.requests.count - 1], "Mcp-Session-Id",
		"hush-1");
}

static struct web_client *late;

/* The first call's answer waits; each initialize has a session of its own. */
static void answer_restarted_late(struct web_client *c, const char *rq)
{
	static unsigned sessions;

	if (asks(rq, "\"initialize\""))
		web_reply(c, 200,
			  ++sessions == 1 ? "Mcp-Session-Id: hush-1\r\n" :
					    "Mcp-Session-Id: hush-9\r\n",
			  "application/json", REPLY(1));
	else if (asks(rq, "tools/call") && asks(rq, "hush-1"))
		late = c;
	else if (asks(rq, "tools/list"))
		web_reply(c, 404, "", "", "");
	else
		answer_well(c, rq);
}

/* Of two that had the same session, the second may hear of its end later. */
static void test_session_lost_later(void **state)
{
	(void)state;
	begin(answer_restarted_late);
	handshake();
	request(2);
	seen_send(&seen, CALL);
	request(3);
	seen_send(&seen, LIST);
	failure(0);
	seen_send(&seen, INITIALIZE);
	message(1);
	web_reply(late, 404, "", "", "");
	assert_string_equal(failure(1), "3: '127.0.0.1' does not know the "
					"session any more: HTTP 404");
	seen_send(&seen, CALL);
	assert_string_equal(message(2), REPLY(3));
	web_has(web.requests.word[web.requests.count - 1], "Mcp-Session-Id",
		"hush-9");
}

/* ---- the GET stream ---- */

static const unsigned no_stream[] = { 405, 400, 404 };

static void answer_unlistened(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET"))
		web_reply(c, (int)no_stream[web.step], "", "text/plain", "no");
	else
		answer_well(c, rq);
}

static void test_no_stream(void **state)
{
	(void)state;
	begin(answer_unlistened);
	handshake();
	assert_string_equal(notice(0),
			    "no stream for what the server says by itself: "
			    "'127.0.0.1' does not take this kind of request "
			    "here: HTTP 405");
	/* Who begins to wait for it is told. */
	http->watch(&seen.t);
	assert_true(text_starts(notice(1), "there is no stream for what the "
					   "server says by itself; it can "));
	assert_non_null(strstr(notice(1), "HTTP 405"));
	http->watch(&seen.t);
	seen_send(&seen, LIST);
	message(1);
	assert_int_equal(seen.notices.count, 2);
	assert_int_equal(seen.failures.count, 0);
}

/* A server that never had such a stream has not forgotten the session. */
static void test_no_stream_watched(void **state)
{
	(void)state;
	for (web.step = 1; web.step < COUNT(no_stream); web.step++) {
		CLEANUP(mem_free_ptr)
		char *status = mem_printf("HTTP %u", no_stream[web.step]);

		begin(answer_unlistened);
		http->watch(&seen.t);
		handshake();
		assert_true(text_starts(notice(0), "there is no stream"));
		assert_non_null(strstr(notice(0), status));
		seen_send(&seen, LIST);
		message(1);
		assert_int_equal(seen.notices.count, 1);
		seen_close(&seen);
		seen_reset(&seen);
	}
}

/* A server that may ask is asked nothing before it has a stream to ask by. */
#define INITIALIZE_ASKED                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":" \
	"{\"capabilities\":{\"roots\":{}}}}"

static struct web_client *listener;

static void answer_stream_later(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET"))
		listener = c;
	else
		answer_well(c, rq);
}

static void begin_asked(void)
{
	begin(answer_stream_later);
	seen_send(&seen, INITIALIZE_ASKED);
	message(0);
	seen_send(&seen, INITIALIZED);
	seen_send(&seen, LIST);
	assert_true(text_starts(request(2), "GET "));
}

static void test_stream_comes_first(void **state)
{
	const bool never = false;

	(void)state;
	begin_asked();
	loop_wait(seen.loop, &never, loop_now() + 50, NULL);
	assert_int_equal(web.requests.count, 3);
	/* Its head is enough. */
	web_stream(listener, "");
	assert_string_equal(message(1), REPLY(2));
	assert_true(web.at[3] - web.at[2] < 1500);
}

static void test_stream_refused_first(void **state)
{
	(void)state;
	begin_asked();
	web_reply(listener, 405, "", "", "");
	assert_string_equal(message(1), REPLY(2));
}

/* So with one whose capabilities say that it speaks. */
static void test_stream_before_a_call(void **state)
{
	const bool never = false;

	(void)state;
	begin(answer_stream_later);
	handshake();
	seen_send(&seen, CALL);
	assert_true(text_starts(request(2), "GET "));
	loop_wait(seen.loop, &never, loop_now() + 50, NULL);
	assert_int_equal(web.requests.count, 3);
	web_stream(listener, "");
	assert_string_equal(message(1), REPLY(3));
	/* What it said before may come behind the answer. */
	assert_true(seen.t.ops->lingers(&seen.t) > 0);
	web_say(listener, EVENT("{\"method\":\"a\"}"));
	assert_string_equal(message(2), "{\"method\":\"a\"}");
	assert_true(seen.t.ops->lingers(&seen.t) > 0);
	while (seen.t.ops->lingers(&seen.t) > 0)
		loop_wait(seen.loop, &never, loop_now() + 5, NULL);
}

/* Nothing can come; but who waits all the same is to hear it. */
static void test_stream_not_needed(void **state)
{
	(void)state;
	begin(answer_well);
	seen_send(&seen, INITIALIZE);
	message(0);
	seen.t.ops->negotiated(&seen.t, "2025-06-18", false);
	seen_send(&seen, INITIALIZED);
	seen_send(&seen, CALL);
	message(1);
	assert_int_equal(seen.t.ops->lingers(&seen.t), 0);
	assert_int_equal(web.requests.count, 3);
	http->watch(&seen.t);
	assert_true(text_starts(request(3), "GET "));
}

/* A server that keeps the stream waiting does not stop the rest. */
static void test_stream_too_late(void **state)
{
	(void)state;
	begin_asked();
	assert_string_equal(message(1), REPLY(2));
	assert_true(web.at[3] - web.at[2] >= 1900);
}

static void answer_listened(struct web_client *c, const char *rq)
{
	if (!text_starts(rq, "GET")) {
		answer_well(c, rq);
		return;
	}
	web_stream(c, "");
	if (web.step++ == 0) {
		web_say(c, "retry: 120\nid: e1\ndata: {\"method\":\"a\"}\n\n"
			   "data: {\"cut");
		web_hang_up(c);
	} else {
		web_say(c, "id: e2\ndata: {\"method\":\"b\"}\n\n");
	}
}

static void test_stream_taken_up(void **state)
{
	(void)state;
	begin(answer_listened);
	handshake();
	assert_string_equal(message(1), "{\"method\":\"a\"}");
	assert_string_equal(message(2), "{\"method\":\"b\"}");
	web_has(request(3), "Last-Event-ID", "e1");
	assert_true(web.at[3] - web.at[2] >= 115);
	assert_non_null(strstr(seen.notices.word[0], "taken up again"));
	assert_int_equal(seen.failures.count, 0);
}

/* The server's word counts, however long it is. */
static void answer_patient(struct web_client *c, const char *rq)
{
	if (!text_starts(rq, "GET"))
		answer_well(c, rq);
	else {
		web_stream(c, "\r\nretry: 45000\n\n");
		web_hang_up(c);
	}
}

static void test_stream_waits(void **state)
{
	(void)state;
	begin(answer_patient);
	handshake();
	assert_non_null(strstr(notice(0), "taken up again in 45 s"));
}

/* A server, or a proxy, that lost patience may have more of it later. */
static void answer_impatient(struct web_client *c, const char *rq)
{
	if (!text_starts(rq, "GET")) {
		answer_well(c, rq);
	} else if (web.step++ == 0) {
		web_stream(c, "\r\nretry: 1\n\n");
		web_hang_up(c);
	} else if (web.step == 2) {
		web_reply(c, 408, "", "", "");
	} else {
		web_stream(c, "");
		web_say(c, EVENT("{\"method\":\"b\"}"));
	}
}

static void test_stream_request_timeout(void **state)
{
	(void)state;
	begin(answer_impatient);
	handshake();
	assert_string_equal(message(1), "{\"method\":\"b\"}");
	assert_int_equal(web.step, 3);
	assert_false(seen.closed);
}

/* "identity" says that it is not compressed (RFC 9110, 8.4.1). */
static void answer_as_it_is(struct web_client *c, const char *rq)
{
	if (!asks(rq, "tools/call")) {
		answer_well(c, rq);
		return;
	}
	web_stream(c, "Content-Encoding: Identity\r\n");
	web_say(c, EVENT(REPLY(3)));
}

static void test_identity(void **state)
{
	(void)state;
	begin(answer_as_it_is);
	seen_send(&seen, CALL);
	assert_string_equal(message(0), REPLY(3));
	assert_int_equal(seen.failures.count, 0);
}

static void answer_breaking(struct web_client *c, const char *rq)
{
	if (!text_starts(rq, "GET"))
		answer_well(c, rq);
	else if (web.step++ == 0) {
		web_stream(c, "\r\nretry: 1\n");
		web_hang_up(c);
	} else
		web_reply(c, 503, "", "", "");
}

/* Nothing would ever tell who waits for it. */
static void test_stream_given_up(void **state)
{
	(void)state;
	begin(answer_breaking);
	handshake();
	wait_closed();
	assert_int_equal(web.step, 5);
	assert_int_equal(seen.why.kind, ERR_CONNECT);
	assert_int_equal(seen.why.code, 503);
	assert_string_equal(seen.why.text,
			    "'127.0.0.1' is not available: HTTP 503");
}

static void answer_breaking_busy(struct web_client *c, const char *rq)
{
	if (!asks(rq, "tools/call"))
		answer_breaking(c, rq);
	else
		listener = c;
}

/* While a request is under way, its answer comes first. */
static void test_stream_given_up_amid(void **state)
{
	(void)state;
	begin(answer_breaking_busy);
	handshake();
	seen_send(&seen, CALL);
	assert_true(text_starts(notice(4), "there is no stream"));
	assert_non_null(strstr(notice(4), "HTTP 503"));
	web_json(listener, REPLY(3));
	assert_string_equal(message(1), REPLY(3));
	assert_false(seen.closed);
}

static void answer_ending(struct web_client *c, const char *rq)
{
	if (!text_starts(rq, "GET")) {
		answer_well(c, rq);
		return;
	}
	web_stream(c, "");
	web_say(c, "retry: 1\n\n");
	web_hang_up(c);
}

/* It is there, and answers. */
static void test_stream_ends_at_once(void **state)
{
	(void)state;
	begin(answer_ending);
	handshake();
	assert_non_null(strstr(notice(4), "'127.0.0.1' ended it too often"));
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
}

static int refusal;

static void answer_forgetting(struct web_client *c, const char *rq)
{
	if (asks(rq, "tools/call")) {
		listener = c;
	} else if (!text_starts(rq, "GET")) {
		answer_well(c, rq);
	} else if (web.step++ == 0) {
		web_stream(c, "");
		web_say(c, "retry: 1\n\n");
		web_hang_up(c);
	} else {
		web_reply(c, refusal, "", "", "");
	}
}

static void begin_forgetting(int status)
{
	refusal = status;
	begin(answer_forgetting);
	handshake();
}

static void check_forgotten(void)
{
	assert_int_equal(seen.why.kind, ERR_CONNECT);
	assert_int_equal(seen.why.code, 404);
	assert_string_equal(seen.why.text, "'127.0.0.1' does not know the "
					   "session any more: HTTP 404");
	assert_int_equal(seen.failures.count, 0);
}

static void test_stream_forgotten(void **state)
{
	(void)state;
	begin_forgetting(404);
	wait_closed();
	check_forgotten();
	assert_int_equal(web.requests.count, 4);
}

static void test_stream_forgotten_amid(void **state)
{
	(void)state;
	begin_forgetting(404);
	request(2);
	seen_send(&seen, CALL);
	request(5);
	assert_false(seen.closed);
	web_json(listener, REPLY(3));
	assert_string_equal(message(1), REPLY(3));
	/* It did not find out, so that the stream does. */
	wait_closed();
	check_forgotten();
}

/* Some servers take the first stream for an open one: the session stands. */
static void test_stream_not_twice(void **state)
{
	(void)state;
	begin_forgetting(409);
	assert_non_null(strstr(notice(1), "HTTP 409"));
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
}

/* A session that was started over has a stream again, and that is told. */
static void answer_anew(struct web_client *c, const char *rq)
{
	if (web.step == 0 && text_starts(rq, "GET"))
		web_reply(c, 405, "", "", "");
	else if (web.step == 0 && asks(rq, "tools/list")) {
		web_reply(c, 404, "", "", "");
		web.step = 1;
	} else
		answer_well(c, rq);
}

static void test_stream_of_new_session(void **state)
{
	(void)state;
	begin(answer_anew);
	handshake();
	notice(0);
	seen_send(&seen, LIST);
	failure(0);
	seen_send(&seen, INITIALIZE);
	message(1);
	seen_send(&seen, INITIALIZED);
	assert_true(text_starts(notice(1),
				"'127.0.0.1' forgot the session: it was "
				"started anew; "));
	assert_true(text_starts(request(6), "GET "));
	seen_send(&seen, LIST);
	assert_string_equal(message(2), REPLY(2));
	assert_int_equal(seen.notices.count, 2);
}

/* ---- an answer that is cut ---- */

static void answer_cut(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET")) {
		if (web.step++ == 1) {
			web_reply(c, 503, "", "", "");
			return;
		}
		web_stream(c, "");
		web_say(c, "data: {\"method\":\"b\"}\n\ndata: %s\n\n",
			REPLY(3));
		web_hang_up(c);
		return;
	}
	web.step++;
	web_stream(c, "");
	web_say(c, "retry: 110\nid: e1\ndata: {\"method\":\"a\"}\n\n");
	web_hang_up(c);
}

static void test_resumed(void **state)
{
	(void)state;
	begin(answer_cut);
	seen_send(&seen, CALL);
	assert_string_equal(message(0), "{\"method\":\"a\"}");
	assert_string_equal(message(1), "{\"method\":\"b\"}");
	assert_string_equal(message(2), REPLY(3));
	web_has(request(1), "Last-Event-ID", "e1");
	web_has(request(2), "Last-Event-ID", "e1");
	assert_true(web.at[1] - web.at[0] >= 105);
	assert_int_equal(seen.failures.count, 0);
}

/* Its session is known by then. */
static void answer_cut_for_long(struct web_client *c, const char *rq)
{
	(void)rq;
	web_stream(c, "");
	web_say(c, "id: 7\nretry: 99999999999\ndata:\n\n");
	web_hang_up(c);
}

/* However long the server wants: an hour. */
static void test_resumed_in_an_hour(void **state)
{
	(void)state;
	begin(answer_cut_for_long);
	seen_send(&seen, LIST);
	assert_string_equal(notice(0), "the stream of an answer ended; it is "
				       "taken up again in 1 h");
}

static void answer_cut_initialize(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET")) {
		web_stream(c, "");
		if (web.step++ == 0)
			web_say(c, EVENT(REPLY(1)));
	} else if (asks(rq, "\"initialize\"")) {
		web_stream(c, SESSION);
		web_say(c, "retry: 1\nid: e1\ndata:\n\n");
		web_hang_up(c);
	} else {
		answer_well(c, rq);
	}
}

static void test_initialize_resumed(void **state)
{
	(void)state;
	begin(answer_cut_initialize);
	handshake();
	assert_true(text_starts(request(1), "GET "));
	web_has(request(1), "Last-Event-ID", "e1");
	web_has(request(1), "Mcp-Session-Id", "hush-1");
	web_has(request(2), "Mcp-Session-Id", "hush-1");
}

static void answer_cut_for_good(struct web_client *c, const char *rq)
{
	(void)rq;
	web_stream(c, "");
	web_say(c, "data: {\"method\":\"a\"}\n\ndata: {\"jso");
	web_hang_up(c);
}

static void test_cut(void **state)
{
	(void)state;
	begin(answer_cut_for_good);
	seen_send(&seen, CALL);
	assert_string_equal(failure(0), "3: the answer of '127.0.0.1' was cut "
					"in the middle of an event before the "
					"reply came");
	assert_int_equal(seen.last.kind, ERR_CONNECT);
	assert_int_equal(seen.last.code, ECONNRESET);
	assert_int_equal(seen.messages.count, 1);
}

static void answer_no_events(struct web_client *c, const char *rq)
{
	(void)rq;
	web_stream(c, "");
	web_say(c, REPLY(3));
	web_hang_up(c);
}

/* A reply under the wrong Content-Type is no stream that was cut. */
static void test_no_events(void **state)
{
	(void)state;
	begin(answer_no_events);
	seen_send(&seen, CALL);
	assert_string_equal(failure(0), "3: '127.0.0.1' sent JSON as "
					"text/event-stream, and no event");
	assert_int_equal(seen.last.kind, ERR_PROTOCOL);
}

/* Streams that end in order, and what they say before that. */
static const char *const without_reply[] = {
	"data: {\"method\":\"a\"}\n\n",
	EVENT(REPLY(9)),
	EVENT(REPLY(9)) "data: {\"method\":\"a\"}\n\n",
	"data: {\"id\":null,\"error\":{\"code\":1,\"message\":\"no\"}}\n\n",
};

static void answer_without_reply(struct web_client *c, const char *rq)
{
	const char *says = without_reply[web.step];

	(void)rq;
	web_stream(c, "Transfer-Encoding: chunked\r\n");
	web_say(c, "%zx\r\n%s\r\n0\r\n\r\n", strlen(says), says);
	web_hang_up(c);
}

/* Nothing was cut: another id than that of the request is told as in JSON. */
static void test_stream_without_reply(void **state)
{
	static const char other[] =
		"3: '127.0.0.1' answered with something that is no reply to the request";
	static const struct {
		const char *text, *finding;
		int kind, code;
	} told[] = {
		{ "3: the answer of '127.0.0.1' ended before the reply came",
		  "P714", ERR_CONNECT, ECONNRESET },
		{ other, "D116", ERR_PROTOCOL, 0 },
		{ other, "D116", ERR_PROTOCOL, 0 },
		{ "3: '127.0.0.1' answered with something that is no reply to the request: no",
		  "D116", ERR_PROTOCOL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(told); i++) {
		begin(answer_without_reply);
		web.step = (unsigned)i;
		seen_send(&seen, CALL);
		assert_string_equal(failure(0), told[i].text);
		assert_string_equal(seen.last.finding, told[i].finding);
		assert_int_equal(seen.last.kind, told[i].kind);
		assert_int_equal(seen.last.code, told[i].code);
		seen_close(&seen);
		seen_reset(&seen);
	}
}

/* The reply to another request that is under way: its id is that one's. */
static struct web_client *first_stream;

static void answer_on_the_other(struct web_client *c, const char *rq)
{
	if (asks(rq, "tools/list")) {
		first_stream = c;
		return;
	}
	web_stream(c, "");
	web_say(c, EVENT(REPLY(2)));
	web_hang_up(c);
}

static void test_stream_of_another(void **state)
{
	(void)state;
	begin(answer_on_the_other);
	seen_send(&seen, LIST);
	request(0);
	seen_send(&seen, CALL);
	assert_string_equal(message(0), REPLY(2));
	assert_string_equal(
		failure(0),
		"3: the answer of '127.0.0.1' ended before the reply came");
	assert_string_equal(seen.last.finding, "P714");
}

static void answer_refused_resumption(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET")) {
		web_reply(c, 405, "", "", "");
		return;
	}
	web_stream(c, "");
	web_say(c, "id: 1\nretry: 1\ndata:\n\n");
	web_hang_up(c);
}

static void test_resumption_refused(void **state)
{
	(void)state;
	begin(answer_refused_resumption);
	seen_send(&seen, CALL);
	assert_true(text_starts(failure(0), "3: the answer was cut before the "
					    "reply came, and the rest cannot "
					    "be fetched: "));
	assert_non_null(strstr(failure(0), "HTTP 405"));
	/* It was carried out, perhaps: the status says nothing of that. */
	assert_int_equal(seen.last.code, ECONNRESET);
	assert_int_equal(web.requests.count, 2);
}

/* ---- the older HTTP+SSE ---- */

static struct web_client *stream;

static void answer_old(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET /mcp")) {
		stream = c;
		web_stream(c, "");
		web_say(c, "event: endpoint\ndata: /post?s=hush-4\n\n");
	} else if (text_starts(rq, "POST /post?s=hush-4 ")) {
		web_reply(c, 202, "", "text/plain", "Accepted");
		if (asks(rq, "\"id\":1"))
			web_say(stream, "event: message\ndata: %s\n\n",
				REPLY(1));
		else if (asks(rq, "\"id\":2"))
			web_say(stream, EVENT(REPLY(2)));
	} else {
		web_reply(c, 405, "", "text/plain", "no");
	}
}

static void answer_cut_path(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET ")) {
		web_stream(c, "");
		web_say(c, "event: endpoint\ndata: /post?s=hush-4\n\n");
	} else {
		web_reply(c, 404, "", "text/plain", "not found");
	}
}

/* The stream is there: it is what it named that is not. */
static void test_endpoint_missing(void **state)
{
	(void)state;
	web.answer = answer_cut_path;
	target("sse+http", "/mcp/sse");
	seen_open(&seen, &http->dial);
	seen_send(&seen, INITIALIZE);
	assert_non_null(strstr(failure(0),
			       "opened the event stream and told to "
			       "send messages to '/post', and has "
			       "nothing there: HTTP 404"));
	assert_non_null(strstr(seen.last.hint, "root_path"));
	assert_int_equal(seen.last.kind, ERR_CONNECT);
}

static void test_fallback(void **state)
{
	(void)state;
	begin(answer_old);
	handshake();
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
	assert_true(text_starts(request(0), "POST /mcp"));
	assert_true(text_starts(request(1), "GET /mcp"));
	assert_string_equal(web_body(request(2)), INITIALIZE);
	assert_string_equal(http->spoken(&seen.t), "HTTP+SSE");
	assert_non_null(strstr(seen.notices.word[0], "HTTP 405"));
	/* Neither a GET stream nor DELETE. */
	seen_close(&seen);
	assert_int_equal(web.requests.count, 5);
	assert_int_equal(seen.why.kind, ERR_NONE);
}

static void test_forced(void **state)
{
	(void)state;
	web.answer = answer_old;
	target("sse+http", "/mcp");
	seen_open(&seen, &http->dial);
	handshake();
	assert_true(text_starts(request(0), "GET /mcp"));
	request(2);
	web_hang_up(stream);
	while (!seen.closed)
		seen_wait(&seen, "closed");
	assert_int_equal(seen.why.kind, ERR_CONNECT);
	assert_string_equal(seen.why.text,
			    "'127.0.0.1' ended the event stream");
}

/* Where messages go, and the stream itself, may be elsewhere on that server. */
static void answer_old_moved(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET /mcp "))
		web_reply(c, 302, "Location: /new/sse?k=hush-6\r\n", "", "");
	else if (text_starts(rq, "GET /new/sse?k=hush-6 ")) {
		stream = c;
		web_stream(c, "");
		web_say(c, "event: endpoint\ndata: post?s=hush-4\n\n");
	} else if (text_starts(rq, "POST /new/post?s=hush-4 ")) {
		web_reply(c, 307, "Location: /moved?s=hush-5\r\n", "", "");
	} else if (text_starts(rq, "POST /moved?s=hush-5 ")) {
		web_reply(c, 202, "", "text/plain", "Accepted");
		web_say(stream, EVENT("%s"),
			asks(rq, "\"id\":1") ? REPLY(1) : REPLY(2));
	} else {
		web_reply(c, 405, "", "text/plain", "no");
	}
}

static void test_old_moved(void **state)
{
	(void)state;
	web.answer = answer_old_moved;
	target("sse+http", "/mcp");
	seen_open(&seen, &http->dial);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(0), REPLY(1));
	assert_string_equal(web_body(request(3)), INITIALIZE);
	/* Once is enough, and the stream stands where it was. */
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
	assert_string_equal(web_body(request(4)), LIST);
	assert_int_equal(web.requests.count, 5);
	assert_int_equal(seen.notices.count, 1);
	assert_string_equal(notice(0), "the server redirects to '/new/sse'");
	assert_int_equal(seen.failures.count, 0);
}

static void answer_neither(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "GET"))
		web_reply(c, 200, "", "text/html", "<html>hello</html>");
	else
		web_reply(c, 404, "", "text/plain", "nothing here\n");
}

static void test_neither(void **state)
{
	(void)state;
	begin(answer_neither);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(
		failure(0),
		"1: '127.0.0.1' has no MCP server at '/mcp': HTTP 404: "
		"nothing here; and for HTTP+SSE: '127.0.0.1' answered with a "
		"web page: that is no MCP server");
	assert_int_equal(seen.last.kind, ERR_CONNECT);
	assert_int_equal(seen.last.code, 404);
	/* Nothing of it stays. */
	web.answer = answer_well;
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(0), REPLY(1));
}

static void answer_astray(struct web_client *c, const char *rq)
{
	static const char *const places[] = { "http://evil.test/post?x=hush",
					      "http://127.0.0.1:1/",
					      "https://127.0.0.1/",
					      "http://a@127.0.0.1:%u/",
					      "//evil.test/",
					      "file:///etc/passwd" };
	CLEANUP(mem_free_ptr) char *place = NULL;

	(void)rq;
	place = mem_strdup(places[web.step % COUNT(places)]);
	if (strstr(place, "%u")) {
		mem_free(place);
		place = mem_printf("http://a@127.0.0.1:%u/",
				   (unsigned)web.port);
	}
	web_stream(c, "");
	web_say(c, "event: endpoint\ndata: %s\n\n", place);
}

#define ASTRAY "1: '127.0.0.1' wants messages sent to "

static void test_other_origin(void **state)
{
	static const char *const words[] = {
		"another origin, 'http://evil.test/post'",
		"another origin, 'http://127.0.0.1:1/'",
		"another origin, 'https://127.0.0.1/'",
		"%u",
		"another origin, 'http://evil.test/'",
		"'file:///etc/passwd', which is no URL",
	};

	(void)state;
	web.answer = answer_astray;
	target("sse+http", "/sse");
	seen_open(&seen, &http->dial);
	for (web.step = 0; web.step < COUNT(words); web.step++) {
		CLEANUP(mem_free_ptr) char *expect = NULL;

		expect =
			strstr(words[web.step], "%u") ?
				mem_printf(
					ASTRAY
					"another origin, 'http://***@127.0.0.1:%u/'",
					(unsigned)web.port) :
				mem_printf(ASTRAY "%s", words[web.step]);
		seen_send(&seen, INITIALIZE);
		assert_string_equal(failure(web.step), expect);
		assert_int_equal(seen.last.kind, ERR_PROTOCOL);
		assert_string_equal(
			seen.last.hint,
			strstr(expect, "no URL") ?
				"" :
				"credentials must not go there; if you trust it, make it the target");
	}
	assert_int_equal(seen.messages.count, 0);
	assert_int_equal(web.requests.count, 6);
}

/* ---- statuses ---- */

static struct {
	int status;
	const char *head, *type, *body, *text;
	enum error_kind kind;
} told;

static void answer_told(struct web_client *c, const char *rq)
{
	(void)rq;
	web_reply(c, told.status, told.head ? told.head : "",
		  told.type ? told.type : "", told.body ? told.body : "");
}

/* However long it is, it is told whole: its end says where to get a token. */
static void test_long_challenge(void **state)
{
	CLEANUP(buf_done) struct buf head = { 0 };

	(void)state;
	buf_text(&head, "WWW-Authenticate: Bearer realm=\"");
	for (size_t i = 0; i < 200; i++)
		buf_char(&head, 'r');
	buf_text(&head, "\", error=\"insufficient_scope\", scope=\"a b\", "
			"resource_metadata=\"http://h/end\"\r\n");
	told.status = 403;
	told.head = buf_string(&head);
	begin(answer_told);
	seen_send(&seen, LIST);
	assert_string_equal(failure(0),
			    "2: '127.0.0.1' takes the token, but not for this: "
			    "HTTP 403 (insufficient scope)");
	assert_string_equal(seen.last.hint, "get a token with more rights, "
					    "with the scope 'a b'");
	assert_true(text_starts(seen.last.detail,
				"WWW-Authenticate: Bearer realm=\"rr"));
	assert_non_null(strstr(seen.last.detail, "\"http://h/end\""));
	told.head = "";
}

static void test_statuses(void **state)
{
	static const struct {
		int status;
		const char *head, *type, *body, *text;
		enum error_kind kind;
	} rows[] = {
		{ 401,
		  "WWW-Authenticate: Bearer realm=\"r\", "
		  "error=\"invalid_token\"\r\n",
		  "application/json", "{\"error\":\"unauthorized\"}",
		  "2: '127.0.0.1' does not take this token: HTTP 401: "
		  "unauthorized; it asks for 'Bearer realm=\"r\", "
		  "error=\"invalid_token\"'",
		  ERR_AUTH },
		{ 401, "WWW-Authenticate: Basic realm=\"r\"\r\n", "", "",
		  "2: '127.0.0.1' refused: HTTP 401 (not authorized); it asks "
		  "for 'Basic realm=\"r\"'",
		  ERR_AUTH },
		{ 401,
		  "WWW-Authenticate: Basic\r\n"
		  "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n",
		  "", "",
		  "2: '127.0.0.1' does not take this token: HTTP 401; it asks "
		  "for 'Basic, Bearer error=\"invalid_token\"'",
		  ERR_AUTH },
		{ 403,
		  "WWW-Authenticate: Bearer error=\"insufficient_scope\", "
		  "scope=\"files:write\"\r\n",
		  "", "",
		  "2: '127.0.0.1' takes the token, but not for this: HTTP 403 "
		  "(insufficient scope); it asks for 'Bearer "
		  "error=\"insufficient_scope\", scope=\"files:write\"'",
		  ERR_AUTH },
		{ 403, "", "application/json",
		  "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-1,"
		  "\"message\":\"no, you\"}}",
		  "2: '127.0.0.1' refused: HTTP 403 (forbidden): no, you",
		  ERR_AUTH },
		{ 404, "", "", "",
		  "2: '127.0.0.1' has no MCP server at '/mcp': HTTP 404",
		  ERR_CONNECT },
		{ 429, "Retry-After: 7\r\n", "", "",
		  "2: '127.0.0.1' has had too many requests: HTTP 429",
		  ERR_CONNECT },
		{ 429, "Retry-After: 7\r\n", "application/json", REPLY(2),
		  "2: '127.0.0.1' has had too many requests: HTTP 429",
		  ERR_CONNECT },
		{ 503, "", "application/json", REPLY(2),
		  "2: '127.0.0.1' is not available: HTTP 503", ERR_CONNECT },
		{ 500, "", "text/plain", "\n  out of cheese \nmore",
		  "2: '127.0.0.1' failed: HTTP 500: out of cheese",
		  ERR_CONNECT },
		{ 500, "", "text/html", "<h1>x</h1>",
		  "2: '127.0.0.1' failed: HTTP 500", ERR_CONNECT },
		{ 400, "", "application/json",
		  "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,"
		  "\"message\":\"no session\"}}",
		  "2: '127.0.0.1' did not accept the request: HTTP 400: no "
		  "session",
		  ERR_CONNECT },
		{ 422, "", "application/json", "{\"detail\":\"bad\"}",
		  "2: '127.0.0.1' did not accept the request: HTTP 422: bad",
		  ERR_CONNECT },
		{ 302, "Location: /login?s=hush\r\n", "", "", NULL,
		  ERR_CONNECT },
		{ 307, "Location: file://u:hush@h/etc/passwd\r\n", "", "",
		  "2: '127.0.0.1' redirects to 'file://***@h/etc/passwd', "
		  "which is no http or https URL: HTTP 307",
		  ERR_CONNECT },
		{ 200, "Content-Encoding: gzip\r\n", "text/event-stream",
		  "\x1f\x8b\x08\n\n",
		  "2: '127.0.0.1' sent its answer compressed ('gzip'), which "
		  "is not read here",
		  ERR_PROTOCOL },
		{ 304, "", "", "",
		  "2: '127.0.0.1' redirects without saying "
		  "where to: HTTP 304",
		  ERR_CONNECT },
		{ 202, "", "", "",
		  "2: '127.0.0.1' took the request and gave no answer: HTTP "
		  "202",
		  ERR_PROTOCOL },
		{ 200, "", "text/html; charset=utf-8", "<!DOCTYPE html>",
		  "2: '127.0.0.1' answered with a web page: that is no MCP "
		  "server",
		  ERR_PROTOCOL },
		{ 200, "", "image/png", "\x89PNG",
		  "2: '127.0.0.1' answered with 'image/png', neither JSON nor "
		  "an event stream",
		  ERR_PROTOCOL },
		{ 200, "", "application/json", "{\"id\":2,", NULL,
		  ERR_PROTOCOL },
		{ 200, "", "application/json", "",
		  "2: '127.0.0.1' took the request and gave no answer: HTTP "
		  "200",
		  ERR_PROTOCOL },
		{ 200, "", "application/json",
		  "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,"
		  "\"message\":\"hm\"}}",
		  "2: '127.0.0.1' answered with something that is no reply to "
		  "the request: hm",
		  ERR_PROTOCOL },
		{ 200, "", "application/json", REPLY(22),
		  "2: '127.0.0.1' answered with something that is no reply to "
		  "the request",
		  ERR_PROTOCOL },
	};

	(void)state;
	begin(answer_told);
	for (size_t i = 0; i < COUNT(rows); i++) {
		told.status = rows[i].status;
		told.head = rows[i].head;
		told.type = rows[i].type;
		told.body = rows[i].body;
		seen_send(&seen, LIST);
		failure(i);
		if (rows[i].text)
			assert_string_equal(failure(i), rows[i].text);
		assert_int_equal(seen.last.kind, rows[i].kind);
		if (rows[i].status >= 300)
			assert_int_equal(seen.last.code, rows[i].status);
		assert_int_equal(seen.last.retry_after,
				 rows[i].status == 429 ? 7000 : 0);
	}
	assert_int_equal(seen.messages.count, 0);
}

static void test_retry_date(void **state)
{
	CLEANUP(mem_free_ptr) char *head = NULL;
	time_t then = time(NULL) + 100;
	char date[64];
	struct tm tm;

	(void)state;
	gmtime_r(&then, &tm);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	head = mem_printf("Retry-After: %s\r\n", date);
	told.status = 503;
	told.head = head;
	told.type = told.body = NULL;
	begin(answer_told);
	seen_send(&seen, LIST);
	failure(0);
	assert_in_range(seen.last.retry_after, 80000, 101000);
}

static void test_error_replies(void **state)
{
	static const char error[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{"
				    "\"code\":-32602,\"message\":\"bad\"}}";
	const int statuses[] = { 400, 404, 405, 422, 500 };

	(void)state;
	told.head = "";
	told.type = "application/json";
	told.body = error;
	begin(answer_told);
	for (size_t i = 0; i < COUNT(statuses); i++) {
		told.status = statuses[i];
		seen_send(&seen, LIST);
		assert_string_equal(message(i), error);
	}
	/* It speaks JSON-RPC: no need to look for something older. */
	told.status = 400;
	told.body = REPLY(1);
	seen_send(&seen, INITIALIZE);
	message(COUNT(statuses));
	assert_int_equal(seen.failures.count, 0);
	assert_int_equal(web.requests.count, COUNT(statuses) + 1);
}

/* What stands between has no words for it: the LLM service said it. */
static void test_llm_errors(void **state)
{
	static const char
		busy[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":"
			 "-32001,\"message\":\"no\",\"data\":{"
			 "\"retry_after\":5}}}",
		slow[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":"
			 "-32000,\"message\":\"no\"}}";
	const int statuses[] = { 429, 502, 503, 504 };

	(void)state;
	told.head = "";
	told.type = "application/json";
	begin(answer_told);
	for (size_t i = 0; i < COUNT(statuses); i++) {
		told.status = statuses[i];
		told.body = i % 2 ? slow : busy;
		seen_send(&seen, LIST);
		assert_string_equal(message(i), told.body);
	}
	/* The head says more than the reply. */
	told.head = "Retry-After: 7\r\n";
	told.body = slow;
	seen_send(&seen, LIST);
	failure(0);
	assert_int_equal(seen.last.code, 504);
	assert_int_equal(seen.last.retry_after, 7000);
	told.status = 403;
	told.body = busy;
	seen_send(&seen, LIST);
	failure(1);
	assert_int_equal(seen.last.kind, ERR_AUTH);
}

static void test_retry_in_body(void **state)
{
	static const struct {
		const char *head, *asked;
		int64_t wait;
	} rows[] = {
		{ "", "1.5", 1500 },	   { "", "0", 0 },
		{ "", "-3", 0 },	   { "", "\"3\"", 0 },
		{ "", "1e300", 86400000 }, { "Retry-After: 2\r\n", "9", 2000 },
	};

	(void)state;
	told.status = 503;
	told.type = "application/json";
	begin(answer_told);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *body = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":null,"
					"\"error\":{\"code\":-32001,"
					"\"message\":\"no\",\"data\":{"
					"\"retry_after\":%s}}}",
					rows[i].asked);

		told.head = rows[i].head;
		told.body = body;
		seen_send(&seen, LIST);
		failure(i);
		assert_int_equal(seen.last.code, 503);
		assert_int_equal(seen.last.retry_after, rows[i].wait);
	}
}

static void test_ids(void **state)
{
	static const char *const good[] = { "2.0", "2e0", "\"2\"", "20E-1" };
	static const char *const bad[] = { "2.5", "02", "null", "[2]",
					   "2e999" };

	(void)state;
	told.status = 200;
	told.head = "";
	told.type = "application/json";
	begin(answer_told);
	for (size_t i = 0; i < COUNT(good) + COUNT(bad); i++) {
		bool fits = i < COUNT(good);
		CLEANUP(mem_free_ptr)
		char *body = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}",
			fits ? good[i] : bad[i - COUNT(good)]);

		told.body = body;
		seen_send(&seen, LIST);
		if (fits)
			assert_string_equal(message(i), body);
		else
			failure(i - COUNT(good));
	}
}

static void test_mark(void **state)
{
	(void)state;
	told.status = 200;
	told.head = "";
	told.type = "application/json";
	told.body = "\xef\xbb\xbf" REPLY(2);
	begin(answer_told);
	seen_send(&seen, LIST);
	assert_string_equal(message(0), REPLY(2));
	told.body = "\xef\xbb\xbf";
	seen_send(&seen, LIST);
	assert_non_null(strstr(failure(0), "gave no answer"));
}

static void answer_moved(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "POST /mcp/ "))
		web_json(c, asks(rq, "\"id\":2") ? REPLY(2) : REPLY(1));
	else
		web_reply(c, 307, "Location: /mcp/\r\n", "", "");
}

static void answer_moved_away(struct web_client *c, const char *rq)
{
	CLEANUP(mem_free_ptr)
	char *head = mem_printf("Location: http://localhost:%u/x?t=hush\r\n",
				(unsigned)web.port);

	(void)rq;
	web_reply(c, 307, head, "", "");
}

static void answer_round(struct web_client *c, const char *rq)
{
	(void)rq;
	web_reply(c, 308, "Location: again\r\n", "", "");
}

static void test_redirects(void **state)
{
	CLEANUP(mem_free_ptr) char *expect = NULL;

	(void)state;
	begin(answer_moved);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(0), REPLY(1));
	assert_string_equal(web_body(request(1)), INITIALIZE);
	/* Once is enough. */
	seen_send(&seen, LIST);
	assert_string_equal(message(1), REPLY(2));
	assert_int_equal(web.requests.count, 3);
	web.answer = answer_moved_away;
	seen_send(&seen, LIST);
	expect = mem_printf("2: '127.0.0.1' redirects to "
			    "'http://localhost:%u/x': HTTP 307",
			    (unsigned)web.port);
	assert_string_equal(failure(0), expect);
	assert_int_equal(web.requests.count, 4);
	web.answer = answer_round;
	seen_send(&seen, LIST);
	assert_non_null(strstr(failure(1), "redirects again and again"));
	assert_int_equal(web.requests.count, 8);
}

/* Each is relative to where the one before it led (RFC 3986, 5.2). */
static const struct {
	const char *told, *path;
} dots[] = {
	{ "/a/b/c/d", "/a/b/c/d" },
	{ "./e", "/a/b/c/e" },
	{ "../f", "/a/b/f" },
	{ ".", "/a/b/" },
	{ "..", "/a/" },
	{ "x/./y/../z?q=/../r", "/a/x/z?q=/../r" },
	{ "?s=/a", "/a/x/z?s=/a" },
	{ "../../../..", "/" },
	{ "...?t", "/...?t" },
	{ ".h/..i", "/.h/..i" },
	{ "j#k", "/.h/j" },
	{ "/k/..", "/" },
	{ "/l/.", "/l/" },
	{ "/../m", "/m" },
	{ "/..?n", "/?n" },
};

static void answer_dots(struct web_client *c, const char *rq)
{
	CLEANUP(mem_free_ptr)
	char *there = mem_printf("POST %s ", dots[web.step].path);
	CLEANUP(mem_free_ptr)
	char *head = mem_printf("Location: %s\r\n", dots[web.step].told);

	if (text_starts(rq, there))
		web_json(c, REPLY(2));
	else
		web_reply(c, 307, head, "", "");
}

static void test_relative_redirects(void **state)
{
	(void)state;
	begin(answer_dots);
	for (web.step = 0; web.step < COUNT(dots); web.step++) {
		CLEANUP(mem_free_ptr)
		char *there = mem_printf("POST %s ", dots[web.step].path);

		seen_send(&seen, LIST);
		if (!text_starts(request(web.step * 2 + 1), there))
			fail_msg("%s: %.40s", dots[web.step].told,
				 request(web.step * 2 + 1));
		assert_string_equal(message(web.step), REPLY(2));
	}
	assert_int_equal(web.requests.count, 2 * COUNT(dots));
	assert_int_equal(seen.failures.count, 0);
}

/* ---- what stands alone ---- */

static struct {
	const char *type, *body;
	int status;
} plain;

static void answer_plain(struct web_client *c, const char *rq)
{
	if (asks(rq, "\"tools/list\""))
		web_reply(c, plain.status, "", plain.type, plain.body);
	else
		answer_well(c, rq);
}

static void send_alone(const struct headers *extra)
{
	struct error err = { 0 };

	if (seen.t.ops->send_with(&seen.t, LIST, strlen(LIST), extra, &err))
		fail_msg("%s", err.text);
}

/* A session is forgotten; what one message brings stands before the user's. */
static void test_alone(void **state)
{
	struct headers extra = { 0 };

	(void)state;
	begin(answer_well);
	handshake();
	request(2);
	assert_true(http->has_session(&seen.t));
	seen.t.ops->alone(&seen.t, false);
	assert_true(http->has_session(&seen.t));
	seen.t.ops->alone(&seen.t, true);
	assert_false(http->has_session(&seen.t));
	headers_add(&extra, "X-One", "1");
	headers_add(&extra, "Authorization", "Bearer hush-9");
	send_alone(&extra);
	assert_string_equal(message(1), REPLY(2));
	web_has(request(3), "X-One", "1");
	web_has(request(3), "Authorization", "Bearer hush-9");
	assert_null(strstr(request(3), "hush-2"));
	web_has(request(3), "Mcp-Session-Id", "");
	web_has(request(3), "MCP-Protocol-Version", "");
	seen_send(&seen, CALL);
	message(2);
	web_has(request(4), "X-One", "");
	web_has(request(4), "Authorization", "Bearer hush-2");
	web_has(request(4), "Mcp-Session-Id", "");
	headers_done(&extra);
	/* No session: nothing to be ended. */
	seen_close(&seen);
	assert_int_equal(web.requests.count, 5);
}

static void answer_alone_ends(struct web_client *c, const char *rq)
{
	(void)rq;
	web_stream(c, "");
	web_say(c, "id: 7\n" EVENT("{\"method\":\"a\"}"));
	web_hang_up(c);
}

/* A broken stream loses the request (modern.md 6): nothing is fetched. */
static void test_alone_is_not_resumed(void **state)
{
	const struct headers none = { 0 };

	(void)state;
	begin(answer_alone_ends);
	seen.t.ops->alone(&seen.t, true);
	send_alone(&none);
	assert_string_equal(failure(0), "2: the answer of '127.0.0.1' ended "
					"before the reply came");
	assert_int_equal(seen.messages.count, 1);
	assert_int_equal(web.requests.count, 1);
}

/* One request a POST: an error that names none is about this one. */
static void test_alone_errors(void **state)
{
	static const struct {
		const char *body, *named; /* NULL: it is no reply */
	} rows[] = {
		{ "{\"id\":null,\"error\":{\"code\":-32600}}",
		  "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32600}}" },
		{ " {\"error\":{\"code\":1,\"message\":\"x\"}} ",
		  "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,"
		  "\"message\":\"x\"}}" },
		{ "{\"id\":2,\"error\":{\"code\":7}}",
		  "{\"id\":2,\"error\":{\"code\":7}}" },
		{ "{\"id\":3,\"error\":{\"code\":7}}", NULL },
		{ "{\"error\":\"in words\"}", NULL },
		{ "{\"code\":7}", NULL },
	};
	static const int statuses[] = { 200, 400 };
	struct headers extra = { 0 };
	size_t told_so_far = 0, failed = 0;

	(void)state;
	headers_add(&extra, "X-One", "1");
	plain.type = "application/json";
	begin(answer_plain);
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		plain.status = statuses[i % 2];
		plain.body = rows[i / 2].body;
		send_alone(&extra);
		if (rows[i / 2].named)
			assert_string_equal(message(told_so_far++),
					    rows[i / 2].named);
		else
			assert_memory_equal(failure(failed++), "2: ", 3);
		assert_int_equal(seen.messages.count, told_so_far);
	}
	/* In a session it may be about another one. */
	plain.body = rows[0].body;
	seen_send(&seen, LIST);
	failure(failed);
	assert_int_equal(seen.messages.count, told_so_far);
	headers_done(&extra);
}

/* An answer among others, and what is none, in its words. */
static void test_odd_answers(void **state)
{
	static const char among[] = "[{\"id\":9,\"result\":{}},{\"id\":2,"
				    "\"result\":{}}]";
	static const char others[] = "[{\"id\":9,\"result\":{}}]";

	(void)state;
	plain.type = "application/json";
	plain.status = 200;
	plain.body = among;
	begin(answer_plain);
	seen_send(&seen, LIST);
	assert_string_equal(message(0), among);
	/* Any answer will do for a batch. */
	plain.body = others;
	seen_send(&seen, "[" LIST "]");
	assert_string_equal(message(1), others);
	seen_send(&seen, LIST);
	assert_string_equal(failure(0),
			    "2: '127.0.0.1' answered with something that is no"
			    " reply to the request");
	plain.body = "{\"error\":\"no such thing\"}";
	seen_send(&seen, LIST);
	assert_string_equal(failure(1),
			    "2: '127.0.0.1' answered with something that is no"
			    " reply to the request: no such thing");
	plain.body = "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"message\":"
		     "\"of another\"}}";
	seen_send(&seen, LIST);
	assert_string_equal(failure(2),
			    "2: '127.0.0.1' answered with something that is no"
			    " reply to the request: of another");
	assert_int_equal(seen.last.kind, ERR_PROTOCOL);
}

static void answer_odd_session(struct web_client *c, const char *rq)
{
	if (asks(rq, "\"initialize\""))
		web_reply(c, 200, "Mcp-Session-Id: two words\r\n",
			  "application/json", REPLY(1));
	else
		answer_well(c, rq);
}

static void test_odd_session(void **state)
{
	(void)state;
	begin(answer_odd_session);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(0), REPLY(1));
	assert_string_equal(failure(0),
			    "0: the session id of '127.0.0.1' cannot be sent"
			    " back: it is not of visible ASCII, or above 1024"
			    " bytes");
	assert_false(http->has_session(&seen.t));
	seen_send(&seen, LIST);
	message(1);
	web_has(request(1), "Mcp-Session-Id", "");
}

/* ---- while nothing comes ---- */

/* Until it is explained so. */
static void explained(const char *text)
{
	const bool never = false;
	int64_t end = loop_now() + 60000;

	for (;;) {
		struct error err = { 0 };
		int status = seen.t.ops->explain(&seen.t, &err);
		bool found = status && strstr(err.text, text);

		if (found)
			assert_int_equal(err.kind, ERR_CONNECT);
		if (!found && loop_now() > end)
			fail_msg("'%s' instead of '%s'", err.text, text);
		error_reset(&err);
		if (found)
			return;
		loop_wait(seen.loop, &never, loop_now() + 2, NULL);
	}
}

static void answer_slowly(struct web_client *c, const char *rq)
{
	(void)rq;
	if (web.step == 1)
		web_say(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
	if (web.step == 2) {
		web_stream(c, "");
		web_say(c, ": nothing yet\n\n");
	}
}

static void test_explained(void **state)
{
	static const char *const texts[] = {
		"'127.0.0.1' took the request, and has not begun to answer",
		"'127.0.0.1' began to answer, and has not ended",
		"'127.0.0.1' began a stream of events, and none of them came",
	};
	struct error err = { 0 };
	struct layers layers;

	(void)state;
	begin(answer_slowly);
	assert_int_equal(seen.t.ops->explain(&seen.t, &err), 0);
	for (web.step = 0; web.step < COUNT(texts); web.step++) {
		seen_send(&seen, LIST);
		request(web.step);
		explained(texts[web.step]);
		assert_true(seen.t.ops->layers(&seen.t, 2, &layers));
		assert_true(layers.tcp);
		assert_false(layers.broker);
		assert_false(seen.t.ops->layers(&seen.t, 3, &layers));
		seen.t.ops->forget(&seen.t, 2);
		assert_int_equal(seen.t.ops->explain(&seen.t, &err), 0);
		assert_false(seen.t.ops->layers(&seen.t, 2, &layers));
	}
	assert_int_equal(seen.failures.count, 0);
	seen_close(&seen);
	seen_reset(&seen);
	target("sse+http", "/sse");
	seen_open(&seen, &http->dial);
	web.step = 2;
	seen_send(&seen, INITIALIZE);
	explained("'127.0.0.1' opened the event stream, and does not tell where"
		  " messages go (event 'endpoint')");
}

/* ---- the older HTTP+SSE that is none ---- */

static void answer_no_endpoint(struct web_client *c, const char *rq)
{
	(void)rq;
	if (web.step == 0)
		web_stream(c, "");
	if (web.step == 1)
		web_reply(c, 404, "", "text/plain", "not found");
	if (web.step == 2)
		web_reply(c, 200, "", "text/html", "<html>hello</html>");
	web_hang_up(c);
}

static void test_no_endpoint(void **state)
{
	static const char *const texts[] = {
		"1: the event stream of '127.0.0.1' ended without telling where"
		" messages go",
		"1: '127.0.0.1' has no MCP server at '/sse': HTTP 404: not"
		" found",
		"1: '127.0.0.1' answered with a web page: that is no MCP"
		" server",
		NULL,
	};

	(void)state;
	web.answer = answer_no_endpoint;
	target("sse+http", "/sse");
	seen_open(&seen, &http->dial);
	for (web.step = 0; web.step < COUNT(texts); web.step++) {
		seen_send(&seen, INITIALIZE);
		if (texts[web.step])
			assert_string_equal(failure(web.step), texts[web.step]);
		else
			assert_non_null(strstr(failure(web.step),
					       "closed the connection without "
					       "an answer"));
	}
}

/* ---- tokens that others get ---- */

static struct {
	const char *token;
	bool over, asked;
	bearer_done *done;
	void *arg;
	const void *forgotten;
	int status;
	char challenge[128], sent[32];
	unsigned times, refusals, forgets, holds, frees;
} guard;

static const char *guard_token(void *owner)
{
	assert_ptr_equal(owner, &guard);
	return guard.token;
}

static bool guard_is_over(void *owner)
{
	(void)owner;
	return guard.over;
}

static void guard_refused(void *owner, const struct bearer_refusal *r,
			  bearer_done *done, void *arg)
{
	(void)owner;
	guard.done = done;
	guard.arg = arg;
	guard.status = r->status;
	snprintf(guard.challenge, sizeof(guard.challenge), "%s",
		 r->challenge ? r->challenge : "none");
	snprintf(guard.sent, sizeof(guard.sent), "%s",
		 r->token ? r->token : "none");
	guard.times = r->times;
	guard.refusals++;
	guard.asked = true;
}

static void guard_forget(void *owner, const void *arg)
{
	(void)owner;
	guard.forgotten = arg;
	guard.forgets++;
}

static const struct bearer bearer = { .token = guard_token,
				      .is_over = guard_is_over,
				      .refused = guard_refused,
				      .forget = guard_forget,
				      .owner = &guard };

static void on_held(void *owner, bool held)
{
	(void)owner;
	guard.holds += held;
	guard.frees += !held;
}

static void answer_guarded(struct web_client *c, const char *rq)
{
	if (!asks(rq, "Authorization: Bearer hush-new\r\n"))
		web_reply(c, web.step ? (int)web.step : 401,
			  "WWW-Authenticate: Basic\r\n"
			  "WWW-Authenticate: Bearer error=\"x\"\r\n",
			  "", "");
	else
		answer_well(c, rq);
}

static void begin_guarded(void)
{
	static struct transport_events mine;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("http://127.0.0.1:%u/mcp", (unsigned)web.port);

	memset(&guard, 0, sizeof(guard));
	mine = seen_events;
	mine.held = on_held;
	seen.t.events = &mine;
	web.answer = answer_guarded;
	seen_target(&seen, text);
	seen.to.bearer = &bearer;
	guard.token = "hush-old";
	seen_open(&seen, &http->dial);
}

static void await_refusal(void)
{
	if (loop_wait(seen.loop, &guard.asked, loop_now() + 60000, NULL))
		fail_msg("no refusal");
	guard.asked = false;
}

static void judge(enum bearer_verdict verdict, const char *text)
{
	struct error why = { 0 };

	if (text) {
		error_set(&why, ERR_AUTH, "no token: %s", text);
		error_hint(&why, "%s", text);
	}
	guard.done(guard.arg, verdict, &why);
	error_reset(&why);
}

static void test_token_again(void **state)
{
	(void)state;
	begin_guarded();
	seen_send(&seen, INITIALIZE);
	await_refusal();
	web_has(request(0), "Authorization", "Bearer hush-old");
	assert_int_equal(guard.status, 401);
	assert_string_equal(guard.challenge, "Basic, Bearer error=\"x\"");
	assert_string_equal(guard.sent, "hush-old");
	assert_int_equal(guard.times, 0);
	assert_int_equal(guard.holds, 1);
	assert_int_equal(guard.frees, 0);
	/* A second one that waits is no news. */
	seen_send(&seen, LIST);
	await_refusal();
	assert_int_equal(guard.holds, 1);
	seen.t.ops->forget(&seen.t, 2);
	assert_int_equal(guard.forgets, 1);
	assert_ptr_equal(guard.forgotten, guard.arg);
	assert_int_equal(guard.frees, 0);
	guard.token = NULL;
	seen_send(&seen, CALL);
	await_refusal();
	assert_string_equal(guard.sent, "none");
	web_has(request(2), "Authorization", "");
	guard.token = "hush-new";
	judge(BEARER_AGAIN, NULL);
	assert_string_equal(message(0), REPLY(3));
	web_has(request(3), "Authorization", "Bearer hush-new");
	assert_string_equal(web_body(request(3)), CALL);
	assert_int_equal(seen.failures.count, 0);
	assert_int_equal(guard.frees, 0);
	/* The first one still waits, until nobody does. */
	seen_close(&seen);
	assert_int_equal(guard.frees, 1);
	assert_int_equal(guard.refusals, 3);
}

/* What the user sends there himself wins: nobody is asked for another. */
static void test_token_of_the_user(void **state)
{
	(void)state;
	begin_guarded();
	seen_close(&seen);
	seen_reset(&seen);
	target("http", "/mcp");
	seen.to.bearer = &bearer;
	seen_open(&seen, &http->dial);
	seen_send(&seen, LIST);
	assert_non_null(strstr(failure(0), "HTTP 401"));
	web_has(request(0), "Authorization", "Bearer hush-2");
	assert_null(strstr(request(0), "hush-old"));
	assert_int_equal(guard.refusals, 0);
}

static void answer_guarded_at_length(struct web_client *c, const char *rq)
{
	CLEANUP(mem_free_ptr) char *text = mem_zalloc(400001);

	(void)rq;
	memset(text, 'x', 400000);
	web_reply(c, 401, "", "text/plain", text);
}

/* Its first words will do; what comes behind them is no other refusal. */
static void test_token_refused_at_length(void **state)
{
	(void)state;
	begin_guarded();
	web.answer = answer_guarded_at_length;
	seen_send(&seen, LIST);
	await_refusal();
	for (int i = 0; i < 50; i++)
		loop_poll(seen.loop);
	assert_int_equal(guard.refusals, 1);
	judge(BEARER_AS_IS, "log in");
	failure(0);
	seen_close(&seen);
	assert_int_equal(guard.holds, 1);
	assert_int_equal(guard.frees, 1);
}

static void test_token_refused(void **state)
{
	(void)state;
	begin_guarded();
	seen_send(&seen, LIST);
	await_refusal();
	judge(BEARER_AS_IS, "log in");
	assert_non_null(strstr(failure(0), "HTTP 401"));
	assert_string_equal(seen.last.hint, "log in");
	assert_int_equal(seen.last.kind, ERR_AUTH);
	seen_send(&seen, LIST);
	await_refusal();
	judge(BEARER_FAILED, "nobody is at home");
	assert_string_equal(failure(1), "2: no token: nobody is at home");
	assert_string_equal(seen.last.hint, "nobody is at home");
	assert_int_equal(guard.holds, 2);
	assert_int_equal(guard.frees, 2);
	/* Asked for as often as may be, and not for ever. */
	seen_send(&seen, LIST);
	for (unsigned i = 0; i < 5; i++) {
		await_refusal();
		assert_int_equal(guard.times, i);
		judge(BEARER_AGAIN, NULL);
	}
	assert_non_null(strstr(failure(2), "HTTP 401"));
	assert_int_equal(guard.refusals, 7);
	assert_int_equal(web.requests.count, 8);
	assert_int_equal(guard.forgets, 0);
}

static void answer_forbidden(struct web_client *c, const char *rq)
{
	(void)rq;
	web_reply(c, 403,
		  web.step ? "WWW-Authenticate: Bearer "
			     "error=\"insufficient_scope\"\r\n" :
			     "WWW-Authenticate: Bearer error=\"other\"\r\n",
		  "", "");
}

/* A 403 is final, but where more may be asked for. */
static void test_token_scope(void **state)
{
	(void)state;
	begin_guarded();
	web.answer = answer_forbidden;
	seen_send(&seen, LIST);
	assert_non_null(strstr(failure(0), "HTTP 403"));
	assert_int_equal(guard.refusals, 0);
	web.step = 1;
	seen_send(&seen, LIST);
	await_refusal();
	assert_int_equal(guard.status, 403);
	judge(BEARER_AS_IS, NULL);
	assert_non_null(strstr(failure(1), "HTTP 403"));
}

/* Nothing is sent with a token that is over, if another can be had. */
static void test_token_over(void **state)
{
	(void)state;
	begin_guarded();
	guard.over = true;
	seen_send(&seen, LIST);
	await_refusal();
	assert_int_equal(guard.status, 0);
	assert_string_equal(guard.challenge, "none");
	assert_int_equal(web.requests.count, 0);
	assert_int_equal(guard.holds, 1);
	guard.token = "hush-new";
	/* Asked once: one that is always over is sent. */
	judge(BEARER_AGAIN, NULL);
	assert_string_equal(message(0), REPLY(2));
	assert_int_equal(guard.frees, 1);
	assert_int_equal(guard.refusals, 1);
	/* Without another one the old one is tried. */
	seen_send(&seen, LIST);
	await_refusal();
	judge(BEARER_AS_IS, NULL);
	assert_string_equal(message(1), REPLY(2));
	assert_int_equal(web.requests.count, 2);
}

/* ---- no answer at all ---- */

static void answer_garbage(struct web_client *c, const char *rq)
{
	(void)rq;
	web_say(c, "SSH-2.0-OpenSSH_9.2\r\n");
	web_hang_up(c);
}

static void answer_nothing(struct web_client *c, const char *rq)
{
	(void)rq;
	web_hang_up(c);
}

/* A day is the most that a server may ask to wait. */
static void test_retry_limits(void **state)
{
	static const struct {
		const char *head;
		int64_t ms;
	} rows[] = {
		{ "Retry-After: 0\r\n", 0 },
		{ "Retry-After: 1\r\n", 1000 },
		{ "Retry-After: 86400\r\n", 86400000 },
		{ "Retry-After: 86401\r\n", 86400000 },
		{ "Retry-After: 9999999999\r\n", 86400000 },
		{ "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n", 86400000 },
		{ "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 0 },
		{ "Retry-After: soon\r\n", 0 },
	};

	(void)state;
	told.status = 503;
	told.type = told.body = NULL;
	begin(answer_told);
	for (size_t i = 0; i < COUNT(rows); i++) {
		told.head = rows[i].head;
		seen_send(&seen, LIST);
		failure(i);
		assert_int_equal(seen.last.retry_after, rows[i].ms);
	}
}

static void answer_gone(struct web_client *c, const char *rq)
{
	if (asks(rq, "\"initialize\""))
		web_json(c, REPLY(1));
	else if (text_starts(rq, "GET") || asks(rq, "initialized"))
		answer_well(c, rq);
	else
		web_reply(c, 404, "", "", "");
}

/* It had no session: the server went, or another one is there. */
static void test_server_gone(void **state)
{
	(void)state;
	begin(answer_gone);
	handshake();
	seen_send(&seen, LIST);
	assert_string_equal(failure(0),
			    "2: '127.0.0.1' does not know the MCP server any "
			    "more: HTTP 404");
	assert_non_null(strstr(seen.last.hint, "was it stopped"));
}

static void send_padded(size_t len)
{
	CLEANUP(mem_free_ptr) char *text = mem_zalloc(len + 1);

	memset(text, ' ', len);
	memcpy(text, LIST, strlen(LIST));
	seen_send(&seen, text);
}

/* Boards with Espressif's SDK take 65,535 bytes (espressif.md 3). */
static void test_too_large_for_boards(void **state)
{
	static const char hint[] =
		"the request has 65536 bytes: boards with Espressif's mcp-c-sdk"
		" take none above 65535";

	(void)state;
	told.status = 400;
	told.head = "";
	told.type = told.body = NULL;
	begin(answer_told);
	send_padded(65536);
	failure(0);
	assert_non_null(strstr(seen.last.hint, hint));
	send_padded(65535);
	failure(1);
	assert_null(strstr(seen.last.hint, "mcp-c-sdk"));
	told.status = 500;
	send_padded(65536);
	failure(2);
	assert_null(strstr(seen.last.hint, "mcp-c-sdk"));
	/* Or it closes, with the body unread. */
	web.answer = answer_nothing;
	send_padded(65536);
	failure(3);
	assert_non_null(strstr(seen.last.hint, hint));
}

static void answer_part(struct web_client *c, const char *rq)
{
	(void)rq;
	web_say(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		   "Content-Length: 100\r\n\r\n{\"id\"");
	web_hang_up(c);
}

static void answer_long_head(struct web_client *c, const char *rq)
{
	CLEANUP(mem_free_ptr) char *line = mem_alloc(60001);

	(void)rq;
	memset(line, 'x', 60000);
	line[60000] = '\0';
	web_say(c, "HTTP/1.1 200 OK\r\n");
	for (int i = 0; i < 8; i++)
		web_say(c, "X-%d: %s\r\n", i, line);
	web_say(c, "\r\n");
}

/* curl says of one long line that memory is short. */
static void answer_long_line(struct web_client *c, const char *rq)
{
	CLEANUP(mem_free_ptr) char *line = mem_alloc(200001);

	(void)rq;
	memset(line, 'x', 200000);
	line[200000] = '\0';
	web_say(c, "HTTP/1.1 200 OK\r\nX: %s\r\n\r\n", line);
}

static void test_no_answer(void **state)
{
	static const struct {
		void (*answer)(struct web_client *c, const char *request);
		const char *text;
		enum error_kind kind;
	} rows[] = {
		{ answer_garbage, "answered something that is no HTTP",
		  ERR_PROTOCOL },
		{ answer_nothing, "closed the connection without an answer",
		  ERR_CONNECT },
		{ answer_part, "broke before its answer was whole",
		  ERR_CONNECT },
		{ answer_long_head, "a head that is too long", ERR_PROTOCOL },
		{ answer_long_line, "a head that is too long", ERR_PROTOCOL },
	};

	(void)state;
	begin(NULL);
	for (size_t i = 0; i < COUNT(rows); i++) {
		web.answer = rows[i].answer;
		seen_send(&seen, LIST);
		if (!strstr(failure(i), rows[i].text))
			fail_msg("%s", failure(i));
		assert_int_equal(seen.last.kind, rows[i].kind);
	}
}

static unsigned times(const char *what)
{
	unsigned sum = 0;

	for (size_t i = 0; i < web.requests.count; i++)
		sum += asks(web.requests.word[i], what);
	return sum;
}

static void answer_until_call(struct web_client *c, const char *rq)
{
	if (asks(rq, "tools/call"))
		web_hang_up(c);
	else
		answer_well(c, rq);
}

static void answer_after_breaking(struct web_client *c, const char *rq)
{
	if (times("tools/list") == 1)
		web_hang_up(c);
	else
		answer_well(c, rq);
}

static void answer_after_reset(struct web_client *c, const char *rq)
{
	if (times("tools/list") == 3)
		web_break(c);
	else
		answer_well(c, rq);
}

/* A connection that was kept breaks: what may act is not sent again. */
static void test_sent_once(void **state)
{
	(void)state;
	begin(answer_until_call);
	handshake();
	seen_send(&seen, CALL);
	if (!strstr(failure(0), "closed the connection without an answer"))
		fail_msg("%s", failure(0));
	assert_string_equal(seen.last.hint,
			    "whether the request was carried out is not known");
	assert_int_equal(times("tools/call"), 1);
	/* What only reads may be. */
	web.answer = answer_after_breaking;
	seen_send(&seen, INITIALIZE);
	message(1);
	seen_send(&seen, LIST);
	assert_string_equal(message(2), REPLY(2));
	assert_int_equal(times("tools/list"), 2);
	/* Also where the end of the old one comes as a reset. */
	web.answer = answer_after_reset;
	seen_send(&seen, LIST);
	assert_string_equal(message(3), REPLY(2));
	assert_int_equal(times("tools/list"), 4);
}

static void answer_twice(struct web_client *c, const char *rq)
{
	if (web.requests.count > 1) {
		answer_well(c, rq);
		return;
	}
	web_reply(c, 403, "", "text/html", "no");
	web_reply(c, 401, "", "text/html", "the second answer");
}

/* What stands behind a refusal is not taken for the answer to what follows. */
static void test_refusal_parts(void **state)
{
	(void)state;
	begin(answer_twice);
	seen_send(&seen, LIST);
	if (!strstr(failure(0), "HTTP 403"))
		fail_msg("%s", failure(0));
	seen_send(&seen, LIST);
	assert_string_equal(message(0), REPLY(2));
	assert_int_equal(web.connections, 2);
}

static void fails_with(const char *to, const char *text)
{
	seen_target(&seen, to);
	seen.to.connect_timeout = 2000;
	seen_open(&seen, &http->dial);
	seen_send(&seen, LIST);
	if (!strstr(failure(0), text))
		fail_msg("%s", failure(0));
	assert_string_not_equal(seen.last.hint, "");
	seen_close(&seen);
}

static void test_unreachable(void **state)
{
	CLEANUP(mem_free_ptr)
	char *tls = mem_printf("https://127.0.0.1:%u/", (unsigned)web.port);

	(void)state;
	fails_with("http://127.0.0.1:1/mcp",
		   "2: cannot connect to '127.0.0.1' port 1: connection "
		   "refused");
	assert_int_equal(seen.last.code, ECONNREFUSED);
	seen_reset(&seen);
	fails_with("http://[::1]:1/", "cannot connect to '::1' port 1: ");
	seen_reset(&seen);
	fails_with("http://nowhere.invalid/",
		   "cannot find the host 'nowhere.invalid'");
	assert_null(strstr(seen.last.text, "the name server does not answer"));
	seen_reset(&seen);
	web.answer = answer_garbage;
	fails_with(tls, "accepted the connection, but not the TLS handshake");
}

static void test_refused_options(void **state)
{
	static const struct {
		const char *header, *resolve, *cacert, *text, *proxy;
	} rows[] = {
		{ "Mcp-Session-Id", NULL, NULL, "is set by the transport",
		  NULL },
		{ "content-length", NULL, NULL, "is set by the transport",
		  NULL },
		{ "X Y", NULL, NULL, "cannot be sent", NULL },
		{ NULL, "host", NULL, "'--resolve'", NULL },
		{ NULL, "host:x:127.0.0.1", NULL, "'--resolve'", NULL },
		{ NULL, "host:80:there", NULL, "'--resolve'", NULL },
		{ NULL, "host:80:127.0.0.1,", NULL, "'--resolve'", NULL },
		{ NULL, NULL, NULL, "'--proxy'", "ftp://there" },
		{ NULL, NULL, NULL, "'--proxy'", "two words" },
		{ NULL, NULL, NULL, "'--proxy'", "http://" },
		{ NULL, NULL, "/nonexistent", "cannot read '/nonexistent'",
		  NULL },
		{ NULL, NULL, "Makefile", "has no certificate", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };

		seen_target(&seen, "https://127.0.0.1/");
		if (rows[i].header)
			headers_add(&seen.to.headers, rows[i].header, "1");
		if (rows[i].resolve)
			words_add(&seen.to.resolve, rows[i].resolve);
		seen.to.cacert = mem_strdup(rows[i].cacert);
		seen.to.proxy = mem_strdup(rows[i].proxy);
		assert_int_equal(http->dial.open(&seen.t, &seen.to, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, rows[i].text));
		assert_null(seen.t.impl);
		endpoint_done(&seen.to);
	}
}

/* ---- ways and means ---- */

static void test_resolve_and_headers(void **state)
{
	CLEANUP(mem_free_ptr)
	char *to = mem_printf("http://far.test:%u/mcp", (unsigned)web.port);
	CLEANUP(mem_free_ptr)
	char *way = mem_printf("far.test:%u:127.0.0.1", (unsigned)web.port);

	(void)state;
	web.answer = answer_well;
	seen_target(&seen, to);
	words_add(&seen.to.resolve, way);
	words_add(&seen.to.resolve, "far.test:1:[::1],127.0.0.1");
	headers_add(&seen.to.headers, "MCP-Protocol-Version", "1999-01-01");
	headers_add(&seen.to.headers, "User-Agent", "me");
	headers_add(&seen.to.headers, "X-Empty", "");
	seen_open(&seen, &http->dial);
	handshake();
	web_has(request(1), "MCP-Protocol-Version", "1999-01-01");
	web_has(request(1), "User-Agent", "me");
	assert_non_null(strstr(request(1), "\r\nX-Empty:\r\n"));
	assert_non_null(strstr(request(1), "\r\nHost: far.test:"));
}

static void test_proxy(void **state)
{
	CLEANUP(mem_free_ptr)
	char *proxy = mem_printf("http://127.0.0.1:%u", (unsigned)web.port);

	(void)state;
	web.answer = answer_well;
	seen_target(&seen, "http://far.test/mcp");
	seen.to.proxy = mem_strdup(proxy);
	seen_open(&seen, &http->dial);
	seen_send(&seen, LIST);
	assert_string_equal(message(0), REPLY(2));
	assert_true(text_starts(request(0), "POST http://far.test/mcp "));
	seen_close(&seen);
	seen_reset(&seen);
	/* The environment's is left alone for this machine itself. */
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	begin(answer_well);
	seen_send(&seen, LIST);
	message(0);
	seen_close(&seen);
	seen_reset(&seen);
	fails_with("http://far.test/", "cannot connect to the proxy "
				       "127.0.0.1 port 1: connection refused");
	seen_reset(&seen);
	setenv("http_proxy", "http://u:geheim@127.0.0.1:99999", 1);
	fails_with("http://far.test/", "the proxy does not let us through: "
				       "its address is none");
	unsetenv("http_proxy");
}

static void answer_large(struct web_client *c, const char *rq)
{
	CLEANUP(mem_free_ptr) char *text = mem_alloc(3000001);

	memset(text, 'x', 3000000);
	text[3000000] = '\0';
	if (asks(rq, "\"id\":2")) {
		web_say(c,
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			"Content-Length: %zu\r\n\r\n"
			"{\"id\":2,\"result\":\"%s\"}",
			strlen(text) + strlen("{'id':2,'result':''}"), text);
		return;
	}
	web_stream(c, "");
	web_say(c, "data: {\"id\":3,\"result\":\"%s\"}\n\n", text);
	web_hang_up(c);
}

static void test_large(void **state)
{
	(void)state;
	begin(answer_large);
	seen_send(&seen, LIST);
	assert_string_equal(message(0), "3000020 bytes");
	seen_send(&seen, CALL);
	assert_string_equal(message(1), "3000020 bytes");
	seen_close(&seen);
	seen_reset(&seen);
	web.answer = answer_large;
	target("http", "/mcp");
	seen.to.message_max = 1000000;
	seen_open(&seen, &http->dial);
	seen_send(&seen, LIST);
	assert_string_equal(failure(0), "2: a message above 1000000 bytes "
					"came, which is the limit");
	assert_int_equal(seen.last.kind, ERR_PROTOCOL);
	seen_send(&seen, CALL);
	assert_string_equal(failure(1), "3: a message above 1000000 bytes "
					"came, which is the limit");
	assert_int_equal(seen.messages.count, 0);
}

static void answer_never(struct web_client *c, const char *rq)
{
	(void)c;
	(void)rq;
}

static void test_queue(void **state)
{
	CLEANUP(mem_free_ptr) char *text = mem_alloc(4 << 20);
	struct error err = { 0 };
	int sent = 0;

	(void)state;
	memset(text, ' ', 4 << 20);
	begin(answer_never);
	while (!seen.t.ops->send(&seen.t, text, 4 << 20, &err) && sent < 10)
		sent++;
	assert_int_equal(sent, 4);
	assert_int_equal(err.kind, ERR_CONNECT);
}

static void on_early(uv_stream_t *tcp, ssize_t len, const uv_buf_t *in)
{
	struct web_client *c = tcp->data;

	if (len <= 0)
		return;
	buf_add(&c->in, in->base, (size_t)len);
	uv_read_stop(tcp);
	web_say(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		   "\r\n" EVENT("{\"method\":\"a\"}"));
}

/* Reads no more than the first bytes of what comes next. */
static void answer_early(struct web_client *c, const char *rq)
{
	if (asks(rq, "\"initialize\"")) {
		web_json(c, REPLY(1));
		uv_read_stop((uv_stream_t *)&c->tcp);
		uv_read_start((uv_stream_t *)&c->tcp, web_on_room, on_early);
	} else {
		web_say(c, EVENT(REPLY(2)));
	}
}

/* A server may begin to answer what it has not read yet: all of it goes out. */
static void test_answered_early(void **state)
{
	const size_t len = 12 << 20;

	(void)state;
	begin(answer_early);
	seen_send(&seen, INITIALIZE);
	message(0);
	send_padded(len);
	assert_string_equal(message(1), "{\"method\":\"a\"}");
	uv_read_start((uv_stream_t *)&web.clients->tcp, web_on_room,
		      web_on_read);
	assert_string_equal(message(2), REPLY(2));
	assert_int_equal(strlen(web_body(request(1))), len);
	assert_int_equal(strspn(web_body(request(1)) + strlen(LIST), " "),
			 len - strlen(LIST));
}

static void test_forget(void **state)
{
	(void)state;
	begin(answer_never);
	seen_send(&seen, LIST);
	request(0);
	assert_non_null(web.clients);
	seen.t.ops->forget(&seen.t, 7);
	seen.t.ops->forget(&seen.t, 2);
	/* Its connection is closed, and nothing is told. */
	for (int i = 0; web.clients && i < 30000; i++) {
		const bool never = false;

		loop_wait(seen.loop, &never, loop_now() + 2, NULL);
	}
	assert_null(web.clients);
	seen_close(&seen);
	assert_int_equal(seen.failures.count + seen.messages.count, 0);
}

static void answer_both(struct web_client *c, const char *rq)
{
	(void)rq;
	web_stream(c, "");
	web_say(c, "data: {\"method\":\"a\"}\n\n" EVENT(REPLY(1))
			   EVENT("{\"method\":\"b\"}"));
}

static void test_inside_events(void **state)
{
	(void)state;
	begin(answer_both);
	seen.forget_at_message = true;
	seen_send(&seen, INITIALIZE);
	message(0);
	loop_poll(seen.loop);
	assert_int_equal(seen.messages.count, 1);
	seen.forget_at_message = false;
	seen.close_at_message = true;
	seen_send(&seen, INITIALIZE);
	message(1);
	while (!seen.closed)
		seen_wait(&seen, "closed");
	assert_int_equal(seen.messages.count, 2);
	assert_int_equal(seen.why.kind, ERR_NONE);
}

/* DELETE is not waited for without end; what is open goes. */
static void answer_stuck(struct web_client *c, const char *rq)
{
	if (!text_starts(rq, "DELETE") && !asks(rq, "tools/list"))
		answer_well(c, rq);
}

static void test_close_amid(void **state)
{
	int64_t start;

	(void)state;
	begin(answer_stuck);
	handshake();
	request(2);
	seen_send(&seen, LIST);
	seen_send(&seen, "{\"method\":\"notifications/cancelled\"}");
	start = loop_now();
	seen_close(&seen);
	assert_in_range(loop_now() - start, 450, 10000);
	/* What was on its way has arrived, then came DELETE. */
	assert_true(
		asks(web.requests.word[web.requests.count - 2], "cancelled") ||
		asks(web.requests.word[web.requests.count - 3], "cancelled"));
	assert_true(text_starts(web.requests.word[web.requests.count - 1],
				"DELETE"));
}

static void answer_notes(struct web_client *c, const char *rq)
{
	if (asks(rq, "\"a\""))
		web_reply(c, 200, "", "application/json", "{}");
	else if (asks(rq, "\"b\""))
		web_json(c, REPLY(9));
	else
		web_reply(c, 400, "", "text/plain", "what?");
}

static void test_notifications(void **state)
{
	(void)state;
	begin(answer_notes);
	seen_send(&seen, "{\"method\":\"a\"}");
	seen_send(&seen, "{\"method\":\"b\"}");
	assert_string_equal(message(0), REPLY(9));
	seen_send(&seen, "no JSON");
	assert_string_equal(failure(0), "0: a notification or reply was not "
					"taken: '127.0.0.1' did not accept the "
					"request: HTTP 400: what?");
	assert_int_equal(seen.messages.count, 1);
	assert_int_equal(seen.failures.count, 1);
}

/* ---- single requests ---- */

static struct fetched {
	bool done;
	int status;
	char *body;
	struct error why;
} fetched;

static void fetch_done(void *owner, const struct http_answer *a)
{
	struct fetched *f = owner;

	assert_false(f->done);
	f->done = true;
	f->status = a->status;
	f->body = mem_strndup(a->body, a->len);
	error_copy(&f->why, a->why);
}

static void fetch(const struct http_request *rq, bool abandon)
{
	struct error err = { 0 };
	struct http_fetch *f;

	mem_free(fetched.body);
	error_reset(&fetched.why);
	fetched = (struct fetched){ .done = false };
	if (http->fetch(&f, seen.loop, rq, fetch_done, &fetched, &err))
		fail_msg("%s", err.text);
	assert_false(fetched.done);
	if (abandon) {
		http->fetch_abandon(f);
		return;
	}
	assert_int_equal(
		loop_wait(seen.loop, &fetched.done, loop_now() + 60000, NULL),
		0);
}

static void answer_fetch(struct web_client *c, const char *rq)
{
	if (asks(rq, "/slow"))
		return;
	if (asks(rq, "/cut")) {
		answer_part(c, rq);
		return;
	}
	web_reply(c, asks(rq, "/bad") ? 500 : 200, "Retry-After: 3\r\n",
		  "text/plain", "hello");
}

static void test_fetch(void **state)
{
	char url[64];
	struct http_request rq = { .url = url };

	(void)state;
	web.answer = answer_fetch;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/x", web.port);
	fetch(&rq, false);
	assert_int_equal(fetched.status, 200);
	assert_string_equal(fetched.body, "hello");
	assert_int_equal(fetched.why.kind, ERR_NONE);
	assert_int_equal(fetched.why.retry_after, 3000);
	assert_true(text_starts(request(0), "GET /x "));
	rq.body = "{}";
	rq.len = 2;
	fetch(&rq, false);
	assert_true(text_starts(request(1), "POST /x "));
	assert_string_equal(web_body(request(1)), "{}");
	rq.body_max = 3;
	fetch(&rq, false);
	assert_int_equal(fetched.why.kind, ERR_PROTOCOL);
	rq = (struct http_request){ .url = url };
	fetch(&rq, true);
	assert_null(fetched.body);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/bad", web.port);
	fetch(&rq, false);
	assert_int_equal(fetched.status, 500);
	assert_string_equal(fetched.body, "hello");
}

static void test_fetch_failures(void **state)
{
	char url[64];
	struct http_request rq = { .url = url };
	struct http_fetch *f = NULL;
	struct error err = { 0 };

	(void)state;
	web.answer = answer_fetch;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/slow", web.port);
	rq.timeout = 50;
	fetch(&rq, false);
	assert_int_equal(fetched.status, 0);
	assert_int_equal(fetched.why.kind, ERR_TIMEOUT);
	assert_string_equal(fetched.why.text,
			    "'127.0.0.1' did not answer within 50 ms");
	rq.timeout = 0;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/cut", web.port);
	fetch(&rq, false);
	assert_int_equal(fetched.status, 200);
	assert_int_equal(fetched.why.kind, ERR_PROTOCOL);
	rq.url = "http://127.0.0.1:1/";
	fetch(&rq, false);
	assert_int_equal(fetched.why.kind, ERR_CONNECT);
	assert_int_equal(fetched.why.code, ECONNREFUSED);
	rq.url = "ftp://127.0.0.1/";
	assert_int_equal(http->fetch(&f, seen.loop, &rq, NULL, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	http->fetch_abandon(NULL);
	mem_free(fetched.body);
	error_reset(&fetched.why);
	fetched = (struct fetched){ 0 };
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_json),
		TEST(test_parts_are_acknowledged),
		TEST(test_initialized_comes_first),
		TEST(test_initialized_without_end),
		TEST(test_initialized_cut),
		TEST(test_events),
		TEST(test_session_lost),
		TEST(test_session_lost_later),
		TEST(test_session_lost_for_a_note),
		TEST(test_no_stream),
		TEST(test_no_stream_watched),
		TEST(test_stream_comes_first),
		TEST(test_stream_refused_first),
		TEST(test_stream_before_a_call),
		TEST(test_stream_not_needed),
		TEST(test_stream_too_late),
		TEST(test_stream_taken_up),
		TEST(test_stream_waits),
		TEST(test_stream_request_timeout),
		TEST(test_identity),
		TEST(test_stream_given_up),
		TEST(test_stream_given_up_amid),
		TEST(test_stream_ends_at_once),
		TEST(test_stream_forgotten),
		TEST(test_stream_forgotten_amid),
		TEST(test_stream_not_twice),
		TEST(test_stream_of_new_session),
		TEST(test_resumed),
		TEST(test_resumed_in_an_hour),
		TEST(test_initialize_resumed),
		TEST(test_cut),
		TEST(test_no_events),
		TEST(test_stream_without_reply),
		TEST(test_stream_of_another),
		TEST(test_resumption_refused),
		TEST(test_fallback),
		TEST(test_endpoint_missing),
		TEST(test_forced),
		TEST(test_old_moved),
		TEST(test_neither),
		TEST(test_other_origin),
		TEST(test_long_challenge),
		TEST(test_statuses),
		TEST(test_retry_date),
		TEST(test_error_replies),
		TEST(test_llm_errors),
		TEST(test_retry_in_body),
		TEST(test_ids),
		TEST(test_mark),
		TEST(test_redirects),
		TEST(test_relative_redirects),
		TEST(test_retry_limits),
		TEST(test_server_gone),
		TEST(test_too_large_for_boards),
		TEST(test_alone),
		TEST(test_alone_is_not_resumed),
		TEST(test_alone_errors),
		TEST(test_odd_answers),
		TEST(test_odd_session),
		TEST(test_explained),
		TEST(test_no_endpoint),
		TEST(test_token_again),
		TEST(test_token_refused),
		TEST(test_token_refused_at_length),
		TEST(test_token_of_the_user),
		TEST(test_token_scope),
		TEST(test_token_over),
		TEST(test_no_answer),
		TEST(test_sent_once),
		TEST(test_refusal_parts),
		TEST(test_unreachable),
		TEST(test_refused_options),
		TEST(test_resolve_and_headers),
		TEST(test_proxy),
		TEST(test_large),
		TEST(test_queue),
		TEST(test_answered_early),
		TEST(test_forget),
		TEST(test_inside_events),
		TEST(test_close_amid),
		TEST(test_notifications),
		TEST(test_fetch),
		TEST(test_fetch_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
