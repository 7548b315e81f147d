/* SPDX-License-Identifier: MIT */
/*
 * MQTT between boards and their broker: a port of ours for each endpoint, a
 * connection up for each one down. What passes is read packet by packet
 * (wire/mqtt_packets.h) and goes on as it came, but for the addresses of UDP and
 * of pictures, and what the user wants changed. So a broker that pushes to who
 * never subscribed does so through us, too (device.md 2.2).
 *
 * Plain on the board's side: boards speak TLS on port 8883 only, and believe
 * public certificates only. TLS above, where the endpoint's port is 8883 or the
 * user wrote mqtts://.
 *
 * The ports are here; one connection is proxy/mqtt_talk.h.
 */
#ifndef PROXY_MQTT_RELAY_H
#define PROXY_MQTT_RELAY_H

#include "proxy/gate.h"
#include "proxy/proxy.h"

struct mqtt_talk; /* one connection of a board */

struct mqtt_place { /* one port of ours, and where it leads */
	struct mqtt_relay *relay;
	struct mqtt_place *next;
	struct gate gate;
	char *listens; /* the host of ours; NULL: all addresses; owned */
	char *host; /* of the broker; owned */
	uint16_t port;
	bool tls; /* there */
};

struct mqtt_relay {
	struct proxy *proxy;
	struct mqtt_place *places;
	struct mqtt_talk *talks; /* those whose sockets are open */
	struct mqtt_talk *oldest; /* the last of them */
	size_t waiting; /* whose CONNECT is awaited */
	size_t count; /* of places */
	unsigned open; /* ports and talks that are not given back */
	bool closing;
	/* By each talk when it is given back. */
	void (*released)(struct mqtt_relay *r);
};

struct mqtt_came { /* lent */
	const char *reached; /* our host by Host; --advertise goes first */
	const char *listens; /* the host of ours where it came in; NULL: all */
};
/*
 * MQTT. UPSTREAM_MQTT: the port is --listen's. Otherwise a port of its
 * own for each endpoint ("HOST:PORT" as OTA tells it; TLS where the port is
 * 8883) and each address of ours: found or opened. came: how the board did.
 * *out ("HOST:PORT" for the board) is yours. -1: err.
 */
int mqtt_relay_endpoint(struct proxy *p, const char *endpoint,
			const struct mqtt_came *came, char **out,
			struct error *err);
/* UPSTREAM_MQTT: "mqtt://HOST[:PORT]" or mqtts. -1: err. */
int mqtt_relay_open(struct proxy *p, struct error *err);
/* "HOST:PORT" for boards, added; as --advertise says. */
void mqtt_relay_addresses(const struct proxy *p, struct words *out);
/* Ends its talks; proxy_leg_closed() when all is given back. NULL relay: not called. */
void mqtt_relay_close(struct proxy *p);

#endif
