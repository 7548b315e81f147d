/* SPDX-License-Identifier: MIT */
/*
 * A reply in each line, fed to a listing: the tools' bytes are their trees, and
 * whatever is asked of a tool ends.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "mcp/listing.h"

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

static int feed(struct listing *l, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct error err = { 0 };
	struct message m;
	int status;

	if (message_decode_take(&m, NULL, text, len, NULL) < 0)
		return 0;
	status = listing_feed_take(l, &m, &err);
	assert((status < 0) == (err.kind == ERR_PROTOCOL));
	error_reset(&err);
	listing_params(l, &params);
	assert(params.len == 0 ||
	       json_check(params.data, params.len, NULL) == 0);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data;
	const char *end = at + size;
	CLEANUP(tool_list_done) struct tool_list list = { 0 };
	CLEANUP(listing_done) struct listing l;
	int status = 0;

	listing_init(&l, &list, size % 2);
	while (at < end && !l.done && status == 0) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		const char *stop = line_end ? line_end : end;

		status = feed(&l, at, (size_t)(stop - at));
		at = stop < end ? stop + 1 : end;
	}
	for (size_t i = 0; i < list.count && i < 50; i++)
		check_tool(&list, &list.tool[i]);
	return 0;
}
