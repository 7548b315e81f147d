/* SPDX-License-Identifier: MIT */
/*
 * Events as text: a line of `tail` on stdout, or an aside on stderr while
 * something else runs.
 */
#include "out/text_event.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/text_device.h"
#include "out/wrap.h"
#include "serve/record.h"
#include "serve/registry.h"

#define NAME_COLUMNS_LEAST 8
#define NAME_COLUMNS_MOST 32

/* A message without the members that its name and its line tell already. */
static void add_members(struct buf *out, const cJSON *message)
{
	static const char *const known[] = { "type", "session_id", "sessionId",
					     "jsonrpc", "method" };
	cJSON *rest = cJSON_Duplicate(message, true);
	for (size_t i = 0; i < COUNT(known); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(rest, known[i]);
	if (rest && rest->child)
		json_print(out, rest);
	cJSON_Delete(rest);
}

/* What a server logs, as a log has it: "warning (disk): almost full". */
static bool add_log(struct buf *out, const struct event *e, const cJSON *tree)
{
	const cJSON *params = json_object(tree, "params");
	const cJSON *data = json_member(params, "data");
	const char *level = json_string(params, "level");
	const char *logger = json_string(params, "logger");
	if (!e->name || strcmp(e->name, "notifications/message") != 0 ||
	    !level || !data)
		return false;
	buf_text(out, level);
	if (logger)
		buf_printf(out, " (%s)", logger);
	buf_text(out, ": ");
	if (cJSON_IsString(data))
		text_unescape(out, data->valuestring,
			      strlen(data->valuestring));
	else
		json_print(out, data);
	return true;
}

static void add_line(struct buf *out, const char *json, size_t len)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	json_minify(&line, json, len);
	text_unescape(out, buf_string(&line), line.len);
}

/* JSON-RPC: its params. Device: all but type and session. */
static void add_message(struct buf *out, const struct event *e)
{
	struct span all = { e->text, e->len }, part;
	cJSON *tree = e->kind == EVENT_SERIAL ?
			      NULL :
			      json_parse(e->text, e->len, NULL);
	if (!tree)
		buf_add(out, e->text, e->len);
	else if (e->kind == EVENT_NOTIFICATION || e->kind == EVENT_REQUEST) {
		if (!add_log(out, e, tree) &&
		    json_span_member(all, "params", &part))
			add_line(out, part.text, part.len);
	} else if (cJSON_IsObject(tree) && e->kind != EVENT_ODD)
		add_members(out, tree);
	else
		add_line(out, e->text, e->len);
	cJSON_Delete(tree);
}

/* What is to be said besides the message itself. */
static void add_words(struct buf *out, const struct event *e)
{
	if (e->kind == EVENT_AUDIO) {
		wrap_count(out, e->count, "frame");
		buf_text(out, ", ");
		wrap_count(out, e->bytes, "byte");
		buf_text(out, " so far");
	}
	if (e->kind == EVENT_DROPPED && !e->note) {
		wrap_count(out, e->count, "event");
		buf_text(out, e->count == 1 ? " was lost" : " were lost");
	}
	if (e->kind == EVENT_REQUEST)
		buf_text(out, e->answered ? "a request" : "a request, refused");
	if (e->code)
		buf_printf(out, "%s ", e->code);
	if (e->note)
		buf_printf(out, "%s%s", out->len > 0 && !e->code ? ", " : "",
			   e->note);
}

/* What stands behind the name; not yet safe. */
static void add_content(struct buf *out, const struct event *e)
{
	CLEANUP(buf_done) struct buf message = { 0 };
	add_words(out, e);
	if (e->text)
		add_message(&message, e);
	if (message.len > 0 && out->len > 0)
		buf_text(out, ": ");
	buf_add(out, message.data, message.len);
}

static enum paint event_paint(const struct event *e)
{
	if (e->kind == EVENT_ODD || e->kind == EVENT_DROPPED)
		return PAINT_WARN;
	return e->kind == EVENT_AUDIO ? PAINT_DIM : PAINT_STRONG;
}

static const char *event_name(const struct event *e)
{
	return e->name && *e->name ? e->name : event_kind_name(e->kind);
}

/* The column of names, as wide as the widest that came, on a terminal. */
static size_t text_name_column(struct renderer *r, size_t used)
{
	if (r->event_column < NAME_COLUMNS_LEAST)
		r->event_column = NAME_COLUMNS_LEAST;
	if (used > r->event_column && used <= NAME_COLUMNS_MOST)
		r->event_column = used;
	return r->event_column;
}

/* --all: of which device; returns the columns. */
static size_t add_whose(const struct renderer *r, struct buf *b)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	if (!r->whose)
		return 0;
	wrap_name(&name, render_device_name(r->whose->device));
	size_t used = text_width(buf_string(&name), name.len);
	size_t column = r->whose->width[0];
	term_painted(b, r->out_color, PAINT_STRONG, buf_string(&name));
	wrap_pad(b, used, column);
	buf_text(b, "  ");
	return (used > column ? used : column) + 2;
}

