/* SPDX-License-Identifier: MIT */
/* Examples out of schemas, and the candidates for them. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/pattern.h"
#include "mcp/pattern_text.h"
#include "mcp/schema.h"
#include "mcp/schema_example.h"
#include "mcp/schema_look.h"

#define ANOTHER_UP 32 /* larger numbers, then as many smaller ones */
#define ANOTHER_MAX (ANOTHER_UP + ANOTHER_UP)

static cJSON *candidate_another(const cJSON *schema, const cJSON *like,
				size_t n);

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

/*
 * A schema that says what schema says, less its keyword, and what part says
 * ($ref followed, also in the second form, which lays on every part of allOf).
 */
static cJSON *candidate_merge(const cJSON *root, const cJSON *schema,
			      const char *keyword, const cJSON *part)
{
	cJSON *merged = cJSON_Duplicate(schema, true);

	cJSON_DeleteItemFromObjectCaseSensitive(merged, keyword);
	merge(merged, root, part);
	return merged;
}

static cJSON *candidate_merge_all(const cJSON *root, const cJSON *schema)
{
	cJSON *merged = cJSON_Duplicate(schema, true);
	const cJSON *part;

	cJSON_DeleteItemFromObjectCaseSensitive(merged, "allOf");
	cJSON_ArrayForEach(part, json_array(schema, "allOf")) {
		merge(merged, root, part);
	}
	return merged;
}

/* Numbers and strings to try; booleans are but two. */

#define LENGTH_MAX 4096

static bool read_number(const cJSON *schema, const char *keyword, double *out)
{
	const cJSON *member = json_member(schema, keyword);

	if (!cJSON_IsNumber(member))
		return false;
	*out = member->valuedouble;
	return true;
}

struct bounds {
	double low, high, step;
	bool has_low, has_high;
};

static struct bounds read_bounds(const cJSON *schema)
{
	struct bounds b = { .step = 1 };
	double limit;

	b.has_low = read_number(schema, "minimum", &b.low);
	b.has_high = read_number(schema, "maximum", &b.high);
	if (read_number(schema, "exclusiveMinimum", &limit) &&
	    (!b.has_low || limit >= b.low)) {
		b.low = limit;
		b.has_low = true;
	}
	if (read_number(schema, "exclusiveMaximum", &limit) &&
	    (!b.has_high || limit <= b.high)) {
		b.high = limit;
		b.has_high = true;
	}
	if (!read_number(schema, "multipleOf", &b.step) || !(b.step > 0))
		b.step = 1;
	return b;
}

#define NUMBERS_MAX 16

/* The middle of a range; its ends, and a step inside, as an end may be excluded. */
static size_t list_numbers(const struct bounds *b, double *out)
{
	double middle = b->low + (b->high - b->low) / 2;
	size_t count = 0;

	if (b->has_low && b->has_high) {
		out[count++] = floor(middle / b->step) * b->step;
		out[count++] = ceil(middle / b->step) * b->step;
		out[count++] = middle;
	}
	for (int i = 0; i < 2 && b->has_low; i++) {
		out[count++] = ceil(b->low / b->step) * b->step + i * b->step;
		out[count++] = b->low + i * b->step;
		out[count++] = b->low + i * b->step / 2;
	}
	for (int i = 0; i < 2 && b->has_high; i++) {
		out[count++] = floor(b->high / b->step) * b->step - i * b->step;
		out[count++] = b->high - i * b->step;
	}
	out[count++] = b->step;
	out[count++] = b->step / 2;
	out[count++] = 0;
	return count;
}

/* The n-th candidate; NULL: there are no more. name is the property's, or NULL. */
static cJSON *candidate_number(const cJSON *schema, const char *name, size_t n)
{
	struct bounds bounds = read_bounds(schema);
	double numbers[NUMBERS_MAX];
	size_t count = list_numbers(&bounds, numbers);

	(void)name;
	if (n >= count)
		return NULL;
	return cJSON_CreateNumber(isfinite(numbers[n]) ? numbers[n] : 0);
}

static cJSON *candidate_boolean(const cJSON *schema, const char *name, size_t n)
{
	(void)schema;
	(void)name;
	return n < 2 ? cJSON_CreateBool(n == 0) : NULL;
}

static const struct {
	const char *format, *text;
} formats[] = {
	{ "date-time", "2025-01-31T12:00:00Z" },
	{ "date", "2025-01-31" },
	{ "time", "12:00:00Z" },
	{ "duration", "PT10S" },
	{ "email", "user@example.com" },
	{ "hostname", "example.com" },
	{ "ipv4", "192.0.2.1" },
	{ "ipv6", "2001:db8::1" },
	{ "uri", "http://example.com/" },
	{ "url", "http://example.com/" },
	{ "uuid", "123e4567-e89b-42d3-a456-426614174000" },
};

/* For patterns: what they often ask for. */
static const char *const guesses[] = {
	"text",
	"a",
	"A",
	"0",
	"1",
	"ab",
	"AB",
	"10",
	"abc",
	"ABC",
	"100",
	"a1",
	"A1",
	"a-b",
	"a_b",
	"a.b",
	"a/b",
	"/",
	"/a",
	"#ffffff",
	"en-US",
	"1.0.0",
	"v1.0.0",
	"12:00",
	"+1234567890",
	"aa:bb:cc:dd:ee:ff",
	"AA:BB:CC:DD:EE:FF",
	"abcd1234",
};

