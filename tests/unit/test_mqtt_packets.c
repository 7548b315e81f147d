/* SPDX-License-Identifier: MIT */
/*
 * wire/mqtt_packets: packets of 3.1.1 and 5 from literal bytes, whole, cut,
 * with lengths that lie; a PUBLISH with another payload.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/mqtt_packets.h"

#define BYTES(text) (text), sizeof(text) - 1

/* Client "c1", user "u", password "pw", keepalive 240, as firmware says it. */
#define CONNECT_4                          \
	"\x10\x15\0\4MQTT\x04\xC2\x00\xF0" \
	"\0\2c1\0\1u\0\2pw"
#define PUBLISH_0 "\x30\x07\0\1thell"
#define PUBLISH_2 "\x3D\x09\0\1t\x12\x34hell"

static void assert_span(struct span got, const char *wanted)
{
	assert_int_equal(got.len, strlen(wanted));
	assert_memory_equal(got.text, wanted, got.len);
}

static struct mqtt_packet whole(const char *data, size_t len)
{
	struct mqtt_packet p;

	assert_int_equal(packet_read(&p, data, len), PACKET_WHOLE);
	assert_int_equal(p.size, len);
	return p;
}

static void connect(void **state)
{
	struct mqtt_packet p = whole(BYTES(CONNECT_4));
	struct packet_connect c;

	(void)state;
	assert_true(packet_connect(&c, &p));
	assert_span(c.protocol, "MQTT");
	assert_int_equal(c.level, 4);
	assert_int_equal(c.keepalive, 240);
	assert_true(c.clean);
	assert_false(c.will);
	assert_span(c.client, "c1");
	assert_span(c.user, "u");
	assert_span(c.password, "pw");
}

static void connect_with_will(void **state)
{
	/* 5: properties (one of three bytes), will with none, no user. */
	struct mqtt_packet p = whole(BYTES("\x10\x1A\0\4MQTT\x05\x04\x00\x3C"
					   "\x03\x21\x00\x14"
					   "\0\1c\x00\0\1w\0\3bye"));
	struct packet_connect c;

	(void)state;
	assert_true(packet_connect(&c, &p));
	assert_int_equal(c.level, 5);
	assert_false(c.clean);
	assert_true(c.will);
	assert_span(c.client, "c");
	assert_span(c.will_topic, "w");
	assert_null(c.user.text);
}

static void connect_broken(void **state)
{
	struct packet_connect c;

	(void)state;
	/* Each of its bytes left out at the end, and the length corrected. */
	for (size_t len = 2; len < sizeof(CONNECT_4) - 1; len++) {
		char copy[sizeof(CONNECT_4)];
		struct mqtt_packet p;

		memcpy(copy, CONNECT_4, len);
		copy[1] = (char)(len - 2);
		p = whole(copy, len);
		assert_false(packet_connect(&c, &p));
	}
}

static void connack(void **state)
{
	struct mqtt_packet p = whole(BYTES("\x20\x02\x01\x05"));
	struct packet_connack c;

	(void)state;
	assert_true(packet_connack(&c, &p));
	assert_true(c.session);
	assert_int_equal(c.code, 5);
	p = whole(BYTES("\x20\x01\x01"));
	assert_false(packet_connack(&c, &p));
	p = whole(BYTES("\x20\x03\x00\x87\x00"));
	assert_true(packet_connack(&c, &p));
	assert_int_equal(c.code, 0x87);
}

static void publish(void **state)
{
	struct mqtt_packet p = whole(BYTES(PUBLISH_0));
	struct packet_publish m;

	(void)state;
	assert_true(packet_publish(&m, &p, 4));
	assert_int_equal(m.qos, 0);
	assert_span(m.topic, "t");
	assert_span(m.payload, "hell");
	p = whole(BYTES(PUBLISH_2));
	assert_true(packet_publish(&m, &p, 4));
	assert_int_equal(m.qos, 2);
	assert_true(m.retained && m.again);
	assert_int_equal(m.id, 0x1234);
	assert_span(m.payload, "hell");
	/* 5: an alias instead of the topic */
	p = whole(BYTES("\x30\x07\0\0\x03\x23\x00\x01x"));
	assert_true(packet_publish(&m, &p, 5));
	assert_int_equal(m.topic.len, 0);
	assert_span(m.payload, "x");
}

static void publish_broken(void **state)
{
	struct mqtt_packet p = whole(BYTES("\x36\x05\0\1t\0\1")); /* qos 3 */
	struct packet_publish m;

	(void)state;
	assert_false(packet_publish(&m, &p, 4));
	p = whole(BYTES("\x30\x03\0\2t")); /* the topic is longer */
	assert_false(packet_publish(&m, &p, 4));
	p = whole(BYTES("\x32\x03\0\1t")); /* no id */
	assert_false(packet_publish(&m, &p, 4));
	p = whole(BYTES("\x30\x04\0\1t\x05")); /* properties beyond the end */
	assert_false(packet_publish(&m, &p, 5));
	p = whole(BYTES("\x30\x08\0\1t\x80\x80\x80\x80\x01")); /* endless */
	assert_false(packet_publish(&m, &p, 5));
	p = whole(BYTES(PUBLISH_0));
	p.type = PACKET_CONNECT;
	assert_false(packet_publish(&m, &p, 4));
}

