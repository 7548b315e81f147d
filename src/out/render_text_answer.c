/* SPDX-License-Identifier: MIT */
/*
 * What read, prompt and complete give, as text; and progress on its way. As
 * with calls, a single text goes to a pipe exactly as it came.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/loop.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

enum {
	LINE_MS = 1000, /* the same where lines cannot be rewritten */
	REWRITE_MS = 50
};

/* ---- read ---- */

static void put_contents(struct renderer *r, const struct answer_record *a)
{
	const struct result *c = a->contents;
	if (c->count == 1 && c->content[0].inside) {
		text_inside(r, &c->content[0]);
		return;
	}
	for (size_t i = 0; i < c->count; i++)
		text_content(r, &c->content[i]);
	if (c->count == 0)
		render_note(r, "the resource is empty: no contents");
}

/* ---- prompt ---- */

static void put_role(struct renderer *r, const char *role)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	wrap_name(&safe, role ? role : "(no role)");
	buf_char(&safe, ':');
	term_painted(&b, r->out_color, PAINT_KEY, buf_string(&safe));
	buf_char(&b, '\n');
	put_out(r, &b);
}

static bool same_role(const struct content *a, const struct content *b)
{
	return a->role && b->role && strcmp(a->role, b->role) == 0;
}

static void put_messages(struct renderer *r, const struct answer_record *a)
{
	const struct result *m = a->contents;
	const char *description = json_string(a->reply->result, "description");
	if (description && *description && r->out_terminal)
		render_note(r, "%s", description);
	for (size_t i = 0; i < m->count; i++) {
		const struct content *c = &m->content[i];
		/* A prompt of one text is for a program that takes it. */
		if ((m->count > 1 || r->out_terminal) &&
		    (i == 0 || !same_role(c, c - 1)))
			put_role(r, c->role);
		text_content(r, c);
	}
	if (m->count == 0)
		render_note(r, "the prompt has no messages");
}

/* ---- complete ---- */

static void tell_rest(struct renderer *r, const cJSON *completion, size_t shown)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	int64_t total = 0;
	bool known = json_integer(completion, "total", &total) == 0 &&
		     total > (int64_t)shown;
	if (!known && !json_true(completion, "hasMore"))
		return;
	wrap_count(&count, shown, "value");
	if (known) {
		buf_text(&count, " of ");
		wrap_number(&count, (uint64_t)total);
	}
	render_note(r, "%s%s: type more to narrow it", buf_string(&count),
		    known ? "" : ", and there are more");
}

static void put_values(struct renderer *r, const struct answer_record *a)
{
	const cJSON *completion = json_object(a->reply->result, "completion");
	const cJSON *value;
	size_t shown = 0;
	cJSON_ArrayForEach(value, json_array(completion, "values")) {
		if (!cJSON_IsString(value))
			continue;
		put_received(r, value->valuestring, strlen(value->valuestring),
			     true);
		shown++;
	}
	tell_rest(r, completion, shown);
}

void text_answer(struct renderer *r, const struct answer_record *a)
{
	switch (a->kind) {
	case ANSWER_CONTENTS:
		put_contents(r, a);
		break;
	case ANSWER_MESSAGES:
		put_messages(r, a);
		break;
	case ANSWER_VALUES:
		put_values(r, a);
		break;
	}
	/* subscribe --read goes on for hours. */
	fflush(r->out);
}

/* ---- progress ---- */

/* Twenty columns of a bar say more than a number does. */
static void add_bar(struct buf *out, double part)
{
	size_t full = (size_t)(part * 20);
	buf_char(out, '[');
	for (size_t i = 0; i < 20; i++)
		buf_char(out, i < full ? '#' : '.');
	buf_text(out, "] ");
}

static void add_progress(struct buf *out, const struct progress_record *p,
			 bool bar)
{
	double part = p->total > 0 ? p->progress / p->total : 0;
	part = part > 1 ? 1 : part;
	if (!isfinite(p->progress) || p->progress < 0)
		buf_text(out, "…");
	else if (p->total > 0 && isfinite(p->total)) {
		if (bar)
			add_bar(out, part);
		buf_printf(out, "%d %%", (int)(part * 100));
	} else
		buf_printf(out, "%.15g", p->progress);
	if (!p->message || !*p->message)
		return;
	buf_text(out, "  ");
	wrap_safe(out, p->message);
}

void text_progress(struct renderer *r, const struct progress_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	int64_t now = loop_now();
	bool last = p->total > 0 && p->progress >= p->total;
	/* Whoever reads it from a file or a pipe is a program. */
	if (!r->err_terminal) {
		json_progress(r, p);
		return;
	}
	if (r->quiet)
		return;
	if (r->progress_at && !last &&
	    now - r->progress_at < (r->err_moves ? REWRITE_MS : LINE_MS))
		return;
	r->progress_at = now;
	add_progress(&b, p, r->err_moves);
	if (r->err_moves)
		render_count_down(r, buf_string(&b));
	else
		render_note(r, "progress: %s", buf_string(&b));
}
