/* SPDX-License-Identifier: MIT */
#include "top/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

static const char *const names[ROW_COLUMNS] = {
	[COLUMN_NAME] = "name",	    [COLUMN_STATE] = "state",
	[COLUMN_BOARD] = "board",   [COLUMN_VERSION] = "firmware",
	[COLUMN_TRANSPORT] = "via", [COLUMN_ADDRESS] = "address",
	[COLUMN_SIGNAL] = "signal", [COLUMN_BATTERY] = "battery",
	[COLUMN_HEAP] = "heap",	    [COLUMN_CALLS] = "calls",
	[COLUMN_P50] = "p50",	    [COLUMN_FINDING] = "finding",
	[COLUMN_AUDIO] = "audio",   [COLUMN_JITTER] = "jitter",
	[COLUMN_LOST] = "lost",	    [COLUMN_TOOLS] = "tools",
};

const char *rows_column_name(enum row_column c)
{
	return names[c];
}

/* ---- which there are ---- */

struct top_row *rows_find(const struct top_rows *r, const char *id)
{
	uint64_t hash = map_hash_text(id);
	struct top_row *row;
	size_t at = 0;

	while ((row = map_find(&r->by_id, hash, &at))) {
		if (strcmp(row->id, id) == 0)
			break;
	}
	return row;
}

static void drop(struct top_rows *r, size_t at)
{
	struct top_row *row = r->item[at];

	map_remove(&r->by_id, map_hash_text(row->id), row);
	r->item[at] = r->item[--r->count];
	board_row_done(row);
	mem_free(row);
	r->dirty = true;
	/* They point to what is gone. */
	r->shown_count = 0;
}

static void drop_row(struct top_rows *r, const struct top_row *row)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->item[i] == row) {
			drop(r, i);
			return;
		}
	}
}

static void add(struct top_rows *r, const cJSON *device, int64_t now)
{
	struct top_row *row = mem_zalloc(sizeof(*row));

	if (board_row_read(row, device, now)) {
		mem_free(row);
		return;
	}
	row->seen = r->round;
	r->item = mem_grow(r->item, &r->capacity, r->count,
			   sizeof(struct top_row *));
	r->item[r->count++] = row;
	map_add(&r->by_id, map_hash_text(row->id), row);
	r->dirty = true;
}

void rows_device(struct top_rows *r, const cJSON *device, bool gone,
		 int64_t now)
{
	const char *id = json_string(device, "id");
	struct top_row *row = id ? rows_find(r, id) : NULL;

	if (gone) {
		if (row)
			drop_row(r, row);
	} else if (row) {
		board_row_read(row, device, now);
		row->seen = r->round;
		r->dirty = true;
	} else {
		add(r, device, now);
	}
}

void rows_begin(struct top_rows *r)
{
	r->round++;
}

void rows_end(struct top_rows *r)
{
	for (size_t i = r->count; i-- > 0;) {
		if (r->item[i]->seen != r->round)
			drop(r, i);
	}
}

void rows_end_gone(struct top_rows *r, int64_t now, int64_t keep)
{
	for (size_t i = r->count; i-- > 0;) {
		struct top_row *row = r->item[i];

		if (row->seen == r->round)
			continue;
		board_row_gone(row, now);
		r->dirty = true;
		if (now - row->gone_at >= keep)
			drop(r, i);
	}
}

/* ---- order ---- */

/* What is compared as a number; unknown is less than all. */
static int64_t number_of(const struct top_row *row, enum row_column c)
{
	static const char *const words[] = { "unknown", "very weak", "weak",
					     "medium", "strong" };

	switch (c) {
	case COLUMN_BATTERY:
		return row->status.battery;
	case COLUMN_HEAP:
		return row->status.heap;
	case COLUMN_CALLS:
		return row->calls;
	case COLUMN_P50:
		return row->p50_us;
	case COLUMN_AUDIO:
		return row->audio;
	case COLUMN_JITTER:
		return row->jitter_us;
	case COLUMN_LOST:
		return row->lost;
	case COLUMN_TOOLS:
		return row->tools;
	default:
		break;
	}
	if (row->status.rssi)
		return row->status.rssi;
	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(row->status.signal, words[i]) == 0)
			return (int64_t)i - 1000;
	}
	return -2000;
}

static const char *state_of(const struct top_row *row)
{
	if (row->breaker)
		return "no answer";
	return row->stale ? "stale" : row->state;
}

static bool is_number(enum row_column c)
{
	return c == COLUMN_SIGNAL || c == COLUMN_BATTERY || c == COLUMN_HEAP ||
	       c == COLUMN_CALLS || c == COLUMN_P50 || c == COLUMN_AUDIO ||
	       c == COLUMN_JITTER || c == COLUMN_LOST || c == COLUMN_TOOLS;
}

/* Of what is no number. */
static const char *text_of(const struct top_row *row, enum row_column c)
{
	switch (c) {
	case COLUMN_STATE:
		return state_of(row);
	case COLUMN_BOARD:
		return row->board;
	case COLUMN_VERSION:
		return row->version;
	case COLUMN_TRANSPORT:
		return row->transport;
	case COLUMN_ADDRESS:
		return row->address;
	case COLUMN_FINDING:
		return row->finding;
	default:
		return row->name;
	}
}

static int compare(const struct top_row *a, const struct top_row *b,
		   enum row_column by)
{
	int64_t one, other;

