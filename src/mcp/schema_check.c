/* SPDX-License-Identifier: MIT */
/*
 * What a walk over schema and value tells: the first mismatch with its place,
 * and the keywords that it did not check; and how long it may take.
 */
#include <string.h>

#include "base/utf8.h"
#include "mcp/schema_check.h"

#define IGNORED_MAX 32
#define PRINT_MAX 200

static void add_cut(struct buf *out, const char *text, size_t len)
{
	size_t cut = text_cut(text, len, PRINT_MAX);

	buf_add(out, text, cut);
	if (cut < len)
		buf_text(out, "…");
}

void walk_print(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	json_print(&text, value);
	add_cut(out, buf_string(&text), text.len);
}

struct place walk_place(const struct check *c, const char *name, size_t index)
{
	return (struct place){
		.up = c->place,
		.name = name,
		.index = index,
		.depth = (c->place ? c->place->depth : 0) + 1,
	};
}

static void print_place(const struct place *place, struct buf *out)
{
	const struct place *chain[SCHEMA_DEPTH_MAX + 2];
	size_t count = 0;

	for (; place && count < COUNT(chain); place = place->up)
		chain[count++] = place;
	while (count-- > 0) {
		if (!chain[count]->name) {
			buf_printf(out, "[%zu]", chain[count]->index);
			continue;
		}
		if (out->len > 0)
			buf_char(out, '.');
		buf_text(out, chain[count]->name);
	}
}

static void fill_report(const struct check *c, const char *keyword,
			const char *operand)
{
	struct schema_report *r = c->walk->report;

	buf_reset(&r->path);
	print_place(c->place, &r->path);
	buf_reset(&r->operand);
	if (operand)
		add_cut(&r->operand, operand, strlen(operand));
	r->keyword = keyword;
	buf_reset(&r->rule);
	buf_text(&r->rule, keyword);
	if (operand)
		buf_printf(&r->rule, " %s", buf_string(&r->operand));
	buf_reset(&r->value);
	if (c->value)
		walk_print(&r->value, c->value);
}

bool walk_fail(const struct check *c, const char *keyword, const char *operand)
{
	c->walk->failed = keyword;
	c->walk->failed_depth = c->place ? c->place->depth : 0;
	if (!c->walk->quiet && !c->walk->given_up)
		fill_report(c, keyword, operand);
	return false;
}

bool walk_fail_json(const struct check *c, const char *keyword,
		    const cJSON *operand)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!c->walk->quiet)
		json_print(&text, operand);
	return walk_fail(c, keyword, buf_string(&text));
}

bool walk_give_up(const struct check *c, const char *why)
{
	if (!c->walk->given_up)
		fill_report(c, why, NULL);
	c->walk->given_up = true;
	return false;
}

bool walk_spend(const struct check *c, size_t steps)
{
	if (c->walk->given_up)
		return false;
	if (c->walk->steps < steps)
		return walk_give_up(c, "steps");
	c->walk->steps -= steps;
	return true;
}

bool walk_ignore(const struct check *c, const char *keyword)
{
	struct words *ignored = &c->walk->report->ignored;

	if (ignored->count >= IGNORED_MAX)
		return true;
	for (size_t i = 0; i < ignored->count; i++)
		if (strcmp(ignored->word[i], keyword) == 0)
			return true;
	words_add(ignored, keyword);
	return true;
}

static bool is_old_dialect(const cJSON *root)
{
	static const char *const old[] = { "draft-03", "draft-04", "draft-06",
					   "draft-07" };
	const char *dialect = json_string(root, "$schema");

	for (size_t i = 0; dialect && i < COUNT(old); i++)
		if (strstr(dialect, old[i]))
			return true;
	return false;
}

void walk_init(struct walk *w, const cJSON *root, struct schema_report *report)
{
	*w = (struct walk){
		.root = root,
		.report = report,
		.steps = SCHEMA_STEPS_MAX,
		.old_refs = is_old_dialect(root),
	};
}

void walk_done(struct walk *w)
{
	pattern_done(&w->pattern);
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
size_t walk_count(const cJSON *value)
{
	const cJSON *child;
	size_t count = 1;

	cJSON_ArrayForEach(child, value) {
		count += walk_count(child);
	}
	return count;
}
