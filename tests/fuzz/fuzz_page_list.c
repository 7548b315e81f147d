/* SPDX-License-Identifier: MIT */
/*
 * A reply in each line behind the first byte, which is the kind of list, fed to
 * a listing: the items' bytes are their trees, and whatever is looked for is
 * found or not.
 */
#include "feed_listing.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_item(const struct page_list *l, const struct list_item *item)
{
	CLEANUP(json_free_ptr)
	cJSON *again = json_parse(item->text.text, item->text.len, NULL);
	const struct list_item *found = page_list_find(l, item->key);
	const char *nearest = page_list_nearest(l, item->key);

	assert(again && json_equal(again, item->json));
	assert(!*item->key || found);
	assert(!found || found >= l->item);
	assert(!nearest || *nearest);
	if (item->description)
		page_list_nearest(l, item->description);
	if (item->name)
		assert(!*item->name || page_list_find(l, item->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data + 1;
	const char *end = (const char *)data + size;
	CLEANUP(page_list_done) struct page_list list = { 0 };
	CLEANUP(listing_done) struct listing l;

	list.kind = size ? (enum list_kind)(data[0] % 3) : LIST_PROMPTS;
	listing_init_items(&l, &list);
	feed_listing(&l, at, end);
	for (size_t i = 0; i < list.count && i < 50; i++)
		check_item(&list, &list.item[i]);
	return 0;
}
