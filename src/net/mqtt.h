/* SPDX-License-Identifier: MIT */
/*
 * MQTT by libmosquitto, and the UDP audio that goes with it: a connection to a
 * broker; a hub, which is one connection that serves many devices; the target
 * mqtt://. A loaded part: module_table("mqtt", MQTT_TABLE, err).
 *
 * mqtt_client.c is one connection on the loop, mqtt_hub.c the hub and its
 * devices as transports, mqtt_dial.c mqtt://, mqtt_audio.c the audio.
 */
#ifndef NET_MQTT_H
#define NET_MQTT_H

#include "net/endpoint.h"
#include "net/transport.h"
#include "wire/audio.h"

#define MQTT_TABLE "mqtt_table"

/* ---- one connection ---- */

struct mqtt_options { /* texts are copied */
	const char *host;
	uint16_t port;
	bool tls, insecure;
	const char *cacert; /* NULL: the system's */
	const char *user, *password; /* NULL: not sent */
	const char *client_id;
	int keepalive; /* seconds; 0: 60 */
	bool reconnect; /* after a loss, with 1 s to 30 s between tries; lost is told each time */
	bool retained; /* messages that the broker kept are taken, too */
	/* MQTT 5, with a clean start and no session kept; else 3.1.1 */
	const struct mqtt_five *five; /* NULL */
};

/* Those of an endpoint; the rest is the caller's to say. Lent by it. */
static inline struct mqtt_options mqtt_options_to(const struct endpoint *to)
{
	return (struct mqtt_options){
		.host = to->host,
		.port = to->port,
		.tls = endpoint_has(to, SCHEME_TLS),
		.insecure = to->insecure,
		.cacert = to->cacert,
		.user = to->user,
		.password = to->password,
	};
}

struct mqtt_pair { /* a user property */
	const char *name, *value;
};

/* What MQTT 5 adds; texts are copied. */
struct mqtt_five {
	/* QoS 1; the broker publishes it if we end without a word; NULL: none */
	const char *will_topic, *will;
	bool will_retained;
	/* of CONNECT, and of each PUBLISH; a row without name ends them; NULL */
	const struct mqtt_pair *connects, *publishes;
};

/* A message by MQTT 5; QoS 1, if the broker has it. */
struct mqtt_message {
	const char *topic;
	const void *data;
	size_t len;
	bool retained;
};

struct mqtt_client;

/*
 * From the loop only. What a broker sends is held whole before it is told, up
 * to the 256 MB that MQTT allows: the library has no lower ceiling for 3.1.1.
 * Brokers of ours have one.
 */
struct mqtt_client_events {
	void (*connected)(void *owner);
	void (*message)(void *owner, const char *topic, const void *data,
			size_t len); /* lent */
	/* What the broker kept from before goes here, and not there; NULL. */
	void (*retained)(void *owner, const char *topic, const void *data,
			 size_t len);
	/*
	 * The try failed or the connection ended: ERR_CONNECT, ERR_AUTH (broker
	 * refused: CONNACK 4, 5), with the cause in words; code ETIMEDOUT: it
	 * did not answer. Without reconnect nothing follows; then
	 * mqtt_client_close.
	 */
	void (*lost)(void *owner, const struct error *why);
	/* MQTT 5; each may be NULL. A user property of CONNACK, before connected. */
	void (*said)(void *owner, const char *name, const char *value);
	/* What publish_five numbered was taken; reason: MQTT 5, 3.4.2.1. */
	void (*published)(void *owner, int number, int reason);
	/* So was subscribe_five: a code for each of its filters, 3.9.3. */
	void (*subscribed)(void *owner, int number, size_t count,
			   const int *code);
};

/* ---- UDP audio ---- */

struct audio_port; /* one UDP socket, many devices, told apart by ssrc */

struct audio_counts {
	uint64_t packets, bytes; /* accepted; bytes of payload */
	uint64_t broken, repeated,
		gaps; /* bad head or length; old sequence; jumps */
	uint64_t lost; /* the packets that are missing in those */
	uint64_t sent;
};

/* ---- the hub ---- */

struct mqtt_hub;

struct mqtt_joined { /* lent */
	const char *client_id;
	const char
		*device_id; /* from the client id's form or the topic; NULL */
	const char *address, *user; /* NULL without the plugin */
};

struct mqtt_hub_events {
	/* The broker is there (why NULL), or lost (it is tried again). */
	void (*broker)(void *owner, const struct error *why);
	/*
	 * A client connected (with the plugin; mqtt_table.adopt it if it is a
	 * device), or, on a foreign broker, was first heard of.
	 */
	void (*joined)(void *owner, const struct mqtt_joined *who);
	/* What a client may not do; hint NULL: none is told. */
	void (*refused)(void *owner, const char *client_id, const char *address,
			const char *text, const char *hint);
};

struct mqtt_hub_config {
	struct mqtt_options broker;
	/*
	 * Our plugin is in the broker: topics of wire/broker_topic.h. Else up and
	 * down are patterns with {client_id} and {mac} (topic_match, topic_fill).
	 */
	bool plugin;
	const char *up, *down;
	size_t message_max; /* of a device, in bytes; 0: TRANSPORT_MESSAGE_MAX */
	struct audio_port *audio; /* NULL: hello offers none */
	const char *
		advertise; /* host for audio; NULL: our address towards the device, or the broker */
};

