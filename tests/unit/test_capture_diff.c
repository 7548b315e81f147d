/* SPDX-License-Identifier: MIT */
/*
 * capture/compare, capture/steps, capture/diff: two conversations side by side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "capture/diff.h"

#define SPAN(text) ((struct span){ (text), strlen(text) })

static void see_member(void *owner, const struct compare_difference *d)
{
	struct buf *out = owner;

	buf_printf(out, "%s %s -> %s\n", d->pointer, d->was ? d->was : "-",
		   d->is ? d->is : "-");
}

static void assert_differs(const char *was, const char *is, const char *ignore,
			   const char *wanted)
{
	struct compare_rules rules = { &ignore, ignore ? 1 : 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	compare_messages(SPAN(was), SPAN(is), &rules, see_member, &out);
	assert_string_equal(buf_string(&out), wanted);
}

static void members(void **state)
{
	(void)state;
	assert_differs("{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2],\"a\":1}", NULL,
		       "");
	assert_differs("{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,3],\"c\":null}",
		       NULL, "/a 1 -> -\n/b/1 2 -> 3\n/c - -> null\n");
	assert_differs("{\"a/b\":{\"~\":1}}", "{\"a/b\":{\"~\":\"1\"}}", NULL,
		       "/a~1b/~0 1 -> \"1\"\n");
	assert_differs("[1]", "{}", NULL, " [1] -> {}\n");
	assert_differs("nothing", "{}", NULL, " \"nothing\" -> \"{}\"\n");
	assert_differs("broken{", "broken{", NULL, "");
}

static void fleeting(void **state)
{
	(void)state;
	assert_differs(
		"{\"id\":1,\"session_id\":\"a\",\"p\":{\"nonce\":\"1\"}}",
		"{\"id\":\"x\",\"p\":{\"nonce\":\"2\"}}", NULL, "");
	assert_differs("{\"p\":{\"id\":1}}", "{\"p\":{\"id\":2}}", NULL,
		       "/p/id 1 -> 2\n");
	assert_differs("{\"t\":\"***1\"}", "{\"t\":\"***2\"}", NULL, "");
	assert_differs("{\"t\":\"***1\"}", "{\"t\":\"\"}", NULL,
		       "/t \"***1\" -> \"\"\n");
}

/* Another each time, wherever it stands; what only begins so is compared. */
static void fleeting_names(void **state)
{
	static const char *const names[] = { "session_id",  "sessionId",
					     "server_time", "timestamp",
					     "uuid",	    "nonce",
					     "key",	    "progressToken" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		CLEANUP(mem_free_ptr)
		char *was = mem_printf("{\"a\":[{\"%s\":1}]}", names[i]);
		CLEANUP(mem_free_ptr)
		char *is = mem_printf("{\"a\":[{\"%s\":2}]}", names[i]);
		CLEANUP(mem_free_ptr)
		char *more = mem_printf("{\"%ss\":1}", names[i]);

		assert_differs(was, is, NULL, "");
		assert_int_equal(compare_messages(SPAN(more), SPAN("{}"),
						  &(struct compare_rules){ 0 },
						  NULL, NULL),
				 1);
	}
	/* Of a secret only its name is there, on either side. */
	assert_differs("{\"t\":\"x\"}", "{\"t\":\"***2\"}", NULL, "");
	assert_differs("{\"t\":\"**\"}", "{\"t\":\"x\"}", NULL,
		       "/t \"**\" -> \"x\"\n");
	assert_differs("{\"t\":\"\"}", "{\"t\":\"***1\"}", NULL,
		       "/t \"\" -> \"***1\"\n");
	assert_differs("", "", NULL, "");
	assert_differs("{}", "", NULL, " \"{}\" -> \"\"\n");
	assert_differs("", "{}", NULL, " \"\" -> \"{}\"\n");
	assert_differs("broken{", "broken[", NULL,
		       " \"broken{\" -> \"broken[\"\n");
	assert_differs("[1]", "[1,{\"a\":2}]", NULL, "/1 - -> {\"a\":2}\n");
}

