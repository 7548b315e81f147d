/* SPDX-License-Identifier: MIT */
/* What MQTT 5 adds to one connection. Within the module of net/mqtt. */
#ifndef NET_MQTT_FIVE_H
#define NET_MQTT_FIVE_H

#include "net/mqtt_client.h"

/* Published, and not acknowledged. */
struct mqtt_unacked {
	int number;
	size_t len;
};

struct mqtt_additions {
	/* The broker answered CONNECT, with a code of 3.1.1; a message came. */
	void (*answered)(struct mqtt_client *c, int code);
	void (*heard)(struct mqtt_client *c, const struct mosquitto_message *m);
	char *will_topic, *will;
	bool will_retained;
	mosquitto_property *connects, *publishes;
	struct mqtt_unacked *unacked;
	size_t count, capacity, bytes;
	bool taken; /* another client took our client id: the broker said so */
	int64_t since; /* loop_now() ms when the broker accepted us; 0: not yet, this time */
	/* of the message that is told of */
	const mosquitto_property *of_message;
	char *found; /* the property that was asked for last; of the library */
};

/* c->five, which has its callbacks already, from the options. */
void mqtt_five_open(struct mqtt_client *c, const struct mqtt_five *five);
/* The library's object is new: what it must know. */
void mqtt_five_prepare(struct mqtt_client *c);
/* Before each reading: a broker of 3.1.1 alone may be about to say so. */
void mqtt_five_look(struct mqtt_client *c);
/* The connection ended: nothing will be acknowledged. */
void mqtt_five_drop(struct mqtt_client *c);
void mqtt_five_close(struct mqtt_client *c);
/* After each reading: what the broker sends next does not wait for our ACK. */
void mqtt_five_hurry(struct mqtt_client *c);
const char *mqtt_property(struct mqtt_client *c, const char *name);

#endif
