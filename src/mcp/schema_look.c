/* SPDX-License-Identifier: MIT */
/*
 * Looks into a schema without a value. A peer wrote the schema: $ref may go
 * round, alternatives may multiply, so every look has an end of its own.
 */
#include "mcp/schema_look.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define REFS_MAX 64
#define PARTS_MAX 64
#define LOOKS_MAX 500

static const struct {
	const char *name;
	unsigned bits;
} types[] = {
	{ "number", SCHEMA_NUMBER | SCHEMA_INTEGER },
	{ "integer", SCHEMA_INTEGER },
	{ "string", SCHEMA_STRING },
	{ "boolean", SCHEMA_BOOLEAN },
	{ "array", SCHEMA_ARRAY },
	{ "object", SCHEMA_OBJECT },
	{ "null", SCHEMA_NULL },
};

unsigned schema_type_bit(const char *name)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].bits;
	return 0;
}

unsigned schema_type_of(const cJSON *value)
{
	double number;

	if (!cJSON_IsNumber(value))
		return schema_type_bit(json_type_name(value));
	number = value->valuedouble;
	return isfinite(number) && floor(number) == number ? SCHEMA_INTEGER :
							     SCHEMA_NUMBER;
}

void schema_type_names(unsigned bits, struct buf *out)
{
	const char *before = "";

	if (bits == 0)
		buf_text(out, "any");
	for (size_t i = 0; i < COUNT(types); i++) {
		if ((bits & types[i].bits) != types[i].bits)
			continue;
		buf_printf(out, "%s%s", before, types[i].name);
		before = " or ";
		bits &= ~types[i].bits;
	}
}

/* "~1" is '/', "~0" is '~' (RFC 6901); in place. */
static void unescape(char *token)
{
	char *to = token;

	for (const char *from = token; *from; from++) {
		if (from[0] == '~' && (from[1] == '0' || from[1] == '1'))
			*to++ = *++from == '0' ? '~' : '/';
		else
			*to++ = *from;
	}
	*to = '\0';
}

static const cJSON *step_into(const cJSON *at, const char *token)
{
	int64_t index;

	if (cJSON_IsObject(at))
		return json_member(at, token);
	if (!cJSON_IsArray(at) || text_integer(token, 0, INT32_MAX, &index) < 0)
		return NULL;
	return cJSON_GetArrayItem(at, (int)index);
}

const cJSON *schema_pointer(const cJSON *root, const char *reference)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	const cJSON *at = root;
	char *token;

	if (*reference != '#')
		return NULL;
	path = mem_strdup(reference + 1);
	if (text_percent_decode(path) < 0 || (*path && *path != '/'))
		return NULL;
	for (token = path; at && *token == '/';) {
		char *end = strchrnul(token + 1, '/');
		char mark = *end;

		*end = '\0';
		unescape(token + 1);
		at = step_into(at, token + 1);
		*end = mark;
		token = end;
	}
	return at;
}

const cJSON *schema_resolve(const cJSON *root, const cJSON *schema)
{
	for (int i = 0; i < REFS_MAX; i++) {
		const char *reference = json_string(schema, "$ref");
		const cJSON *target =
			reference ? schema_pointer(root, reference) : NULL;
		if (!target)
			break;
		schema = target;
	}
	return schema;
}

/* A look that goes through alternatives; ends when nothing is left of it. */
struct look {
	const cJSON *root;
	unsigned left;
};

static unsigned look_types(struct look *look, const cJSON *schema);

/* NOLINTNEXTLINE(misc-no-recursion): see look_types */
static unsigned union_types(struct look *look, const cJSON *alternatives)
{
	const cJSON *schema;
	unsigned bits = 0;

	cJSON_ArrayForEach(schema, alternatives) {
		unsigned some = look_types(look, schema);

		if (some == 0)
			return 0;
		bits |= some;
	}
	return bits;
}

/* NOLINTNEXTLINE(misc-no-recursion): see look_types */
static unsigned common_types(struct look *look, const cJSON *all)
{
	const cJSON *schema;
	unsigned bits = ~0U;

	cJSON_ArrayForEach(schema, all) {
		unsigned some = look_types(look, schema);

		if (some)
			bits &= some;
	}
	return bits == ~0U ? 0 : bits;
}

