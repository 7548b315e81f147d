/* SPDX-License-Identifier: MIT */
/*
 * The table of boards that a browser is shown: which rows it has, what stands in
 * them, as HTML and as JSON for who looks on. Pure.
 */
#ifndef SERVE_PAGES_ROWS_H
#define SERVE_PAGES_ROWS_H

#include "base/json.h"
#include "serve/registry.h"

#define PAGES_ROWS_MAX 200 /* on one page */

/* Which rows; owned. Zeroed: the first of all. */
struct pages_query {
	char *words; /* in id, alias, board, version or state, without case; NULL */
	char *board; /* that id alone; NULL */
	size_t from;
};
void pages_query_read(struct pages_query *q, const char *query);
void pages_query_done(struct pages_query *q);

struct pages_found {
	const struct board *row[PAGES_ROWS_MAX]; /* lent */
	size_t count;
	size_t fit, all, ready; /* of all boards */
};
void pages_rows_find(struct pages_found *out, const struct registry *r,
		     const struct pages_query *q);

/* "12 devices are connected, 10 of them ready", a text; appended. */
void pages_rows_summary(struct buf *out, const struct pages_found *f,
			const struct pages_query *q);
/* The table with its place for what changes. */
void pages_rows_table(struct buf *out, const struct pages_found *f,
		      const struct pages_query *q);
/* ["ID","CELL",…], safe to be shown as text; appended. */
void pages_row_json(struct buf *out, const struct board *d);

#endif
