/* SPDX-License-Identifier: MIT */
/*
 * What the files of a held device share: board.c (its life), board_frames.c
 * (what it says), board_audio.c, board_start.c (on its way to ready),
 * board_describe.c.
 */
#ifndef SERVE_BOARD_PRIVATE_H
#define SERVE_BOARD_PRIVATE_H

#include "serve/board.h"
#include "serve/control.h"
#include "serve/serve_state.h"

/* ---- board.c ---- */

/* What a peer told, cut; yours. NULL for what is empty: then it was not told. */
char *board_keep(const char *text, size_t max);
/* What it holds counts no more as a stranger's, if its board is known. */
void board_said_hello(struct board *d);

/* ---- board_frames.c ---- */

void board_frame(struct board *d, enum frame_kind kind, const void *data,
		 size_t len);

/* ---- board_audio.c ---- */

void board_audio_take(struct board *d, const struct link_item *item,
		      const void *data, size_t len);
/* A voice session ended: what came in it is told. */
void board_audio_over(struct board *d);
/* The member "audio", appended with a comma in front. */
void board_audio_describe(struct buf *out, const struct board *d);

/* ---- board_start.c ---- */

/* The link is up: initialize it and list its tools, unless --no-init. */
void board_start(struct board *d);
/* Forget what is under way. */
void board_start_drop(struct board *d);
/* It offers no MCP, or something failed: stays connected. */
void board_unfit(struct board *d, enum board_state state,
		 const struct error *why);

/* ---- board_describe.c ---- */

/* It calls itself by what is another board's: told once. */
void board_tell_claim(struct board *d);
/* A record about d, to be completed; NULL if it is not kept. */
struct record *board_record(struct board *d, enum record_kind kind,
			    enum record_level level, const char *format, ...)
	PRINTF_LIKE(4, 5);

#endif
