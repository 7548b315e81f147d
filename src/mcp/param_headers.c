/* SPDX-License-Identifier: MIT */
/* Which arguments HTTP repeats as headers. */
#include "mcp/param_headers.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "mcp/modern.h"

#define MARK "x-mcp-header"
#define HEADER "Mcp-Param-"
#define SAFE_INTEGER 9007199254740991.0 /* 2^53 - 1 */

/* ---- whether they are as they must be ---- */

struct mark_walk {
	struct words names;
	struct error *err;
};

/* RFC 9110, 5.6.2. */
static bool is_token(const char *text)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (const char *p = text; *p; p++) {
		char c = (char)text_lower(*p);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    !strchr(others, c))
			return false;
	}
	return *text != '\0';
}

static bool is_taken(const struct mark_walk *w, const char *name)
{
	for (size_t i = 0; i < w->names.count; i++) {
		if (strcasecmp(w->names.word[i], name) == 0)
			return true;
	}
	return false;
}

static bool has_type(const cJSON *schema)
{
	const char *type = json_string(schema, "type");

	return type &&
	       (strcmp(type, "string") == 0 || strcmp(type, "integer") == 0 ||
		strcmp(type, "boolean") == 0);
}

static int check_mark(struct mark_walk *w, const cJSON *schema,
		      const cJSON *mark, bool reachable)
{
	const char *name = cJSON_GetStringValue(mark);

	if (!name || !is_token(name))
		return error_set(w->err, ERR_PROTOCOL,
				 "an " MARK " is no name of a header");
	if (!reachable)
		return error_set(
			w->err, ERR_PROTOCOL,
			"the " MARK
			" '%.60s' stands where no argument is named by properties alone",
			name);
	if (!has_type(schema))
		return error_set(
			w->err, ERR_PROTOCOL,
			"the " MARK
			" '%.60s' is of no argument of type string, integer or boolean",
			name);
	if (is_taken(w, name))
		return error_set(w->err, ERR_PROTOCOL,
				 "the " MARK " '%.60s' stands twice", name);
	if (w->names.count == PARAM_HEADERS_MAX)
		return error_set(w->err, ERR_PROTOCOL,
				 "more than %d arguments are to be headers",
				 PARAM_HEADERS_MAX);
	words_add(&w->names, name);
	return 0;
}

static bool is_among(const char *const *words, const char *name)
{
	for (; *words; words++) {
		if (strcmp(*words, name) == 0)
			return true;
	}
	return false;
}

/* Keywords whose members are schemas by a name, and those that are schemas. */
static const char *const maps[] = { "properties",  "patternProperties", "$defs",
				    "definitions", "dependentSchemas",	NULL };
static const char *const schemas[] = { "items",
				       "additionalItems",
				       "prefixItems",
				       "contains",
				       "additionalProperties",
				       "propertyNames",
				       "unevaluatedItems",
				       "unevaluatedProperties",
				       "oneOf",
				       "anyOf",
				       "allOf",
				       "not",
				       "if",
				       "then",
				       "else",
				       NULL };

static int walk(struct mark_walk *w, const cJSON *schema, bool reachable,
		bool root);

/* NOLINTNEXTLINE(misc-no-recursion) */
static int walk_each(struct mark_walk *w, const cJSON *named, bool reachable)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, named) {
		if (walk(w, each, reachable, false))
			return -1;
	}
	return 0;
}

/* json_parse bounds the depth. root: the schema of all arguments itself. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static int walk(struct mark_walk *w, const cJSON *schema, bool reachable,
		bool root)
{
	const cJSON *member;

	if (cJSON_IsArray(schema))
		return walk_each(w, schema, false);
	cJSON_ArrayForEach(member, schema) {
		const char *key = member->string;
		bool steps = reachable && strcmp(key, "properties") == 0;

		if (strcmp(key, MARK) == 0 &&
		    check_mark(w, schema, member, reachable && !root))
			return -1;
		if (is_among(maps, key) && cJSON_IsObject(member) &&
		    walk_each(w, member, steps))
			return -1;
		if (is_among(schemas, key) && walk(w, member, false, false))
			return -1;
	}
	return 0;
}

int param_headers_check(const cJSON *schema, size_t *count, struct error *err)
{
	struct mark_walk w = { .err = err };
	int status = walk(&w, schema, true, true);

	*count = w.names.count;
	words_done(&w.names);
	return status;
}

/* ---- of a call ---- */

static void add_value(struct headers *out, const char *name, const char *value)
{
	CLEANUP(mem_free_ptr) char *header = mem_printf(HEADER "%s", name);
	CLEANUP(buf_done) struct buf text = { 0 };

	modern_header_value(&text, value);
	headers_add(out, header, buf_string(&text));
}

static void add_one(struct headers *out, const char *name, const char *type,
		    const cJSON *value)
{
	char number[32];
	double n = cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;

	if (strcmp(type, "string") == 0 && cJSON_IsString(value)) {
		add_value(out, name, value->valuestring);
	} else if (strcmp(type, "boolean") == 0 && cJSON_IsBool(value)) {
		add_value(out, name, cJSON_IsTrue(value) ? "true" : "false");
	} else if (strcmp(type, "integer") == 0 && n == trunc(n) &&
		   fabs(n) <= SAFE_INTEGER) {
		snprintf(number, sizeof(number), "%lld", (long long)n);
		add_value(out, name, number);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the schema */
void param_headers_add(struct headers *out, const cJSON *schema,
		       const cJSON *arguments)
{
	const cJSON *property;

	cJSON_ArrayForEach(property, json_object(schema, "properties")) {
		const cJSON *value = json_member(arguments, property->string);
		const char *name = json_string(property, MARK);
		const char *type = json_string(property, "type");

		if (!value)
			continue;
		if (name && type)
			add_one(out, name, type, value);
		param_headers_add(out, property, value);
	}
}
