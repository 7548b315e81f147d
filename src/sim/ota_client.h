/* SPDX-License-Identifier: MIT */
/*
 * The board's OTA question over plain HTTP (device.md 5): sent byte for byte,
 * the reply read as the board reads it, hangs included. Judges nothing.
 */
#ifndef SIM_OTA_CLIENT_H
#define SIM_OTA_CLIENT_H

#include "sim/hazard.h"
#include "sim/tcp.h"
#include "sim/wire.h"

#define OTA_WAIT_MS 30000 /* for the head, and again for the body */
#define OTA_HANG \
	8192 /* bytes of a body that the board never reads to its end */

struct ota_client;

/* From the loop only. */
struct ota_client_events {
	/* Status 200 and its whole body; lent. */
	void (*answered)(void *owner, const char *body, size_t len);
	/* No usable reply: why, in words. */
	void (*failed)(void *owner, const char *why);
	void (*hazard)(void *owner, enum hazard h);
	/* After ota_client_close: the struct may be used again or released. */
	void (*closed)(void *owner);
};

struct ota_client {
	struct tcp tcp;
	struct buf request; /* then the reply's bytes */
	struct buf body;
	const struct ota_client_events *events;
	void *owner;
	bool asked, has_head, chunked;
	bool whole; /* the reply is there */
	bool over; /* failed, or closed by us */
	bool peer_ended;
	int64_t length; /* Content-Length; -1: none */
	size_t body_at; /* in request: where the body starts */
};

void ota_client_open(struct ota_client *c, struct loop *l,
		     const struct wire_url *u, const struct ota_request *about,
		     const struct ota_client_events *events, void *owner);
void ota_client_close(struct ota_client *c);

/* A chunked body as received: 1 whole (decoded into out), 0 more is needed, -1 broken. */
int ota_unchunk(const char *text, size_t len, struct buf *out);

#endif
