/* SPDX-License-Identifier: MIT */
#include "diag/schema_judge.h"

#include <string.h>

#include "diag/subjects.h"
#include "diag/tool_judge.h"
#include "mcp/schema.h"
#include "mcp/tools.h"

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool is_type(const cJSON *type, const char *name)
{
	const cJSON *one;

	if (cJSON_IsString(type))
		return strcmp(type->valuestring, name) == 0;
	if (!cJSON_IsArray(type))
		return false;
	cJSON_ArrayForEach(one, type) {
		if (cJSON_IsString(one) && strcmp(one->valuestring, name) == 0)
			return true;
	}
	return false;
}

static bool is_known_type(const cJSON *type)
{
	static const char *const types[] = { "object", "array",	  "string",
					     "number", "integer", "boolean",
					     "null" };

	for (size_t i = 0; i < COUNT(types); i++) {
		if (cJSON_IsString(type) && is_type(type, types[i]))
			return true;
	}
	return false;
}

static bool are_known_types(const cJSON *type)
{
	const cJSON *one;

	if (!cJSON_IsArray(type))
		return is_known_type(type);
	cJSON_ArrayForEach(one, type) {
		if (!is_known_type(one))
			return false;
	}
	return cJSON_GetArraySize(type) > 0;
}

static bool is_put_together(const cJSON *schema)
{
	static const char *const keywords[] = { "$ref",	 "$dynamicRef",
						"anyOf", "oneOf",
						"allOf", "prefixItems" };

	for (size_t i = 0; i < COUNT(keywords); i++) {
		if (member(schema, keywords[i]))
			return true;
	}
	return false;
}

typedef bool model_refuses(const struct model_fact *m);

static bool refuses_arrays(const struct model_fact *m)
{
	return m->array_items;
}

static bool refuses_unknown(const struct model_fact *m)
{
	return m->known_required;
}

/* False: none does. */
static bool find_refusing(struct subjects *who, model_refuses *refuses)
{
	size_t count;
	const struct model_fact *m = model_facts(&count);

	for (size_t i = 0; i < count; i++) {
		if (refuses(&m[i]))
			subjects_add_model(who, &m[i]);
	}
	return who->count > 0;
}

/* ": OpenAI and Gemini refuse that" */
static void add_refusing(struct buf *out, const struct subjects *who)
{
	buf_text(out, ": ");
	subjects_as_models(out, who);
	buf_text(out,
		 subjects_are_many(who) ? " refuse that" : " refuses that");
}

static void add_name(struct buf *out, const char *name)
{
	buf_char(out, '\'');
	judge_word(out, name ? name : "inputSchema");
	buf_char(out, '\'');
}

static bool array_fault(const cJSON *schema, const char *name, struct buf *out)
{
	struct subjects who = { 0 };

	if (!is_type(member(schema, "type"), "array") ||
	    member(schema, "items") || is_put_together(schema) ||
	    !find_refusing(&who, refuses_arrays))
		return false;
	add_name(out, name);
	buf_text(out, " is an array without items");
	add_refusing(out, &who);
	return true;
}

/* A name that is required and no property; NULL. */
static const char *unknown_required(const cJSON *schema)
{
	struct name_set known = { 0 };
	const char *found = NULL;
	const cJSON *one;

	tool_names_add(&known, member(schema, "properties"));
	cJSON_ArrayForEach(one, member(schema, "required")) {
		const char *name = cJSON_GetStringValue(one);

		if (!name || name_set_find(&known, name) != NAME_NONE)
			continue;
		found = name;
		break;
	}
	name_set_done(&known);
	return found;
}

static bool required_fault(const cJSON *schema, struct buf *out)
{
	struct subjects who = { 0 };
	const char *name;

	if (!member(schema, "required") || is_put_together(schema) ||
	    member(schema, "patternProperties") ||
	    !find_refusing(&who, refuses_unknown))
		return false;
	name = unknown_required(schema);
	if (!name)
		return false;
	add_name(out, name);
	buf_text(out, " is required and no property");
	add_refusing(out, &who);
	return true;
}

/* A keyword that has a value of the wrong kind. */
static bool kind_fault(const cJSON *schema, const char *name, struct buf *out)
{
	const cJSON *type = member(schema, "type");
	const cJSON *properties = member(schema, "properties");
	const cJSON *required = member(schema, "required");
	const char *what = NULL;

	if (type && !are_known_types(type))
		what = "has a type that JSON Schema does not have";
	else if (properties && !cJSON_IsObject(properties))
		what = "has properties that are no object";
	else if (required && !cJSON_IsArray(required))
		what = "has a 'required' that is no list";
	if (!what)
		return false;
	add_name(out, name);
	buf_printf(out, " %s", what);
	return true;
}

/* name NULL: of the whole. */
/* NOLINTNEXTLINE(misc-no-recursion): to SCHEMA_DEPTH_MAX */
static bool fault(const cJSON *schema, const char *name, bool models, int depth,
		  struct buf *out)
{
	const cJSON *one;

	if (!cJSON_IsObject(schema) || depth > SCHEMA_DEPTH_MAX)
		return false;
	if (kind_fault(schema, name, out))
		return true;
	if (models &&
	    (array_fault(schema, name, out) || required_fault(schema, out)))
		return true;
	cJSON_ArrayForEach(one, member(schema, "properties")) {
		if (fault(one, one->string, models, depth + 1, out))
			return true;
	}
	return fault(member(schema, "items"), name, models, depth + 1, out);
}

bool judge_schema(const struct tool *t, struct buf *out)
{
	const cJSON *schema = t->schema;
	const cJSON *type = member(schema, "type");

	if (!schema)
		buf_text(out, "it has no inputSchema");
	else if (!cJSON_IsObject(schema))
		buf_text(out, "its inputSchema is no object");
	else if (!cJSON_IsString(type) ||
		 strcmp(type->valuestring, "object") != 0)
		buf_text(out, "its inputSchema has no \"type\":\"object\"");
	else /* models see no tool that is for users only */
		return fault(schema, NULL, !t->user_only, 0, out);
	buf_text(out, ": MCP wants that, and strict clients refuse the list");
	return true;
}
