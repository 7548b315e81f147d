/* SPDX-License-Identifier: MIT */
/*
 * A value that fits a schema, for people to copy. Candidates are made and
 * checked, the likely ones first; nothing is proved, so NULL means only that
 * none of them fitted.
 */
#include <string.h>

#include "mcp/schema_candidate.h"
#include "mcp/schema_check.h"
#include "mcp/schema_look.h"

#define DEPTH_MAX 60
#define SHOWN_DEPTH_MAX 6 /* what may be left out is, from here on */
#define LOOKS_MAX 2000
#define ITEMS_MAX 64

struct maker {
	const cJSON *root;
	const cJSON *inside[DEPTH_MAX]; /* depth of them: what is being made */
	unsigned depth, left;
	size_t steps; /* for all checks together */
	const char *name; /* of the property that is being made; may be NULL */
};

static cJSON *make(struct maker *m, const cJSON *schema);

static bool fits(struct maker *m, const cJSON *schema, const cJSON *value)
{
	struct schema_report report = { 0 };
	struct walk w;
	bool is_fit;

	walk_init(&w, m->root, &report);
	w.quiet = true;
	w.steps = m->steps;
	is_fit = walk_check(&w, schema, value, NULL);
	m->steps = w.steps;
	walk_done(&w);
	schema_report_done(&report);
	return is_fit;
}

/* The value if it fits; else it is deleted, and NULL. Takes it. */
static cJSON *keep_if_fits(struct maker *m, const cJSON *schema, cJSON *value)
{
	if (!value || fits(m, schema, value))
		return value;
	cJSON_Delete(value);
	return NULL;
}

static cJSON *first_fitting(struct maker *m, const cJSON *schema,
			    const cJSON *values)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, values) {
		if (fits(m, schema, value))
			return cJSON_Duplicate(value, true);
	}
	return NULL;
}

/* What the schema itself offers. */
static cJSON *make_given(struct maker *m, const cJSON *schema)
{
	static const char *const single[] = { "const", "default" };
	cJSON *found = NULL;

	for (size_t i = 0; i < COUNT(single) && !found; i++) {
		const cJSON *value = json_member(schema, single[i]);

		if (value && fits(m, schema, value))
			found = cJSON_Duplicate(value, true);
	}
	if (!found)
		found = first_fitting(m, schema,
				      json_array(schema, "examples"));
	if (!found)
		found = first_fitting(m, schema, json_array(schema, "enum"));
	return found;
}

static cJSON *make_candidate(struct maker *m, const cJSON *schema,
			     cJSON *(*candidate)(const cJSON *schema,
						 const char *name, size_t n))
{
	cJSON *value = NULL;

	for (size_t n = 0; !value; n++) {
		cJSON *next = candidate(schema, m->name, n);

		if (!next)
			return NULL;
		value = keep_if_fits(m, schema, next);
	}
	return value;
}

/* Another value like those in array, for uniqueItems. */
static cJSON *make_another(struct maker *m, const cJSON *schema,
			   const cJSON *array)
{
	const cJSON *choice;

	cJSON_ArrayForEach(choice, json_array(schema, "enum")) {
		if (!json_array_has(array, choice))
			return cJSON_Duplicate(choice, true);
	}
	for (size_t n = 0; n < ANOTHER_MAX; n++) {
		cJSON *value = keep_if_fits(
			m, schema, candidate_another(schema, array->child, n));

		if (value && !json_array_has(array, value))
			return value;
		cJSON_Delete(value);
	}
	return NULL;
}

/* The schema of element i. */
static const cJSON *item_schema(const cJSON *schema, int i)
{
	const cJSON *tuple = json_array(schema, "prefixItems");
	const cJSON *items = json_member(schema, "items");

	if (!tuple && cJSON_IsArray(items))
		tuple = items;
	if (i < cJSON_GetArraySize(tuple))
		return cJSON_GetArrayItem(tuple, i);
	return cJSON_IsArray(items) ? NULL : items;
}

