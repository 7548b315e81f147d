/* SPDX-License-Identifier: MIT */
/* The registry of findings: every code has its story, in both languages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/utf8.h"
#include "diag/codebook.h"
#include "out/wrap.h"

#define LINES_MOST 20

static void names(void **state)
{
	(void)state;
	assert_int_equal(finding_by_name("D106"), D106);
	assert_int_equal(finding_by_name("d106"), D106);
	assert_int_equal(finding_by_name("D10"), -1);
	assert_int_equal(finding_by_name(""), -1);
	assert_string_equal(finding_row(B214)->code, "B214");
	assert_int_equal(finding_row(B214)->severity, SEVERITY_WARNING);
	assert_string_equal(finding_nearest("D1O6"), "D106");
	assert_null(finding_nearest("something"));
}

/* They are told in their order, and none is there twice. */
static void order(void **state)
{
	(void)state;
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		const struct finding_row *row = finding_row((enum diag_code)i);

		assert_int_equal(strlen(row->code), 4);
		assert_int_equal(finding_by_name(row->code), i);
		assert_true(text_width(row->title, strlen(row->title)) <= 56);
		if (i > 0 &&
		    row->code[0] ==
			    finding_row((enum diag_code)(i - 1))->code[0])
			assert_true(strcmp(finding_row((enum diag_code)(i - 1))
						   ->code,
					   row->code) < 0);
	}
}

static unsigned lines_of(const char *text)
{
	const struct wrap how = { 10, 10, 80 };
	struct buf b = { 0 };
	unsigned lines = 1;

	wrap_wrap(&b, text, strlen(text), &how);
	for (const char *p = buf_string(&b); (p = strchr(p, '\n')); p++)
		lines++;
	buf_done(&b);
	return lines;
}

static void check(enum diag_code code, enum explain_language language)
{
	static const enum explain_part must[] = { EXPLAIN_LOOKS, EXPLAIN_WHY,
						  EXPLAIN_SOURCE,
						  EXPLAIN_PLANT };
	struct explanation e;
	unsigned lines = 2;

	explanation_read(&e, code, language);
	if (!e.entry)
		fail_msg("%s: no story", e.row->code);
	for (size_t i = 0; i < COUNT(must); i++) {
		if (!e.part[must[i]])
			fail_msg("%s: no '%s'", e.row->code,
				 explain_part_name(must[i]));
	}
	if (!e.part[EXPLAIN_FIRMWARE] && !e.part[EXPLAIN_BACKEND] &&
	    !e.part[EXPLAIN_OPERATOR] && e.row->severity != SEVERITY_NOTE)
		fail_msg("%s: nothing to do", e.row->code);
	for (int i = 0; i < EXPLAIN_PARTS; i++)
		lines += e.part[i] ? lines_of(e.part[i]) : 0;
	if (lines > LINES_MOST)
		fail_msg("%s: %u lines", e.row->code, lines);
	explanation_done(&e);
}

static void stories(void **state)
{
	(void)state;
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		check((enum diag_code)i, EXPLAIN_ENGLISH);
		check((enum diag_code)i, EXPLAIN_CHINESE);
	}
}

/* What one language tells the other does. */
static void both_languages(void **state)
{
	(void)state;
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		struct explanation en, zh;

		explanation_read(&en, (enum diag_code)i, EXPLAIN_ENGLISH);
		explanation_read(&zh, (enum diag_code)i, EXPLAIN_CHINESE);
		for (int p = 0; p < EXPLAIN_PARTS; p++) {
			if (!en.part[p] != !zh.part[p])
				fail_msg("%s: '%s' in one language",
					 en.row->code,
					 explain_part_name(
						 (enum explain_part)p));
		}
		assert_string_not_equal(en.title, zh.title);
		explanation_done(&en);
		explanation_done(&zh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(order),
		cmocka_unit_test(stories),
		cmocka_unit_test(both_languages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
