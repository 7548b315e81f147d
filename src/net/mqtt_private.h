/* SPDX-License-Identifier: MIT */
/*
 * What the files of the MQTT module share: one connection to a broker, one
 * device's audio, and what a server hello is told of it.
 */
#ifndef NET_MQTT_PRIVATE_H
#define NET_MQTT_PRIVATE_H

#include <mosquitto.h>
#include <openssl/ssl.h>

#include "base/buf.h"
#include "base/map.h"
#include "net/dial.h"
#include "net/mqtt.h"

/* ---- mqtt_client.c: one connection ---- */

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

/* ---- mqtt_five.c: what MQTT 5 adds to one connection ---- */

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
	int64_t since; /* loop_now() ms when the broker accepted us; 0: never */
	/* of the message that is told of */
	const mosquitto_property *of_message;
	char *found; /* the property that was asked for last; of the library */
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
/* mqtt_five.c: c->five, which has its callbacks already, from the options. */
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
/* mqtt_five_send.c */
int mqtt_publish_five(struct mqtt_client *c, const struct mqtt_message *m,
		      int *number, struct error *err);
int mqtt_subscribe_five(struct mqtt_client *c, char *const *filter,
			size_t count, bool own, int *number, struct error *err);
void mqtt_unsubscribe(struct mqtt_client *c, const char *filter);
const char *mqtt_property(struct mqtt_client *c, const char *name);
void mqtt_client_close(struct mqtt_client *c, void (*closed)(void *owner));
/* transport_ops.layers of all that goes through it; c NULL: none. */
bool mqtt_layers(const struct mqtt_client *c, struct layers *out);
/* "TLSv1.3"; NULL for a plain connection. */
const char *mqtt_tls_version(const struct mqtt_client *c);

/* ---- mqtt_audio.c: the UDP socket; mqtt_audio.c: one device on it ---- */

struct audio {
	struct audio_port *port;
	struct transport *transport; /* who gets the frames */
	bool open; /* it may get them now: ready, and not closing */
	bool told; /* a hello was sent: key and ssrc are known to the device */
	/* what its owner knows of since that hello: packets were dropped */
	bool broken_told, repeated_told;
	uint32_t ssrc, received, sent; /* sequences */
	struct sockaddr_storage from; /* of its last packet; AF_UNSPEC */
	bool speaking; /* it was told tts start, and no stop yet */
	bool voiced; /* it was sent sound since: no silence between */
	unsigned char key[16];
	struct udp_offer offer; /* for the next hello */
	struct audio_counts counts;
};

struct audio_port {
	struct loop *loop;
	uv_udp_t uv;
	bool silence;
	uint16_t number;
	char host[ADDRESS_TEXT_MAX]; /* bound to that only; "" for all */
	struct map boards; /* struct audio by ssrc */
	void (*closed)(void *owner);
	void *owner;
	char room[2048];
};

struct audio_port *mqtt_audio_open(struct loop *l, const char *host,
				   uint16_t port, bool silence,
				   struct error *err);
uint16_t mqtt_audio_number(const struct audio_port *a);
/* All its devices must have left. closed may be NULL. */
void mqtt_audio_close(struct audio_port *a, void (*closed)(void *owner),
		      void *owner);

/* A device that will have a key and an ssrc of its own for each hello. */
struct audio *mqtt_audio_join(struct audio_port *a, struct transport *t);
void mqtt_audio_leave(struct audio *d);
/*
 * What its hellos are told, lent: another key each time. server: the address
 * for devices; NULL: ours towards `device` ("192.168.1.7:51234"), or, if that
 * is NULL too, the one by which this end of the connection `fd` is known.
 */
const struct udp_offer *mqtt_audio_offer(struct audio *d, const char *server,
					 const char *device, int fd);
/*
 * A message went to the device: from a server hello on, its key and ssrc
 * count, and the sequences start anew.
 */
/* Opus for the device. -1 (ERR_CONNECT): where it listens is not known. */
int mqtt_audio_send(struct audio *d, const void *data, size_t len,
		    struct error *err);
void mqtt_audio_passes(struct audio *d, const char *text, size_t len);
void mqtt_cipher(const unsigned char key[16], const unsigned char counter[16],
		 const void *in, size_t len, unsigned char *out);

/* ---- the hub and its devices ---- */

struct mqtt_peer {
	struct mqtt_peer *next_due;
	struct mqtt_hub *hub;
	struct transport *
		transport; /* NULL: given up by its owner, still at the broker */
	char *client_id, *device_id, *address, *down;
	struct audio *audio; /* NULL */
	int64_t number; /* of its connection, from the plugin; 0 */
	bool due, ready, closing;
	struct error *why; /* for closed; NULL: properly */
};

struct mqtt_hub {
	struct loop *loop;
	const struct mqtt_hub_events *events;
	void *owner;
	void (*closed)(void *owner);
	struct mqtt_client *client;
	bool plugin;
	size_t message_max;
	char *up, *down; /* patterns; NULL with the plugin */
	char *advertise; /* NULL */
	char *broker; /* "host:port" */
	struct audio_port *audio; /* NULL */
	struct map peers; /* by client id */
	int64_t joining; /* number of the connection that is being told of; 0 */
	struct mqtt_peer *due,
		**due_last; /* to be told something from the loop */
	struct timer timer;
};

/* ---- mqtt_dial.c ---- */
int mqtt_dial_open(struct transport *t, const struct endpoint *to,
		   struct error *err);
int mqtt_dial_send(struct transport *t, const char *text, size_t len,
		   struct error *err);
void mqtt_dial_close(struct transport *t);
int mqtt_dial_send_sound(struct transport *t, const void *data, size_t len,
			 struct error *err);
int mqtt_dial_explain(struct transport *t, struct error *err);
bool mqtt_dial_layers(const struct transport *t, int64_t id,
		      struct layers *out);
/* NULL: it has none. t is open with dial's ops. */
const struct audio *mqtt_dial_audio(const struct transport *t);

#endif
