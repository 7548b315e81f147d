/* SPDX-License-Identifier: MIT */
/*
 * The page of one board: what is known of it, its findings, its pictures, its
 * tools as forms. And the story of a finding. Pure.
 */
#ifndef SERVE_PAGES_BOARD_H
#define SERVE_PAGES_BOARD_H

#include "diag/codes.h"
#include "serve/board.h"

#define PAGES_TOOLS_MAX 100 /* forms on one page */
#define PAGES_PICTURES_MAX 64 /* the last ones, of all boards */
#define PAGES_PIXELS_MAX 20000000 /* of one that is shown on the page */

/* A picture that was kept since serve was started. Owned. */
struct pages_picture {
	uint64_t number; /* from 1; 0: none */
	char *board, *file, *text;
	int64_t at_ms;
	bool small; /* enough for a browser to show it without being asked */
};

struct pages_board_view { /* lent */
	const struct board *board;
	const struct pages_picture *picture; /* a ring of PAGES_PICTURES_MAX */
	uint64_t pictures; /* so many came */
	bool kept; /* --save-images */
	const char *seal; /* of its forms */
	size_t from; /* the first tool to be shown */
};
void pages_board_page(struct buf *out, const struct pages_board_view *v);

void pages_story_page(struct buf *out, enum diag_code code);

#endif
