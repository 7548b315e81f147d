/* SPDX-License-Identifier: MIT */
/*
 * What a transport can do beside sending, as a session uses it: headers and
 * pieces, sound, Ping, what it shows, requests that stand alone; what serve
 * tells; and the queue of events.
 */
#include "session_harness.h"

#include "net/head.h"
#include "rpc/session_calls.h"
#include "rpc/session_events.h"

static struct {
	char *with, *pieces, *sound;
	size_t sound_len;
	char header[64];
	int alone; /* calls of it; below 0: with false */
	int64_t lingers, layers_of;
	unsigned pings;
	bool refuses;
} seen_way;

static int way_with(struct transport *t, const char *text, size_t len,
		    const struct headers *extra, struct error *err)
{
	(void)t;
	(void)err;
	mem_free(seen_way.with);
	seen_way.with = mem_strndup(text, len);
	snprintf(seen_way.header, sizeof(seen_way.header), "%s",
		 headers_get(extra, "X-Own"));
	return 0;
}

static int way_pieces(struct transport *t, const char *text, size_t len,
		      struct error *err)
{
	(void)t;
	(void)err;
	mem_free(seen_way.pieces);
	seen_way.pieces = mem_strndup(text, len);
	return 0;
}

static int way_sound(struct transport *t, const void *data, size_t len,
		     struct error *err)
{
	(void)t;
	if (seen_way.refuses)
		return error_set(err, ERR_CONNECT, "nobody hears it");
	mem_free(seen_way.sound);
	seen_way.sound = mem_copy(data, len);
	seen_way.sound_len = len;
	return 0;
}

static void way_alone(struct transport *t, bool alone)
{
	(void)t;
	seen_way.alone = alone ? 1 : -1;
}

static int64_t way_lingers(const struct transport *t)
{
	(void)t;
	return seen_way.lingers > 0 ? seen_way.lingers-- : 0;
}

static bool way_layers(const struct transport *t, int64_t id,
		       struct layers *out)
{
	(void)t;
	seen_way.layers_of = id;
	out->unacked = 42;
	return true;
}

static int way_ping(struct transport *t, struct error *err)
{
	(void)t;
	(void)err;
	seen_way.pings++;
	return 0;
}

static const struct transport_ops ways = {
	.scheme = "ways",
	.open = fake_open,
	.send = fake_send,
	.close = fake_close,
	.forget = fake_forget,
	.send_with = way_with,
	.send_pieces = way_pieces,
	.send_sound = way_sound,
	.alone = way_alone,
	.lingers = way_lingers,
	.layers = way_layers,
	.ping = way_ping,
};

static int end_ways(void **state)
{
	mem_free(seen_way.with);
	mem_free(seen_way.pieces);
	mem_free(seen_way.sound);
	memset(&seen_way, 0, sizeof(seen_way));
	return tear_down(state);
}

static void up_with(const struct transport_ops *ops, enum dialect dialect)
{
	struct error err = { 0 };

	config.dialect = dialect;
	fake.peer.envelope = dialect == DIALECT_DEVICE;
	open_with(ops);
	if (dialect == DIALECT_DEVICE)
		fake_push(FAKE_TEXT, HELLO, 0);
	assert_int_equal(session_wait_up(session, &err), 0);
}

