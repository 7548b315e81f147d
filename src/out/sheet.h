/* SPDX-License-Identifier: MIT */
/*
 * The parts of `describe` as text: headings, paragraphs, rows of arguments.
 * Everything here makes safe what it is given.
 */
#ifndef OUT_SHEET_H
#define OUT_SHEET_H

#include "base/buf.h"
#include "base/json.h"

/* Where to, and how. */
struct sheet {
	struct buf b;
	bool color;
	size_t width; /* 0: lines are not wrapped */
};

void sheet_heading(struct sheet *s, const char *word);
/* Indented by the columns of lead, which stands before its first line. */
void sheet_paragraph(struct sheet *s, const char *lead, const char *text);
/* A line to copy: never wrapped. */
void sheet_copy_line(struct sheet *s, const char *text);

/*
 * What an object of this schema holds, a row each; or, if that is nothing, the
 * whole in words. result: it comes back, so what is required is always there.
 */
void sheet_schema(struct sheet *s, const cJSON *schema, bool result);

#endif
