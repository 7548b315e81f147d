/* SPDX-License-Identifier: MIT */
/*
 * What a connection knows of itself below its messages, without sending any:
 * whether TCP was acknowledged, and how a Ping was answered. Facts only; what
 * they mean is judged above (diag/ladder.h).
 */
#ifndef NET_LAYERS_H
#define NET_LAYERS_H

#include "base/buf.h"
#include "base/json.h"

struct layers {
	bool tcp; /* what follows is known, of the TCP connection that is ours */
	/* It ends at a broker: it tells nothing of who is behind that. */
	bool broker;
	int64_t unacked; /* bytes that were sent and not acknowledged */
	int64_t unsent; /* bytes behind them: the peer has no room, or not yet */
	int64_t retransmits; /* in a row, without an answer */
	/*
	 * So long the oldest of them is not acknowledged, at the least: the kernel
	 * doubles its pause with each repetition, so it follows from the last
	 * one and their number. 0: nothing is unacknowledged.
	 */
	int64_t unacked_ms;
	int64_t rtt_us; /* as the kernel smoothes it; 0: not measured */
	bool ping; /* it has one (WebSocket) */
	int64_t pong_us; /* after the last Ping; -1: no Pong so far */
};

/* Of a TCP socket. False: it is none; *out is zeroed, but for pong_us -1. */
bool layers_of_socket(struct layers *out, int fd);

/* As members of a JSON object, each with a comma in front; and back. */
void layers_encode(struct buf *out, const struct layers *l);
void layers_decode(struct layers *out, const cJSON *object);

#endif
