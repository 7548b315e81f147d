/* SPDX-License-Identifier: MIT */
/*
 * Addresses that a backend tells a board in a message, found in its text and
 * replaced there; all other bytes stay. Pure.
 */
#ifndef PROXY_READDRESS_H
#define PROXY_READDRESS_H

#include "proxy/edits.h"
#include "wire/audio.h"

/* Of a server hello over MQTT (device.md 2.3). */
struct told_udp {
	struct span server, port; /* in the text, with their quotes */
	struct udp_offer offer; /* what they say */
};
/*
 * False: it is no such hello, or a board would not take what its udp says
 * (server no text or too long, port no number, key or nonce not 32 digits).
 */
bool told_udp(struct told_udp *out, struct span text);
/* The text with another server and port, appended. */
void told_udp_replace(struct buf *out, struct span text,
		      const struct told_udp *at, const char *server,
		      uint16_t port);

/* capabilities.vision.url of an initialize, in its envelope or bare: with its quotes. */
bool told_vision(struct span *url, struct span text);

#endif
