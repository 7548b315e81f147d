/* SPDX-License-Identifier: MIT */
/*
 * Lists as text: tools and what changed in them, resources, templates,
 * prompts, and the targets of configuration files. A line each, what names it
 * first.
 */
#include "out/text_item.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "diag/list_rules.h"
#include "diag/tool_notes.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/tools_tree.h"
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

void text_item(struct renderer *r, const struct item_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf key = { 0 };
	wrap_name(&key, *i->item->key ? i->item->key : "(no name)");
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&key));
	size_t used = pad_column(&b, &key, i->key_width) + 2;
	buf_text(&b, "  ");
	add_rest(r, &b, i, r->width > used ? r->width - used : 0);
	buf_trim(&b, 0, " ");
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

static void add_dialled(struct renderer *r, struct buf *out,
			const struct target_record *t)
{
	char took[32];
	const char *what =
		t->failure ? t->failure :
			     text_microseconds(t->took_us, took, sizeof(took));

	add_cell(r, out, what, t->failure ? PAINT_WARN : PAINT_NONE, 0);
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
	if (t->dialled)
		add_dialled(r, &b, t);
	else
		add_cell(r, &b, t->file ? t->file : "", PAINT_DIM, 0);
	if (t->hidden)
		add_cell(r, &b, "(another file before it has the name)",
			 PAINT_DIM, 0);
	if (t->off)
		add_cell(r, &b, "(switched off there)", PAINT_DIM, 0);
	if (t->problem)
		add_cell(r, &b, t->problem, PAINT_WARN, 0);
	buf_trim(&b, 0, " ");
	buf_char(&b, '\n');
	put_out(r, &b);
}

void text_neighbour(struct renderer *r, const struct neighbour_record *n)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	if (n->change) {
		char clock[STAMP_SIZE];

		add_cell(r, &b, clock_time(clock), PAINT_DIM, 0);
		add_cell(r, &b, n->change, PAINT_NONE, strlen("present"));
	}
	add_cell(r, &b, n->kind, PAINT_DIM, strlen("network"));
	add_cell(r, &b, n->name, n->problem ? PAINT_DIM : PAINT_STRONG,
		 n->name_width);
	add_cell(r, &b, n->command ? n->command : "-", PAINT_NONE,
		 n->command_width);
	add_cell(r, &b, n->source, PAINT_DIM, 0);
	if (n->problem)
		add_cell(r, &b, n->problem, PAINT_WARN, 0);
	buf_trim(&b, 0, " ");
	buf_char(&b, '\n');
	put_out(r, &b);
	if (n->change)
		render_flush(r);
}

void text_trust(struct renderer *r, const struct trust_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	bool good = strcmp(t->state, "own") == 0 ||
		    strcmp(t->state, "trusted") == 0;
	add_cell(r, &b, t->state, good ? PAINT_NONE : PAINT_WARN,
		 strlen("untrusted"));
	add_cell(r, &b, t->file, PAINT_NONE, 0);
	if (t->problem)
		add_cell(r, &b, t->problem, PAINT_WARN, 0);
	buf_trim(&b, 0, " ");
	buf_char(&b, '\n');
	put_out(r, &b);
}

/* "until 2026-11-23 16:04, and renewed then" */
static void add_until(struct buf *out, const struct login_record *l)
{
	time_t at = (time_t)l->expires_at;
	char text[40] = "";
	struct tm tm;

	if (l->expires_at && localtime_r(&at, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm);
	if (*text)
		buf_printf(out, "until %s", text);
	if (l->renews)
		buf_text(out,
			 *text ? ", and renewed then" : "renewed when over");
}

void text_login(struct renderer *r, const struct login_record *l)
{
	CLEANUP(buf_done) struct buf b = { 0 }, until = { 0 };
	bool good = strcmp(l->state, "logged in") == 0;

	add_cell(r, &b, l->server, PAINT_NONE, 0);
	add_cell(r, &b, l->state, good ? PAINT_NONE : PAINT_WARN, 0);
	if (l->issuer)
		add_cell(r, &b, l->issuer, PAINT_DIM, 0);
	if (l->scope)
		add_cell(r, &b, l->scope, PAINT_DIM, 0);
	add_until(&until, l);
	if (until.len)
		add_cell(r, &b, buf_string(&until), PAINT_DIM, 0);
	buf_trim(&b, 0, " ");
	buf_char(&b, '\n');
	put_out(r, &b);
}

static const char *address_or_none(const char *url)
{
	return *url ? url : "none: the one that the firmware was built with";
}

static void adopt_line(struct renderer *r, const char *what, const char *text)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	add_cell(r, &b, what, PAINT_DIM, strlen("OTA address"));
	add_cell(r, &b, text, PAINT_NONE, 0);
	buf_trim(&b, 0, " ");
	buf_char(&b, '\n');
	put_out(r, &b);
}

