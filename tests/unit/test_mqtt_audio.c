/* SPDX-License-Identifier: MIT */
/*
 * UDP audio over a real socket: the cipher, which packets are accepted, what
 * is counted, silence as the answer, a new hello.
 */
#include <sys/resource.h>

#include <errno.h>
#include <poll.h>

#include "base/module.h"
#include "net/mqtt.h"
#include "real_broker.h"
#include "wire/audio.h"
#include "wire/hello.h"

#define LONG_MS 60000
#define ID "GID_t@@@aa_bb_cc_dd_ee_01@@@u"

/* One device: held here, and as itself at the broker and at the UDP port. */
struct subject {
	struct mqtt_hub *hub;
	struct audio_port *port;
	struct transport t;
	struct udp_offer offer; /* of the hello that was said */
	const struct udp_offer *next; /* of the next one; lent */
	bool ready, has_audio, has_text, closed, part_closed;
	unsigned frames, failures;
	char failure[512]; /* the last one */
	unsigned char last[2048];
	size_t last_len;

	struct mqtt_client *board;
	bool board_up;
	int fd;
	unsigned char key[16], nonce[16];
};

static struct loop *loop;
static const struct mqtt_table *mqtt;
static struct real_broker broker;
static struct subject s;

static void wait_for(const bool *flag, const char *what)
{
	if (loop_wait(loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("no %s", what);
}

static void settle(void)
{
	const bool never = false;

	loop_wait(loop, &never, loop_now() + 50, NULL);
}

/* ---- what the owner is told ---- */

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	assert_non_null(peer->udp);
	s.next = peer->udp;
	s.ready = true;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	(void)owner;
	if (kind == FRAME_TEXT) {
		s.has_text = true;
		return;
	}
	assert_in_range(len, 1, sizeof(s.last));
	memcpy(s.last, data, len);
	s.last_len = len;
	s.frames++;
	s.has_audio = true;
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	assert_int_equal(id, 0);
	snprintf(s.failure, sizeof(s.failure), "%s", why->text);
	s.failures++;
}

static void on_closed(void *owner, const struct error *why)
{
	(void)owner;
	(void)why;
	s.closed = true;
}

static const struct transport_events events = { .ready = on_ready,
						.message = on_message,
						.failed = on_failed,
						.closed = on_closed };

static void on_joined(void *owner, const struct mqtt_joined *who)
{
	(void)owner;
	s.t = (struct transport){ .loop = loop, .events = &events };
	assert_int_equal(mqtt->adopt(&s.t, s.hub, who, NULL), 0);
}

static const struct mqtt_hub_events hub_events = { .joined = on_joined };

static void on_board_up(void *owner)
{
	(void)owner;
	s.board_up = true;
}

static const struct mqtt_client_events board_events = { .connected =
								on_board_up };

static void on_part_closed(void *owner)
{
	(void)owner;
	s.part_closed = true;
}

/* ---- the device's side ---- */

static void say_hello(void)
{
	struct buf hello = { 0 };

	s.offer = *s.next;
	hello_encode_udp(&hello, "s", &s.offer);
	assert_int_equal(s.t.ops->send(&s.t, hello.data, hello.len, NULL), 0);
	buf_done(&hello);
	assert_true(hex_decode_16(s.key, s.offer.key));
	assert_true(hex_decode_16(s.nonce, s.offer.nonce));
}

static void udp_connect(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(s.offer.port) };

	assert_int_equal(inet_pton(AF_INET, s.offer.server, &to.sin_addr), 1);
	s.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(s.fd, (struct sockaddr *)&to, sizeof(to)), 0);
}

static void send_raw(const void *data, size_t len)
{
	assert_int_equal(send(s.fd, data, len, 0), (ssize_t)len);
}

