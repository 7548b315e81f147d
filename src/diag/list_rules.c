/* SPDX-License-Identifier: MIT */
/* In time that grows with the list only: who made it chose its names. */
#include "diag/list_rules.h"

#include <string.h>

#include "diag/backend_view.h"
#include "diag/schema_judge.h"
#include "diag/tool_judge.h"
#include "mcp/tool_diff.h"
#include "mcp/tools.h"

#define DETAIL_MOST 110 /* bytes; names are added while they fit */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- what one tool shows by itself ---- */

static bool names_fit(const struct tool *t, const struct diag *d,
		      struct buf *out)
{
	/* Models see none that is for users only. */
	return !t->user_only && judge_name(t, d->about.board, out);
}

static bool size_fits(const struct tool *t, const struct diag *d,
		      struct buf *out)
{
	return d->about.board && judge_size(t, out);
}

static bool schema_fits(const struct tool *t, const struct diag *d,
			struct buf *out)
{
	(void)d;
	return judge_schema(t, out);
}

static bool text_fits(const struct tool *t, const struct diag *d,
		      struct buf *out)
{
	(void)d;
	return judge_text(t, out);
}

static bool stands_twice(const struct tool *t, const struct diag *d,
			 struct buf *out)
{
	(void)d;
	if (t->duplicate)
		buf_text(out, "stands in the list before");
	return t->duplicate;
}

static const struct tool_rule {
	enum diag_code code;
	bool (*judge)(const struct tool *t, const struct diag *d,
		      struct buf *out);
} tool_rules[] = {
	{ D108, size_fits },   { D112, stands_twice }, { D117, names_fit },
	{ D118, schema_fits }, { D119, text_fits },
};

/* "self.x: its name has 71 characters: …; and 3 more" */
static void raise_tool(struct diag *d, enum diag_code code,
		       const struct tool *t, const char *what, size_t more)
{
	CLEANUP(buf_done) struct buf detail = { 0 };

	judge_word(&detail, t->name);
	buf_printf(&detail, "%s%s", *t->name ? ": " : "", what);
	if (more > 0)
		buf_printf(&detail, "; and %zu more tool%s", more,
			   plural(more));
	diag_found(d, code, tool_text(t), "%s", buf_string(&detail));
}

static void look_at_tools(struct diag *d, const struct tool_list *list,
			  const struct tool_rule *rule)
{
	CLEANUP(buf_done) struct buf what = { 0 };
	CLEANUP(buf_done) struct buf other = { 0 };
	const struct tool *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];

		buf_reset(&other);
		if (!rule->judge(t, d, first ? &other : &what))
			continue;
		if (first)
			more++;
		else
			first = t;
	}
	if (first)
		raise_tool(d, rule->code, first, buf_string(&what), more);
}

/* ---- what backends keep ---- */

/* Names of the common tools from place `from` on, as far as they fit. */
static void add_lost(struct buf *out, const struct tool_list *list, size_t from)
{
	size_t place = 0;

	buf_text(out, "; lost:");
	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];

		if (t->user_only || place++ < from)
			continue;
		if (out->len + strlen(t->name) > DETAIL_MOST) {
			buf_text(out, " …");
			return;
		}
		buf_printf(out, " %s", t->name);
	}
}

/* "; OpenAI and Kimi take 128 tools at most" */
static void add_models(struct buf *out, size_t common)
{
	struct subjects who = { 0 };
	size_t count, most = 0;
	const struct model_fact *m = model_facts(&count);

	for (size_t i = 0; i < count; i++) {
		const size_t takes = (size_t)m[i].max_tools;

		if (takes == 0 || takes >= common ||
		    (most > 0 && takes != most))
			continue;
		most = takes;
		subjects_add_model(&who, &m[i]);
	}
	if (who.count == 0)
		return;
	buf_text(out, "; ");
	subjects_as_models(out, &who);
	buf_printf(out, " take%s %zu at most",
		   subjects_are_many(&who) ? "" : "s", most);
}

static void look_at_keepers(struct diag *d, const struct tool_list *list)
{
	const size_t common = list->count - list->user_only;
	struct keepers keepers[KEEPERS_MAX];
	const size_t kinds = keepers_of(keepers);

	for (size_t i = 0; i < kinds; i++) {
		const struct keepers *k = &keepers[i];
		CLEANUP(buf_done) struct buf detail = { 0 };
		size_t kept;
		bool known = backend_visible(list, k->most, &kept);

		if (common <= k->most)
			continue;
		subjects_as_backends(&detail, &k->who);
		buf_printf(&detail, " keep%s %s%zu of %zu",
			   subjects_are_many(&k->who) ? "" : "s",
			   known ? "" : "at most ", known ? kept : k->most,
			   common);
		add_models(&detail, common);
		add_lost(&detail, list, known ? kept : k->most);
		diag_found(d, D110, (struct span){ 0 }, "%s",
			   buf_string(&detail));
	}
}