void text_adopt(struct renderer *r, const struct adopt_record *a)
{
	if (a->at)
		adopt_line(r, "at", a->at);
	adopt_line(r, "portal", a->portal);
	if (*a->hardware)
		adopt_line(r, "hardware", a->hardware);
	adopt_line(r, "before", address_or_none(a->before));
	adopt_line(r, "OTA address", address_or_none(a->now));
}

/*
 * The list of tools as text: a line each, and the count. All about one tool is
 * in text_describe.c.
 */

#define BRIEF_COLUMNS_LEAST 8
#define BESIDE_COLUMNS_LEAST 24 /* else a description has a line of its own */
#define NAME_COLUMNS_MOST 48 /* longer names push their description right */

/* The marks before a description: why this line is unlike the others. */
static const char *marks_of(const struct tool *t)
{
	if (t->user_only)
		return t->duplicate ? "[user-only, twice] " : "[user-only] ";
	return t->duplicate ? "[twice] " : "";
}

/* What stands before a description. */
struct lead {
	size_t used, column; /* columns of the name, and of all names */
};

static void add_brief(struct buf *out, const struct renderer *r,
		      const struct tool *t, const struct lead *lead)
{
	CLEANUP(buf_done) struct buf brief = { 0 };
	const char *line;
	size_t len = wrap_first(*t->description || !t->title ? t->description :
							       t->title,
				&line);
	size_t used = lead->used, column = lead->column, room = 0;
	if (column > NAME_COLUMNS_MOST)
		column = NAME_COLUMNS_MOST;
	text_safe(&brief, line, len, TEXT_LINE);
	if (brief.len == 0 && !*marks_of(t))
		return;
	if (r->out_terminal && r->width < column + 2 + BESIDE_COLUMNS_LEAST) {
		buf_text(out, "\n  ");
		used = 2;
	} else {
		wrap_pad(out, used, column);
		buf_text(out, "  ");
		used = (used > column ? used : column) + 2;
	}
	used += strlen(marks_of(t));
	term_painted(out, r->out_color, PAINT_DIM, marks_of(t));
	if (r->out_terminal && r->width > used)
		room = r->width - used;
	/* Where nothing readable would fit, the name alone stands. */
	if (!r->out_terminal || room >= BRIEF_COLUMNS_LEAST)
		wrap_cut(out, buf_string(&brief), brief.len, room);
}

void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	size_t before = 0;
	wrap_name(&name, t->name);
	if (of->target) {
		add_cell(r, &b, of->target, PAINT_DIM, of->target_width);
		before = of->target_width + 2;
	}
	struct lead lead = { before + text_width(buf_string(&name), name.len),
			     before + of->name_width };
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&name));
	add_brief(&b, r, t, &lead);
	buf_char(&b, '\n');
	put_out(r, &b);
}

static void safe_part(struct buf *out, const struct tree_line *line)
{
	text_safe(out, line->text, line->len, TEXT_NAME);
	if (out->len == 0)
		buf_text(out, "(no name)");
}

