/* SPDX-License-Identifier: MIT */
/*
 * What happens in serve, as text: a line each, and the addresses to set on a
 * board, which are for people and go to stderr.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/clock.h"
#include "out/mask.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"
#include "serve/record.h"
#include "serve/registry.h"

static enum paint level_paint(enum record_level level)
{
	switch (level) {
	case LEVEL_DEBUG:
		return PAINT_DIM;
	case LEVEL_INFO:
		break;
	case LEVEL_GOOD:
		return PAINT_GOOD;
	case LEVEL_WARN:
		return PAINT_WARN;
	case LEVEL_BAD:
		return PAINT_BAD;
	}
	return PAINT_NONE;
}

/* Who it is about: as short as the user knows it. */
static const char *subject(const struct record *record)
{
	if (record->alias)
		return record->alias;
	if (record->device)
		return record->device;
	if (record->address)
		return record->address;
	return record_kind_name(record->kind);
}

static void add_text(struct buf *out, const struct record *record)
{
	CLEANUP(mem_free_ptr) char *masked = mask_text(record->text);
	wrap_safe_paragraph(out, masked ? masked : "");
}

/* The hint stands below, where the name begins. */
static void add_hint(struct renderer *r, struct buf *out,
		     const struct record *record, size_t indent)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { indent, indent, r->out_terminal ? r->width : 0 };
	if (!record->hint || !*record->hint)
		return;
	CLEANUP(mem_free_ptr) char *masked = mask_text(record->hint);
	wrap_safe_paragraph(&safe, masked);
	wrap_pad(out, 0, indent);
	term_paint(out, r->out_color, PAINT_DIM);
	wrap_wrap(out, buf_string(&safe), safe.len, &how);
	term_plain(out, r->out_color);
	buf_char(out, '\n');
}

static void put_line(struct renderer *r, const struct record *record)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	char stamp[STAMP_SIZE];
	if (r->dated)
		clock_day_at(stamp, record->at_ms);
	else
		clock_time_at(stamp, record->at_ms);
	size_t indent = strlen(stamp) + 2;
	if (record->is_id)
		buf_text(&name, REGISTRY_ID);
	wrap_name(&name, subject(record));
	size_t used = text_width(buf_string(&name), name.len), column = used;
	term_painted(&b, r->out_color, PAINT_DIM, stamp);
	buf_text(&b, "  ");
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&name));
	if (r->out_terminal) {
		column = text_name_column(r, used);
		wrap_pad(&b, used, column);
		column = column > used ? column : used;
	}
	buf_text(&b, "  ");
	add_text(&text, record);
	struct wrap how = { indent + column + 2, indent,
			    r->out_terminal ? r->width : 0 };
	enum paint paint = level_paint(record->level);
	bool color = r->out_color && paint != PAINT_NONE;
	term_paint(&b, color, paint);
	wrap_wrap(&b, buf_string(&text), text.len, &how);
	term_plain(&b, color);
	buf_char(&b, '\n');
	add_hint(r, &b, record, indent);
	put_out(r, &b);
}

static void put_listening(struct renderer *r, const struct record *record)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	r->waiting = true;
	text_lines(&b, record->text ? record->text : "", r->err_color);
	if (record->hint && *record->hint)
		text_lines(&b, record->hint, false);
	put_err(r, &b);
}

void text_record(struct renderer *r, const struct record *record)
{
	if (record->kind == RECORD_LISTENING)
		put_listening(r, record);
	if (record->kind != RECORD_LISTENING || r->dated)
		put_line(r, record);
}
