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
	e.count = 1;
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 3);
	assert_true(ends_in(last, TEXT("1 event was not recorded here")));
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

/* ---- packets in words ---- */

static struct buf told;

static unsigned be16_at(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (unsigned)b[0] << 8 | b[1];
}

static uint32_t be32_at(const char *at)
{
	return (uint32_t)be16_at(at) << 16 | be16_at(at + 2);
}

static void tell_bytes(const char *data, size_t len)
{
	buf_char(&told, '\'');
	for (size_t i = 0; i < len; i++) {
		if (data[i] >= ' ' && data[i] < 0x7f)
			buf_char(&told, data[i]);
		else
			buf_printf(&told, "\\%02x", (unsigned char)data[i]);
	}
	buf_char(&told, '\'');
}

/* Over the head, the data, and what IP says of both (RFC 9293 3.1). */
static void assert_tcp_sum(const char *ip, size_t len)
{
	uint32_t sum = (uint32_t)(len - 20 + 6);

	for (int i = 12; i < 20; i += 2)
		sum += be16_at(ip + i);
	assert_sum(ip + 20, len - 20, sum);
}

/* "D>B 80 SA 0 1 'data'": who to whom, the backend's port, flags, numbers. */
static void tell_packet(const char *ip, size_t len, size_t whole)
{
	const bool udp = ip[9] == 17;
	const char *head = ip + 20;
	const size_t size = udp ? 8 : 20;
	const bool down = be32_at(ip + 12) == 0xc6336401;

	assert_int_equal(be16_at(ip), 0x4500);
	assert_int_equal(be16_at(ip + 2), whole > 0xffff ? 0xffff : whole);
	assert_int_equal(be32_at(ip + 4), 0x4000);
	assert_int_equal((unsigned char)ip[8], 64);
	assert_sum(ip, 20, 0);
	if (down)
		buf_printf(&told, "B>%x:%u %u", be32_at(ip + 16),
			   be16_at(head + 2), be16_at(head));
	else
		buf_printf(&told, "%x:%u>B %u", be32_at(ip + 12), be16_at(head),
			   be16_at(head + 2));
	if (udp) {
		buf_text(&told, " udp ");
		assert_int_equal(be16_at(head + 4), whole - 20);
		assert_int_equal(be16_at(head + 6), 0);
	} else {
		const unsigned flags = be16_at(head + 12);

		assert_int_equal(flags & 0xff00, 0x5000);
		if (whole == len)
			assert_tcp_sum(ip, len);
		assert_int_equal(be16_at(head + 14), 0xffff);
		buf_printf(&told, " %s%s%s%s%s %u %u ", flags & 2 ? "S" : "",
			   flags & 1 ? "F" : "", flags & 4 ? "R" : "",
			   flags & 8 ? "P" : "", flags & 16 ? "A" : "",
			   be32_at(head + 4), be32_at(head + 8));
	}
	if (len - 20 - size > 64)
		buf_printf(&told, "%zu bytes", len - 20 - size);
	else
		tell_bytes(head + size, len - 20 - size);
	if (whole > len)
		buf_printf(&told, " and %zu more", whole - len);
}

/* All packets from that place on, a line each; where they end. */
static size_t tell_all(const struct pcap *p, size_t at)
{
	buf_reset(&told);
	while (at < p->out.len) {
		const uint32_t len = le32_at(p, at + 4);
		const size_t kept = le32_at(p, at + 20);
		const size_t option = at + 28 + ((kept + 3) & ~(size_t)3);

		assert_int_equal(le32_at(p, at), 6);
		assert_int_equal(le32_at(p, at + 8), 0);
		buf_printf(&told, "%llu ",
			   (unsigned long long)le32_at(p, at + 12) << 32 |
				   le32_at(p, at + 16));
		tell_packet(p->out.data + at + 28, kept, le32_at(p, at + 24));
		if (option + 4 < at + len) {
			assert_int_equal(le32_at(p, option) & 0xffff, 1);
			buf_printf(&told, " # %.*s",
				   (int)(le32_at(p, option) >> 16),
				   p->out.data + option + 4);
			assert_int_equal(le32_at(p, at + len - 8), 0);
		}
		buf_char(&told, '\n');
		at += len;
	}
	return at;
}

