/* SPDX-License-Identifier: MIT */
/*
 * Schemas of tools: values checked against them, and what is wrong told.
 */
#include <string.h>

#include "mcp/schema.h"
#include "mcp/schema_check.h"

void schema_report_done(struct schema_report *r)
{
	buf_done(&r->path);
	buf_done(&r->rule);
	buf_done(&r->value);
	buf_done(&r->operand);
	words_done(&r->ignored);
	*r = (struct schema_report){ 0 };
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
	{ "format", " is not of the format ", "" },
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

bool schema_check_in(const cJSON *root, const cJSON *schema, const cJSON *value,
		     struct schema_report *report)
{
	struct schema_report unread = { 0 };
	struct walk w;
	bool fits;

	walk_init(&w, root, report ? report : &unread);
	w.steps += walk_count(value) * 32;
	buf_reset(&w.report->path);
	buf_reset(&w.report->rule);
	buf_reset(&w.report->value);
	buf_reset(&w.report->operand);
	w.report->keyword = NULL;
	fits = walk_check(&w, schema, value, NULL);
	walk_done(&w);
	schema_report_done(&unread);
	return fits;
}

bool schema_check(const cJSON *schema, const cJSON *value,
		  struct schema_report *report)
{
	return schema_check_in(schema, schema, value, report);
}