/* The columns up to the longest part. */
static size_t tree_columns(const struct tools_tree *tree)
{
	size_t columns = 0;
	for (size_t i = 0; i < tree->count; i++) {
		CLEANUP(buf_done) struct buf part = { 0 };
		safe_part(&part, &tree->line[i]);
		size_t used = 2 * tree->line[i].depth +
			      text_width(buf_string(&part), part.len);
		if (tree->line[i].tool && used > columns)
			columns = used;
	}
	return columns;
}

void text_tree(struct renderer *r, const struct tools_record *t)
{
	CLEANUP(tools_tree_done) struct tools_tree tree = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	tools_tree_init(&tree, t->list, t->filter);
	struct lead lead = { .column = tree_columns(&tree) };
	for (size_t i = 0; i < tree.count; i++) {
		const struct tree_line *line = &tree.line[i];
		CLEANUP(buf_done) struct buf part = { 0 };
		safe_part(&part, line);
		lead.used = 2 * line->depth +
			    text_width(buf_string(&part), part.len);
		wrap_pad(&b, 0, 2 * line->depth);
		term_painted(&b, r->out_color,
			     line->tool ? PAINT_STRONG : PAINT_NONE,
			     buf_string(&part));
		if (line->tool)
			add_brief(&b, r, line->tool, &lead);
		buf_char(&b, '\n');
		put_out(r, &b);
	}
}

static void add_pages(struct buf *out, const struct tools_record *t)
{
	buf_text(out, ", ");
	wrap_count(out, t->list->pages, "page");
}

/* In the largest unit that there are two of. */
static void add_age(struct buf *out, const struct tools_record *t)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
	int64_t age = t->age > 0 ? t->age : 0;
	size_t i = 0;

	while (i < COUNT(units) && age < 2 * units[i].seconds)
		i++;
	buf_text(out, ", listed ");
	if (i == COUNT(units))
		wrap_count(out, (uint64_t)age, "second");
	else
		wrap_count(out, (uint64_t)(age / units[i].seconds),
			   units[i].name);
	buf_printf(out, " ago from %s", t->kept);
}

/* "29 tools + 7 user-only, 2 pages" */
static void add_count(struct buf *out, const struct tools_record *t)
{
	size_t common = t->list->count - t->list->user_only;
	if (t->filter) {
		wrap_number(out, t->shown);
		buf_text(out, " shown of ");
	}
	wrap_count(out, common, "tool");
	if (t->list->user_only > 0) {
		buf_text(out, " + ");
		wrap_number(out, t->list->user_only);
		buf_text(out, " user-only");
	}
	if (t->kept)
		add_age(out, t);
	else
		add_pages(out, t);
	if (t->backend_view)
		buf_text(out, ", as a backend asks");
	if (t->broke)
		buf_text(out, ", incomplete");
}

/* What is wrong with the list itself; what backends make of it stands above. */
static void tell_findings(struct renderer *r, const struct tools_record *t)
{
	CLEANUP(diag_done) struct diag d = { .about = { .board = t->device } };
	CLEANUP(buf_done) struct buf codes = { 0 };
	enum severity least = r->verbose ? SEVERITY_NOTE : SEVERITY_WARNING;
	unsigned count = 0;

	diag_list(&d, t->list);
	for (size_t i = 0; i < d.count; i++) {
		const struct finding_row *row = finding_row(d.item[i].code);

		if (row->severity < least || d.item[i].code == D110 ||
		    d.item[i].code == D111)
			continue;
		buf_printf(&codes, " %s", row->code);
		count++;
	}
	if (count > 0)
		render_note(r,
			    "%u finding%s in the list:%s (mcpctl check tools)",
			    count, count == 1 ? "" : "s", buf_string(&codes));
}

void text_tools_end(struct renderer *r, const struct tools_record *t)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	CLEANUP(words_done) struct words limits = { 0 };
	add_count(&count, t);
	render_note(r, "%s", buf_string(&count));
	if (t->filter)
		return;
	if (t->device)
		list_limits(&limits, t->list);
	for (size_t i = 0; i < limits.count; i++)
		render_note(r, "%s (%s)", limits.word[i],
			    finding_row(D110)->code);
	if (!t->broke)
		tell_findings(r, t);
}

