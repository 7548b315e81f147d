/* SPDX-License-Identifier: MIT */
/*
 * base/error: what is set, kept, cut and copied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

static void sets(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(error_set(&err, ERR_TIMEOUT, "no answer in %d s", 10),
			 -1);
	assert_int_equal(error_hint(&err, "try '%s'", "ping"), -1);
	assert_int_equal(error_code(&err, -32601), -1);
	assert_int_equal(error_detail(&err, "frame and more", 5), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_int_equal(error_status(&err), 4);
	assert_string_equal(err.text, "no answer in 10 s");
	assert_string_equal(err.hint, "try 'ping'");
	assert_int_equal(err.code, -32601);
	assert_true(err.has_code);
	assert_string_equal(err.detail, "frame");
	/* A new error has nothing of the old one. */
	error_set(&err, ERR_USAGE, "other");
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.hint, "");
	assert_int_equal(err.code, 0);
	assert_false(err.has_code);
	assert_null(err.detail);
	error_reset(&err);
	assert_int_equal(error_status(&err), 0);
	assert_string_equal(err.text, "");
}

static void one_of_several(void **state)
{
	struct error sum = { 0 }, one = { 0 };

	(void)state;
	error_set(&one, ERR_CONNECT, "nobody there");
	error_finding(&one, "N102");
	error_hint(&one, "is it on?");
	error_set(&sum, ERR_CONNECT, "2 of 3 failed");
	assert_int_equal(error_one_of(&sum, "board-1", &one), -1);
	assert_string_equal(sum.text, "2 of 3 failed");
	assert_string_equal(sum.detail, "board-1: nobody there (N102)");
	assert_string_equal(sum.hint, "is it on?");
	error_reset(&one);
	error_reset(&sum);
}

static void null_error(void **state)
{
	struct error from = { .kind = ERR_PEER };

	(void)state;
	assert_int_equal(error_set(NULL, ERR_PEER, "x"), -1);
	assert_int_equal(error_hint(NULL, "x"), -1);
	assert_int_equal(error_code(NULL, 1), -1);
	assert_int_equal(error_detail(NULL, "x", 1), -1);
	assert_int_equal(error_prefix(NULL, "x"), -1);
	error_reset(NULL);
	error_copy(NULL, &from);
}

static void own_text(void **state)
{
	struct error err = { 0 };

	(void)state;
	error_set(&err, ERR_PEER, "first");
	error_detail(&err, "detail", 6);
	error_set(&err, ERR_CONNECT, "then %s, %s", err.text, err.detail);
	assert_string_equal(err.text, "then first, detail");
	error_hint(&err, "a");
	error_hint(&err, "%s%s", err.hint, "b");
	assert_string_equal(err.hint, "ab");
	error_detail(&err, "detail", 6);
	error_detail(&err, err.detail + 2, 4);
	assert_string_equal(err.detail, "tail");
	error_detail(&err, NULL, 4);
	assert_null(err.detail);
	error_reset(&err);
}

static void prefixes(void **state)
{
	struct error err = { 0 };

	(void)state;
	error_set(&err, ERR_USAGE, "no such file");
	error_hint(&err, "hint");
	assert_int_equal(error_prefix(&err, "line %d", 3), -1);
	assert_string_equal(err.text, "line 3: no such file");
	assert_string_equal(err.hint, "hint");
	assert_int_equal(err.kind, ERR_USAGE);
}

