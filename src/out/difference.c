/* SPDX-License-Identifier: MIT */
/* What two conversations do not have in common, for people and programs. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/difference.h"
#include "out/render_json.h"
#include "out/wrap.h"

#define INDENT 9 /* columns in front of what differs */
#define SAME_SHOWN 16 /* bytes in front of a difference */
#define LINES_SHOWN 6 /* differences of a step, without -v */

static const struct step *step_of(const struct difference *d)
{
	return d->was ? d->was : d->is;
}

static const char *word_of(enum difference_kind kind)
{
	static const char *const words[] = { "missing", "more", "moved",
					     "other", "slower" };

	return words[kind];
}

static const char *side_of(const struct step *s)
{
	return s->from == FROM_DEVICE  ? "device" :
	       s->from == FROM_BACKEND ? "backend" :
					 "";
}

static void add_value(struct buf *out, const char *value)
{
	if (value)
		text_safe(out, value, strlen(value), TEXT_NAME);
	else
		buf_text(out, "nothing");
}

/* A line of it, cut to the width that there is. */
static void add_line(struct buf *out, const struct renderer *r,
		     const char *word, const struct buf *text)
{
	size_t used = INDENT + wrap_columns(word);

	buf_printf(out, "%*s%s", INDENT, "", word);
	wrap_cut(out, buf_string(text), text->len,
		 r->width > used + 20 ? r->width - used : 20);
	buf_char(out, '\n');
}

/* Of two long texts, what is in front of the place where they differ. */
static bool skip_same(struct buf *was, struct buf *is)
{
	const char *a = buf_string(was), *b = buf_string(is);
	size_t same = 0, cut;

	while (a[same] && a[same] == b[same])
		same++;
	if (same <= (size_t)SAME_SHOWN * 2)
		return false;
	cut = text_fit(a, same - SAME_SHOWN, SIZE_MAX);
	buf_consume(was, cut);
	buf_consume(is, cut);
	return true;
}

/* On one line where that is not too long. */
static void add_values(struct buf *out, const struct renderer *r,
		       const struct compare_difference *d)
{
	CLEANUP(buf_done) struct buf was = { 0 }, is = { 0 }, where = { 0 };
	const char *place = *d->pointer ? d->pointer : "the whole";
	bool cut;

	add_value(&was, d->was);
	add_value(&is, d->is);
	text_safe(&where, place, strlen(place), TEXT_NAME);
	if (INDENT + where.len + was.len + is.len + strlen(": , now ") <=
	    r->width) {
		buf_printf(out, "%*s%s: %s, now %s\n", INDENT, "",
			   buf_string(&where), buf_string(&was),
			   buf_string(&is));
		return;
	}
	buf_printf(out, "%*s%s\n", INDENT, "", buf_string(&where));
	cut = skip_same(&was, &is);
	add_line(out, r, cut ? "  was …" : "  was ", &was);
	add_line(out, r, cut ? "  now …" : "  now ", &is);
}

static void add_detail(struct buf *out, const struct renderer *r,
		       const struct difference *d)
{
	if (d->kind == DIFFERS_SLOWER) {
		char was[TEXT_ROOM], is[TEXT_ROOM];

		buf_printf(out, "%*sanswered in %s, now in %s\n", INDENT, "",
			   text_microseconds(d->was_us, was, sizeof(was)),
			   text_microseconds(d->is_us, is, sizeof(is)));
	} else if (d->kind == DIFFERS_SAYS) {
		add_values(out, r, &d->says);
	}
}

/* What of the last step was not shown. */
static void tell_rest(struct renderer *r, struct differences_shown *shown)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (shown->lines > LINES_SHOWN && !r->verbose) {
		buf_printf(&line, "%*s… %zu more in it (-v)\n", INDENT, "",
			   shown->lines - LINES_SHOWN);
		put_out(r, &line);
	}
	shown->lines = 0;
}

static void tell_text(struct renderer *r, const struct difference *d,
		      bool again, struct differences_shown *shown)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct step *s = step_of(d);

	if (!again) {
		tell_rest(r, shown);
		buf_printf(&line, "%-7s  #%-4" PRIu64 " %-7s  ",
			   word_of(d->kind), s->n, side_of(s));
		text_safe(&line, s->key, strlen(s->key), TEXT_NAME);
		buf_char(&line, '\n');
	}
	if (shown->lines++ < LINES_SHOWN || r->verbose)
		add_detail(&line, r, d);
	put_out(r, &line);
}

static void add_step(struct buf *out, const char *name, const struct step *s)
{
	buf_printf(out, ",\"%s\":", name);
	if (s)
		buf_printf(out, "{\"n\":%" PRIu64 ",\"at_us\":%" PRId64 "}",
			   s->n, s->at_us);
	else
		buf_text(out, "null");
}

static void tell_json(struct renderer *r, const struct difference *d)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct step *s = step_of(d);

	buf_printf(&line, "{\"difference\":{\"kind\":\"%s\",\"from\":\"%s\"",
		   word_of(d->kind), side_of(s));
	json_add_text(&line, "step", s->key);
	add_step(&line, "was", d->was);
	add_step(&line, "is", d->is);
	if (d->kind == DIFFERS_SAYS) {
		json_add_text(&line, "pointer", d->says.pointer);
		buf_printf(&line, ",\"old\":%s,\"new\":%s",
			   d->says.was ? d->says.was : "null",
			   d->says.is ? d->says.is : "null");
	} else if (d->kind == DIFFERS_SLOWER) {
		buf_printf(&line, ",\"old_us\":%" PRId64 ",\"new_us\":%" PRId64,
			   d->was_us, d->is_us);
	}
	buf_text(&line, "}}");
	put_json_line(r, &line, (struct span){ 0 });
}

void render_difference(struct renderer *r, const struct difference *d,
		       struct differences_shown *shown)
{
	bool again = shown->step == step_of(d) && d->kind >= DIFFERS_SAYS;

	shown->step = step_of(d);
	if (r->form == OUTPUT_JSON)
		tell_json(r, d);
	else
		tell_text(r, d, again, shown);
}

void render_differences_end(struct renderer *r, struct differences_shown *shown)
{
	if (r->form != OUTPUT_JSON)
		tell_rest(r, shown);
}
