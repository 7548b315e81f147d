/* SPDX-License-Identifier: MIT */
/*
 * rpc/session over a fake transport: getting up, events, what is sent, the
 * end. Calls are in test_session_calls.c.
 */
#include "session_harness.h"

#include "net/head.h"
#include "rpc/session_calls.h"
#include "rpc/session_events.h"

/* getting up */

static void hello_goes_first(void **state)
{
	const struct session_times *times;
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_DEVICE);
	start(&c, "initialize");
	assert_int_equal(fake.sent_count, 2);
	assert_part(fake.sent[0], "\"type\":\"hello\"");
	assert_part(fake.sent[1], "\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1");
	assert_part(fake.sent[1], session_link(session)->session_id);
	assert_non_null(find_event(EVENT_HELLO, 0));
	assert_string_equal(the_event(EVENT_HELLO, 0)->text, HELLO);
	times = session_times(session);
	assert_int_equal(times->ota, -1);
	assert_true(times->connected >= 0 && times->hello >= times->connected);
	assert_int_equal(times->up, times->hello);
	session_forget(session, &c);
	call_done(&c);
}

static void no_hello(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	config.wait = 200;
	fake.peer.envelope = true;
	open_with(&fake_ops);
	/* a stream of audio does not keep it waiting */
	for (int i = 0; i < 40; i++)
		fake_push(FAKE_BINARY, "x", i * 50);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_part(err.text, "no hello came");
	/* That would change nothing: who dials in is a device. */
	assert_part(err.hint, "--envelope plain");
	assert_part(err.hint, "sim --listen");
	assert_true(session_times(session)->up == -1);
	assert_true(loop_now() * 1000 - session->opened_us < 1500000);
	error_reset(&err);
}

static void not_ready(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.wait = 20;
	fake.no_ready = true;
	open_with(&fake_mute_ops);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "no answer from 'fake:peer'");
	session_free(session);
	fake_reset();
	fake.no_ready = true;
	open_with(&fake_ops);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_string_equal(err.text, "nothing came at all");
	error_reset(&err);
}

/* To look closer is no advice to who does. */
static void closed_before_hello(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	for (int i = 0; i < 2; i++) {
		config.trace = i == 1;
		fake.peer.envelope = true;
		open_with(&fake_ops);
		fake_push(FAKE_CLOSED, NULL, 0);
		assert_int_equal(session_wait_up(session, &err), -1);
		assert_part(err.text, "was closed before a hello came");
		assert_int_equal(strstr(err.hint, "-v") != NULL, i == 0);
		error_reset(&err);
		session_free(session);
		fake_reset();
	}
	open_with(&fake_ops);
}

static void without_mcp(void **state)
{
	static const char *const hellos[] = {
		"{\"type\":\"hello\",\"version\":1}",
		"{\"type\":\"hello\",\"features\":{\"mcp\":false}}",
	};
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	for (size_t i = 0; i < COUNT(hellos); i++) {
		fake.peer.envelope = true;
		open_with(&fake_ops);
		fake_push(FAKE_TEXT, hellos[i], 0);
		assert_int_equal(session_wait_up(session, &err), -1);
		assert_int_equal(err.kind, ERR_CONNECT);
		assert_part(err.text, "the device offers no MCP");
		assert_part(err.hint, "1.6.6");
		session_free(session);
		session = NULL;
		fake_reset();
	}
	error_reset(&err);
}

static void signs_of_life(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	config.wait = 400;
	fake.no_ready = true;
	fake.peer.envelope = true;
	open_with(&fake_ops);
	fake_push_number(FAKE_NOTICE, NOTICE_BROWSER, "a browser", 250);
	fake_push_number(FAKE_NOTICE, NOTICE_OTA, "OTA asked", 500);
	fake_push(FAKE_READY, NULL, 750);
	fake_push(FAKE_TEXT, HELLO, 1000);
	assert_int_equal(session_wait_up(session, &err), 0);
	assert_true(session_times(session)->ota >= 490);
	assert_string_equal(the_event(EVENT_NOTICE, 1)->text, "OTA asked");
	assert_int_equal(the_event(EVENT_NOTICE, 1)->notice, NOTICE_OTA);
	assert_string_equal(the_event(EVENT_NOTICE, 1)->note, "10.0.0.7:1");
}

