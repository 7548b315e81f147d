/* SPDX-License-Identifier: MIT */
/*
 * Event by event. What does not fit is not described: most of a large file is
 * only looked through for the word.
 */
#include "replay/view.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "out/passing.h"
#include "out/render.h"

/* What a pager is held back for is kept in memory. */
#define HELD_MAX (32u << 20)

struct viewing {
	const struct view_order *order;
	struct capture_reader *reader;
	struct capture_writer *json; /* of -o json; NULL */
	struct passing passing;
	struct buf line;
	int64_t from_us, to_us;
	uint64_t shown;
	size_t bytes;
	uint32_t last; /* the connection of what was shown */
	bool follows; /* its findings are shown, too */
};

/* ---- times ---- */

/* "10:02:31.004" of the day that it began, or of the next; µs since it began. */
static int clock_of(const char *text, int64_t began_ms, int64_t *out)
{
	time_t began = (time_t)(began_ms / 1000);
	struct tm tm = { 0 };
	int64_t at;
	char *rest;
	double seconds = 0;
	long hour = strtol(text, &rest, 10), minute;

	if (*rest != ':' || hour < 0 || hour > 23)
		return -1;
	minute = strtol(rest + 1, &rest, 10);
	if (minute < 0 || minute > 59)
		return -1;
	if (*rest == ':')
		seconds = strtod(rest + 1, &rest);
	if (*rest || !(seconds >= 0 && seconds < 61))
		return -1;
	localtime_r(&began, &tm);
	tm.tm_hour = (int)hour;
	tm.tm_min = (int)minute;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	at = (int64_t)mktime(&tm) * 1000 + (int64_t)(seconds * 1000);
	/* Before its beginning by hours it is the next day's. */
	if (at < began_ms - INT64_C(12) * 3600 * 1000)
		at += INT64_C(24) * 3600 * 1000;
	*out = (at - began_ms) * 1000;
	return 0;
}

static int time_of(const struct viewing *v, const char *text, int64_t *out,
		   struct error *err)
{
	int64_t ms, began = capture_head(v->reader)->made_ms;

	if (!text)
		return 0;
	if (!strchr(text, ':')) {
		if (text_duration(text, &ms, err))
			return -1;
		*out = ms * 1000;
		return 0;
	}
	if (!began)
		return error_set(
			err, ERR_USAGE,
			"'%s' does not say when it was made: give a time since its start, such as 10s",
			v->order->path);
	if (clock_of(text, began, out))
		return error_set(
			err, ERR_USAGE,
			"'%.40s' is no time: 10s since the start, or 10:02:31",
			text);
	return 0;
}

/* ---- what fits ---- */

