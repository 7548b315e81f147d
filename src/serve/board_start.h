/* SPDX-License-Identifier: MIT */
/*
 * What the two files of a held device share: board.c (its life, and what it
 * says) and board_start.c (on its way to ready).
 */
#ifndef SERVE_BOARD_START_H
#define SERVE_BOARD_START_H

#include "serve/board.h"
#include "serve/serve_state.h"

/* ---- board.c ---- */

/* What a peer told, cut; yours. NULL for what is empty: then it was not told. */
char *board_keep(const char *text, size_t max);

/* ---- board.c ---- */

/* ---- board.c ---- */

/* ---- board_start.c ---- */

/* The link is up: initialize it and list its tools, unless --no-init. */
void board_start(struct board *d);
/* Forget what is under way. */
void board_start_drop(struct board *d);
/* It offers no MCP, or something failed: stays connected. */
void board_unfit(struct board *d, enum board_state state,
		 const struct error *why);

/* ---- board.c ---- */

/* It calls itself by what is another board's: told once. */
void board_tell_claim(struct board *d);
/* A record about d, to be completed; NULL if it is not kept. */
struct record *board_record(struct board *d, enum record_kind kind,
			    enum record_level level, const char *format, ...)
	PRINTF_LIKE(4, 5);

/*
 * A reply to initialize that came for an attached command: kept if it is a
 * good one and there is none so far. payload: the JSON-RPC message.
 */
void board_keep_initialize(struct board *d, const char *payload, size_t len);

#endif
