/* SPDX-License-Identifier: MIT */
/* Heads of packets, and the fields of those that matter; see the header. */
#include "wire/mqtt_packets.h"

#include <string.h>

const char *packet_type_name(enum packet_type type)
{
	static const char *const name[] = {
		"reserved",  "CONNECT",	 "CONNACK",	"PUBLISH",
		"PUBACK",    "PUBREC",	 "PUBREL",	"PUBCOMP",
		"SUBSCRIBE", "SUBACK",	 "UNSUBSCRIBE", "UNSUBACK",
		"PINGREQ",   "PINGRESP", "DISCONNECT",	"AUTH"
	};

	return (size_t)type < COUNT(name) ? name[type] : name[0];
}

/* ---- a stream ---- */

enum { LENGTH_BYTES = 4, SEVEN = 0x7F, MORE = 0x80 };

/*
 * A number of one to four bytes (2.2.3). Its bytes; 0: there are not enough;
 * -1: it does not end.
 */
static int read_length(const unsigned char *at, size_t len, size_t *out)
{
	*out = 0;
	for (int i = 0; i < LENGTH_BYTES; i++) {
		if ((size_t)i >= len)
			return 0;
		*out |= (size_t)(at[i] & SEVEN) << (7 * i);
		if (!(at[i] & MORE))
			return i + 1;
	}
	return -1;
}

enum packet_state packet_read(struct mqtt_packet *out, const void *data,
			      size_t len)
{
	const unsigned char *at = data;
	size_t remaining;
	int bytes;

	*out = (struct mqtt_packet){ 0 };
	if (!len)
		return PACKET_NOTHING;
	out->type = at[0] >> 4;
	out->flags = at[0] & 0xF;
	bytes = read_length(at + 1, len - 1, &remaining);
	if (!out->type || bytes < 0)
		return PACKET_FOREIGN;
	if (!bytes)
		return PACKET_NOTHING;
	out->head = 1 + (size_t)bytes;
	out->size = out->head + remaining;
	if (len > out->size)
		len = out->size;
	out->whole = (struct span){ data, len };
	out->body = (struct span){ (const char *)data + out->head,
				   len - out->head };
	return len == out->size ? PACKET_WHOLE : PACKET_PART;
}

/* ---- fields, taken from the front of a body ---- */

static bool take(struct span *from, size_t len, struct span *out)
{
	if (len > from->len)
		return false;
	*out = (struct span){ from->text, len };
	from->text += len;
	from->len -= len;
	return true;
}

static bool take_byte(struct span *from, unsigned *out)
{
	struct span byte;

	if (!take(from, 1, &byte))
		return false;
	*out = (unsigned char)byte.text[0];
	return true;
}

static bool take_number(struct span *from, unsigned *out)
{
	unsigned high, low;

	if (!take_byte(from, &high) || !take_byte(from, &low))
		return false;
	*out = high << 8 | low;
	return true;
}

/* Behind a length of two bytes (1.5.3). */
static bool take_text(struct span *from, struct span *out)
{
	unsigned len;

	return take_number(from, &len) && take(from, len, out);
}

/* 5, 2.2.2: behind a length of up to four bytes. */
static bool skip_properties(struct span *from, int level)
{
	struct span skipped;
	size_t len;
	int bytes;

	if (level < 5)
		return true;
	bytes = read_length((const unsigned char *)from->text, from->len, &len);
	return bytes > 0 && take(from, (size_t)bytes, &skipped) &&
	       take(from, len, &skipped);
}

/* ---- packets ---- */

/* 3.1.2.3 */
enum {
	FLAG_CLEAN = 0x02,
	FLAG_WILL = 0x04,
	FLAG_PASSWORD = 0x40,
	FLAG_USER = 0x80
};

static bool take_will(struct span *from, struct packet_connect *out)
{
	struct span message;

	return !out->will ||
	       (skip_properties(from, out->level) &&
		take_text(from, &out->will_topic) && take_text(from, &message));
}

bool packet_connect(struct packet_connect *out, const struct mqtt_packet *p)
{
	struct span rest = p->body;
	unsigned level, flags;

	*out = (struct packet_connect){ 0 };
	if (p->type != PACKET_CONNECT || !take_text(&rest, &out->protocol) ||
	    !take_byte(&rest, &level) || !take_byte(&rest, &flags) ||
	    !take_number(&rest, &out->keepalive))
		return false;
	out->level = (int)level;
	out->clean = flags & FLAG_CLEAN;
	out->will = flags & FLAG_WILL;
	return skip_properties(&rest, out->level) &&
	       take_text(&rest, &out->client) && take_will(&rest, out) &&
	       (!(flags & FLAG_USER) || take_text(&rest, &out->user)) &&
	       (!(flags & FLAG_PASSWORD) || take_text(&rest, &out->password));
}

bool packet_connack(struct packet_connack *out, const struct mqtt_packet *p)
{
	struct span rest = p->body;
	unsigned flags;

	*out = (struct packet_connack){ 0 };
	if (p->type != PACKET_CONNACK || !take_byte(&rest, &flags) ||
	    !take_byte(&rest, &out->code))
		return false;
	out->session = flags & 1;
	return true;
}

bool packet_publish(struct packet_publish *out, const struct mqtt_packet *p,
		    int level)
{
	struct span rest = p->body;

	*out = (struct packet_publish){ 0 };
	out->qos = p->flags >> 1 & 3;
	out->retained = p->flags & 1;
	out->again = p->flags & 8;
	if (p->type != PACKET_PUBLISH || out->qos > 2 ||
	    !take_text(&rest, &out->topic) ||
	    (out->qos && !take_number(&rest, &out->id)) ||
	    !skip_properties(&rest, level))
		return false;
	out->payload = rest;
	return true;
}

static void add_length(struct buf *out, size_t len)
{
	do {
		size_t seven = len & SEVEN;

		len >>= 7;
		buf_char(out, (char)(len ? seven | MORE : seven));
	} while (len);
}

int packet_publish_with(struct buf *out, const struct mqtt_packet *p,
			const struct packet_publish *old, struct span payload)
{
	size_t front = p->body.len - old->payload.len;

	if (payload.len > PACKET_MAX - PACKET_HEAD_MAX - front)
		return -1;
	buf_char(out, p->whole.text[0]);
	add_length(out, front + payload.len);
	buf_add(out, p->body.text, front);
	return buf_add(out, payload.text, payload.len);
}

/* Where the filters begin, behind the identifier and properties. */
static bool filters(const struct mqtt_packet *p, int level, struct span *out)
{
	unsigned id;

	*out = p->body;
	return (p->type == PACKET_SUBSCRIBE || p->type == PACKET_UNSUBSCRIBE) &&
	       take_number(out, &id) && skip_properties(out, level);
}

bool packet_filter(const struct mqtt_packet *p, int level, size_t *at,
		   struct span *out)
{
	struct span rest, passed;
	unsigned options;

	if (!filters(p, level, &rest) || !take(&rest, *at, &passed) ||
	    !take_text(&rest, out) ||
	    (p->type == PACKET_SUBSCRIBE && !take_byte(&rest, &options)))
		return false;
	*at = (size_t)(rest.text - passed.text);
	return true;
}

unsigned packet_disconnect(const struct mqtt_packet *p)
{
	struct span rest = p->body;
	unsigned reason = 0;

	return p->type == PACKET_DISCONNECT && take_byte(&rest, &reason) ?
		       reason :
		       0;
}
