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
	static const double below[] = { -4, -4 }, small[] = { 0.5, 0.5 };
	static const double huge[] = { -1.7e308, 1.7e308 };

	(void)state;
	add(one, 1);
	draws(40, true, NULL, "");
	/* What does not change is in the middle of its scale. */
	add(flat, 2);
	draws(20, false, NULL,
	      "14 |               \n 0 |***************\n    0           1 s\n");
	add(below, 2);
	draws(20, false, NULL,
	      " 0 |               \n-8 |***************\n    0           1 s\n");
	add(small, 2);
	draws(20, false, NULL,
	      " 1.5 |             \n-0.5 |*************\n      0         1 s\n");
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

/* The last two a column; what came before them is not there. */
static void test_line_of_many(void **state)
{
	static const double value[] = { 3, 0, 0, 3, 0, 3 };
	struct buf out = { 0 };

	(void)state;
	add(value, 6);
	plot_line(&out, &series, 2);
	assert_string_equal(buf_string(&out), "⣸⣿");
	buf_reset(&out);
	plot_line(&out, &series, 0);
	add(value, 1);
	plot_line(&out, &series, 2);
	assert_string_equal(buf_string(&out), "");
	buf_done(&out);
}

/* The middle of the scale has a label where it is a row, and there is room. */
static void test_labels(void **state)
{
	static const double value[] = { 0, 8 };
	struct plot p = { &series, 16, 5, false, "V" };
	struct buf out = { 0 };

	(void)state;
	add(value, 2);
	plot_draw(&out, &p);
	assert_string_equal(buf_string(&out), "8 V |         *\n"
					      "    |         *\n"
					      "4 V |         *\n"
					      "    |         *\n"
					      "0 V |**********\n"
					      "     0      1 s\n");
	buf_reset(&out);
	p.rows = 4;
	p.unit = NULL;
	/* Time is counted from the first. */
	series_done(&series);
	series_add(&series, 50000, 0);
	series_add(&series, 51000, 8);
	plot_draw(&out, &p);
	assert_string_equal(buf_string(&out), "8 |           *\n"
					      "  |           *\n"
					      "  |           *\n"
					      "0 |************\n"
					      "   0        1 s\n");
	buf_done(&out);
}

/* One more than there is room for: two become one, with all that they were. */
static void test_halved(void **state)
{
	(void)state;
	series_done(&series);
	for (int64_t i = 0; i <= SERIES_MAX; i++)
		series_add(&series, i * 10, (double)(i % 2 ? i : -i));
	assert_int_equal(series.count, SERIES_MAX / 2 + 1);
	assert_int_equal(series.merged, 2);
	for (size_t i = 0; i < 3; i++) {
		const struct series_point *p = &series.point[i];

		assert_int_equal(p->at, 20 * i);
		assert_true(p->least == -2.0 * (double)i);
		assert_true(p->greatest == 2.0 * (double)i + 1);
		assert_true(p->last == 2.0 * (double)i + 1);
	}
	/* The next joins the last one, that behind it does not. */
	series_add(&series, 1000000, 5);
	assert_int_equal(series.count, SERIES_MAX / 2 + 1);
	assert_int_equal(series.point[series.count - 1].last, 5);
	series_add(&series, 1000001, 6);
	assert_int_equal(series.count, SERIES_MAX / 2 + 2);
	assert_int_equal(series.last, 6);
	assert_int_equal(series.values, SERIES_MAX + 3);
	assert_true(series.sum == -SERIES_MAX / 2 + 11);
	assert_true(series.least == -SERIES_MAX);
	assert_int_equal(series.greatest, SERIES_MAX - 1);
	series_done(&series);
	assert_int_equal(series.count, 0);
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

/* Both ends are kept of what is put together. */
static void test_ends_of_halves(void **state)
{
	(void)state;
	series_done(&series);
	for (int i = 0; i <= SERIES_MAX; i++)
		series_add(&series, i, i % 2 ? -7 : 9);
	assert_int_equal(series.count, SERIES_MAX / 2 + 1);
	for (size_t i = 0; i + 1 < series.count; i++) {
		assert_true(series.point[i].least == -7);
		assert_true(series.point[i].greatest == 9);
		assert_true(series.point[i].last == -7);
	}
	series_done(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plot),
		cmocka_unit_test(test_odd_plots),
		cmocka_unit_test(test_no_line_is_too_wide),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_line_of_many),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_halved),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_ends_of_halves),
	};

	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