static void is_told(const struct pcap *p, size_t *at, const char *wanted)
{
	*at = tell_all(p, *at);
	assert_string_equal(buf_string(&told), wanted);
}

#define D1 "c0000202:10001"

/* Each leg: who dials, at which port, in which form a message goes. */
static void legs(void **state)
{
	static const struct {
		enum diag_leg leg;
		const char *packets;
	} rows[] = {
		{ LEG_HTTP, "7 B>" D1 " 8000 S 0 0 ''\n"
			    "7 " D1 ">B 8000 SA 0 1 ''\n"
			    "7 B>" D1 " 8000 A 1 1 ''\n"
			    "7 " D1 ">B 8000 PA 1 1 '{}\\0a'\n" },
		{ LEG_STDIO, "7 B>" D1 " 8000 S 0 0 ''\n"
			     "7 " D1 ">B 8000 SA 0 1 ''\n"
			     "7 B>" D1 " 8000 A 1 1 ''\n"
			     "7 " D1 ">B 8000 PA 1 1 '{}\\0a'\n" },
		{ LEG_LOCAL, "7 B>" D1 " 8080 S 0 0 ''\n"
			     "7 " D1 ">B 8080 SA 0 1 ''\n"
			     "7 B>" D1 " 8080 A 1 1 ''\n"
			     "7 " D1 ">B 8080 PA 1 1 '{}\\0a'\n" },
		{ LEG_VISION, "7 " D1 ">B 80 S 0 0 ''\n"
			      "7 B>" D1 " 80 SA 0 1 ''\n"
			      "7 " D1 ">B 80 A 1 1 ''\n"
			      "7 " D1 ">B 80 PA 1 1 '{}\\0a'\n" },
		{ LEG_MQTT, "7 " D1 ">B 1883 S 0 0 ''\n"
			    "7 B>" D1 " 1883 SA 0 1 ''\n"
			    "7 " D1 ">B 1883 A 1 1 ''\n"
			    "7 " D1 ">B 1883 PA 1 1 '0\\04\\00\\00{}'\n" },
		{ LEG_UDP, "7 " D1 ">B 8884 udp '{}'\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pcap p = { 0 };
		struct capture_event e = { .at_us = 7,
					   .conn = 1,
					   .leg = rows[i].leg,
					   .kind = CAPTURED_TEXT,
					   .from = FROM_DEVICE,
					   .data = TEXT("{}"),
					   .size = 2 };
		size_t at = 0;

		pcap_event(&p, &e);
		is_told(&p, &at, rows[i].packets);
		pcap_done(&p);
	}
}

/* Numbers of both directions go on, and each connection has its own. */
static void conversation(void **state)
{
	struct pcap p = { 0 };
	struct capture_event e = { .at_us = 5,
				   .conn = 1,
				   .leg = LEG_MQTT,
				   .kind = CAPTURED_OPEN,
				   .from = FROM_DEVICE };
	size_t at;

	(void)state;
	pcap_begin(&p, INT64_C(5000000000));
	at = p.out.len;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"5000000005 " D1 ">B 1883 S 0 0 ''\n"
		"5000000005 B>" D1 " 1883 SA 0 1 ''\n"
		"5000000005 " D1 ">B 1883 A 1 1 ''\n");
	/* A CONNECT, of which the front alone was kept. */
	e.kind = CAPTURED_PACKET;
	e.data = TEXT("\x10\x18");
	e.size = 26;
	e.cut = true;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"5000000005 " D1 ">B 1883 PA 1 1 '\\10\\18' and 24 more\n");
	e.from = FROM_BACKEND;
	e.at_us = 6;
	e.data = TEXT(" \x02\0\0");
	e.size = 4;
	e.cut = false;
	pcap_event(&p, &e);
	is_told(&p, &at, "5000000006 B>" D1 " 1883 PA 1 27 ' \\02\\00\\00'\n");
	e.kind = CAPTURED_TEXT;
	e.topic = "t";
	e.data = (struct span){ "0123456789012345678901234567890123456789"
				"0123456789012345678901234567890123456789"
				"0123456789012345678901234567890123456789"
				"01234",
				125 };
	pcap_event(&p, &e);
	is_told(&p, &at, "5000000006 B>" D1 " 1883 PA 5 27 131 bytes\n");
	assert_memory_equal(p.out.data + at - 136, "0\x80\x01\0\1t0", 7);
	/* Another one. */
	e.conn = 2;
	e.data = TEXT("{}");
	pcap_event(&p, &e);
	is_told(&p, &at,
		"5000000006 c0000203:10002>B 1883 S 0 0 ''\n"
		"5000000006 B>c0000203:10002 1883 SA 0 1 ''\n"
		"5000000006 c0000203:10002>B 1883 A 1 1 ''\n"
		"5000000006 B>c0000203:10002 1883 PA 1 1 '0\\05\\00\\01t{}'\n");
	e.conn = 1;
	e.kind = CAPTURED_END;
	e.how = ENDED_FIN;
	pcap_event(&p, &e);
	is_told(&p, &at, "5000000006 B>" D1 " 1883 FA 136 27 ''\n");
	/* It is over: the same number would be a new one. */
	e.from = FROM_DEVICE;
	e.kind = CAPTURED_OPEN;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"5000000006 " D1 ">B 1883 S 0 0 ''\n"
		"5000000006 B>" D1 " 1883 SA 0 1 ''\n"
		"5000000006 " D1 ">B 1883 A 1 1 ''\n");
	pcap_done(&p);
}

