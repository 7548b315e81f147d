/* SPDX-License-Identifier: MIT */
#include "serve/pages_board.h"

#include <inttypes.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "diag/codebook.h"
#include "diag/finding.h"
#include "mcp/tools.h"
#include "net/port_parts.h"
#include "serve/board_tell.h"
#include "serve/charges.h"
#include "serve/pages_form.h"
#include "serve/pages_parts.h"
#include "serve/pages_rows.h"
#include "serve/pages_status.h"

#define FINDINGS_MAX 100

/* ---- what is known of it ---- */

static void add_fact(struct buf *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_printf(out, "<dt>%s</dt><dd>", name);
	page_text(out, value);
	buf_text(out, "</dd>\n");
}

static void add_signal(struct buf *out, const struct board *d)
{
	const struct board_status *s = pages_status_of(d);

	if (s)
		board_status_signal(out, s);
}

/* Of commands and forms: those for this page do not count. */
static void add_calls(struct buf *out, const struct board_calls *calls)
{
	const int64_t median = board_calls_median(calls);
	char took[32];

	if (median < 0)
		return;
	buf_printf(out, "%" PRIu64 ", half of the last ones in %s or less",
		   board_calls_count(calls),
		   text_microseconds(median, took, sizeof(took)));
}

static void add_facts(struct buf *out, const struct board *d)
{
	CLEANUP(buf_done) struct buf seen = { 0 }, sound = { 0 };
	CLEANUP(buf_done) struct buf signal = { 0 }, calls = { 0 };

	board_audio_words(&sound, d);
	html_time(&seen, d->seen_ms);
	add_signal(&signal, d);
	add_calls(&calls, d->calls);
	buf_text(out, "<dl id=\"facts\">\n");
	add_fact(out, "address", d->address);
	add_fact(out, "client id", d->client_id);
	add_fact(out, "server", d->server_name);
	add_fact(out, "heard last", buf_string(&seen));
	add_fact(out, "signal", buf_string(&signal));
	add_fact(out, "calls", buf_string(&calls));
	add_fact(out, "sound", buf_string(&sound));
	add_fact(out, "why not ready", d->reason);
	buf_text(out, "</dl>\n");
}

/* The same row as in the table of all, live as there. */
static void add_state(struct buf *out, const struct board *d)
{
	struct pages_query q = { .board = mem_strdup(d->id) };
	struct pages_found f = { .row = { d }, .count = 1, .fit = 1, .all = 1 };

	pages_rows_table(out, &f, &q);
	pages_query_done(&q);
}

/* ---- what was found ---- */

static void masked_shown(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf masked = { 0 };

	mask_secrets(&masked, text, strlen(text));
	html_shown(out, buf_string(&masked));
}

static void add_finding(struct buf *out, const struct finding *f)
{
	const struct finding_row *row = finding_row(f->code);
	CLEANUP(buf_done) struct buf title = { 0 };

	finding_title(&title, f, NULL);
	buf_printf(out, "<li class=\"%s\"><a href=\"/findings/%s\">%s</a> %s: ",
		   severity_name(row->severity), row->code, row->code,
		   severity_name(row->severity));
	masked_shown(out, buf_string(&title));
	if (f->count > 1)
		buf_printf(out, " (%llu times)", (unsigned long long)f->count);
	buf_text(out, "</li>\n");
}

static void add_findings(struct buf *out, const struct board *d)
{
	size_t shown = 0;

	buf_text(out, "<section id=\"findings\"><h2>Found</h2>\n");
	for (size_t i = 0; d->diag && i < d->diag->count; i++) {
		if (shown == FINDINGS_MAX)
			break;
		if (charges_none(d->diag->item[i].code))
			continue;
		buf_text(out, shown++ ? "" : "<ul>\n");
		add_finding(out, &d->diag->item[i]);
	}
	buf_text(out, shown ? "</ul></section>\n" :
			      "<p>Nothing is out of place so far.</p>\n"
			      "</section>\n");
}

/* ---- its pictures ---- */

/* A small file can be a picture that fills the memory of who shows it. */
static void add_picture(struct buf *out, const struct pages_picture *p)
{
	unsigned long long number = p->number;

	buf_printf(out, "<figure><a href=\"/pictures/%llu\">", number);
	if (p->small)
		buf_printf(
			out,
			"<img src=\"/pictures/%llu\" loading=\"lazy\" alt=\"\">",
			number);
	else
		buf_text(out,
			 "Not shown by itself: very large, or of unknown size");
	buf_text(out, "</a><figcaption>");
	html_time(out, p->at_ms);
	buf_char(out, ' ');
	page_text(out, p->text);
	buf_text(out, "</figcaption></figure>\n");
}

