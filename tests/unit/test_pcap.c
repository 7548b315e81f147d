/* SPDX-License-Identifier: MIT */
/*
 * capture/pcap: the bytes of the file, read here block by block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/pcap.h"

#define TEXT(literal) ((struct span){ (literal), sizeof(literal) - 1 })

static uint32_t le32_at(const struct pcap *p, size_t at)
{
	const unsigned char *b = (const unsigned char *)p->out.data + at;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

/* How many packets; the last one's bytes in *last. Lengths agree. */
static size_t packets(const struct pcap *p, struct span *last)
{
	size_t count = 0;

	for (size_t at = 0; at < p->out.len;) {
		uint32_t len = le32_at(p, at + 4);

		assert_true(len >= 12 && len % 4 == 0);
		assert_true(at + len <= p->out.len);
		assert_int_equal(le32_at(p, at + len - 4), len);
		if (le32_at(p, at) == 6) {
			count++;
			last->text = p->out.data + at + 28;
			last->len = le32_at(p, at + 20);
			assert_true(last->len <= len - 32);
		}
		at += len;
	}
	return count;
}

static bool ends_in(struct span packet, struct span text)
{
	return packet.len >= text.len &&
	       !memcmp(packet.text + packet.len - text.len, text.text,
		       text.len);
}

/* Over a head that is right, the Internet's sum is all ones. */
static void assert_sum(const char *data, size_t len, uint32_t sum)
{
	const unsigned char *b = (const unsigned char *)data;

	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? b[i] : (uint32_t)b[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal(sum, 0xffff);
}

static void head(void **state)
{
	static const char wanted[] =
		"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0"
		"\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0"
		"\x01\0\0\0\x14\0\0\0\x65\0\0\0\0\0\0\0\x14\0\0\0";
	struct pcap p = { 0 };

	(void)state;
	pcap_begin(&p, 0);
	assert_int_equal(p.out.len, sizeof(wanted) - 1);
	assert_memory_equal(p.out.data, wanted, sizeof(wanted) - 1);
	pcap_done(&p);
}

/* Three packets that open it, the upgrade, and the frame, masked with zeros. */
static void websocket(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = { .at_us = 5,
				   .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_DEVICE,
				   .data = TEXT("{\"type\":\"hello\"}"),
				   .size = 16 };
	uint32_t tcp_head;

	(void)state;
	pcap_begin(&p, 1000000);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 6);
	assert_true(
		ends_in(last, TEXT("\x81\x90\0\0\0\0{\"type\":\"hello\"}")));
	assert_sum(last.text, 20, 0);
	tcp_head = (uint32_t)(last.len - 20 + 6);
	for (int i = 12; i < 20; i += 2)
		tcp_head += (uint32_t)((unsigned char)last.text[i] << 8 |
				       (unsigned char)last.text[i + 1]);
	assert_sum(last.text + 20, last.len - 20, tcp_head);

	e.from = FROM_BACKEND;
	e.kind = CAPTURED_BINARY; /* counted, not kept */
	e.data = (struct span){ 0 };
	e.size = 300;
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 7);
	assert_true(ends_in(last, TEXT("\x82\x7e\x01\x2c")));

	e.kind = CAPTURED_END;
	e.how = ENDED_CLOSE;
	e.code = 1000;
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 9);
	assert_int_equal(last.len, 40);
	assert_int_equal(last.text[33], 0x11); /* FIN and ACK */
	pcap_done(&p);
}

static void recorded_upgrade(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = { .conn = 7,
				   .leg = LEG_WS,
				   .kind = CAPTURED_OPEN,
				   .from = FROM_DEVICE,
				   .head = TEXT(
					   "GET /x HTTP/1.1\r\nHost: h\r\n") };

	(void)state;
	pcap_begin(&p, 0);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 4);
	assert_true(ends_in(last, TEXT("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")));
	e.kind = CAPTURED_TEXT;
	e.data = TEXT("{}");
	e.size = 2;
	pcap_event(&p, &e); /* the 101 that was not recorded, and the frame */
	assert_int_equal(packets(&p, &last), 6);
	pcap_done(&p);
}

static void mqtt(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = { .conn = 1,
				   .leg = LEG_MQTT,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_BACKEND,
				   .topic = "devices/p2p/a",
				   .data = TEXT("{}"),
				   .size = 2 };

	(void)state;
	pcap_begin(&p, 0);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 4);
	assert_true(ends_in(last, TEXT("\x30\x11\0\x0d"
				       "devices/p2p/a{}")));
	pcap_done(&p);
}

/* The length that was told is not that of a body in which a token was masked. */
static void http_length(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = {
		.conn = 1,
		.leg = LEG_OTA,
		.kind = CAPTURED_RESPONSE,
		.from = FROM_BACKEND,
		.head = TEXT(
			"HTTP/1.1 200 OK\r\ncontent-length: 99\r\nA: b\r\n"),
		.data = TEXT("{\"t\":1}"),
		.size = 99
	};

	(void)state;
	pcap_begin(&p, 0);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 4);
	assert_true(
		ends_in(last, TEXT("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n"
				   "A: b\r\n\r\n{\"t\":1}")));
	pcap_done(&p);
}

static void notes(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = {
		.kind = CAPTURED_FINDING,
		.data = TEXT("{\"code\":\"D124\",\"severity\":\"error\"}")
	};

	(void)state;
	pcap_begin(&p, 0);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 1);
	assert_true(ends_in(last, TEXT("<131>mcpctl: {\"code\":\"D124\","
				       "\"severity\":\"error\"}")));
	e = (struct capture_event){ .kind = CAPTURED_LOST, .count = 3 };
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 2);
	assert_true(ends_in(last, TEXT("3 events were not recorded here")));
	pcap_done(&p);
}

/* A frame of more than one packet can carry arrives whole. */
static void long_stream(void **state)
{
	static char large[200000];
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = { .conn = 1,
				   .leg = LEG_STDIO,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_DEVICE,
				   .data = { large, sizeof(large) },
				   .size = sizeof(large) };

	(void)state;
	memset(large, 'x', sizeof(large));
	pcap_begin(&p, 0);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 3 + 4);
	assert_int_equal(last.len, 40 + 20001);
	pcap_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head),
		cmocka_unit_test(websocket),
		cmocka_unit_test(recorded_upgrade),
		cmocka_unit_test(mqtt),
		cmocka_unit_test(http_length),
		cmocka_unit_test(notes),
		cmocka_unit_test(long_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
