/* SPDX-License-Identifier: MIT */
/*
 * Text made safe for a terminal and for the eye of who reads it there.
 */
#ifndef BASE_TEXT_SAFE_H
#define BASE_TEXT_SAFE_H

#include "base/buf.h"
#include "base/text.h"

void text_safe(struct buf *out, const char *text, size_t len,
	       enum text_mode mode);

/* True if text_safe (TEXT_NAME) changes nothing: what is shown can be copied. */
bool text_is_safe(const char *text, size_t len);

/* Without a look of its own: Default_Ignorable_Code_Point, U+FFF9 to U+FFFB. */
bool text_is_invisible(uint32_t point);

/*
 * Append JSON, its \uXXXX as the characters that they stand for where these can
 * be shown as they are (no quote, no backslash, nothing that text_is_safe
 * refuses): still the same JSON. Also text that only looks like it.
 */
void text_unescape(struct buf *out, const char *text, size_t len);

/*
 * Append what the eye takes text for: invisible characters and blanks at the end
 * dropped, other blanks, full-width forms and the letters of mathematics as
 * ASCII, Latin, Greek and Cyrillic letters as the one that stands for those that
 * look like it (Unicode TR39, section 4), their marks in one order. Two names with
 * one skeleton look alike. To compare, not to show.
 */
void text_skeleton(struct buf *out, const char *text, size_t len);

/* Is it a letter (not of ASCII) that its skeleton has another for? */
bool text_has_look(uint32_t point);

#endif
