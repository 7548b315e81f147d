/* SPDX-License-Identifier: MIT */
/* All about one tool, as text. */
#ifndef OUT_TEXT_DESCRIBE_H
#define OUT_TEXT_DESCRIBE_H

#include "base/json.h"
#include "out/render.h"

void text_describe(struct renderer *r, const struct describe_record *d);

/*
 * The arguments of a tool as a flat list, nested ones by path
 * ("items[].name"). Decides what is listed, not how it looks.
 */

struct argument_row {
	char *path; /* owned */
	const cJSON *schema; /* borrowed */
	/* What it refers to, where that is local; else schema itself. */
	const cJSON *resolved;
	bool required;
	bool unnamed; /* of a free name, or an element: neither is said of it */
	bool also; /* more that must fit the one above with the same path */
	int form, forms; /* one of several that path may have, from 1; 0 */
	size_t arrays; /* its own rows are of elements of so many arrays */
	size_t depth; /* 0: an argument itself */
	size_t up; /* the row that it is inside of; SIZE_MAX: none */
	/* A row around it with the same schema, which is not walked again. */
	size_t same; /* SIZE_MAX: none */
};

struct argument_rows {
	struct argument_row *row;
	size_t count, capacity;
	bool cut; /* too many or too deep: not all are here */
	size_t columns; /* for whoever shows them: the widest path */
};

/* schema may be NULL or anything a peer sent; local references are followed. */
void argument_rows_init(struct argument_rows *rows, const cJSON *schema);
void argument_rows_done(struct argument_rows *rows);

#endif