/* As firmware: the nonce with length, timestamp and sequence put in. */
static size_t make_packet(unsigned char *out, uint32_t sequence,
			  const void *payload, size_t len)
{
	memcpy(out, s.nonce, 16);
	out[2] = (unsigned char)(len >> 8);
	out[3] = (unsigned char)len;
	out[12] = (unsigned char)(sequence >> 24);
	out[13] = (unsigned char)(sequence >> 16);
	out[14] = (unsigned char)(sequence >> 8);
	out[15] = (unsigned char)sequence;
	mqtt->cipher(s.key, out, payload, len, out + 16);
	return len + 16;
}

static void say(uint32_t sequence, const char *text)
{
	unsigned char packet[2048];

	send_raw(packet, make_packet(packet, sequence, text, strlen(text)));
}

static void heard(const char *text)
{
	wait_for(&s.has_audio, text);
	s.has_audio = false;
	assert_int_equal(s.last_len, strlen(text));
	assert_memory_equal(s.last, text, strlen(text));
}

static struct audio_counts counts(void)
{
	struct audio_counts c;

	assert_true(mqtt->audio_counts(&s.t, &c));
	return c;
}

/* ---- around each test ---- */

static int prepare(void **state)
{
	struct error err = { 0 };

	(void)state;
	s = (struct subject){ .fd = -1 };
	if (loop_new(&loop, &err))
		return -1;
	mqtt = module_table("mqtt", MQTT_TABLE, &err);
	if (!mqtt)
		print_error("%s\n", err.text);
	return mqtt ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	broker_done(&broker);
	loop_free(loop);
	return 0;
}

static void begin(const char *host, bool silence)
{
	struct mqtt_hub_config c = { .up = "up/{client_id}",
				     .down = "down/{client_id}" };
	struct mqtt_options o = { .host = "127.0.0.1", .client_id = ID };
	struct error err = { 0 };

	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	s.port = mqtt->audio_open(loop, host, 0, silence, &err);
	if (!s.port)
		fail_msg("%s", err.text);
	assert_int_not_equal(mqtt->audio_port(s.port), 0);
	c.audio = s.port;
	o.port = broker.port;
	s.board = mqtt->client_open(loop, &o, &board_events, NULL, NULL);
	wait_for(&s.board_up, "board");
	c.broker = o;
	c.broker.client_id = "mcpctl-test";
	s.hub = mqtt->hub_open(loop, &c, &hub_events, NULL, &err);
	assert_non_null(s.hub);
	/* Until the hub has subscribed, nobody hears it. */
	while (!s.ready) {
		assert_int_equal(
			mqtt->publish(s.board, "up/" ID, "{}", 2, NULL), 0);
		settle();
	}
	say_hello();
	udp_connect();
}

static void close_part(void)
{
	wait_for(&s.part_closed, "end of a part");
	s.part_closed = false;
}

static void end(void)
{
	struct audio_counts c;

	close(s.fd);
	s.t.ops->close(&s.t);
	wait_for(&s.closed, "end of the device");
	assert_false(mqtt->audio_counts(&s.t, &c));
	mqtt->client_close(s.board, on_part_closed);
	close_part();
	mqtt->hub_close(s.hub, on_part_closed);
	close_part();
	mqtt->audio_close(s.port, on_part_closed, NULL);
	close_part();
}

/* ---- tests ---- */

/* NIST SP 800-38A, F.5.1: both blocks of two. */
static void test_cipher(void **state)
{
	static const unsigned char key[] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae,
					     0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88,
					     0x09, 0xcf, 0x4f, 0x3c };
	static const unsigned char counter[] = { 0xf0, 0xf1, 0xf2, 0xf3,
						 0xf4, 0xf5, 0xf6, 0xf7,
						 0xf8, 0xf9, 0xfa, 0xfb,
						 0xfc, 0xfd, 0xfe, 0xff };
	static const unsigned char plain[] = {
		0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
		0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a,
		0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c,
		0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51
	};
	static const unsigned char secret[] = {
		0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26,
		0x1b, 0xef, 0x68, 0x64, 0x99, 0x0d, 0xb6, 0xce,
		0x98, 0x06, 0xf6, 0x6b, 0x79, 0x70, 0xfd, 0xff,
		0x86, 0x17, 0x18, 0x7b, 0xb9, 0xff, 0xfd, 0xff
	};
	unsigned char out[32];

	(void)state;
	mqtt->cipher(key, counter, plain, sizeof(plain), out);
	assert_memory_equal(out, secret, sizeof(out));
	mqtt->cipher(key, counter, secret, sizeof(secret), out);
	assert_memory_equal(out, plain, sizeof(out));
	/* A part of a block, and none of it left for the next. */
	mqtt->cipher(key, counter, plain, 5, out);
	assert_memory_equal(out, secret, 5);
	mqtt->cipher(key, counter, plain, 17, out);
	assert_memory_equal(out, secret, 17);
}

