/* SPDX-License-Identifier: MIT */
/*
 * The parts of `describe` as text: headings, paragraphs, rows of arguments.
 * Everything here makes safe what it is given.
 */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include "base/buf.h"
#include "base/json.h"

/* Where to, and how. */
struct table {
	struct buf b;
	bool color;
	size_t width; /* 0: lines are not wrapped */
};

void table_heading(struct table *s, const char *word);
/* Indented by the columns of lead, which stands before its first line. */
void table_paragraph(struct table *s, const char *lead, const char *text);
/* A line to copy: never wrapped. */
void table_copy_line(struct table *s, const char *text);

/*
 * What an object of this schema holds, a row each; or, if that is nothing, the
 * whole in words. result: it comes back, so what is required is always there.
 */
void table_schema(struct table *s, const cJSON *schema, bool result);

/* text is valid JSON (json_check). No newline is added at the end. */
void json_layout(struct buf *out, const char *text, size_t len, bool color);

#endif
