/* SPDX-License-Identifier: MIT */
/*
 * The arguments of a tool as a flat list, nested ones by path
 * ("items[].name"). Decides what is listed, not how it looks.
 */
#ifndef OUT_ARGUMENTS_ROWS_H
#define OUT_ARGUMENTS_ROWS_H

#include "base/json.h"

struct argument_row {
	char *path; /* owned */
	const cJSON *schema; /* borrowed */
	bool required;
	size_t depth; /* 0: an argument itself */
};

struct argument_rows {
	struct argument_row *row;
	size_t count, capacity;
	bool cut; /* too many or too deep: not all are here */
	size_t columns; /* for whoever shows them: the widest path */
};

/* schema may be NULL or anything a peer sent. */
void argument_rows_init(struct argument_rows *rows, const cJSON *schema);
void argument_rows_done(struct argument_rows *rows);

#endif
