/* SPDX-License-Identifier: MIT */
/*
 * UTF-8: checked, decoded, cut, and measured in columns of a terminal. Pure.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/base.h"

/*
 * True if all of it is valid UTF-8: no overlong forms, no surrogates. NUL is
 * allowed.
 */
bool text_is_utf8(const char *text, size_t len);

/* Bytes of the UTF-8 character at text, 1 to 4; 0 if none is there. */
size_t text_utf8(const char *text, size_t len);

/* The code point of a character that text_utf8 measured as size bytes. */
uint32_t text_point(const char *text, size_t size);

/*
 * Terminal columns of valid or invalid UTF-8: wide characters count 2,
 * combining ones and control characters 0, stray bytes 1.
 */
size_t text_width(const char *text, size_t len);

/* How many characters a text has that is valid UTF-8. */
size_t text_characters(const char *text, size_t len);

/* At most max bytes of text, not ending within a character. */
size_t text_cut(const char *text, size_t len, size_t max);
/* The same of a whole text, for "%.*s". */
int text_shown(const char *text, size_t max);

/* How many bytes of text fit into columns, never cutting a character. */
size_t text_fit(const char *text, size_t len, size_t columns);

#endif
