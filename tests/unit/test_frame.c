/* SPDX-License-Identifier: MIT */
/* Frames in words, from their bytes. */
#include "out/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct frames frames;
static int64_t now;

static void expect_of(const char *device, bool outgoing, const char *frame,
		      const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const struct trace t = { .at_us = now,
				 .outgoing = outgoing,
				 .kind = "text",
				 .data = frame,
				 .len = strlen(frame),
				 .device = device };
	bool told = frame_describe(&b, &frames, &t);

	assert_int_equal(told, expected != NULL);
	assert_string_equal(buf_string(&b), expected ? expected : "");
}

static void expect(bool outgoing, const char *frame, const char *expected)
{
	expect_of(NULL, outgoing, frame, expected);
}

static void calls(void **state)
{
	(void)state;
	now = 1000;
	expect(true,
	       "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"self.x\",\"arguments\":{\"volume\":3}}}",
	       "#3 tools/call self.x {\"volume\":3}");
	now += 400;
	expect(false,
	       "{\"session_id\":\"s\",\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\\u72b6\\u6001\"}],\"isError\":false}}}",
	       "#3 result 0.40 ms \"状态\"");
	/* A second answer was asked by nobody: how long it took is not known. */
	expect(false, "{\"id\":3,\"result\":{\"content\":[]}}",
	       "#3 result {\"content\":[]}");
	expect(false,
	       "{\"id\":4,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}}",
	       "#4 result isError \"no\"");
	expect(true, "{\"id\":\"a b\",\"method\":\"ping\"}", "#\"a b\" ping");
	now += 5000;
	expect(false,
	       "{\"id\":\"a b\",\"error\":{\"code\":-1,\"message\":\"m\"}}",
	       "#\"a b\" error 5 ms {\"code\":-1,\"message\":\"m\"}");
	expect(false, "{\"method\":\"notifications/x\",\"params\":[1]}",
	       "notifications/x [1]");
	/* A name says which tool of calls alone, and not every call has one. */
	expect(true,
	       "{\"id\":5,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"}}",
	       "#5 prompts/get {\"name\":\"p\"}");
	expect(true,
	       "{\"id\":6,\"method\":\"tools/call\",\"params\":{\"a\":1}}",
	       "#6 tools/call {\"a\":1}");
}

static void who_asked(void **state)
{
	(void)state;
	now = 1000;
	expect_of("a", true, "{\"id\":1,\"method\":\"m\"}", "#1 m");
	now += 2000;
	/* Another's answer, and one that goes the way of the question. */
	expect_of("b", false, "{\"id\":1,\"result\":1}", "#1 result 1");
	expect_of("a", true, "{\"id\":1,\"result\":1}", "#1 result 1");
	expect_of("a", false, "{\"id\":1,\"result\":1}", "#1 result 2 ms 1");
}

static void other_messages(void **state)
{
	(void)state;
	expect(false,
	       "{\"session_id\":\"s\",\"type\":\"listen\",\"state\":\"start\"}",
	       "listen {\"state\":\"start\"}");
	expect(false, "{\"type\":\"goodbye\"}", "goodbye");
	expect(false, "{\"type\":\"a\\u001b[31mb\\nc\"}", "a\\x1b[31mb\\nc");
	expect(false, "{\"type\":\"mcp\"}", "mcp");
	expect(false,
	       "{\"type\":\"custom\",\"payload\":{\"id\":1,\"method\":\"m\"}}",
	       "custom {\"payload\":{\"id\":1,\"method\":\"m\"}}");
	expect(false, "{\"type\":\"mcp\",\"payload\":7}", NULL);
	expect(false, "{\"id\":1}", NULL);
	expect(false, "[1]", NULL);
	expect(false, "{\"id\":1,", NULL);
	expect(false, "", NULL);
}

static void more_questions_than_are_kept(void **state)
{
	char text[64], said[64];

	(void)state;
	now = 1000;
	for (int i = 0; i < 3 * FRAMES_KEPT; i++) {
		CLEANUP(buf_done) struct buf b = { 0 };
		const struct trace t = { .at_us = now,
					 .outgoing = true,
					 .kind = "text",
					 .data = text,
					 .len = (size_t)snprintf(
						 text, sizeof(text),
						 "{\"id\":%d,\"method\":\"m\"}",
						 i) };

		assert_true(frame_describe(&b, &frames, &t));
	}
	now += 3000;
	expect(false, "{\"id\":1,\"result\":1}", "#1 result 1");
	snprintf(text, sizeof(text), "{\"id\":%d,\"result\":1}",
		 3 * FRAMES_KEPT - 1);
	snprintf(said, sizeof(said), "#%d result 3 ms 1", 3 * FRAMES_KEPT - 1);
	expect(false, text, said);
}

static void only_text_is_told(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const struct trace t = { .at_us = 1000,
				 .kind = "binary",
				 .data = "{\"id\":1,\"method\":\"m\"}",
				 .len = 21 };

	(void)state;
	assert_false(frame_describe(&b, &frames, &t));
	assert_int_equal(b.len, 0);
}

/* For a line of what passes: what counts of it. */
static void brief(bool outgoing, const char *frame, const char *expected,
		  int64_t took_us)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const struct trace t = { .at_us = now,
				 .outgoing = outgoing,
				 .kind = "text",
				 .data = frame,
				 .len = strlen(frame) };
	int64_t took;
	bool told = frame_words(&b, &frames, &t, &took);

	assert_int_equal(told, expected != NULL);
	if (told)
		assert_string_equal(buf_string(&b), expected);
	assert_int_equal(took, took_us);
}

