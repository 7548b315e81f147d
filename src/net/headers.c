/* SPDX-License-Identifier: MIT */
/*
 * A list of header fields in the order in which they came. Names are compared
 * without case; nothing is checked or joined here.
 */
#include "base/mem.h"
#include "base/text.h"
#include "net/endpoint.h"

void headers_add(struct headers *h, const char *name, const char *value)
{
	struct header *item;

	h->item = mem_grow(h->item, &h->capacity, h->count, sizeof(*h->item));
	item = &h->item[h->count++];
	item->name = mem_strdup(name);
	item->value = mem_strdup(value);
}

const char *headers_get(const struct headers *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++) {
		if (text_same(h->item[i].name, name))
			return h->item[i].value;
	}
	return NULL;
}

void headers_done(struct headers *h)
{
	for (size_t i = 0; i < h->count; i++) {
		mem_free(h->item[i].name);
		mem_free(h->item[i].value);
	}
	mem_free(h->item);
	*h = (struct headers){ 0 };
}
