/* SPDX-License-Identifier: MIT */
/*
 * A growing byte buffer that knows its ceiling from birth. data is always
 * followed by a NUL that len does not count; it is NULL only while empty and
 * never written to.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/base.h"

struct buf {
	char *data;
	size_t len, capacity;
	size_t max; /* bytes; 0 means no limit (only for text of our own) */
	bool full; /* an addition was refused because of max */
};

void buf_init(struct buf *b, size_t max);
void buf_done(struct buf *b); /* releases; usable again as zeroed */
void buf_reset(struct buf *b); /* empties, keeps the memory */

/*
 * Each returns 0; or -1 when max would be passed: nothing is added then, and
 * full is set.
 */
int buf_add(struct buf *b, const void *data, size_t len);
int buf_text(struct buf *b, const char *text);
/* At most max bytes of it, no character cut, and "…" if that is not all. */
int buf_add_cut(struct buf *b, const char *text, size_t len, size_t max);
int buf_char(struct buf *b, char c);
int buf_printf(struct buf *b, const char *format, ...) PRINTF_LIKE(2, 3);
int buf_vprintf(struct buf *b, const char *format, va_list args)
	PRINTF_LIKE(2, 0);

/*
 * Add text as a JSON string with its quotes; bytes of valid UTF-8 stay as
 * they are, others become \ufffd.
 */
int buf_json_string(struct buf *b, const char *text, size_t len);

/* Drop the first n bytes. */
void buf_consume(struct buf *b, size_t n);
/* Drop what is behind the first len bytes. */
void buf_cut(struct buf *b, size_t len);
/* Drop what is at the end of these characters, not of the first from bytes. */
void buf_trim(struct buf *b, size_t from, const char *these);

/* The text as a heap string that is yours ("" if empty); b is empty after. */
char *buf_take(struct buf *b);

/* The text, "" if empty; lent until the next change. */
const char *buf_string(const struct buf *b);

#endif
