/* SPDX-License-Identifier: MIT */
/* A service's file put over what it extends: as JSON, before it is checked. */
#include <string.h>

#include "sim/service_private.h"

/* Lists whose elements have a name, and what names them. */
static const struct {
	const char *list, *key;
} named[] = {
	{ "tools", "name" },
	{ "prompts", "name" },
	{ "resources", "uri" },
};

static void put(cJSON *object, const cJSON *member)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, member->string);
	cJSON_AddItemToObject(object, member->string,
			      cJSON_Duplicate(member, true));
}

static void put_all(cJSON *object, const cJSON *over)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, over) {
		put(object, member);
	}
}

/* The last of that name among the inherited ones; NULL. */
static cJSON *find(cJSON *list, int count, const char *key, const char *name)
{
	cJSON *one = list->child;

	for (; one && count > 0; one = one->next, count--) {
		const char *own = json_string(one, key);

		if (name && own && !strcmp(own, name))
			return one;
	}
	return NULL;
}

/* Elements of a known name change that one, the others follow behind. */
static void merge_list(cJSON *list, const cJSON *over, const char *key)
{
	int inherited = cJSON_GetArraySize(list);
	const cJSON *one;

	cJSON_ArrayForEach(one, over) {
		cJSON *same = find(list, inherited, key, json_string(one, key));

		if (same)
			put_all(same, one);
		else
			cJSON_AddItemToArray(list, cJSON_Duplicate(one, true));
	}
}

static const char *key_of(const char *list)
{
	size_t i;

	for (i = 0; i < COUNT(named); i++) {
		if (!strcmp(named[i].list, list))
			return named[i].key;
	}
	return NULL;
}

void service_merge(cJSON *under, const cJSON *over)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, over) {
		const char *key = key_of(member->string);
		cJSON *list = json_array(under, member->string);
		cJSON *object = json_object(under, member->string);

		if (key && list && cJSON_IsArray(member))
			merge_list(list, member, key);
		else if (object && cJSON_IsObject(member))
			put_all(object, member);
		else
			put(under, member);
	}
}