/* What a live peer says, or a capture that was not masked: its secrets are not told. */
static void secrets(void **state)
{
	(void)state;
	assert_differs("{}", "{\"a\":1,\"password\":\"geheim\"}", NULL,
		       "/a - -> 1\n/password - -> \"***\"\n");
	assert_differs("{\"token\":\"***1\"}", "{}", NULL,
		       "/token \"***1\" -> -\n");
	assert_differs("{\"token\":\"\"}", "{\"token\":\"geheim\"}", NULL,
		       "/token \"\" -> \"***\"\n");
	assert_differs("{}", "{\"b\":{\"token\":\"geheim\",\"c\":2}}", NULL,
		       "/b - -> {\"token\":\"***\",\"c\":2}\n");
	assert_differs("{}", "{\"u\":\"http://h/?token=geheim\"}", NULL,
		       "/u - -> \"http://h/?token=***\"\n");
	assert_differs("x", "{\"token\":\"geheim\"}", NULL,
		       " \"x\" -> \"{\\\"token\\\":\\\"***\\\"}\"\n");
}

static void ignored(void **state)
{
	static const char was[] = "{\"r\":[{\"v\":1,\"w\":1},{\"v\":2}]}";
	static const char is[] = "{\"r\":[{\"v\":3,\"w\":1},{\"v\":4}]}";

	(void)state;
	assert_differs(was, is, "/r/*/v", "");
	assert_differs(was, is, "/r/1/v", "/r/0/v 1 -> 3\n");
	assert_differs(was, is, "/r", "");
	assert_differs(was, is, "/r/*", "");
	assert_differs(was, is, "", "");
	assert_differs(was, is, "/*/v", "/r/0/v 1 -> 3\n/r/1/v 2 -> 4\n");
	assert_differs(was, is, "/r/0/vv", "/r/0/v 1 -> 3\n/r/1/v 2 -> 4\n");
	assert_differs(was, is, "/r/0/v/x", "/r/0/v 1 -> 3\n/r/1/v 2 -> 4\n");
	assert_differs(was, is, "r", "/r/0/v 1 -> 3\n/r/1/v 2 -> 4\n");
	assert_int_equal(compare_pointer_check("", NULL), 0);
	assert_int_equal(compare_pointer_check("/a", NULL), 0);
	assert_int_equal(compare_pointer_check("a", NULL), -1);
}

/* Tools answer with JSON in a text. */
static void nested(void **state)
{
	(void)state;
	assert_differs("{\"text\":\"{\\\"v\\\":1,\\\"w\\\":2}\"}",
		       "{\"text\":\"{\\\"v\\\":5, \\\"w\\\":2}\"}", NULL,
		       "/text/v 1 -> 5\n");
	assert_differs("{\"text\":\"{\\\"v\\\":1}\"}", "{\"text\":\"none\"}",
		       NULL, "/text \"{\\\"v\\\":1}\" -> \"none\"\n");
	assert_differs("{\"text\":\"[1]\"}", "{\"text\":\"[2]\"}", NULL,
		       "/text/0 1 -> 2\n");
	/* A number in quotes is a text. */
	assert_differs("{\"text\":\"1\"}", "{\"text\":\"2\"}", NULL,
		       "/text \"1\" -> \"2\"\n");
}

/* Texts beside each other are not within each other; bytes count as one. */
static void nested_beside(void **state)
{
	static const char was[] =
		"[\"[1]\",\"[1]\",\"[1]\",\"[1]\",\"[1]\",\"[1]\"]";
	static const char is[] =
		"[\"[2]\",\"[1]\",\"[2]\",\"[2]\",\"[2]\",\"[2]\"]";
	const struct compare_rules none = { 0 };

	(void)state;
	assert_differs(
		was, is, NULL,
		"/0/0 1 -> 2\n/2/0 1 -> 2\n/3/0 1 -> 2\n/4/0 1 -> 2\n/5/0 1 -> 2\n");
	assert_int_equal(
		compare_messages(SPAN(was), SPAN(is), &none, NULL, NULL), 5);
	assert_int_equal(
		compare_messages(SPAN("{"), SPAN("["), &none, NULL, NULL), 1);
	assert_int_equal(
		compare_messages(SPAN("{"), SPAN("{"), &none, NULL, NULL), 0);
}

