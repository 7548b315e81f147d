/* SPDX-License-Identifier: MIT */
/*
 * Requests relayed to devices: ids changed and restored, replies to the right
 * asker, and what ends a request without one.
 */
#include "serve_harness.h"

struct asked {
	struct relay relay;
	char *frame; /* of the reply */
	struct error why;
	unsigned count; /* of done */
	struct asked *forget; /* another one, when this is done */
};

static void on_done(void *owner, struct relay *r, const char *frame, size_t len,
		    const struct error *why)
{
	struct asked *a = owner;

	assert_ptr_equal(r, &a->relay);
	assert_null(r->device);
	a->count++;
	mem_free(a->frame);
	a->frame = frame ? mem_strndup(frame, len) : NULL;
	if (why)
		error_copy(&a->why, why);
	if (a->forget)
		relay_forget(&a->forget->relay);
}

static void asked_done(struct asked *a)
{
	mem_free(a->frame);
	error_reset(&a->why);
}

static int ask(struct asked *a, struct end *e, const char *payload,
	       int64_t timeout, struct error *err)
{
	struct span whole = { payload, strlen(payload) }, id;

	a->relay.done = on_done;
	a->relay.owner = a;
	assert_true(json_span_member(whole, "id", &id));
	return relay_send(&a->relay, e->device, whole, id, timeout, err);
}

static void asks(struct asked *a, struct end *e, const char *payload)
{
	struct error err = { 0 };

	assert_int_equal(ask(a, e, payload, 0, &err), 0);
}

static struct end *ready_device(const char *id)
{
	struct end *e = dial(id);

	becomes_ready(e);
	return e;
}

/* ---- restoring ids ---- */

/* Where the id stands in a frame; len 0: another id, or none. */
static struct span find_id(const char *frame, int64_t id)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	CLEANUP(salvage_done) struct salvage s = { 0 };

	if (!envelope_decode(&e, frame, strlen(frame), NULL))
		return e.message.number == id ? e.message.id :
						(struct span){ frame, 0 };
	jsonrpc_salvage(frame, strlen(frame), &s);
	return s.has_id && s.id == id ? s.id_text : (struct span){ frame, 0 };
}

static void assert_restored(const char *frame, int64_t from, const char *to,
			    const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct span whole = { frame, strlen(frame) };
	struct span id = find_id(frame, from);

	relay_restore_id(&out, whole, id, id.len ? to : "");
	assert_string_equal(buf_string(&out), expected);
}

static void test_restore(void **state)
{
	(void)state;
	assert_restored("{\"session_id\":\"x\",\"type\":\"mcp\",\"payload\":"
			"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"id\":7}}}",
			7, "\"abc\"",
			"{\"session_id\":\"x\",\"type\":\"mcp\",\"payload\":"
			"{\"jsonrpc\":\"2.0\",\"id\":\"abc\",\"result\":{"
			"\"id\":7}}}");
	/* Not the first id that stands there, but the message's own. */
	assert_restored("{\"id\":7,\"type\":\"mcp\",\"payload\":{\"result\":{"
			"\"id\":7},\"id\": 7 }}",
			7, "1e3",
			"{\"id\":7,\"type\":\"mcp\",\"payload\":{\"result\":{"
			"\"id\":7},\"id\": 1e3 }}");
	assert_restored("{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":7}", 7, "70",
			"{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":70}");
	/* One that is a text stays one, so that who asked sees it. */
	assert_restored("{\"id\":\"7\",\"result\":1}", 7, "8",
			"{\"id\":\"8\",\"result\":1}");
	assert_restored("{\"id\":\"7\",\"result\":1}", 7, "null",
			"{\"id\":null,\"result\":1}");
	assert_restored("{\"id\":1e3,\"result\":1}", 1000, "8",
			"{\"id\":8,\"result\":1}");
	assert_restored("{\"id\":7.0,\"result\":1}", 7, "null",
			"{\"id\":null,\"result\":1}");
	/* It is not there: nothing changes. */
	assert_restored("{\"id\":70,\"result\":1}", 7, "8",
			"{\"id\":70,\"result\":1}");
	assert_restored("", 7, "8", "");
}

