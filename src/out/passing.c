/* SPDX-License-Identifier: MIT */
/*
 * The line: columns of time, name and direction, then the words, cut to what is
 * left, and the time at its right.
 */
#include "out/passing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/term.h"
#include "out/wrap.h"
#include "wire/jsonrpc.h"

#define NAME_LEAST 8
#define NAME_MOST 20
#define TIME_COLUMNS 12
#define HTTP_ID "http"

/* ---- what each kind is in words ---- */

struct passing_text {
	struct buf words; /* raw */
	int64_t took_us; /* -1: none */
	enum paint paint;
};

/* As out/frame sees it: who asks whom is found by connection and direction. */
static struct trace as_trace(const struct capture_event *e,
			     char name[TEXT_ROOM])
{
	snprintf(name, TEXT_ROOM, "%" PRIu32, e->conn);
	return (struct trace){ .at_us = e->at_us,
			       .outgoing = e->from == FROM_DEVICE,
			       .kind = "text",
			       .data = e->data.text ? e->data.text : "",
			       .len = e->data.text ? e->data.len : 0,
			       .device = name };
}

static void add_size(struct buf *out, size_t size)
{
	wrap_number(out, size);
	buf_text(out, " B");
}

static void add_span(struct buf *out, struct span s)
{
	if (!s.text || !s.len)
		return;
	buf_char(out, ' ');
	buf_add(out, s.text, s.len);
}

static struct span first_line(struct span head)
{
	const char *end = head.text ? memchr(head.text, '\r', head.len) : NULL;

	return end ? (struct span){ head.text, (size_t)(end - head.text) } :
		     head;
}

/* A frame that was cut is described by its beginning alone. */
static void say_text(struct passing_text *t, struct passing *p,
		     const struct capture_event *e)
{
	char name[TEXT_ROOM];
	struct trace frame = as_trace(e, name);

	if (!e->bytes && !e->cut &&
	    frame_words(&t->words, &p->frames, &frame, &t->took_us))
		return;
	buf_reset(&t->words);
	buf_text(&t->words, e->bytes ? "no UTF-8, " : e->cut ? "large, " : "");
	add_size(&t->words, e->size);
	if (!e->bytes)
		add_span(&t->words, e->data);
}

static void say_http(struct passing_text *t, struct passing *p,
		     const struct capture_event *e)
{
	static const struct span id = { HTTP_ID, sizeof(HTTP_ID) - 1 };
	char name[TEXT_ROOM];
	struct trace frame = as_trace(e, name);
	struct span line = first_line(e->head);
	struct frame_asked asked;

	if (e->kind == CAPTURED_REQUEST) {
		frames_ask(&p->frames, &frame, id, HTTP_ID);
		if (line.text)
			buf_add(&t->words, line.text, line.len);
		else
			buf_text(&t->words, "request");
	} else {
		if (frames_answer(&p->frames, &frame, id, &asked))
			t->took_us = e->at_us - asked.at_us;
		if (e->status)
			buf_printf(&t->words, "%d", e->status);
		else
			buf_text(&t->words, "response");
	}
	if (e->size) {
		buf_char(&t->words, ' ');
		add_size(&t->words, e->size);
	}
	if (e->passed.text)
		buf_text(&t->words, ", passed on with changes");
}

static void say_end(struct passing_text *t, const struct capture_event *e)
{
	static const char *const how[] = { [ENDED_OTHER] = "ended",
					   [ENDED_FIN] = "ended by a TCP end",
					   [ENDED_RST] = "ended by a TCP reset",
					   [ENDED_TIMEOUT] = "ended by silence",
					   [ENDED_CLOSE] = "ended by Close" };

	/* A pipe ends, too, and is no TCP. */
	if (e->leg == LEG_STDIO && e->how == ENDED_FIN)
		buf_text(&t->words, "ended by the end of its output");
	else
		buf_text(&t->words, how[e->how]);
	if (e->code)
		buf_printf(&t->words, " %d", e->code);
	if (e->data.len && e->data.text && !e->bytes)
		buf_text(&t->words, ":");
	if (!e->bytes)
		add_span(&t->words, e->data);
	t->paint = PAINT_DIM;
}

static void say_open(struct passing_text *t, const struct capture_event *e)
{
	buf_printf(&t->words, "%s begins", diag_leg_name(e->leg));
	add_span(&t->words, first_line(e->head));
	if (!e->bytes)
		add_span(&t->words, e->data);
	t->paint = PAINT_DIM;
}

static void say_device(struct passing_text *t, const struct capture_event *e)
{
	buf_printf(&t->words, "is %s", e->device ? e->device : "a device");
	if (e->board)
		buf_printf(&t->words, ", %s", e->board);
	if (e->version)
		buf_printf(&t->words, " %s", e->version);
	t->paint = PAINT_DIM;
}