/* Four texts within texts, and no more. */
static void nested_deep(void **state)
{
	CLEANUP(buf_done) struct buf was = { 0 }, is = { 0 }, more = { 0 };

	(void)state;
	buf_text(&was, "{\"a\":1}");
	buf_text(&is, "{\"a\":2}");
	for (int i = 0; i < 5; i++) {
		struct buf *both[] = { &was, &is };

		for (size_t k = 0; k < COUNT(both); k++) {
			struct buf outer = { 0 };

			buf_text(&outer, "{\"t\":");
			buf_json_string(&outer, both[k]->data, both[k]->len);
			buf_char(&outer, '}');
			buf_done(both[k]);
			*both[k] = outer;
		}
		buf_reset(&more);
		compare_messages((struct span){ was.data, was.len },
				 (struct span){ is.data, is.len },
				 &(struct compare_rules){ 0 }, see_member,
				 &more);
		if (i == 3)
			assert_string_equal(buf_string(&more),
					    "/t/t/t/t/a 1 -> 2\n");
	}
	assert_string_equal(
		buf_string(&more),
		"/t/t/t/t/t \"{\\\"a\\\":1}\" -> \"{\\\"a\\\":2}\"\n");
}

static void add(struct steps *s, int64_t ms, bool device, const char *text)
{
	struct capture_event e = { .n = s->count + 1,
				   .at_us = ms * 1000,
				   .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_TEXT,
				   .from = device ? FROM_DEVICE : FROM_BACKEND,
				   .data = SPAN(text),
				   .size = strlen(text) };

	assert_true(steps_add(s, &e));
}

#define MCP(payload) \
	"{\"session_id\":\"s\",\"type\":\"mcp\",\"payload\":" payload "}"
#define ASK(id, tool)                                                       \
	MCP("{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
	    "\"params\":{\"name\":\"" tool "\",\"arguments\":{}}}")
#define ANSWER(id, text) \
	MCP("{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":\"" text "\"}")

static void keys(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	struct capture_event audio = { .kind = CAPTURED_BINARY };

	(void)state;
	add(&s, 0, true, "{\"type\":\"hello\",\"version\":1}");
	add(&s, 1, false, "{\"type\":\"tts\",\"state\":\"start\"}");
	add(&s, 2, false, ASK("7", "self.a"));
	add(&s, 3, true, ANSWER("7", "x"));
	add(&s, 4, true, ANSWER("7", "again"));
	add(&s, 5, true, "no JSON");
	assert_false(steps_add(&s, &audio));
	assert_int_equal(s.count, 6);
	assert_string_equal(s.item[0].key, "hello");
	assert_string_equal(s.item[1].key, "tts start");
	assert_string_equal(s.item[2].key, "tools/call self.a");
	assert_string_equal(s.item[3].key, "reply to tools/call self.a");
	assert_int_equal(s.item[3].asked, 2);
	assert_int_equal(s.item[2].answer, 3);
	assert_string_equal(s.item[4].key, "reply to nobody");
	assert_string_equal(s.item[5].key, "text that is no JSON");
}

static void key_is(struct steps *s, const struct capture_event *e,
		   const char *key)
{
	assert_true(steps_add(s, e));
	assert_string_equal(s->item[s->count - 1].key, key);
}

static void text_is(struct steps *s, bool device, const char *text,
		    const char *key)
{
	add(s, 0, device, text);
	assert_string_equal(s->item[s->count - 1].key, key);
}

