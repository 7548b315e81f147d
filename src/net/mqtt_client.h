/* SPDX-License-Identifier: MIT */
/* One connection to a broker. Within the module of net/mqtt. */
#ifndef NET_MQTT_CLIENT_H
#define NET_MQTT_CLIENT_H

#include <mosquitto.h>
#include <openssl/ssl.h>

#include "net/dial.h"
#include "net/mqtt.h"

struct mqtt_additions;

/* What a client id begins with that was made here at random: nobody else's. */
#define MQTT_OWN_ID "mcpctl-"

enum mqtt_state {
	MQTT_CONNECTING, /* the name, then TCP, TLS and CONNECT */
	MQTT_CONNECTED,
	MQTT_WAITING, /* for the next try */
	MQTT_OVER, /* lost, and not tried again */
	MQTT_DRAINING, /* closed by us: what is queued, then DISCONNECT */
	MQTT_GONE /* only the timer's handle is left */
};

/* One for each descriptor: its handle may outlive the connection by a turn. */
struct mqtt_poll {
	uv_poll_t uv;
	struct mqtt_client *client;
	int fd, events;
};

struct mqtt_waiting {
	struct mqtt_waiting *next;
	size_t len;
	char *topic;
	unsigned char data[];
};

struct mqtt_filter {
	char *text;
	int mid; /* of the SUBSCRIBE under way; 0 */
};

struct mqtt_client {
	struct loop *loop;
	const struct mqtt_client_events *events;
	void *owner;
	void (*closed)(void *owner);

	char *host, *user, *password, *client_id;
	uint16_t port;
	int keepalive;
	bool reconnect, insecure;
	bool retained;
	SSL_CTX *tls; /* NULL: plain */
	struct mqtt_additions *five; /* NULL: 3.1.1 */
	char problem[128]; /* what is wrong with certificate or handshake; "" */

	enum mqtt_state state;
	struct timer timer;
	int64_t deadline,
		delay; /* of this try, or of draining; ms until the next try */
	struct dial *dial; /* until TCP stands; NULL */
	struct mosquitto *mosq; /* made anew for each address */
	struct mqtt_poll *poll;
	bool tcp_up, tls_up, disconnecting;
	/* Of TCP, an errno; 0. TLS may meet it first, and the library swallows it. */
	int early_error;
	int connack; /* the refusal; 0 */

	struct mqtt_filter *filter;
	size_t filters, filter_capacity;
	const char *refused; /* a filter that the broker does not grant */
	struct mqtt_waiting *first, **last;
	size_t queued; /* bytes */
	struct {
		int64_t at; /* loop_now() ms; 0: nothing was sent */
		size_t len;
		bool broken; /* it is no JSON */
		char topic[64]; /* cut */
	} sent; /* last */
	struct error why;
};

struct mqtt_client *mqtt_client_open(struct loop *l,
				     const struct mqtt_options *o,
				     const struct mqtt_client_events *e,
				     void *owner, struct error *err);
int mqtt_subscribe(struct mqtt_client *c, const char *filter,
		   struct error *err);
int mqtt_publish(struct mqtt_client *c, const char *topic, const void *data,
		 size_t len, struct error *err);
/* Whether it can be published there now. */
int mqtt_check_publish(const struct mqtt_client *c, const char *topic,
		       size_t len, struct error *err);
int mqtt_check_filter(const char *filter, struct error *err);
/* Watch the socket for what the library waits for; after every call into it. */
void mqtt_watch(struct mqtt_client *c);
void mqtt_client_close(struct mqtt_client *c, void (*closed)(void *owner));
/* transport_ops.layers of all that goes through it; c NULL: none. */
bool mqtt_layers(const struct mqtt_client *c, struct layers *out);
/* "TLSv1.3"; NULL for a plain connection. */
const char *mqtt_tls_version(const struct mqtt_client *c);

#endif