/* However the text is shifted, it is not cut inside a character. */
static void cuts(void **state)
{
	struct error err = { 0 };
	char text[2000];
	size_t i, shift;

	(void)state;
	for (i = 0; i + 4 < sizeof(text); i += 4)
		memcpy(text + i, "\xf0\x9f\x98\x80", 4);
	text[i] = '\0';
	for (shift = 0; shift < 4; shift++) {
		error_set(&err, ERR_PEER, "%.*s%s", (int)shift, "abc", text);
		assert_true(text_is_utf8(err.text, strlen(err.text)));
		assert_true(strlen(err.text) > sizeof(err.text) - 5);
	}
	for (i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "\xe4\xbd\xa0", 3);
	text[i] = '\0';
	for (shift = 0; shift < 3; shift++) {
		error_hint(&err, "%.*s%s", (int)shift, "abc", text);
		assert_true(text_is_utf8(err.hint, strlen(err.hint)));
		assert_true(strlen(err.hint) > sizeof(err.hint) - 4);
	}
	/* A text that is not UTF-8 is only cut. */
	memset(text, 0x80, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&err, ERR_PEER, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void long_detail(void **state)
{
	struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *text = mem_alloc(100000);

	(void)state;
	memset(text, 'x', 100000);
	error_set(&err, ERR_PROTOCOL, "x");
	error_detail(&err, text, 100000);
	assert_int_equal(strlen(err.detail), 65536);
	error_reset(&err);
}

static void copies(void **state)
{
	struct error a = { 0 }, b = { 0 };

	(void)state;
	error_set(&a, ERR_AUTH, "refused");
	error_detail(&a, "why", 3);
	error_set(&b, ERR_PEER, "old");
	error_detail(&b, "old", 3);
	error_copy(&b, &a);
	assert_ptr_not_equal(a.detail, b.detail);
	error_reset(&a);
	assert_int_equal(b.kind, ERR_AUTH);
	assert_string_equal(b.text, "refused");
	assert_string_equal(b.detail, "why");
	error_copy(&b, &b);
	assert_string_equal(b.detail, "why");
	error_reset(&b);
}

/* A code, and nothing else: it may come from a peer. */
static void findings(void **state)
{
	static const char *const none[] = { "",	    "N10",     "N1022", "n102",
					    "N10x", "\x1b[2J", "@102",	"[102",
					    "N/02", "N:02" };
	struct error err = { 0 }, copy = { 0 };
	char *text;

	(void)state;
	error_set(&err, ERR_CONNECT, "refused");
	text = error_headline(&err);
	assert_string_equal(text, "refused");
	mem_free(text);
	assert_int_equal(error_finding(&err, "N102"), -1);
	error_prefix(&err, "here");
	error_hint(&err, "try again");
	text = error_headline(&err);
	assert_string_equal(text, "here: refused (N102)");
	mem_free(text);
	text = error_line(&err);
	assert_string_equal(text, "here: refused (N102); try again");
	mem_free(text);
	error_hint(&err, "%s", "");
	text = error_line(&err);
	assert_string_equal(text, "here: refused (N102)");
	mem_free(text);
	error_copy(&copy, &err);
	assert_string_equal(copy.finding, "N102");
	for (size_t i = 0; i < COUNT(none); i++) {
		error_finding(&copy, "N102");
		error_finding(&copy, none[i]);
		assert_string_equal(copy.finding, "");
	}
	error_finding(&copy, "A000");
	assert_string_equal(copy.finding, "A000");
	error_finding(&copy, "Z999");
	assert_string_equal(copy.finding, "Z999");
	error_finding(&copy, NULL);
	assert_string_equal(copy.finding, "");
	assert_int_equal(error_finding(NULL, "N102"), -1);
	error_set(&err, ERR_CONNECT, "another");
	assert_string_equal(err.finding, "");
	error_reset(&err);
	error_reset(&copy);
}

static void statuses(void **state)
{
	struct error err = { 0 };

	(void)state;
	error_set(&err, ERR_INTERRUPTED, "x");
	assert_int_equal(error_status(&err), 130);
	error_code(&err, 1);
	assert_int_equal(error_status(&err), 129);
	error_code(&err, 15);
	assert_int_equal(error_status(&err), 143);
	error_set(&err, ERR_CONNECT, "x");
	error_code(&err, 15);
	assert_int_equal(error_status(&err), 3);
	assert_int_equal(error_reason(&err, 7), -1);
	assert_int_equal(error_retry_after(&err, 1500), -1);
	assert_int_equal(err.reason, 7);
	assert_int_equal(err.retry_after, 1500);
	assert_int_equal(error_reason(NULL, 7), -1);
	assert_int_equal(error_retry_after(NULL, 7), -1);
}

/* Set so that a whole line of n bytes, then a character, stands at the end. */
static void check_end(size_t n, const char *character, size_t expected)
{
	struct error err = { 0 };
	char text[600];

	memset(text, 'x', n);
	memcpy(text + n, character, strlen(character) + 1);
	error_set(&err, ERR_PEER, "%sz", text);
	assert_int_equal(strlen(err.text), expected);
}

/* A character that just fits is kept, one that does not is dropped whole. */
static void ends(void **state)
{
	(void)state;
	check_end(509, "a", 511);
	check_end(510, "a", 511);
	check_end(509, "\xc3\xa9", 511);
	check_end(510, "\xc3\xa9", 510);
	check_end(508, "\xe4\xbd\xa0", 511);
	check_end(509, "\xe4\xbd\xa0", 509);
	check_end(510, "\xe4\xbd\xa0", 510);
	check_end(509, "\xe0\xa0\x80", 509);
	check_end(507, "\xf0\x9f\x98\x80", 511);
	check_end(508, "\xf0\x9f\x98\x80", 508);
	check_end(509, "\xf0\x9f\x98\x80", 509);
	check_end(510, "\xf0\x9f\x98\x80", 510);
	check_end(506, "\xf0\x9f\x98\x80", 511);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(error_kind_name(ERR_NONE), "none");
	assert_string_equal(error_kind_name(ERR_CONNECT), "connect");
	assert_string_equal(error_kind_name(ERR_PROTOCOL), "protocol");
	assert_string_equal(error_kind_name(ERR_AUTH), "auth");
	assert_string_equal(error_kind_name(ERR_UNMET), "unmet");
	assert_string_equal(error_kind_name(ERR_OUTPUT), "output");
	assert_string_equal(error_kind_name((enum error_kind)99), "unknown");
	assert_string_equal(error_kind_name(ERR_USAGE), "usage");
	assert_string_equal(error_kind_name(ERR_TIMEOUT), "timeout");
	assert_string_equal(error_kind_name(ERR_PEER), "peer");
	assert_string_equal(error_kind_name(ERR_INTERRUPTED), "interrupted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets),	    cmocka_unit_test(null_error),
		cmocka_unit_test(own_text), cmocka_unit_test(prefixes),
		cmocka_unit_test(cuts),	    cmocka_unit_test(long_detail),
		cmocka_unit_test(copies),   cmocka_unit_test(names),
		cmocka_unit_test(findings), cmocka_unit_test(one_of_several),
		cmocka_unit_test(statuses), cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