	if (!is_number(by))
		return strcmp(text_of(a, by), text_of(b, by));
	one = number_of(a, by);
	other = number_of(b, by);
	return (one > other) - (one < other);
}

static int in_order(const void *a, const void *b, void *owner)
{
	const struct top_rows *r = owner;
	const struct top_row *one = *(struct top_row *const *)a;
	const struct top_row *other = *(struct top_row *const *)b;
	int order = compare(one, other, r->sort);

	if (order)
		return r->reverse ? -order : order;
	order = strcmp(one->name, other->name);
	return order ? order : strcmp(one->id, other->id);
}

void rows_sort(struct top_rows *r, enum row_column by, bool reverse)
{
	r->sort = by;
	r->reverse = reverse;
	r->dirty = true;
}

/* ---- filter ---- */

static bool has_word(const struct top_row *row, const char *word)
{
	const char *const places[] = { row->name,    row->id,	   row->board,
				       row->version, row->address, row->finding,
				       state_of(row) };

	for (size_t i = 0; i < COUNT(places); i++) {
		if (text_find(places[i], word))
			return true;
	}
	return false;
}

static bool passes(const struct top_row *row, const char *filter)
{
	char word[ROWS_FILTER_MAX];

	for (;;) {
		size_t len;

		filter += strspn(filter, " ");
		len = strcspn(filter, " ");
		if (!len)
			return true;
		memcpy(word, filter, len);
		word[len] = '\0';
		if (!has_word(row, word))
			return false;
		filter += len;
	}
}

void rows_filter(struct top_rows *r, const char *words)
{
	size_t len = text_cut(words, strlen(words), sizeof(r->filter) - 1);

	memcpy(r->filter, words, len);
	r->filter[len] = '\0';
	r->dirty = true;
}

/* ---- the selected one ---- */

static void find_selected(struct top_rows *r)
{
	for (size_t i = 0; r->selected && i < r->shown_count; i++) {
		if (strcmp(r->shown[i]->id, r->selected) == 0) {
			r->at = i;
			return;
		}
	}
	/* It went, or does not pass: who stands in its place now. */
	if (r->at >= r->shown_count)
		r->at = r->shown_count ? r->shown_count - 1 : 0;
}

void rows_update(struct top_rows *r)
{
	if (!r->dirty)
		return;
	r->dirty = false;
	if (r->shown_capacity < r->count) {
		r->shown_capacity = r->capacity;
		r->shown = mem_realloc(
			r->shown, r->shown_capacity * sizeof(struct top_row *));
	}
	r->shown_count = r->ready = r->servers = 0;
	for (size_t i = 0; i < r->count; i++) {
		r->ready += board_row_ready(r->item[i]);
		r->servers += r->item[i]->server;
		if (passes(r->item[i], r->filter))
			r->shown[r->shown_count++] = r->item[i];
	}
	if (r->shown_count)
		qsort_r(r->shown, r->shown_count, sizeof(struct top_row *),
			in_order, r);
	find_selected(r);
}

void rows_move(struct top_rows *r, int64_t by)
{
	int64_t at = (int64_t)r->at;

	rows_update(r);
	if (!r->shown_count)
		return;
	at = by > INT64_MAX - at ? INT64_MAX : at + by;
	if (at < 0)
		at = 0;
	if (at >= (int64_t)r->shown_count)
		at = (int64_t)r->shown_count - 1;
	r->at = (size_t)at;
	mem_free(r->selected);
	r->selected = mem_strdup(r->shown[at]->id);
}

void rows_scroll(struct top_rows *r, size_t lines)
{
	if (r->at < r->first)
		r->first = r->at;
	if (lines && r->at >= r->first + lines)
		r->first = r->at - lines + 1;
	/* No room is left empty below while rows are above. */
	if (r->first + lines > r->shown_count)
		r->first = r->shown_count > lines ? r->shown_count - lines : 0;
}

struct top_row *rows_selected(const struct top_rows *r)
{
	return r->at < r->shown_count ? r->shown[r->at] : NULL;
}

/* ---- cells ---- */

static void add_number(struct buf *out, const struct top_row *row,
		       enum row_column c)
{
	char text[32];

	if (c == COLUMN_SIGNAL) {
		board_status_signal(out, &row->status);
		return;
	}
	if (number_of(row, c) < 0)
		return;
	if (c == COLUMN_HEAP)
		board_status_heap(out, &row->status);
	else if (c == COLUMN_P50 || c == COLUMN_JITTER)
		buf_text(out, text_microseconds(number_of(row, c), text,
						sizeof(text)));
	else if (c == COLUMN_BATTERY)
		board_status_battery(out, &row->status);
	else
		buf_printf(out, "%" PRId64, number_of(row, c));
}

void rows_cell(struct buf *out, const struct top_row *row, enum row_column c)
{
	size_t before = out->len;

	if (is_number(c))
		add_number(out, row, c);
	else if (c == COLUMN_TRANSPORT &&
		 strcmp(row->transport, "websocket") == 0)
		buf_text(out, "ws");
	else
		buf_text(out, text_of(row, c));
	if (out->len == before)
		buf_char(out, '-');
}

void rows_done(struct top_rows *r)
{
	while (r->count)
		drop(r, r->count - 1);
	map_done(&r->by_id);
	mem_free(r->item);
	mem_free(r->shown);
	mem_free(r->selected);
	*r = (struct top_rows){ 0 };
}
