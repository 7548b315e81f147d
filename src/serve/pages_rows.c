/* SPDX-License-Identifier: MIT */
#include "serve/pages_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "net/head.h"
#include "net/port_parts.h"
#include "serve/board.h"
#include "serve/board_tell.h"
#include "serve/charges.h"
#include "serve/pages_parts.h"
#include "serve/pages_status.h"
#include "serve/serve_state.h"

#define REASON_MAX 200 /* bytes */

/* ---- which ---- */

void pages_query_read(struct pages_query *q, const char *query)
{
	CLEANUP(mem_free_ptr) char *from = head_query_value(query, "from");
	int64_t number = 0;

	q->words = head_query_value(query, "q");
	q->board = head_query_value(query, "board");
	if (q->words && !*q->words)
		mem_free(TAKE(q->words));
	if (from && !text_integer(from, 0, 1000000, &number))
		q->from = (size_t)number;
}

void pages_query_done(struct pages_query *q)
{
	mem_free(q->words);
	mem_free(q->board);
	*q = (struct pages_query){ 0 };
}

static bool has(const char *text, const char *words)
{
	return text && strcasestr(text, words);
}

static bool fits(const struct board *d, const struct pages_query *q)
{
	if (q->board)
		return strcmp(d->id, q->board) == 0;
	return !q->words || has(d->id, q->words) || has(d->alias, q->words) ||
	       has(d->board, q->words) || has(d->version, q->words) ||
	       has(board_state_word(d), q->words);
}

void pages_rows_find(struct pages_found *out, const struct registry *r,
		     const struct pages_query *q)
{
	out->count = out->fit = out->all = out->ready = 0;
	for (const struct board *d = r->first; d; d = d->next) {
		out->all++;
		out->ready += d->state == DEVICE_READY;
		if (!fits(d, q))
			continue;
		if (out->fit++ >= q->from && out->count < PAGES_ROWS_MAX)
			out->row[out->count++] = d;
	}
}

/* ---- what stands there ---- */

static const char *const heads[] = { "device",	  "alias", "board",   "version",
				     "transport", "state", "battery", "heap",
				     "tools",	  "found", "lease",   "since" };

static void add_number(struct buf *out, size_t number, const char *word)
{
	if (number)
		buf_printf(out, "%s%zu %s%s", out->len ? ", " : "", number,
			   word, number == 1 ? "" : "s");
}

/* Not the notes: they are harmless. */
static void add_found(struct buf *out, const struct board *d)
{
	add_number(out, charges_severe(d, SEVERITY_ERROR), "error");
	add_number(out, charges_severe(d, SEVERITY_WARNING), "warning");
}

static void add_state(struct buf *out, const struct board *d)
{
	buf_text(out, board_state_word(d));
	if (!d->reason)
		return;
	buf_text(out, ": ");
	buf_add_cut(out, d->reason, strlen(d->reason), REASON_MAX);
}

static void add_lease(struct buf *out, const struct board *d)
{
	/* By whom is for commands of this user. */
	if (leases_of(&d->server->leases, d->id, d->device_id, d->client_id))
		buf_text(out, "leased");
}

/* As `top` has it: per cent; the least memory that was free. */
static void add_health(struct buf *out, const struct board *d, bool heap)
{
	const struct board_status *s = pages_status_of(d);

	if (s && heap)
		board_status_heap(out, s);
	else if (s)
		board_status_battery(out, s);
}

/* The raw text of a cell into an empty buffer. */
static void cell(struct buf *out, const struct board *d, size_t column)
{
	const char *const texts[] = { d->id, d->alias, d->board, d->version,
				      d->held ? d->held->kind :
				      d->mqtt ? "MQTT" :
						"WebSocket" };

	if (column < COUNT(texts))
		buf_text(out, texts[column] ? texts[column] : "");
	else if (column == 5)
		add_state(out, d);
	else if (column == 6 || column == 7)
		add_health(out, d, column == 7);
	else if (column == 8 && d->tools)
		buf_printf(out, "%zu", d->tools->count);
	else if (column == 9)
		add_found(out, d);
	else if (column == 10)
		add_lease(out, d);
	else if (column == 11)
		html_time(out, d->since_ms);
}

void pages_row_json(struct buf *out, const struct board *d)
{
	buf_char(out, '[');
	buf_json_string(out, d->id, strlen(d->id));
	for (size_t i = 0; i < COUNT(heads); i++) {
		CLEANUP(buf_done) struct buf text = { 0 }, safe = { 0 };

		cell(&text, d, i);
		text_safe(&safe, buf_string(&text), text.len, TEXT_NAME);
		buf_char(out, ',');
		buf_json_string(out, buf_string(&safe), safe.len);
	}
	buf_char(out, ']');
}

static void add_row(struct buf *out, const struct board *d)
{
	buf_text(out, "<tr");
	html_attribute(out, "data-id", d->id);
	buf_char(out, '>');
	for (size_t i = 0; i < COUNT(heads); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		cell(&text, d, i);
		buf_text(out, "<td>");
		if (i == 0) {
			buf_text(out, "<a href=\"/boards/");
			html_path(out, d->id);
			buf_text(out, "\">");
		}
		page_text(out, buf_string(&text));
		buf_text(out, i == 0 ? "</a></td>" : "</td>");
	}
	buf_text(out, "</tr>\n");
}

void pages_rows_summary(struct buf *out, const struct pages_found *f,
			const struct pages_query *q)
{
	if (f->all == 0) {
		buf_text(out, "No device is connected now.");
		return;
	}
	buf_printf(out, "%zu device%s connected, %zu of them ready", f->all,
		   f->all == 1 ? " is" : "s are", f->ready);
	if (q->words)
		buf_printf(out, "; %zu fit%s", f->fit, f->fit == 1 ? "s" : "");
	if (f->count < f->fit && f->count)
		buf_printf(out, "; shown are %zu to %zu", q->from + 1,
			   q->from + f->count);
	buf_char(out, '.');
}

static void add_query(struct buf *out, const struct pages_query *q, size_t from)
{
	buf_printf(out, "?from=%zu", from);
	if (q->words) {
		buf_text(out, "&amp;q=");
		html_path(out, q->words);
	}
	if (q->board) {
		buf_text(out, "&amp;board=");
		html_path(out, q->board);
	}
}

static void add_ways(struct buf *out, const struct pages_found *f,
		     const struct pages_query *q)
{
	size_t before = q->from > PAGES_ROWS_MAX ? q->from - PAGES_ROWS_MAX : 0;

	buf_text(out, "<p class=\"ways\">");
	if (q->from) {
		buf_text(out, "<a href=\"/");
		add_query(out, q, before);
		buf_text(out, "\">Those before</a> ");
	}
	if (q->from + f->count < f->fit) {
		buf_text(out, "<a href=\"/");
		add_query(out, q, q->from + f->count);
		buf_text(out, "\">The next</a>");
	}
	buf_text(out, "</p>\n");
}

void pages_rows_table(struct buf *out, const struct pages_found *f,
		      const struct pages_query *q)
{
	buf_text(out, "<table id=\"boards\" data-live=\"/events");
	add_query(out, q, q->from);
	buf_text(out, "\"><thead><tr>");
	for (size_t i = 0; i < COUNT(heads); i++)
		buf_printf(out, "<th>%s</th>", heads[i]);
	buf_text(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < f->count; i++)
		add_row(out, f->row[i]);
	buf_text(out, "</tbody></table>\n");
	if (!q->board)
		add_ways(out, f, q);
}