/* What is said, whatever its id. */
static void more_keys(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };

	(void)state;
	text_is(&s, false, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
		"ping");
	text_is(&s, false,
		"{\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":\"u:1\"}}",
		"resources/read u:1");
	text_is(&s, false,
		"{\"id\":3,\"method\":\"x\",\"params\":{\"uri\":\"u\",\"name\":\"n\"}}",
		"x n");
	text_is(&s, true, "{\"method\":\"notifications/x\",\"params\":{}}",
		"notifications/x");
	assert_null(s.item[3].id);
	text_is(&s, true, "{\"id\":1,\"error\":{\"code\":-1}}",
		"reply to ping");
	assert_string_equal(s.item[4].id, "1");
	text_is(&s, true, "{\"id\":\"1\",\"result\":{}}", "reply to nobody");
	/* Nobody answers himself; nor is what nobody asked for a question. */
	text_is(&s, false, "{\"id\":2,\"result\":{}}", "reply to nobody");
	assert_null(s.item[6].id);
	text_is(&s, true, "[{\"id\":1}]", "batch");
	text_is(&s, true, "{\"a\":1}", "JSON");
	text_is(&s, true, "{\"type\":\"abort\"}", "abort");
	text_is(&s, true, MCP("{\"id\":2,\"result\":1}"),
		"reply to resources/read u:1");
	assert_int_equal(s.item[10].message.len, 19);
	assert_memory_equal(s.item[10].message.text, "{\"id\":2", 7);
	/* Of what is cut it is known whom it answers, if its id is there. */
	{
		struct capture_event e = { .conn = 1,
					   .kind = CAPTURED_TEXT,
					   .from = FROM_DEVICE,
					   .cut = true,
					   .data = SPAN("{\"id\":3,\"res") };

		key_is(&s, &e, "reply to x n");
		assert_int_equal(s.item[2].answer, 11);
		assert_true(s.item[11].cut);
		e.data = SPAN("{\"result\":{\"a");
		key_is(&s, &e, "text that is cut");
	}
}

static void http_keys(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	struct capture_event rq = {
		.n = 5,
		.at_us = 7,
		.conn = 3,
		.leg = LEG_OTA,
		.kind = CAPTURED_REQUEST,
		.from = FROM_DEVICE,
		.head = SPAN("POST /ota/ HTTP/1.1\r\nA: b\r\n")
	};
	struct capture_event rs = { .conn = 3,
				    .leg = LEG_OTA,
				    .kind = CAPTURED_RESPONSE,
				    .from = FROM_BACKEND,
				    .status = 404 };
	struct capture_event lost = { .kind = CAPTURED_LOST, .count = 4 };

	(void)state;
	key_is(&s, &rq, "POST /ota/");
	assert_int_equal(s.item[0].n, 5);
	assert_int_equal(s.item[0].at_us, 7);
	assert_int_equal(s.item[0].asked, NO_STEP);
	key_is(&s, &rs, "response to POST /ota/");
	assert_int_equal(s.item[1].status, 404);
	assert_int_equal(s.item[1].asked, 0);
	assert_int_equal(s.item[0].answer, 1);
	key_is(&s, &rs, "response");
	rq.head = SPAN("GET");
	key_is(&s, &rq, "GET");
	rq.head = (struct span){ 0 };
	rq.conn = 4;
	key_is(&s, &rq, "request");
	key_is(&s, &rs, "response to GET");
	rs.conn = 4;
	rs.device = "other";
	key_is(&s, &rs, "response");
	assert_int_equal(s.devices, 2);
	rs.device = NULL;
	key_is(&s, &rs, "response to request");
	rq.kind = CAPTURED_OPEN;
	key_is(&s, &rq, "opens");
	rq.kind = CAPTURED_END;
	rq.code = 1001;
	key_is(&s, &rq, "ends");
	assert_int_equal(s.item[s.count - 1].code, 1001);
	assert_false(steps_add(&s, &lost));
	assert_false(steps_add(&s, &lost));
	assert_true(s.lost == 8);
}

