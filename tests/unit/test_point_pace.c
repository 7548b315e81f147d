/* SPDX-License-Identifier: MIT */
/* When an access point is dialled again, and when never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/mem.h"
#include "clients/point_pace.h"
#include "net/why.h"
#include "wire/access_point.h"

static struct error closed(int code)
{
	return (struct error){ .kind = code == 1000 ? ERR_NONE : ERR_CONNECT,
			       .code = code,
			       .reason = WHY_CLOSE };
}

/* 1, 2, 4, … 60 s, give or take a quarter. */
static void doubles(void **state)
{
	static const int64_t steps[] = { 1000,	2000,  4000,  8000,
					 16000, 32000, 60000, 60000 };
	const struct error why = { .kind = ERR_CONNECT };
	struct point_pace p = { 0 };
	int64_t wait;

	(void)state;
	for (size_t i = 0; i < COUNT(steps); i++) {
		const struct point_pace before = p;

		assert_int_equal(point_pace_next(&p, &why, 0, 0, &wait),
				 POINT_AGAIN);
		assert_int_equal(wait, steps[i] * 3 / 4);
		p = before;
		point_pace_next(&p, &why, 0, (uint32_t)steps[i] / 2, &wait);
		assert_int_equal(wait, steps[i] * 5 / 4);
		/* Chance goes round from there. */
		p = before;
		point_pace_next(&p, &why, 0, (uint32_t)steps[i] / 2 + 1, &wait);
		assert_int_equal(wait, steps[i] * 3 / 4);
	}
}

static void begins_anew(void **state)
{
	const struct error why = { .kind = ERR_CONNECT };
	struct point_pace p = { .wait = 32000 };
	int64_t wait;

	(void)state;
	point_pace_next(&p, &why, POINT_LIFE_MS - 1, 0, &wait);
	assert_int_equal(wait, 45000);
	point_pace_next(&p, &why, POINT_LIFE_MS, 0, &wait);
	assert_int_equal(wait, 750);
}

static void refused(void **state)
{
	const struct error by_http = { .kind = ERR_AUTH, .code = 401 };
	const struct error errors[] = { by_http, closed(1008), closed(4001) };

	(void)state;
	for (size_t i = 0; i < COUNT(errors); i++) {
		struct point_pace p = { 0 };
		int64_t wait;

		assert_int_equal(
			point_pace_next(&p, &errors[i], 90000, 0, &wait),
			POINT_REFUSED);
	}
}

static void replaced(void **state)
{
	const struct error taken = { .code = 1000, .reason = WHY_TAKEN };
	struct error proper = closed(1000);
	struct point_pace p = { 0 };
	int64_t wait;

	(void)state;
	assert_int_equal(point_pace_next(&p, &taken, 10, 0, &wait),
			 POINT_TAKEN);
	assert_in_range(wait, POINT_REPLACED_MS, POINT_REPLACED_MS + 1000);
	/* What the peer says is words to show, and decides nothing. */
	snprintf(proper.text, sizeof(proper.text), "closed: '%s'",
		 POINT_REPLACED);
	assert_int_equal(point_pace_next(&p, &proper, 10, 0, &wait),
			 POINT_AGAIN);
	assert_int_equal(wait, 750);
}

/* An errno is no code of a Close. */
static void failed(void **state)
{
	const struct error why = closed(4004);
	const struct error other = { .kind = ERR_CONNECT, .code = 4004 };
	struct point_pace p = { 0 };
	int64_t wait;

	(void)state;
	for (uint32_t chance = 0; chance < 3; chance++) {
		p.wait = 0;
		assert_int_equal(
			point_pace_next(&p, &why, 0, chance * 7000, &wait),
			POINT_AGAIN);
		assert_in_range(wait, POINT_FAILED_MS, POINT_FAILED_MS * 5 / 4);
	}
	point_pace_next(&p, &why, 0, 0, &wait);
	assert_int_equal(wait, 45000);
	p.wait = 0;
	point_pace_next(&p, &other, 0, 0, &wait);
	assert_int_equal(wait, 750);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles), cmocka_unit_test(begins_anew),
		cmocka_unit_test(refused), cmocka_unit_test(replaced),
		cmocka_unit_test(failed),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
