/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as lines of a capture, and of a trace of before: never read past
 * the end; what is shown of them is safe; what is written of them is read as
 * the same again.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_safe.h"
#include "capture/line.h"
#include "out/passing.h"
#include "replay/recast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(struct passing *p, const struct capture_event *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	passing_unseen(p, e);
	passing_line(&out, p, e);
	for (size_t i = 0; i < out.len; i++)
		assert((unsigned char)out.data[i] >= ' ' ||
		       out.data[i] == '\n');
}

static void read_line(struct passing *p, struct capture_line *l,
		      struct old_trace *o, struct span line)
{
	CLEANUP(buf_done) struct buf other = { 0 };
	CLEANUP(anonyms_done) struct anonyms anonyms = { 0 };
	struct capture_event e;

	if (capture_line_read(l, line, &e, NULL) == 0) {
		look_at(p, &e);
		if (e.data.text)
			anonymise(&anonyms, &other, e.data.text, e.data.len);
	}
	if (old_trace_read(o, l, line, &e, NULL) == 0)
		look_at(p, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(capture_line_done) struct capture_line line = { 0 };
	/* Where a byte too many is read, it is seen. */
	CLEANUP(mem_free_ptr) char *text = mem_copy(data, size);
	static struct passing passing;
	struct old_trace old = { 0 };
	size_t at = 0;

	passing = (struct passing){ .width = 80, .detail = size % 3 };
	old_trace_look(&old, (struct span){ text, size });
	while (at < size) {
		char *lf = memchr(text + at, '\n', size - at);
		size_t len = lf ? (size_t)(lf - text) - at : size - at;
		CLEANUP(mem_free_ptr) char *own = mem_alloc(len ? len : 1);

		memcpy(own, text + at, len);
		read_line(&passing, &line, &old, (struct span){ own, len });
		at += len + 1;
	}
	return 0;
}
