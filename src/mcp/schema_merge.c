/* SPDX-License-Identifier: MIT */
/* Schemas laid over each other: where both say something, both count. */
#include <string.h>

#include "mcp/schema_candidate.h"
#include "mcp/schema_look.h"

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
