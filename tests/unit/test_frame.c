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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(who_asked),
		cmocka_unit_test(other_messages),
		cmocka_unit_test(more_questions_than_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
