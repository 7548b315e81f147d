/* SPDX-License-Identifier: MIT */
/* A Close frame's bytes: what is told of them, and what decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/mem.h"
#include "net/close_frame.h"
#include "net/why.h"
#include "wire/access_point.h"

#define TAKEN "\x03\xe8" POINT_REPLACED

static struct error told;

static void tell(bool dialled, const char *data, size_t len)
{
	error_reset(&told);
	close_frame_tell(&told, "the peer", dialled, data, len);
	assert_true(why_is_close(&told));
}

static void tells_code_and_words(void **state)
{
	(void)state;
	tell(true,
	     "\x03\xe8"
	     "bye",
	     5);
	assert_int_equal(told.kind, ERR_NONE);
	assert_int_equal(told.code, 1000);
	assert_string_equal(
		told.text,
		"the peer closed the connection (Close frame, code 1000: 'bye')");
	tell(false, "\x0f\xa0", 2);
	assert_int_equal(told.kind, ERR_CONNECT);
	assert_string_equal(
		told.text,
		"the peer closed the connection (Close frame, code 4000)");
	tell(false, "\x03\xe9", 2);
	assert_int_equal(told.kind, ERR_NONE);
	tell(false, NULL, 0);
	assert_int_equal(told.kind, ERR_NONE);
	assert_int_equal(told.code, 1005);
	assert_string_equal(
		told.text,
		"the peer closed the connection (Close frame without a code)");
}

/* The words of an access point, with their code, where it was dialled. */
static void knows_that_another_took_the_place(void **state)
{
	(void)state;
	tell(true, TAKEN, sizeof(TAKEN) - 1);
	assert_int_equal(told.reason, WHY_TAKEN);
	assert_int_equal(told.kind, ERR_NONE);
	tell(false, TAKEN, sizeof(TAKEN) - 1);
	assert_int_equal(told.reason, WHY_CLOSE);
	tell(true, "\x03\xe9" POINT_REPLACED, sizeof(TAKEN) - 1);
	assert_int_equal(told.reason, WHY_CLOSE);
	tell(true, TAKEN, sizeof(TAKEN) - 2);
	assert_int_equal(told.reason, WHY_CLOSE);
}

static void knows_a_refusal(void **state)
{
	(void)state;
	tell(true, "\x0f\xa1", 2);
	assert_int_equal(told.kind, ERR_AUTH);
	assert_string_equal(told.finding, "P707");
	assert_int_equal(told.reason, WHY_CLOSE);
	tell(false, "\x0f\xa1", 2);
	assert_int_equal(told.kind, ERR_CONNECT);
	assert_string_equal(told.finding, "");
	tell(true, "\x03\xf0too late", 10);
	assert_int_equal(told.kind, ERR_CONNECT);
	tell(true, "\x03\xf0invalid token", 15);
	assert_int_equal(told.kind, ERR_AUTH);
}

static void knows_what_failed(void **state)
{
	(void)state;
	tell(true, "\x03\xf1", 2);
	assert_string_equal(told.finding, "P729");
	tell(true, "\x03\xf3", 2);
	assert_string_equal(told.finding, "P730");
	tell(false, "\x03\xf3", 2);
	assert_string_equal(told.finding, "");
	assert_string_equal(told.hint, "");
	error_reset(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_code_and_words),
		cmocka_unit_test(knows_that_another_took_the_place),
		cmocka_unit_test(knows_a_refusal),
		cmocka_unit_test(knows_what_failed),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
