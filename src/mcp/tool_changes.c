/* SPDX-License-Identifier: MIT */
/*
 * Which tools came, went or changed: both lists sorted by name and merged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/tool_diff.h"

/* So many comparisons a name; with more of one name the order decides. */
#define PAIRS_MAX 10000

struct sorted {
	const struct tool **tool;
	size_t count;
};

static void sort(struct sorted *out, const struct tool_list *l)
{
	out->count = l->count;
	out->tool = mem_alloc((l->count + 1) * sizeof(struct tool *));
	for (size_t i = 0; i < l->count; i++)
		out->tool[i] = &l->tool[i];
	qsort(out->tool, out->count, sizeof(struct tool *), tool_by_name);
}

static bool any_matches(const struct tool **tool, size_t count,
			const char *filter)
{
	for (size_t i = 0; i < count; i++) {
		if (tool_matches(tool[i], filter))
			return true;
	}
	return false;
}

/* Where the tools of the first name end. */
static size_t run_length(const struct sorted *s, size_t from)
{
	size_t to = from;

	while (to < s->count &&
	       strcmp(s->tool[to]->name, s->tool[from]->name) == 0)
		to++;
	return to - from;
}

static void add(struct tool_changes *out, const struct tool *old,
		const struct tool *new)
{
	struct tool_change change = { .old = old, .new = new };

	if (old && new)
		tool_differences_find(&change.differences, old, new);
	/* Such as the order of names in "required". */
	if (old && new &&change.differences.count == 0)
		return;
	out->item = mem_grow(out->item, &out->capacity, out->count,
			     sizeof(*out->item));
	out->item[out->count++] = change;
	out->added += !old;
	out->removed += !new;
	out->changed += old && new;
}

/* In equal pairs the tools become NULL. */
static void drop_equal(const struct tool **old, size_t olds,
		       const struct tool **new, size_t news)
{
	if (olds * news > PAIRS_MAX)
		return;
	for (size_t i = 0; i < olds; i++) {
		for (size_t k = 0; k < news && old[i]; k++) {
			if (!new[k] || !json_equal(old[i]->json, new[k]->json))
				continue;
			old[i] = new[k] = NULL;
		}
	}
}

static const struct tool *next(const struct tool **tool, size_t count,
			       size_t *at)
{
	while (*at < count && !tool[*at])
		(*at)++;
	return *at < count ? tool[(*at)++] : NULL;
}

/* All tools of one name, in both lists. */
static void merge(struct tool_changes *out, const struct tool **old,
		  size_t olds, const struct tool **new, size_t news)
{
	size_t i = 0, k = 0;

	drop_equal(old, olds, new, news);
	for (;;) {
		const struct tool *a = next(old, olds, &i);
		const struct tool *b = next(new, news, &k);

		if (!a && !b)
			return;
		add(out, a, b);
	}
}

void tool_changes_find(struct tool_changes *out, const struct tool_list *old,
		       const struct tool_list *new, const char *filter)
{
	struct sorted a, b;
	size_t i = 0, k = 0;

	*out = (struct tool_changes){ 0 };
	sort(&a, old);
	sort(&b, new);
	while (i < a.count || k < b.count) {
		int order =
			i == a.count ? 1 :
			k == b.count ? -1 :
				       strcmp(a.tool[i]->name, b.tool[k]->name);
		size_t olds = order <= 0 ? run_length(&a, i) : 0;
		size_t news = order >= 0 ? run_length(&b, k) : 0;

		if (any_matches(a.tool + i, olds, filter) ||
		    any_matches(b.tool + k, news, filter))
			merge(out, a.tool + i, olds, b.tool + k, news);
		i += olds;
		k += news;
	}
	mem_free(a.tool);
	mem_free(b.tool);
}

void tool_changes_done(struct tool_changes *c)
{
	for (size_t i = 0; i < c->count; i++)
		tool_differences_done(&c->item[i].differences);
	mem_free(c->item);
	*c = (struct tool_changes){ 0 };
}
