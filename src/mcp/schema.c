/* SPDX-License-Identifier: MIT */
/*
 * One walk over schema and value: what it tells (the first mismatch with its
 * place, keywords that it did not check), how long it may take, and a function
 * for each keyword.
 */
#include "mcp/schema.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "mcp/format.h"
#include "mcp/pattern.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_look.h"

/* Where in the value: a chain on the stack, written out only on a mismatch. */
struct place {
	const struct place *up;
	const char *name; /* NULL: an element */
	size_t index;
	unsigned depth; /* 1 for a member of the whole */
};

struct walk {
	const cJSON *root;
	struct schema_report *report;
	struct pattern pattern;
	unsigned depth;
	size_t steps; /* left */
	bool old_refs; /* $ref hides what stands beside it */
	bool quiet; /* an alternative is tried: the report is not filled */
	unsigned dear; /* patterns that were given up */
	bool given_up; /* too deep or too long: no answer counts any more */
	/* The last mismatch, also of an alternative; depth is its place's. */
	const char *failed;
	unsigned failed_depth;
};

/* What one keyword is asked about. */
struct check {
	struct walk *walk;
	const cJSON *schema, *value;
	const struct place *place; /* NULL: the whole */
};

#define IGNORED_MAX 32

/* The place of a member or an element (name NULL) of c's value. */
static struct place walk_place(const struct check *c, const char *name,
			       size_t index)
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
		buf_add_cut(&r->operand, operand, strlen(operand),
			    SCHEMA_PRINT_MAX);
	r->keyword = keyword;
	buf_reset(&r->rule);
	buf_text(&r->rule, keyword);
	if (operand)
		buf_printf(&r->rule, " %s", buf_string(&r->operand));
	buf_reset(&r->value);
	if (c->value)
		json_print_cut(&r->value, c->value, SCHEMA_PRINT_MAX);
}

/* Report: false, so that it can end a check. */
static bool walk_fail(const struct check *c, const char *keyword,
		      const char *operand)
{
	c->walk->failed = keyword;
	c->walk->failed_depth = c->place ? c->place->depth : 0;
	if (!c->walk->quiet && !c->walk->given_up)
		fill_report(c, keyword, operand);
	return false;
}

static bool walk_fail_json(const struct check *c, const char *keyword,
			   const cJSON *operand)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!c->walk->quiet)
		json_print(&text, operand);
	return walk_fail(c, keyword, buf_string(&text));
}

/* Of the whole: too deep, too long. */
static bool walk_give_up(const struct check *c, const char *why)
{
	if (!c->walk->given_up)
		fill_report(c, why, NULL);
	c->walk->given_up = true;
	return false;
}

/* A visit costs a step; false: given up. */
static bool walk_spend(const struct check *c, size_t steps)
{
	if (c->walk->given_up)
		return false;
	if (c->walk->steps < steps)
		return walk_give_up(c, "steps");
	c->walk->steps -= steps;
	return true;
}

/* Gives true: a keyword that is not checked does not refuse. */
static bool walk_ignore(const struct check *c, const char *keyword)
{
	struct words *ignored = &c->walk->report->ignored;

	if (ignored->count < IGNORED_MAX)
		words_add_once(ignored, keyword);
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

static void walk_init(struct walk *w, const cJSON *root,
		      struct schema_report *report)
{
	*w = (struct walk){
		.root = root,
		.report = report,
		.steps = SCHEMA_STEPS_MAX,
		.old_refs = is_old_dialect(root),
	};
}

static void walk_done(struct walk *w)
{
	pattern_done(&w->pattern);
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
size_t schema_count(const cJSON *value)
{
	const cJSON *child;
	size_t count = 1;

	cJSON_ArrayForEach(child, value) {
		count += schema_count(child);
	}
	return count;
}

static bool walk_check(struct walk *w, const cJSON *schema, const cJSON *value,
		       const struct place *place);

/* The keywords of arrays. */

/* Element i against schema i, as far as both reach. */
static bool check_each(const struct check *c, const cJSON *schemas)
{
	const cJSON *schema = schemas->child;
	const cJSON *element = c->value->child;

	for (size_t i = 0; schema && element; i++) {
		struct place place = walk_place(c, NULL, i);

		if (!walk_check(c->walk, schema, element, &place))
			return false;
		schema = schema->next;
		element = element->next;
	}
	return true;
}

static bool check_prefix_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "prefixItems");
	return !cJSON_IsArray(c->value) || check_each(c, operand);
}