/* How a connection ends. */
static void ends(void **state)
{
	static const struct {
		enum event_end how;
		enum event_from from;
		int code;
		const char *packets;
	} rows[] = {
		{ ENDED_FIN, FROM_NOBODY, 0, "9 " D1 ">B 80 FA 1 1 ''\n" },
		{ ENDED_OTHER, FROM_DEVICE, 0, "9 " D1 ">B 80 FA 1 1 ''\n" },
		{ ENDED_RST, FROM_BACKEND, 0, "9 B>" D1 " 80 R 1 1 ''\n" },
		{ ENDED_TIMEOUT, FROM_BACKEND, 0, "" },
		{ ENDED_CLOSE, FROM_BACKEND, 0, "9 B>" D1 " 80 FA 1 1 ''\n" },
		{ ENDED_CLOSE, FROM_BACKEND, 1001,
		  "9 B>" D1 " 80 PA 1 1 '\\88\\02\\03\\e9'\n"
		  "9 B>" D1 " 80 FA 5 1 ''\n" },
		{ ENDED_CLOSE, FROM_DEVICE, 4001,
		  "9 " D1 ">B 80 PA 1 1 '\\88\\82\\00\\00\\00\\00\\0f\\a1'\n"
		  "9 " D1 ">B 80 FA 9 1 ''\n" },
		{ ENDED_FIN, FROM_BACKEND, 1001, "9 B>" D1 " 80 FA 1 1 ''\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pcap p = { 0 };
		struct capture_event e = { .at_us = 9,
					   .conn = 1,
					   .leg = LEG_WS,
					   .kind = CAPTURED_OPEN };
		size_t at;

		pcap_event(&p, &e);
		at = p.out.len;
		e.kind = CAPTURED_END;
		e.how = rows[i].how;
		e.from = rows[i].from;
		e.code = rows[i].code;
		pcap_event(&p, &e);
		is_told(&p, &at, rows[i].packets);
		/* What was not seen to begin does not end either. */
		e.conn = 5;
		pcap_event(&p, &e);
		is_told(&p, &at, "");
		pcap_done(&p);
	}
}

/* Frames of all kinds, and the upgrade that nobody recorded, said to be made. */
static void frames(void **state)
{
	static const struct {
		enum capture_kind kind;
		size_t size;
		bool cut;
		const char *packets;
	} rows[] = {
		{ CAPTURED_PING, 2, false,
		  "0 B>" D1 " 80 PA 134 147 '\\89\\02{}'\n" },
		{ CAPTURED_PONG, 2, false,
		  "0 B>" D1 " 80 PA 138 147 '\\8a\\02{}'\n" },
		{ CAPTURED_BINARY, 126, false,
		  "0 B>" D1 " 80 PA 142 147 '\\82~\\00~{}' and 124 more\n" },
		{ CAPTURED_TEXT, 70000, true,
		  "0 B>" D1
		  " 80 PA 272 147 '\\81\\02{}' # the rest of this message was not recorded\n" },
		{ CAPTURED_TEXT, 9, false,
		  "0 B>" D1 " 80 PA 276 147 '\\81\\02{}'\n" },
		/* What does not fit into a packet is a gap behind it. */
		{ CAPTURED_BINARY, 59990, false,
		  "0 B>" D1 " 80 PA 280 147 '\\82~\\eaV{}' and 59988 more\n" },
		{ CAPTURED_BINARY, 70000, false,
		  "0 B>" D1
		  " 80 PA 60274 147 '\\82\\7f\\00\\00\\00\\00\\00\\01\\11p{}'\n" },
		{ CAPTURED_TEXT, 2, false,
		  "0 B>" D1 " 80 PA 130284 147 '\\81\\02{}'\n" },
	};
	static char large[65536];
	struct pcap p = { 0 };
	struct capture_event e = { .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_BACKEND,
				   .data = TEXT("{}"),
				   .size = 2 };
	size_t at = 0;

	(void)state;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"0 " D1 ">B 80 S 0 0 ''\n"
		"0 B>" D1 " 80 SA 0 1 ''\n"
		"0 " D1 ">B 80 A 1 1 ''\n"
		"0 " D1 ">B 80 PA 1 1 146 bytes # made: this was not recorded\n"
		"0 B>" D1
		" 80 PA 1 147 129 bytes # made: this was not recorded\n"
		"0 B>" D1 " 80 PA 130 147 '\\81\\02{}'\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		e.kind = rows[i].kind;
		e.size = rows[i].size;
		e.cut = rows[i].cut;
		pcap_event(&p, &e);
		is_told(&p, &at, rows[i].packets);
	}
	/* One that needs a length of eight bytes, and two packets. */
	e.kind = CAPTURED_BINARY;
	e.data = (struct span){ large, sizeof(large) };
	e.size = sizeof(large);
	pcap_event(&p, &e);
	assert_memory_equal(p.out.data + at + 28 + 40,
			    "\x82\x7f\0\0\0\0\0\x01\0\0\0\0", 12);
	is_told(&p, &at,
		"0 B>" D1 " 80 PA 130288 147 60000 bytes\n"
		"0 B>" D1 " 80 PA 190288 147 5546 bytes\n");
	pcap_done(&p);
}

