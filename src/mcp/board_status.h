/* SPDX-License-Identifier: MIT */
/*
 * What the status tools of a board say of its body (device.md 3.10): battery,
 * radio, memory. They read, and act on nothing, so they may be called unasked.
 * Pure.
 */
#ifndef MCP_BOARD_STATUS_H
#define MCP_BOARD_STATUS_H

#include "base/json.h"

#define BOARD_STATUS_TOOLS 2
extern const char *const board_status_tools[BOARD_STATUS_TOOLS];

/* Forgotten before it is read first. */
struct board_status {
	int64_t battery; /* per cent; -1: not told */
	bool charging;
	int64_t rssi; /* dBm, below 0; 0: not told */
	char signal[24]; /* in words: "strong"; raw, cut; "" */
	int64_t heap; /* bytes: the least that was free since its start; -1 */
};
void board_status_forget(struct board_status *s);
/*
 * The result of one of the tools; NULL: there is none. What it does not have
 * leaves *s as it is. False: nothing in it was known.
 */
bool board_status_read(struct board_status *s, const cJSON *result);

/* "80%+" (it charges), "-61 dBm", "98.3 kB"; appended, nothing where it is not told. */
void board_status_battery(struct buf *out, const struct board_status *s);
void board_status_signal(struct buf *out, const struct board_status *s);
void board_status_heap(struct buf *out, const struct board_status *s);

#endif