/* One schema for all behind prefixItems; or, up to 2019-09, an array of them. */
static bool check_items(const struct check *c, const cJSON *operand)
{
	size_t before = (size_t)cJSON_GetArraySize(
		json_array(c->schema, "prefixItems"));
	const cJSON *element;
	size_t i = 0;

	if (!cJSON_IsArray(c->value))
		return true;
	if (cJSON_IsArray(operand))
		return check_each(c, operand);
	cJSON_ArrayForEach(element, c->value) {
		struct place place = walk_place(c, NULL, i);

		if (!walk_spend(c, 1))
			return false;
		if (i++ >= before &&
		    !walk_check(c->walk, operand, element, &place))
			return false;
	}
	return true;
}

static bool check_min_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "minItems");
	if (!cJSON_IsArray(c->value))
		return true;
	return cJSON_GetArraySize(c->value) >= operand->valuedouble ||
	       walk_fail_json(c, "minItems", operand);
}

static bool check_max_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "maxItems");
	if (!cJSON_IsArray(c->value))
		return true;
	return cJSON_GetArraySize(c->value) <= operand->valuedouble ||
	       walk_fail_json(c, "maxItems", operand);
}

static uint64_t hash_both(uint64_t a, uint64_t b)
{
	const uint64_t both[] = { a, b };

	return map_hash(both, sizeof(both));
}

/* Equal values have equal hashes: numbers by value, members in any order. */
/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
static uint64_t hash_value(const cJSON *value)
{
	uint64_t hash = (unsigned)value->type & 0xff;
	double number = value->valuedouble + 0.0; /* -0.0 is 0.0 */
	uint64_t members = 0;
	const cJSON *child;

	if (cJSON_IsNumber(value))
		return hash_both(hash, map_hash(&number, sizeof(number)));
	if (cJSON_IsString(value))
		return hash_both(hash, map_hash_text(value->valuestring));
	cJSON_ArrayForEach(child, value) {
		uint64_t one = hash_value(child);

		if (child->string)
			members += hash_both(one, map_hash_text(child->string));
		else
			hash = hash_both(hash, one);
	}
	return hash + members;
}

struct hashed {
	uint64_t hash;
	const cJSON *value;
};

static int compare_hashed(const void *a, const void *b)
{
	const struct hashed *left = a;
	const struct hashed *right = b;

	return (left->hash > right->hash) - (left->hash < right->hash);
}

/* Among those with the same hash as the first. */
static bool equals_another(const struct hashed *first, const struct hashed *end)
{
	for (const struct hashed *h = first + 1; h < end; h++) {
		if (h->hash != first->hash)
			return false;
		if (json_equal(first->value, h->value))
			return true;
	}
	return false;
}

/* By sorted hashes, as comparing each with each is dear for long arrays. */
static bool has_equal_items(const cJSON *array)
{
	size_t count = (size_t)cJSON_GetArraySize(array);
	struct hashed *all = mem_alloc((count + 1) * sizeof(*all));
	const cJSON *element;
	bool found = false;
	size_t n = 0;

	cJSON_ArrayForEach(element, array) {
		all[n++] = (struct hashed){ hash_value(element), element };
	}
	qsort(all, n, sizeof(*all), compare_hashed);
	for (size_t i = 0; i < n && !found; i++)
		found = equals_another(&all[i], all + n);
	mem_free(all);
	return found;
}

