/* SPDX-License-Identifier: MIT */
/*
 * What `top` knows of one board: members of serve's device object
 * (wire/control_frames.h), and of what its read-only status tools answered
 * (device.md 3.10). Text is kept as it came, cut; the view makes it safe.
 */
#ifndef TOP_BOARD_ROW_H
#define TOP_BOARD_ROW_H

#include "base/json.h"
#include "mcp/board_status.h"

/* Bytes with the NUL. What is longer is cut at a whole character. */
#define ROW_NAME 96
#define ROW_TEXT 64
#define ROW_WORD 24

struct top_row {
	char *id; /* raw, as serve says it; owned */
	char *pick; /* what -d takes for it; owned; NULL: "id:" and its id */
	char name[ROW_NAME]; /* its pick, alias, or id */
	char board[ROW_TEXT], address[ROW_TEXT];
	char version[ROW_WORD], transport[ROW_WORD], state[ROW_WORD];
	char list[ROW_TEXT]; /* of its tools; "": none yet */
	char finding[ROW_WORD]; /* the code of the last; "" */
	bool stale; /* asked 10 s ago, and nothing was heard since */
	bool breaker; /* its circuit breaker is open */
	bool announced; /* at a broker: no serve tells of it */
	int64_t gone_at; /* loop_now() ms when it went; 0: it is there */
	int64_t tools; /* how many; -1: not told */
	bool server; /* an MCP server that is kept open, and no board */
	bool counted; /* serve says calls and findings: it is no older one */
	int64_t calls; /* -1: not told */
	int64_t p50_us; /* -1: none */
	int64_t audio; /* frames; -1: none came */
	int64_t jitter_us; /* of those; -1: not known */
	int64_t lost; /* packets; -1: not known */
	char sound[120]; /* all that is known of it; "" */

	struct board_status status; /* what its status tools said */
	int64_t told; /* loop_now() ms of the last answer that was known; 0: none */

	uint64_t seen; /* by which round of asking it was there last */
};

/* The device object; row is zeroed or was read before. now: Unix ms. -1: it has no id. */
int board_row_read(struct top_row *row, const cJSON *device, int64_t now);
/* It can be called. */
bool board_row_ready(const struct top_row *row);
/* It was announced, and is not there any more: it stays for a while. */
void board_row_gone(struct top_row *row, int64_t now);
/*
 * A reply of self.get_device_status or self.get_system_info (JSON-RPC). What it
 * does not have leaves the row as it is. False: nothing in it was known.
 */
bool board_row_status(struct top_row *row, const cJSON *reply);
/* What its status tools said is too old to be shown. */
void board_row_forget(struct top_row *row);
void board_row_done(struct top_row *row);

#endif
