/* SPDX-License-Identifier: MIT */
/*
 * Two texts with a NUL between: the numbers of the first are put back into the
 * second. Nothing is overread, and what has none stays as it is.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/query_numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct query_numbers n;
	const char *text = (const char *)data;
	const char *behind = size ? memchr(text, '\0', size) : NULL;
	const size_t first = behind ? (size_t)(behind - text) : size;
	const struct span in = { text, first };
	const struct span out = { behind ? behind + 1 : text + size,
				  behind ? size - first - 1 : 0 };
	CLEANUP(buf_done) struct buf same = { 0 };
	CLEANUP(buf_done) struct buf restored = { 0 };
	bool exact;

	n.count = 0;
	n.more = false;
	query_numbers_add(&n, in);
	assert(n.count <= QUERY_NUMBERS_MAX);
	exact = query_numbers_restore(&n, out, &restored);
	if (n.count == 0 && !n.more) {
		assert(exact && restored.len == out.len);
		assert(out.len == 0 ||
		       memcmp(restored.data, out.text, out.len) == 0);
	}
	/* What was read from a text is put back as it stood. */
	query_numbers_restore(&n, in, &same);
	if (!n.more && n.count == 1 && !n.item[0].shared)
		assert(same.len == in.len &&
		       memcmp(same.data, in.text, in.len) == 0);
	return 0;
}
