/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an HTTP message: the same head, body and end in whatever pieces
 * they come; its fields are found and replaced without reading past them.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/http_parts.h"

#define KEEP 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many bytes belong to it. */
static size_t feed(struct http_parts *p, const uint8_t *data, size_t size,
		   size_t step)
{
	size_t used = 0;

	while (used < size && !p->over && !p->broken) {
		size_t piece = size - used < step ? size - used : step;
		size_t took =
			http_parts_feed(p, (const char *)data + used, piece);

		assert(took <= piece);
		used += took;
		assert(p->body.len <= KEEP && p->body.len <= p->size);
		if (!took)
			break;
	}
	return used;
}

static void look(const struct http_parts *p)
{
	struct buf out = { 0 };
	struct span length = http_parts_field(buf_string(&p->head), p->head.len,
					      "Content-Length");

	http_parts_replace(&out, buf_string(&p->head), p->head.len,
			   "Content-Length", "12");
	assert(!length.text ||
	       http_parts_field(buf_string(&out), out.len, "Content-Length")
			       .len == 2);
	buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_parts a = { .keep = KEEP }, b = { .keep = KEEP };
	size_t first, second;

	if (size < 1)
		return 0;
	a.answer = b.answer = *data & 1;
	a.to_head = b.to_head = *data & 2;
	first = feed(&a, data + 1, size - 1, size);
	second = feed(&b, data + 1, size - 1, 1);
	assert(a.over == b.over && a.broken == b.broken);
	assert(a.broken || (first == second && a.size == b.size));
	assert(a.broken || (a.body.len == b.body.len &&
			    (!a.body.len ||
			     !memcmp(a.body.data, b.body.data, a.body.len))));
	if (a.has_head)
		look(&a);
	http_parts_end(&a);
	http_parts_done(&a);
	http_parts_done(&b);
	return 0;
}
