/* SPDX-License-Identifier: MIT */
/* Places in a text: what is filled in, and what is wrong with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/template.h"

#define TEN "aaaaaaaaaa"
#define SIXTY TEN TEN TEN TEN TEN TEN

static int get(void *owner, const char *name, struct buf *out)
{
	static const char *const values[][2] = {
		{ "yes", "true" }, { "no", "false" },
		{ "zero", "0" },   { "none", "" },
		{ "n", "7" },	   { "minus", "-5" },
		{ "big", "1234" }, { "word", "falsely" },
		{ "part", "1.5" }, { "long", TEN TEN "12345" },
	};

	assert_string_equal(owner, "owner");
	for (size_t i = 0; i < COUNT(values); i++) {
		if (strcmp(values[i][0], name) != 0)
			continue;
		if (out)
			buf_text(out, values[i][1]);
		return 0;
	}
	return -1;
}

static const struct template_source source = { get, (char[]){ "owner" } };

static void filled_in(void **state)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "no place", "no place" },
		{ "${n}", "7" },
		{ "a${n}b${n}c", "a7b7c" },
		{ "${none}", "" },
		/* Widths. */
		{ "${n:1}", "7" },
		{ "x9${n:3}y", "x9007y" },
		{ "${n:20}", "00000000000000000007" },
		{ "${minus:3}", "-05" },
		{ "${big:3}", "1234" },
		{ "${big:5}", "01234" },
		{ "${zero:2}", "00" },
		{ "${none:3}", "" },
		{ "${word:20}", "falsely" },
		{ "${part:5}", "1.5" },
		{ "${long:3}", TEN TEN "12345" },
		/* Two words. */
		{ "${yes?on:off}", "on" },
		{ "${n?on:off}", "on" },
		{ "${word?on:off}", "on" },
		{ "${no?on:off}", "off" },
		{ "${zero?on:off}", "off" },
		{ "${none?on:off}", "off" },
		{ "1${zero?on:off}2", "1off2" },
		{ "${yes?:off}", "" },
		{ "${no?on:}", "" },
		{ "${yes?a:b:c}${no?a:b:c}", "ab:c" },
		/* Dollars. */
		{ "$", "$" },
		{ "$$", "$$" },
		{ "$n} {n}", "$n} {n}" },
		{ "$${n}", "${n}" },
		{ "a$${", "a${" },
		{ "$$${n}", "$${n}" },
		{ "$a${n}$b", "$a7$b" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		buf_text(&out, "|");
		assert_int_equal(
			template_expand(rows[i][0], &source, &out, NULL), 0);
		assert_string_equal(buf_string(&out) + 1, rows[i][1]);
		assert_int_equal(template_check(rows[i][0], &source, NULL), 0);
	}
}

static void is_wrong(const char *text, const char *why)
{
	CLEANUP(error_reset) struct error err = { 0 }, again = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	assert_int_equal(template_check(text, &source, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, why);
	assert_int_equal(template_expand(text, &source, &out, &again), -1);
	assert_int_equal(again.kind, ERR_USAGE);
	assert_string_equal(again.text, why);
}

#define OPEN "'${' is not closed by '}' in "
#define NAME                                                     \
	"'${' needs a name of 1 to 64 letters, as in ${volume};" \
	" a plain ${ is written $${"
#define TWO "'${yes?' needs two words: ${yes?YES:NO}"
#define WIDTH "the width in '${n:' must be 1 to 20"

static void wrong(void **state)
{
	static const char *const rows[][2] = {
		{ "${", OPEN "'${'" },
		{ "a ${n", OPEN "'${n'" },
		{ "${n} ${n:3", OPEN "'${n:3'" },
		{ "${" SIXTY, OPEN "'${aaaaaaaa" TEN TEN TEN TEN TEN "'" },
		{ "${}", NAME },
		{ "${:3}", NAME },
		{ "${?a:b}", NAME },
		{ "${" SIXTY "bbbbb}", NAME },
		{ "${" SIXTY "bbbb}",
		  "there is no '" SIXTY "bbbb' to fill in" },
		{ "${n}${y}", "there is no 'y' to fill in" },
		{ "${N}", "there is no 'N' to fill in" },
		{ "${yes?}", TWO },
		{ "${yes?a}:b", TWO },
		{ "${n:}", WIDTH },
		{ "${n:0}", WIDTH },
		{ "${n:21}", WIDTH },
		{ "${n:-1}", WIDTH },
		{ "${n:x}", WIDTH },
		{ "${n:3x}", WIDTH },
		{ "${n:0003}", WIDTH },
		{ "${n:12345}", WIDTH },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		is_wrong(rows[i][0], rows[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filled_in),
		cmocka_unit_test(wrong),
	};

	return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