struct mcp_browse; /* net/mcp_mqtt.h */
struct mcp_server;

struct mqtt_table {
	struct transport_ops
		dial; /* mqtt:// and mqtts:// (endpoint: see mqtt_dial.c) */
	/* mcp+mqtt:// and mcp+mqtts:// (endpoint: see mcp_mqtt.c) */
	struct transport_ops mcp_dial;
	/*
	 * Who announces himself at the broker of that endpoint, by its filter. The
	 * targets of those that it lists share its connection as long as it is
	 * open. *woken is set when there is something new.
	 */
	struct mcp_browse *(*browse_open)(struct loop *l,
					  const struct endpoint *to,
					  bool *woken, struct error *err);
	/* 0: not yet; 1: nobody more was told for a while; -1: why not. */
	int (*browse_poll)(struct mcp_browse *b, struct error *err);
	/* By id, then name; lent, until the next turn of the loop. */
	const struct mcp_server *(*browse_list)(struct mcp_browse *b,
						size_t *count);
	/* More than MCP_SERVERS_MAX fitted: some are not listed. */
	bool (*browse_is_cut)(const struct mcp_browse *b);
	void (*browse_close)(struct mcp_browse *b);

	/* NULL: ERR_USAGE. Connecting itself fails by `lost`. */
	struct mqtt_client *(*client_open)(struct loop *l,
					   const struct mqtt_options *o,
					   const struct mqtt_client_events *e,
					   void *owner, struct error *err);
	int (*subscribe)(
		struct mqtt_client *c, const char *filter,
		struct error *err); /* again after each reconnect by itself */
	/* QoS 0. -1: not connected, or more than TRANSPORT_QUEUE_MAX waits. */
	int (*publish)(struct mqtt_client *c, const char *topic,
		       const void *data, size_t len, struct error *err);
	/*
	 * Where mqtt_options.five is given. -1: not connected, too much waits, or
	 * the broker takes no such message. *number (may be NULL): as `published`
	 * and `subscribed` tell it. Subscriptions are made once only.
	 */
	int (*publish_five)(struct mqtt_client *c, const struct mqtt_message *m,
			    int *number, struct error *err);
	/* own: what we publish ourselves comes back, too. */
	int (*subscribe_five)(struct mqtt_client *c, char *const *filter,
			      size_t count, bool own, int *number,
			      struct error *err);
	void (*unsubscribe)(struct mqtt_client *c, const char *filter);
	/* Inside `message`: a user property of it; NULL. Lent until that returns. */
	const char *(*property)(struct mqtt_client *c, const char *name);
	/* DISCONNECT, then released; closed from the loop (may be NULL). */
	void (*client_close)(struct mqtt_client *c,
			     void (*closed)(void *owner));

	struct mqtt_hub *(*hub_open)(struct loop *l,
				     const struct mqtt_hub_config *config,
				     const struct mqtt_hub_events *events,
				     void *owner, struct error *err);
	/*
	 * A device of the hub as a transport: `ready` comes from the loop, with
	 * peer_info.envelope and .udp; it closes when the client leaves, or when
	 * the same client id joins again. close() ends our side only.
	 */
	int (*adopt)(struct transport *t, struct mqtt_hub *hub,
		     const struct mqtt_joined *who, struct error *err);
	/*
	 * A message to a client that was not heard of (yet), on the down topic of
	 * a foreign broker. -1: it is not connected.
	 */
	int (*ask)(struct mqtt_hub *hub, const struct mqtt_joined *who,
		   const char *text, size_t len, struct error *err);
	/* End the client's connection at the broker (plugin only; else nothing). */
	void (*kick)(struct mqtt_hub *hub, const char *client_id);
	/* All its transports must be closed before. */
	void (*hub_close)(struct mqtt_hub *hub, void (*closed)(void *owner));

	/* NULL (ERR_CONNECT). port 0: any. silence: while the device speaks (tts start to stop, the only time it plays what comes), one packet of silence at its begin, and one for each that it sends. */
	struct audio_port *(*audio_open)(struct loop *l, const char *host,
					 uint16_t port, bool silence,
					 struct error *err);
	uint16_t (*audio_port)(const struct audio_port *a);
	/* Its transports must be closed before. closed (may be NULL) gets owner. */
	void (*audio_close)(struct audio_port *a, void (*closed)(void *owner),
			    void *owner);
	/* Counts of an adopted or dialled transport; false: it has none. */
	bool (*audio_counts)(const struct transport *t,
			     struct audio_counts *out);
	/* AES-128-CTR, both ways; counter is the packet's head. For the simulated device. */
	void (*cipher)(const unsigned char key[16],
		       const unsigned char counter[16], const void *in,
		       size_t len, unsigned char *out);
	/*
	 * The password of a device (device.md 2.1), appended:
	 * base64(HMAC-SHA256(key, client_id + "|" + user)).
	 */
	void (*sign)(struct buf *out, const struct buf *key,
		     const char *client_id, const char *user);
};

/* Exported by the module. */
extern const struct mqtt_table mqtt_table;

#endif
