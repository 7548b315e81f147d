/* SPDX-License-Identifier: MIT */
/*
 * Any bytes into lines: in one part and in many they are the same lines, none
 * of them is empty, has an end inside, or is longer than the limit. The first
 * byte says how long the parts are, the second what the limit is.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct buf text;
	size_t max;
};

static void on_line(void *owner, const char *text, size_t len)
{
	struct seen *s = owner;

	assert(len > 0);
	assert(text ? len <= s->max : len > s->max);
	assert(!text || !memchr(text, '\n', len));
	buf_add(&s->text, text ? text : "", text ? len : 0);
	buf_add(&s->text, text ? "\n1" : "\n0", 2);
}

static void feed(struct seen *s, const char *text, size_t len, size_t part)
{
	struct lines l = { .max = s->max };

	while (len > 0) {
		size_t now = part < len ? part : len;

		lines_feed(&l, text, now, on_line, s);
		text += now;
		len -= now;
	}
	lines_finish(&l, on_line, s);
	lines_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole = { .max = 16 }, parts;
	const char *text = (const char *)data + 2;

	if (size < 2)
		return 0;
	whole.max = (size_t)data[1] + 1;
	parts = whole;
	feed(&whole, text, size - 2, size);
	feed(&parts, text, size - 2, (size_t)data[0] + 1);
	assert(whole.text.len == parts.text.len);
	assert(!whole.text.len ||
	       !memcmp(whole.text.data, parts.text.data, whole.text.len));
	buf_done(&whole.text);
	buf_done(&parts.text);
	return 0;
}