static void say_counted(struct passing_text *t, const struct capture_event *e)
{
	buf_printf(&t->words, "%s %s ", diag_leg_name(e->leg),
		   capture_kind_name(e->kind));
	add_size(&t->words, e->size);
	if (e->topic)
		buf_printf(&t->words, " %s", e->topic);
	t->paint = PAINT_DIM;
}

/* False: at this detail it is not shown. */
static bool say(struct passing_text *t, struct passing *p,
		const struct capture_event *e)
{
	switch (e->kind) {
	case CAPTURED_TEXT:
		say_text(t, p, e);
		return true;
	case CAPTURED_REQUEST:
	case CAPTURED_RESPONSE:
		say_http(t, p, e);
		return true;
	case CAPTURED_OPEN:
		say_open(t, e);
		return true;
	case CAPTURED_END:
		say_end(t, e);
		return true;
	case CAPTURED_DEVICE:
		say_device(t, e);
		return e->board || e->version || p->detail > 0;
	case CAPTURED_LOST:
		wrap_count(&t->words, e->count, "event");
		buf_text(&t->words, " missing here: not recorded");
		t->paint = PAINT_WARN;
		return true;
	case CAPTURED_LINE:
	case CAPTURED_NOTICE:
		if (e->leg == LEG_SERIAL)
			buf_text(&t->words, "serial  ");
		if (e->data.text)
			buf_add(&t->words, e->data.text, e->data.len);
		return true;
	case CAPTURED_BINARY:
	case CAPTURED_PING:
	case CAPTURED_PONG:
	case CAPTURED_PACKET:
		say_counted(t, e);
		return p->detail > 0;
	default:
		return false;
	}
}

/* ---- the line ---- */

static void add_safe(struct buf *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf masked = { 0 };

	mask_secrets(&masked, text, len);
	text_safe(out, buf_string(&masked), masked.len, TEXT_NAME);
}

static void add_time(struct buf *out, const struct passing *p, int64_t at_us)
{
	char text[STAMP_SIZE];

	if (p->began_ms)
		clock_time_at(text, p->began_ms + at_us / 1000);
	else
		snprintf(text, sizeof(text), "+%" PRId64 ".%03d",
			 at_us / 1000000, (int)(at_us / 1000 % 1000));
	buf_text(out, text);
	wrap_pad(out, strlen(text), TIME_COLUMNS);
}

static void add_device(struct buf *out, struct passing *p,
		       const struct capture_event *e)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	size_t columns;

	if (e->device)
		text_safe(&name, e->device, strlen(e->device), TEXT_NAME);
	else if (e->conn)
		buf_printf(&name, "#%" PRIu32, e->conn);
	columns = text_width(buf_string(&name), name.len);
	if (p->name_columns < NAME_LEAST)
		p->name_columns = NAME_LEAST;
	if (columns > p->name_columns)
		p->name_columns = columns < NAME_MOST ? columns : NAME_MOST;
	buf_char(out, ' ');
	wrap_cut(out, buf_string(&name), name.len, p->name_columns);
	wrap_pad(out, columns, p->name_columns);
}

static void add_front(struct buf *out, struct passing *p,
		      const struct capture_event *e)
{
	term_paint(out, p->color, PAINT_DIM);
	add_time(out, p, e->at_us);
	term_plain(out, p->color);
	add_device(out, p, e);
	buf_printf(out, " %c ",
		   e->from == FROM_DEVICE  ? '>' :
		   e->from == FROM_BACKEND ? '<' :
					     ' ');
}

static size_t front_columns(const struct passing *p)
{
	return TIME_COLUMNS + 1 + p->name_columns + 3;
}

/* What we say ourselves is not cut: what was changed stands at its end. */
static void add_notice(struct buf *out, const struct passing *p,
		       const struct passing_text *t)
{
	CLEANUP(buf_done) struct buf safe = { 0 }, lines = { 0 };
	const size_t column = front_columns(p);
	const struct wrap how = { column, column + 2, p->width };

	add_safe(&safe, buf_string(&t->words), t->words.len);
	wrap_wrap(&lines, buf_string(&safe), safe.len, &how);
	term_painted(out, p->color, t->paint, buf_string(&lines));
	buf_char(out, '\n');
}

