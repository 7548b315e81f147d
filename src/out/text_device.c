/* SPDX-License-Identifier: MIT */
/*
 * Devices of a running serve as text: a line of `devices`, and one of `--all`
 * with what a device answered.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "mcp/content.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/text_device.h"
#include "out/text_result.h"
#include "out/wrap.h"

/*
 * What serve tells of a device, in short words. Prints nothing.
 */

#define NAME_WIDTH_MAX 36
#define WIDTH_MAX 24

/* Digits at text[at], len of them; -1 if they are none. */
static int digits(const char *text, size_t at, size_t len)
{
	int value = 0;

	for (size_t i = at; i < at + len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value;
}

/* Unix ms; -1: it is no time of that form. */
static int64_t read_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00";
	struct tm tm = { 0 };

	if (strlen(text) < sizeof(form))
		return -1;
	for (size_t i = 0; form[i]; i++) {
		if (form[i] == '0' ? digits(text, i, 1) < 0 :
				     text[i] != form[i])
			return -1;
	}
	tm.tm_year = digits(text, 0, 4) - 1900;
	tm.tm_mon = digits(text, 5, 2) - 1;
	tm.tm_mday = digits(text, 8, 2);
	tm.tm_hour = digits(text, 11, 2);
	tm.tm_min = digits(text, 14, 2);
	tm.tm_sec = digits(text, 17, 2);
	return (int64_t)timegm(&tm) * 1000;
}

void device_age(struct buf *out, const char *time, int64_t now)
{
	int64_t at = time ? read_time(time) : -1, age;

	if (at < 0) {
		wrap_safe(out, time ? time : "-");
		return;
	}
	/* Whole seconds; clocks may differ by a little. */
	age = now > at ? (now - at) / 1000 * 1000 : 0;
	if (age < 1000) {
		buf_text(out, "now");
	} else {
		char words[32];

		text_milliseconds(age, words, sizeof(words));
		buf_printf(out, "%s ago", words);
	}
}

const char *render_device_name(const cJSON *device)
{
	const char *alias = json_string(device, "alias");
	const char *id = json_string(device, "id");
	const char *pick = json_string(device, "pick");

	if (alias && *alias)
		return alias;
	/* Else it would read like another's alias. */
	if (pick && *pick)
		return pick;
	return id && *id ? id : "?";
}

/*
 * It was asked something, and for so long nothing at all came: what is shown
 * of it may be over. Calls of a living board are answered sooner, mostly.
 */
#define STALE_MS 10000

static bool is_stale(const cJSON *device, int64_t now)
{
	const char *asked = json_string(device, "asked");
	int64_t at = asked ? read_time(asked) : -1;

	return at >= 0 && now - at >= STALE_MS;
}

/* When it was heard last: "stale 49 s" where that leaves its state in doubt. */
static void add_heard(struct buf *out, const struct device_record *d,
		      int64_t now)
{
	const char *seen = json_string(d->device, "seen");
	int64_t at = seen ? read_time(seen) : -1;
	char words[32];

	if (at < 0 || !is_stale(d->device, now)) {
		if (d->worded && seen)
			buf_text(out, "heard ");
		device_age(out, seen, now);
		return;
	}
	text_milliseconds((now - at) / 1000 * 1000, words, sizeof(words));
	buf_printf(out, "stale %s", words);
}

static void add_text(struct buf *out, const cJSON *device, const char *name)
{
	const char *text = json_string(device, name);

	wrap_name(out, text && *text ? text : "-");
}

/* Short, so that a line fits into 80 columns. */
static void add_transport(struct buf *out, const cJSON *device)
{
	if (text_same(json_string(device, "transport"), "websocket"))
		buf_text(out, "ws");
	else
		add_text(out, device, "transport");
}

/* Not the notes: they are harmless. */
static void add_findings(struct buf *out, const cJSON *findings)
{
	static const char *const names[] = { "error", "warning" };

	for (size_t i = 0; i < COUNT(names); i++) {
		int64_t count;

		if (json_integer(findings, names[i], &count) || count <= 0)
			continue;
		buf_text(out, ", ");
		wrap_count(out, (uint64_t)count, names[i]);
	}
}

static void add_lease(struct buf *out, const cJSON *lease)
{
	const char *by = json_string(lease, "by");

	if (!by)
		return;
	buf_text(out, ", leased by ");
	wrap_name(out, by);
}

