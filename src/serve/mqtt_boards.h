/* SPDX-License-Identifier: MIT */
/*
 * MQTT in serve: the broker (mosquitto with our plugin, a child process, or
 * one that runs elsewhere), the hub, the UDP port for audio; each client that
 * joins becomes a device. The child itself is serve/broker.h's.
 */
#ifndef SERVE_MQTT_BOARDS_H
#define SERVE_MQTT_BOARDS_H

#include "base/error.h"
#include "net/mqtt.h"
#include "serve/broker.h"
#include "serve/serve_state.h"

struct audio_counts;
struct buf;
struct board;
struct ota_mqtt;
struct words;
struct ota_request;
struct mqtt_boards;
struct serve;

/* The broker is started and joined, or on its way. -1: mosquitto is missing (which package), port in use, URL not understood, key file. */
int mqtt_boards_open(struct mqtt_boards **out, struct serve *s,
		     struct error *err);
void mqtt_boards_close(struct mqtt_boards *r, void (*closed)(void *owner),
		       void *owner);
/* Reads the key file again. -1: it could not be, which was told; the old key stays. */
int mqtt_boards_reload(struct mqtt_boards *r);

/* Who asks OTA, and how it reached us; borrowed. */
struct mqtt_boards_asker {
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
void mqtt_boards_offer(struct mqtt_boards *r, const struct ota_request *rq,
		       const struct mqtt_boards_asker *asker,
		       struct ota_mqtt *out);
/* Why there is no way to the broker now; NULL: there is. Lent. */
const char *mqtt_boards_away(const struct mqtt_boards *r);
/* What it has to reach still, for base/fence.h, added. */
void mqtt_boards_fence(const struct mqtt_boards *r, struct words *rules);
/* The broker's own line for RECORD_LISTENING, appended: "mqtt://192.168.1.2:1883 (mosquitto 2.0.11)". */
void mqtt_boards_describe(const struct mqtt_boards *r, struct buf *out);
/* End a client at the broker. */
void mqtt_boards_kick(struct mqtt_boards *r, const struct board *d);
/* What came of its audio over UDP, and what was dropped. False: it is no board at a broker. */
bool mqtt_boards_audio(const struct board *d, struct audio_counts *out);

struct expected;

struct mqtt_boards {
	struct serve *server;
	const struct mqtt_table *mqtt;
	struct broker *broker; /* NULL: the broker runs elsewhere */
	struct endpoint where; /* that one; zeroed for our own */
	struct mqtt_hub *hub;
	struct audio_port *audio;
	struct buf key; /* of --mqtt-key-file; empty: none */
	char *host; /* of the first --listen; NULL: all addresses */
	char *advertised; /* host of --advertise; NULL */
	const char *up, *down; /* topic patterns; of config, or constant */
	struct expected *expected; /* Not heard of so far */
	size_t expecting;
	struct timer timer; /* when one of them is asked */
	char *away; /* see mqtt_boards_away */
	bool closing;
	void (*closed)(void *owner);
	void *owner;

	/* what mqtt_boards_offer gave */
	struct buf endpoint, client_id, user, password, topic, topic_down;
};

extern const struct mqtt_hub_events mqtt_boards_hub_events; /* mqtt_boards.c */

/* By which address of ours the board asked OTA, from the user name that it was given and shows; yours. NULL: as its connection tells. */
char *mqtt_boards_reached(const char *user);

#endif