/* Headers go with one request alone; pieces likewise. */
static void headers_and_pieces(void **state)
{
	CLEANUP(headers_done) struct headers own = { 0 };
	struct request_order order = { .method = "x", .headers = &own };
	static const char text[] = "{\"id\":9,\"method\":\"p\"}";
	struct raw_request raw = { .method = "p",
				   .payload = { text, sizeof(text) - 1 },
				   .id = 9,
				   .pieces = true };
	struct call a = { 0 }, b = { 0 }, c = { 0 };
	struct error err = { 0 };

	(void)state;
	headers_add(&own, "X-Own", "1");
	up_with(&ways, DIALECT_PLAIN);
	assert_true(session_takes_headers(session));
	assert_true(session_has_pieces(session));
	assert_int_equal(session_start_order(session, &a, &order, &err), 0);
	assert_string_equal(seen_way.with,
			    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}");
	assert_string_equal(seen_way.header, "1");
	assert_int_equal(fake.sent_count, 0);
	assert_int_equal(session_start_raw(session, &b, &raw, &err), 0);
	assert_string_equal(seen_way.pieces, text);
	start(&c, "y");
	assert_int_equal(fake.sent_count, 1);
	assert_string_equal(fake.sent[0],
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"y\"}");
	session_forget(session, &a);
	session_forget(session, &b);
	session_forget(session, &c);
	assert_int_equal(fake.forgotten_count, 3);
	assert_int_equal(fake.forgotten[1], 9);
	call_done(&a);
	call_done(&b);
	call_done(&c);
	session_free(session);
	fake_reset();
	/* where there are none they are left out */
	up_with(&fake_ops, DIALECT_PLAIN);
	assert_false(session_takes_headers(session));
	assert_false(session_has_pieces(session));
	assert_int_equal(session_start_order(session, &a, &order, &err), 0);
	assert_int_equal(fake.sent_count, 1);
	session_forget(session, &a);
	call_done(&a);
}