static void add_state(struct buf *out, const cJSON *device)
{
	const char *state = json_string(device, "state");
	int64_t tools;

	if (text_same(state, "ready") &&
	    json_integer(device, "tools", &tools) == 0 && tools >= 0)
		wrap_count(out, (uint64_t)tools, "tool");
	else
		wrap_safe(out, state ? state : "-");
	if (json_string(device, "enrolled"))
		buf_text(out, ", enrolled");
	add_lease(out, json_object(device, "lease"));
	add_findings(out, json_object(device, "findings"));
}

/* Without a device: the headings. */
static void device_cells_make(struct device_cells *c,
			      const struct device_record *d)
{
	const cJSON *device = d->device;

	static const char *const headings[DEVICE_COLUMNS] = {
		"device", "board", "version",	"by",
		"state",  "since", "last seen", "address"
	};
	int64_t now = unix_now_ms();

	*c = (struct device_cells){ 0 };
	for (size_t i = 0; i < DEVICE_COLUMNS && !device; i++)
		buf_text(&c->cell[i], headings[i]);
	if (!device)
		return;
	wrap_name(&c->cell[0], render_device_name(device));
	add_text(&c->cell[1], device, "board");
	add_text(&c->cell[2], device, "version");
	add_transport(&c->cell[3], device);
	add_state(&c->cell[4], device);
	if (d->worded && json_string(device, "since"))
		buf_text(&c->cell[5], "came ");
	device_age(&c->cell[5], json_string(device, "since"), now);
	add_heard(&c->cell[6], d, now);
	add_text(&c->cell[7], device, "address");
}

static void device_cells_done(struct device_cells *c)
{
	for (size_t i = 0; i < DEVICE_COLUMNS; i++)
		buf_done(&c->cell[i]);
}

void render_widen(struct device_record *d)
{
	struct device_cells cells;

	device_cells_make(&cells, d);
	for (size_t i = 0; i < DEVICE_COLUMNS; i++) {
		const struct buf *cell = &cells.cell[i];
		size_t width = text_width(buf_string(cell), cell->len);

		size_t max = i == 0 ? NAME_WIDTH_MAX : WIDTH_MAX;

		/* One that is longer does not shift all others. */
		if (width > d->width[i])
			d->width[i] = width < max ? width : max;
	}
	device_cells_done(&cells);
}

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

/* Not even name to state fit beside each other. */
static bool is_stacked(const struct renderer *r, const struct device_record *d)
{
	size_t used = d->change ? CHANGE_WIDTH : 0;

	for (size_t i = 0; i < COLUMNS_MIN; i++)
		used += d->width[i] + (i ? 2 : 0);
	return r->out_terminal && used > r->width;
}

/* The name, whole, and all else below it in words; no headings. */
static void add_stacked(struct renderer *r, struct buf *out,
			const struct device_record *d)
{
	CLEANUP(buf_done) struct buf rest = { 0 };
	const struct wrap how = { 2, 2, r->width };
	struct device_record worded = *d;
	struct device_cells cells;

	if (!d->device)
		return;
	worded.worded = true;
	device_cells_make(&cells, &worded);
	term_painted(out, r->out_color, cell_paint(d, 0),
		     buf_string(&cells.cell[0]));
	for (size_t i = 1; i < DEVICE_COLUMNS - 1; i++)
		buf_printf(&rest, "%s%s",
			   i > 1 && cells.cell[i].len ? ", " : "",
			   buf_string(&cells.cell[i]));
	buf_text(out, "\n  ");
	wrap_wrap(out, buf_string(&rest), rest.len, &how);
	device_cells_done(&cells);
	buf_char(out, '\n');
}

static void add_cells(struct renderer *r, struct buf *out,
		      const struct device_record *d)
{
	size_t count = fitting(r, d, d->change ? CHANGE_WIDTH : 0);
	struct device_cells cells;

	if (is_stacked(r, d)) {
		add_stacked(r, out, d);
		return;
	}
	device_cells_make(&cells, d);
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
	text = mem_printf(
		"calls itself '%s', and that is %s: its own id is '%s'", name,
		whose, id);
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
		if (is_stacked(r, d)) {
			buf_char(&b, '\n');
		} else {
			wrap_pad(&b, change.len, 9);
			buf_text(&b, "  ");
		}
	}
	add_cells(r, &b, d);
	add_below(r, &b, json_string(d->device, "reason"));
	add_claim(r, &b, d->device);
	put_out(r, &b);
	if (d->change)
		render_flush(r);
}