static void test_offer(void **state)
{
	(void)state;
	begin("127.0.0.1", false);
	assert_string_equal(s.offer.server, "127.0.0.1");
	assert_int_equal(s.offer.port, mqtt->audio_port(s.port));
	assert_int_equal(strlen(s.offer.key), 32);
	/* device.md 2.3: the nonce begins with 01; length and counters are 0. */
	assert_memory_equal(s.nonce, "\1\0\0\0", 4);
	assert_memory_not_equal(s.nonce + 4, "\0\0\0\0", 4);
	assert_memory_equal(s.nonce + 8, "\0\0\0\0\0\0\0\0", 8);
	end();
}

static void test_sequences(void **state)
{
	struct audio_counts c;

	(void)state;
	begin("127.0.0.1", false);
	c = counts();
	assert_int_equal(c.packets, 0);
	say(1, "one");
	heard("one");
	say(2, "two");
	heard("two");
	say(2, "again");
	say(1, "older");
	say(0, "nought");
	say(5, "a gap");
	heard("a gap");
	assert_int_equal(s.frames, 3);
	c = counts();
	assert_int_equal(c.packets, 3);
	assert_int_equal(c.bytes, 3 + 3 + 5);
	assert_int_equal(c.repeated, 3);
	assert_int_equal(c.gaps, 1);
	assert_int_equal(c.broken, 0);
	assert_int_equal(c.sent, 0);
	/* Told once in a session, not for each. */
	assert_int_equal(s.failures, 1);
	assert_non_null(strstr(s.failure, "number 2 came after 2"));
	say(0xffffffff, "the last");
	heard("the last");
	say(1, "too late");
	settle();
	assert_int_equal(s.frames, 4);
	end();
}

static void test_new_hello(void **state)
{
	(void)state;
	begin("127.0.0.1", false);
	say(7, "one");
	heard("one");
	/* Not every message with that word is one. */
	assert_int_equal(s.t.ops->send(&s.t, "{\"type\":\"x\",\"a\":\"hello\"}",
				       24, NULL),
			 0);
	say(1, "not yet");
	settle();
	assert_int_equal(s.frames, 1);
	say_hello();
	say(1, "anew");
	heard("anew");
	end();
}

/* What was told of one session is told of the next one, too. */
static void test_told_anew(void **state)
{
	(void)state;
	begin("127.0.0.1", false);
	for (unsigned i = 0; i < 2; i++) {
		unsigned char packet[64];
		size_t len = make_packet(packet, 2, "cut", 3);

		send_raw(packet, len - 1);
		send_raw(packet, len - 1);
		say(1, "one");
		heard("one");
		assert_int_equal(s.failures, 2 * i + 1);
		assert_non_null(strstr(s.failure, "its head tells 3 bytes"));
		say(1, "again");
		say(1, "again");
		say(2, "two");
		heard("two");
		assert_int_equal(s.failures, 2 * i + 2);
		assert_non_null(strstr(s.failure, "number 1 came after 1"));
		assert_int_equal(counts().broken, 2 * i + 2);
		assert_int_equal(counts().repeated, 2 * i + 2);
		say_hello();
	}
	end();
}

/*
 * A key that is used for two sessions gives the same bytes to hide both of
 * them; and what is late of the first must not count as of the second.
 */