static void noise_is_no_life(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.wait = 200;
	fake.no_ready = true;
	open_with(&fake_ops);
	for (int i = 0; i < 20; i++)
		fake_push_number(FAKE_NOTICE, NOTICE_NOISE, "noise", i * 100);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_true(loop_now() * 1000 - session->opened_us < 1500000);
	error_reset(&err);
}

static void closed_before_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	fake.peer.envelope = true;
	open_with(&fake_ops);
	fake_push(FAKE_CLOSED, NULL, 5);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_part(err.text, "before a hello");
	session_free(session);
	fake_reset();
	fake.no_ready = true;
	error_set(&fake.close_why, ERR_AUTH, "the server answered 401");
	open_with(&fake_ops);
	fake_push(FAKE_CLOSED, NULL, 5);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_int_equal(err.kind, ERR_AUTH);
	assert_string_equal(err.text, "the server answered 401");
	error_reset(&err);
}

/* It is not waited for longer than two seconds; what comes later hurts nobody. */
static void slow_to_close(void **state)
{
	int64_t began = loop_now();

	(void)state;
	open_up(DIALECT_PLAIN);
	fake.close_delay = 2300;
	fake_push(FAKE_TEXT, "{\"id\":1,\"method\":\"x\"}", 2100);
	session_free(session);
	session = NULL;
	assert_in_range(loop_now() - began, 1990, 2290);
	assert_int_equal(seen_count, 0);
}

