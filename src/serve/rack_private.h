/* SPDX-License-Identifier: MIT */
/*
 * What the files of the rack share.
 */
#ifndef SERVE_RACK_PRIVATE_H
#define SERVE_RACK_PRIVATE_H

#include "net/mqtt.h"
#include "serve/broker.h"
#include "serve/rack.h"
#include "serve/server_state.h"

struct expected;

struct rack {
	struct server *server;
	const struct mqtt_table *mqtt;
	struct broker *broker; /* NULL: the broker runs elsewhere */
	struct endpoint where; /* that one; zeroed for our own */
	struct mqtt_hub *hub;
	struct audio_port *audio;
	struct buf key; /* of --mqtt-key-file; empty: none */
	char *host; /* of the first --listen; NULL: all addresses */
	char *advertised; /* host of --advertise; NULL */
	const char *up, *down; /* topic patterns; of config, or constant */
	struct expected *expected; /* rack_expect.c: not heard of so far */
	size_t expecting;
	struct timer timer; /* when one of them is asked */
	bool closing;
	void (*closed)(void *owner);
	void *owner;

	/* what rack_offer gave */
	struct buf endpoint, client_id, user, password, topic;
};

/* ---- rack_open.c ---- */

extern const struct mqtt_hub_events rack_hub_events; /* rack.c */
extern const struct broker_events rack_broker_events; /* rack.c */

/* Everything that is set up before the hub. */
int rack_prepare(struct rack *r, struct error *err);
/* Joins the broker. */
int rack_join(struct rack *r, struct error *err);

/* ---- rack_offer.c ---- */

/* By which address of ours the board asked OTA, from the user name that it was given and shows; yours. NULL: as its connection tells. */
char *rack_reached(const char *user);

/* ---- rack_expect.c: at a broker that runs elsewhere; else nothing ---- */

/* A board may be there, or come soon. device_id may be NULL. */
void rack_expect(struct rack *r, const char *client_id, const char *device_id);
/* It was heard of. */
void rack_expect_done(struct rack *r, const char *client_id);
void rack_expect_none(struct rack *r);
/* The timer's. */
void rack_expect_turn(void *owner);

#endif