void text_event(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf content = { 0 };
	char clock[STAMP_SIZE];
	wrap_name(&name, event_name(e));
	add_content(&content, e);
	term_painted(&b, r->out_color, PAINT_DIM, clock_time(clock));
	buf_text(&b, "  ");
	size_t whose = add_whose(r, &b);
	term_painted(&b, r->out_color, event_paint(e), buf_string(&name));
	if (content.len > 0) {
		CLEANUP(buf_done) struct buf safe = { 0 };
		size_t used = text_width(buf_string(&name), name.len);
		size_t column = used,
		       stamp = strlen(clock_time(clock)) + 2 + whose;
		if (r->out_terminal) {
			column = text_name_column(r, used);
			wrap_pad(&b, used, column);
			column = column > used ? column : used;
		}
		const struct wrap how = { stamp + column + 2, 2,
					  r->out_terminal ? r->width : 0 };
		buf_text(&b, "  ");
		text_safe(&safe, content.data, content.len, TEXT_LINE);
		wrap_wrap(&b, buf_string(&safe), safe.len, &how);
	}
	buf_char(&b, '\n');
	put_out(r, &b);
	render_flush(r);
}

/* What a transport says is for people: whole, its line ends kept. */
static void add_notice(struct buf *out, const struct event *e)
{
	const char *text = e->text ? e->text : "";
	mask_secrets(out, text, strlen(text));
	if (e->note && !strstr(text, e->note))
		buf_printf(out, " (%s)", e->note);
}

/*
 * Text of several lines, made safe and wrapped to a width; where color, those
 * that begin with a space stand out: they are what is to be copied. An address
 * alone in its line is never wrapped.
 */
static void text_lines(struct buf *out, const char *text, size_t width,
		       bool color)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	wrap_safe_paragraph(&safe, text);
	for (text = buf_string(&safe); *text;) {
		size_t len = strcspn(text, "\n");
		bool strong = *text == ' ' && color;
		size_t blank = strspn(text, " ");
		bool alone = blank && !memchr(text + blank, ' ', len - blank);
		const struct wrap how = { 0, 2, alone ? 0 : width };

		term_paint(out, strong, PAINT_STRONG);
		wrap_wrap(out, text, len, &how);
		term_plain(out, strong);
		buf_char(out, '\n');
		text += len + (text[len] == '\n');
	}
}

/* The addresses to set, and what to do. */
static void aside_listening(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	r->waiting = true;
	text_lines(&b, e->text ? e->text : "", r->err_terminal ? r->width : 0,
		   r->err_color);
	put_err(r, &b);
}

static void add_about(const struct renderer *r, struct buf *b)
{
	if (r->about)
		buf_printf(b, "%s: ", r->about);
}

/* Not cut: it is read once, and followed. */
static void aside_notice(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	struct wrap how = { 0, 2, r->err_terminal ? r->width : 0 };
	char clock[STAMP_SIZE];
	buf_printf(&text, "%s  ", clock_time(clock));
	add_about(r, &text);
	add_notice(&text, e);
	text_safe(&safe, buf_string(&text), text.len, TEXT_PARAGRAPH);
	wrap_wrap(&b, buf_string(&safe), safe.len, &how);
	buf_char(&b, '\n');
	put_err(r, &b);
}

void text_aside(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf content = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	char clock[STAMP_SIZE];
	if (e->kind == EVENT_NOTICE) {
		if (e->notice == NOTICE_LISTENING)
			aside_listening(r, e);
		else
			aside_notice(r, e);
		return;
	}
	buf_printf(&line, "%s  ", clock_time(clock));
	add_about(r, &line);
	if (e->kind != EVENT_ODD)
		buf_text(&line, event_name(e));
	add_content(&content, e);
	if (e->kind != EVENT_ODD && content.len > 0)
		buf_text(&line, "  ");
	mask_secrets(&line, buf_string(&content), content.len);
	text_safe(&safe, line.data, line.len, TEXT_LINE);
	term_paint(&b, r->err_color, PAINT_DIM);
	wrap_cut(&b, safe.data, safe.len, r->err_terminal ? r->width : 0);
	term_plain(&b, r->err_color);
	buf_char(&b, '\n');
	put_err(r, &b);
}

/*
 * What happens in serve, as text: a line each, and the addresses to set on a
 * board, which are for people and go to stderr.
 */

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
	size_t width = r->err_terminal ? r->width : 0;

	r->waiting = true;
	text_lines(&b, record->text ? record->text : "", width, r->err_color);
	if (record->hint && *record->hint)
		text_lines(&b, record->hint, width, false);
	put_err(r, &b);
}

void text_record(struct renderer *r, const struct record *record)
{
	if (record->kind == RECORD_LISTENING)
		put_listening(r, record);
	if (record->kind != RECORD_LISTENING || r->dated)
		put_line(r, record);
}
