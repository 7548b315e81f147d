/* SPDX-License-Identifier: MIT */
/*
 * A list of header fields in the order in which they came. Names are compared
 * without case; nothing is joined here.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/endpoint.h"

#define HEADERS_MAX 49152

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

bool header_name_fits(const char *name)
{
	for (const char *p = name; *p; p++) {
		if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f ||
		    strchr("()<>@,;:\\\"/[]?={}", *p))
			return false;
	}
	return *name;
}

bool header_value_fits(const char *value)
{
	for (const char *p = value; *p; p++) {
		if (((unsigned char)*p < 0x20 && *p != '\t') || *p == 0x7f)
			return false;
	}
	return true;
}

static bool is_among(const char *const *names, const char *name)
{
	while (*names && !text_same(*names, name))
		names++;
	return *names;
}

int headers_check(const struct headers *h, const char *const *ours,
		  const char *setter, struct error *err)
{
	size_t total = 0;

	for (size_t i = 0; i < h->count; i++) {
		const char *name = h->item[i].name, *value = h->item[i].value;

		if (!header_name_fits(name) || !header_value_fits(value))
			return error_set(err, ERR_USAGE,
					 "the header '%.60s' cannot be sent",
					 name);
		if (is_among(ours, name))
			return error_set(err, ERR_USAGE,
					 "the header '%.60s' is set by the %s "
					 "itself",
					 name, setter);
		total += strlen(name) + strlen(value) + 4;
	}
	if (total > HEADERS_MAX)
		return error_set(err, ERR_USAGE, "the headers are too long");
	return 0;
}