static void add_words(struct buf *out, const struct passing *p,
		      const struct passing_text *t)
{
	CLEANUP(buf_done) struct buf safe = { 0 }, shown = { 0 };
	const size_t width = p->width ? p->width : 80;
	size_t room =
		width > front_columns(p) + 20 ? width - front_columns(p) : 20;
	char took[32] = "";
	size_t right;

	if (t->took_us >= 0)
		text_microseconds(t->took_us, took, sizeof(took));
	right = *took ? strlen(took) + 2 : 0;
	add_safe(&safe, buf_string(&t->words), t->words.len);
	wrap_cut(&shown, buf_string(&safe), safe.len,
		 p->detail || !p->width ? 0 : room - right);
	term_painted(out, p->color, t->paint, buf_string(&shown));
	if (*took) {
		wrap_pad(out, text_width(buf_string(&shown), shown.len),
			 room - right);
		buf_text(out, "  ");
		term_painted(out, p->color, PAINT_DIM, took);
	}
	buf_char(out, '\n');
}

/* -vv: as it was, in a line of its own. */
static void add_bytes(struct buf *out, const struct capture_event *e)
{
	/* Of these the line has all that there is. */
	if (!e->data.text || !e->data.len || e->kind == CAPTURED_LINE ||
	    e->kind == CAPTURED_NOTICE || e->kind == CAPTURED_OPEN ||
	    e->kind == CAPTURED_END)
		return;
	buf_text(out, "    ");
	if (!e->bytes)
		add_safe(out, e->data.text, e->data.len);
	for (size_t i = 0; e->bytes && i < e->data.len; i++)
		buf_printf(out, "%02x", (unsigned char)e->data.text[i]);
	buf_char(out, '\n');
}

/* ---- findings ---- */

static enum paint paint_of(const char *severity)
{
	if (text_same(severity, "error"))
		return PAINT_BAD;
	return text_same(severity, "warning") ? PAINT_WARN : PAINT_DIM;
}

/* "! B214 warning  a request id is used again: …", below the words. */
static void add_finding(struct buf *out, const struct passing *p,
			struct span json)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json.text ? json_parse(json.text, json.len, NULL) : NULL;
	const char *code = json_string(tree, "code");
	const char *severity = json_string(tree, "severity");
	const char *title = json_string(tree, "title");
	const char *detail = json_string(tree, "detail");
	const size_t column = TIME_COLUMNS + 1 +
			      (p->name_columns ? p->name_columns : NAME_LEAST) +
			      3;
	CLEANUP(buf_done) struct buf words = { 0 }, safe = { 0 };
	const struct wrap how = { column, column + 2, p->width };

	buf_printf(&words, "! %s %s  %s", code ? code : "?",
		   severity ? severity : "?",
		   title ? title : "a finding that cannot be read");
	if (detail && *detail)
		buf_printf(&words, ": %s", detail);
	add_safe(&safe, buf_string(&words), words.len);
	wrap_pad(out, 0, column);
	term_paint(out, p->color, paint_of(severity));
	wrap_wrap(out, buf_string(&safe), safe.len, &how);
	term_plain(out, p->color);
	buf_char(out, '\n');
}

void passing_line(struct buf *out, struct passing *p,
		  const struct capture_event *e)
{
	struct passing_text t = { .took_us = -1 };

	if (e->kind == CAPTURED_FINDING) {
		add_finding(out, p, e->data);
		return;
	}
	if (say(&t, p, e)) {
		add_front(out, p, e);
		if (e->kind == CAPTURED_NOTICE)
			add_notice(out, p, &t);
		else
			add_words(out, p, &t);
		if (p->detail > 1)
			add_bytes(out, e);
	}
	buf_done(&t.words);
}

void passing_unseen(struct passing *p, const struct capture_event *e)
{
	static const char *const names[] = { "id", "method", "payload" };
	static const struct span http = { HTTP_ID, sizeof(HTTP_ID) - 1 };
	struct span found[3] = { 0 };
	char name[TEXT_ROOM];
	struct trace frame = as_trace(e, name);
	CLEANUP(mem_free_ptr) char *method = NULL;

	if (e->kind == CAPTURED_REQUEST)
		frames_ask(&p->frames, &frame, http, HTTP_ID);
	/* Most are no requests, which is seen without reading them. */
	if (e->kind != CAPTURED_TEXT || e->bytes || e->cut ||
	    !memmem(frame.data, frame.len, "\"method\"", 8) ||
	    json_check(frame.data, frame.len, NULL))
		return;
	json_span_members((struct span){ frame.data, frame.len }, names, 3,
			  found);
	if (found[2].text) {
		struct span payload = found[2];

		memset(found, 0, sizeof(found));
		json_span_members(payload, names, 2, found);
	}
	if (!found[0].text || !found[1].text)
		return;
	method = json_span_string(found[1]);
	if (method)
		frames_ask(&p->frames, &frame, found[0], method);
}
