/* SPDX-License-Identifier: MIT */
#include "bridge/mend.h"

#include <string.h>

#include "base/mem.h"
#include "base/text_safe.h"
#include "base/utf8.h"

#define READ_MAX 65536 /* bytes that are looked at: what is cut is not read */

/*
 * Runs of white space as one blank, or as one line end where there is one among
 * them; none at the ends.
 */
static void fold(struct buf *out, const char *text, size_t len)
{
	char gap = 0;
	size_t start = out->len;

	for (size_t i = 0; i < len; i++) {
		if (!text_is_space(text[i])) {
			if (gap && out->len > start)
				buf_char(out, gap);
			gap = 0;
			buf_char(out, text[i]);
		} else if (gap != '\n') {
			gap = text[i] == '\n' ? '\n' : ' ';
		}
	}
}

/* Where the character of that number begins; len: there are not so many. */
static size_t place_of(const char *text, size_t len, size_t characters)
{
	size_t at = 0;

	while (characters-- && at < len) {
		size_t size = text_utf8(text + at, len - at);

		at += size ? size : 1;
	}
	return at < len ? at : len;
}

void mend_text(struct buf *out, const char *text, size_t characters)
{
	CLEANUP(buf_done) struct buf clean = { 0 };
	CLEANUP(buf_done) struct buf folded = { 0 };
	size_t all = strnlen(text, READ_MAX + 1);
	size_t len = text_cut(text, all, READ_MAX);

	text_safe(&clean, text, len, TEXT_PLAIN);
	fold(&folded, buf_string(&clean), clean.len);
	text = buf_string(&folded);
	if (len == all &&
	    place_of(text, folded.len, characters) == folded.len) {
		buf_add(out, text, folded.len);
		return;
	}
	buf_add(out, text, place_of(text, folded.len, characters - 1));
	buf_text(out, "…");
}

char *mend_description(const char *text)
{
	struct buf out = { 0 };

	mend_text(&out, text ? text : "", MEND_TEXT_MAX);
	return buf_take(&out);
}