/* A body of chunks is put together: its length is told instead. */
static void chunks(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = {
		.conn = 1,
		.leg = LEG_VISION,
		.kind = CAPTURED_REQUEST,
		.from = FROM_DEVICE,
		.head = TEXT(
			"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nA: b\r\n"),
		.data = TEXT("{\"t\":1}"),
	};

	(void)state;
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 4);
	assert_int_equal(last.len, 40 + 51);
	assert_true(ends_in(last, TEXT("POST / HTTP/1.1\r\nA: b\r\n"
				       "Content-Length: 7\r\n\r\n{\"t\":1}")));
	pcap_done(&p);
}

/* What is no traffic is a line of a log (RFC 3164: local use 0, severity). */
static void logs(void **state)
{
	static const struct {
		enum capture_kind kind;
		const char *text, *line;
	} rows[] = {
		{ CAPTURED_FINDING, "{\"severity\":\"warning\"}",
		  "0 " D1
		  ">B 514 udp '<132>mcpctl: {\"severity\":\"warning\"}'\n" },
		{ CAPTURED_FINDING, "{\"severity\":\"note\"}",
		  "0 " D1
		  ">B 514 udp '<133>mcpctl: {\"severity\":\"note\"}'\n" },
		{ CAPTURED_FINDING, "{}",
		  "0 " D1 ">B 514 udp '<133>mcpctl: {}'\n" },
		{ CAPTURED_LINE, "I (1) x",
		  "0 " D1 ">B 514 udp '<134>mcpctl: I (1) x'\n" },
		{ CAPTURED_NOTICE, "ready",
		  "0 " D1 ">B 514 udp '<134>mcpctl: ready'\n" },
		{ CAPTURED_LOST, "",
		  "0 " D1
		  ">B 514 udp '<132>mcpctl: 7 events were not recorded here'\n" },
		{ CAPTURED_DEVICE, "x", "" },
		{ CAPTURED_OTHER, "x", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pcap p = { 0 };
		struct capture_event e = { .conn = 1,
					   .leg = LEG_SERIAL,
					   .kind = rows[i].kind,
					   .count = 7,
					   .data = { rows[i].text,
						     strlen(rows[i].text) } };
		size_t at = 0;

		pcap_event(&p, &e);
		is_told(&p, &at, rows[i].line);
		pcap_done(&p);
	}
}

/* Datagrams are not divided: one that is too large for one packet is none. */
static void datagrams(void **state)
{
	static char large[60001];
	struct pcap p = { 0 };
	struct capture_event e = { .conn = 1,
				   .leg = LEG_UDP,
				   .kind = CAPTURED_PACKET,
				   .from = FROM_BACKEND,
				   .data = { large, 60000 },
				   .size = 60000 };
	size_t at = 0;

	(void)state;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 B>" D1 " 8884 udp 60000 bytes\n");
	e.data.len = 60001;
	e.size = 60001;
	pcap_event(&p, &e);
	is_told(&p, &at, "");
	e.data.len = 4;
	e.size = 60000;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"0 B>" D1 " 8884 udp '\\00\\00\\00\\00' and 59996 more\n");
	e.kind = CAPTURED_LINE;
	e.leg = LEG_SERIAL;
	e.data.len = 60000;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 " D1 ">B 514 udp 30013 bytes\n");
	pcap_done(&p);
	buf_done(&told);
}

