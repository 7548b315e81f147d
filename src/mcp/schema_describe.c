/* SPDX-License-Identifier: MIT */
/*
 * A schema as one line for people. It says less than the schema where the
 * line would grow too long or too deep. Nothing is checked here.
 */
#include "mcp/schema_describe.h"

#include <string.h>

#include "mcp/schema.h"
#include "mcp/schema_look.h"

#define DEPTH_MAX 3
#define LINE_MAX_BYTES 1000
#define CHOICES_MAX 12
#define NAMES_MAX 12
#define NAME_MAX_BYTES 80

struct describe {
	const cJSON *root;
	struct buf *out;
	size_t start; /* of the line in out */
	unsigned depth;
};

static void describe(struct describe *d, const cJSON *schema);

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

static void limits_of_number(const cJSON *schema, struct buf *out)
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

static void limits_of_string(const cJSON *schema, struct buf *out)
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

static bool is_full(const struct describe *d)
{
	return d->out->len - d->start > LINE_MAX_BYTES;
}

static bool all_are_strings(const cJSON *array)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, array) {
		if (!cJSON_IsString(element))
			return false;
	}
	return true;
}

static bool describe_choice(struct describe *d, const cJSON *schema)
{
	const cJSON *only = json_member(schema, "const");
	const cJSON *choices = json_array(schema, "enum");
	const cJSON *choice;
	size_t count = 0;

	if (only) {
		buf_text(d->out, "always ");
		json_print_cut(d->out, only, SCHEMA_PRINT_MAX);
		return true;
	}
	if (!choices)
		return false;
	buf_text(d->out, !choices->child ? "nothing: its enum is empty" :
			 all_are_strings(choices) ? "string, one of" :
						    "one of");
	cJSON_ArrayForEach(choice, choices) {
		buf_char(d->out, ' ');
		if (count++ == CHOICES_MAX || is_full(d)) {
			buf_text(d->out, "…");
			break;
		}
		json_print_cut(d->out, choice, SCHEMA_PRINT_MAX);
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): see describe */
static bool describe_combined(struct describe *d, const cJSON *schema,
			      const char *keyword, const char *between)
{
	const cJSON *all = json_array(schema, keyword);
	const cJSON *one;

	if (!all || !all->child)
		return false;
	cJSON_ArrayForEach(one, all) {
		if (one != all->child)
			buf_text(d->out, between);
		if (is_full(d)) {
			buf_text(d->out, "…");
			break;
		}
		describe(d, one);
	}
	return true;
}

/* Names that are not plain words are quoted, so that the line stays one. */
static void describe_name(struct describe *d, const char *name)
{
	if (!*name || strlen(name) > NAME_MAX_BYTES) {
		buf_text(d->out, *name ? "(a long name)" : "(no name)");
		return;
	}
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c <= ' ' || strchr("\"\\{}:,?", *c)) {
			buf_json_string(d->out, name, strlen(name));
			return;
		}
	buf_text(d->out, name);
}

/* NOLINTNEXTLINE(misc-no-recursion): see describe */
static void describe_object(struct describe *d, const cJSON *schema)
{
	const cJSON *rest = json_object(schema, "additionalProperties");
	const cJSON *properties = json_object(schema, "properties");
	const cJSON *property;
	size_t count = 0;

	buf_text(d->out, "object");
	if (!properties || !properties->child) {
		if (rest && d->depth <= DEPTH_MAX) {
			buf_text(d->out, " of ");
			describe(d, rest);
		}
		return;
	}
	if (d->depth > DEPTH_MAX)
		return;
	buf_text(d->out, " {");
	cJSON_ArrayForEach(property, properties) {
		if (count > 0)
			buf_text(d->out, ", ");
		if (count++ == NAMES_MAX || is_full(d)) {
			buf_text(d->out, "…");
			break;
		}
		describe_name(d, property->string);
		if (!schema_requires(d->root, schema, property->string))
			buf_char(d->out, '?');
		buf_text(d->out, ": ");
		describe(d, property);
	}
	buf_char(d->out, '}');
}

/* NOLINTNEXTLINE(misc-no-recursion): see describe */
static void describe_tuple(struct describe *d, const cJSON *schemas)
{
	const cJSON *schema;
	size_t count = 0;

	buf_text(d->out, " [");
	cJSON_ArrayForEach(schema, schemas) {
		if (schema != schemas->child)
			buf_text(d->out, ", ");
		if (count++ == NAMES_MAX || is_full(d)) {
			buf_text(d->out, "…");
			break;
		}
		describe(d, schema);
	}
	buf_char(d->out, ']');
}