static unsigned named_types(const cJSON *type)
{
	const cJSON *name;
	unsigned bits = 0;

	if (cJSON_IsString(type))
		return schema_type_bit(type->valuestring);
	/* What an SDK writes for a boolean (mcp-mqtt.md 7). */
	if (cJSON_IsTrue(type))
		return SCHEMA_BOOLEAN;
	if (!cJSON_IsArray(type))
		return 0;
	cJSON_ArrayForEach(name, type) {
		if (cJSON_IsString(name))
			bits |= schema_type_bit(name->valuestring);
	}
	return bits;
}

static unsigned listed_types(const cJSON *schema)
{
	const cJSON *only = json_member(schema, "const");
	const cJSON *choice;
	unsigned bits = 0;

	if (only)
		return schema_type_of(only);
	cJSON_ArrayForEach(choice, json_array(schema, "enum")) {
		bits |= schema_type_of(choice);
	}
	return bits & SCHEMA_NUMBER ? bits | SCHEMA_INTEGER : bits;
}

/* NOLINTNEXTLINE(misc-no-recursion): ends with look->left */
static unsigned look_types(struct look *look, const cJSON *schema)
{
	static const char *const alternatives[] = { "anyOf", "oneOf" };
	unsigned bits;

	if (look->left == 0)
		return 0;
	look->left--;
	schema = schema_resolve(look->root, schema);
	bits = named_types(json_member(schema, "type"));
	if (bits == 0)
		bits = listed_types(schema);
	for (size_t i = 0; i < COUNT(alternatives) && bits == 0; i++)
		bits = union_types(look, json_array(schema, alternatives[i]));
	return bits ? bits : common_types(look, json_array(schema, "allOf"));
}

unsigned schema_types(const cJSON *root, const cJSON *schema)
{
	struct look look = { root, LOOKS_MAX };

	return look_types(&look, schema);
}

/* The schemas that count as one: schema, what it refers to, what it combines. */
struct parts {
	const cJSON *part[PARTS_MAX];
	size_t count;
};

static void parts_add(struct parts *p, const cJSON *schema)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->part[i] == schema)
			return;
	if (schema && p->count < PARTS_MAX)
		p->part[p->count++] = schema;
}

static void parts_collect(struct parts *p, const cJSON *root,
			  const cJSON *schema, bool alternatives)
{
	static const char *const combining[] = { "allOf", "anyOf", "oneOf" };

	p->count = 0;
	parts_add(p, schema);
	for (size_t i = 0; i < p->count; i++) {
		const char *reference = json_string(p->part[i], "$ref");
		size_t kinds = alternatives ? COUNT(combining) : 1;
		const cJSON *each;

		if (reference)
			parts_add(p, schema_pointer(root, reference));
		for (size_t k = 0; k < kinds; k++) {
			cJSON_ArrayForEach(
				each, json_array(p->part[i], combining[k])) {
				parts_add(p, each);
			}
		}
	}
}

const cJSON *schema_property(const cJSON *root, const cJSON *schema,
			     const char *name)
{
	struct parts parts;

	parts_collect(&parts, root, schema, true);
	for (size_t i = 0; i < parts.count; i++) {
		const cJSON *found = json_member(
			json_object(parts.part[i], "properties"), name);
		if (found)
			return found;
	}
	return NULL;
}

const cJSON *schema_items(const cJSON *root, const cJSON *schema)
{
	struct parts parts;

	parts_collect(&parts, root, schema, true);
	for (size_t i = 0; i < parts.count; i++) {
		const cJSON *found = json_object(parts.part[i], "items");

		if (found)
			return found;
	}
	return NULL;
}

static bool array_holds(const cJSON *array, const char *text)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, array) {
		if (cJSON_IsString(element) &&
		    strcmp(element->valuestring, text) == 0)
			return true;
	}
	return false;
}

bool schema_requires(const cJSON *root, const cJSON *schema, const char *name)
{
	struct parts parts;

	parts_collect(&parts, root, schema, false);
	for (size_t i = 0; i < parts.count; i++)
		if (array_holds(json_array(parts.part[i], "required"), name))
			return true;
	return false;
}

static size_t add_name(const char **out, size_t count, size_t max,
		       const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(out[i], name) == 0)
			return count;
	if (count < max)
		out[count++] = name;
	return count;
}

size_t schema_property_names(const cJSON *root, const cJSON *schema,
			     const char **out, size_t max)
{
	const cJSON *property;
	struct parts parts;
	size_t count = 0;

	parts_collect(&parts, root, schema, true);
	for (size_t i = 0; i < parts.count; i++) {
		const cJSON *properties =
			json_object(parts.part[i], "properties");

		cJSON_ArrayForEach(property, properties) {
			count = add_name(out, count, max, property->string);
			if (count == max)
				return count;
		}
	}
	return count;
}
