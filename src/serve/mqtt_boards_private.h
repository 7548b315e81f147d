/* SPDX-License-Identifier: MIT */
/*
 * What the files of the rack share.
 */
#ifndef SERVE_MQTT_BOARDS_PRIVATE_H
#define SERVE_MQTT_BOARDS_PRIVATE_H

#include "net/mqtt.h"
#include "serve/broker.h"
#include "serve/mqtt_boards.h"
#include "serve/serve_state.h"

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
	struct expected
		*expected; /* mqtt_boards_expect.c: not heard of so far */
	size_t expecting;
	struct timer timer; /* when one of them is asked */
	bool closing;
	void (*closed)(void *owner);
	void *owner;

	/* what mqtt_boards_offer gave */
	struct buf endpoint, client_id, user, password, topic;
};

/* ---- mqtt_boards_open.c ---- */

extern const struct mqtt_hub_events rack_hub_events; /* mqtt_boards.c */
extern const struct broker_events rack_broker_events; /* mqtt_boards.c */

/* Everything that is set up before the hub. */
int mqtt_boards_prepare(struct mqtt_boards *r, struct error *err);
/* Joins the broker. */
int mqtt_boards_join(struct mqtt_boards *r, struct error *err);

/* ---- mqtt_boards_offer.c ---- */

/* By which address of ours the board asked OTA, from the user name that it was given and shows; yours. NULL: as its connection tells. */
char *mqtt_boards_reached(const char *user);

/* ---- mqtt_boards_expect.c: at a broker that runs elsewhere; else nothing ---- */

/* A board may be there, or come soon. device_id may be NULL. */
void mqtt_boards_expect(struct mqtt_boards *r, const char *client_id,
			const char *device_id);
/* It was heard of. */
void mqtt_boards_expect_done(struct mqtt_boards *r, const char *client_id);
void mqtt_boards_expect_none(struct mqtt_boards *r);
/* The timer's. */
void mqtt_boards_expect_turn(void *owner);

#endif
