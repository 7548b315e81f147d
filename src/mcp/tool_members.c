/* SPDX-License-Identifier: MIT */
/* Sorting members by name. */
#include "mcp/tool_members.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct placed {
	const cJSON *member;
	size_t position;
};

static int by_name(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = strcmp(x->member->string, y->member->string);

	if (order != 0)
		return order;
	return x->position < y->position ? -1 : 1;
}

void tool_members_of(struct tool_members *out, const cJSON *object)
{
	size_t count =
		cJSON_IsObject(object) ? (size_t)cJSON_GetArraySize(object) : 0;
	struct placed *sorted = mem_alloc((count + 1) * sizeof(*sorted));
	const cJSON *member = count ? object->child : NULL;

	*out = (struct tool_members){ 0 };
	out->item = mem_alloc((count + 1) * sizeof(cJSON *));
	for (size_t i = 0; i < count; i++, member = member->next)
		sorted[i] = (struct placed){ member, i };
	qsort(sorted, count, sizeof(*sorted), by_name);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(sorted[i].member->string,
				     sorted[i - 1].member->string) != 0)
			out->item[out->count++] = sorted[i].member;
	}
	mem_free(sorted);
}

void tool_members_done(struct tool_members *m)
{
	mem_free(m->item);
	*m = (struct tool_members){ 0 };
}

void tool_names_add(struct name_set *out, const cJSON *from)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, from) {
		const char *name = cJSON_IsObject(from) ?
					   each->string :
					   cJSON_GetStringValue(each);

		if (name)
			name_set_add(out, name, 0);
	}
}