/* One connection alone, and what answers what in it. */
static void only_one(void **state)
{
	CLEANUP(steps_done) struct steps s = { 0 };
	struct capture_event open = { .conn = 1, .kind = CAPTURED_OPEN };
	struct capture_event other = { .conn = 2,
				       .kind = CAPTURED_TEXT,
				       .data = SPAN("{}") };

	(void)state;
	steps_add(&s, &open);
	add(&s, 1, false, ASK("1", "x"));
	steps_add(&s, &other);
	add(&s, 2, true, ANSWER("1", "x"));
	other.conn = 1;
	other.device = "b";
	steps_add(&s, &other);
	assert_int_equal(steps_only(&s, 0, 1), 3);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.item[0].answer, 1);
	assert_int_equal(s.item[1].asked, 0);
	assert_int_equal(s.item[0].asked, NO_STEP);
	assert_int_equal(s.item[1].answer, NO_STEP);
}

static void see(void *owner, const struct difference *d)
{
	static const char *const words[] = { "missing", "more", "order", "says",
					     "slower" };
	struct buf *out = owner;

	buf_printf(out, "%s %s", words[d->kind],
		   d->was ? d->was->key : d->is->key);
	if (d->kind == DIFFERS_SAYS)
		buf_printf(out, " %s", d->says.pointer);
	buf_char(out, '\n');
}