#define ASKS(method, params) \
	"{\"id\":1,\"method\":\"" method "\",\"params\":" params "}"
#define SAYS(result) "{\"id\":1,\"result\":" result "}"

static void brief_calls(void **state)
{
	(void)state;
	now = 1000;
	brief(true,
	      ASKS("tools/call",
		   "{\"name\":\"self.x\",\"arguments\":{\"v\":3}}"),
	      "call #1 self.x {\"v\":3}", -1);
	now += 400;
	brief(false,
	      SAYS("{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}"),
	      "result #1 \"ok\"", 400);
	brief(true, ASKS("tools/call", "{\"name\":\"\",\"arguments\":{}}"),
	      "call #1", -1);
	brief(false,
	      SAYS("{\"isError\":true,\"content\":[{\"text\":\"a\"},{\"text\":\"b\"}]}"),
	      "result #1 isError {\"isError\":true,\"content\":[{\"text\":\"a\"},{\"text\":\"b\"}]}",
	      0);
	/* Nobody knows what that answers. */
	brief(false, SAYS("{}"), "result #1", -1);
	brief(true, ASKS("ping", "{}"), "ping #1", -1);
	now += 5;
	brief(false, SAYS("{}"), "ping #1", 5);
	brief(true, ASKS("x/y", "[1]"), "x/y #1 [1]", -1);
	brief(false,
	      "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
	      "error #1 no (-32601)", 0);
	brief(false, "{\"id\":1,\"error\":{\"message\":\"no\"}}", "error #1 no",
	      -1);
	brief(false, "{\"id\":1,\"error\":{\"code\":-1}}",
	      "error #1 {\"code\":-1}", -1);
	brief(false, "{\"method\":\"n/x\",\"params\":{\"a\":1}}",
	      "n/x {\"a\":1}", -1);
	brief(false, "{\"method\":\"n/x\"}", "n/x", -1);
	brief(false, "[]", NULL, -1);
	brief(false, "{\"id\":1}", NULL, -1);
	brief(false, "{", NULL, -1);
}

static void brief_lists(void **state)
{
	(void)state;
	now = 1000;
	brief(true, ASKS("tools/list", "{\"cursor\":\"\"}"), "tools/list #1",
	      -1);
	now += 7;
	brief(false, SAYS("{\"tools\":[{}],\"nextCursor\":\"\"}"),
	      "tools/list #1 1 tool, 48 B", 7);
	brief(true,
	      ASKS("tools/list", "{\"cursor\":\"c\",\"withUserTools\":true}"),
	      "tools/list #1 from c with those of the user", -1);
	brief(false, SAYS("{\"tools\":[{},{}],\"nextCursor\":\"d\"}"),
	      "tools/list #1 2 tools, 52 B, more from d", 0);
	brief(true, ASKS("tools/list", "{}"), "tools/list #1", -1);
	brief(false, SAYS("{\"a\":1}"), "tools/list #1 {\"a\":1}", 0);
	brief(true, ASKS("x/tools", "{}"), "x/tools #1", -1);
	brief(false, SAYS("{\"tools\":[1,2]}"), "x/tools #1 {\"tools\":[1,2]}",
	      0);
	brief(true,
	      ASKS("initialize",
		   "{\"clientInfo\":{\"name\":\"py\",\"version\":\"1\"},\"capabilities\":{\"vision\":{\"url\":\"http://h:8003/mcp?a\"}}}"),
	      "initialize #1 py 1 vision h:8003", -1);
	brief(false,
	      SAYS("{\"serverInfo\":{\"name\":\"bread\",\"version\":\"2.4.2\"},\"capabilities\":{}}"),
	      "initialize #1 bread 2.4.2", 0);
	brief(true,
	      ASKS("initialize",
		   "{\"capabilities\":{\"vision\":{\"url\":\"none\"}}}"),
	      "initialize #1", -1);
}

static void brief_device(void **state)
{
	(void)state;
	brief(false,
	      "{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\",\"features\":{\"mcp\":true},\"session_id\":\"s\",\"audio_params\":{\"sample_rate\":16000}}",
	      "hello v3 udp mcp session s 16000 Hz", -1);
	brief(false,
	      "{\"type\":\"hello\",\"transport\":\"\",\"features\":{\"mcp\":false}}",
	      "hello", -1);
	brief(true, "{\"type\":\"tts\",\"state\":\"start\",\"text\":\"hi\"}",
	      "tts \"hi\"", -1);
	brief(true, "{\"type\":\"stt\",\"text\":\"hi\"}", "stt \"hi\"", -1);
	brief(true, "{\"type\":\"tts\",\"state\":\"stop\"}",
	      "tts {\"state\":\"stop\"}", -1);
	brief(true, "{\"type\":\"llm\",\"text\":\"hi\",\"session_id\":\"s\"}",
	      "llm {\"text\":\"hi\"}", -1);
	brief(true, "{\"type\":\"tts\",\"text\":7}", "tts {\"text\":7}", -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(who_asked),
		cmocka_unit_test(other_messages),
		cmocka_unit_test(more_questions_than_are_kept),
		cmocka_unit_test(only_text_is_told),
		cmocka_unit_test(brief_calls),
		cmocka_unit_test(brief_lists),
		cmocka_unit_test(brief_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