static void test_new_key(void **state)
{
	struct udp_offer first;
	unsigned char late[64];
	size_t len;

	(void)state;
	begin("127.0.0.1", false);
	first = s.offer;
	say(1, "one");
	heard("one");
	len = make_packet(late, 900, "late", 4);
	say_hello();
	assert_string_not_equal(s.offer.key, first.key);
	assert_string_not_equal(s.offer.nonce, first.nonce);
	assert_string_equal(s.offer.server, first.server);
	assert_int_equal(s.offer.port, first.port);
	send_raw(late, len);
	say(1, "anew");
	heard("anew");
	assert_int_equal(s.frames, 2);
	assert_int_equal(counts().gaps, 0);
	end();
}

/* Before a hello nobody was given a key. */
static void test_no_hello(void **state)
{
	(void)state;
	begin("127.0.0.1", false);
	s.offer = *s.next;
	assert_true(hex_decode_16(s.key, s.offer.key));
	assert_true(hex_decode_16(s.nonce, s.offer.nonce));
	say(1, "too early");
	settle();
	assert_int_equal(s.frames, 0);
	say_hello();
	say(1, "in time");
	heard("in time");
	end();
}

/* Whatever is sent to the port: no frame, no crash, and a good one still comes. */
static void test_rubbish(void **state)
{
	unsigned char packet[4096], copy[4096];
	struct audio_counts c;
	size_t len;

	(void)state;
	begin("127.0.0.1", false);
	len = make_packet(packet, 1, "good", 4);
	for (size_t i = 0; i < 16; i++)
		send_raw(packet, i); /* shorter than a head; also empty */
	send_raw(packet, len - 1);
	memset(copy, 0, sizeof(copy));
	memcpy(copy, packet, len);
	send_raw(copy, len + 1);
	copy[0] = 2;
	send_raw(copy, len);
	copy[0] = 1;
	copy[3] = 0;
	send_raw(copy, 16);
	/* Of nobody. */
	memcpy(copy, packet, len);
	copy[4] ^= 0x55;
	send_raw(copy, len);
	memset(copy, 0, sizeof(copy));
	send_raw(copy, 100);
	/* More than 1,500 bytes, though the head fits; and more than there is room. */
	memset(copy, 'x', sizeof(copy));
	len = make_packet(packet, 2, copy, 1485);
	send_raw(packet, len);
	len = make_packet(packet, 2, copy, 4000);
	send_raw(packet, len);
	settle();
	assert_int_equal(s.frames, 0);
	c = counts();
	assert_int_equal(c.packets, 0);
	assert_in_range(c.broken, 6, 10);
	assert_int_equal(s.failures, 1);
	assert_non_null(strstr(s.failure, "its head tells 4 bytes"));
	len = make_packet(packet, 3, copy, 1484);
	send_raw(packet, len);
	wait_for(&s.has_audio, "the longest packet");
	assert_int_equal(s.last_len, 1484);
	s.has_audio = false;
	for (unsigned i = 0; i < 2000; i++) {
		memset(copy, (int)(i * 37), 64);
		send(s.fd, copy, i % 64, MSG_DONTWAIT);
	}
	settle();
	say(4, "good");
	heard("good");
	assert_int_equal(s.frames, 2);
	end();
}

static void expect_silence(uint32_t sequence)
{
	struct pollfd wait = { .fd = s.fd, .events = POLLIN };
	unsigned char in[2048], plain[3];
	struct udp_audio_head h;
	ssize_t len;

	assert_int_equal(poll(&wait, 1, LONG_MS), 1);
	len = recv(s.fd, in, sizeof(in), 0);
	assert_int_equal(len, 19);
	assert_int_equal(udp_audio_decode(&h, in, (size_t)len, NULL), 0);
	assert_int_equal(h.sequence, sequence);
	/* Each packet is 60 ms. */
	assert_int_equal(h.timestamp, (sequence - 1) * 60);
	assert_memory_equal(in + 4, s.nonce + 4, 4);
	mqtt->cipher(s.key, in, in + 16, 3, plain);
	assert_memory_equal(plain, "\xf8\xff\xfe", 3);
}