/* The newest first. */
static size_t add_ring(struct buf *out, const struct pages_board_view *v)
{
	size_t count = 0;

	for (uint64_t i = 0; i < PAGES_PICTURES_MAX && i < v->pictures; i++) {
		const struct pages_picture *p =
			&v->picture[(v->pictures - 1 - i) % PAGES_PICTURES_MAX];

		if (!p->number || strcmp(p->board, v->board->id) != 0)
			continue;
		add_picture(out, p);
		count++;
	}
	return count;
}

static void add_pictures(struct buf *out, const struct pages_board_view *v)
{
	buf_text(out, "<section id=\"pictures\"><h2>Pictures</h2>\n");
	if (!v->kept)
		buf_text(
			out,
			"<p>They are not kept: start serve with --save-images FOLDER.</p>\n");
	else if (!add_ring(out, v))
		buf_text(out, "<p>None of the last ones kept is of it.</p>\n");
	buf_text(out, "</section>\n");
}

/* ---- its tools ---- */

/* One by one: each is a tree while its form is made, and no longer. */
static void add_tool(struct buf *out, struct span text,
		     const struct pages_form_place *at)
{
	CLEANUP(tool_list_done) struct tool_list one = { 0 };

	if (tool_list_add_text(&one, text.text, text.len, NULL) ||
	    one.count != 1)
		return;
	pages_form_add(out, &one.tool[0], at);
}

static void add_ways(struct buf *out, const struct pages_board_view *v,
		     size_t count)
{
	size_t before =
		v->from > PAGES_TOOLS_MAX ? v->from - PAGES_TOOLS_MAX : 0;

	buf_text(out, "<p class=\"ways\">");
	if (v->from)
		buf_printf(out, "<a href=\"?from=%zu\">The tools before</a> ",
			   before);
	if (v->from + PAGES_TOOLS_MAX < count)
		buf_printf(out, "<a href=\"?from=%zu\">%zu more tools</a>",
			   v->from + PAGES_TOOLS_MAX,
			   count - v->from - PAGES_TOOLS_MAX);
	buf_text(out, "</p>\n");
}

static void add_tools(struct buf *out, const struct pages_board_view *v)
{
	const struct shared_list *list = v->board->tools;
	CLEANUP(buf_done) struct buf action = { 0 };
	struct pages_form_place at = { .seal = v->seal };
	size_t end;

	buf_text(out, "<section id=\"tools\"><h2>Tools</h2>\n");
	if (!list) {
		buf_text(out, "<p>It has not told them.</p></section>\n");
		return;
	}
	buf_text(&action, "/boards/");
	html_path(&action, v->board->id);
	buf_text(&action, "/call");
	at.action = buf_string(&action);
	at.list = list->id;
	end = v->from + PAGES_TOOLS_MAX;
	for (size_t i = v->from; i < list->count && i < end; i++) {
		if (out->len > PAGES_TOOLS_BYTES) {
			buf_text(
				out,
				"<p>The rest of them would be too much for a page: mcpctl tools</p>\n");
			break;
		}
		add_tool(out, shared_list_text(list, i), &at);
	}
	add_ways(out, v, list->count);
	buf_text(out, "</section>\n");
}

void pages_board_page(struct buf *out, const struct pages_board_view *v)
{
	const struct board *d = v->board;

	html_begin(out, d->alias ? d->alias : d->id);
	add_state(out, d);
	add_facts(out, d);
	add_findings(out, d);
	add_pictures(out, v);
	add_tools(out, v);
	html_end(out);
}

/* ---- the story of a finding ---- */

void pages_story_page(struct buf *out, enum diag_code code)
{
	CLEANUP(explanation_done) struct explanation e = { 0 };
	CLEANUP(mem_free_ptr) char *title = NULL;

	explanation_read(&e, code, EXPLAIN_ENGLISH);
	title = mem_printf("%s: %s", e.row->code, e.title);
	html_begin(out, title);
	buf_text(out, "<dl>\n");
	for (int i = 0; i < EXPLAIN_PARTS; i++) {
		if (!e.part[i])
			continue;
		buf_printf(out, "<dt>%s</dt><dd>",
			   explain_part_label((enum explain_part)i,
					      EXPLAIN_ENGLISH));
		html_shown(out, e.part[i]);
		buf_text(out, "</dd>\n");
	}
	buf_text(out, "</dl>\n");
	html_end(out);
}
