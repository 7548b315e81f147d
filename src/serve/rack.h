/* SPDX-License-Identifier: MIT */
/*
 * MQTT in serve: the broker (mosquitto with our plugin, a child process, or
 * one that runs elsewhere), the hub, the UDP port for audio; each client that
 * joins becomes a device. Files: rack.c (what happens at it), rack_open.c,
 * rack_offer.c (what boards are told), broker*.c (the child).
 */
#ifndef SERVE_RACK_H
#define SERVE_RACK_H

#include "base/error.h"

struct audio_counts;
struct buf;
struct device;
struct ota_mqtt;
struct words;
struct ota_request;
struct rack;
struct server;

/* The broker is started and joined, or on its way. -1: mosquitto is missing (which package), port in use, URL not understood, key file. */
int rack_open(struct rack **out, struct server *s, struct error *err);
void rack_close(struct rack *r, void (*closed)(void *owner), void *owner);
/* Reads the key file again. -1: it could not be, which was told; the old key stays. */
int rack_reload(struct rack *r);

/* Who asks OTA, and how it reached us; borrowed. */
struct rack_asker {
	const char *address; /* its own, with a port */
	const char *host; /* of ours that it used, bare: no port, no brackets */
	const char *
		reached; /* HOST[:PORT] of ours, where its connection to the broker will not tell; NULL */
};
/*
 * What to tell a device that asks OTA (device.md 2.1): endpoint from the host
 * that it used; client id, user name and password made for it. Owned texts in
 * `out`'s buffers live until the next call.
 */
void rack_offer(struct rack *r, const struct ota_request *rq,
		const struct rack_asker *asker, struct ota_mqtt *out);
/* What it has to reach still, for base/fence.h, added. */
void rack_fence(const struct rack *r, struct words *rules);
/* The broker's own line for RECORD_LISTENING, appended: "mqtt://192.168.1.2:1883 (mosquitto 2.0.11)". */
void rack_describe(const struct rack *r, struct buf *out);
/* End a client at the broker. */
void rack_kick(struct rack *r, const struct device *d);
/* What came of its audio over UDP, and what was dropped. False: it is no device of a rack. */
bool rack_audio(const struct device *d, struct audio_counts *out);

#endif