/* tools --diff: a tool that came, went or changed. */

#define ONE_LINE_MOST 60 /* columns of both values */
#define VALUE_MOST 4000 /* bytes of a value that are shown */

/* JSON has no line ends of its own: it is one line. */
static void show_value(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!value) {
		buf_text(out, "(none)");
		return;
	}
	json_print(&json, value);
	size_t len = text_fit(buf_string(&json), json.len, VALUE_MOST);
	text_safe(out, buf_string(&json), len, TEXT_JSON);
	if (len < json.len)
		buf_text(out, "…");
}

/* "argument mute: added, boolean, required" */
static void add_argument(struct buf *out, const struct tool_change *c,
			 const struct tool_difference *d)
{
	CLEANUP(buf_done) struct buf rule = { 0 };
	const struct tool *t = d->old ? c->old : c->new;

	buf_text(out, d->old ? ": removed, " : ": added, ");
	schema_describe_in(t ? t->schema : NULL, d->old ? d->old : d->new,
			   &rule);
	text_safe(out, buf_string(&rule), rule.len, TEXT_LINE);
	if (d->required)
		buf_text(out, ", required");
	buf_char(out, '\n');
}

static void add_values(struct buf *out, bool color,
		       const struct tool_difference *d)
{
	CLEANUP(buf_done) struct buf old = { 0 };
	CLEANUP(buf_done) struct buf new = { 0 };

	show_value(&old, d->old);
	show_value(&new, d->new);
	if (text_width(buf_string(&old), old.len) +
		    text_width(buf_string(&new), new.len) <=
	    ONE_LINE_MOST) {
		buf_printf(out, " %s -> %s\n", buf_string(&old),
			   buf_string(&new));
		return;
	}
	buf_text(out, "\n      ");
	term_painted(out, color, PAINT_BAD, "- ");
	buf_printf(out, "%s\n      ", buf_string(&old));
	term_painted(out, color, PAINT_GOOD, "+ ");
	buf_printf(out, "%s\n", buf_string(&new));
}

static void add_difference(struct buf *out, bool color,
			   const struct tool_change *c,
			   const struct tool_difference *d)
{
	buf_text(out, "    ");
	wrap_name(out, d->label);
	if (d->argument)
		add_argument(out, c, d);
	else if (d->required)
		buf_text(out, d->new ? ": optional -> required\n" :
				       ": required -> optional\n");
	else
		add_values(out, color, d);
}

void text_change(struct renderer *r, const struct tool_change *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const char *name = tool_change_name(c);
	const char *sign = !c->old ? "+ " : !c->new ? "- " : "~ ";
	enum paint paint = !c->old ? PAINT_GOOD :
			   !c->new ? PAINT_BAD :
				     PAINT_WARN;

	term_painted(&b, r->out_color, paint, sign);
	if (*name)
		wrap_name(&b, name);
	else
		buf_text(&b, "(no name)");
	buf_char(&b, '\n');
	for (size_t i = 0; i < c->differences.count; i++)
		add_difference(&b, r->out_color, c, &c->differences.item[i]);
	put_out(r, &b);
}

void text_task(struct renderer *r, const struct task_record *record)
{
	const struct task *t = record->task;
	CLEANUP(buf_done) struct buf b = { 0 };

	if (record->id_only) {
		put_received(r, t->id, strlen(t->id), true);
		return;
	}
	add_cell(r, &b, t->id, PAINT_NONE, record->id_width);
	add_cell(r, &b, t->word,
		 t->status == TASK_FAILED || t->status == TASK_INPUT ?
			 PAINT_WARN :
			 PAINT_NONE,
		 strlen("input_required"));
	if (t->message)
		add_cell(r, &b, t->message, PAINT_NONE, 0);
	if (t->updated || t->created)
		add_cell(r, &b, t->updated ? t->updated : t->created, PAINT_DIM,
			 0);
	buf_trim(&b, 0, " ");
	buf_char(&b, '\n');
	put_out(r, &b);
}