static void other_payload(void **state)
{
	struct mqtt_packet p = whole(BYTES(PUBLISH_2));
	struct packet_publish m;
	struct buf out = { 0 };
	char large[200];

	(void)state;
	assert_true(packet_publish(&m, &p, 4));
	assert_int_equal(packet_publish_with(&out, &p, &m, m.payload), 0);
	assert_int_equal(out.len, sizeof(PUBLISH_2) - 1);
	assert_memory_equal(out.data, PUBLISH_2, out.len);
	buf_reset(&out);
	/* Its length has two bytes now. */
	memset(large, 'x', sizeof(large));
	assert_int_equal(
		packet_publish_with(&out, &p, &m,
				    (struct span){ large, sizeof(large) }),
		0);
	assert_memory_equal(out.data, "\x3D\xCD\x01\0\1t\x12\x34xx", 10);
	assert_int_equal(out.len, 3 + 5 + sizeof(large));
	p = whole(out.data, out.len);
	assert_true(packet_publish(&m, &p, 4));
	assert_int_equal(m.payload.len, sizeof(large));
	buf_done(&out);
}

static void subscribe(void **state)
{
	struct mqtt_packet p = whole(BYTES("\x82\x0B\0\1\0\1a\x00\0\2b/\x01"));
	struct span filter;
	size_t at = 0;

	(void)state;
	assert_true(packet_filter(&p, 4, &at, &filter));
	assert_span(filter, "a");
	assert_true(packet_filter(&p, 4, &at, &filter));
	assert_span(filter, "b/");
	assert_false(packet_filter(&p, 4, &at, &filter));
	at = 0;
	p = whole(BYTES("\xA2\x05\0\1\0\1a"));
	assert_true(packet_filter(&p, 4, &at, &filter));
	assert_span(filter, "a");
	assert_false(packet_filter(&p, 4, &at, &filter));
	at = 0;
	p = whole(BYTES("\x82\x07\0\1\0\1a\0\0"));
	assert_true(packet_filter(&p, 4, &at, &filter));
	assert_false(packet_filter(&p, 4, &at, &filter));
	at = 99; /* beyond all */
	assert_false(packet_filter(&p, 4, &at, &filter));
}

static void short_ones(void **state)
{
	struct mqtt_packet p = whole(BYTES("\xC0\x00"));

	(void)state;
	assert_int_equal(p.type, PACKET_PINGREQ);
	assert_string_equal(packet_type_name(p.type), "PINGREQ");
	assert_int_equal(packet_disconnect(&p), 0);
	p = whole(BYTES("\xE0\x00"));
	assert_int_equal(packet_disconnect(&p), 0);
	p = whole(BYTES("\xE0\x01\x8D"));
	assert_int_equal(packet_disconnect(&p), 0x8D);
	assert_string_equal(packet_type_name(0), "reserved");
	assert_string_equal(packet_type_name(15), "AUTH");
	assert_string_equal(packet_type_name((enum packet_type)16), "reserved");
}

static void cut(void **state)
{
	struct mqtt_packet p;

	(void)state;
	assert_int_equal(packet_read(&p, "", 0), PACKET_NOTHING);
	assert_int_equal(packet_read(&p, "\x30", 1), PACKET_NOTHING);
	assert_int_equal(packet_read(&p, "\x30\x80", 2), PACKET_NOTHING);
	assert_int_equal(packet_read(&p, BYTES("\x30\xFF\xFF\xFF\x7Fxy")),
			 PACKET_PART);
	assert_int_equal(p.size, PACKET_MAX);
	assert_int_equal(p.head, 5);
	assert_span(p.body, "xy");
	/* Two of them: the second is none of the first's. */
	assert_int_equal(packet_read(&p, BYTES("\xC0\x00\xD0\x00")),
			 PACKET_WHOLE);
	assert_int_equal(p.whole.len, 2);
}

static void foreign(void **state)
{
	struct mqtt_packet p;

	(void)state;
	assert_int_equal(packet_read(&p, BYTES("\x00\x00")), PACKET_FOREIGN);
	assert_int_equal(packet_read(&p, BYTES("\x30\xFF\xFF\xFF\xFF")),
			 PACKET_FOREIGN);
	/* TLS to us: a length that does not end is not there, 0x16 is CONNECT. */
	assert_int_equal(packet_read(&p, BYTES("\x16\x03\x01")), PACKET_PART);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connect),
		cmocka_unit_test(connect_with_will),
		cmocka_unit_test(connect_broken),
		cmocka_unit_test(connack),
		cmocka_unit_test(publish),
		cmocka_unit_test(publish_broken),
		cmocka_unit_test(other_payload),
		cmocka_unit_test(subscribe),
		cmocka_unit_test(short_ones),
		cmocka_unit_test(cut),
		cmocka_unit_test(foreign),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