/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_item(struct maker *m, const cJSON *schema, cJSON *array,
			int i)
{
	const cJSON *item = item_schema(schema, i);
	cJSON *value = item ? make(m, item) : cJSON_CreateString("text");

	if (!value || !json_true(schema, "uniqueItems") ||
	    !json_array_has(array, value))
		return value;
	cJSON_Delete(value);
	return item ? make_another(m, schema_resolve(m->root, item), array) :
		      candidate_another(NULL, array->child, (size_t)i);
}

/* Is it worth showing where nothing needs to be? Not a tree in a tree. */
static bool is_shown(const struct maker *m, const cJSON *item)
{
	const cJSON *schema = item ? schema_resolve(m->root, item) : NULL;

	for (unsigned i = 0; i < m->depth; i++) {
		if (schema && m->inside[i] == schema)
			return false;
	}
	return m->depth < SHOWN_DEPTH_MAX;
}

/* As many items as must be, and one to show what they are, if one may be. */
/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_array(struct maker *m, const cJSON *schema)
{
	cJSON *array = cJSON_CreateArray();
	double least = 0;
	const cJSON *limit = json_member(schema, "minItems");

	if (cJSON_IsNumber(limit))
		least = limit->valuedouble;
	for (int i = 0; (i < least || i == 0) && i < ITEMS_MAX; i++) {
		cJSON *item;

		if (i >= least && !is_shown(m, item_schema(schema, i)))
			break;
		item = make_item(m, schema, array, i);

		if (!item)
			break;
		cJSON_AddItemToArray(array, item);
	}
	if (!fits(m, schema, array) && least < 1) {
		cJSON_Delete(array);
		array = cJSON_CreateArray();
	}
	return keep_if_fits(m, schema, array);
}

/* The schema of a member: by its name, by a pattern, that of all others. */
static const cJSON *member_schema(const cJSON *schema, const char *name)
{
	const cJSON *found =
		json_member(json_object(schema, "properties"), name);
	const cJSON *each;

	cJSON_ArrayForEach(each, json_object(schema, "patternProperties")) {
		struct pattern p = { 0 };

		if (!found &&
		    pattern_test(&p, each->string, name) == PATTERN_FITS)
			found = each;
		pattern_done(&p);
	}
	return found ? found : json_member(schema, "additionalProperties");
}

/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_member(struct maker *m, const cJSON *schema,
			  const char *name)
{
	const cJSON *property = member_schema(schema, name);
	const char *outer = m->name;
	cJSON *value;

	m->name = name;
	value = property ? make(m, property) : cJSON_CreateString("text");
	m->name = outer;
	return value;
}

/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_object(struct maker *m, const cJSON *schema)
{
	cJSON *object = cJSON_CreateObject();
	const cJSON *name;

	cJSON_ArrayForEach(name, json_array(schema, "required")) {
		cJSON *value;

		if (!cJSON_IsString(name) ||
		    json_member(object, name->valuestring))
			continue;
		value = make_member(m, schema, name->valuestring);
		if (!value)
			break;
		cJSON_AddItemToObject(object, name->valuestring, value);
	}
	return keep_if_fits(m, schema, object);
}

/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_typed(struct maker *m, const cJSON *schema, unsigned types)
{
	cJSON *value = NULL;

	if (types & SCHEMA_INTEGER)
		value = make_candidate(m, schema, candidate_number);
	if (!value && (types & SCHEMA_STRING))
		value = make_candidate(m, schema, candidate_string);
	if (!value && (types & SCHEMA_BOOLEAN))
		value = make_candidate(m, schema, candidate_boolean);
	if (!value && (types & SCHEMA_OBJECT))
		value = make_object(m, schema);
	if (!value && (types & SCHEMA_ARRAY))
		value = make_array(m, schema);
	if (!value && (types & SCHEMA_NULL))
		value = keep_if_fits(m, schema, cJSON_CreateNull());
	return value;
}

