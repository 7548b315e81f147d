/* SPDX-License-Identifier: MIT */
/*
 * Schemas of tools: values checked against them, and what is wrong told. The
 * keywords stand in schema_keywords.c.
 */
#include <string.h>

#include "mcp/schema.h"
#include "mcp/schema_check.h"
#include "mcp/schema_example.h"
#include "mcp/schema_look.h"

/*
 * What a walk tells: the first mismatch with its place, and the keywords that
 * it did not check; and the mismatch in words.
 */

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

static bool walk_give_up(const struct check *c, const char *why)
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

/*
 * One walk over schema and value: how deep and how long. The keywords are
 * schema_keywords.c's matter.
 */

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than SCHEMA_DEPTH_MAX */
bool walk_check(struct walk *w, const cJSON *schema, const cJSON *value,
		const struct place *place)
{
	struct check c = { w, schema, value, place };
	bool fits;

	if (cJSON_IsBool(schema))
		return cJSON_IsTrue(schema) || walk_fail(&c, "false", NULL);
	if (!cJSON_IsObject(schema))
		return walk_ignore(&c, "(a schema that is no object)");
	if (w->depth >= SCHEMA_DEPTH_MAX)
		return walk_give_up(&c, "depth");
	if (!walk_spend(&c, 1))
		return false;
	w->depth++;
	fits = walk_keywords(&c);
	w->depth--;
	return fits && !w->given_up;
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

/* Limits in words. What is no number, or no limit, is left out. */

static const cJSON *number(const cJSON *schema, const char *keyword)
{
	const cJSON *member = json_member(schema, keyword);

	return cJSON_IsNumber(member) ? member : NULL;
}

static void add_side(struct buf *out, const char **before, const char *sign,
		     const cJSON *limit)
{
	if (!limit)
		return;
	buf_printf(out, "%s%s ", *before, sign);
	json_print(out, limit);
	*before = ", ";
}

void limits_of_number(const cJSON *schema, struct buf *out)
{
	const cJSON *least = number(schema, "minimum");
	const cJSON *most = number(schema, "maximum");
	const cJSON *above = number(schema, "exclusiveMinimum");
	const cJSON *below = number(schema, "exclusiveMaximum");
	const char *before = " ";

	if (least && most && !above && !below) {
		buf_char(out, ' ');
		json_print(out, least);
		buf_text(out, "..");
		json_print(out, most);
	} else {
		add_side(out, &before, ">=", least);
		add_side(out, &before, ">", above);
		add_side(out, &before, "<=", most);
		add_side(out, &before, "<", below);
	}
	if (number(schema, "multipleOf")) {
		buf_text(out, ", multiple of ");
		json_print(out, number(schema, "multipleOf"));
	}
}

/* ", 3 to 10 characters", ", at least 1 item", … */
static void add_range(struct buf *out, const cJSON *least, const cJSON *most,
		      const char *what)
{
	const cJSON *last = most ? most : least;
	bool one = last && last->valuedouble >= 1 && last->valuedouble <= 1;

	if (least && most && json_equal(least, most)) {
		buf_text(out, ", ");
	} else if (least && most) {
		buf_text(out, ", ");
		json_print(out, least);
		buf_text(out, " to ");
	} else if (last) {
		buf_text(out, most ? ", at most " : ", at least ");
	} else {
		return;
	}
	json_print(out, last);
	buf_printf(out, " %s%s", what, one ? "" : "s");
}

void limits_of_string(const cJSON *schema, struct buf *out)
{
	static const char *const words[] = { "pattern", "format" };

	add_range(out, number(schema, "minLength"), number(schema, "maxLength"),
		  "character");
	for (size_t i = 0; i < COUNT(words); i++) {
		const char *text = json_string(schema, words[i]);

		/* A pattern with a line break would not be one line. */
		if (text && strlen(text) <= 100 && !strpbrk(text, "\r\n"))
			buf_printf(out, ", %s %s", words[i], text);
	}
}

void limits_of_array(const cJSON *schema, struct buf *out)
{
	add_range(out, number(schema, "minItems"), number(schema, "maxItems"),
		  "item");
	if (json_true(schema, "uniqueItems"))
		buf_text(out, ", no item twice");
}

/* Schemas laid over each other: where both say something, both count. */

static void replace_member(cJSON *into, const cJSON *member)
{
	const char *name = member->string;

	cJSON_DeleteItemFromObjectCaseSensitive(into, name);
	cJSON_AddItemToObject(into, name, cJSON_Duplicate(member, true));
}

/* Where there is one already, both are to fit. */
static void join_schema(cJSON *into, const cJSON *member)
{
	cJSON *there = json_member(into, member->string);
	cJSON *both, *parts;

	if (!there || json_equal(there, member)) {
		replace_member(into, member);
		return;
	}
	both = cJSON_CreateObject();
	parts = cJSON_AddArrayToObject(both, "allOf");
	cJSON_AddItemToArray(parts, cJSON_Duplicate(there, true));
	cJSON_AddItemToArray(parts, cJSON_Duplicate(member, true));
	cJSON_DeleteItemFromObjectCaseSensitive(into, member->string);
	cJSON_AddItemToObject(into, member->string, both);
}

static void add_elements(cJSON *there, const cJSON *array)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, array) {
		cJSON_AddItemToArray(there, cJSON_Duplicate(each, true));
	}
}

