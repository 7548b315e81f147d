/* SPDX-License-Identifier: MIT */
/*
 * base/asides: of each kind so many lines in a minute, the others counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/asides.h"
#include "base/few_lines.h"
#include "base/loop.h"
#include "base/mem.h"

static struct aside_kind rest[ASIDES_KINDS];
static size_t rests;

static void on_rest(void *owner, const struct aside_kind *k)
{
	assert_ptr_equal(owner, rest);
	rest[rests++] = *k;
}

static void end(struct asides *a)
{
	rests = 0;
	asides_end(a, on_rest, rest);
}

static void test_told_then_counted(void **state)
{
	static struct asides a;

	(void)state;
	assert_int_equal(a.ends, 0);
	for (int i = 0; i < ASIDES_TOLD; i++)
		assert_true(asides_has_line(&a, 7, ASIDES_TOLD));
	assert_true(a.ends > loop_now());
	assert_true(a.ends <= loop_now() + ASIDES_MINUTE_MS);
	for (int i = 0; i < 3; i++) {
		char text[] = "line 0";

		text[5] = (char)(text[5] + i);
		assert_false(asides_has_line(&a, 7, ASIDES_TOLD));
		asides_count(&a, 7, i == 1 ? "bob" : NULL, text,
			     i == 1 ? 4 : 1);
	}
	/* Another kind has lines of its own, and may have more of them. */
	for (int i = 0; i < 30; i++)
		assert_true(asides_has_line(&a, 8, 30));
	end(&a);
	assert_int_equal(rests, 1);
	assert_true(rest[0].kind == 7 && rest[0].more == 3);
	assert_int_equal(rest[0].level, 4);
	assert_string_equal(rest[0].last, "line 2");
	CLEANUP(mem_free_ptr) char *text = asides_text(&rest[0]);
	assert_string_equal(text,
			    "and 3 more like that since, the last one: line 2");
	/* All begins anew. */
	assert_int_equal(a.ends, 0);
	end(&a);
	assert_int_equal(rests, 0);
	assert_true(asides_has_line(&a, 7, ASIDES_TOLD));
	assert_false(a.counted);
	/* A minute in which nothing was counted ends by itself. */
	a.ends = loop_now() - 1;
	assert_true(asides_has_line(&a, 7, 1));
	assert_true(a.ends > loop_now());
	/* One in which something was does not. */
	assert_false(asides_has_line(&a, 7, 1));
	asides_count(&a, 7, NULL, "x", 0);
	a.ends = loop_now() - 1;
	assert_false(asides_has_line(&a, 7, 1));
	assert_true(a.counted);
	end(&a);
	assert_int_equal(rests, 1);
}

/* What is kept of a line is bounded, and cut between characters. */
static void test_long(void **state)
{
	static struct asides a;
	char text[400];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text + ASIDES_LAST_MAX - 7, "\xe5\xae\xa2", 3);
	text[399] = '\0';
	asides_count(&a, 1, "whom", text, 0);
	end(&a);
	assert_int_equal(rests, 1);
	/* "whom: " stands before it, so the character does not fit. */
	assert_int_equal(strlen(rest[0].last), ASIDES_LAST_MAX - 1);
}

/* Kinds without a bound: the last place is of all that found none. */
static void test_kinds(void **state)
{
	static struct asides a;

	(void)state;
	for (uintptr_t i = 1; i <= ASIDES_KINDS + 50; i++) {
		asides_has_line(&a, i, 0);
		asides_count(&a, i, NULL, "x", 0);
	}
	end(&a);
	assert_int_equal(rests, ASIDES_KINDS);
	assert_int_equal(rest[0].more, 1);
	assert_int_equal(rest[ASIDES_KINDS - 1].more, 51);
}

static char last_line[ASIDES_LAST_MAX + 100];
static unsigned lines;

static void on_line(void *owner, const char *text)
{
	assert_ptr_equal(owner, &lines);
	lines++;
	snprintf(last_line, sizeof(last_line), "%s", text);
}

static void on_few_closed(void *owner)
{
	*(bool *)owner = true;
}

/* Those that were not told are, when it is closed; and behind that none is counted. */
static void test_few_lines(void **state)
{
	struct few_lines few = { 0 };
	struct loop *l;
	bool closed = false;

	(void)state;
	assert_int_equal(loop_new(&l, NULL), 0);
	few_lines_open(&few, l, on_line, &lines);
	for (int i = 0; i < ASIDES_TOLD + 3; i++)
		few_lines_say(&few, 1, i % 2 ? "odd" : "even");
	few_lines_say(&few, 2, "another");
	assert_int_equal(lines, ASIDES_TOLD + 1);
	assert_string_equal(last_line, "another");
	few_lines_close(&few, on_few_closed, &closed);
	assert_int_equal(lines, ASIDES_TOLD + 2);
	assert_string_equal(last_line,
			    "and 3 more like that since, the last one: even");
	for (int i = 0; i < ASIDES_TOLD + 3; i++)
		few_lines_say(&few, 1, "late");
	assert_int_equal(loop_wait(l, &closed, LOOP_FOREVER, NULL), 0);
	assert_int_equal(lines, 2 * ASIDES_TOLD + 2);
	loop_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_then_counted),
		cmocka_unit_test(test_few_lines),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests_name("asides", tests, NULL, NULL);
}
