/* SPDX-License-Identifier: MIT */
/*
 * Packets of MQTT 3.1.1 and 5 as they stand in a stream of bytes, for who looks
 * at them while they pass: where each ends, what those say that matter, and a
 * PUBLISH with another payload. Nothing here answers, and nothing is believed:
 * no length leads beyond the bytes that are there.
 *
 * Sections are those of MQTT 3.1.1; 5 has a block of properties behind the
 * packet identifier of most packets, which is skipped.
 */
#ifndef WIRE_MQTT_PACKETS_H
#define WIRE_MQTT_PACKETS_H

#include "base/buf.h"
#include "base/json.h"

/* 2.2.1 */
enum packet_type {
	PACKET_RESERVED, /* none is of it */
	PACKET_CONNECT,
	PACKET_CONNACK,
	PACKET_PUBLISH,
	PACKET_PUBACK,
	PACKET_PUBREC,
	PACKET_PUBREL,
	PACKET_PUBCOMP,
	PACKET_SUBSCRIBE,
	PACKET_SUBACK,
	PACKET_UNSUBSCRIBE,
	PACKET_UNSUBACK,
	PACKET_PINGREQ,
	PACKET_PINGRESP,
	PACKET_DISCONNECT,
	PACKET_AUTH /* 5 only */
};
/* "PUBLISH"; "reserved" for what is none. */
const char *packet_type_name(enum packet_type type);

#define PACKET_HEAD_MAX 5 /* of the type and the remaining length */
#define PACKET_MAX (268435455u + PACKET_HEAD_MAX) /* 2.2.3 */

struct mqtt_packet { /* lent, inside the stream */
	enum packet_type type;
	unsigned flags; /* the lower half of the first byte */
	size_t head; /* bytes in front of what `body` is */
	size_t size; /* of all of it, with its head */
	struct span whole; /* what is there of it: at most size */
	struct span body; /* likewise */
};

enum packet_state {
	PACKET_WHOLE,
	PACKET_PART, /* its head is there: type, flags, head and size are set */
	PACKET_NOTHING, /* not even that */
	PACKET_FOREIGN /* no MQTT: a type 0, or a length of five bytes */
};
/* What stands at the beginning of a stream. */
enum packet_state packet_read(struct mqtt_packet *out, const void *data,
			      size_t len);

/* The following are of a whole packet. False: it is broken, or of another type. */

struct packet_connect { /* 3.1; text NULL: not there */
	struct span protocol; /* "MQTT", "MQIsdp" */
	int level; /* 3: 3.1, 4: 3.1.1, 5 */
	bool clean, will;
	unsigned keepalive; /* seconds */
	struct span client, user, password;
	struct span will_topic; /* its message is skipped */
};
bool packet_connect(struct packet_connect *out, const struct mqtt_packet *p);

struct packet_connack { /* 3.2 */
	bool session; /* one of before is there */
	unsigned code; /* 0: accepted; 3.1.1 has up to 5, 5 from 128 on */
};
bool packet_connack(struct packet_connack *out, const struct mqtt_packet *p);

struct packet_publish { /* 3.3 */
	unsigned qos; /* 0 to 2 */
	bool retained, again;
	unsigned id; /* of qos 1 and 2 */
	struct span topic, payload;
};
/* level: as in the CONNECT. */
bool packet_publish(struct packet_publish *out, const struct mqtt_packet *p,
		    int level);
/*
 * The same PUBLISH with that payload, appended: all but the remaining length and
 * the payload stays as it was. -1: it would be larger than a packet can be.
 */
int packet_publish_with(struct buf *out, const struct mqtt_packet *p,
			const struct packet_publish *old, struct span payload);

/*
 * The filters of a SUBSCRIBE or UNSUBSCRIBE, one after the other: start
 * with *at = 0. False: no more, or it is broken.
 */
bool packet_filter(const struct mqtt_packet *p, int level, size_t *at,
		   struct span *out);

/* The reason of a DISCONNECT (5, 3.14.2.1); 0 where it has none. */
unsigned packet_disconnect(const struct mqtt_packet *p);

#endif
