/* SPDX-License-Identifier: MIT */
/* What the keys of `top` do, on a screen that shows nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "top/top.h"
#include "top/top_keys.h"
#include "top/top_terminal.h"

#define CTRL_L 0x0c
#define CTRL_U 0x15

static struct top top;
static struct feed feed;
static const int *keys;
static const char *followed;
static char called[8]; /* its id */
static unsigned backs, reached;

static int key(void)
{
	return *keys == SCREEN_NONE ? SCREEN_NONE : *keys++;
}

static void back(void)
{
	backs++;
}

static void follow(struct feed *f, const struct top_row *row)
{
	(void)f;
	followed = row ? row->id : "nobody";
}

/* It went: so no program is run. */
static bool reach(const struct feed *f, const struct top_row *row,
		  struct buf *out)
{
	(void)f;
	(void)out;
	snprintf(called, sizeof(called), "%s", row->id);
	reached++;
	return false;
}

static const struct screen_table screen = { .key = key, .back = back };
static const struct feed_ops ops = { .follow = follow, .reach = reach };

static void tell(int first, int last, bool gone)
{
	for (int id = first; id <= last; id++) {
		char json[32];
		struct error err = { 0 };
		int len = snprintf(json, sizeof(json), "{\"id\":\"%c\"}", id);
		cJSON *device = json_parse(json, (size_t)len, &err);

		rows_device(&top.rows, device, gone, 0);
		cJSON_Delete(device);
	}
}

static void come(int first, int last)
{
	tell(first, last, false);
}

static int begin(void **state)
{
	(void)state;
	feed = (struct feed){ .ops = &ops };
	top = (struct top){ .screen = &screen, .feed = &feed };
	top.view = (struct top_view){ .rows = &top.rows,
				      .lines = 8,
				      .columns = 80 };
	followed = "";
	backs = reached = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	rows_done(&top.rows);
	buf_done(&top.typed);
	mem_free(top.callee);
	mem_free(top.note);
	return 0;
}

static void press(const int *pressed)
{
	keys = pressed;
	top_keys(&top);
}

#define PRESS(...) press((const int[]){ __VA_ARGS__, SCREEN_NONE })

static void selects(int pressed, const char *id)
{
	PRESS(pressed);
	assert_string_equal(rows_selected(&top.rows)->id, id);
}

/* Five fit: a page is so many. */
static void moves(void **state)
{
	(void)state;
	come('a', 'l');
	selects('j', "b");
	selects(SCREEN_DOWN, "c");
	selects('k', "b");
	selects(SCREEN_UP, "a");
	selects(SCREEN_UP, "a");
	selects(SCREEN_PAGE_DOWN, "f");
	selects(' ', "k");
	selects(SCREEN_PAGE_UP, "f");
	selects('G', "l");
	selects('g', "a");
	selects(SCREEN_END, "l");
	selects(SCREEN_HOME, "a");
	selects(SCREEN_OTHER, "a");
}

static void orders(void **state)
{
	(void)state;
	come('a', 'b');
	PRESS('s');
	assert_int_equal(top.rows.sort, 1);
	assert_false(top.rows.reverse);
	PRESS('r');
	assert_int_equal(top.rows.sort, 1);
	assert_true(top.rows.reverse);
	PRESS('s', 'r');
	assert_int_equal(top.rows.sort, 2);
	assert_false(top.rows.reverse);
	for (int i = 2; i < ROW_COLUMNS; i++)
		PRESS('s');
	assert_int_equal(top.rows.sort, 0);
}

/* Characters of each length are put in and taken out whole. */
static void types(void **state)
{
	(void)state;
	come('a', 'b');
	PRESS('/', 'x', 0x7f, 0xe9, 0x7ff, 0x800, 0x677f, 0xffff, 0x10000,
	      0x10ffff);
	assert_int_equal(top.mode, TOP_FILTERS);
	assert_string_equal(buf_string(&top.typed),
			    "x\x7f\u00e9\u07ff\u0800\u677f\uffff\U00010000"
			    "\U0010ffff");
	assert_string_equal(top.rows.filter, buf_string(&top.typed));
	PRESS(SCREEN_ERASE, SCREEN_ERASE, SCREEN_ERASE, SCREEN_ERASE);
	assert_string_equal(buf_string(&top.typed), "x\x7f\u00e9\u07ff\u0800");
	PRESS(SCREEN_ERASE, SCREEN_ERASE, SCREEN_ERASE, SCREEN_ERASE);
	assert_string_equal(top.rows.filter, "x");
	PRESS(SCREEN_ERASE, SCREEN_ERASE);
	assert_string_equal(top.rows.filter, "");
	/* What is no character does not belong to the line. */
	PRESS('a', 1, SCREEN_UP, 0x1f, SCREEN_OTHER, ' ');
	assert_string_equal(buf_string(&top.typed), "a ");
	PRESS(CTRL_U);
	assert_string_equal(top.rows.filter, "");
	for (int i = 0; i < 2 * TYPED_MAX; i++)
		PRESS('x');
	assert_int_equal(top.typed.len, TYPED_MAX - 4);
}

