/* SPDX-License-Identifier: MIT */
/*
 * What serve tells of a device, in short words. Prints nothing.
 */
#include "out/device_cells.h"

#include <string.h>
#include <time.h>

#include "base/loop.h"
#include "base/text.h"
#include "out/wrap.h"

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
}

void device_cells_make(struct device_cells *c, const cJSON *device)
{
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
	device_age(&c->cell[5], json_string(device, "since"), now);
	device_age(&c->cell[6], json_string(device, "seen"), now);
	add_text(&c->cell[7], device, "address");
}

void device_cells_done(struct device_cells *c)
{
	for (size_t i = 0; i < DEVICE_COLUMNS; i++)
		buf_done(&c->cell[i]);
}

void render_widen(struct device_record *d)
{
	struct device_cells cells;

	device_cells_make(&cells, d->device);
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
