/* SPDX-License-Identifier: MIT */
/*
 * The JSON form of lists that are not tools, of what read, prompt and complete
 * give, and of progress. Objects of the peer are as it sent them.
 */
#include "base/mem.h"
#include "base/text.h"
#include "out/json_line.h"
#include "out/mask.h"
#include "out/render_json.h"
#include "out/stream.h"

void json_item(struct renderer *r, const struct item_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	json_minify(&b, i->item->text.text, i->item->text.len);
	json_put_line(r, &b);
}

void json_items_end(struct renderer *r, const struct items_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("%ss", list_noun(i->list->kind));
	if (r->quiet)
		return;
	buf_text(&b, "{\"listing\":{");
	line_number(&b, name, (int64_t)i->list->count);
	line_number(&b, "pages", (int64_t)i->list->pages);
	line_number(&b, "shown", (int64_t)i->shown);
	line_bool(&b, "complete", !i->broke);
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

void json_answer(struct renderer *r, const struct answer_record *a)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (!a->reply->text || a->reply->kind == MESSAGE_ERROR)
		return;
	add_member(&b, a->reply, "result");
	json_put_line(r, &b);
	fflush(r->out);
}

void json_progress(struct renderer *r, const struct progress_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	if (r->quiet)
		return;
	buf_text(&b, "{\"progress\":");
	if (p->text.text)
		json_minify(&b, p->text.text, p->text.len);
	else
		buf_text(&b, "null");
	buf_char(&b, '}');
	mask_secrets(&masked, b.data, b.len);
	/* Beside text it ends in a log that somebody will look at. */
	text_safe(&safe, masked.data, masked.len, TEXT_JSON);
	json_put_error_line(r, &safe);
}

void json_target(struct renderer *r, const struct target_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "name", t->name);
	line_text(&b, "peer", t->peer);
	line_text(&b, "file", t->file);
	line_text(&b, "problem", t->problem);
	line_bool(&b, "hidden", t->hidden);
	line_bool(&b, "trusted", !t->untrusted);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

void json_trust(struct renderer *r, const struct trust_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "file", t->file);
	line_text(&b, "state", t->state);
	line_text(&b, "problem", t->problem);
	buf_char(&b, '}');
	json_put_line(r, &b);
}