/* ---- --all ---- */

/* The contents of a result in one line. */
static void add_result(struct buf *out, struct message *reply)
{
	CLEANUP(result_done) struct result result = { 0 };
	struct span all;

	result_decode_take(&result, reply);
	all = result.message.result_text;
	for (size_t i = 0; i < result.count; i++) {
		const struct content *c = &result.content[i];

		if (i > 0)
			buf_text(out, ", ");
		if (c->kind == CONTENT_TEXT && c->text)
			wrap_safe(out, c->text);
		else
			content_describe(out, c);
	}
	if (result.count > 0 || !all.text)
		return;
	CLEANUP(buf_done) struct buf small = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 };
	json_minify(&small, all.text, all.len);
	text_unescape(&json, buf_string(&small), small.len);
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
		   message_decode(&copy, d->reply->text, d->reply->len, NULL) ==
			   0) {
		add_result(out, &copy);
	}
}

/* How long it took; empty where that is not known. */
static void add_took_cell(struct buf *out, const struct device_record *d)
{
	char took[32] = "";

	if ((d->reply || d->error) && d->took_us >= 0)
		text_microseconds(d->took_us, took, sizeof(took));
	buf_printf(out, "  %8s", took);
}

/* Name, how it went, how long it took. Returns the columns that they have. */
static size_t add_row_head(struct renderer *r, struct buf *out,
			   const struct device_record *d)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf cells = { 0 };
	size_t columns;

	wrap_name(&name, render_device_name(d->device));
	columns = text_width(buf_string(&name), name.len);
	term_painted(out, r->out_color, PAINT_STRONG, buf_string(&name));
	wrap_pad(out, columns, d->width[0]);
	buf_text(out, "  ");
	term_painted(out, r->out_color, d->error ? PAINT_BAD : PAINT_GOOD,
		     d->error ? "error" : "ok   ");
	add_took_cell(&cells, d);
	buf_text(out, buf_string(&cells));
	if (columns < d->width[0])
		columns = d->width[0];
	return columns + strlen("  error") +
	       text_width(buf_string(&cells), cells.len);
}

void text_row(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t column = add_row_head(r, &b, d) + strlen("  ");

	add_answer(&text, d);
	if (text.len > 0) {
		/* In what is narrower than that, below. */
		struct wrap how = { column, column < r->width / 2 ? column : 2,
				    r->out_terminal ? r->width : 0 };

		buf_text(&b, "  ");
		wrap_wrap(&b, text.data, text.len, &how);
	}
	buf_char(&b, '\n');
	put_out(r, &b);
	if (r->out_terminal)
		render_flush(r);
}

/* "2.4.2 -> 2.5.0", as far as it is known. */
static void add_versions(struct buf *out, const struct upgrade_record *u)
{
	CLEANUP(buf_done) struct buf before = { 0 }, now = { 0 };

	wrap_name(&before, *u->before ? u->before : "?");
	wrap_name(&now, *u->now ? u->now : "?");
	buf_printf(out, "%s -> %s", buf_string(&before), buf_string(&now));
}

void text_upgrade(struct renderer *r, const struct upgrade_record *u)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	char time[32];

	if (!u->verdict)
		return;
	wrap_name(&b, render_device_name(u->device));
	buf_text(&b, "  ");
	term_painted(&b, r->out_color, u->good ? PAINT_NONE : PAINT_WARN,
		     u->verdict);
	buf_text(&b, "  ");
	if (u->now[0]) {
		add_versions(&b, u);
		buf_text(&b, ", ");
	}
	if (u->size) {
		wrap_number(&b, u->taken);
		buf_text(&b, " of ");
		wrap_number(&b, u->size);
		buf_text(&b, " bytes, ");
	}
	buf_text(&b, text_milliseconds(u->took_ms, time, sizeof(time)));
	if (u->words) {
		buf_text(&b, "\n    ");
		wrap_name(&b, u->words);
	}
	buf_char(&b, '\n');
	put_out(r, &b);
}