static void look_at_pages(struct diag *d, const struct tool_list *list)
{
	struct subjects who = { 0 };
	size_t common = 0, later = 0;
	CLEANUP(buf_done) struct buf detail = { 0 };

	first_pagers(&who);
	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];

		common += !t->user_only;
		later += !t->user_only && t->page > 0;
	}
	if (who.count == 0 || later == 0 || !backend_page_known(list, 1))
		return;
	subjects_as_backends(&detail, &who);
	buf_printf(&detail, " ask%s for the first page only",
		   subjects_are_many(&who) ? "" : "s");
	add_lost(&detail, list, common - later);
	diag_found(d, D111, (struct span){ 0 }, "%s", buf_string(&detail));
}

/* ---- names that become the same ---- */

static void raise_same(struct diag *d, enum sanitise_rule rule,
		       const struct tool *t, const struct tool *before)
{
	CLEANUP(buf_done) struct buf detail = { 0 };
	struct subjects who = { 0 };

	name_changers(&who, rule);
	judge_word(&detail, before->name);
	buf_text(&detail, " and ");
	judge_word(&detail, t->name);
	buf_text(&detail, " are one behind ");
	subjects_as_backends(&detail, &who);
	diag_found(d, D113, tool_text(t), "%s", buf_string(&detail));
}

static bool become_same(struct diag *d, const struct tool_list *list,
			enum sanitise_rule rule)
{
	CLEANUP(buf_done) struct buf changed = { 0 };
	struct name_set names = { 0 };
	struct subjects who = { 0 };
	bool found = false;

	name_changers(&who, rule);
	for (size_t i = 0; who.count > 0 && !found && i < list->count; i++) {
		const struct tool *t = &list->tool[i];
		size_t before;

		if (t->user_only)
			continue;
		buf_reset(&changed);
		tool_sanitise(t->name, rule, &changed);
		before = name_set_add(&names, buf_string(&changed), i);
		if (before == NAME_NONE ||
		    strcmp(list->tool[before].name, t->name) == 0)
			continue;
		raise_same(d, rule, t, &list->tool[before]);
		found = true;
	}
	name_set_done(&names);
	return found;
}

/* What the narrower rule makes the same the wider one does, too. */
static void look_at_changes(struct diag *d, const struct tool_list *list)
{
	if (!become_same(d, list, SANITISE_DOTS))
		become_same(d, list, SANITISE_WIDE);
}

void diag_list(struct diag *d, const struct tool_list *list)
{
	for (size_t i = 0; i < COUNT(tool_rules); i++)
		look_at_tools(d, list, &tool_rules[i]);
	if (!d->about.board)
		return;
	look_at_keepers(d, list);
	look_at_pages(d, list);
	look_at_changes(d, list);
}

/* ---- the same asked again ---- */

/* Whether who asked for that list asked without them. */
static bool is_missing(const struct tool *t, const struct tool_list *other)
{
	return t->user_only && other->user_only == 0;
}

/* "2 new (self.x, …)" */
struct unlike {
	const char *word;
	const char *name;
	size_t count;
};

static void add_kind(struct buf *out, const struct unlike *k)
{
	if (k->count == 0)
		return;
	buf_printf(out, "%s%zu %s: ", out->len ? "; " : "", k->count, k->word);
	judge_word(out, k->name);
	if (k->count > 1)
		buf_text(out, " …");
}

static void add_changes(struct buf *out, const struct tool_list *first,
			const struct tool_list *second)
{
	struct unlike kinds[] = { { "gone", NULL, 0 },
				  { "new", NULL, 0 },
				  { "changed", NULL, 0 } };
	struct tool_changes changes = { 0 };

	tool_changes_find(&changes, first, second, NULL);
	for (size_t i = 0; i < changes.count; i++) {
		const struct tool_change *c = &changes.item[i];
		struct unlike *k = &kinds[!c->new ? 0 : !c->old ? 1 : 2];

		if ((!c->new &&is_missing(c->old, second)) ||
		    (!c->old && is_missing(c->new, first)))
			continue;
		if (k->count++ == 0)
			k->name = tool_change_name(c);
	}
	for (size_t i = 0; i < COUNT(kinds); i++)
		add_kind(out, &kinds[i]);
	tool_changes_done(&changes);
}

/* The next tool from *at on that both were asked for. */
static const struct tool *next_of(const struct tool_list *list, size_t *at,
				  const struct tool_list *other)
{
	while (*at < list->count && is_missing(&list->tool[*at], other))
		(*at)++;
	return *at < list->count ? &list->tool[(*at)++] : NULL;
}

static void add_order(struct buf *out, const struct tool_list *first,
		      const struct tool_list *second)
{
	size_t one = 0, two = 0;
	const struct tool *a = next_of(first, &one, second);
	const struct tool *b = next_of(second, &two, first);

	while (a && b && strcmp(a->name, b->name) == 0) {
		a = next_of(first, &one, second);
		b = next_of(second, &two, first);
	}
	if (!a || !b)
		return;
	buf_text(out, "another order: ");
	judge_word(out, b->name);
	buf_text(out, " stands where ");
	judge_word(out, a->name);
	buf_text(out, " was");
}

void diag_list_again(struct diag *d, const struct tool_list *first,
		     const struct tool_list *second)
{
	CLEANUP(buf_done) struct buf detail = { 0 };

	add_changes(&detail, first, second);
	if (detail.len == 0)
		add_order(&detail, first, second);
	if (detail.len > 0)
		diag_found(d, D109, (struct span){ 0 }, "%s",
			   buf_string(&detail));
}