static void tell(const char *text)
{
	struct error err = { 0 };

	assert_int_equal(s.t.ops->send(&s.t, text, strlen(text), &err), 0);
}

static void test_silence(void **state)
{
	(void)state;
	begin("127.0.0.1", true);
	say(1, "one");
	heard("one");
	/* It listens, and would drop all that came. */
	assert_int_equal(counts().sent, 0);
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	expect_silence(1);
	say(2, "two");
	heard("two");
	expect_silence(2);
	assert_int_equal(counts().sent, 2);
	tell("{\"type\":\"tts\",\"state\":\"stop\"}");
	say(3, "three");
	heard("three");
	assert_int_equal(counts().sent, 2);
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	expect_silence(3);
	/* A new session listens first. */
	say_hello();
	say(1, "anew");
	heard("anew");
	assert_int_equal(counts().sent, 3);
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	expect_silence(1);
	end();
}

/* A hello that offers no audio, or is none: what was agreed on stands. */
static void test_other_hellos(void **state)
{
	static const char *const none[] = {
		"{\"type\":\"hello\",\"transport\":\"websocket\",\"udp\":{"
		"\"key\":\"00000000000000000000000000000000\","
		"\"nonce\":\"01000000000000020000000000000000\"}}",
		"{\"type\":\"hello\",\"transport\":\"udp\"}",
		"{\"type\":\"hello\",\"transport\":\"udp\",\"udp\":{"
		"\"key\":\"00000000000000000000000000000000\"}}",
		"{\"type\":\"hello\",\"transport\":\"udp\",\"udp\":{"
		"\"nonce\":\"01000000000000020000000000000000\"}}",
		"{\"type\":\"hello\",\"transport\":\"udp\",\"udp\":{"
		"\"key\":\"no key\","
		"\"nonce\":\"01000000000000020000000000000000\"}}",
		"{\"type\":\"hello\",\"transport\":\"udp\",\"udp\":{"
		"\"key\":\"00000000000000000000000000000000\","
		"\"nonce\":\"no nonce\"}}",
	};
	static const char own[] =
		"{\"type\":\"hello\",\"transport\":\"udp\",\"udp\":{"
		"\"key\":\"000102030405060708090a0b0c0d0e0f\","
		"\"nonce\":\"01000000000000020000000000000000\"}}";

	(void)state;
	begin("127.0.0.1", false);
	for (uint32_t i = 0; i < COUNT(none); i++) {
		tell(none[i]);
		say(i + 1, "still");
		heard("still");
	}
	/* One that the user made himself counts. */
	tell(own);
	say(1, "late");
	assert_true(hex_decode_16(s.key, "000102030405060708090a0b0c0d0e0f"));
	assert_true(hex_decode_16(s.nonce, "01000000000000020000000000000000"));
	say(1, "by another key");
	heard("by another key");
	assert_int_equal(s.frames, COUNT(none) + 1);
	end();
}

