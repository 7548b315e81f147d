/* SPDX-License-Identifier: MIT */
/* What clients say, from literal text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "clients/said.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

static void next_is(struct said_all *s, const char *expected)
{
	const cJSON *message = NULL;
	struct span text = { 0 };

	assert_true(said_next(s, &message, &text));
	assert_non_null(message);
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.text, expected, text.len);
}

static void ends(struct said_all *s)
{
	const cJSON *message;
	struct span text;

	assert_false(said_next(s, &message, &text));
	said_done(s);
}

static void one_or_many(void **state)
{
	struct said_all s;

	(void)state;
	assert_int_equal(said_read(&s, PING, strlen(PING), NULL, NULL), 0);
	assert_false(s.batch);
	assert_int_equal(s.count, 1);
	next_is(&s, PING);
	ends(&s);
	assert_int_equal(said_read(&s, "[7, " PING "]", strlen(PING) + 5,
				   "2025-03-26", NULL),
			 0);
	assert_true(s.batch);
	assert_int_equal(s.count, 2);
	next_is(&s, "7");
	next_is(&s, PING);
	ends(&s);
}

static void no_batch_has(const char *text, const char *revision,
			 const char *fault)
{
	struct said_all s;

	assert_int_equal(said_read(&s, text, strlen(text), revision, NULL), 0);
	assert_false(s.batch);
	assert_int_equal(s.count, 1);
	assert_string_equal(s.fault, fault);
	ends(&s);
}

static void what_is_no_batch(void **state)
{
	CLEANUP(buf_done) struct buf many = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	struct said_all s;

	(void)state;
	no_batch_has("[]", NULL, "a batch with nothing in it");
	no_batch_has("[" PING "]", "2025-06-18",
		     "the revision settled on has no batches");
	for (int i = 0; i < SAID_BATCH_MAX; i++)
		buf_text(&many, i ? ",1" : "[1");
	buf_char(&many, ']');
	assert_int_equal(
		said_read(&s, buf_string(&many), many.len, "2025-03-26", NULL),
		0);
	assert_null(s.fault);
	assert_int_equal(s.count, SAID_BATCH_MAX);
	said_done(&s);
	many.len--;
	buf_text(&many, ",1]");
	no_batch_has(buf_string(&many), "2025-03-26",
		     "a batch with too many messages");
	assert_int_equal(said_read(&s, "{\"id\":", 6, NULL, &why), -1);
	assert_int_equal(s.count, 1);
	assert_int_not_equal(why.kind, ERR_NONE);
	ends(&s);
}

static void fault_is(const char *text, const char *fault, const char *id)
{
	CLEANUP(json_free_ptr)
	cJSON *message = json_parse(text, strlen(text), NULL);
	CLEANUP(mem_free_ptr)
	char *raw = said_id(message, (struct span){ text, strlen(text) });
	const char *said = said_fault(message);

	if (fault) {
		assert_string_equal(said, fault);
	} else {
		assert_null(said);
	}
	if (id)
		assert_string_equal(raw, id);
	else
		assert_null(raw);
}

static void messages(void **state)
{
	(void)state;
	fault_is(PING, NULL, "1");
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\",\"result\":{}}", NULL,
		 "\"\\u0061\"");
	fault_is("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", NULL, NULL);
	fault_is("{\"id\":9007199254740993,\"method\":\"x\"}",
		 "'jsonrpc' must be \"2.0\"", "9007199254740993");
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":1}", "'method' is missing", "1");
	fault_is("{\"jsonrpc\":\"2.0\",\"method\":7}",
		 "'method' must be a string", NULL);
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}",
		 "'id' must be a string or a number", NULL);
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}", NULL, NULL);
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{}}", NULL, "2");
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x\"}", NULL,
		 "\"a\"");
	fault_is("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"x\"}",
		 "'id' must be a string or a number", NULL);
	fault_is("{\"jsonrpc\":2.0,\"method\":\"x\"}",
		 "'jsonrpc' must be \"2.0\"", NULL);
	fault_is("[]", "a message is an object", NULL);
	fault_is("7", "a message is an object", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_or_many),
		cmocka_unit_test(what_is_no_batch),
		cmocka_unit_test(messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
