/* SPDX-License-Identifier: MIT */
/*
 * Audio between boards and the UDP address of their backend: one socket for all
 * boards, a socket for each session towards its backend. Datagrams go on as they
 * came; their heads are read and counted (device.md 2.4).
 *
 * A datagram belongs to the session whose connection id (ssrc) it names, if it
 * comes from the host from which that board speaks MQTT; after the first one
 * only from the same port, too. Whatever else comes is a stranger's, and goes
 * nowhere.
 */
#ifndef PROXY_UDP_RELAY_H
#define PROXY_UDP_RELAY_H

#include "proxy/talk.h"

struct udp_leg; /* one session, from a server hello to the next or the end */

struct udp_counts {
	uint64_t packets, bytes; /* passed on; bytes of datagrams */
	uint64_t broken; /* no head of audio, or not as long as it says */
	uint64_t late; /* a number that is not above the last one */
	uint64_t gaps, lost; /* jumps, and the packets that are missing there */
	uint64_t dropped; /* not passed on: no room, nobody there */
};

struct udp_order { /* lent for the call */
	const struct udp_offer *offer; /* as the backend told it */
	const struct sockaddr *board; /* where it speaks MQTT from */
	const char *device; /* NULL */
};
/*
 * *port: to be told to the board. NULL (ERR_CONNECT): no socket, too many talks,
 * or another session has the same connection id.
 */
struct udp_leg *udp_leg_open(struct proxy *p, const struct udp_order *o,
			     uint16_t *port, struct error *err);
/* A text frame of the board's session, for --save-audio. NULL is fine. */
void udp_leg_text(struct udp_leg *u, bool from_device, struct span text);
void udp_leg_close(struct udp_leg *u); /* NULL is fine */

void udp_relay_close(struct proxy *p);

#endif
