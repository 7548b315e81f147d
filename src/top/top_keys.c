/* SPDX-License-Identifier: MIT */
/*
 * What the keys of `top` do: move, sort, filter, follow, call, the shell.
 */
#include "top/top_keys.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "top/top.h"
#include "top/top_terminal.h"

enum { KEY_CTRL_L = 0x0c, KEY_CTRL_U = 0x15 };

/* ---- a line that is typed ---- */

static void begin_line(struct top *t, enum top_mode mode, const char *text)
{
	t->mode = mode;
	buf_reset(&t->typed);
	buf_text(&t->typed, text);
}

static void add_point(struct buf *out, unsigned point)
{
	if (point < 0x80) {
		buf_char(out, (char)point);
		return;
	}
	if (point < 0x800) {
		buf_char(out, (char)(0xc0 | point >> 6));
	} else {
		if (point < 0x10000) {
			buf_char(out, (char)(0xe0 | point >> 12));
		} else {
			buf_char(out, (char)(0xf0 | point >> 18));
			buf_char(out, (char)(0x80 | (point >> 12 & 0x3f)));
		}
		buf_char(out, (char)(0x80 | (point >> 6 & 0x3f)));
	}
	buf_char(out, (char)(0x80 | (point & 0x3f)));
}

static void erase(struct buf *typed)
{
	size_t len = typed->len ? typed->len - 1 : 0;

	while (len && ((unsigned char)typed->data[len] & 0xc0) == 0x80)
		len--;
	buf_cut(typed, len);
}

/* Whether the key belongs to the line. */
static bool edits(struct buf *typed, int key)
{
	if (key == SCREEN_ERASE)
		erase(typed);
	else if (key == KEY_CTRL_U)
		buf_reset(typed);
	else if (key >= ' ' && key < 0x110000 && typed->len + 4 < TYPED_MAX)
		add_point(typed, (unsigned)key);
	else
		return false;
	return true;
}

static void call_typed(struct top *t)
{
	const struct top_row *row = rows_find(&t->rows, t->callee);
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf command = { 0 };

	if (words_split(&words, buf_string(&t->typed), &why)) {
		top_note(t, "%s", why.text);
		return;
	}
	if (!words.count)
		return;
	if (!row) {
		top_note(t, "the board went: nothing was called");
		return;
	}
	buf_text(&command, "call");
	for (size_t i = 0; i < words.count; i++) {
		buf_char(&command, ' ');
		words_quote(&command, words.word[i]);
	}
	top_run(t, row, buf_string(&command), true);
}

static void filter_key(struct top *t, int key)
{
	if (key == SCREEN_ESCAPE) {
		rows_filter(&t->rows, t->filter);
		t->mode = TOP_LOOKS;
	} else if (key == SCREEN_ENTER) {
		t->mode = TOP_LOOKS;
	} else if (edits(&t->typed, key)) {
		rows_filter(&t->rows, buf_string(&t->typed));
	}
}

static void call_key(struct top *t, int key)
{
	if (key == SCREEN_ESCAPE || key == SCREEN_ENTER)
		t->mode = TOP_LOOKS;
	if (key == SCREEN_ENTER)
		call_typed(t);
	else
		edits(&t->typed, key);
}

/* ---- looking ---- */

/* Meanwhile another may come to stand in its place. */
static void begin_call(struct top *t, const struct top_row *row)
{
	mem_free(t->callee);
	t->callee = mem_strdup(row->id);
	begin_line(t, TOP_CALLS, "");
}

/* What it does to a row, which may have gone. */
static void act(struct top *t, int key)
{
	const struct top_row *row = rows_selected(&t->rows);

	if (!row)
		top_note(t, "no board is selected");
	else if (key == SCREEN_ENTER)
		t->feed->ops->follow(t->feed, row);
	else if (key == 'x')
		top_run(t, row, "shell", false);
	else
		begin_call(t, row);
}

static void begin_filter(struct top *t)
{
	memcpy(t->filter, t->rows.filter, sizeof(t->filter));
	begin_line(t, TOP_FILTERS, t->filter);
}

/* Frames first, then the filter: back, a step at a time. */
static void step_back(struct top *t)
{
	if (t->feed->following)
		t->feed->ops->follow(t->feed, NULL);
	else
		rows_filter(&t->rows, "");
}

static void next_order(struct top *t)
{
	rows_sort(&t->rows, (t->rows.sort + 1) % ROW_COLUMNS, t->rows.reverse);
}

/* False: it does not move. */
static bool moves(struct top *t, int key)
{
	int64_t page = (int64_t)view_page(&t->view);

	switch (key) {
	case 'k':
	case SCREEN_UP:
		rows_move(&t->rows, -1);
		return true;
	case 'j':
	case SCREEN_DOWN:
		rows_move(&t->rows, 1);
		return true;
	case SCREEN_PAGE_UP:
		rows_move(&t->rows, -page);
		return true;
	case ' ':
	case SCREEN_PAGE_DOWN:
		rows_move(&t->rows, page);
		return true;
	case 'g':
	case SCREEN_HOME:
		rows_move(&t->rows, -(int64_t)t->rows.count);
		return true;
	case 'G':
	case SCREEN_END:
		rows_move(&t->rows, (int64_t)t->rows.count);
		return true;
	default:
		return false;
	}
}

static void look_key(struct top *t, int key)
{
	if (moves(t, key))
		return;
	if (key == 'q')
		t->quit = true;
	else if (key == '/')
		begin_filter(t);
	else if (key == 's')
		next_order(t);
	else if (key == 'r')
		rows_sort(&t->rows, t->rows.sort, !t->rows.reverse);
	else if (key == SCREEN_ENTER || key == 'c' || key == 'x')
		act(t, key);
	else if (key == SCREEN_ESCAPE)
		step_back(t);
	else if (key == KEY_CTRL_L)
		t->screen->back();
}

void top_keys(struct top *t)
{
	static void (*const by_mode[])(struct top * t, int key) = {
		[TOP_LOOKS] = look_key,
		[TOP_FILTERS] = filter_key,
		[TOP_CALLS] = call_key,
	};
	int key;

	while (!t->quit && (key = t->screen->key()) != SCREEN_NONE) {
		t->terminal.idle = 0;
		t->keyed = true;
		mem_free(TAKE(t->note));
		rows_update(&t->rows);
		by_mode[t->mode](t, key);
	}
}
