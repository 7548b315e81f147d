/* SPDX-License-Identifier: MIT */
#include "out/watched.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/plot.h"
#include "out/render_json.h"
#include "out/term.h"
#include "out/wrap.h"

enum {
	TIME_COLUMNS = 10, /* "12:01:02" and two spaces */
	PLOT_ROWS = 9, /* odd: the middle of the scale is one of them */
	PLOT_ROWS_NARROW = 5,
	LINE_COLUMNS = 24, /* of the line of dots */
	PLOT_WIDEST = 120
};

/* ---- values ---- */

/* A string without its quotes. */
static char *plain(struct span value)
{
	return json_span_begins(value, '"') ?
		       json_span_string(value) :
		       mem_strndup(value.text, value.len);
}

/* RFC 4180: in quotes where it has to be. */
static void add_csv(struct buf *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		buf_text(out, text);
		return;
	}
	buf_char(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_char(out, '"');
		buf_char(out, *text);
	}
	buf_char(out, '"');
}

static void put_csv(struct renderer *r, const struct sample *s)
{
	CLEANUP(mem_free_ptr) char *text = plain(s->value);
	CLEANUP(buf_done) struct buf line = { 0 };
	char stamp[STAMP_SIZE];

	if (s->first)
		buf_text(&line, "time,value\n");
	buf_printf(&line, "%s,", clock_utc_at(stamp, s->unix_ms));
	add_csv(&line, text);
	buf_char(&line, '\n');
	put_out(r, &line);
}

static void put_json(struct renderer *r, const struct sample *s)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	char stamp[STAMP_SIZE];

	buf_printf(&line,
		   "{\"time\":\"%s\",\"took_us\":%" PRId64
		   ",\"changed\":%s,\"value\":",
		   clock_utc_at(stamp, s->unix_ms), s->took_us,
		   s->changed ? "true" : "false");
	buf_add(&line, s->value.text, s->value.len);
	buf_char(&line, '}');
	put_json_line(r, &line, s->value);
}

static void add_value(struct buf *out, const struct sample *s, size_t columns)
{
	CLEANUP(mem_free_ptr) char *text = plain(s->value);
	CLEANUP(buf_done) struct buf safe = { 0 };

	wrap_safe(&safe, text);
	if (s->unit)
		buf_printf(&safe, " %s", s->unit);
	wrap_cut(out, buf_string(&safe), safe.len, columns);
}

/* "+1.5": as exact as the two are told. */
static void add_difference(struct buf *out, const struct renderer *r,
			   const struct sample *s)
{
	const double by = s->amount - s->before;
	char text[32];

	snprintf(text, sizeof(text), "  %+.6g", by);
	term_painted(out, r->out_color, by < 0 ? PAINT_WARN : PAINT_GOOD, text);
}

static size_t room(const struct renderer *r, size_t used)
{
	return r->width > used + 8 ? r->width - used : 8;
}

static void put_text(struct renderer *r, const struct sample *s)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	char stamp[STAMP_SIZE];

	if (!s->first && !s->changed)
		return;
	clock_time_at(stamp, s->unix_ms);
	stamp[8] = '\0';
	term_painted(&line, r->out_color, PAINT_DIM, stamp);
	buf_text(&line, "  ");
	add_value(&line, s, room(r, TIME_COLUMNS + (s->difference ? 14 : 1)));
	if (s->difference)
		add_difference(&line, r, s);
	buf_char(&line, '\n');
	put_out(r, &line);
}

void watched_sample(struct renderer *r, const struct sample *s)
{
	if (r->form == OUTPUT_JSON)
		put_json(r, s);
	else if (r->out_terminal)
		put_text(r, s);
	else
		put_csv(r, s);
	render_flush(r);
}

void watched_now(struct renderer *r, const struct sample *s,
		 const struct series *series)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const bool dots = term_has_utf8() && r->width >= 40;

	if (r->form == OUTPUT_JSON || !r->out_terminal)
		return;
	add_value(&line, s,
		  room(r, dots && series->count > 1 ? LINE_COLUMNS + 12 : 12));
	buf_text(&line, "  ");
	if (dots)
		plot_line(&line, series, LINE_COLUMNS);
	render_count_down(r, buf_string(&line));
}

/* ---- the picture ---- */

void watched_plot(struct renderer *r, const struct series *series,
		  const char *unit)
{
	CLEANUP(buf_done) struct buf picture = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct plot p = { .series = series,
			  .columns = r->width < PLOT_WIDEST ? r->width :
							      PLOT_WIDEST,
			  .rows = r->width < 40 ? PLOT_ROWS_NARROW : PLOT_ROWS,
			  .braille = term_has_utf8() };

	if (r->form == OUTPUT_JSON || !r->out_terminal)
		return;
	if (unit) {
		wrap_safe(&safe, unit);
		p.unit = buf_string(&safe);
	}
	plot_draw(&picture, &p);
	put_out(r, &picture);
	render_flush(r);
}

/* ---- times ---- */

static const char *const percent_names[] = { "p50", "p90", "p99", "max" };
static const unsigned percents[] = { 50, 90, 99, 100 };

static void calls_json(struct renderer *r, const struct calls_record *c)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_printf(&line,
		   "{\"calls\":{\"made\":%" PRIu64 ",\"failed\":%" PRIu64
		   ",\"late\":%" PRIu64 ",\"lasted_us\":%" PRId64,
		   c->made, c->failed, c->late, c->lasted_us);
	for (size_t i = 0; i < COUNT(percents); i++) {
		int64_t us = ping_percentile(c->times, percents[i]);

		buf_printf(&line, ",\"%s_us\":", percent_names[i]);
		if (us < 0)
			buf_text(&line, "null");
		else
			buf_printf(&line, "%" PRId64, us);
	}
	buf_text(&line, "}}");
	put_json_line(r, &line, (struct span){ 0 });
}

static void add_times(struct buf *out, const struct ping_layer *times)
{
	for (size_t i = 0; i < COUNT(percents); i++) {
		char took[32];
		int64_t us = ping_percentile(times, percents[i]);

		buf_printf(out, "%s %s %s", i ? "," : ":", percent_names[i],
			   text_microseconds(us, took, sizeof(took)));
	}
}

static void add_rate(struct buf *out, double rate)
{
	buf_text(out, " (");
	if (rate < 100)
		buf_printf(out, "%.3g", rate);
	else
		wrap_number(out, (uint64_t)rate);
	buf_text(out, " a second)");
}

static void add_calls(struct buf *out, const struct calls_record *c)
{
	char lasted[32];

	wrap_count(out, c->made, "call");
	buf_printf(out, " in %s",
		   text_microseconds(c->lasted_us, lasted, sizeof(lasted)));
	if (c->main && c->lasted_us > 0)
		add_rate(out, (double)c->made * 1e6 / (double)c->lasted_us);
	buf_text(out, c->failed ? ", " : ", none");
	if (c->failed)
		wrap_number(out, c->failed);
	buf_text(out, " failed");
	if (c->times->sent > c->times->lost)
		add_times(out, c->times);
	if (c->late)
		buf_printf(out,
			   "; %" PRIu64
			   " not made in time, as too many were under way",
			   c->late);
}

void watched_calls(struct renderer *r, const struct calls_record *c)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	/* --jq is for the results. */
	if (r->form == OUTPUT_JSON && (c->main || !r->query)) {
		calls_json(r, c);
		return;
	}
	add_calls(&line, c);
	if (!c->main) {
		render_note(r, "%s", buf_string(&line));
		return;
	}
	buf_char(&line, '\n');
	put_out(r, &line);
}