#define ALL_TYPES                                                          \
	(SCHEMA_STRING | SCHEMA_INTEGER | SCHEMA_NUMBER | SCHEMA_BOOLEAN | \
	 SCHEMA_OBJECT | SCHEMA_ARRAY | SCHEMA_NULL)

/* Of the types that it says; else what it seems to be about, then any. */
/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_of_some_type(struct maker *m, const cJSON *schema)
{
	unsigned types = schema_types(m->root, schema);
	cJSON *value = NULL;

	if (types)
		return make_typed(m, schema, types);
	if (json_object(schema, "properties") || json_array(schema, "required"))
		value = make_object(m, schema);
	else if (json_member(schema, "items") ||
		 json_array(schema, "prefixItems"))
		value = make_array(m, schema);
	else if (json_member(schema, "minimum") ||
		 json_member(schema, "maximum"))
		value = make_candidate(m, schema, candidate_number);
	return value ? value : make_typed(m, schema, ALL_TYPES);
}

/* Laying one schema over another copies both: that counts as much as checking. */
static bool afford_copy(struct maker *m, const cJSON *schema)
{
	size_t cost = walk_count(schema_resolve(m->root, schema));

	m->steps = cost < m->steps ? m->steps - cost : 0;
	return m->steps > 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_merged(struct maker *m, const cJSON *schema, cJSON *merged)
{
	cJSON *value = keep_if_fits(m, schema, make(m, merged));

	cJSON_Delete(merged);
	return value;
}

/* All parts laid over the rest of the schema. */
/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_all_of(struct maker *m, const cJSON *schema)
{
	const cJSON *part;
	bool afforded = afford_copy(m, schema);

	cJSON_ArrayForEach(part, json_array(schema, "allOf")) {
		afforded = afforded && afford_copy(m, part);
	}
	if (!afforded)
		return NULL;
	return make_merged(m, schema, candidate_merge_all(m->root, schema));
}

/* The first alternative that helps, laid over the rest of the schema. */
/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_one_of(struct maker *m, const cJSON *schema,
			  const char *keyword)
{
	const cJSON *part;
	cJSON *value = NULL;

	cJSON_ArrayForEach(part, json_array(schema, keyword)) {
		if (m->left == 0 || !afford_copy(m, schema) ||
		    !afford_copy(m, part))
			break;
		value = make_merged(
			m, schema,
			candidate_merge(m->root, schema, keyword, part));
		if (value)
			break;
	}
	return value;
}

/* NOLINTNEXTLINE(misc-no-recursion): see make */
static cJSON *make_combined(struct maker *m, const cJSON *schema)
{
	cJSON *value = NULL;

	if (json_array(schema, "allOf"))
		return make_all_of(m, schema);
	if (json_array(schema, "anyOf"))
		value = make_one_of(m, schema, "anyOf");
	if (!value && json_array(schema, "oneOf"))
		value = make_one_of(m, schema, "oneOf");
	return value;
}

/* NOLINTNEXTLINE(misc-no-recursion): depth and looks are counted */
static cJSON *make(struct maker *m, const cJSON *schema)
{
	cJSON *value = NULL;

	if (cJSON_IsTrue(schema))
		return cJSON_CreateString("text");
	if (m->depth >= DEPTH_MAX || m->left == 0 || m->steps == 0)
		return NULL;
	m->left--;
	schema = schema_resolve(m->root, schema);
	m->inside[m->depth++] = schema;
	if (cJSON_IsObject(schema)) {
		value = make_given(m, schema);
		if (!value)
			value = make_combined(m, schema);
		if (!value)
			value = make_of_some_type(m, schema);
	}
	m->depth--;
	return value;
}

cJSON *schema_example_in(const cJSON *root, const cJSON *schema)
{
	struct maker m = {
		.root = root,
		.left = LOOKS_MAX,
		.steps = SCHEMA_STEPS_MAX,
	};

	return keep_if_fits(&m, schema, make(&m, schema));
}

cJSON *schema_example(const cJSON *schema)
{
	return schema_example_in(schema, schema);
}