/* Ctrl-C while it is closed is for whoever waits next. */
static void closing_leaves_signals(void **state)
{
	const bool never = false;
	struct error err = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	fake.close_delay = 20;
	raise(SIGINT);
	session_free(session);
	session = NULL;
	assert_int_equal(loop_wait(loop, &never, loop_now(), &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(err.code, SIGINT);
	error_reset(&err);
}

static void refused_to_open(void **state)
{
	struct error err = { 0 };
	struct endpoint to = { 0 };

	(void)state;
	fake.refuse_open = true;
	assert_int_equal(session_open(&session, loop, &fake_ops, &to, &config,
				      NULL, &err),
			 -1);
	assert_null(session);
	assert_string_equal(err.text, "refused to open");
	error_reset(&err);
}

static void unknown_is_up_when_ready(void **state)
{
	(void)state;
	open_up(DIALECT_UNKNOWN);
	assert_false(session_link(session)->up);
	session_settle(session, DIALECT_PLAIN);
	assert_true(session_link(session)->up);
}

static void secrets_are_masked(void **state)
{
	struct headers headers = { 0 };
	const struct session_peer *peer;

	(void)state;
	headers_add(&headers, "Authorization", "Bearer sesame");
	headers_add(&headers, "Device-Id", "02:00");
	headers_add(&headers, "X-Token", "sesame");
	fake.peer.headers = &headers;
	fake.peer.path =
		"/x?device-id=02&authorization=sesame&token=sesame&key=sesame&passwd=sesame&q";
	open_up(DIALECT_PLAIN);
	peer = session_peer(session);
	assert_string_equal(headers_get(&peer->headers, "authorization"),
			    "Bearer ***");
	assert_string_equal(headers_get(&peer->headers, "x-token"), "***");
	assert_string_equal(headers_get(&peer->headers, "device-id"), "02:00");
	assert_string_equal(
		peer->path,
		"/x?device-id=02&authorization=***&token=***&key=***&passwd=***&q");
	headers_done(&headers);
}

/* Only a scheme in front is none of it: a secret may have blanks of its own. */
static void all_of_a_secret_is_masked(void **state)
{
	static const char *const rows[][3] = {
		{ "Cookie", "a=sesame; b=open", "***" },
		{ "X-Api-Key", "open sesame", "***" },
		{ "Authorization", "sesame open", "***" },
		{ "Authorization", "basic c2VzYW1l", "basic ***" },
		{ "Authorization", "Digest response=\"1\", a=\"2\"",
		  "Digest ***" },
		{ "Authorization", "", "***" },
		{ "Accept", "a; b", "a; b" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct headers in = { 0 }, out = { 0 };

		headers_add(&in, rows[i][0], rows[i][1]);
		session_keep_headers(&out, &in);
		assert_int_equal(out.count, 1);
		assert_string_equal(headers_get(&out, rows[i][0]), rows[i][2]);
		headers_done(&in);
		headers_done(&out);
	}
}

/* what the peer says on its own */

static void request_is_refused(void **state)
{
	(void)state;
	open_up(DIALECT_PLAIN);
	fake_text("{\"id\":12345678901234567890,\"method\":\"a\\\"b\"}");
	fake_text("{\"id\":\"q\\u0041\",\"method\":\"ping\"}");
	watch(20);
	assert_int_equal(fake.sent_count, 2);
	assert_false(the_event(EVENT_REQUEST, 0)->answered);
	assert_true(the_event(EVENT_REQUEST, 1)->answered);
	assert_string_equal(fake.sent[0],
			    "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,"
			    "\"error\":{\"code\":-32601,\"message\":"
			    "\"method not found: a\\\"b\"}}");
	assert_string_equal(fake.sent[1], "{\"jsonrpc\":\"2.0\",\"id\":"
					  "\"q\\u0041\",\"result\":{}}");
	assert_string_equal(the_event(EVENT_REQUEST, 0)->name, "a\"b");
	assert_string_equal(the_event(EVENT_REQUEST, 1)->name, "ping");
}

static char *asked; /* of which requests the observer was asked */
static char *asked_id;

static bool take_roots(void *owner, const struct event *e)
{
	char *before = asked;

	(void)owner;
	asked = mem_printf("%s%s ", before ? before : "", e->name);
	mem_free(before);
	if (strcmp(e->name, "roots/list") != 0)
		return false;
	mem_free(asked_id);
	asked_id = mem_strdup("\"r 1\"");
	return true;
}

static void requests_are_answered(void **state)
{
	struct error err = { 0 };

	(void)state;
	observer.request = take_roots;
	open_up(DIALECT_PLAIN);
	fake_text("{\"id\":\"r 1\",\"method\":\"roots/list\"}");
	fake_text("{\"id\":2,\"method\":\"ping\"}");
	fake_text("{\"id\":3,\"method\":\"x/y\"}");
	watch(20);
	assert_string_equal(asked, "roots/list x/y ");
	/* ping at once, the other when the main line had looked at it */
	assert_int_equal(fake.sent_count, 2);
	assert_part(fake.sent[0], "\"id\":2,\"result\":{}");
	assert_part(fake.sent[1], "\"id\":3,\"error\":{\"code\":-32601");
	assert_true(the_event(EVENT_REQUEST, 0)->answered);
	assert_false(the_event(EVENT_REQUEST, 2)->answered);
	assert_int_equal(
		session_answer(session, asked_id, "{\"roots\":[]}", &err), 0);
	assert_string_equal(fake.sent[2], "{\"jsonrpc\":\"2.0\",\"id\":\"r 1\","
					  "\"result\":{\"roots\":[]}}");
	assert_int_equal(session_refuse(session, "7", -1, "no \"q\"", &err), 0);
	assert_string_equal(fake.sent[3],
			    "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{"
			    "\"code\":-1,\"message\":\"no \\\"q\\\"\"}}");
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(20);
	assert_int_equal(session_answer(session, "1", "{}", &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	mem_free(TAKE(asked));
	mem_free(TAKE(asked_id));
	error_reset(&err);
}

/* Who floods is refused at once: nobody will ever look at it. */
static void requests_beyond_the_queue(void **state)
{
	(void)state;
	config.events_max = 2;
	observer.request = take_roots;
	open_up(DIALECT_PLAIN);
	for (int i = 0; i < 4; i++)
		fake_text("{\"id\":1,\"method\":\"roots/list\"}");
	watch(20);
	assert_int_equal(fake.sent_count, 2);
	assert_part(fake.sent[0], "-32601");
	assert_string_equal(asked, "roots/list roots/list ");
	mem_free(TAKE(asked));
	mem_free(TAKE(asked_id));
}

static void negotiates(void **state)
{
	(void)state;
	open_up(DIALECT_PLAIN);
	session_negotiated(session, "2025-06-18", false);
	assert_string_equal(fake.negotiated, "2025-06-18");
	session_free(session);
	fake_reset();
	config.dialect = DIALECT_PLAIN;
	open_with(&fake_mute_ops);
	session_negotiated(session, "2025-06-18", false);
}

/* Only one revision has them. */
static void batch_that_is_none(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	session_negotiated(session, "2025-03-26", false);
	start(&c, "x");
	fake_text("[{\"id\":1,\"result\":{}}]");
	assert_int_equal(session_wait(session, &c, &err), 0);
	session_negotiated(session, "2025-06-18", false);
	start(&c, "x");
	fake_text("[{\"method\":\"n\"},{\"id\":2,\"result\":{}}, "
		  "{\"id\":3,\"method\":\"q\"},{\"id\":9,\"error\":{}}]");
	assert_int_equal(session_wait(session, &c, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text, "the reply to 'x' came in a batch, which "
				      "revision 2025-06-18 does not have");
	assert_string_equal(err.detail, "{\"id\":2,\"result\":{}}");
	assert_found("P709", 0, "not read");
	assert_null(find_event(EVENT_NOTIFICATION, 0));
	assert_int_equal(fake.sent_count, 2);
	call_done(&c);
	error_reset(&err);
}

static void batch(void **state)
{
	struct error err = { 0 };
	struct call a = { 0 }, b = { 0 };

	(void)state;
	with_engine();
	open_up(DIALECT_PLAIN);
	start(&a, "x");
	start(&b, "y");
	fake_text("[ {\"id\":2,\"result\": \"b\"},{\"method\":\"n\"},"
		  "{\"id\":1,\"error\":{\"message\":\"m\"}}, 5, [] ]");
	assert_int_equal(session_wait(session, &b, &err), 0);
	assert_string_equal(b.reply.text, "{\"id\":2,\"result\": \"b\"}");
	assert_int_equal(session_wait(session, &a, &err), -1);
	assert_string_equal(err.text, "m");
	assert_string_equal(the_event(EVENT_NOTIFICATION, 0)->name, "n");
	assert_found("D143", 0, "neither a request nor a reply");
	assert_found("D143", 1, "batch inside a batch");
	fake_text("[]");
	watch(20);
	assert_found("D143", 2, "empty batch");
	call_done(&a);
	call_done(&b);
	error_reset(&err);
}

static void device_events(void **state)
{
	(void)state;
	with_engine();
	open_up(DIALECT_DEVICE);
	fake_text("{\"session_id\":\"S\",\"type\":\"listen\",\"state\":"
		  "\"start\"}");
	fake_text("{\"type\":\"mcp\",\"payload\":{\"method\":"
		  "\"notifications/x\"}}");
	fake_text("{\"type\":\"mcp\"}");
	fake_text(HELLO);
	watch(20);
	assert_string_equal(the_event(EVENT_DEVICE, 0)->name, "listen");
	assert_string_equal(the_event(EVENT_NOTIFICATION, 0)->text,
			    "{\"method\":\"notifications/x\"}");
	assert_found("D143", 0, "without a payload");
	assert_string_equal(assert_found("D142", 0, "2 times by now")->text,
			    HELLO);
	assert_null(find_event(EVENT_HELLO, 1));
	/* and the second hello was answered too */
	assert_int_equal(fake.sent_count, 2);
	assert_string_equal(fake.sent[0], fake.sent[1]);
}

static void audio_once_a_second(void **state)
{
	const struct event *e;

	(void)state;
	open_up(DIALECT_DEVICE);
	for (int i = 0; i < 12; i++)
		fake_push(FAKE_BINARY, "abc", i * 100);
	watch(1300);
	e = the_event(EVENT_AUDIO, 0);
	assert_int_equal(e->count, 1);
	assert_int_equal(e->bytes, 3);
	e = the_event(EVENT_AUDIO, 1);
	assert_true(e->count >= 10 && e->count <= 12);
	assert_null(find_event(EVENT_AUDIO, 2));
	assert_int_equal(session_link(session)->audio_frames, 12);
}

static void broken_audio(void **state)
{
	(void)state;
	with_engine();
	open_up(DIALECT_DEVICE);
	fake_text("{\"type\":\"hello\",\"version\":3,\"features\":"
		  "{\"mcp\":true}}");
	fake_push_binary("\0\0\0\5x", 5, 1);
	fake_push_binary("\0", 1, 2);
	watch(20);
	assert_found("D144", 0, "claims a payload of 5 bytes");
	assert_found("D144", 1, "");
	assert_string_equal(the_event(EVENT_AUDIO, 0)->note,
			    "1 of them broken");
	assert_int_equal(session_link(session)->audio_broken, 2);
}

static void full_queue(void **state)
{
	(void)state;
	config.events_max = 4;
	open_up(DIALECT_PLAIN);
	for (int i = 0; i < 10; i++)
		fake_text("{\"method\":\"n\"}");
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(20);
	assert_non_null(find_event(EVENT_NOTIFICATION, 3));
	assert_null(find_event(EVENT_NOTIFICATION, 4));
	assert_non_null(find_event(EVENT_CLOSED, 0));
	assert_int_equal(the_event(EVENT_DROPPED, 0)->count, 6);
}

/* Its stderr does not push out its messages, and is no loss of any. */
static void talkative_child(void **state)
{
	(void)state;
	config.events_max = 4;
	open_up(DIALECT_PLAIN);
	for (int i = 0; i < 10; i++)
		fake_push_number(FAKE_NOTICE, NOTICE_CHILD, "x", 0);
	fake_text("{\"method\":\"n\"}");
	watch(20);
	assert_non_null(find_event(EVENT_NOTIFICATION, 0));
	assert_null(find_event(EVENT_DROPPED, 0));
	assert_string_equal(the_event(EVENT_NOTICE, 2)->text,
			    "(8 more lines came than could be kept)");
}

/* On the way here, as with a serve: at its place, or with what is lost here. */
static void lost_before(void **state)
{
	(void)state;
	config.events_max = 4;
	open_up(DIALECT_PLAIN);
	fake_push_number(FAKE_NOTICE, NOTICE_LOST, "7 were left out", 0);
	watch(20);
	assert_int_equal(the_event(EVENT_DROPPED, 0)->count, 7);
	assert_string_equal(the_event(EVENT_DROPPED, 0)->note,
			    "7 were left out");
	for (int i = 0; i < 5; i++)
		fake_text("{\"method\":\"n\"}");
	fake_push_number(FAKE_NOTICE, NOTICE_LOST, "7 were left out", 0);
	watch(20);
	assert_int_equal(the_event(EVENT_DROPPED, 1)->count, 8);
	assert_null(find_event(EVENT_NOTICE, 0));
}

static void watch_stops(void **state)
{
	struct error err = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	for (int i = 0; i < 5; i++)
		fake_text("{\"method\":\"n\"}");
	stop_at = 2;
	assert_int_equal(session_watch(session, &stop, loop_now() + 1000, &err),
			 0);
	assert_int_equal(seen_count, 2);
	/* nothing is lost by stopping */
	stop_at = 0;
	session_drain(session);
	assert_int_equal(seen_count, 5);
	assert_int_equal(session_watch(session, NULL, loop_now() + 10, &err),
			 0);
	fake_push(FAKE_CLOSED, NULL, 0);
	assert_int_equal(session_watch(session, NULL, LOOP_FOREVER, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "connection closed");
	error_reset(&err);
}

static void watch_ends_calls(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	assert_int_equal(session_start(session, &c, "x", NULL, 20, &err), 0);
	assert_int_equal(session_watch(session, &c.done, LOOP_FOREVER, &err),
			 0);
	assert_int_equal(c.failure.kind, ERR_TIMEOUT);
	call_done(&c);
}

/* what is sent */

/* Nothing waits, and the peer reads: the message alone is too long. */
static void too_long_to_be_sent(void **state)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	CLEANUP(mem_free_ptr) char *blanks = NULL;
	struct error err = { 0 };

	(void)state;
	open_up(DIALECT_PLAIN);
	blanks = mem_alloc(TRANSPORT_QUEUE_MAX + 1);
	memset(blanks, ' ', TRANSPORT_QUEUE_MAX + 1);
	buf_add(&frame, blanks, TRANSPORT_QUEUE_MAX + 1);
	assert_int_equal(session_send(session, &frame, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text,
			    "a message of 16777217 bytes is too long to be "
			    "sent: 16777216 are the limit");
	assert_int_equal(fake.sent_count, 0);
	buf_cut(&frame, TRANSPORT_QUEUE_MAX);
	error_reset(&err);
	assert_int_equal(session_send(session, &frame, &err), 0);
}

static void sends(void **state)
{
	struct error err = { 0 };

	(void)state;
	open_up(DIALECT_DEVICE);
	memcpy(session->link.session_id, "S1", 3);
	assert_int_equal(session_notify(session, "notifications/x", "{}", &err),
			 0);
	assert_string_equal(fake.sent[1],
			    "{\"session_id\":\"S1\",\"type\":\"mcp\","
			    "\"payload\":{\"jsonrpc\":\"2.0\",\"method\":"
			    "\"notifications/x\",\"params\":{}}}");
	assert_int_equal(session_send_device(session,
					     "{\"type\":\"tts\",\"state\":"
					     "\"stop\"}",
					     &err),
			 0);
	assert_string_equal(fake.sent[2],
			    "{\"session_id\":\"S1\",\"type\":\"tts\","
			    "\"state\":\"stop\"}");
	assert_int_equal(session_send_device(session, "5", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	error_reset(&err);
}

static void tap(void **state)
{
	struct error err = { 0 };

	(void)state;
	fake.no_ready = true;
	fake.peer.envelope = true;
	config.dialect = DIALECT_DEVICE;
	open_with(&fake_ops);
	fake_push_number(FAKE_NOTICE, NOTICE_OTHER, "n", 0);
	fake_push(FAKE_READY, NULL, 0);
	fake_push(FAKE_TEXT, HELLO, 0);
	fake_push(FAKE_BINARY, "x", 0);
	assert_int_equal(session_wait_up(session, &err), 0);
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(100);
	assert_string_equal(buf_string(&traced),
			    "<notice <ready <text >text <binary "
			    "<closed ");
}

/* a device that serve holds, and one at a broker */

static const struct relay_info relay = {
	.hello = HELLO,
	.hello_len = sizeof(HELLO) - 1,
	.hellos = 3,
	.session_id = "S-1",
	.frame_version = 1,
};
static const struct peer_kept kept = {
	.initialize = "{\"result\":{}} and more",
	.initialize_len = 13,
	.id = "aa:01",
	.device = "{\"id\":\"aa:01\"}",
};

static void relayed(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	fake.peer.envelope = true;
	fake.peer.relay = &relay;
	fake.peer.kept = &kept;
	open_with(&fake_ops);
	assert_ptr_equal(session_transport(session)->ops, &fake_ops);
	assert_int_equal(session_wait_up(session, &err), 0);
	assert_int_equal(session_times(session)->up,
			 session_times(session)->connected);
	assert_string_equal(session_peer(session)->kept->initialize,
			    "{\"result\":{}}");
	assert_int_equal(session_peer(session)->kept->initialize_len, 13);
	assert_string_equal(session_peer(session)->kept->id, "aa:01");
	assert_string_equal(session_peer(session)->kept->device, kept.device);
	assert_string_equal(session_link(session)->session_id, "S-1");
	/* serve answers both */
	fake_text("{\"type\":\"mcp\",\"payload\":{\"id\":1,\"method\":"
		  "\"x/y\"}}");
	fake_text(HELLO);
	watch(50);
	assert_int_equal(fake.sent_count, 0);
	assert_string_equal(the_event(EVENT_REQUEST, 0)->name, "x/y");
	/* One that it has; serve says how many came. */
	assert_int_equal(session_link(session)->hellos, 4);
	assert_null(find_event(EVENT_HELLO, 0));
	/* What serve says of a frame, and the frame. */
	error_set(&fake.failed_why, ERR_PROTOCOL, "reply to nothing");
	error_detail(&fake.failed_why, "{\"id\":9}", 8);
	fake_push_number(FAKE_FAILED, 0, NULL, 10);
	watch(50);
	assert_odd(0, "reply to nothing");
	assert_int_equal(the_event(EVENT_ODD, 0)->len, 8);
	error_reset(&fake.failed_why);
}

/* Over MQTT each voice session begins with one. */
static void relayed_mqtt(void **state)
{
	struct relay_info other = relay;
	struct error err = { 0 };

	(void)state;
	other.mqtt = true;
	config.dialect = DIALECT_DEVICE;
	fake.peer.relay = &other;
	open_with(&fake_ops);
	assert_int_equal(session_wait_up(session, &err), 0);
	fake_text(HELLO);
	watch(50);
	assert_string_equal(the_event(EVENT_HELLO, 0)->text, HELLO);
	assert_null(find_event(EVENT_ODD, 0));
}

static void relayed_without_mcp(void **state)
{
	static const char hello[] =
		"{\"type\":\"hello\",\"features\":{\"mcp\":false}}";
	struct relay_info other = relay;
	struct error err = { 0 };

	(void)state;
	other.hello = hello;
	other.hello_len = strlen(hello);
	config.dialect = DIALECT_DEVICE;
	fake.peer.relay = &other;
	open_with(&fake_ops);
	assert_int_equal(session_wait_up(session, &err), -1);
	assert_part(err.text, "offers no MCP");
	assert_null(session_peer(session)->kept);
	error_reset(&err);
}

/* Who pinged need not wait for anything else. */
static void pong_wakes(void **state)
{
	int64_t began;

	(void)state;
	open_up(DIALECT_PLAIN);
	began = loop_now();
	fake_push(FAKE_PONG, NULL, 10);
	assert_int_equal(session_step(session, NULL, began + 20000, NULL), 0);
	assert_true(loop_now() < began + 10000);
}

static void standby(void **state)
{
	static const struct udp_offer offer = { .server = "h", .port = 5 };
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	fake.peer.envelope = true;
	fake.peer.standby = true;
	fake.peer.udp = &offer;
	open_with(&fake_ops);
	assert_int_equal(session_wait_up(session, &err), 0);
	assert_int_equal(session_times(session)->hello, -1);
	/* one that comes later is answered */
	fake_text("{\"type\":\"hello\",\"transport\":\"udp\",\"features\":"
		  "{\"mcp\":true}}");
	watch(50);
	assert_int_equal(fake.sent_count, 1);
	assert_part(fake.sent[0], "\"udp\":{\"server\":\"h\",\"port\":5,");
	assert_non_null(find_event(EVENT_HELLO, 0));
	/* each voice session begins with one */
	fake_text("{\"type\":\"hello\",\"transport\":\"udp\"}");
	fake_push_number(FAKE_FAILED, 0, NULL, 10);
	watch(50);
	assert_int_equal(fake.sent_count, 2);
	assert_non_null(find_event(EVENT_HELLO, 1));
	/* of no call, but news */
	assert_non_null(find_event(EVENT_ODD, 0));
	assert_null(find_event(EVENT_ODD, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hello_goes_first),
		TEST(no_hello),
		TEST(not_ready),
		TEST(without_mcp),
		TEST(signs_of_life),
		TEST(noise_is_no_life),
		TEST(closed_before_up),
		TEST(closed_before_hello),
		TEST(slow_to_close),
		TEST(closing_leaves_signals),
		TEST(refused_to_open),
		TEST(unknown_is_up_when_ready),
		TEST(secrets_are_masked),
		cmocka_unit_test(all_of_a_secret_is_masked),
		TEST(request_is_refused),
		TEST(requests_are_answered),
		TEST(requests_beyond_the_queue),
		TEST(negotiates),
		TEST(batch),
		TEST(batch_that_is_none),
		TEST(device_events),
		TEST(audio_once_a_second),
		TEST(broken_audio),
		TEST(full_queue),
		TEST(talkative_child),
		TEST(lost_before),
		TEST(watch_stops),
		TEST(watch_ends_calls),
		TEST(sends),
		TEST(too_long_to_be_sent),
		TEST(tap),
		TEST(relayed),
		TEST(relayed_mqtt),
		TEST(relayed_without_mcp),
		TEST(pong_wakes),
		TEST(standby),
	};

	mem_init();
	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
