/* SPDX-License-Identifier: MIT */
/*
 * One walk over schema and value: which keyword is checked by what, in which
 * order, how deep and how long. The keywords are in the other schema_*.c.
 */
#include "mcp/schema.h"

#include <string.h>

#include "mcp/schema_check.h"
#include "mcp/schema_look.h"

/* NOLINTNEXTLINE(misc-no-recursion): see walk_check */
static bool check_ref(const struct check *c, const cJSON *operand)
{
	const cJSON *target =
		cJSON_IsString(operand) ?
			schema_pointer(c->walk->root, operand->valuestring) :
			NULL;

	if (!target)
		return walk_ignore(c, "$ref");
	return walk_check(c->walk, target, c->value, c->place);
}

/* The bits that operand lets through; 0: it is none, or names a type that JSON has not. */
static unsigned type_bits(const cJSON *operand)
{
	const cJSON *name;
	unsigned bits = 0;

	if (cJSON_IsString(operand))
		return schema_type_bit(operand->valuestring);
	if (!cJSON_IsArray(operand))
		return 0;
	cJSON_ArrayForEach(name, operand) {
		unsigned bit = cJSON_IsString(name) ?
				       schema_type_bit(name->valuestring) :
				       0;
		if (bit == 0)
			return 0;
		bits |= bit;
	}
	return bits;
}

static bool check_type(const struct check *c, const cJSON *operand)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	unsigned bits = type_bits(operand);

	if (bits == 0)
		return walk_ignore(c, "type");
	if (bits & schema_type_of(c->value))
		return true;
	schema_type_names(bits, &names);
	return walk_fail(c, "type", buf_string(&names));
}

static bool check_const(const struct check *c, const cJSON *operand)
{
	return json_equal(c->value, operand) ||
	       walk_fail_json(c, "const", operand);
}

static bool check_enum(const struct check *c, const cJSON *operand)
{
	const cJSON *choice;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "enum");
	cJSON_ArrayForEach(choice, operand) {
		if (json_equal(c->value, choice))
			return true;
		if (!walk_spend(c, 1))
			return false;
	}
	return walk_fail_json(c, "enum", operand);
}

struct keyword {
	const char *name;
	bool (*check)(const struct check *c, const cJSON *operand);
};

/* In the order in which they are checked: the first mismatch should tell most. */
static const struct keyword keywords[] = {
	{ "$ref", check_ref },
	{ "type", check_type },
	{ "const", check_const },
	{ "enum", check_enum },
	{ "required", check_required },
	{ "properties", check_properties },
	{ "patternProperties", check_pattern_properties },
	{ "additionalProperties", check_additional_properties },
	{ "minimum", check_minimum },
	{ "exclusiveMinimum", check_exclusive_minimum },
	{ "maximum", check_maximum },
	{ "exclusiveMaximum", check_exclusive_maximum },
	{ "multipleOf", check_multiple_of },
	{ "minLength", check_min_length },
	{ "maxLength", check_max_length },
	{ "pattern", check_pattern },
	{ "minItems", check_min_items },
	{ "maxItems", check_max_items },
	{ "prefixItems", check_prefix_items },
	{ "items", check_items },
	{ "uniqueItems", check_unique_items },
	{ "allOf", check_all_of },
	{ "anyOf", check_any_of },
	{ "oneOf", check_one_of },
	{ "not", check_not },
	/* These only describe, or hold what others point at. */
	{ "default", NULL },
	{ "title", NULL },
	{ "description", NULL },
	{ "examples", NULL },
	{ "deprecated", NULL },
	{ "readOnly", NULL },
	{ "writeOnly", NULL },
	{ "contentEncoding", NULL },
	{ "contentMediaType", NULL },
	{ "definitions", NULL },
	{ "$defs", NULL },
	{ "$schema", NULL },
	{ "$id", NULL },
	{ "$comment", NULL },
};

/* The operands of one schema, in the order of keywords[]; what is unknown is reported. */
static void collect(const struct check *c, const cJSON **operands)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, c->schema) {
		size_t i = 0;

		while (i < COUNT(keywords) &&
		       strcmp(keywords[i].name, member->string) != 0)
			i++;
		if (i == COUNT(keywords))
			walk_ignore(c, member->string);
		else if (!operands[i])
			operands[i] = member;
	}
}

/* Up to draft 7 a schema with $ref is only that. */
static bool ref_stands_alone(const struct check *c)
{
	return c->walk->old_refs && json_string(c->schema, "$ref");
}

/* NOLINTNEXTLINE(misc-no-recursion): see walk_check */
static bool check_keywords(const struct check *c)
{
	const cJSON *operands[COUNT(keywords)] = { 0 };

	if (ref_stands_alone(c))
		return check_ref(c, json_member(c->schema, "$ref"));
	collect(c, operands);
	for (size_t i = 0; i < COUNT(keywords); i++)
		if (operands[i] && keywords[i].check &&
		    !keywords[i].check(c, operands[i]))
			return false;
	return true;
}

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
	fits = check_keywords(&c);
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
