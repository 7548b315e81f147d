/* SPDX-License-Identifier: MIT */
/*
 * What a walk tells: the first mismatch with its place, and the keywords that
 * it did not check; and the mismatch in words.
 */
#include <string.h>

#include "mcp/schema_check.h"

#define IGNORED_MAX 32
#define PRINT_MAX 200

void schema_report_done(struct schema_report *r)
{
	buf_done(&r->path);
	buf_done(&r->rule);
	buf_done(&r->value);
	buf_done(&r->operand);
	words_done(&r->ignored);
	*r = (struct schema_report){ 0 };
}

static void add_cut(struct buf *out, const char *text, size_t len)
{
	size_t cut = len;

	if (len > PRINT_MAX) {
		cut = PRINT_MAX;
		while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
			cut--;
	}
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

/* Each as: VALUE before OPERAND after. */
static const struct wording {
	const char *keyword, *before, *after;
} wordings[] = {
	{ "type", " is not of type ", "" },
	{ "const", " is not ", "" },
	{ "enum", " is none of ", "" },
	{ "required", "is required", NULL },
	{ "additionalProperties", " stands under a name that is not known",
	  NULL },
	{ "minimum", " is below the minimum of ", "" },
	{ "maximum", " is above the maximum of ", "" },
	{ "exclusiveMinimum", " is not above ", "" },
	{ "exclusiveMaximum", " is not below ", "" },
	{ "multipleOf", " is no multiple of ", "" },
	{ "minLength", " is shorter than ", " characters" },
	{ "maxLength", " is longer than ", " characters" },
	{ "pattern", " does not match the pattern ", "" },
	{ "minItems", " has fewer items than ", "" },
	{ "maxItems", " has more items than ", "" },
	{ "uniqueItems", " holds the same item twice", NULL },
	{ "anyOf", " fits none of: ", "" },
	{ "oneOf", " fits ", " of the alternatives, not one" },
	{ "not", " is what the schema excludes", NULL },
	{ "false", " is not allowed here", NULL },
	{ "depth", " or its schema is nested too deep", NULL },
	{ "steps", " takes too long to check against its schema", NULL },
};

void schema_explain(const struct schema_report *r, struct buf *out)
{
	for (size_t i = 0; r->keyword && i < COUNT(wordings); i++) {
		const struct wording *w = &wordings[i];

		if (strcmp(w->keyword, r->keyword) != 0)
			continue;
		buf_text(out, buf_string(&r->value));
		buf_text(out, w->before);
		if (w->after) {
			buf_text(out, buf_string(&r->operand));
			buf_text(out, w->after);
		}
		return;
	}
}
