/* SPDX-License-Identifier: MIT */
/*
 * base/split: words as a shell splits them, and quoting that splits back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/split.h"

/* expected: the words, each followed by '|'. */
static void check(const char *line, const char *expected)
{
	struct error err = { 0 };
	CLEANUP(words_done) struct words w = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	size_t i;

	assert_int_equal(words_split(&w, line, &err), 0);
	for (i = 0; i < w.count; i++) {
		buf_text(&b, w.word[i]);
		buf_char(&b, '|');
	}
	assert_null(w.word[w.count]);
	assert_string_equal(buf_string(&b), expected);
}

static void fails_with(const char *line, const char *text, const char *hint)
{
	struct error err = { 0 };
	struct words w;

	assert_int_equal(words_split(&w, line, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
	assert_int_equal(w.count, 0);
	assert_null(w.word);
	words_done(&w);
	error_reset(&err);
}

static void fails(const char *line, const char *text)
{
	fails_with(line, text,
		   strstr(text, "double") ?
			   "close it, or write \\\" for the character itself" :
			   "close it, or write \\' for the character itself");
}

static void blanks(void **state)
{
	(void)state;
	check("", "");
	check(" \t\r\n ", "");
	check("a", "a|");
	check("  call\tself.x  a=1 \n", "call|self.x|a=1|");
	check("\xe4\xbd\xa0 \xff", "\xe4\xbd\xa0|\xff|");
}

static void quotes(void **state)
{
	(void)state;
	check("''", "|");
	check("\"\" ''x", "|x|");
	check("'a b'\"c d\"e", "a bc de|");
	check("'a\\\"b'", "a\\\"b|");
	check("\"a\\\"b\\\\c\\$d\\`e\\n\"", "a\"b\\c$d`e\\n|");
	check("\"it's\"", "it's|");
	check("'{\"a\": 1}'", "{\"a\": 1}|");
	check("\"a\nb\"", "a\nb|");
}

static void backslashes(void **state)
{
	(void)state;
	check("a\\ b", "a b|");
	check("\\'\\\"\\\\", "'\"\\|");
	check("a\\nb", "anb|");
	check("a\\\nb", "ab|");
	check("a \\\n b", "a|b|");
	check("\\\n", "");
	check("\"a\\\nb\"", "ab|");
	check("\\#", "#|");
}

static void comments(void **state)
{
	(void)state;
	check("# all", "");
	check("a # b 'c", "a|");
	check("a#b '#' c", "a#b|#|c|");
	check("a # b\nc", "a|c|");
}

static void no_expansion(void **state)
{
	(void)state;
	check("$HOME ~ * `x` $(y) ; | &", "$HOME|~|*|`x`|$(y)|;|||&|");
}

static void errors(void **state)
{
	(void)state;
	fails("call 'x", "single quote at column 6 is not closed");
	fails("\"x'", "double quote at column 1 is not closed");
	fails("\xe4\xbd\xa0 'x", "single quote at column 3 is not closed");
	fails("\"x\\\"", "double quote at column 1 is not closed");
	fails("\"x\\", "double quote at column 1 is not closed");
	fails_with("a b\\", "the line ends with a backslash",
		   "write \\\\ for the character itself");
	fails_with("\\", "the line ends with a backslash",
		   "write \\\\ for the character itself");
}

static void quoted(const char *word, const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(words_done) struct words w = { 0 };

	words_quote(&b, word);
	assert_string_equal(buf_string(&b), expected);
	assert_int_equal(words_split(&w, buf_string(&b), NULL), 0);
	assert_int_equal(w.count, 1);
	assert_string_equal(w.word[0], word);
}

static void quoting(void **state)
{
	(void)state;
	quoted("self.light.set_rgb", "self.light.set_rgb");
	quoted("r=1", "r=1");
	quoted("", "''");
	quoted("a b", "'a b'");
	quoted("it's", "'it'\\''s'");
	quoted("#x", "'#x'");
	quoted("a\\", "'a\\'");
	quoted("*", "'*'");
	quoted("~", "'~'");
	quoted("a\nb", "'a\nb'");
}

static void check_bare(const char *line, int at)
{
	const char *found = words_bare(line, '|');

	if (at < 0)
		assert_null(found);
	else
		assert_ptr_equal(found, line + at);
}

static void bare(void **state)
{
	(void)state;
	check_bare("", -1);
	check_bare("a b", -1);
	check_bare("|", 0);
	check_bare(" |", 1);
	check_bare("a|b|c", 1);
	check_bare("a b|", 3);
	check_bare("'|' | x", 4);
	check_bare("\"|\\\"|\"|", 6);
	check_bare("a'|'b", -1);
	check_bare("a\\|b", -1);
	check_bare("a\\\\|b", 3);
	check_bare("\\a|", 2);
	check_bare("\\|", -1);
	check_bare("a\\", -1);
	check_bare("\\\n|", 2);
	check_bare("a \\\n|", 4);
	check_bare("# |", -1);
	check_bare("a # |\n|", 6);
	check_bare("a#|", 2);
	check_bare("'a |", -1);
	check_bare("\"a |", -1);
}

static void assert_words(const struct words *w, const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	for (size_t i = 0; i < w->count; i++) {
		buf_text(&b, w->word[i]);
		buf_char(&b, '|');
	}
	assert_string_equal(buf_string(&b), expected);
}

static void sets(void **state)
{
	CLEANUP(words_done) struct words w = { 0 };

	(void)state;
	assert_false(words_has(&w, "a"));
	words_add_once(&w, "a");
	words_add_once(&w, "b");
	words_add_once(&w, "a");
	assert_words(&w, "a|b|");
	assert_true(words_has(&w, "a"));
	assert_true(words_has(&w, "b"));
	assert_false(words_has(&w, "ab"));
	words_add(&w, "a");
	words_drop(&w, "c");
	assert_words(&w, "a|b|a|");
	words_drop(&w, "a");
	assert_words(&w, "b|");
	words_drop(&w, "b");
	assert_words(&w, "");
}

static void adding(void **state)
{
	CLEANUP(words_done) struct words w = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		words_add(&w, "x");
		assert_null(w.word[w.count]);
	}
	assert_int_equal(w.count, 100);
	words_done(&w);
	assert_int_equal(w.count, 0);
	assert_null(w.word);
	words_done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks),	cmocka_unit_test(quotes),
		cmocka_unit_test(backslashes),	cmocka_unit_test(comments),
		cmocka_unit_test(no_expansion), cmocka_unit_test(errors),
		cmocka_unit_test(quoting),	cmocka_unit_test(adding),
		cmocka_unit_test(bare),		cmocka_unit_test(sets),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