static bool has_word(struct span s, const char *word)
{
	const size_t len = strlen(word);
	const int low = text_lower(*word), high = low - 'a' + 'A';
	const char *at = s.text, *end;

	if (!at)
		return false;
	end = at + s.len;
	for (; (size_t)(end - at) >= len; at++) {
		const size_t room = (size_t)(end - at) - len + 1;
		const char *one = memchr(at, low, room), *other = NULL;
		size_t i = 0;

		if (low >= 'a' && low <= 'z')
			other = memchr(at, high,
				       one ? (size_t)(one - at) : room);
		at = other ? other : one;
		if (!at)
			return false;
		while (i < len && text_lower(at[i]) == text_lower(word[i]))
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static struct span span_of(const char *text)
{
	return (struct span){ text, text ? strlen(text) : 0 };
}

static bool fits_word(const struct capture_event *e, const char *word)
{
	const char *name = capture_kind_name(e->kind);

	return !word || !*word || has_word(e->data, word) ||
	       has_word(e->head, word) || has_word(e->passed, word) ||
	       has_word(span_of(e->device), word) ||
	       has_word(span_of(e->topic), word) ||
	       (name && text_same(name, word));
}

static bool fits(struct viewing *v, const struct capture_event *e)
{
	const struct view_order *o = v->order;

	if (e->at_us < v->from_us || e->at_us > v->to_us)
		return false;
	if (o->device && (!e->device || !(text_same(o->device, e->device) ||
					  text_glob(o->device, e->device))))
		return false;
	/* A finding stands below the line that it belongs to. */
	if (e->kind == CAPTURED_FINDING && v->follows && e->conn == v->last)
		return true;
	return fits_word(e, o->word);
}

/* ---- shown ---- */

static void put_line(struct viewing *v, const struct capture_event *e)
{
	FILE *out = v->order->out->out;

	buf_reset(&v->line);
	passing_line(&v->line, &v->passing, e);
	if (v->line.len == 0)
		return;
	fwrite(v->line.data, 1, v->line.len, out);
	v->bytes += v->line.len;
	v->shown++;
}

static void put_json(struct viewing *v, const struct capture_event *e)
{
	struct capture_event told = *e;

	if (e->kind != CAPTURED_DEVICE && capture_head(v->reader)->version)
		told.device = NULL;
	capture_write(v->json, &told);
	v->shown++;
}

static void take(struct viewing *v, const struct capture_event *e)
{
	const bool shown = fits(v, e);

	if (e->kind != CAPTURED_FINDING) {
		v->follows = shown;
		v->last = e->conn;
	}
	if (shown && v->json)
		put_json(v, e);
	else if (shown)
		put_line(v, e);
	else if (!v->json)
		passing_unseen(&v->passing, e);
}

/* A reader that went away, or a pager that would have to hold too much. */
static bool is_enough(const struct viewing *v)
{
	const struct renderer *out = v->order->out;

	if (v->json)
		return capture_failed(v->json);
	if (ferror(out->out))
		return true;
	if (out->out == stdout || v->bytes < HELD_MAX)
		return false;
	render_note(
		v->order->out,
		"this is more than a pager is given: the rest by --filter, --from, or --no-pager");
	return true;
}

static void tell_before(const struct viewing *v)
{
	if (!capture_head(v->reader)->masked)
		render_note(
			v->order->out,
			"WARNING: '%s' holds secrets as they were: pass on only what 'mcpctl capture mask' makes of it",
			v->order->path);
}

static int prepare(struct viewing *v, struct error *err)
{
	const struct capture_head *head = capture_head(v->reader);
	const struct renderer *out = v->order->out;
	const struct capture_how how = { .as = head->as,
					 .upstream = head->upstream,
					 .made = head->made ? head->made : "",
					 .audio = true };

	v->to_us = INT64_MAX;
	if (time_of(v, v->order->from, &v->from_us, err) ||
	    time_of(v, v->order->to, &v->to_us, err))
		return -1;
	v->passing =
		(struct passing){ .began_ms = head->made_ms,
				  .detail = v->order->detail,
				  .width = out->out_terminal ? out->width : 0,
				  .color = out->out_color };
	tell_before(v);
	if (out->form != OUTPUT_JSON)
		return 0;
	v->json = capture_create(&how, err);
	return v->json ? 0 : -1;
}

static int look_through(struct viewing *v, struct error *err)
{
	struct capture_event e;
	int got;

	while ((got = capture_next(v->reader, &e, err)) > 0) {
		take(v, &e);
		if (is_enough(v))
			return 0;
	}
	if (capture_cut(v->reader))
		render_note(v->order->out,
			    "'%s' ends too early: read up to there",
			    v->order->path);
	if (got == 0 && v->shown == 0)
		return error_set(
			err, ERR_UNMET, "nothing in '%s' is to be shown%s",
			v->order->path,
			v->order->word || v->order->device || v->order->from ||
					v->order->to ?
				": no event fits" :
				"");
	return got;
}

int view(const struct view_order *order, struct error *err)
{
	struct viewing v = { .order = order };
	int result = -1;

	v.reader = capture_open(order->path, err);
	if (v.reader && prepare(&v, err) == 0)
		result = look_through(&v, err);
	if (capture_close(v.json, result ? NULL : err))
		result = -1;
	buf_done(&v.line);
	capture_reader_free(v.reader);
	return result;
}
