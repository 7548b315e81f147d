/* SPDX-License-Identifier: MIT */
/*
 * Text made safe in every mode is safe, says what it said, and grows within
 * bounds; a skeleton is one of itself.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"

#define MARK_MAX 40 /* bytes of a mark or of the rest */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mode(const char *text, size_t len, enum text_mode mode)
{
	CLEANUP(buf_done) struct buf out = { 0 }, again = { 0 };

	text_safe(&out, text, len, mode);
	assert(text_is_utf8(buf_string(&out), out.len));
	assert(out.len <= len * 6 + (TEXT_MARKS_MAX + 1) * MARK_MAX);
	text_safe(&again, buf_string(&out), out.len, mode);
	assert(again.len == out.len &&
	       !memcmp(buf_string(&again), buf_string(&out), out.len));
	if (mode == TEXT_LINE || mode == TEXT_NAME || mode == TEXT_SPELLED)
		assert(text_is_safe(buf_string(&out), out.len));
}

static void check_skeleton(const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf one = { 0 }, other = { 0 };

	text_skeleton(&one, text, len);
	/* What is no character stays as it is, and may become one then. */
	if (!text_is_utf8(text, len) ||
	    !text_is_utf8(buf_string(&one), one.len))
		return;
	text_skeleton(&other, buf_string(&one), one.len);
	assert(one.len == other.len &&
	       !memcmp(buf_string(&one), buf_string(&other), one.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	for (int mode = TEXT_LINE; mode <= TEXT_JSON; mode++)
		check_mode(text, size, (enum text_mode)mode);
	check_skeleton(text, size);
	return 0;
}