static void sound(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	fake.no_ready = true;
	fake.peer.envelope = true;
	open_with(&ways);
	assert_int_equal(session_send_sound(session, 0, "abc", 3, &err), -1);
	assert_string_equal(err.text, "not connected yet");
	fake_push(FAKE_READY, NULL, 0);
	fake_push(FAKE_TEXT, HELLO, 0);
	assert_int_equal(session_wait_up(session, &err), 0);
	buf_reset(&traced);
	/* version 1 of the hello: as it is */
	assert_int_equal(session_send_sound(session, 60, "abc", 3, &err), 0);
	assert_int_equal(seen_way.sound_len, 3);
	assert_memory_equal(seen_way.sound, "abc", 3);
	assert_string_equal(buf_string(&traced), ">binary ");
	seen_way.refuses = true;
	assert_int_equal(session_send_sound(session, 60, "abc", 3, &err), -1);
	assert_string_equal(err.text, "nobody hears it");
	assert_string_equal(buf_string(&traced), ">binary ");
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(20);
	assert_int_equal(session_send_sound(session, 0, "abc", 3, &err), -1);
	assert_string_equal(err.text, "connection closed");
	assert_true(session_is_over(session));
	assert_false(session_is_open(session));
	session_free(session);
	fake_reset();
	up_with(&fake_ops, DIALECT_PLAIN);
	assert_int_equal(session_send_sound(session, 0, "abc", 3, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "no sound can be sent over 'fake'");
	assert_part(err.hint, "mqtt://");
	error_reset(&err);
}

/* With the head of the version that the device told. */
static void sound_with_a_head(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.dialect = DIALECT_DEVICE;
	fake.peer.envelope = true;
	open_with(&ways);
	fake_push(
		FAKE_TEXT,
		"{\"type\":\"hello\",\"version\":3,\"features\":{\"mcp\":true},"
		"\"transport\":\"websocket\"}",
		0);
	assert_int_equal(session_wait_up(session, &err), 0);
	assert_int_equal(session_send_sound(session, 60, "abc", 3, &err), 0);
	assert_int_equal(seen_way.sound_len, 7);
	assert_memory_equal(seen_way.sound, "\0\0\0\3abc", 7);
}

static void ping_and_layers(void **state)
{
	struct error err = { 0 };
	struct layers l;

	(void)state;
	up_with(&ways, DIALECT_PLAIN);
	assert_int_equal(session_ping(session, &err), 0);
	assert_int_equal(seen_way.pings, 1);
	assert_true(session_layers(session, &l));
	assert_int_equal(l.unacked, 42);
	assert_int_equal(l.pong_us, -1);
	assert_int_equal(seen_way.layers_of, 0);
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(20);
	assert_int_equal(session_ping(session, &err), -1);
	assert_string_equal(err.text, "there is no Ping over this connection");
	assert_false(session_layers(session, &l));
	assert_int_equal(l.unacked, 0);
	assert_int_equal(l.pong_us, -1);
	session_free(session);
	fake_reset();
	up_with(&fake_ops, DIALECT_PLAIN);
	assert_int_equal(session_ping(session, &err), -1);
	assert_false(session_layers(session, &l));
	error_reset(&err);
}

/* What is known of a call whose time is over, for who finds out why. */
static void silence(void **state)
{
	const struct session_silence *s;
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 5;
	up_with(&ways, DIALECT_PLAIN);
	s = session_silence(session);
	assert_int_equal(s->id, 0);
	c.subject = mem_strdup("t");
	assert_int_equal(call_peer(&c, "tools/call", NULL, &err), -1);
	assert_int_equal(s->id, 1);
	assert_true(s->tool);
	assert_false(s->known);
	assert_int_equal(s->layers.unacked, 42);
	assert_int_equal(seen_way.layers_of, 1);
	assert_true(s->over_us >= s->started_us + 5000);
	assert_int_equal(s->late_us, 0);
	/* told to the peer, and to the transport */
	assert_part(fake.sent[1], "\"requestId\":1");
	assert_int_equal(fake.forgotten[0], 1);
	fake_text("{\"id\":1,\"result\":{}}");
	watch(20);
	assert_true(s->late_us > 0);
	call_done(&c);
	/* a probe is none of it, nor is its late reply */
	c.probe = true;
	assert_int_equal(call_peer(&c, "ping", NULL, &err), -1);
	assert_int_equal(s->id, 1);
	call_done(&c);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(s->id, 3);
	assert_false(s->tool);
	call_done(&c);
	error_reset(&err);
}

static void alone(void **state)
{
	struct call c = { 0 };

	(void)state;
	up_with(&ways, DIALECT_PLAIN);
	start(&c, "x");
	session_alone(session, "2026-07-28");
	assert_int_equal(seen_way.alone, 1);
	assert_true(session_cancel(session, &c, "enough"));
	assert_int_equal(fake.sent_count, 1);
	assert_int_equal(fake.forgotten[0], c.id);
	fake_text("{\"id\":5,\"method\":\"roots/list\"}");
	watch(20);
	assert_odd(0, "a server of this revision must not send");
	assert_null(find_event(EVENT_REQUEST, 0));
	assert_int_equal(fake.sent_count, 1);
	session_alone(session, NULL);
	assert_int_equal(seen_way.alone, -1);
	assert_true(session_reads_batches(session));
	fake_text("{\"id\":5,\"method\":\"ping\"}");
	watch(20);
	assert_non_null(find_event(EVENT_REQUEST, 0));
	assert_int_equal(fake.sent_count, 2);
	assert_true(session_cancel(session, &c, "enough"));
	assert_part(fake.sent[2], "notifications/cancelled");
	session_forget(session, &c);
	call_done(&c);
}

/* What comes behind the last answer is handed on, as long as some may come. */
static void lingers(void **state)
{
	(void)state;
	up_with(&ways, DIALECT_PLAIN);
	seen_way.lingers = 3;
	fake_push(FAKE_TEXT, "{\"method\":\"late\"}", 0);
	session_linger(session);
	assert_int_equal(seen_way.lingers, 0);
	assert_string_equal(the_event(EVENT_NOTIFICATION, 0)->name, "late");
	forget_events();
	fake_push(FAKE_TEXT, "{\"method\":\"later\"}", 0);
	session_linger(session); /* nothing is expected */
	assert_int_equal(seen_count, 0);
}

static void times(void **state)
{
	(void)state;
	config.wait = 30000;
	fake.no_ready = true;
	open_with(&fake_ops);
	assert_in_range(session_wait_deadline(session) - loop_now(), 20000,
			30000);
	session_free(session);
	fake_reset();
	config.timeout = config.wait = 0;
	up_with(&fake_ops, DIALECT_PLAIN);
	assert_int_equal(session_timeout(session), 10000);
	assert_in_range(session_wait_deadline(session) - loop_now(), 50000,
			60000);
	session_adjust(session, 700, 800, false);
	assert_int_equal(session_timeout(session), 700);
	assert_int_equal(session->config.wait, 800);
	buf_reset(&traced);
	fake_text("{\"method\":\"n\"}");
	watch(10);
	assert_int_equal(traced.len, 0);
	session_adjust(session, 0, 0, true);
	assert_int_equal(session_timeout(session), 10000);
	assert_int_equal(session->config.wait, 60000);
	fake_text("{\"method\":\"n\"}");
	watch(10);
	assert_string_equal(buf_string(&traced), "<text ");
	/* an event tells when it came, since it was opened */
	fake_push(FAKE_TEXT, "{\"method\":\"n\"}", 60);
	while (seen_count < 3)
		watch(10);
	assert_true(the_event(EVENT_NOTIFICATION, 2)->at >= 59);
}

/* The queue goes round, and keeps its order. */
static void queue(void **state)
{
	(void)state;
	up_with(&fake_ops, DIALECT_PLAIN);
	stop_at = 3;
	for (int i = 0; i < 40; i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{\"method\":\"n%d\"}", i);

		fake_text(text);
		if (i % 4 != 3)
			continue;
		loop_poll(loop);
		session_deliver(session, &stop);
		stop = false;
		stop_at = seen_count + 3;
	}
	stop_at = 0;
	loop_poll(loop);
	session_drain(session);
	assert_int_equal(seen_count, 40);
	for (size_t i = 0; i < 40; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%zu", i);
		assert_string_equal(seen[i].name, name);
	}
	assert_int_equal(session->events.bytes, 0);
	assert_int_equal(session->events.first, 0);
}

/* Serial logs, findings of others, and what somebody has to say. */
static void told(void **state)
{
	static const char line[] = "boot";
	struct transport *t;

	(void)state;
	up_with(&fake_ops, DIALECT_PLAIN);
	t = session_transport(session);
	buf_reset(&traced);
	t->events->serial(t->owner, "ttyX", (struct span){ line, 4 }, "soon");
	t->events->serial(t->owner, "ttyX", (struct span){ 0 }, "gone");
	t->events->found(t->owner, (struct span){ "{\"code\":\"B1\"}", 13 },
			 "the message");
	t->events->found(t->owner, (struct span){ "{}", 2 }, NULL);
	session_serial_found(session, "{\"code\":\"S1\"}");
	session_tell(session, NOTICE_DETAIL, "%d words", 2);
	session_drain(session);
	assert_string_equal(the_event(EVENT_SERIAL, 0)->name, "ttyX");
	assert_string_equal(the_event(EVENT_SERIAL, 0)->text, "boot");
	assert_string_equal(the_event(EVENT_SERIAL, 0)->note, "soon");
	assert_null(the_event(EVENT_SERIAL, 1)->text);
	assert_string_equal(the_event(EVENT_SERIAL, 1)->note, "gone");
	assert_string_equal(the_event(EVENT_FINDING, 0)->text, "the message");
	assert_string_equal(the_event(EVENT_FINDING, 0)->finding,
			    "{\"code\":\"B1\"}");
	assert_null(the_event(EVENT_FINDING, 1)->text);
	assert_string_equal(the_event(EVENT_FINDING, 1)->finding, "{}");
	assert_string_equal(the_event(EVENT_FINDING, 2)->finding,
			    "{\"code\":\"S1\"}");
	assert_string_equal(the_event(EVENT_NOTICE, 0)->text, "2 words");
	assert_int_equal(the_event(EVENT_NOTICE, 0)->notice, NOTICE_DETAIL);
	assert_string_equal(buf_string(&traced), "<line <notice <notice ");
}

/* What a transport told of the peer is kept; where it told nothing is none. */
static void peer_is_kept(void **state)
{
	const struct ota_request ota = { .version = "2.4.2", .rssi = -50 };
	const struct session_peer *p;

	(void)state;
	fake.peer.path = "/x";
	fake.peer.device_id = "d";
	fake.peer.client_id = "c";
	fake.peer.tls = "TLS 1.3";
	fake.peer.protocol_version = 2;
	fake.peer.ota = &ota;
	fake.peer.ota_answer = "ws://h";
	up_with(&fake_ops, DIALECT_PLAIN);
	p = session_peer(session);
	assert_string_equal(p->address, "10.0.0.7:51234");
	assert_string_equal(p->path, "/x");
	assert_string_equal(p->device_id, "d");
	assert_string_equal(p->client_id, "c");
	assert_string_equal(p->tls, "TLS 1.3");
	assert_int_equal(p->protocol_version, 2);
	assert_true(p->has_ota);
	assert_string_equal(p->ota.version, "2.4.2");
	assert_int_equal(p->ota.rssi, -50);
	assert_string_equal(p->ota_answer, "ws://h");
	assert_null(p->kept);
	assert_false(p->standby || p->shared || p->held || p->unsure);
	session_free(session);
	fake_reset();
	fake.peer.address = NULL;
	fake.peer.shared = fake.peer.held = true;
	up_with(&fake_ops, DIALECT_PLAIN);
	p = session_peer(session);
	assert_null(p->address);
	assert_null(p->path);
	assert_null(p->device_id);
	assert_null(p->tls);
	assert_false(p->has_ota);
	assert_true(p->shared && p->held);
}

static int64_t failed_id;

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	assert_string_equal(why->text, "refused");
	failed_id = id;
}

