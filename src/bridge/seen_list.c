/* SPDX-License-Identifier: MIT */
#include "bridge/seen_list.h"

#include <string.h>

#include "base/mem.h"
#include "base/text_safe.h"
#include "bridge/host_rules.h"
#include "bridge/host_snippet.h"
#include "out/render_json.h"
#include "out/wrap.h"

#define NAME_COLUMN_MAX 48

static const char *peer_of(const struct shown_tools *s,
			   const struct bridge_tool *t)
{
	const char *label;

	if (!t->tool)
		return NULL;
	label = s->catalogue.label[t->source];
	return label ? label : s->peer[t->source]->prefix;
}

/* ---- JSON ---- */

static void print_json(struct renderer *r, const struct shown_tools *s,
		       const struct bridge_tool *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const char *peer = peer_of(s, t);

	buf_text(&line, "{\"name\":");
	if (t->json)
		buf_json_string(&line, t->name, strlen(t->name));
	else
		buf_text(&line, "null");
	json_add_text_or_null(&line, "tool", t->tool ? t->tool->name : NULL);
	json_add_text_or_null(&line, "peer", peer);
	buf_printf(&line, ",\"peers\":%zu",
		   t->merged ? t->members :
		   t->tool   ? (size_t)1 :
			       (size_t)0);
	json_add_text_or_null(&line, "hidden", t->json ? NULL : t->why);
	json_add_text_or_null(&line, "odd", t->mark);
	buf_char(&line, '}');
	put_json_line(r, &line, (struct span){ 0 });
}

/* ---- text ---- */

static void add_cell(struct buf *out, const char *text, size_t column)
{
	size_t start = out->len;

	text_safe(out, text, strlen(text), TEXT_NAME);
	do
		buf_char(out, ' ');
	while (out->len - start < column);
}

static void print_row(struct renderer *r, const struct shown_tools *s,
		      const struct bridge_tool *t, size_t column)
{
	CLEANUP(buf_done) struct buf line = { 0 }, out = { 0 };
	const struct wrap how = { .column = column + 2,
				  .indent = column + 4,
				  .width = r->out_terminal ? r->width : 0 };
	const char *peer = peer_of(s, t);

	add_cell(&out, t->json ? t->name : "-", column + 2);
	if (peer && t->merged)
		buf_printf(&line, "%zu boards", t->members);
	else if (peer)
		text_safe(&line, peer, strlen(peer), TEXT_NAME);
	if (peer) {
		buf_char(&line, ' ');
		text_safe(&line, t->tool->name, strlen(t->tool->name),
			  TEXT_NAME);
	} else {
		buf_text(&line, "(the bridge's own)");
	}
	if (!t->json) {
		buf_text(&line, "  hidden: ");
		text_safe(&line, t->why, strlen(t->why), TEXT_LINE);
	}
	if (t->mark) {
		buf_text(&line, "  odd: ");
		text_safe(&line, t->mark, strlen(t->mark), TEXT_LINE);
	}
	wrap_wrap(&out, buf_string(&line), line.len, &how);
	fprintf(r->out, "%s\n", buf_string(&out));
}

static size_t widest(const struct bridge_catalogue *c)
{
	size_t most = 1;

	for (size_t i = 0; i < c->count; i++) {
		size_t len = c->tool[i].json ? strlen(c->tool[i].name) : 0;

		if (len > most)
			most = len;
	}
	return most < NAME_COLUMN_MAX ? most : NAME_COLUMN_MAX;
}

static void print_unknown(struct renderer *r, const struct shown_tools *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct bridge_peer *p = s->peer[i];

		if (!p->list)
			render_note(r, "%s: its tools are not known%s%s",
				    p->prefix, p->reason ? ": " : "",
				    p->reason ? p->reason : "");
	}
}

/* ---- hosts ---- */

static void print_counts(struct renderer *r, const struct bridge_catalogue *c)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%zu tool%s of %zu", c->shown,
		   c->shown == 1 ? "" : "s", c->count);
	if (c->merged)
		buf_text(
			&text,
			"; equal tools of boards are one, with an argument 'device'");
	render_note(r, "%s", buf_string(&text));
}

static bool takes_all(const struct host_verdict *v)
{
	return !v->refused && !v->cut && !v->above;
}

/* Those that take all in one line, each other one in its own. */
static void print_hosts(struct renderer *r, const struct bridge_catalogue *c)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	struct host_verdicts v;

	host_verdicts_find(&v, c, HOST_SNIPPET_SERVER);
	for (size_t i = 0; i < v.count; i++) {
		const struct host_fact *h = v.item[i].host;
		CLEANUP(buf_done) struct buf line = { 0 };
		CLEANUP(buf_done) struct buf safe = { 0 };

		if (takes_all(&v.item[i])) {
			buf_printf(&all, "%s%s", all.len ? ", " : "", h->name);
			if (h->max_tools)
				buf_printf(&all, " (at most %lld)",
					   (long long)h->max_tools);
			continue;
		}
		buf_printf(&line, "%s ", h->name);
		host_verdict_words(&line, &v.item[i]);
		text_safe(&safe, line.data, line.len, TEXT_LINE);
		render_note(r, "%s", safe.data);
	}
	if (all.len)
		render_note(r,
			    "as far as is known, all of them are taken by %s",
			    all.data);
	host_verdicts_done(&v);
}

void seen_list_print(struct renderer *r, const struct shown_tools *s)
{
	const struct bridge_catalogue *c = &s->catalogue;
	const size_t column = widest(c);

	for (size_t i = 0; i < c->count; i++) {
		if (r->form == OUTPUT_TEXT)
			print_row(r, s, &c->tool[i], column);
		else
			print_json(r, s, &c->tool[i]);
	}
	if (r->form != OUTPUT_TEXT)
		return;
	print_unknown(r, s);
	print_counts(r, c);
	print_hosts(r, c);
}
