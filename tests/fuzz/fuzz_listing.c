/* SPDX-License-Identifier: MIT */
/*
 * A reply in each line, fed to a listing: the tools' bytes are their trees, and
 * whatever is asked of a tool ends.
 */
#include "feed_listing.h"

#include <stdint.h>

#include "mcp/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tool(const struct tool_list *l, const struct tool *t)
{
	struct span text = tool_text(t);
	CLEANUP(json_free_ptr)
	cJSON *again = json_parse(text.text, text.len, NULL);
	const struct tool *found = tool_list_find(l, t->name);

	assert(again && json_equal(again, t->json));
	assert(!*t->name || found);
	assert(!found || strcmp(found->name, t->name) == 0);
	assert(t->duplicate == (found && found != t));
	tool_matches(t, t->description);
	tool_matches(t, "a*");
	tool_collision(l, t, SANITISE_WIDE);
	tool_collision(l, t, SANITISE_DOTS);
	tool_list_nearest(l, t->description);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data;
	const char *end = at + size;
	CLEANUP(tool_list_done) struct tool_list list = { 0 };
	CLEANUP(listing_done) struct listing l;

	listing_init(&l, &list, size % 2);
	feed_listing(&l, at, end);
	for (size_t i = 0; i < list.count && i < 50; i++)
		check_tool(&list, &list.tool[i]);
	return 0;
}