/* A text of exactly the characters that are asked for. */
static cJSON *fitted_string(const char *text, size_t least, size_t most)
{
	size_t len = strlen(text);
	size_t want = len < least ? least : len > most ? most : len;
	char *fitted = mem_zalloc(want + 1);
	cJSON *value;

	for (size_t i = 0; i < want; i++)
		fitted[i] = text[i % len];
	value = cJSON_CreateString(fitted);
	mem_free(fitted);
	return value;
}

static const char *format_text(const char *format)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (strcmp(formats[i].format, format) == 0)
			return formats[i].text;
	return NULL;
}

/* What the format, or the name of the property, asks for. */
static const char *meant_text(const cJSON *schema, const char *name)
{
	const char *format = json_string(schema, "format");
	const char *text = format ? format_text(format) : NULL;

	if (!text && name && (text_find(name, "url") || text_find(name, "uri")))
		text = format_text("uri");
	return text ? text : "text";
}

/* How often what has no end is repeated; 0 once more: as long as it must be. */
static const size_t repeats[] = { 1, 0, 2, 3, 4, 8, 16, 32, 0 };

static cJSON *patterned_string(const char *pattern, size_t n, size_t least)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t repeat = repeats[n];

	if (n == COUNT(repeats) - 1)
		repeat = least < PATTERN_TEXT_MAX ? least : PATTERN_TEXT_MAX;
	if (pattern_text(pattern, repeat, &text) != 0)
		return cJSON_CreateString("text");
	return cJSON_CreateString(buf_string(&text));
}

static cJSON *candidate_string(const cJSON *schema, const char *name, size_t n)
{
	const char *pattern = json_string(schema, "pattern");
	double least = 0, most = LENGTH_MAX;

	read_number(schema, "minLength", &least);
	read_number(schema, "maxLength", &most);
	if (!(least >= 0))
		least = 0;
	if (!(most <= LENGTH_MAX))
		most = LENGTH_MAX;
	if (least > most || most < 0)
		return NULL;
	if (n == 0)
		return cJSON_CreateString(meant_text(schema, name));
	n--;
	if (pattern && n < COUNT(repeats))
		return patterned_string(pattern, n, (size_t)least);
	n -= pattern ? COUNT(repeats) : 0;
	if (n < COUNT(guesses))
		return fitted_string(guesses[n], (size_t)least, (size_t)most);
	n -= COUNT(guesses);
	if (n < COUNT(formats))
		return cJSON_CreateString(formats[n].text);
	n -= COUNT(formats);
	/* Four letters of each kind, then five, … up to 16. */
	if (n >= 39)
		return NULL;
	return fitted_string(n % 3 == 0 ? "a" :
			     n % 3 == 1 ? "A" :
					  "0",
			     n / 3 + 4, n / 3 + 4);
}

/* 6 for 5, then 7, …; then 4, 3, …: one of them is in the range. */
static cJSON *another_number(const cJSON *schema, double like, size_t n)
{
	double step = 1, times = (double)(n + 1);

	if (!read_number(schema, "multipleOf", &step) || !(step > 0))
		step = 1;
	if (n >= ANOTHER_UP)
		times = -(double)(n - ANOTHER_UP + 1);
	return cJSON_CreateNumber(like + times * step);
}

/* Another first member, or element, that can be another. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the value */
static cJSON *another_inside(const cJSON *like, size_t n)
{
	cJSON *copy = cJSON_Duplicate(like, true);
	cJSON *inner;

	cJSON_ArrayForEach(inner, copy) {
		cJSON *other = candidate_another(NULL, inner, n);

		if (!other)
			continue;
		if (cJSON_IsArray(like))
			cJSON_ReplaceItemViaPointer(copy, inner, other);
		else
			cJSON_ReplaceItemInObjectCaseSensitive(
				copy, inner->string, other);
		return copy;
	}
	cJSON_Delete(copy);
	return NULL;
}

/*
 * The n-th value (below ANOTHER_MAX) that is like another one of that schema,
 * but not it: 6 for 5, "text-2" for "text". NULL: there is none.
 */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the value */
static cJSON *candidate_another(const cJSON *schema, const cJSON *like,
				size_t n)
{
	char *text;
	cJSON *value;

	if (cJSON_IsNumber(like))
		return another_number(schema, like->valuedouble, n);
	if (cJSON_IsBool(like))
		return cJSON_CreateBool(!cJSON_IsTrue(like));
	if (cJSON_IsObject(like) || cJSON_IsArray(like))
		return another_inside(like, n);
	if (!cJSON_IsString(like))
		return NULL;
	text = mem_printf("%s-%zu", like->valuestring, n + 2);
	value = cJSON_CreateString(text);
	mem_free(text);
	return value;
}

/*
 * A value that fits a schema, for people to copy. Candidates are made and
 * checked, the likely ones first; nothing is proved, so NULL means only that
 * none of them fitted.
 */

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
	return schema_fits(m->root, schema, value, &m->steps);
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
	size_t cost = schema_count(schema_resolve(m->root, schema));

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
