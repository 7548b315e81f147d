/* SPDX-License-Identifier: MIT */
/* From a link that is up to a board that is ready. */
#ifndef SERVE_BOARD_START_H
#define SERVE_BOARD_START_H

#include "serve/board.h"

/* The link is up: initialize it and list its tools, unless --no-init. */
void board_start(struct board *d);
/* It is silent, and may be a tool side: initialize, without an envelope. */
void board_ask_tool_side(struct board *d);
/*
 * A server that is kept open is up; reply: to initialize, as it came. Its tools
 * are listed. -1: that is none.
 */
int board_start_held(struct board *d, struct span reply, const char *address,
		     struct error *err);
/* Its tools changed: they are listed again, as mcp/relist has it. */
void board_list_again(struct board *d, int64_t now);
/* Forget what is under way. */
void board_start_drop(struct board *d);
/* It offers no MCP, or something failed: stays connected. */
void board_unfit(struct board *d, enum board_state state,
		 const struct error *why);
/*
 * A reply to initialize that came for an attached command: kept if it is a
 * good one and there is none so far; the tools of one that had failed are
 * listed then.
 */
void board_keep_initialize(struct board *d, struct message *m);

#endif
