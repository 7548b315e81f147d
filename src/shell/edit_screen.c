/* SPDX-License-Identifier: MIT */
#include "shell/edit_screen.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"

#define GAP 2 /* columns */
#define FRAME_MS 33 /* not more often than an eye can follow */

/* ---- layout ---- */

static void safe_cell(struct buf *out, const char *text, size_t columns)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	text_safe(&safe, text, strlen(text), TEXT_LINE);
	buf_add(out, buf_string(&safe),
		text_fit(buf_string(&safe), safe.len, columns));
}

static size_t cell_width(const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	text_safe(&safe, text, strlen(text), TEXT_LINE);
	return text_width(buf_string(&safe), safe.len);
}

static void pad(struct buf *line, size_t columns)
{
	size_t width = text_width(buf_string(line), line->len);

	for (; width < columns; width++)
		buf_char(line, ' ');
}

static void add_brief(struct buf *line, const char *brief, size_t width,
		      size_t columns)
{
	size_t used = text_width(buf_string(line), line->len);

	/* Behind a longer name it stands where there is room for it. */
	if (used > width)
		width = used;
	if (!*brief || width + GAP + 8 >= columns)
		return;
	pad(line, width + GAP);
	safe_cell(line, brief, columns - 1 - width - GAP);
}

static void with_briefs(struct words *out, const struct completion *c,
			size_t width, size_t columns)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (width > columns / 2)
		width = columns / 2;
	for (size_t i = 0; i < c->count; i++) {
		buf_reset(&line);
		safe_cell(&line, c->item[i].word, columns - 1);
		add_brief(&line, c->item[i].brief, width, columns);
		words_add(out, buf_string(&line));
	}
}

/* Down the columns, as ls does. */
static void in_columns(struct words *out, const struct completion *c,
		       size_t width, size_t columns)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	size_t across = (columns - 1) / (width + GAP), rows, row, i;

	if (!across)
		across = 1;
	rows = (c->count + across - 1) / across;
	for (row = 0; row < rows; row++) {
		buf_reset(&line);
		for (i = row; i < c->count; i += rows) {
			pad(&line, i / rows * (width + GAP));
			safe_cell(&line, c->item[i].word, columns - 1);
		}
		words_add(out, buf_string(&line));
	}
}

void edit_list_layout(struct words *out, const struct completion *c,
		      size_t columns)
{
	size_t width = 0;
	bool briefs = false;

	for (size_t i = 0; i < c->count; i++) {
		size_t w = cell_width(c->item[i].word);

		width = w > width ? w : width;
		briefs = briefs || *c->item[i].brief;
	}
	if (briefs)
		with_briefs(out, c, width, columns);
	else if (c->count)
		in_columns(out, c, width, columns);
}

/* ---- showing ---- */

void edit_list_end(struct editor *e)
{
	words_done(&e->list.lines);
	e->list = (struct edit_list){ 0 };
}

static void edit_list_draw(struct editor *e)
{
	if (e->list.ask == ASK_ALL)
		fprintf(e->out, "Display all %zu possibilities? (y or n)",
			e->list.candidates);
	else
		fputs("--More--", e->out);
	fflush(e->out);
}

/* So many lines more, or all; then the line again, or the question. */
static void page(struct editor *e, size_t rows)
{
	struct edit_list *l = &e->list;

	edit_erase(e);
	while (l->at < l->lines.count && rows--)
		fprintf(e->out, "%s\n", l->lines.word[l->at++]);
	if (l->at < l->lines.count)
		l->ask = ASK_MORE;
	else
		edit_list_end(e);
	edit_draw(e);
}

static size_t page_rows(void)
{
	const char *pages = rl_variable_value("page-completions");
	int rows, columns;

	rl_get_screen_size(&rows, &columns);
	if ((pages && strcmp(pages, "off") == 0) || rows < 3)
		return SIZE_MAX;
	return (size_t)rows - 1;
}

void edit_list_show(struct editor *e, struct words *lines, size_t candidates)
{
	edit_erase(e);
	edit_list_end(e);
	e->list.lines = *lines;
	e->list.candidates = candidates;
	*lines = (struct words){ 0 };
	if (rl_completion_query_items > 0 &&
	    candidates >= (size_t)rl_completion_query_items) {
		e->list.ask = ASK_ALL;
		edit_draw(e);
		return;
	}
	page(e, page_rows());
}

static void give_up(struct editor *e)
{
	edit_erase(e);
	edit_list_end(e);
	edit_draw(e);
}

void edit_list_key(struct editor *e, int key)
{
	switch (key) {
	case 'y':
	case 'Y':
	case ' ':
	case '\t':
		page(e, page_rows());
		break;
	case '\r':
	case '\n':
		if (e->list.ask == ASK_MORE)
			page(e, 1);
		else
			rl_ding();
		break;
	case 'n':
	case 'N':
	case 'q':
	case 'Q':
	case '\177':
	case '\007':
	case '\004':
		give_up(e);
		break;
	default:
		rl_ding();
	}
	fflush(e->out);
}

/* ---- the line that is edited ---- */

static void draw_nothing(void)
{
}

void edit_quiet(void)
{
	rl_redisplay_function = draw_nothing;
}

static bool edit_moves(void)
{
	return rl_get_termcap("ce") && rl_get_termcap("up");
}

void edit_erase(struct editor *e)
{
	timer_stop(&e->redraw);
	edit_quiet();
	if (!e->drawn)
		return;
	e->drawn = false;
	if (!edit_moves())
		fputs("\n", e->out);
	else if (e->list.ask)
		fputs("\r\033[K", e->out);
	else
		rl_clear_visible_line();
	fflush(e->out);
}

void edit_draw(struct editor *e)
{
	if (e->drawn || e->hidden || !e->editing)
		return;
	timer_stop(&e->redraw);
	e->drawn = true;
	e->drawn_at = loop_now();
	if (e->list.ask) {
		edit_list_draw(e);
		return;
	}
	rl_redisplay_function = rl_redisplay;
	rl_on_new_line();
	rl_redisplay();
	fflush(e->out);
}

static void on_redraw(void *owner)
{
	edit_draw(owner);
}

void edit_screen_open(struct editor *e)
{
	timer_open(&e->redraw, e->loop, on_redraw, e);
}

void edit_draw_soon(struct editor *e)
{
	int64_t wait = e->drawn_at + FRAME_MS - loop_now();

	if (wait <= 0)
		edit_draw(e);
	else
		timer_start(&e->redraw, wait);
}

void edit_prompt_due(struct editor *e)
{
	bool drawn = e->drawn;

	if (!e->prompt_due || RL_ISSTATE(EDIT_SEARCHES))
		return;
	e->prompt_due = false;
	if (e->list.ask) {
		rl_set_prompt(e->prompt);
		return;
	}
	if (drawn)
		edit_erase(e);
	rl_set_prompt(e->prompt);
	if (drawn)
		edit_draw(e);
}
