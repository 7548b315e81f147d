/* SPDX-License-Identifier: MIT */
/*
 * Option rows: values by type, the environment, what the messages say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/option.h"

struct sample {
	bool flag;
	const char *text, *file, *bare;
	int64_t number, free_number, signed_number, duration, optional;
	int choice, count;
	struct words list;
};

#define PLACE(member) offsetof(struct sample, member)
enum {
	FLAG,
	TEXT,
	FILE_ROW,
	NUMBER,
	FREE,
	SIGNED,
	COUNTED,
	DURATION,
	CHOICE,
	LIST,
	OPTIONAL,
	OPTIONAL_TEXT,
	END
};

static const struct option_row rows[] = {
	[FLAG] = { .letter = 'f',
		   .name = "flag",
		   .type = OPTION_FLAG,
		   .offset = PLACE(flag),
		   .env = "SAMPLE_FLAG" },
	[TEXT] = { .letter = 't',
		   .name = "text",
		   .word = "TEXT",
		   .type = OPTION_TEXT,
		   .offset = PLACE(text),
		   .env = "SAMPLE_TEXT" },
	[FILE_ROW] = { .name = "file",
		       .word = "FILE",
		       .type = OPTION_FILE,
		       .offset = PLACE(file) },
	[NUMBER] = { .letter = 'n',
		     .name = "number",
		     .word = "N",
		     .type = OPTION_NUMBER,
		     .offset = PLACE(number),
		     .min = 1,
		     .max = 10 },
	[FREE] = { .name = "free",
		   .word = "N",
		   .type = OPTION_NUMBER,
		   .offset = PLACE(free_number) },
	[SIGNED] = { .name = "signed",
		     .word = "N",
		     .type = OPTION_NUMBER,
		     .offset = PLACE(signed_number),
		     .min = -5 },
	[COUNTED] = { .letter = 'c',
		      .name = "count",
		      .type = OPTION_COUNT,
		      .offset = PLACE(count),
		      .env = "SAMPLE_COUNT" },
	[DURATION] = { .name = "duration",
		       .word = "DURATION",
		       .type = OPTION_DURATION,
		       .offset = PLACE(duration),
		       .env = "SAMPLE_DURATION",
		       .min = 1 },
	[CHOICE] = { .name = "choice",
		     .word = "WORD",
		     .type = OPTION_CHOICE,
		     .offset = PLACE(choice),
		     .choices = "red green blue" },
	[LIST] = { .letter = 'l',
		   .name = "list",
		   .word = "WORD",
		   .type = OPTION_LIST,
		   .offset = PLACE(list) },
	[OPTIONAL] = { .name = "optional",
		       .word = "PORT",
		       .type = OPTION_OPTIONAL,
		       .offset = PLACE(optional),
		       .min = 1,
		       .max = 65535 },
	[OPTIONAL_TEXT] = { .name = "bare",
			    .word = "HOW",
			    .type = OPTION_OPTIONAL_TEXT,
			    .offset = PLACE(bare) },
	[END] = { .name = NULL }
};

static int store(int row, struct sample *s, const char *value,
		 struct error *err)
{
	return option_store(&rows[row], s, value, NULL, err);
}

static void refused(int row, const char *value, const char *says)
{
	struct sample s = { .number = -7, .choice = -7, .duration = -7 };
	struct error err = { 0 };

	assert_int_equal(store(row, &s, value, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, says);
	/* A refused value leaves what was there. */
	assert_int_equal(s.number, -7);
	assert_int_equal(s.choice, -7);
	assert_int_equal(s.duration, -7);
	error_reset(&err);
}

static void test_find(void **state)
{
	(void)state;
	assert_ptr_equal(option_by_name(rows, "text=x", 4), &rows[TEXT]);
	assert_null(option_by_name(rows, "tex", 3));
	assert_null(option_by_name(rows, "texts", 5));
	assert_null(option_by_name(NULL, "text", 4));
	assert_ptr_equal(option_by_letter(rows, 'n'), &rows[NUMBER]);
	/* Rows without a letter are not found by none. */
	assert_null(option_by_letter(rows, '\0'));
	assert_null(option_by_letter(rows, 'x'));
}

