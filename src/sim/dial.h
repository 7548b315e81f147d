/* SPDX-License-Identifier: MIT */
/*
 * The board's WebSocket connection: opened as the firmware opens it, cut as it
 * cuts it, silent when the peer says Close. Knows no JSON and no device.
 */
#ifndef SIM_DIAL_H
#define SIM_DIAL_H

#include "sim/tcp.h"
#include "sim/wire.h"

#define DIAL_TIMEOUT_MS 10000

struct dial;

/* From the loop only; data is lent. */
struct dial_events {
	void (*opened)(void *owner);
	void (*text)(void *owner, const char *text, size_t len);
	void (*binary)(void *owner, size_t len);
	void (*peer_close)(void *owner, int code);
	/*
	 * It failed or is over: why, in words (NULL: the peer closed TCP).
	 * Call dial_close then.
	 */
	void (*ended)(void *owner, const char *why);
	/* After dial_close: the struct may be used again or released. */
	void (*closed)(void *owner);
};

struct dial {
	struct tcp tcp;
	struct wire_reader in;
	struct buf handshake; /* to send; then the answer's head */
	const struct dial_events *events;
	void *owner;
	bool asked, open, ended, mute;
};

/* Starts to connect. u and who are needed only during the call. */
void dial_open(struct dial *d, struct loop *l, const struct wire_url *u,
	       const struct wire_identity *who,
	       const struct dial_events *events, void *owner);
void dial_text(struct dial *d, const char *text, size_t len);
/* The peer does not take what was written. */
bool dial_is_full(const struct dial *d);
void dial_binary(struct dial *d, const void *data, size_t len);
/*
 * Half of a text, then TCP ends: in the middle of a frame, or with a fragment
 * and a Close frame.
 */
void dial_cut(struct dial *d, const char *text, size_t len, bool close_frame);
/* Ends TCP without a Close frame, as the board does. Again is fine. */
void dial_close(struct dial *d);

#endif