/* An address and a port for each; they begin anew at some. */
static void addresses(void **state)
{
	static const struct {
		uint32_t conn;
		const char *packet;
	} rows[] = {
		{ 249, "0 c00002fa:10249>B 8884 udp '{}'\n" },
		{ 250, "0 c0000201:10250>B 8884 udp '{}'\n" },
		{ 49999, "0 c00002fa:59999>B 8884 udp '{}'\n" },
		{ 50000, "0 c0000201:10000>B 8884 udp '{}'\n" },
		{ 4294967295, "0 c000022e:27295>B 8884 udp '{}'\n" },
	};
	struct pcap p = { 0 };
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct capture_event e = { .conn = rows[i].conn,
						 .leg = LEG_UDP,
						 .kind = CAPTURED_PACKET,
						 .from = FROM_DEVICE,
						 .data = TEXT("{}"),
						 .size = 2 };

		pcap_event(&p, &e);
		is_told(&p, &at, rows[i].packet);
	}
	pcap_done(&p);
}

/* The length of a frame takes as few bytes as it can. */
static void lengths_of_frames(void **state)
{
	static const struct {
		size_t len;
		const char *head;
		size_t head_len;
	} rows[] = {
		{ 0, "\x82\0", 2 },
		{ 125, "\x82\x7d", 2 },
		{ 126, "\x82\x7e\0\x7e", 4 },
		{ 59000, "\x82\x7e\xe6\x78", 4 },
	};
	static char large[65536];
	struct pcap p = { 0 };
	struct capture_event e = { .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_BINARY,
				   .from = FROM_BACKEND };
	size_t at;

	(void)state;
	pcap_event(&p, &e);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span last;

		e.data = (struct span){ large, rows[i].len };
		e.size = rows[i].len;
		pcap_event(&p, &e);
		packets(&p, &last);
		assert_int_equal(last.len, 40 + rows[i].head_len + rows[i].len);
		assert_memory_equal(last.text + 40, rows[i].head,
				    rows[i].head_len);
	}
	at = p.out.len;
	e.data = (struct span){ large, 65535 };
	e.size = 65535;
	pcap_event(&p, &e);
	assert_memory_equal(p.out.data + at + 68, "\x82\x7e\xff\xff\0", 5);
	pcap_done(&p);
}

/* MQTT 3.1.1, 2.2.3: seven bits a byte. A topic has two bytes of length. */
static void lengths_of_mqtt(void **state)
{
	static const struct {
		size_t len;
		const char *head;
	} rows[] = {
		{ 0, "0\x03\0\1t" },
		{ 124, "0\x7f\0\1t" },
		{ 125, "0\x80\x01\0\1t" },
		{ 16380, "0\xff\x7f\0\1t" },
		{ 16381, "0\x80\x80\x01\0\1t" },
	};
	static char large[65537], topic[65537];
	struct pcap p = { 0 };
	struct capture_event e = { .conn = 1,
				   .leg = LEG_MQTT,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_BACKEND,
				   .topic = "t" };
	struct span last;
	size_t count;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const size_t head = 4 + (i < 2 ? 1 : i < 4 ? 2 : 3);

		e.data = (struct span){ large, rows[i].len };
		e.size = rows[i].len;
		pcap_event(&p, &e);
		packets(&p, &last);
		assert_int_equal(last.len, 40 + head + rows[i].len);
		assert_memory_equal(last.text + 40, rows[i].head, head);
	}
	memset(topic, 't', 65535);
	e.topic = topic;
	e.data.len = 0;
	count = packets(&p, &last);
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), count + 2);
	topic[65535] = 't';
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), count + 2);
	pcap_done(&p);
}

