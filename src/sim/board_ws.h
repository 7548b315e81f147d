/* SPDX-License-Identifier: MIT */
/*
 * The board's WebSocket connection: opened as the firmware opens it, cut as it
 * cuts it, silent when the peer says Close. Knows no JSON and no device.
 */
#ifndef SIM_BOARD_WS_H
#define SIM_BOARD_WS_H

#include "sim/board_frames.h"
#include "sim/tcp.h"

#define DIAL_TIMEOUT_MS 10000

struct board_ws;

/* From the loop only; data is lent. */
struct board_ws_events {
	void (*opened)(void *owner);
	void (*text)(void *owner, const char *text, size_t len);
	void (*binary)(void *owner, size_t len);
	void (*peer_close)(void *owner, int code);
	/*
	 * It failed or is over: why, in words (NULL: the peer closed TCP).
	 * Call board_ws_close then.
	 */
	void (*ended)(void *owner, const char *why);
	/* After board_ws_close: the struct may be used again or released. */
	void (*closed)(void *owner);
};

struct board_ws {
	struct tcp tcp;
	struct board_ws_reader in;
	struct buf handshake; /* to send; then the answer's head */
	const struct board_ws_events *events;
	void *owner;
	bool asked, open, ended, mute;
};

/* Starts to connect. u and who are needed only during the call. */
void board_ws_open(struct board_ws *d, struct loop *l,
		   const struct board_ws_url *u,
		   const struct board_ws_identity *who,
		   const struct board_ws_events *events, void *owner);
void board_ws_text(struct board_ws *d, const char *text, size_t len);
/* The peer does not take what was written. */
bool board_ws_is_full(const struct board_ws *d);
void board_ws_binary(struct board_ws *d, const void *data, size_t len);
/*
 * Half of a text, then TCP ends: in the middle of a frame, or with a fragment
 * and a Close frame.
 */
void board_ws_cut(struct board_ws *d, const char *text, size_t len,
		  bool close_frame);
/* Ends TCP without a Close frame, as the board does. Again is fine. */
void board_ws_close(struct board_ws *d);

#endif
