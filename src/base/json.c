/* SPDX-License-Identifier: MIT */
/*
 * Trees: parsed behind the scan, read, compared. Printing is in json_print.c.
 */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"

/* The integers up to here have a double of their own. */
#define INTEGER_MAX 9007199254740991.0

cJSON *json_parse(const char *text, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr) char *mended = NULL;
	cJSON *tree;
	bool odd;

	if (json_scan(text, len, &odd, err))
		return NULL;
	if (odd) {
		mended = mem_copy(text, len);
		json_mend(mended, len);
	}
	tree = cJSON_ParseWithLength(mended ? mended : text, len);
	if (!tree)
		error_set(err, ERR_PROTOCOL, "JSON that cannot be read");
	return tree;
}

cJSON *json_member(const cJSON *object, const char *name)
{
	if (!cJSON_IsObject(object))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *json_string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(json_member(object, name));
}

cJSON *json_object(const cJSON *object, const char *name)
{
	cJSON *member = json_member(object, name);

	return cJSON_IsObject(member) ? member : NULL;
}

cJSON *json_array(const cJSON *object, const char *name)
{
	cJSON *member = json_member(object, name);

	return cJSON_IsArray(member) ? member : NULL;
}

/* Without floor(), which would need libm. */
static bool is_whole(double value)
{
	if (!isfinite(value))
		return false;
	return fabs(value) > INTEGER_MAX || (double)(int64_t)value == value;
}

int json_integer(const cJSON *object, const char *name, int64_t *out)
{
	const cJSON *member = json_member(object, name);
	double value;

	if (!cJSON_IsNumber(member))
		return -1;
	value = member->valuedouble;
	if (!(fabs(value) <= INTEGER_MAX) || !is_whole(value))
		return -1;
	*out = (int64_t)value;
	return 0;
}

bool json_true(const cJSON *object, const char *name)
{
	return cJSON_IsTrue(json_member(object, name));
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

struct member {
	const cJSON *value;
	size_t position;
};

/* By name; those of the same name stay in their order. */
static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->value->string ? x->value->string : "",
			   y->value->string ? y->value->string : "");

	if (order)
		return order;
	return (x->position > y->position) - (x->position < y->position);
}

static struct member *sorted_members(const cJSON *object, size_t count)
{
	struct member *members = mem_zalloc(count * sizeof(*members));
	const cJSON *child;
	size_t i = 0;

	cJSON_ArrayForEach(child, object) {
		members[i].value = child;
		members[i].position = i;
		i++;
	}
	qsort(members, count, sizeof(*members), compare_members);
	return members;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static bool equal_objects(const cJSON *a, const cJSON *b)
{
	size_t count = (size_t)cJSON_GetArraySize(a), i;
	CLEANUP(mem_free_ptr) struct member *left = NULL;
	CLEANUP(mem_free_ptr) struct member *right = NULL;

	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
		return false;
	left = sorted_members(a, count);
	right = sorted_members(b, count);
	for (i = 0; i < count; i++) {
		const cJSON *x = left[i].value, *y = right[i].value;

		if (!same_text(x->string, y->string) || !json_equal(x, y))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static bool equal_arrays(const cJSON *a, const cJSON *b)
{
	const cJSON *x = a->child, *y = b->child;

	while (x && y && json_equal(x, y)) {
		x = x->next;
		y = y->next;
	}
	return !x && !y;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
bool json_equal(const cJSON *a, const cJSON *b)
{
	if (!a || !b || (a->type & 0xff) != (b->type & 0xff))
		return a == b;
	if (cJSON_IsNumber(a))
		return a->valuedouble >= b->valuedouble &&
		       a->valuedouble <= b->valuedouble;
	if (cJSON_IsString(a) || cJSON_IsRaw(a))
		return same_text(a->valuestring, b->valuestring);
	if (cJSON_IsArray(a))
		return equal_arrays(a, b);
	if (cJSON_IsObject(a))
		return equal_objects(a, b);
	return true;
}

bool json_array_has(const cJSON *array, const cJSON *value)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, array) {
		if (json_equal(element, value))
			return true;
	}
	return false;
}

const char *json_type_name(const cJSON *value)
{
	if (!value)
		return "nothing";
	if (cJSON_IsObject(value))
		return "object";
	if (cJSON_IsArray(value))
		return "array";
	if (cJSON_IsString(value))
		return "string";
	if (cJSON_IsBool(value))
		return "boolean";
	if (cJSON_IsNull(value))
		return "null";
	if (!cJSON_IsNumber(value))
		return "unknown";
	/* JSON Schema: 1.0 is an integer too. */
	return is_whole(value->valuedouble) ? "integer" : "number";
}

void json_free_ptr(cJSON **tree)
{
	cJSON_Delete(*tree);
	*tree = NULL;
}