static void test_values(void **state)
{
	struct sample s = { 0 };
	const char *word = "hello";

	(void)state;
	assert_int_equal(store(FLAG, &s, NULL, NULL), 0);
	assert_true(s.flag);
	assert_int_equal(store(TEXT, &s, word, NULL), 0);
	assert_ptr_equal(s.text, word);
	assert_int_equal(store(FILE_ROW, &s, "a b", NULL), 0);
	assert_string_equal(s.file, "a b");
	assert_int_equal(store(NUMBER, &s, "10", NULL), 0);
	assert_int_equal(s.number, 10);
	assert_int_equal(store(FREE, &s, "9223372036854775807", NULL), 0);
	assert_true(s.free_number == INT64_MAX);
	assert_int_equal(store(DURATION, &s, "1.5", NULL), 0);
	assert_int_equal(s.duration, 1500);
	assert_int_equal(store(CHOICE, &s, "blue", NULL), 0);
	assert_int_equal(s.choice, 2);
	assert_int_equal(store(LIST, &s, "one", NULL), 0);
	assert_int_equal(store(LIST, &s, "two", NULL), 0);
	assert_int_equal(s.list.count, 2);
	assert_string_equal(s.list.word[1], "two");
	assert_int_equal(store(OPTIONAL, &s, NULL, NULL), 0);
	assert_int_equal(s.optional, OPTION_BARE);
	assert_int_equal(store(OPTIONAL, &s, "1884", NULL), 0);
	assert_int_equal(s.optional, 1884);
	assert_int_equal(store(OPTIONAL_TEXT, &s, NULL, NULL), 0);
	assert_string_equal(s.bare, "");
	assert_int_equal(store(OPTIONAL_TEXT, &s, word, NULL), 0);
	assert_ptr_equal(s.bare, word);
	assert_false(option_takes_word(&rows[OPTIONAL]));
	assert_false(option_takes_word(&rows[OPTIONAL_TEXT]));
	assert_true(option_is_optional(&rows[OPTIONAL_TEXT]));
	assert_true(option_is_optional(&rows[OPTIONAL]));
	assert_false(option_is_optional(&rows[TEXT]));
	assert_false(option_takes_word(&rows[FLAG]));
	assert_true(option_takes_word(&rows[NUMBER]));
	option_release(rows, &s);
	assert_int_equal(s.list.count, 0);
}

static void test_kinds(void **state)
{
	(void)state;
	for (int row = 0; row < END; row++) {
		const bool flag = row == FLAG || row == COUNTED;
		const bool optional = row == OPTIONAL || row == OPTIONAL_TEXT;

		assert_int_equal(option_is_flag(&rows[row]), flag);
		assert_int_equal(option_is_optional(&rows[row]), optional);
		assert_int_equal(option_takes_word(&rows[row]),
				 !flag && !optional);
	}
}

static void test_counted(void **state)
{
	struct sample s = { 0 };

	(void)state;
	assert_int_equal(store(COUNTED, &s, NULL, NULL), 0);
	assert_int_equal(s.count, 1);
	store(COUNTED, &s, NULL, NULL);
	store(COUNTED, &s, NULL, NULL);
	assert_int_equal(s.count, 3);
}

/* The limits themselves are within. */
static void test_borders(void **state)
{
	struct sample s = { 0 };

	(void)state;
	assert_int_equal(store(NUMBER, &s, "1", NULL), 0);
	assert_int_equal(s.number, 1);
	assert_int_equal(store(FREE, &s, "0", NULL), 0);
	assert_int_equal(s.free_number, 0);
	assert_int_equal(store(SIGNED, &s, "-5", NULL), 0);
	assert_int_equal(s.signed_number, -5);
	assert_int_equal(store(SIGNED, &s, "0", NULL), 0);
	assert_int_equal(s.signed_number, 0);
	assert_int_equal(store(DURATION, &s, "1ms", NULL), 0);
	assert_int_equal(s.duration, 1);
	assert_int_equal(store(CHOICE, &s, "green", NULL), 0);
	assert_int_equal(s.choice, 1);
	assert_int_equal(store(CHOICE, &s, "red", NULL), 0);
	assert_int_equal(s.choice, 0);
	assert_int_equal(store(OPTIONAL, &s, "65535", NULL), 0);
	assert_int_equal(s.optional, 65535);
	assert_int_equal(store(OPTIONAL, &s, "1", NULL), 0);
	assert_int_equal(s.optional, 1);
}

static void test_choice(void **state)
{
	(void)state;
	assert_int_equal(option_choice("a bb  c", "a"), 0);
	assert_int_equal(option_choice("a bb  c", "bb"), 1);
	assert_int_equal(option_choice("a bb  c", "c"), 2);
	assert_int_equal(option_choice("a bb  c", "b"), -1);
	assert_int_equal(option_choice("a bb  c", "bc"), -1);
	assert_int_equal(option_choice("a bb  c", "bbb"), -1);
	assert_int_equal(option_choice("a", ""), -1);
	assert_int_equal(option_choice("", "a"), -1);
}