static void test_restore_broken(void **state)
{
	(void)state;
	assert_restored("{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":{"
			"\"jsonrpc\":\"2.0\",\"id\":12,\"error\":{\"message\":"
			"\"Unknown tool: \"x\"\"}}}",
			12, "\"a\"",
			"{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":{"
			"\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{"
			"\"message\":\"Unknown tool: \"x\"\"}}}");
	assert_restored("{\"payload\":{\"id\" : 12,\"error\":{\"message\":\"a\n"
			"\"b",
			12, "3",
			"{\"payload\":{\"id\" : 3,\"error\":{\"message\":\"a\n"
			"\"b");
	/* The first is the one that it is known by. */
	assert_restored("\"id\":1, \"id\":12", 12, "3", "\"id\":1, \"id\":12");
	assert_restored("\"id\":12", 12, "3", "\"id\":3");
	assert_restored("\"id\":", 12, "3", "\"id\":");
	assert_restored("\"id\"", 12, "3", "\"id\"");
}

/* ---- on their way ---- */

static void test_ids_of_askers(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked text = { 0 }, number = { 0 }, exponent = { 0 };
	long first, second;

	(void)state;
	asks(&text, e,
	     "{\"jsonrpc\":\"2.0\",\"id\":\"abc\",\"method\":\"ping\"}");
	first = last_id(e);
	assert_sent(e, e->sent.count - 1,
		    "\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		    "\"id\":");
	assert_sent(e, e->sent.count - 1, ",\"method\":\"ping\"}}");
	answers(e, "{}");
	assert_non_null(strstr(text.frame, "\"id\":\"abc\",\"result\":{}"));
	asks(&number, e,
	     "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"jsonrpc\":\"2.0\"}");
	second = last_id(e);
	assert_int_not_equal(first, second);
	asks(&exponent, e, "{ \"method\":\"ping\",\"id\" : 1e3 }");
	assert_sent(e, e->sent.count - 1, "{ \"method\":\"ping\",\"id\" : ");
	/* Out of order. */
	answers(e, "{\"n\":3}");
	assert_non_null(strstr(exponent.frame, "\"id\":1e3,"));
	assert_int_equal(number.count, 0);
	assert_int_equal(server->relays.by_id.count, 1);
	e->sent.count--;
	mem_free(TAKE(e->sent.word[e->sent.count]));
	answers(e, "{\"n\":2}");
	assert_non_null(strstr(number.frame, "\"id\":7,\"result\":{\"n\":2}"));
	assert_int_equal(text.count + number.count + exponent.count, 3);
	asked_done(&text);
	asked_done(&number);
	asked_done(&exponent);
}

static void test_own_request(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked a = { .relay = { .done = on_done, .owner = &a } };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(relay_request(&a.relay, e->device, "tools/call",
				       "{\"name\":\"x\"}", 0, &err),
			 0);
	assert_sent(e, e->sent.count - 1,
		    ",\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}}");
	answers_as(e, "error", "{\"message\":\"no\"}");
	assert_non_null(strstr(a.frame, "\"id\":null,\"error\""));
	asked_done(&a);
}

static void test_broken_reply(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked a = { 0 };

	(void)state;
	asks(&a, e,
	     "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"tools/call\"}");
	answers_as(e, "error", "{\"message\":\"Unknown tool: \"x\"\"}");
	assert_int_equal(a.count, 1);
	assert_non_null(strstr(a.frame, "\"id\":\"q\",\"error\":{\"message\":"
					"\"Unknown tool: \"x\"\"}"));
	the_record(RECORD_FINDING, 0, "! D124 error  ");
	the_record(RECORD_FINDING, 0, ", in answer to tools/call");
	asked_done(&a);
}

static void test_other_device_does_not_answer(void **state)
{
	struct end *one = ready_device(MAC);
	struct end *two = ready_device("aa:bb:cc:dd:ee:02");
	struct asked a = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	asks(&a, one, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	text = mem_printf("{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
			  "\"id\":%ld,\"result\":{}}}",
			  last_id(one));
	says(two, text);
	assert_int_equal(a.count, 0);
	the_record(RECORD_FINDING, 0, "! D115 warning  ");
	the_record(RECORD_FINDING, 0, "it is that of a call to another device");
	says(one, text);
	assert_int_equal(a.count, 1);
	/* A second time. */
	says(one, text);
	assert_int_equal(a.count, 1);
	the_record(RECORD_FINDING, 1, "! D123 warning  a second reply");
	the_record(RECORD_FINDING, 1, ": ping, ");
	asked_done(&a);
}

/* Its asker sees by the id that it is a text, and serve's log says so. */
static void test_id_as_text(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked a = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	asks(&a, e,
	     "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"self.a\"}}");
	text = mem_printf("{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
			  "\"id\":\"%ld\",\"result\":{}}}",
			  last_id(e));
	says(e, text);
	assert_non_null(strstr(a.frame, "\"id\":\"7\","));
	assert_string_equal(diag_finding(e->device->diag, D114)->detail,
			    "the id of self.a is a text");
	says(e, text);
	assert_int_equal(diag_count(e->device->diag, D114), 2);
	assert_non_null(strstr(diag_finding(e->device->diag, D123)->detail,
			       "self.a, "));
	asked_done(&a);
}

/* Given up by its asker, who stays; what was asked last is forgotten first. */
static void test_late(void **state)
{
	struct end *e = ready_device(MAC);
	int64_t deadline = loop_now() + LONG_MS;
	struct asked a = { .relay.patience = 20 };

	(void)state;
	asks(&a, e, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\"}");
	while (!e->device->breaker && loop_now() < deadline)
		loop_poll(loop);
	assert_non_null(e->device->breaker);
	answers(e, "{}");
	assert_int_equal(a.count, 1);
	the_record(RECORD_FINDING, 0, "! B250 warning  ");
	the_record(RECORD_FINDING, 0, ": x, late by ");
	assert_null(find_record(RECORD_FINDING, 1));
	asked_done(&a);
}

static void test_forget(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked a = { 0 };

	(void)state;
	relay_forget(&a.relay);
	asks(&a, e, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	relay_forget(&a.relay);
	relay_forget(&a.relay);
	assert_int_equal(server->relays.by_id.count, 0);
	answers(e, "{}");
	assert_int_equal(a.count, 0);
	the_record(RECORD_FINDING, 0, ": ping, late by ");
	says(e, "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":3,"
		"\"result\":{}}}");
	the_record(RECORD_FINDING, 1, "! D115 warning  ");
	the_record(RECORD_FINDING, 1, ": id 3");
	asked_done(&a);
}

static void test_not_sent(void **state)
{
	struct end *e = dial(MAC);
	struct asked a = { 0 };
	struct error err = { 0 }, why = { 0 };

	(void)state;
	assert_int_equal(ask(&a, e,
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}",
			     0, &err),
			 -1);
	assert_non_null(strstr(err.text, "not said hello"));
	becomes_ready(e);
	e->refuse = true;
	assert_int_equal(ask(&a, e,
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}",
			     0, &err),
			 -1);
	assert_string_equal(err.text, "the queue is full");
	e->refuse = false;
	error_set(&why, ERR_CONNECT, "kicked");
	board_end(e->device, &why);
	assert_int_equal(ask(&a, e,
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}",
			     0, &err),
			 -1);
	assert_non_null(strstr(err.text, "closing"));
	assert_int_equal(a.count, 0);
	assert_int_equal(server->relays.by_id.count, 0);
}

static void test_device_goes(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked a = { 0 }, b = { 0 }, c = { 0 };
	struct error why = { 0 };

	(void)state;
	asks(&a, e, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}");
	asks(&b, e, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}");
	asks(&c, e, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\"}");
	/* c is told first; it may forget one that is told later. */
	c.forget = &a;
	error_set(&why, ERR_CONNECT, "kicked");
	board_end(e->device, &why);
	assert_int_equal(a.count + b.count + c.count, 0);
	turn();
	assert_true(e->gone);
	assert_int_equal(a.count, 0);
	assert_int_equal(b.count, 1);
	assert_int_equal(c.count, 1);
	assert_null(b.frame);
	assert_string_equal(b.why.text, "kicked");
	assert_int_equal(server->relays.by_id.count, 0);
	asked_done(&b);
	asked_done(&c);
}

static void test_time_over(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked soon = { 0 }, later = { 0 };
	struct error err = { 0 };
	int64_t deadline = loop_now() + LONG_MS;

	(void)state;
	assert_int_equal(ask(&later, e,
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}",
			     LONG_MS, &err),
			 0);
	assert_int_equal(ask(&soon, e,
			     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}",
			     20, &err),
			 0);
	while (!soon.count && loop_now() < deadline)
		loop_poll(loop);
	assert_int_equal(soon.count, 1);
	assert_int_equal(soon.why.kind, ERR_TIMEOUT);
	assert_non_null(strstr(soon.why.text, "no answer within"));
	assert_int_equal(later.count, 0);
	/* Too late. */
	answers(e, "{}");
	assert_int_equal(soon.count, 1);
	the_record(RECORD_FINDING, 0, ": x, late by ");
	relay_forget(&later.relay);
	asked_done(&soon);
}

