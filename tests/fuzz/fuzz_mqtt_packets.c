/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a stream of MQTT: never read past the end, nothing told of a
 * packet lies outside of it, and a PUBLISH with its own payload is the same
 * again where its length was written as it should be.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "wire/mqtt_packets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const struct mqtt_packet *p, struct span s)
{
	assert(!s.text || (s.text >= p->body.text && s.len <= p->body.len &&
			   s.text + s.len <= p->body.text + p->body.len));
}

static void look_connect(const struct mqtt_packet *p)
{
	struct packet_connect c;

	if (!packet_connect(&c, p))
		return;
	inside(p, c.protocol);
	inside(p, c.client);
	inside(p, c.user);
	inside(p, c.password);
	inside(p, c.will_topic);
}

static void look_publish(const struct mqtt_packet *p, int level)
{
	struct packet_publish m, again;
	struct buf out = { 0 };
	struct mqtt_packet copy;

	if (!packet_publish(&m, p, level))
		return;
	inside(p, m.topic);
	inside(p, m.payload);
	assert(packet_publish_with(&out, p, &m, m.payload) == 0);
	assert(packet_read(&copy, out.data, out.len) == PACKET_WHOLE);
	assert(copy.body.len == p->body.len);
	assert(!memcmp(copy.body.text, p->body.text, p->body.len));
	assert(packet_publish(&again, &copy, level));
	assert(again.payload.len == m.payload.len);
	buf_done(&out);
}

static void look_filters(const struct mqtt_packet *p, int level)
{
	struct span filter;
	size_t at = 0, before = 0;

	while (packet_filter(p, level, &at, &filter)) {
		inside(p, filter);
		assert(at > before);
		before = at;
	}
}

static void look(const struct mqtt_packet *p)
{
	struct packet_connack c;

	look_connect(p);
	packet_connack(&c, p);
	packet_disconnect(p);
	assert(packet_type_name(p->type));
	for (int level = 4; level <= 5; level++) {
		look_publish(p, level);
		look_filters(p, level);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 0;
	struct mqtt_packet p;

	while (at < size) {
		/* Exactly as long, so that a byte too far is noticed. */
		char *copy = mem_alloc(size - at);
		enum packet_state s;

		memcpy(copy, data + at, size - at);
		s = packet_read(&p, copy, size - at);
		if (s == PACKET_WHOLE)
			look(&p);
		at += p.size;
		mem_free(copy);
		if (s != PACKET_WHOLE)
			break;
		assert(p.size >= 2);
	}
	return 0;
}
