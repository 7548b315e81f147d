/* SPDX-License-Identifier: MIT */
/* The keywords of arrays. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/schema_check.h"

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

bool check_prefix_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsArray(operand))
		return walk_ignore(c, "prefixItems");
	return !cJSON_IsArray(c->value) || check_each(c, operand);
}

/* One schema for all behind prefixItems; or, up to 2019-09, an array of them. */
bool check_items(const struct check *c, const cJSON *operand)
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

bool check_min_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "minItems");
	if (!cJSON_IsArray(c->value))
		return true;
	return cJSON_GetArraySize(c->value) >= operand->valuedouble ||
	       walk_fail_json(c, "minItems", operand);
}

bool check_max_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsNumber(operand))
		return walk_ignore(c, "maxItems");
	if (!cJSON_IsArray(c->value))
		return true;
	return cJSON_GetArraySize(c->value) <= operand->valuedouble ||
	       walk_fail_json(c, "maxItems", operand);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Equal values have equal hashes: numbers by value, members in any order. */
/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
static uint64_t hash_value(const cJSON *value)
{
	unsigned type = (unsigned)value->type & 0xff;
	uint64_t hash =
		hash_bytes(UINT64_C(0xcbf29ce484222325), &type, sizeof(type));
	double number = value->valuedouble + 0.0; /* -0.0 is 0.0 */
	uint64_t members = 0;
	const cJSON *child;

	if (cJSON_IsNumber(value))
		return hash_bytes(hash, &number, sizeof(number));
	if (cJSON_IsString(value))
		return hash_bytes(hash, value->valuestring,
				  strlen(value->valuestring));
	cJSON_ArrayForEach(child, value) {
		uint64_t one = hash_value(child);

		if (child->string)
			members += hash_bytes(one, child->string,
					      strlen(child->string));
		else
			hash = hash_bytes(hash, &one, sizeof(one));
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

bool check_unique_items(const struct check *c, const cJSON *operand)
{
	if (!cJSON_IsBool(operand))
		return walk_ignore(c, "uniqueItems");
	if (cJSON_IsFalse(operand) || !cJSON_IsArray(c->value))
		return true;
	if (!walk_spend(c, (size_t)cJSON_GetArraySize(c->value)))
		return false;
	return !has_equal_items(c->value) || walk_fail(c, "uniqueItems", NULL);
}