static void assert_compared(const struct steps *was, const struct steps *is,
			    const char *wanted)
{
	struct compare_rules rules = { NULL, 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	conversations_compare(was, is, &rules, FROM_NOBODY, see, &out);
	assert_string_equal(buf_string(&out), wanted);
}

static void same(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

	(void)state;
	assert_compared(&a, &b, "");
	add(&a, 0, false, ASK("1", "x"));
	add(&a, 9, true, ANSWER("1", "v"));
	add(&b, 0, false, ASK("77", "x"));
	add(&b, 90, true, ANSWER("77", "v"));
	assert_compared(&a, &b, "");
}

static void others(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

	(void)state;
	add(&a, 0, false, ASK("1", "x"));
	add(&a, 9, true, ANSWER("1", "v"));
	add(&a, 10, false, ASK("2", "y"));
	add(&a, 11, true, ANSWER("2", "v"));
	add(&b, 0, false, ASK("1", "x"));
	add(&b, 200, true, ANSWER("1", "w"));
	add(&b, 201, false, ASK("2", "z"));
	assert_compared(&a, &b,
			"says reply to tools/call x /result\n"
			"slower reply to tools/call x\n"
			"missing tools/call y\n"
			"missing reply to tools/call y\n"
			"more tools/call z\n");
}

static void order(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

	(void)state;
	add(&a, 0, false, ASK("1", "x"));
	add(&a, 1, false, ASK("2", "y"));
	add(&a, 2, false, ASK("3", "z"));
	add(&b, 0, false, ASK("1", "z"));
	add(&b, 1, false, ASK("2", "x"));
	add(&b, 2, false, ASK("3", "y"));
	assert_compared(&a, &b, "order tools/call z\n");
}

static void say(struct steps *s, const char *device, enum capture_kind kind,
		enum event_from from, int status, int code)
{
	struct capture_event e = { .at_us = 1,
				   .conn = 1,
				   .leg = LEG_OTA,
				   .kind = kind,
				   .from = from,
				   .device = device,
				   .status = status,
				   .code = code,
				   .data = SPAN("{}") };

	assert_true(steps_add(s, &e));
}

static void see_all(void *owner, const struct difference *d)
{
	see(owner, d);
	if (d->kind == DIFFERS_SAYS)
		buf_printf(owner, "  %s -> %s\n", d->says.was, d->says.is);
	if (d->kind == DIFFERS_SLOWER)
		buf_printf(owner, "  %d -> %d\n", (int)d->was_us,
			   (int)d->is_us);
}

static void compared_from(const struct steps *was, const struct steps *is,
			  enum event_from side, const char *wanted)
{
	struct compare_rules rules = { NULL, 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t count = 0;

	size_t found =
		conversations_compare(was, is, &rules, side, see_all, &out);
	for (const char *at = buf_string(&out); *at; at++)
		count += *at == '\n' && at[1] != ' ';
	assert_string_equal(buf_string(&out), wanted);
	assert_int_equal(found, count);
	assert_int_equal(
		conversations_compare(was, is, &rules, side, NULL, NULL),
		found);
}

static void numbers(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

	(void)state;
	say(&a, NULL, CAPTURED_RESPONSE, FROM_BACKEND, 200, 0);
	say(&b, NULL, CAPTURED_RESPONSE, FROM_BACKEND, 404, 0);
	say(&a, NULL, CAPTURED_END, FROM_DEVICE, 0, 1000);
	say(&b, NULL, CAPTURED_END, FROM_DEVICE, 0, 1001);
	say(&b, NULL, CAPTURED_OPEN, FROM_DEVICE, 0, 0);
	compared_from(&a, &b, FROM_NOBODY,
		      "says response status\n  200 -> 404\n"
		      "says ends code\n  1000 -> 1001\nmore opens\n");
	compared_from(&a, &b, FROM_BACKEND,
		      "says response status\n  200 -> 404\n");
	compared_from(&a, &b, FROM_DEVICE,
		      "says ends code\n  1000 -> 1001\nmore opens\n");
	compared_from(&b, &a, FROM_BACKEND,
		      "says response status\n  404 -> 200\n");
}

/* Devices are known by their ids, or else by their places. */
static void devices(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 }, c = { 0 };

	(void)state;
	say(&a, "x", CAPTURED_OPEN, FROM_DEVICE, 0, 1);
	say(&a, "y", CAPTURED_OPEN, FROM_DEVICE, 0, 2);
	say(&b, "y", CAPTURED_OPEN, FROM_DEVICE, 0, 2);
	say(&b, "x", CAPTURED_OPEN, FROM_DEVICE, 0, 1);
	compared_from(&a, &b, FROM_NOBODY, "order opens\n");
	say(&c, "p", CAPTURED_OPEN, FROM_DEVICE, 0, 1);
	say(&c, "q", CAPTURED_OPEN, FROM_DEVICE, 0, 2);
	compared_from(&a, &c, FROM_NOBODY, "");
	say(&c, "r", CAPTURED_OPEN, FROM_DEVICE, 0, 2);
	compared_from(&a, &c, FROM_NOBODY, "more opens\n");
	compared_from(&c, &a, FROM_NOBODY, "missing opens\n");
}

/* Twice as long, and a tenth of a second more. */
static void slower(void **state)
{
	static const struct {
		int64_t was, is;
		const char *wanted;
	} rows[] = {
		{ 100, 200,
		  "slower reply to tools/call x\n  100000 -> 200000\n" },
		{ 101, 201, "" },
		{ 50, 149, "" },
		{ 0, 100, "slower reply to tools/call x\n  0 -> 100000\n" },
		{ 0, 99, "" },
		{ 300, 100, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

		add(&a, 10, false, ASK("1", "x"));
		add(&a, 10 + rows[i].was, true, ANSWER("1", "v"));
		add(&b, 20, false, ASK("1", "x"));
		add(&b, 20 + rows[i].is, true, ANSWER("1", "v"));
		compared_from(&a, &b, FROM_NOBODY, rows[i].wanted);
	}
}

/* The same step many times is put side by side in little time. */
static void many(void **state)
{
	CLEANUP(steps_done) struct steps a = { 0 }, b = { 0 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		add(&a, i, true, "{\"type\":\"abort\"}");
		add(&b, i, true, "{\"type\":\"abort\"}");
	}
	add(&b, 20000, true, "{\"type\":\"abort\"}");
	assert_compared(&a, &b, "more abort\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(fleeting),
		cmocka_unit_test(ignored),
		cmocka_unit_test(nested),
		cmocka_unit_test(keys),
		cmocka_unit_test(same),
		cmocka_unit_test(others),
		cmocka_unit_test(order),
		cmocka_unit_test(many),
		cmocka_unit_test(fleeting_names),
		cmocka_unit_test(secrets),
		cmocka_unit_test(nested_deep),
		cmocka_unit_test(nested_beside),
		cmocka_unit_test(more_keys),
		cmocka_unit_test(http_keys),
		cmocka_unit_test(only_one),
		cmocka_unit_test(numbers),
		cmocka_unit_test(devices),
		cmocka_unit_test(slower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
