/* SPDX-License-Identifier: MIT */
/*
 * Devices of a running serve as text: a line of `devices`, and one of `--all`
 * with what a device answered.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/clock.h"
#include "out/content.h"
#include "out/device_cells.h"
#include "out/mask.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

#define COLUMNS_MIN 5 /* name to state */
#define CHANGE_WIDTH 25 /* the time and the word of a change */

static enum paint state_paint(const cJSON *device)
{
	const char *state = json_string(device, "state");

	if (text_same(state, "ready"))
		return PAINT_GOOD;
	if (text_same(state, "failed") || text_same(state, "no-mcp"))
		return PAINT_BAD;
	return PAINT_NONE;
}

static enum paint cell_paint(const struct device_record *d, size_t column)
{
	if (!d->device)
		return PAINT_DIM;
	if (column == 0)
		return PAINT_STRONG;
	return column == 4 ? state_paint(d->device) : PAINT_NONE;
}

/* How many columns stand in a line of a terminal: what is least asked for goes. */
static size_t fitting(const struct renderer *r, const struct device_record *d,
		      size_t used)
{
	size_t count = 0;

	while (count < DEVICE_COLUMNS) {
		used += d->width[count] + (count ? 2 : 0);
		if (r->out_terminal && count >= COLUMNS_MIN && used > r->width)
			break;
		count++;
	}
	return count;
}

static void add_cells(struct renderer *r, struct buf *out,
		      const struct device_record *d)
{
	size_t count = fitting(r, d, d->change ? CHANGE_WIDTH : 0);
	struct device_cells cells;

	device_cells_make(&cells, d->device);
	for (size_t i = 0; i < count; i++) {
		const struct buf *whole = &cells.cell[i];
		CLEANUP(buf_done) struct buf cell = { 0 };
		/* A name must be whole, to be given to -d. */
		bool cut = r->out_terminal && i > 0;
		size_t used;

		wrap_cut(&cell, buf_string(whole), whole->len,
			 cut ? d->width[i] : 0);
		used = text_width(buf_string(&cell), cell.len);
		term_painted(out, r->out_color, cell_paint(d, i),
			     buf_string(&cell));
		if (i + 1 == count)
			break;
		wrap_pad(out, used, d->width[i]);
		buf_text(out, "  ");
	}
	device_cells_done(&cells);
	buf_char(out, '\n');
}

/* A line below the device. */
static void add_below(struct renderer *r, struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { 2, 2, r->out_terminal ? r->width : 0 };

	if (!text || !*text)
		return;
	wrap_safe(&safe, text);
	buf_text(out, "  ");
	term_paint(out, r->out_color, PAINT_WARN);
	wrap_wrap(out, buf_string(&safe), safe.len, &how);
	term_plain(out, r->out_color);
	buf_char(out, '\n');
}

static void add_claim(struct renderer *r, struct buf *out, const cJSON *device)
{
	const cJSON *claim = json_object(device, "claims");
	const char *name = json_string(claim, "name");
	const char *whose = json_string(claim, "id");
	const char *id = json_string(device, "id");
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!name || !whose || !id)
		return;
	text = mem_printf("calls itself '%s', and that is %s: its own id is "
			  "'%s'",
			  name, whose, id);
	add_below(r, out, text);
}

void text_device(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf change = { 0 };

	if (!d->device && !r->out_terminal)
		return;
	if (d->change) {
		char clock[STAMP_SIZE];

		wrap_safe(&change, d->change);
		term_painted(&b, r->out_color, PAINT_DIM, clock_time(clock));
		buf_printf(&b, "  %s", buf_string(&change));
		wrap_pad(&b, change.len, 9);
		buf_text(&b, "  ");
	}
	add_cells(r, &b, d);
	add_below(r, &b, json_string(d->device, "reason"));
	add_claim(r, &b, d->device);
	put_out(r, &b);
	if (d->change)
		fflush(r->out);
}

/* ---- --all ---- */

/* The contents of a result in one line. */
static void add_result(struct buf *out, struct message *reply)
{
	CLEANUP(result_done) struct result result = { 0 };
	struct span all, part;

	result_decode_take(&result, reply);
	all = (struct span){ result.message.text, result.message.len };
	for (size_t i = 0; i < result.count; i++) {
		const struct content *c = &result.content[i];

		if (i > 0)
			buf_text(out, ", ");
		if (c->kind == CONTENT_TEXT && c->text)
			wrap_safe(out, c->text);
		else
			content_describe(out, c);
	}
	if (result.count > 0 || !all.text ||
	    !json_span_member(all, "result", &part))
		return;
	CLEANUP(buf_done) struct buf json = { 0 };
	json_minify(&json, part.text, part.len);
	text_safe(out, buf_string(&json), json.len, TEXT_JSON);
}

static void add_answer(struct buf *out, const struct device_record *d)
{
	struct message copy = { 0 };

	if (d->error) {
		CLEANUP(mem_free_ptr) char *text = mask_text(d->error->text);

		wrap_safe(out, text);
	} else if (d->summary) {
		wrap_safe(out, d->summary);
	} else if (d->reply && d->reply->kind == MESSAGE_RESULT &&
		   message_decode_take(&copy, NULL, d->reply->text,
				       d->reply->len, NULL) == 0) {
		add_result(out, &copy);
	}
}

/* "12 ms", "0.40 ms". */
static void add_took(struct buf *out, int64_t took_us)
{
	if (took_us >= 1000) {
		char took[32];

		text_milliseconds(took_us / 1000, took, sizeof(took));
		buf_text(out, took);
	} else if (took_us >= 0) {
		buf_printf(out, "0.%02d ms", (int)(took_us / 10));
	}
}

void text_row(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf took = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	bool failed = d->error != NULL;

	wrap_name(&name, render_device_name(d->device));
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&name));
	wrap_pad(&b, text_width(buf_string(&name), name.len), d->width[0]);
	buf_text(&b, "  ");
	term_painted(&b, r->out_color, failed ? PAINT_BAD : PAINT_GOOD,
		     failed ? "error" : "ok   ");
	if (d->reply || d->error)
		add_took(&took, d->took_us);
	buf_printf(&b, "  %8s", buf_string(&took));
	add_answer(&text, d);
	if (text.len > 0) {
		buf_text(&b, "  ");
		buf_add(&b, text.data, text.len);
	}
	buf_char(&b, '\n');
	put_out(r, &b);
	if (r->out_terminal)
		fflush(r->out);
}
