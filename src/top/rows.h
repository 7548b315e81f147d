/* SPDX-License-Identifier: MIT */
/*
 * The boards of `top`: by id, in an order, some of them shown; which is
 * selected, which stand on the screen. Pure: what came goes in, nothing is
 * asked here. As many as serve holds (it has a limit of its own).
 */
#ifndef TOP_ROWS_H
#define TOP_ROWS_H

#include "base/buf.h"
#include "base/map.h"
#include "top/board_row.h"

/* What is known of a board, in the order in which it stands on a line. */
enum row_column {
	COLUMN_NAME,
	COLUMN_STATE,
	COLUMN_BOARD,
	COLUMN_VERSION,
	COLUMN_TRANSPORT,
	COLUMN_ADDRESS,
	COLUMN_SIGNAL,
	COLUMN_BATTERY,
	COLUMN_HEAP,
	COLUMN_CALLS,
	COLUMN_P50,
	COLUMN_FINDING,
	COLUMN_AUDIO,
	COLUMN_JITTER,
	COLUMN_LOST,
	COLUMN_TOOLS,
	ROW_COLUMNS
};

#define ROWS_FILTER_MAX 128 /* bytes */

struct top_rows {
	struct top_row **item; /* all; owned */
	size_t count, capacity;
	struct map by_id;
	struct top_row **shown; /* those that pass, in order */
	size_t shown_count, shown_capacity;
	/* Of all, counted when they are put in order. */
	size_t ready, servers;
	enum row_column sort;
	bool reverse;
	char filter[ROWS_FILTER_MAX]; /* "": all pass */
	char *selected; /* its id; NULL: the first */
	size_t at; /* of the selected one in shown */
	size_t first; /* of shown, on the screen */
	uint64_t round;
	bool dirty; /* shown is not what it should be */
};

/* "name", "state", …: heading and word for --sort, the latter in small letters. */
const char *rows_column_name(enum row_column c);

/* A device object. gone: it went. True: something of it changed the rows. */
void rows_device(struct top_rows *r, const cJSON *device, bool gone,
		 int64_t now);
/* A list of all begins; at its end those that were not in it are dropped. */
void rows_begin(struct top_rows *r);
void rows_end(struct top_rows *r);
/* The same, but they are marked as gone, and dropped keep ms later. */
void rows_end_gone(struct top_rows *r, int64_t now, int64_t keep);
/* NULL: it is not there. */
struct top_row *rows_find(const struct top_rows *r, const char *id);

void rows_sort(struct top_rows *r, enum row_column by, bool reverse);
/* Words with blanks between; each must stand in name, id, board, version, state, address or finding. */
void rows_filter(struct top_rows *r, const char *words);
/* Order and filter again, if need be; the selected one stays selected. */
void rows_update(struct top_rows *r);
/* By so many; stops at both ends. */
void rows_move(struct top_rows *r, int64_t by);
/* So that the selected one is among lines lines. */
void rows_scroll(struct top_rows *r, size_t lines);
struct top_row *rows_selected(const struct top_rows *r); /* NULL: none */

/* What stands in a cell, raw; "-" where it is not known. */
void rows_cell(struct buf *out, const struct top_row *row, enum row_column c);
void rows_done(struct top_rows *r);

#endif