static bool check_unique_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsBool(operand))
		return walk_ignore(c, "uniqueItems");
	if (cJSON_IsFalse(operand) || !cJSON_IsArray(c->value))
		return true;
	if (!walk_spend(c, (size_t)cJSON_GetArraySize(c->value)))
		return false;
	return !has_equal_items(c->value) || walk_fail(c, "uniqueItems", NULL);
}

static bool check_format(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsString(operand))
		return walk_ignore(c, "format");
	if (!cJSON_IsString(c->value))
		return true;
	return format_fits(operand->valuestring, c->value->valuestring) ||
	       walk_fail(c, "format", operand->valuestring);
}

/*
 * The keywords that combine schemas. Alternatives are tried in silence; if
 * none fits, and one of them was meant, that one is asked again, aloud.
 */

static bool check_all_of(const struct check *c, const cJSON *operand)
{
	const cJSON *schema;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "allOf");
	cJSON_ArrayForEach(schema, operand) {
		if (!walk_check(c->walk, schema, c->value, c->place))
			return false;
	}
	return true;
}

static bool try_quietly(const struct check *c, const cJSON *schema)
{
	bool quiet = c->walk->quiet;
	bool fits;

	c->walk->quiet = true;
	fits = walk_check(c->walk, schema, c->value, c->place);
	c->walk->quiet = quiet;
	return fits;
}

/* Was the alternative that failed last of the right kind at least? */
static bool was_meant(const struct check *c)
{
	static const char *const kinds[] = { "type", "const", "enum", "false" };

	if (c->walk->failed_depth > (c->place ? c->place->depth : 0))
		return true;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(c->walk->failed, kinds[i]) == 0)
			return false;
	return true;
}

/* How many fit, up to enough; *meant is the only one that nearly did, or NULL. */
static size_t count_fits(const struct check *c, const cJSON *operand,
			 size_t enough, const cJSON **meant)
{
	const cJSON *schema;
	size_t fits = 0;
	size_t near = 0;

	*meant = NULL;
	cJSON_ArrayForEach(schema, operand) {
		if (try_quietly(c, schema)) {
			if (++fits == enough)
				break;
		} else if (!c->walk->given_up && was_meant(c)) {
			*meant = schema;
			near++;
		}
	}
	if (near != 1)
		*meant = NULL;
	return fits;
}

static void describe_alternatives(const struct check *c, const cJSON *operand,
				  struct buf *out)
{
	const cJSON *schema;

	cJSON_ArrayForEach(schema, operand) {
		if (out->len > 0)
			buf_text(out, "; ");
		schema_describe_in(c->walk->root, schema, out);
	}
}

static bool fits_none(const struct check *c, const cJSON *operand,
		      const cJSON *meant)
{
	CLEANUP(buf_done) struct buf alternatives = { 0 };

	if (c->walk->quiet || c->walk->given_up)
		return walk_fail(c, "anyOf", NULL);
	if (meant)
		return walk_check(c->walk, meant, c->value, c->place);
	describe_alternatives(c, operand, &alternatives);
	return walk_fail(c, "anyOf", buf_string(&alternatives));
}

static bool check_any_of(const struct check *c, const cJSON *operand)
{
	const cJSON *meant;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "anyOf");
	return count_fits(c, operand, 1, &meant) > 0 ||
	       fits_none(c, operand, meant);
}

static bool check_one_of(const struct check *c, const cJSON *operand)
{
	char count[24];
	const cJSON *meant;
	size_t fits;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "oneOf");
	fits = count_fits(c, operand, SIZE_MAX, &meant);
	if (fits == 1)
		return true;
	if (fits == 0)
		return fits_none(c, operand, meant);
	snprintf(count, sizeof(count), "%zu", fits);
	return walk_fail(c, "oneOf", count);
}

static bool check_not(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsObject(operand) && !cJSON_IsBool(operand))
		return walk_ignore(c, "not");
	return !try_quietly(c, operand) || walk_fail(c, "not", NULL);
}

/* The keywords of numbers. Numbers are doubles, as cJSON has them. */

/* Draft 4 wrote "exclusiveMinimum": true beside "minimum". */
static bool is_strict(const struct check *c, const char *keyword)
{
	return json_true(c->schema, keyword);
}

