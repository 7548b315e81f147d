/* SPDX-License-Identifier: MIT */
/* Sentences; what they tell is judged elsewhere. */
#include "diag/tool_notes.h"

#include <string.h>

#include "base/mem.h"
#include "diag/backend_view.h"
#include "diag/tool_judge.h"
#include "mcp/rules.h"
#include "mcp/tools.h"

void tool_notes_done(struct tool_notes *n)
{
	for (size_t i = 0; i < n->count; i++)
		mem_free(n->item[i].text);
	mem_free(n->item);
	*n = (struct tool_notes){ 0 };
}

static void add(struct tool_notes *out, enum diag_code code, struct buf *text)
{
	out->item = mem_grow(out->item, &out->capacity, out->count,
			     sizeof(*out->item));
	out->item[out->count++] =
		(struct tool_note){ code, mem_strdup(buf_string(text)) };
}

static void add_text(struct tool_notes *out, enum diag_code code,
		     const char *text)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, text);
	add(out, code, &b);
}

/* "the Java server keeps", "the Go servers keep" */
static void add_doing(struct buf *out, const struct subjects *who,
		      const char *verb)
{
	subjects_as_backends(out, who);
	buf_printf(out, " %s%s", verb, subjects_are_many(who) ? "" : "s");
}

/* ---- its place ---- */

/* How many tools a backend sees before this one. */
static size_t seen_before(const struct tool_list *list, const struct tool *t)
{
	size_t n = 0;

	for (size_t i = 0; i < list->count && &list->tool[i] != t; i++)
		n += !list->tool[i].user_only;
	return n;
}

static void note_keepers(struct tool_notes *out, const struct tool_list *list,
			 const struct keepers *k, size_t place)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t visible;
	bool known = backend_visible(list, k->most, &visible);

	if (place <= (known ? visible : k->most))
		return;
	buf_printf(&text, "it is number %zu: ", place);
	add_doing(&text, &k->who, "keep");
	buf_printf(&text, " %zu tools", k->most);
	if (known && visible == 0)
		buf_printf(
			&text,
			", drop%s the page that would pass that, and see%s none",
			subjects_are_many(&k->who) ? "" : "s",
			subjects_are_many(&k->who) ? "" : "s");
	else if (known)
		buf_printf(
			&text,
			", drop%s the page that would pass that, and see%s only the first %zu",
			subjects_are_many(&k->who) ? "" : "s",
			subjects_are_many(&k->who) ? "" : "s", visible);
	add(out, D110, &text);
}

static void note_place(struct tool_notes *out, const struct tool_list *list,
		       const struct tool *t)
{
	struct keepers keepers[KEEPERS_MAX];
	const size_t kinds = keepers_of(keepers);
	const size_t place = seen_before(list, t) + 1;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct subjects who = { 0 };

	for (size_t i = 0; i < kinds; i++)
		note_keepers(out, list, &keepers[i], place);
	first_pagers(&who);
	if (t->page == 0 || who.count == 0 ||
	    !backend_page_known(list, t->page))
		return;
	buf_printf(&text, "it is on page %zu: ", t->page + 1);
	add_doing(&text, &who, "ask");
	buf_text(&text, " for the first page only");
	add(out, D111, &text);
}

/* ---- its name ---- */

/* By a rule: what it becomes, and behind whom. */
struct change {
	struct buf name;
	struct subjects who;
	bool same; /* or nobody does it */
};

static void change_init(struct change *c, const char *name,
			enum sanitise_rule rule)
{
	*c = (struct change){ 0 };
	tool_sanitise(name, rule, &c->name);
	name_changers(&c->who, rule);
	c->same = c->who.count == 0 || strcmp(buf_string(&c->name), name) == 0;
}

static void add_both(struct subjects *out, const struct change *a,
		     const struct change *b)
{
	*out = a->who;
	for (size_t i = 0; i < b->who.count && out->count < SUBJECTS_MAX; i++)
		out->name[out->count++] = b->who.name[i];
}

/* " 'x' behind the Go servers" */
static void add_behind(struct buf *out, struct change *c)
{
	buf_printf(out, " as '%s' behind ", buf_string(&c->name));
	subjects_as_backends(out, &c->who);
}

static void add_change(struct buf *text, struct change *wide,
		       struct change *dots)
{
	struct subjects both;

