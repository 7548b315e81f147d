/* SPDX-License-Identifier: MIT */
/* The last frames that a board said: how many, how long, without secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/last_said.h"

static void add(struct last_said **said, size_t *all, const char *text)
{
	last_said_add(said, all, text, strlen(text), 1700000000123);
}

static void assert_told(const struct last_said *said, size_t back,
			const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	assert_true(last_said_tell(said, back, &out));
	assert_string_equal(buf_string(&out), wanted);
}

static void keeps_the_last(void **state)
{
	struct last_said *said = NULL;
	struct buf none = { 0 };
	size_t all = 0;

	(void)state;
	assert_false(last_said_tell(said, 0, &none));
	for (int i = 0; i <= LAST_SAID_KEPT; i++) {
		CLEANUP(mem_free_ptr) char *text = mem_printf("{\"n\":%d}", i);

		add(&said, &all, text);
	}
	assert_told(
		said, 0,
		"{\"op\":\"said\",\"at\":1700000000123,\"text\":\"{\\\"n\\\":8}\"}");
	assert_told(
		said, LAST_SAID_KEPT - 1,
		"{\"op\":\"said\",\"at\":1700000000123,\"text\":\"{\\\"n\\\":1}\"}");
	assert_false(last_said_tell(said, LAST_SAID_KEPT, &none));
	last_said_free(said, &all);
	assert_int_equal(all, 0);
}

static void hides_and_cuts(void **state)
{
	CLEANUP(buf_done) struct buf frame = { 0 }, out = { 0 };
	struct last_said *said = NULL;
	size_t all = 0;

	(void)state;
	add(&said, &all,
	    "{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":{\"token\":\"tiger\"}}");
	assert_told(
		said, 0,
		"{\"op\":\"said\",\"at\":1700000000123,\"text\":\"{\\\"token\\\":\\\"***\\\"}\"}");
	/* Cut in the midst of a secret, and of a character. */
	buf_text(&frame, "{\"token\":\"");
	for (size_t i = 0; i < 4096; i++)
		buf_text(&frame, "\xc3\xa4");
	add(&said, &all, buf_string(&frame));
	assert_true(last_said_tell(said, 0, &out));
	assert_null(strstr(buf_string(&out), "\xc3\xa4"));
	buf_reset(&frame);
	buf_reset(&out);
	buf_text(&frame, "x");
	for (size_t i = 0; i < LAST_SAID_BYTES; i++)
		buf_text(&frame, "\xc3\xa4");
	add(&said, &all, buf_string(&frame));
	assert_true(last_said_tell(said, 0, &out));
	assert_non_null(strstr(buf_string(&out), "\xc3\xa4\"}"));
	assert_true(out.len < LAST_SAID_BYTES + 64);
	last_said_free(said, &all);
	assert_int_equal(all, 0);
}

static void has_a_bound_for_all(void **state)
{
	struct last_said *one = NULL, *other = NULL;
	struct buf none = { 0 };
	size_t all = LAST_SAID_ALL - 16;

	(void)state;
	add(&one, &all, "0123456789");
	assert_int_equal(all, LAST_SAID_ALL - 5);
	/* There is no room of others; its own older one makes some. */
	add(&other, &all, "0123456789");
	assert_false(last_said_tell(other, 0, &none));
	add(&one, &all, "abc");
	assert_int_equal(all, LAST_SAID_ALL - 1);
	add(&one, &all, "def");
	assert_told(one, 0,
		    "{\"op\":\"said\",\"at\":1700000000123,\"text\":\"def\"}");
	assert_int_equal(all, LAST_SAID_ALL - 16 + 8);
	last_said_free(one, &all);
	last_said_free(other, &all);
	assert_int_equal(all, LAST_SAID_ALL - 16);
}

/* What fits just so is kept, and cut no sooner. */
static void at_the_bounds(void **state)
{
	CLEANUP(mem_free_ptr) char *text = mem_zalloc(LAST_SAID_BYTES + 2);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct last_said *said = NULL, *other = NULL;
	size_t all = 0;

	(void)state;
	memset(text, 'x', LAST_SAID_BYTES);
	add(&said, &all, text);
	assert_int_equal(all, LAST_SAID_BYTES + 1);
	text[LAST_SAID_BYTES] = 'x';
	add(&said, &all, text);
	assert_int_equal(all, 2 * (LAST_SAID_BYTES + 1));
	assert_false(last_said_tell(said, 2, &out));
	all += LAST_SAID_ALL - 2 * (LAST_SAID_BYTES + 1) - 4;
	add(&other, &all, "abc");
	assert_true(last_said_tell(other, 0, &out));
	assert_int_equal(all, LAST_SAID_ALL);
	add(&other, &all, "abcd");
	assert_false(last_said_tell(other, 0, &out));
	assert_int_equal(all, LAST_SAID_ALL - 4);
	last_said_free(said, &all);
	last_said_free(other, &all);
	last_said_free(NULL, &all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_last),
		cmocka_unit_test(hides_and_cuts),
		cmocka_unit_test(has_a_bound_for_all),
		cmocka_unit_test(at_the_bounds),
	};

	return cmocka_run_group_tests_name("last said", tests, NULL, NULL);
}
