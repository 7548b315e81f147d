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
		cmocka_unit_test(members), cmocka_unit_test(fleeting),
		cmocka_unit_test(ignored), cmocka_unit_test(nested),
		cmocka_unit_test(keys),	   cmocka_unit_test(same),
		cmocka_unit_test(others),  cmocka_unit_test(order),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
