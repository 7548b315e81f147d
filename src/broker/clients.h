/* SPDX-License-Identifier: MIT */
/*
 * The clients that are connected to mosquitto, as our plugin knows them. Not
 * thread-safe: mosquitto has one.
 */
#ifndef BROKER_CLIENTS_H
#define BROKER_CLIENTS_H

#include "base/map.h"

struct mosquitto;

struct broker_client {
	const struct mosquitto *who; /* never looked into: it is the key */
	char *id, *address, *user; /* owned; user may be NULL */
	uint64_t number; /* of this connection, never twice */
	int64_t since; /* ms */
	bool device; /* it is one, and serve was told */
	bool left; /* another took its place: its end means nothing */
	bool foreign; /* it did what a stock device does not: see plugin.c */
	bool operator; /* it showed the operator's password */
	bool denied; /* serve was told what it may not do */
};

struct clients {
	struct map by_id; /* two have the same for a moment */
	uint64_t last_number;
};

/* Numbers go on rising when the broker is started again. */
void clients_init(struct clients *c);
void clients_done(struct clients *c);

/* Replaces one of the same key. */
struct broker_client *clients_add(struct clients *c,
				  const struct mosquitto *who, const char *id,
				  const char *address, const char *user);
/* id NULL: there is none. */
struct broker_client *clients_find(struct clients *c,
				   const struct mosquitto *who, const char *id);
/* Whoever has that id and has not left; NULL. */
struct broker_client *clients_holder(struct clients *c, const char *id);
void clients_remove(struct clients *c, const struct mosquitto *who,
		    const char *id);
void clients_each(struct clients *c,
		  void (*fn)(void *owner, struct broker_client *cl),
		  void *owner);

int64_t clients_now(void); /* ms, monotonic */

#endif
