/* SPDX-License-Identifier: MIT */
/* Numbers over time: kept in bounded memory, drawn in dots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "out/plot.h"

static struct series series;

static void add(const double *value, size_t count)
{
	series_done(&series);
	for (size_t i = 0; i < count; i++)
		series_add(&series, (int64_t)i * 1000, value[i]);
}

static void draws(size_t columns, bool braille, const char *unit,
		  const char *expected)
{
	const struct plot p = { &series, columns, 2, braille, unit };
	struct buf out = { 0 };

	plot_draw(&out, &p);
	assert_string_equal(buf_string(&out), expected);
	buf_done(&out);
}

static void test_plot(void **state)
{
	static const double step[] = { 1, 1, 3, 3 };

	(void)state;
	add(step, 4);
	draws(20, false, NULL,
	      "3 |          ******\n1 |***********     \n   0            3 s\n");
	draws(20, true, NULL,
	      "3 ┤⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⡏⠉⠉⠉⠉⠉\n"
	      "1 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡇⠀⠀⠀⠀⠀\n"
	      "   0            3 s\n");
}

static void test_odd_plots(void **state)
{
	static const double one[] = { 5 }, flat[] = { 7, 7 };
	static const double huge[] = { -1.7e308, 1.7e308 };

	(void)state;
	add(one, 1);
	draws(40, true, NULL, "");
	/* What does not change is in the middle of its scale. */
	add(flat, 2);
	draws(20, false, NULL,
	      "14 |               \n 0 |***************\n    0           1 s\n");
	add(huge, 2);
	draws(24, false, "a unit that is far too long for this",
	      " 1.7e+308 |           *\n"
	      "-1.7e+308 |************\n"
	      "           0        1 s\n");
}

static void test_no_line_is_too_wide(void **state)
{
	static const double value[] = { -12.5, 1234567, 0.001 };

	(void)state;
	add(value, 3);
	for (size_t columns = 20; columns < 200; columns += 7) {
		const struct plot p = { &series, columns, 5, true, "dBm" };
		struct buf out = { 0 };

		plot_draw(&out, &p);
		for (const char *line = buf_string(&out); *line;) {
			size_t len = strcspn(line, "\n");

			assert_true(text_width(line, len) <= columns);
			line += len + 1;
		}
		buf_done(&out);
	}
}

static void test_line(void **state)
{
	static const double value[] = { 0, 3 };
	struct buf out = { 0 };

	(void)state;
	add(value, 2);
	plot_line(&out, &series, 3);
	assert_string_equal(buf_string(&out), "⣀⣀⣸");
	buf_done(&out);
}

/* However many come: the least and the greatest stay. */
static void test_bounded(void **state)
{
	(void)state;
	series_done(&series);
	for (int64_t i = 0; i < SERIES_MAX * 5; i++)
		series_add(&series, i, i == 4321 ? 1000 : (double)(i % 7));
	assert_true(series.count <= SERIES_MAX);
	assert_int_equal(series.values, SERIES_MAX * 5);
	assert_true(series.greatest >= 1000 && series.least <= 0);

	double greatest = 0;

	for (size_t i = 0; i < series.count; i++) {
		if (series.point[i].greatest > greatest)
			greatest = series.point[i].greatest;
		assert_true(i == 0 ||
			    series.point[i].at > series.point[i - 1].at);
	}
	assert_true(greatest >= 1000);
	series_done(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plot),
		cmocka_unit_test(test_odd_plots),
		cmocka_unit_test(test_no_line_is_too_wide),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