/* NOLINTNEXTLINE(misc-no-recursion): see describe */
static void describe_array(struct describe *d, const cJSON *schema)
{
	const cJSON *items = json_member(schema, "items");
	const cJSON *tuple = json_array(schema, "prefixItems");

	if (!tuple)
		tuple = json_array(schema, "items");
	buf_text(d->out, "array");
	if (d->depth <= DEPTH_MAX && tuple) {
		describe_tuple(d, tuple);
	} else if (d->depth <= DEPTH_MAX && cJSON_IsObject(items)) {
		buf_text(d->out, " of ");
		describe(d, items);
	}
	limits_of_array(schema, d->out);
}

/* What a schema without type seems to be about. */
static unsigned guess_types(const cJSON *schema)
{
	static const struct {
		const char *keyword;
		unsigned types;
	} signs[] = {
		{ "properties", SCHEMA_OBJECT },
		{ "required", SCHEMA_OBJECT },
		{ "items", SCHEMA_ARRAY },
		{ "prefixItems", SCHEMA_ARRAY },
		{ "minLength", SCHEMA_STRING },
		{ "maxLength", SCHEMA_STRING },
		{ "pattern", SCHEMA_STRING },
		{ "minimum", SCHEMA_NUMBER | SCHEMA_INTEGER },
		{ "maximum", SCHEMA_NUMBER | SCHEMA_INTEGER },
	};

	for (size_t i = 0; i < COUNT(signs); i++)
		if (json_member(schema, signs[i].keyword))
			return signs[i].types;
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): see describe */
static void describe_types(struct describe *d, const cJSON *schema,
			   unsigned types)
{
	if (types == 0)
		types = guess_types(schema);
	if (types == SCHEMA_OBJECT) {
		describe_object(d, schema);
		return;
	}
	if (types == SCHEMA_ARRAY) {
		describe_array(d, schema);
		return;
	}
	schema_type_names(types, d->out);
	if (types & SCHEMA_INTEGER)
		limits_of_number(schema, d->out);
	if (types & SCHEMA_STRING)
		limits_of_string(schema, d->out);
}

/* The last part of a reference that cannot be followed. */
static void describe_reference(struct describe *d, const char *reference)
{
	const char *slash = strrchr(reference, '/');

	describe_name(d, slash && slash[1] ? slash + 1 : reference);
}

/* NOLINTNEXTLINE(misc-no-recursion): depth is counted; the line has an end */
static void describe_inside(struct describe *d, const cJSON *schema)
{
	bool has_type = json_member(schema, "type") != NULL;
	const char *reference = json_string(schema, "$ref");

	if (reference)
		describe_reference(d, reference);
	else if (describe_choice(d, schema))
		return;
	else if (has_type)
		describe_types(d, schema, schema_types(d->root, schema));
	else if (!describe_combined(d, schema, "anyOf", " or ") &&
		 !describe_combined(d, schema, "oneOf", " or ") &&
		 !describe_combined(d, schema, "allOf", " and "))
		describe_types(d, schema, 0);
}

/* NOLINTNEXTLINE(misc-no-recursion): depth is counted; the line has an end */
static void describe(struct describe *d, const cJSON *schema)
{
	const cJSON *usual = json_member(schema, "default");

	if (cJSON_IsBool(schema)) {
		buf_text(d->out, cJSON_IsTrue(schema) ? "any" : "nothing");
		return;
	}
	schema = schema_resolve(d->root, schema);
	if (!usual)
		usual = json_member(schema, "default");
	if (d->depth > DEPTH_MAX + 1 || is_full(d)) {
		buf_text(d->out, "…");
		return;
	}
	d->depth++;
	describe_inside(d, schema);
	d->depth--;
	if (usual) {
		buf_text(d->out, ", default ");
		json_print_cut(d->out, usual, SCHEMA_PRINT_MAX);
	}
}

void schema_describe_in(const cJSON *root, const cJSON *schema, struct buf *out)
{
	struct describe d = { .root = root, .out = out, .start = out->len };

	describe(&d, schema);
}

void schema_describe(const cJSON *schema, struct buf *out)
{
	schema_describe_in(schema, schema, out);
}