/* An upgrade that was recorded is not made again. */
static void whole_upgrade(void **state)
{
	struct pcap p = { 0 };
	size_t at = 0;
	struct capture_event e = { .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_OPEN,
				   .from = FROM_DEVICE,
				   .head = TEXT("GET / HTTP/1.1\r\n") };

	(void)state;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"0 " D1 ">B 80 S 0 0 ''\n"
		"0 B>" D1 " 80 SA 0 1 ''\n"
		"0 " D1 ">B 80 A 1 1 ''\n"
		"0 " D1 ">B 80 PA 1 1 'GET / HTTP/1.1\\0d\\0a\\0d\\0a'\n");
	e.kind = CAPTURED_RESPONSE;
	e.from = FROM_BACKEND;
	e.head = TEXT("HTTP/1.1 101 OK\r\n");
	pcap_event(&p, &e);
	is_told(&p, &at,
		"0 B>" D1 " 80 PA 1 19 'HTTP/1.1 101 OK\\0d\\0a\\0d\\0a'\n");
	e.kind = CAPTURED_TEXT;
	e.data = TEXT("{}");
	e.size = 2;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 B>" D1 " 80 PA 20 19 '\\81\\02{}'\n");
	pcap_done(&p);
}

/* Of what nothing was kept there is a packet all the same; the size counts. */
static void nothing_kept(void **state)
{
	struct pcap p = { 0 };
	size_t at = 0;
	struct capture_event e = { .conn = 1,
				   .leg = LEG_MQTT,
				   .kind = CAPTURED_PACKET,
				   .from = FROM_DEVICE,
				   .size = 3 };

	(void)state;
	pcap_event(&p, &e);
	is_told(&p, &at,
		"0 " D1 ">B 1883 S 0 0 ''\n"
		"0 B>" D1 " 1883 SA 0 1 ''\n"
		"0 " D1 ">B 1883 A 1 1 ''\n"
		"0 " D1 ">B 1883 PA 1 1 '' and 3 more\n");
	e.size = 0;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 " D1 ">B 1883 PA 4 1 ''\n");
	e.leg = LEG_HTTP;
	e.kind = CAPTURED_TEXT;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 " D1 ">B 8000 PA 4 1 ''\n");
	e.kind = CAPTURED_RESPONSE;
	e.from = FROM_BACKEND;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 B>" D1 " 8000 PA 1 4 '\\0d\\0a'\n");
	e.kind = CAPTURED_LINE;
	pcap_event(&p, &e);
	is_told(&p, &at, "0 " D1 ">B 514 udp '<134>mcpctl: '\n");
	pcap_done(&p);
}

/* Connections that never end are forgotten, and begin anew. */
static void many(void **state)
{
	struct pcap p = { 0 };
	struct span last;
	struct capture_event e = { .leg = LEG_STDIO,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_DEVICE,
				   .data = TEXT("{}"),
				   .size = 2 };

	(void)state;
	for (e.conn = 1; e.conn <= 16384; e.conn++) {
		pcap_event(&p, &e);
		buf_reset(&p.out);
	}
	e.conn = 1;
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 1);
	e.conn = 16385;
	pcap_event(&p, &e);
	assert_int_equal(p.flows.count, 1);
	buf_reset(&p.out);
	e.conn = 1;
	pcap_event(&p, &e);
	assert_int_equal(packets(&p, &last), 4);
	assert_int_equal(p.flows.count, 2);
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
		cmocka_unit_test(legs),
		cmocka_unit_test(conversation),
		cmocka_unit_test(ends),
		cmocka_unit_test(frames),
		cmocka_unit_test(chunks),
		cmocka_unit_test(logs),
		cmocka_unit_test(addresses),
		cmocka_unit_test(lengths_of_frames),
		cmocka_unit_test(lengths_of_mqtt),
		cmocka_unit_test(whole_upgrade),
		cmocka_unit_test(nothing_kept),
		cmocka_unit_test(datagrams),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