static void test_no_timer_when_idle(void **state)
{
	struct end *e = ready_device(MAC);
	struct asked a = { 0 };
	struct error err = { 0 };
	int64_t deadline = loop_now() + LONG_MS;

	(void)state;
	assert_int_equal(ask(&a, e,
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}",
			     LONG_MS, &err),
			 0);
	answers(e, "{}");
	assert_int_equal(a.count, 1);
	while (uv_is_active((uv_handle_t *)&server->sweep.uv) &&
	       loop_now() < deadline)
		loop_poll(loop);
	assert_false(uv_is_active((uv_handle_t *)&server->sweep.uv));
	asked_done(&a);
}

static void test_many(void **state)
{
	enum { MANY = 5000 };
	struct end *one = ready_device(MAC);
	struct end *two = ready_device("aa:bb:cc:dd:ee:02");
	struct asked *a = mem_zalloc(MANY * sizeof(*a));
	long id = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct end *e = i % 2 ? one : two;

		asks(&a[i], e, "{\"id\":1,\"method\":\"x\"}");
		assert_int_not_equal(last_id(e), id);
		id = last_id(e);
	}
	assert_int_equal(server->relays.by_id.count, MANY);
	for (int i = 0; i < MANY / 2; i++) {
		answers(one, "{}");
		one->sent.count--;
		mem_free(TAKE(one->sent.word[one->sent.count]));
	}
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(a[i].count, i % 2);
		if (!(i % 2))
			relay_forget(&a[i].relay);
		asked_done(&a[i]);
	}
	assert_int_equal(server->relays.by_id.count, 0);
	mem_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restore),
		cmocka_unit_test(test_restore_broken),
		TEST(test_ids_of_askers),
		TEST(test_own_request),
		TEST(test_broken_reply),
		TEST(test_other_device_does_not_answer),
		TEST(test_id_as_text),
		TEST(test_late),
		TEST(test_forget),
		TEST(test_not_sent),
		TEST(test_device_goes),
		TEST(test_time_over),
		TEST(test_no_timer_when_idle),
		TEST(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