/* Through serve: what it could not ask, what came too late, and silence. */
static void through_serve(void **state)
{
	static const struct relay_info relay = { .hello = HELLO,
						 .hello_len = sizeof(HELLO) - 1,
						 .hellos = 1,
						 .session_id = "S-1",
						 .frame_version = 1 };
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	observer.failed = on_failed;
	config.timeout = 20;
	config.dialect = DIALECT_DEVICE;
	fake.peer.envelope = true;
	fake.peer.relay = &relay;
	open_with(&fake_mute_ops);
	assert_int_equal(session_wait_up(session, &err), 0);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_part(err.hint, "nothing of it came here meanwhile");
	call_done(&c);
	fake_text("{\"type\":\"mcp\",\"payload\":{\"id\":1,\"result\":{}}}");
	watch(20);
	assert_odd(0, "a reply came just after it was given up");
	fake_push_number(FAKE_FAILED, 77, NULL, 0);
	watch(20);
	assert_int_equal(failed_id, 77);
	fake_text("{\"type\":\"mcp\",\"payload\":{\"id\":2,\"error\":{\"code\":"
		  "-32050,\"message\":\"the board is asleep\"}}}");
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "the board is asleep");
	assert_int_equal(err.code, -32050);
	call_done(&c);
	observer.failed = NULL;
	error_reset(&err);
}

/* What was heard last, where that was a message, and sound before it. */
static void heard_last(void **state)
{
	struct error err = { 0 };
	struct call c = { 0 };

	(void)state;
	config.timeout = 30;
	up_with(&fake_ops, DIALECT_DEVICE);
	fake_push(FAKE_BINARY, "x", 0);
	fake_push(FAKE_TEXT, "{\"type\":\"listen\"}", 0);
	assert_int_equal(call_peer(&c, "x", NULL, &err), -1);
	assert_part(err.hint, "last heard: a message ");
	assert_part(err.hint, " ago; 2 messages, 1 audio frame; a call may");
	call_done(&c);
	error_reset(&err);
}

#define WAY(name) cmocka_unit_test_setup_teardown(name, set_up, end_ways)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAY(headers_and_pieces),
		WAY(sound),
		WAY(sound_with_a_head),
		WAY(ping_and_layers),
		WAY(silence),
		WAY(alone),
		WAY(lingers),
		WAY(times),
		WAY(queue),
		WAY(told),
		WAY(through_serve),
		WAY(peer_is_kept),
		WAY(heard_last),
	};

	mem_init();
	return cmocka_run_group_tests_name("session ways", tests, NULL, NULL);
}