/* What we say: as firmware takes it, once it is known where it listens. */
static void test_sound(void **state)
{
	struct pollfd wait = { .events = POLLIN };
	struct error err = { 0 };
	unsigned char in[2048], plain[8], large[1485] = { 0 };
	struct udp_audio_head h;

	(void)state;
	begin("127.0.0.1", true);
	wait.fd = s.fd;
	assert_int_equal(s.t.ops->send_sound(&s.t, "opus", 4, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "where it listens is not known"));
	assert_non_null(strstr(err.hint, "wake it"));
	error_reset(&err);
	say(1, "one");
	heard("one");
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	expect_silence(1);
	for (uint32_t i = 2; i < 4; i++) {
		assert_int_equal(s.t.ops->send_sound(&s.t, "opus", 4, NULL), 0);
		assert_int_equal(poll(&wait, 1, LONG_MS), 1);
		assert_int_equal(recv(s.fd, in, sizeof(in), 0), 20);
		assert_int_equal(udp_audio_decode(&h, in, 20, NULL), 0);
		assert_int_equal(h.sequence, i);
		assert_int_equal(h.timestamp, (i - 1) * 60);
		assert_memory_equal(in + 4, s.nonce + 4, 4);
		mqtt->cipher(s.key, in, in + 16, 4, plain);
		assert_memory_equal(plain, "opus", 4);
	}
	assert_int_equal(counts().sent, 3);
	/* Silence is for who is told nothing else, until it is told again. */
	say(2, "two");
	heard("two");
	assert_int_equal(counts().sent, 3);
	assert_int_equal(
		s.t.ops->send_sound(&s.t, (const char *)large, 1485, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text,
			    "a packet of 1485 bytes fits no datagram");
	error_reset(&err);
	assert_int_equal(
		s.t.ops->send_sound(&s.t, (const char *)large, 1484, NULL), 0);
	assert_int_equal(poll(&wait, 1, LONG_MS), 1);
	assert_int_equal(recv(s.fd, in, sizeof(in), 0), 1500);
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	expect_silence(5);
	end();
}

/* Where it listens is not known before it spoke in that session. */
static void test_silence_anew(void **state)
{
	(void)state;
	begin("127.0.0.1", true);
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	assert_int_equal(counts().sent, 0);
	say(1, "one");
	heard("one");
	expect_silence(1);
	say_hello();
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	assert_int_equal(counts().sent, 1);
	say(1, "anew");
	heard("anew");
	expect_silence(1);
	assert_int_equal(counts().sent, 2);
	end();
}

/* On all addresses: what is told is one by which this machine is reached. */
static void test_any_address(void **state)
{
	(void)state;
	begin(NULL, true);
	say(1, "one");
	heard("one");
	tell("{\"type\":\"tts\",\"state\":\"start\"}");
	expect_silence(1);
	end();
}

static void test_closed_device(void **state)
{
	(void)state;
	begin("127.0.0.1", false);
	say(1, "one");
	heard("one");
	s.t.ops->close(&s.t);
	say(2, "two");
	settle();
	assert_int_equal(s.frames, 1);
	end();
}

static void test_port_in_use(void **state)
{
	struct error err = { 0 };
	struct audio_port *a, *b;

	struct rlimit before, none;

	(void)state;
	a = mqtt->audio_open(loop, "127.0.0.1", 0, false, &err);
	assert_non_null(a);
	b = mqtt->audio_open(loop, "127.0.0.1", mqtt->audio_port(a), false,
			     &err);
	assert_null(b);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "in use by 'test_mqtt_audio'"));
	assert_non_null(strstr(err.hint, "--udp-port"));
	assert_non_null(strstr(err.hint, "take another port"));
	/* No descriptor is left: no other port would help. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	error_reset(&err);
	assert_null(mqtt->audio_open(loop, "127.0.0.1", 0, false, &err));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err.code, EMFILE);
	assert_string_equal(err.hint, "");
	error_reset(&err);
	assert_null(mqtt->audio_open(loop, "192.0.2.1", 0, false, &err));
	mqtt->audio_close(a, on_part_closed, NULL);
	close_part();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cipher, prepare, finish),
		cmocka_unit_test_setup_teardown(test_offer, prepare, finish),
		cmocka_unit_test_setup_teardown(test_sequences, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_new_hello, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_told_anew, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_other_hellos, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_new_key, prepare, finish),
		cmocka_unit_test_setup_teardown(test_no_hello, prepare, finish),
		cmocka_unit_test_setup_teardown(test_rubbish, prepare, finish),
		cmocka_unit_test_setup_teardown(test_silence, prepare, finish),
		cmocka_unit_test_setup_teardown(test_sound, prepare, finish),
		cmocka_unit_test_setup_teardown(test_silence_anew, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_any_address, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_closed_device, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_port_in_use, prepare,
						finish),
	};

	return cmocka_run_group_tests_name("mqtt audio", tests, NULL, NULL);
}
