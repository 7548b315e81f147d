/* SPDX-License-Identifier: MIT */
/*
 * Lists that are not tools, as text: resources, templates, prompts, and the
 * targets of configuration files. A line each, what names it first.
 */
#include <string.h>

#include "base/text.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

#define KEY_COLUMNS_MOST 48 /* longer ones push the rest right */
#define REST_COLUMNS_LEAST 8

/* "city= [state=]": what a prompt takes. */
static void add_arguments(struct buf *out, const cJSON *prompt)
{
	const cJSON *argument;
	cJSON_ArrayForEach(argument, json_array(prompt, "arguments")) {
		const char *name = json_string(argument, "name");
		bool required = json_true(argument, "required");
		if (!name)
			continue;
		buf_printf(out, "%s%s", out->len ? " " : "",
			   required ? "" : "[");
		wrap_name(out, name);
		buf_text(out, required ? "=" : "=]");
	}
}

/* Only the first line of a text is for a list. */
static void add_first(struct buf *out, const char *text)
{
	const char *line;
	size_t len = text ? wrap_first(text, &line) : 0;
	if (len == 0)
		return;
	if (out->len > 0)
		buf_text(out, ": ");
	text_safe(out, line, len, TEXT_LINE);
}

static bool says_more(const char *text, const struct list_item *item)
{
	return text && *text && strcmp(text, item->key) != 0;
}

static void add_words(struct buf *out, const struct list_item *item)
{
	if (says_more(item->title, item))
		add_first(out, item->title);
	else if (says_more(item->name, item))
		add_first(out, item->name);
	/* Many repeat the name there. */
	if (!item->description || !item->name ||
	    strcmp(item->description, item->name) != 0)
		add_first(out, item->description);
}

static void add_marks(struct buf *out, const struct item_record *i)
{
	if (i->list->kind == LIST_PROMPTS)
		add_arguments(out, i->item->json);
	else if (i->item->mime)
		wrap_name(out, i->item->mime);
}

/*
 * What stands behind the key: words, then dim marks. On a terminal the words
 * are cut for the marks, and marks that leave no room are left out.
 */
static void add_rest(struct renderer *r, struct buf *out,
		     const struct item_record *i, size_t room)
{
	CLEANUP(buf_done) struct buf marks = { 0 };
	CLEANUP(buf_done) struct buf words = { 0 };
	add_marks(&marks, i);
	add_words(&words, i->item);
	size_t used = text_width(buf_string(&marks), marks.len) + 2;
	if (r->out_terminal && marks.len > 0 &&
	    room < used + (words.len > 0 ? REST_COLUMNS_LEAST : 0))
		buf_reset(&marks);
	if (marks.len > 0 && room > used)
		room -= used;
	if (!r->out_terminal)
		buf_add(out, words.data, words.len);
	else if (room >= REST_COLUMNS_LEAST)
		wrap_cut(out, buf_string(&words), words.len, room);
	if (marks.len == 0)
		return;
	if (words.len > 0)
		buf_text(out, "  ");
	term_painted(out, r->out_color, PAINT_DIM, buf_string(&marks));
}

static size_t pad_column(struct buf *out, const struct buf *text, size_t column)
{
	size_t used = text_width(buf_string(text), text->len);
	if (column > KEY_COLUMNS_MOST)
		column = KEY_COLUMNS_MOST;
	wrap_pad(out, used, column);
	return used > column ? used : column;
}

/* Nothing behind the last word. */
static void trim(struct buf *b)
{
	while (b->len > 0 && b->data[b->len - 1] == ' ')
		b->len--;
}

void text_item(struct renderer *r, const struct item_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf key = { 0 };
	wrap_name(&key, *i->item->key ? i->item->key : "(no name)");
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&key));
	size_t used = pad_column(&b, &key, i->key_width) + 2;
	buf_text(&b, "  ");
	add_rest(r, &b, i, r->width > used ? r->width - used : 0);
	trim(&b);
	buf_char(&b, '\n');
	put_out(r, &b);
}

void text_items_end(struct renderer *r, const struct items_record *i)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	if (i->filter) {
		wrap_number(&count, i->shown);
		buf_text(&count, " shown of ");
	}
	wrap_count(&count, i->list->count, list_noun(i->list->kind));
	buf_text(&count, ", ");
	wrap_count(&count, i->list->pages, "page");
	if (i->broke)
		buf_text(&count, ", incomplete");
	render_note(r, "%s", buf_string(&count));
}

static void add_cell(struct renderer *r, struct buf *out, const char *text,
		     enum paint paint, size_t column)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	wrap_name(&safe, text);
	term_painted(out, r->out_color, paint, buf_string(&safe));
	pad_column(out, &safe, column);
	buf_text(out, "  ");
}

void text_target(struct renderer *r, const struct target_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (t->name) {
		add_cell(r, &b, t->name,
			 t->hidden || t->problem ? PAINT_DIM : PAINT_STRONG,
			 t->name_width);
		add_cell(r, &b, t->peer ? t->peer : "", PAINT_NONE,
			 t->peer_width);
	}
	add_cell(r, &b, t->file ? t->file : "", PAINT_DIM, 0);
	if (t->hidden)
		add_cell(r, &b, "(another file before it has the name)",
			 PAINT_DIM, 0);
	if (t->problem)
		add_cell(r, &b, t->problem, PAINT_WARN, 0);
	trim(&b);
	buf_char(&b, '\n');
	put_out(r, &b);
}

void text_trust(struct renderer *r, const struct trust_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	bool good = !strcmp(t->state, "own") || !strcmp(t->state, "trusted");
	add_cell(r, &b, t->state, good ? PAINT_NONE : PAINT_WARN,
		 strlen("untrusted"));
	add_cell(r, &b, t->file, PAINT_NONE, 0);
	if (t->problem)
		add_cell(r, &b, t->problem, PAINT_WARN, 0);
	trim(&b);
	buf_char(&b, '\n');
	put_out(r, &b);
}