/* Enter keeps what was typed, Escape what was before. */
static void filters(void **state)
{
	(void)state;
	come('a', 'c');
	PRESS('/', 'b', SCREEN_ENTER);
	assert_int_equal(top.mode, TOP_LOOKS);
	assert_string_equal(top.rows.filter, "b");
	PRESS('/', 'c');
	assert_string_equal(top.rows.filter, "bc");
	PRESS(SCREEN_ESCAPE);
	assert_int_equal(top.mode, TOP_LOOKS);
	assert_string_equal(top.rows.filter, "b");
	assert_string_equal(followed, "");
	/* A step back at a time: the frames, then the filter. */
	feed.following = true;
	PRESS(SCREEN_ESCAPE);
	assert_string_equal(followed, "nobody");
	assert_string_equal(top.rows.filter, "b");
	feed.following = false;
	PRESS(SCREEN_ESCAPE);
	assert_string_equal(top.rows.filter, "");
}

static void acts(void **state)
{
	static const int acting[] = { SCREEN_ENTER, 'x', 'c' };

	(void)state;
	/* Nobody is there. */
	for (size_t i = 0; i < COUNT(acting); i++) {
		PRESS(acting[i]);
		assert_string_equal(top.note, "no board is selected");
		PRESS(SCREEN_OTHER);
		assert_null(top.note);
	}
	assert_int_equal(top.mode, TOP_LOOKS);
	come('a', 'b');
	PRESS('j', SCREEN_ENTER);
	assert_string_equal(followed, "b");
	assert_int_equal(reached, 0);
	PRESS('x');
	assert_int_equal(reached, 1);
	assert_string_equal(top.note, "b went");
	PRESS(CTRL_L);
	assert_int_equal(backs, 1);
}

static void calls(void **state)
{
	(void)state;
	come('a', 'b');
	PRESS('c', 'q', SCREEN_ESCAPE);
	assert_int_equal(top.mode, TOP_LOOKS);
	assert_false(top.quit);
	/* What was typed before is not there again; nothing calls nothing. */
	PRESS('c');
	assert_int_equal(top.mode, TOP_CALLS);
	assert_string_equal(buf_string(&top.typed), "");
	PRESS(SCREEN_ENTER);
	assert_int_equal(top.mode, TOP_LOOKS);
	assert_int_equal(reached, 0);
	assert_null(top.note);
	PRESS('c', 'a', '"', SCREEN_ENTER);
	assert_non_null(strstr(top.note, "double quote"));
	assert_int_equal(reached, 0);
	PRESS('c', 'a', '.', 'b', SCREEN_ENTER);
	assert_int_equal(reached, 1);
	assert_string_equal(top.note, "a went");
	/* The filter has nothing of it. */
	assert_string_equal(top.rows.filter, "");
}

/* Whoever stands in its place when the call is typed gets none. */
static void calls_whom_it_was_typed_for(void **state)
{
	(void)state;
	come('b', 'c');
	PRESS('c', 'x');
	come('a', 'a');
	PRESS(SCREEN_ENTER);
	assert_int_equal(reached, 1);
	assert_string_equal(called, "b");
	PRESS('j', 'j', 'k', 'c', 'x');
	tell('b', 'b', true);
	PRESS(SCREEN_ENTER);
	assert_int_equal(reached, 1);
	assert_string_equal(top.note, "the board went: nothing was called");
}

/* Keys behind q are not for us. */
static void quits(void **state)
{
	(void)state;
	come('a', 'c');
	top.terminal.idle = 3;
	PRESS('j', 'q', 'j');
	assert_true(top.quit);
	assert_true(top.keyed);
	assert_int_equal(top.terminal.idle, 0);
	assert_string_equal(rows_selected(&top.rows)->id, "b");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(moves),
		TEST(orders),
		TEST(types),
		TEST(filters),
		TEST(acts),
		TEST(calls),
		TEST(calls_whom_it_was_typed_for),
		TEST(quits),
	};

	mem_init();
	return cmocka_run_group_tests_name("top_keys", tests, NULL, NULL);
}