static bool is_within(double value, double bound, bool upper, bool strict)
{
	if (upper)
		return strict ? value < bound : value <= bound;
	return strict ? value > bound : value >= bound;
}

static bool check_bound(const struct check *c, const cJSON *operand, bool upper,
			bool strict)
{
	static const char *const pairs[][2] = {
		{ "minimum", "exclusiveMinimum" },
		{ "maximum", "exclusiveMaximum" },
	};
	const char *const *keyword = pairs[upper];

	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, keyword[strict]);
	if (!cJSON_IsNumber(c->value))
		return true;
	strict = strict || is_strict(c, keyword[true]);
	return is_within(c->value->valuedouble, operand->valuedouble, upper,
			 strict) ||
	       walk_fail_json(c, keyword[strict], operand);
}

static bool check_minimum(const struct check *c, const cJSON *operand)
{
	return check_bound(c, operand, false, false);
}

static bool check_maximum(const struct check *c, const cJSON *operand)
{
	return check_bound(c, operand, true, false);
}

static bool check_exclusive_minimum(const struct check *c, const cJSON *operand)
{
	return cJSON_IsBool(operand) || check_bound(c, operand, false, true);
}

static bool check_exclusive_maximum(const struct check *c, const cJSON *operand)
{
	return cJSON_IsBool(operand) || check_bound(c, operand, true, true);
}

/* 0.0075 is 75 times 0.0001 on paper, and nearly so in doubles. */
static bool is_multiple(double value, double of)
{
	double times = value / of;
	double error;

	if (fmod(value, of) == 0)
		return true;
	if (!isfinite(times) || (floor(value) == value && floor(of) == of))
		return false;
	error = fabs(value - round(times) * of);
	return error <= 4 * DBL_EPSILON * fabs(value);
}

static bool check_multiple_of(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand) || !(operand->valuedouble > 0))
		return walk_ignore(c, "multipleOf");
	if (!cJSON_IsNumber(c->value))
		return true;
	return is_multiple(c->value->valuedouble, operand->valuedouble) ||
	       walk_fail_json(c, "multipleOf", operand);
}

/* The keywords of strings. Lengths are characters, not bytes. */

static size_t characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static bool check_min_length(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "minLength");
	if (!cJSON_IsString(c->value))
		return true;
	return (double)characters(c->value->valuestring) >=
		       operand->valuedouble ||
	       walk_fail_json(c, "minLength", operand);
}

static bool check_max_length(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "maxLength");
	if (!cJSON_IsString(c->value))
		return true;
	return (double)characters(c->value->valuestring) <=
		       operand->valuedouble ||
	       walk_fail_json(c, "maxLength", operand);
}

#define PATTERN_STEPS 10
#define DEAR_MAX 10

/* The same, as a part of a walk: it costs steps, and some are the last that are dear. */
static enum pattern_result walk_pattern(const struct check *c,
					const char *pattern, const char *text)
{
	enum pattern_result result;

	if (c->walk->dear >= DEAR_MAX || !walk_spend(c, PATTERN_STEPS))
		return PATTERN_UNKNOWN;
	result = pattern_test(&c->walk->pattern, pattern, text);
	c->walk->dear += result == PATTERN_DEAR;
	return result;
}

static bool check_pattern(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsString(operand))
		return walk_ignore(c, "pattern");
	if (!cJSON_IsString(c->value))
		return true;
	switch (walk_pattern(c, operand->valuestring, c->value->valuestring)) {
	case PATTERN_FITS:
		return true;
	case PATTERN_FITS_NOT:
		return walk_fail(c, "pattern", operand->valuestring);
	case PATTERN_UNKNOWN:
	case PATTERN_DEAR:
		break;
	}
	return walk_ignore(c, "pattern");
}

/* The keywords of objects. */

