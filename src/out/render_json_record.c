/* SPDX-License-Identifier: MIT */
/*
 * What happens in serve, as JSON: an object a line, see json_help.
 */
#include "out/clock.h"
#include "out/json_line.h"
#include "out/mask.h"
#include "out/render_json.h"
#include "serve/record.h"

static void add_common(struct buf *b, const struct record *record)
{
	char utc[STAMP_SIZE];
	buf_char(b, '{');
	line_text(b, "event", record_kind_name(record->kind));
	line_text(b, "time", clock_utc_at(utc, record->at_ms));
	line_text(b, "level", record_level_name(record->level));
	line_text(b, "device", record->device);
	line_text(b, "alias", record->alias);
	line_text(b, "address", record->address);
	line_text(b, "text", record->text);
	line_text(b, "hint",
		  record->hint && *record->hint ? record->hint : NULL);
	if (record->count)
		line_number(b, "count", (int64_t)record->count);
}

/* Members made elsewhere: a line must be JSON whatever they are. */
static void add_detail(struct buf *b, const char *detail)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	CLEANUP(buf_done) struct buf small = { 0 };
	if (!detail || !*detail)
		return;
	buf_printf(&whole, "{%s}", detail);
	if (json_check(buf_string(&whole), whole.len, NULL) != 0)
		return;
	json_minify(&small, buf_string(&whole), whole.len);
	if (small.len <= 2)
		return;
	buf_char(b, ',');
	buf_add(b, small.data + 1, small.len - 2);
}

void json_record(struct renderer *r, const struct record *record)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	if (record->kind == RECORD_LISTENING)
		r->waiting = true;
	add_common(&b, record);
	add_detail(&b, record->detail);
	buf_char(&b, '}');
	mask_secrets(&masked, buf_string(&b), b.len);
	json_put_line(r, &masked);
}