	buf_text(text, "the model knows it");
	if (!wide->same && !dots->same &&
	    strcmp(buf_string(&wide->name), buf_string(&dots->name)) == 0) {
		add_both(&both, wide, dots);
		buf_printf(text, " as '%s': ", buf_string(&wide->name));
		add_doing(text, &both, "change");
		buf_text(text, " the name");
		return;
	}
	if (!wide->same)
		add_behind(text, wide);
	if (!wide->same && !dots->same)
		buf_char(text, ',');
	if (!dots->same)
		add_behind(text, dots);
	if (dots->same && dots->who.count > 0) {
		buf_text(text, "; ");
		add_doing(text, &dots->who, "keep");
		buf_text(text, " the name");
	}
}

static void note_name(struct tool_notes *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct change wide, dots;

	change_init(&wide, t->name, SANITISE_WIDE);
	change_init(&dots, t->name, SANITISE_DOTS);
	if (!wide.same || !dots.same) {
		add_change(&text, &wide, &dots);
		add(out, NOTE_HAS_NO_CODE, &text);
	}
	buf_done(&wide.name);
	buf_done(&dots.name);
}

static void note_same(struct tool_notes *out, const struct tool *other,
		      enum sanitise_rule rule)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct subjects who = { 0 };

	name_changers(&who, rule);
	if (who.count == 0)
		return;
	buf_text(&text, "behind ");
	subjects_as_backends(&text, &who);
	buf_printf(
		&text,
		" its changed name is that of '%s' too: a call reaches one of the two only",
		other->name);
	add(out, D113, &text);
}

static bool collides(const struct tool *other, const struct tool *t)
{
	return other && !other->user_only && strcmp(other->name, t->name) != 0;
}

static void note_collision(struct tool_notes *out, const struct tool_list *list,
			   const struct tool *t)
{
	const struct tool *wide = tool_collision(list, t, SANITISE_WIDE);
	const struct tool *dots = tool_collision(list, t, SANITISE_DOTS);

	if (t->duplicate)
		add_text(
			out, D112,
			"another tool of the same name stands before it: which one is called depends on the backend");
	if (collides(wide, t))
		note_same(out, wide, SANITISE_WIDE);
	if (collides(dots, t))
		note_same(out, dots, SANITISE_DOTS);
}

/* ---- the rest ---- */

/* "…, and the MQTT gateway drops a device that sends more than 8192 at once" */
static void add_message_max(struct buf *out, const struct tool *t)
{
	const struct backend_fact *b;
	const size_t most = backend_message_max(&b);
	struct subjects who = { 0 };

	if (most == 0 || tool_text(t).len <= most)
		return;
	subjects_add_backend(&who, b);
	buf_text(out, ", and ");
	add_doing(out, &who, "drop");
	buf_printf(out, " a device that sends more than %zu at once", most);
}

static void note_size(struct tool_notes *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!judge_size(t, &text))
		return;
	add_message_max(&text, t);
	add(out, D108, &text);
}

static void note_refused(struct tool_notes *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (judge_name(t, true, &text))
		add(out, D117, &text);
}

void tool_notes_find(struct tool_notes *out, const struct tool_list *list,
		     const struct tool *t)
{
	if (t->user_only) {
		add_text(
			out, NOTE_HAS_NO_CODE,
			"it is user-only: no backend lists it for the model; a call by name works all the same");
	} else {
		note_place(out, list, t);
		note_name(out, t);
		note_refused(out, t);
		note_collision(out, list, t);
	}
	note_size(out, t);
	if (silent_tool(t->name))
		add_text(
			out, D136,
			"firmware drops the connection instead of answering: backends wait until their time is over");
}

static void add_limit(struct words *out, const struct tool_list *list,
		      const struct keepers *k)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t visible;
	bool known = backend_visible(list, k->most, &visible);
	const bool many = subjects_are_many(&k->who);

	add_doing(&text, &k->who, "keep");
	if (known && visible == 0)
		buf_printf(&text, " %zu tools: %s none of this one page",
			   k->most, many ? "they see" : "it sees");
	else if (known)
		buf_printf(&text, " %zu tools: %s the first %zu of these",
			   k->most, many ? "they see" : "it sees", visible);
	else
		buf_printf(
			&text,
			" %zu tools at most, and drop%s the page that would pass that; without user-only tools the pages are others: --no-user counts what %s",
			k->most, many ? "" : "s",
			many ? "they see" : "it sees");
	words_add(out, buf_string(&text));
}

void list_limits(struct words *out, const struct tool_list *list)
{
	struct keepers keepers[KEEPERS_MAX];
	const size_t kinds = keepers_of(keepers);

	for (size_t i = 0; i < kinds; i++) {
		if (list->count - list->user_only > keepers[i].most)
			add_limit(out, list, &keepers[i]);
	}
}