static void test_refused(void **state)
{
	(void)state;
	refused(FLAG, "1", "option '--flag' takes no value");
	refused(COUNTED, "2", "option '--count' takes no value");
	refused(TEXT, "", "option '--text' needs TEXT");
	refused(TEXT, NULL, "option '--text' needs TEXT");
	refused(FILE_ROW, NULL, "option '--file' needs FILE");
	refused(NUMBER, "11",
		"option '--number': '11' is no whole number from 1 to 10");
	refused(NUMBER, "0",
		"option '--number': '0' is no whole number from 1 to 10");
	refused(NUMBER, "3x",
		"option '--number': '3x' is no whole number from 1 to 10");
	refused(FREE, "-1",
		"option '--free': '-1' is no whole number from 0 on");
	refused(SIGNED, "-6",
		"option '--signed': '-6' is no whole number from -5 to 0");
	refused(SIGNED, "1",
		"option '--signed': '1' is no whole number from -5 to 0");
	refused(DURATION, "10 parsecs",
		"option '--duration': '10 parsecs' is not a duration");
	refused(DURATION, "0", "option '--duration': '0' is too short");
	refused(CHOICE, "gree",
		"option '--choice': 'gree' is none of: red green blue");
	refused(CHOICE, "red green",
		"option '--choice': 'red green' is none of: red green blue");
	refused(LIST, "", "option '--list' needs WORD");
	refused(OPTIONAL, "", "option '--optional' needs PORT");
	refused(OPTIONAL, "0",
		"option '--optional': '0' is no whole number from 1 to 65535");
	refused(OPTIONAL_TEXT, "", "option '--bare' needs HOW");
}

static void test_hints(void **state)
{
	struct sample s = { 0 };
	struct error err = { 0 };

	(void)state;
	store(FLAG, &s, "1", &err);
	assert_string_equal(err.hint, "leave out '=1'");
	assert_false(s.flag);
	store(DURATION, &s, "soon", &err);
	assert_string_equal(
		err.hint,
		"write 250ms, 10s, 2m or 1h; a number without a unit is seconds");
	error_reset(&err);
}

static void test_environment(void **state)
{
	struct sample s = { 0 };
	bool seen[END] = { false };
	struct error err = { 0 };

	(void)state;
	setenv("SAMPLE_TEXT", "from outside", 1);
	setenv("SAMPLE_FLAG", "yes", 1);
	setenv("SAMPLE_DURATION", "", 1);
	assert_int_equal(option_environment(rows, &s, seen, &err), 0);
	assert_string_equal(s.text, "from outside");
	assert_true(s.flag);
	assert_int_equal(s.duration, 0);

	s.text = "given";
	seen[TEXT] = true;
	setenv("SAMPLE_FLAG", "0", 1);
	assert_int_equal(option_environment(rows, &s, seen, &err), 0);
	assert_string_equal(s.text, "given");
	assert_false(s.flag);

	setenv("SAMPLE_DURATION", "soon", 1);
	assert_int_equal(option_environment(rows, &s, seen, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(
		err.text,
		"environment variable SAMPLE_DURATION: 'soon' is not a duration");
	setenv("SAMPLE_DURATION", "1s", 1);
	setenv("SAMPLE_FLAG", "maybe", 1);
	assert_int_equal(option_environment(rows, &s, seen, &err), -1);
	assert_string_equal(
		err.text,
		"environment variable SAMPLE_FLAG: 'maybe' is neither on nor off");
	error_reset(&err);
	assert_int_equal(option_environment(NULL, &s, NULL, NULL), 0);
}

/* On and off, in each word that is known; a count is set, not raised. */
static void test_switches(void **state)
{
	static const char *const words[] = { "1",   "0",  "true", "false",
					     "yes", "no", "ON",	  "Off" };

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		const bool on = i % 2 == 0;
		struct sample s = { .flag = !on, .count = 2 };

		assert_int_equal(
			option_store(&rows[FLAG], &s, words[i], "it", NULL), 0);
		assert_int_equal(s.flag, on);
		assert_int_equal(
			option_store(&rows[COUNTED], &s, words[i], "it", NULL),
			0);
		assert_int_equal(s.count, on);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