/* What both lists name. */
static void keep_common(cJSON *there, const cJSON *array)
{
	cJSON *each = there->child;

	while (each) {
		cJSON *next = each->next;

		if (!json_array_has(array, each))
			cJSON_Delete(cJSON_DetachItemViaPointer(there, each));
		each = next;
	}
}

/* Of two limits the narrower one; 0: the keyword is no limit. */
static int narrows(const char *keyword)
{
	static const char *const least[] = { "minimum", "exclusiveMinimum",
					     "minLength", "minItems" };
	static const char *const most[] = { "maximum", "exclusiveMaximum",
					    "maxLength", "maxItems" };

	for (size_t i = 0; i < COUNT(least); i++) {
		if (strcmp(keyword, least[i]) == 0)
			return 1;
		if (strcmp(keyword, most[i]) == 0)
			return -1;
	}
	return 0;
}

static void merge_value(cJSON *into, cJSON *there, const cJSON *member)
{
	const char *name = member->string;
	int sign = narrows(name);

	if (sign && cJSON_IsNumber(there) && cJSON_IsNumber(member)) {
		if (sign * member->valuedouble > sign * there->valuedouble)
			replace_member(into, member);
	} else if (strcmp(name, "type") == 0 && cJSON_IsString(there)) {
		return;
	} else {
		replace_member(into, member);
	}
}

static void merge_member(cJSON *into, const cJSON *member)
{
	const char *name = member->string;
	cJSON *there = json_member(into, name);
	bool arrays = cJSON_IsArray(there) && cJSON_IsArray(member);
	bool objects = cJSON_IsObject(there) && cJSON_IsObject(member);
	const cJSON *each;

	if (arrays && strcmp(name, "required") == 0) {
		add_elements(there, member);
	} else if (arrays && strcmp(name, "enum") == 0) {
		keep_common(there, member);
	} else if (objects && strcmp(name, "properties") == 0) {
		cJSON_ArrayForEach(each, member) {
			join_schema(there, each);
		}
	} else if (objects && strcmp(name, "items") == 0) {
		join_schema(into, member);
	} else {
		merge_value(into, there, member);
	}
}

static void merge(cJSON *into, const cJSON *root, const cJSON *part)
{
	const cJSON *schema = schema_resolve(root, part);
	const cJSON *member;

	if (!cJSON_IsObject(schema))
		return;
	cJSON_ArrayForEach(member, schema) {
		merge_member(into, member);
	}
}

cJSON *candidate_merge(const cJSON *root, const cJSON *schema,
		       const char *keyword, const cJSON *part)
{
	cJSON *merged = cJSON_Duplicate(schema, true);

	cJSON_DeleteItemFromObjectCaseSensitive(merged, keyword);
	merge(merged, root, part);
	return merged;
}

cJSON *candidate_merge_all(const cJSON *root, const cJSON *schema)
{
	cJSON *merged = cJSON_Duplicate(schema, true);
	const cJSON *part;

	cJSON_DeleteItemFromObjectCaseSensitive(merged, "allOf");
	cJSON_ArrayForEach(part, json_array(schema, "allOf")) {
		merge(merged, root, part);
	}
	return merged;
}
