/* SPDX-License-Identifier: MIT */
/* The numbers stand in a map where the things of others would. */
#include "mcp/name_set.h"

static size_t find(const struct name_set *s, uint64_t hash)
{
	size_t at = 0;
	const void *found = map_find(&s->names, hash, &at);

	return found ? (size_t)(uintptr_t)found - 1 : NAME_NONE;
}

size_t name_set_find(const struct name_set *s, const char *name)
{
	return find(s, map_hash_text(name));
}

size_t name_set_add(struct name_set *s, const char *name, size_t value)
{
	uint64_t hash = map_hash_text(name);
	size_t known = find(s, hash);

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): nobody follows it */
	void *item = (void *)(uintptr_t)(value + 1);

	if (known == NAME_NONE)
		map_add(&s->names, hash, item);
	return known;
}

void name_set_done(struct name_set *s)
{
	map_done(&s->names);
}

static const char *twice_here(const cJSON *object)
{
	struct name_set names = { 0 };
	const char *twice = NULL;
	const cJSON *member;

	cJSON_ArrayForEach(member, object) {
		if (name_set_add(&names, member->string, 0) == NAME_NONE)
			continue;
		twice = member->string;
		break;
	}
	name_set_done(&names);
	return twice;
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than JSON_DEPTH_MAX */
const char *name_set_twice(const cJSON *value)
{
	const char *twice = cJSON_IsObject(value) ? twice_here(value) : NULL;
	const cJSON *member;

	cJSON_ArrayForEach(member, value) {
		if (!twice && member->child)
			twice = name_set_twice(member);
	}
	return twice;
}