static bool check_required(const struct check *c, const cJSON *operand)
{
	const cJSON *name;

	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "required");
	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(name, operand) {
		struct place place;
		struct check missing;

		if (!walk_spend(c, 1))
			return false;
		if (!cJSON_IsString(name) ||
		    json_member(c->value, name->valuestring))
			continue;
		place = walk_place(c, name->valuestring, 0);
		missing = (struct check){ c->walk, c->schema, NULL, &place };
		return walk_fail(&missing, "required", NULL);
	}
	return true;
}

static bool check_properties(const struct check *c, const cJSON *operand)
{
	const cJSON *property;

	if (!cJSON_IsObject(operand))
		return walk_ignore(c, "properties");
	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(property, operand) {
		const cJSON *member = json_member(c->value, property->string);
		struct place place = walk_place(c, property->string, 0);

		if (!walk_spend(c, 1))
			return false;
		if (member && !walk_check(c->walk, property, member, &place))
			return false;
	}
	return true;
}

/* Does a pattern of operand name this member? What is not known counts as yes. */
static bool any_pattern_names(const struct check *c, const cJSON *operand,
			      const char *name)
{
	const cJSON *rule;

	cJSON_ArrayForEach(rule, operand) {
		if (walk_pattern(c, rule->string, name) != PATTERN_FITS_NOT)
			return true;
	}
	return false;
}

static bool check_named_so(const struct check *c, const cJSON *rule)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, c->value) {
		struct place place = walk_place(c, member->string, 0);
		enum pattern_result named;

		named = walk_pattern(c, rule->string, member->string);
		if (named == PATTERN_UNKNOWN || named == PATTERN_DEAR)
			return walk_ignore(c, "patternProperties");
		if (named == PATTERN_FITS &&
		    !walk_check(c->walk, rule, member, &place))
			return false;
	}
	return true;
}

static bool check_pattern_properties(const struct check *c,
				     const cJSON *operand)
{
	const cJSON *rule;

	if (!cJSON_IsObject(operand))
		return walk_ignore(c, "patternProperties");
	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(rule, operand) {
		if (!check_named_so(c, rule))
			return false;
	}
	return true;
}

static bool is_named(const struct check *c, const char *name)
{
	return json_member(json_object(c->schema, "properties"), name) ||
	       any_pattern_names(c, json_object(c->schema, "patternProperties"),
				 name);
}

static bool check_additional_properties(const struct check *c,
					const cJSON *operand)
{
	const cJSON *member;

	if (!cJSON_IsObject(c->value))
		return true;
	cJSON_ArrayForEach(member, c->value) {
		struct place place = walk_place(c, member->string, 0);
		struct check unknown = { c->walk, c->schema, member, &place };

		if (!walk_spend(c, 1))
			return false;
		if (is_named(c, member->string))
			continue;
		if (cJSON_IsFalse(operand))
			return walk_fail(&unknown, "additionalProperties",
					 NULL);
		if (!walk_check(c->walk, operand, member, &place))
			return false;
	}
	return true;
}

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
	/* What an SDK writes for a boolean (mcp-mqtt.md 7). */
	if (cJSON_IsTrue(operand))
		return SCHEMA_BOOLEAN;
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

/* operand is its value in the schema. */
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
	{ "format", check_format },
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
	{ "x-mcp-header", NULL },
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
static bool walk_keywords(const struct check *c)
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

/* Everything that the schema asks of the value. False: it does not fit. */
/* NOLINTNEXTLINE(misc-no-recursion): no deeper than SCHEMA_DEPTH_MAX */
static bool walk_check(struct walk *w, const cJSON *schema, const cJSON *value,
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

/* ---- a report in words, and the ways in ---- */

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
	w.steps += schema_count(value) * 32;
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

bool schema_fits(const cJSON *root, const cJSON *schema, const cJSON *value,
		 size_t *steps)
{
	struct schema_report report = { 0 };
	struct walk w;
	bool fits;

	walk_init(&w, root, &report);
	w.quiet = true;
	w.steps = *steps;
	fits = walk_check(&w, schema, value, NULL);
	*steps = w.steps;
	walk_done(&w);
	schema_report_done(&report);
	return fits;
}
