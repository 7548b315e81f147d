/* SPDX-License-Identifier: MIT */
/*
 * The board's connection to a broker (device.md 2.2): MQTT 3.1.1, clean, QoS 0,
 * everything to one topic, any topic taken; stock firmware never subscribes.
 * Knows no JSON and no device.
 */
#ifndef SIM_BROKER_LINE_H
#define SIM_BROKER_LINE_H

#include "net/mqtt.h"

#define MQTT_KEEPALIVE 240 /* seconds */
#define MQTT_CONNECT_MS 10000
#define MQTT_TOPIC "device-server" /* what official backends give */

/* Where to, and as whom; texts are owned. */
struct broker_where {
	char *host; /* NULL: nowhere */
	uint16_t port;
	bool tls;
	int64_t keepalive; /* seconds */
	char *user, *password, *client_id; /* NULL: not sent */
	char *up; /* NULL: nothing is ever sent */
	char *down; /* what others than stock firmware subscribe to; NULL */
};
void broker_where_done(struct broker_where *w);

/* From the loop only; data is lent. */
struct broker_line_events {
	void (*opened)(void *owner);
	void (*text)(void *owner, const char *text, size_t len);
	/* It failed or is over: why. Call broker_line_close then. */
	void (*ended)(void *owner, const struct error *why);
	/* After broker_line_close: the struct may be used again or released. */
	void (*closed)(void *owner);
};

struct broker_line {
	const struct mqtt_table *table;
	struct mqtt_client *client;
	struct timer timer;
	const struct broker_line_events *events;
	void *owner;
	char *up, *down; /* owned */
	struct error why; /* a message could not be sent */
	bool open, ended, closing, client_gone, timer_gone;
};

struct broker_line_order { /* where and cacert are lent during the call */
	struct loop *loop;
	const struct broker_where *where;
	const char *cacert; /* NULL: the system's */
	bool insecure;
	const struct broker_line_events *events;
	void *owner;
};

/* Starts to connect. -1 (ERR_CONNECT, ERR_USAGE): not even that; closed does not follow. */
int broker_line_open(struct broker_line *d,
		     const struct broker_line_order *order, struct error *err);
void broker_line_text(struct broker_line *d, const char *text, size_t len);
/* Ends it properly, with DISCONNECT. Again is fine. */
void broker_line_close(struct broker_line *d);

#endif
