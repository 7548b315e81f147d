/* SPDX-License-Identifier: MIT */
/*
 * proxy/mqtt_relay: thousands of random conversations come out as they went in,
 * however they are cut; a server hello leads to our UDP, with nothing else in
 * it changed; datagrams pass both ways, strangers' do not; ends are passed on.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proxied.h"
#include "proxy/alter.h"
#include "proxy/mqtt_relay.h"
#include "proxy/proxy.h"
#include "proxy/talk.h"
#include "proxy/udp_relay.h"
#include "wire/mqtt_packets.h"

#define CONVERSATIONS 2000

static struct {
	struct loop *loop;
	struct proxy *proxy;
	int upstream; /* listens in the backend's place */
	uint16_t port; /* of the proxy */
	struct words words;
	bool closed;
	unsigned text, packets, udp;
	struct buf notes;
	bool found[DIAG_CODE_COUNT];
	struct buf details; /* "CODE detail\n" of each */
	struct buf passed; /* "FROM KIND TOPIC LENGTH of SIZE\n" */
	bool tells; /* that is kept */
	const char *advertise; /* NULL */
	char device[40]; /* who the board says it is */
	struct alterations *alter;
	uint32_t seed;
} run;

/* ---- the proxy, and sockets on both sides of it ---- */

static void on_passed(void *owner, const struct talk *t,
		      const struct capture_event *e)
{
	(void)owner;
	run.text += e->kind == CAPTURED_TEXT;
	run.packets += e->kind == CAPTURED_PACKET && t->leg == LEG_MQTT;
	run.udp += e->kind == CAPTURED_PACKET && t->leg == LEG_UDP;
	if (run.tells &&
	    (e->kind == CAPTURED_TEXT || e->kind == CAPTURED_BINARY ||
	     e->kind == CAPTURED_PACKET))
		buf_printf(&run.passed, "%s %s %s %zu%s of %zu\n",
			   e->from == FROM_DEVICE ? "board" : "broker",
			   capture_kind_name(e->kind),
			   e->topic ? e->topic : "-", e->data.len,
			   e->cut ? " cut" : "", e->size);
	if (e->kind == CAPTURED_NOTICE)
		buf_add(&run.notes, e->data.text, e->data.len);
	if (e->kind == CAPTURED_DEVICE)
		snprintf(run.device, sizeof(run.device), "%s", t->device);
}

static void on_found(void *owner, const struct talk *t, const struct finding *f,
		     const char *detail)
{
	(void)owner;
	(void)t;
	run.found[f->code] = true;
	buf_printf(&run.details, "%s %s\n", finding_row(f->code)->code, detail);
}

static void on_said(void *owner, const struct proxy_news *n)
{
	(void)owner;
	buf_text(&run.notes, n->text);
}

static const struct proxy_events events = { on_passed, on_found, on_said };

static void on_closed(void *owner)
{
	(void)owner;
	run.closed = true;
}

static uint16_t number_of(int fd)
{
	struct sockaddr_in own;
	socklen_t len = sizeof(own);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
	return ntohs(own.sin_port);
}

static int bound(int type)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 100), 0);
	return fd;
}

static void open_proxy(void)
{
	CLEANUP(words_done) struct words at = { 0 };
	char upstream[64];
	struct error err = { 0 };
	struct proxy_options o = { .upstream = upstream,
				   .kind = UPSTREAM_MQTT,
				   .listen = &run.words,
				   .rewrite = REWRITE_ALL,
				   .alter = run.alter,
				   .events = &events };

	o.admit.advertise = run.advertise;
	snprintf(upstream, sizeof(upstream), "mqtt://127.0.0.1:%u",
		 number_of(run.upstream));
	if (proxy_open(&run.proxy, run.loop, &o, &err))
		fail_msg("%s", err.text);
	proxy_addresses(run.proxy, &at);
	assert_int_equal(at.count, 1);
	/* What is told may be another one, which leads here. */
	run.port = run.proxy->mqtt->places->gate.port;
}

static int set_up_as(const char *fault, const char *advertise)
{
	struct error err = { 0 };

	memset(&run, 0, sizeof(run));
	run.advertise = advertise;
	words_add(&run.words, "127.0.0.1:0");
	if (fault) {
		run.alter = alterations_new();
		assert_int_equal(alterations_fault(run.alter, fault, &err), 0);
	}
	assert_int_equal(loop_new(&run.loop, &err), 0);
	run.upstream = bound(SOCK_STREAM);
	run.seed = 1;
	open_proxy();
	return 0;
}

static int set_up(void **state)
{
	return set_up_as(*state, NULL);
}

static int set_up_advertised(void **state)
{
	return set_up_as(NULL, *state);
}

static int tear_down(void **state)
{
	(void)state;
	proxy_close(run.proxy, on_closed, NULL);
	loop_wait(run.loop, &run.closed, loop_now() + PATIENCE_MS, NULL);
	assert_true(run.closed);
	loop_free(run.loop);
	close(run.upstream);
	words_done(&run.words);
	buf_done(&run.notes);
	buf_done(&run.details);
	buf_done(&run.passed);
	alterations_free(run.alter);
	return 0;
}

static void turn(void)
{
	proxied_turn(run.loop);
}

/* The connection that the proxy opens for it. */
static int accepted(void)
{
	return proxied_accept(run.loop, run.upstream);
}

/* ---- random conversations ---- */

static uint32_t draw(uint32_t below)
{
	run.seed = run.seed * 1664525u + 1013904223u;
	return (run.seed >> 8) % below;
}

static void add_packet(struct buf *out, unsigned first, const char *body,
		       size_t len)
{
	size_t left = len;

	buf_char(out, (char)first);
	do {
		buf_char(out, (char)((left & 127) | (left > 127 ? 128 : 0)));
		left >>= 7;
	} while (left);
	buf_add(out, body, len);
}

static void add_publish(struct buf *out, size_t len)
{
	unsigned qos = draw(3);
	struct buf body = { 0 };

	buf_add(&body, "\0\1t", 3);
	if (qos)
		buf_add(&body, "\0\7", 2);
	for (size_t i = 0; i < len; i++)
		buf_char(&body, (char)draw(256));
	add_packet(out, 0x30 | qos << 1, body.data, body.len);
	buf_done(&body);
}

static void add_any(struct buf *out)
{
	static const char mcp[] =
		"\0\1t{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}";

	switch (draw(200) ? draw(6) : 6) {
	case 0:
		add_packet(out, 0xC0, "", 0);
		break;
	case 1:
		add_packet(out, 0x82, "\0\1\0\1a\0", 6);
		break;
	case 2:
		add_packet(out, 0x30, mcp, sizeof(mcp) - 1);
		break;
	case 3: /* broken: its topic is longer than all of it */
		add_packet(out, 0x30, "\xff\xff", 2);
		break;
	case 6: /* more than is kept */
		add_publish(out, 300000 + draw(100000));
		break;
	default:
		add_publish(out, draw(draw(10) ? 200 : 5000));
	}
}

struct stream {
	int fd;
	struct buf said, heard; /* what it is to say, what it heard */
	size_t at;
	bool end;
};

static void prepare(struct stream *s, const char *first, size_t len)
{
	unsigned count = draw(8);

	buf_add(&s->said, first, len);
	while (count--)
		add_any(&s->said);
	/* Sometimes it is cut, or no MQTT at all. */
	if (!draw(4) && s->said.len > len)
		s->said.len -= draw((uint32_t)(s->said.len - len));
	if (!draw(20))
		buf_add(&s->said, "\0\0 no MQTT", 10);
}

static void say_some(struct stream *s)
{
	size_t part = s->said.len - s->at;
	ssize_t done;

	if (draw(3) && part > 1)
		part = 1 + draw((uint32_t)part);
	done = send(s->fd, s->said.data + s->at, part, MSG_NOSIGNAL);
	if (done > 0)
		s->at += (size_t)done;
}

static void hear(struct stream *s)
{
	char piece[65536];
	ssize_t got;

	while ((got = recv(s->fd, piece, sizeof(piece), 0)) > 0)
		buf_add(&s->heard, piece, (size_t)got);
	s->end = s->end || got == 0;
}

static void assert_same(const struct buf *said, const struct buf *heard,
			uint32_t seed)
{
	if (said->len != heard->len ||
	    (said->len && memcmp(said->data, heard->data, said->len) != 0))
		fail_msg("seed %u: %zu bytes became %zu, or others", seed,
			 said->len, heard->len);
}

static void converse(struct stream *device, struct stream *backend,
		     uint32_t seed)
{
	int64_t until = loop_now() + PATIENCE_MS;

	/* What is cut waits for its end, or that of the connection. */
	while (device->at < device->said.len ||
	       backend->at < backend->said.len) {
		if (draw(2))
			say_some(device);
		if (draw(2))
			say_some(backend);
		loop_poll(run.loop);
		hear(device);
		hear(backend);
		if (loop_now() > until)
			fail_msg("seed %u: %zu of %zu, %zu of %zu", seed,
				 device->heard.len, backend->said.len,
				 backend->heard.len, device->said.len);
	}
}

static void await_end(struct stream *s)
{
	int64_t until = loop_now() + PATIENCE_MS;

	while (!s->end && loop_now() < until) {
		turn();
		hear(s);
	}
	assert_true(s->end);
}

#define CONNECT "\x10\x0E\0\4MQTT\x04\x02\x00\xF0\0\2c1"
#define CONNACK "\x20\x02\x00\x00"

static void one_conversation(uint32_t seed)
{
	struct stream device = { 0 }, backend = { 0 };

	run.seed = seed;
	prepare(&device, CONNECT, sizeof(CONNECT) - 1);
	prepare(&backend, CONNACK, sizeof(CONNACK) - 1);
	device.fd = proxied_dial(run.port);
	/* Nobody is dialled for half of it. */
	while (device.at < sizeof(CONNECT) - 1)
		say_some(&device);
	backend.fd = accepted();
	converse(&device, &backend, seed);
	/* One ends its side, the other sees that, and ends its own. */
	shutdown(device.fd, SHUT_WR);
	await_end(&backend);
	close(backend.fd);
	await_end(&device);
	close(device.fd);
	assert_same(&device.said, &backend.heard, seed);
	assert_same(&backend.said, &device.heard, seed);
	buf_done(&device.said);
	buf_done(&device.heard);
	buf_done(&backend.said);
	buf_done(&backend.heard);
}

static void conversations(void **state)
{
	const char *few = getenv("MCPCTL_CONVERSATIONS");
	uint32_t count = few ? (uint32_t)strtoul(few, NULL, 10) : CONVERSATIONS;

	(void)state;
	for (uint32_t i = 0; i < count; i++)
		one_conversation(i * 7919 + 1);
	assert_true(run.text > count / 2);
	assert_true(run.packets > count * 2);
}

/* ---- a session with audio ---- */

#define KEY "00112233445566778899aabbccddeeff"
#define NONCE "0100000012345678000000000000ffff"

static const char hello_front[] =
	"{ \"type\" : \"hello\",\"transport\":\"udp\", "
	"\"udp\":{\"key\":\"" KEY "\",\"server\":\"127.0.0.1\",\"port\":";
static const char hello_back[] =
	",\"nonce\":\"" NONCE "\"},\"session_id\":\"s\"}";

static void exchange(struct stream *from, struct stream *to, const char *data,
		     size_t len, size_t wanted)
{
	int64_t until = loop_now() + PATIENCE_MS;

	assert_int_equal(send(from->fd, data, len, 0), len);
	while (to->heard.len < wanted && loop_now() < until) {
		turn();
		hear(to);
	}
	assert_true(to->heard.len >= wanted);
}

static void meet(struct stream *device, struct stream *backend)
{
	device->fd = proxied_dial(run.port);
	send(device->fd, CONNECT, sizeof(CONNECT) - 1, 0);
	backend->fd = accepted();
	exchange(backend, device, CONNACK, sizeof(CONNACK) - 1, 4);
	exchange(device, backend, "\xC0\x00", 2, sizeof(CONNECT) + 1);
	buf_reset(&device->heard);
	buf_reset(&backend->heard);
}

static void part(struct stream *device, struct stream *backend)
{
	close(device->fd);
	await_end(backend);
	close(backend->fd);
	buf_done(&device->heard);
	buf_done(&backend->heard);
}

/* The PUBLISH that the device gets for that hello; returns the port in it. */
static uint16_t hello(struct stream *device, struct stream *backend, int udp)
{
	struct buf body = { 0 }, out = { 0 };
	struct packet_publish m;
	struct mqtt_packet p;
	const char *front, *at;
	char *end;
	long port;

	buf_add(&body, "\0\1t", 3);
	buf_printf(&body, "%s%u%s", hello_front, number_of(udp), hello_back);
	add_packet(&out, 0x30, body.data, body.len);
	exchange(backend, device, out.data, out.len, out.len - 3);
	assert_int_equal(packet_read(&p, device->heard.data, device->heard.len),
			 PACKET_WHOLE);
	assert_true(packet_publish(&m, &p, 4));
	front = m.payload.text;
	assert_memory_equal(front, hello_front, strlen(hello_front));
	at = front + strlen(hello_front);
	port = strtol(at, &end, 10);
	assert_memory_equal(end, hello_back, strlen(hello_back));
	assert_int_equal(end + strlen(hello_back), front + m.payload.len);
	assert_true(port > 0 && port != number_of(udp));
	buf_done(&body);
	buf_done(&out);
	return (uint16_t)port;
}

static void send_to(int fd, uint16_t port, const char *data, size_t len)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(
		sendto(fd, data, len, 0, (struct sockaddr *)&to, sizeof(to)),
		len);
}

/* The next datagram; *from: the port it is from. */
static size_t datagram(int fd, char *out, size_t size, uint16_t *from)
{
	int64_t until = loop_now() + PATIENCE_MS;
	struct sockaddr_in peer;
	ssize_t got;

	do {
		socklen_t len = sizeof(peer);

		turn();
		got = recvfrom(fd, out, size, 0, (struct sockaddr *)&peer,
			       &len);
	} while (got < 0 && loop_now() < until);
	assert_true(got >= 0);
	*from = ntohs(peer.sin_port);
	return (size_t)got;
}

/* Its sequence is the last byte of the head. */
#define AUDIO(ssrc, n) "\1\0\0\4" ssrc "\0\0\0\0\0\0\0" n "opus"
#define OURS "\x12\x34\x56\x78"
#define AUDIO_LEN 20

static void audio(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	int board = bound(SOCK_DGRAM), server = bound(SOCK_DGRAM);
	int other = bound(SOCK_DGRAM);
	uint16_t port, from;
	char got[100];

	(void)state;
	meet(&device, &backend);
	port = hello(&device, &backend, server);
	snprintf(got, sizeof(got), "audio: 127.0.0.1:%u became 127.0.0.1:%u",
		 number_of(server), port);
	assert_string_equal(buf_string(&run.notes), got);
	/* Of another session, then ours, with one number left out. */
	send_to(other, port, AUDIO("\1\2\3\4", "\1"), AUDIO_LEN);
	send_to(board, port, AUDIO(OURS, "\1"), AUDIO_LEN);
	assert_int_equal(datagram(server, got, sizeof(got), &from), AUDIO_LEN);
	assert_memory_equal(got, AUDIO(OURS, "\1"), AUDIO_LEN);
	/* Ours, from another port than the board's. */
	send_to(other, port, AUDIO(OURS, "\2"), AUDIO_LEN);
	send_to(board, port, AUDIO(OURS, "\3"), AUDIO_LEN);
	assert_int_equal(datagram(server, got, sizeof(got), &from), AUDIO_LEN);
	assert_memory_equal(got, AUDIO(OURS, "\3"), AUDIO_LEN);
	assert_int_equal(run.proxy->counts.strangers, 2);
	/* And back; what is no audio goes on, too. */
	send_to(server, from, AUDIO(OURS, "\1"), AUDIO_LEN);
	assert_int_equal(datagram(board, got, sizeof(got), &from), AUDIO_LEN);
	assert_int_equal(from, port);
	assert_memory_equal(got, AUDIO(OURS, "\1"), AUDIO_LEN);
	assert_int_equal(run.udp, 3);
	part(&device, &backend);
	close(board);
	close(server);
	close(other);
}

static int gate[2]; /* "slow.test" is looked up until this is closed */

/* Stands in for the C library's, also in libuv. */
int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **out)
{
	int (*real)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **);
	char byte;

	if (node && strcmp(node, "slow.test") == 0 &&
	    !(hints->ai_flags & AI_NUMERICHOST))
		return read(gate[0], &byte, 1) ? EAI_FAIL : EAI_NONAME;
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, out);
}

/* Nobody waits at the end for a name that is still looked up. */
static void ends_amid_a_lookup(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf body = { 0 }, out = { 0 };

	(void)state;
	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	meet(&device, &backend);
	buf_add(&body, "\0\1t", 3);
	buf_text(&body, "{\"type\":\"hello\",\"transport\":\"udp\",\"udp\":{"
			"\"server\":\"slow.test\",\"port\":8884,\"key\":\"" KEY
			"\",\"nonce\":\"" NONCE "\"}}");
	add_packet(&out, 0x30, body.data, body.len);
	exchange(&backend, &device, out.data, out.len, out.len - 10);
	proxy_close(run.proxy, on_closed, NULL);
	loop_wait(run.loop, &run.closed, loop_now() + PATIENCE_MS / 10, NULL);
	close(gate[1]);
	assert_true(run.closed);
	run.closed = false;
	open_proxy();
	close(device.fd);
	close(backend.fd);
	buf_done(&device.heard);
	buf_done(&backend.heard);
	buf_done(&body);
	buf_done(&out);
}

/* What is broken is told of the backend alone, whoever sent such a thing first. */
static void broken_audio(void **state)
{
	static const char broken[] = "\2\0\0\4" OURS "\0\0\0\0\0\0\0\1opus";
	struct stream device = { 0 }, backend = { 0 };
	int board = bound(SOCK_DGRAM), server = bound(SOCK_DGRAM);
	uint16_t port, from;
	char got[100];

	(void)state;
	meet(&device, &backend);
	port = hello(&device, &backend, server);
	send_to(board, port, broken, AUDIO_LEN);
	assert_int_equal(datagram(server, got, sizeof(got), &from), AUDIO_LEN);
	assert_false(run.found[M411]);
	send_to(server, from, broken, AUDIO_LEN);
	assert_int_equal(datagram(board, got, sizeof(got), &from), AUDIO_LEN);
	assert_true(run.found[M411]);
	part(&device, &backend);
	close(board);
	close(server);
}

/* Where audio goes is told as boards are told to reach us; all else stays. */
static void advertised(void **state)
{
	const int server = bound(SOCK_DGRAM);
	struct stream device = { 0 }, backend = { 0 };
	struct buf body = { 0 }, out = { 0 };
	int64_t until = loop_now() + PATIENCE_MS;

	(void)state;
	meet(&device, &backend);
	buf_add(&body, "\0\1t", 3);
	buf_printf(&body, "%s%u%s", hello_front, number_of(server), hello_back);
	add_packet(&out, 0x30, body.data, body.len);
	send(backend.fd, out.data, out.len, 0);
	while ((!device.heard.len ||
		device.heard.data[device.heard.len - 1] != '}') &&
	       loop_now() < until) {
		turn();
		hear(&device);
	}
	assert_non_null(strstr(buf_string(&device.heard) + 2 + 3,
			       "\",\"server\":\"b.example\",\"port\":"));
	assert_non_null(strstr(buf_string(&run.notes), " became b.example:"));
	part(&device, &backend);
	buf_done(&body);
	buf_done(&out);
	close(server);
}

/* A hello that a board would not take is not touched. */
static void no_hello(void **state)
{
	static const char odd[] =
		"\x30\x2E\0\1t{\"type\":\"hello\",\"udp\":{\"port\":\"8884\"}}     ";
	struct stream device = { 0 }, backend = { 0 };

	(void)state;
	meet(&device, &backend);
	exchange(&backend, &device, odd, sizeof(odd) - 1, sizeof(odd) - 1);
	assert_memory_equal(device.heard.data, odd, sizeof(odd) - 1);
	part(&device, &backend);
}

/* ---- ends ---- */

static void resets(void **state)
{
	const struct linger now = { 1, 0 };
	struct stream device = { 0 }, backend = { 0 };
	int64_t until = loop_now() + PATIENCE_MS;
	char byte;
	ssize_t got;

	(void)state;
	meet(&device, &backend);
	setsockopt(backend.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(backend.fd);
	do {
		turn();
		got = recv(device.fd, &byte, 1, 0);
	} while (got < 0 && errno == EAGAIN && loop_now() < until);
	assert_int_equal(got, -1);
	assert_int_equal(errno, ECONNRESET);
	close(device.fd);
	buf_done(&device.heard);
	buf_done(&backend.heard);
}

static void tls_to_us(void **state)
{
	struct stream device = { 0 };
	char said[120];

	(void)state;
	device.fd = proxied_dial(run.port);
	send(device.fd, "\x16\x03\x01\x02\x00", 5, 0);
	await_end(&device);
	assert_int_equal(device.heard.len, 0);
	assert_true(run.found[N121]);
	assert_non_null(strstr(buf_string(&run.notes), "wants TLS"));
	snprintf(
		said, sizeof(said),
		"the board at 127.0.0.1:%u wants TLS on port %u, which is plain (N121)",
		number_of(device.fd), run.port);
	assert_string_equal(buf_string(&run.notes), said);
	assert_int_equal(run.proxy->counts.refused, 1);
	close(device.fd);
}

static void refused(void **state)
{
	static const char no[] = "\x20\x02\x00\x05";
	struct stream device = { 0 }, backend = { 0 };

	(void)state;
	device.fd = proxied_dial(run.port);
	send(device.fd, CONNECT, sizeof(CONNECT) - 1, 0);
	backend.fd = accepted();
	exchange(&backend, &device, no, 4, 4);
	assert_memory_equal(device.heard.data, no, 4);
	assert_true(run.found[M401]);
	part(&device, &backend);
}

static bool was_found(const char *line)
{
	if (strstr(buf_string(&run.details), line))
		return true;
	print_error("no '%s' in: %s\n", line, buf_string(&run.details));
	return false;
}

/* The codes of 3.1.1 in words; a later one by its number. */
static void codes_of_connack(void **state)
{
	static const char *const words[] = {
		NULL,
		"M401 CONNACK 1: it does not speak that version of MQTT\n",
		"M401 CONNACK 2: client id\n",
		"M401 CONNACK 3: server unavailable\n",
		"M401 CONNACK 4: user or password\n",
		"M401 CONNACK 5: not authorized\n",
		"M401 CONNACK 6\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		const char no[] = { '\x20', '\x02', '\0', (char)i };
		struct stream device = { 0 }, backend = { 0 };

		device.fd = proxied_dial(run.port);
		send(device.fd, CONNECT, sizeof(CONNECT) - 1, 0);
		backend.fd = accepted();
		exchange(&backend, &device, no, 4, 4);
		if (words[i])
			assert_true(was_found(words[i]));
		else
			assert_int_equal(run.details.len, 0);
		part(&device, &backend);
	}
}

/* Who it is: the Device-Id in its client id, or that. */
static void names_of_boards(void **state)
{
	static const struct {
		const char *client, *device;
	} names[] = { { "GID_test@@@aa_bb_cc_dd_ee_ff@@@u",
			"aa:bb:cc:dd:ee:ff" },
		      { "c1", "c1" } };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const size_t len = strlen(names[i].client);
		struct stream device = { 0 }, backend = { 0 };
		struct buf body = { 0 }, packet = { 0 };

		buf_add(&body, "\0\4MQTT\x04\x02\x00\xF0\0", 11);
		buf_char(&body, (char)len);
		buf_text(&body, names[i].client);
		add_packet(&packet, 0x10, body.data, body.len);
		device.fd = proxied_dial(run.port);
		send(device.fd, packet.data, packet.len, 0);
		backend.fd = accepted();
		exchange(&backend, &device, CONNACK, sizeof(CONNACK) - 1, 4);
		assert_string_equal(run.device, names[i].device);
		part(&device, &backend);
		buf_done(&body);
		buf_done(&packet);
	}
}

static void add_text(struct buf *out, unsigned first, const char *text)
{
	struct buf body = { 0 };

	buf_add(&body, "\0\1t", 3);
	buf_text(&body, text);
	add_packet(out, first, body.data, body.len);
	buf_done(&body);
}

/* What a broker kept for a board; what the board has kept is its own affair. */
static void retained(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf packet = { 0 };

	(void)state;
	meet(&device, &backend);
	add_text(&packet, 0x31, "{\"type\":\"x\"}");
	exchange(&device, &backend, packet.data, packet.len, packet.len);
	assert_false(run.found[M410]);
	exchange(&backend, &device, packet.data, packet.len, packet.len);
	assert_true(was_found("M410 it came with the retain flag\n"));
	assert_same(&packet, &device.heard, 0);
	assert_int_equal(run.text, 2);
	part(&device, &backend);
	buf_done(&packet);
}

/* It goes on unread, and whose it is is told. */
static void no_mqtt(void **state)
{
	struct stream device = { 0 }, backend = { 0 };

	(void)state;
	meet(&device, &backend);
	exchange(&device, &backend, "\0\0 no MQTT", 10, 10);
	assert_true(was_found(
		"N112 what the board sends is no MQTT: it goes on unread\n"));
	assert_memory_equal(backend.heard.data, "\0\0 no MQTT", 10);
	part(&device, &backend);
	buf_reset(&run.details);
	device = backend = (struct stream){ 0 };
	device.fd = proxied_dial(run.port);
	send(device.fd, CONNECT, sizeof(CONNECT) - 1, 0);
	backend.fd = accepted();
	/* It could be a packet, but nothing comes before a CONNACK. */
	exchange(&backend, &device, "\xD0\x00", 2, 2);
	assert_true(was_found(
		"N112 what the broker sends is no MQTT: it goes on unread\n"));
	part(&device, &backend);
}

/* A PUBLISH to "a/b" of that size in all, which is above 16,383. */
static void add_sized(struct buf *out, size_t size, char fill)
{
	struct buf body = { 0 };

	buf_add(&body, "\0\3a/b", 5);
	while (body.len < size - 4)
		buf_char(&body, fill);
	add_packet(out, 0x30, body.data, body.len);
	assert_int_equal(out->len, size);
	buf_done(&body);
}

/* Said by one of them in such pieces, all of it heard by the other. */
static void is_said(struct stream *from, struct stream *to,
		    const struct buf *said, size_t piece)
{
	int64_t until = loop_now() + PATIENCE_MS;

	while (to->heard.len < said->len && loop_now() < until) {
		size_t left = said->len - from->at;
		ssize_t done = send(from->fd, said->data + from->at,
				    left > piece ? piece : left, MSG_NOSIGNAL);

		from->at += done > 0 ? (size_t)done : 0;
		turn();
		hear(to);
	}
	assert_same(said, &to->heard, 0);
}

/* The same, with what is told of it in run.passed. said is reset. */
static void is_told(struct buf *said, bool by_board)
{
	struct stream device = { 0 }, backend = { 0 };

	meet(&device, &backend);
	buf_reset(&run.passed);
	run.tells = true;
	if (by_board)
		is_said(&device, &backend, said, 20000);
	else
		is_said(&backend, &device, said, 20000);
	run.tells = false;
	part(&device, &backend);
	buf_done(said);
}

/* What is small is a message with its topic, or a packet. */
static void sizes(void **state)
{
	struct buf said = { 0 };

	(void)state;
	add_text(&said, 0x30, "{}");
	is_told(&said, true);
	assert_string_equal(run.passed.data, "board text t 2 of 2\n");
	add_text(&said, 0x30, "\xff");
	is_told(&said, false);
	assert_string_equal(run.passed.data, "broker binary t 1 of 1\n");
	add_packet(&said, 0xC0, "", 0);
	is_told(&said, true);
	assert_string_equal(run.passed.data, "board packet - 2 of 2\n");
	add_sized(&said, 262144, 'x');
	is_told(&said, false);
	assert_string_equal(run.passed.data,
			    "broker text a/b 262135 of 262135\n");
	add_sized(&said, 262144, '\xff');
	is_told(&said, true);
	assert_string_equal(run.passed.data,
			    "board binary a/b 262135 of 262135\n");
}

/* One byte more passes without being looked into; what is behind it is read. */
static void one_byte_more(void **state)
{
	struct buf said = { 0 };

	(void)state;
	add_sized(&said, 262145, 'x');
	add_text(&said, 0x30, "{}");
	is_told(&said, true);
	assert_memory_equal(run.passed.data, "board packet - ", 15);
	assert_non_null(strstr(run.passed.data, " cut of 262145\n"));
	assert_string_equal(strchr(run.passed.data, '\n') + 1,
			    "board text t 2 of 2\n");
}

/* Nobody is dialled before it is known who it is. */
static void half_a_connect(void **state)
{
	struct stream device = { 0 }, backend = { 0 };

	(void)state;
	device.fd = proxied_dial(run.port);
	send(device.fd, CONNECT, sizeof(CONNECT) - 2, 0);
	for (int i = 0; i < 5; i++)
		turn();
	assert_int_equal(accept(run.upstream, NULL, NULL), -1);
	assert_int_equal(run.proxy->counts.talks, 0);
	exchange(&device, &backend, &CONNECT[sizeof(CONNECT) - 2], 1, 0);
	backend.fd = accepted();
	while (backend.heard.len < sizeof(CONNECT) - 1) {
		turn();
		hear(&backend);
	}
	assert_memory_equal(backend.heard.data, CONNECT, sizeof(CONNECT) - 1);
	assert_int_equal(run.proxy->counts.talks, 1);
	part(&device, &backend);
}

/* ---- faults ---- */

#define ASKS                                                           \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":7," \
	"\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}}"
#define REPLIES(id)                                                      \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":" id  \
	",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]," \
	"\"isError\":false}}}"

/* A tool was called; reply: what the board will say to that. */
static void call(struct stream *device, struct stream *backend,
		 struct buf *reply)
{
	struct buf packet = { 0 };

	meet(device, backend);
	add_text(&packet, 0x30, ASKS);
	exchange(backend, device, packet.data, packet.len, packet.len);
	assert_same(&packet, &device->heard, 0);
	buf_done(&packet);
	add_text(reply, 0x30, REPLIES("7"));
}

static void noted(const char *note)
{
	if (!strstr(buf_string(&run.notes), note))
		fail_msg("no '%s' in: %s", note, buf_string(&run.notes));
}

#define PING "\xC0\x00"

static void fault_drops(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	buf_add(&reply, PING, 2);
	exchange(&device, &backend, reply.data, reply.len, 2);
	assert_int_equal(backend.heard.len, 2);
	assert_memory_equal(backend.heard.data, PING, 2);
	noted("--fault no-reply");
	assert_int_equal(run.proxy->counts.dropped, 1);
	part(&device, &backend);
	buf_done(&reply);
}

static void fault_doubles(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	exchange(&device, &backend, reply.data, reply.len, 2 * reply.len);
	add_text(&reply, 0x30, REPLIES("7"));
	assert_same(&reply, &backend.heard, 0);
	noted("--fault two-replies");
	assert_int_equal(run.proxy->counts.changed, 0);
	part(&device, &backend);
	buf_done(&reply);
}

static void fault_changes(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 }, other = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	add_text(&other, 0x30, REPLIES("1007"));
	exchange(&device, &backend, reply.data, reply.len, other.len);
	assert_same(&other, &backend.heard, 0);
	noted("--fault wrong-id");
	assert_int_equal(run.proxy->counts.changed, 1);
	part(&device, &backend);
	buf_done(&reply);
	buf_done(&other);
}

/* All behind it waits as well. */
static void fault_delays(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	buf_add(&reply, PING, 2);
	exchange(&device, &backend, reply.data, reply.len, reply.len);
	assert_same(&reply, &backend.heard, 0);
	noted("--fault late-reply");
	/* And it is read on. */
	exchange(&device, &backend, PING, 2, reply.len + 2);
	assert_int_equal(run.proxy->counts.dropped, 0);
	part(&device, &backend);
	buf_done(&reply);
}

/* Late, and then twice, in front of what waited with it. */
static void faults_together(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 }, twice = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	buf_add(&twice, reply.data, reply.len);
	buf_add(&twice, reply.data, reply.len);
	buf_add(&twice, PING, 2);
	buf_add(&reply, PING, 2);
	exchange(&device, &backend, reply.data, reply.len, twice.len);
	assert_same(&twice, &backend.heard, 0);
	part(&device, &backend);
	buf_done(&reply);
	buf_done(&twice);
}

/* The other way it still works. */
static void fault_hangs(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	buf_add(&reply, PING, 2);
	buf_reset(&device.heard);
	assert_int_equal(send(device.fd, reply.data, reply.len, 0), reply.len);
	while (!run.proxy->counts.dropped)
		turn();
	exchange(&device, &backend, PING, 2, 0);
	exchange(&backend, &device, "\xD0\x00", 2, 2);
	hear(&backend);
	assert_int_equal(backend.heard.len, 0);
	noted("--fault hang");
	assert_int_equal(run.proxy->counts.dropped, 1);
	part(&device, &backend);
	buf_done(&reply);
}

static void awaits_reset(const struct stream *s)
{
	int64_t until = loop_now() + PATIENCE_MS;
	char piece[500];
	ssize_t got;

	do {
		turn();
		got = recv(s->fd, piece, sizeof(piece), 0);
	} while ((got > 0 || (got < 0 && errno == EAGAIN)) &&
		 loop_now() < until);
	assert_int_equal(got, -1);
	assert_int_equal(errno, ECONNRESET);
}

static void fault_cuts(void **state)
{
	struct stream device = { 0 }, backend = { 0 };
	struct buf reply = { 0 };

	(void)state;
	call(&device, &backend, &reply);
	assert_int_equal(send(device.fd, reply.data, reply.len, 0), reply.len);
	awaits_reset(&backend);
	awaits_reset(&device);
	noted("--fault cut-frame");
	close(device.fd);
	close(backend.fd);
	buf_done(&device.heard);
	buf_done(&backend.heard);
	buf_done(&reply);
}

/* Who is not read fills a bounded room; all of it comes in the end. */
static void slow_reader(void **state)
{
	enum { MANY = 16 << 20 };
	struct stream device = { 0 }, backend = { 0 };
	size_t sent = 0, idle = 0;

	(void)state;
	meet(&device, &backend);
	while (sent < MANY) {
		add_publish(&backend.said, 60000);
		sent += 60000;
	}
	sent = 0;
	while (idle < 50) {
		ssize_t done = send(backend.fd, backend.said.data + sent,
				    backend.said.len - sent, MSG_NOSIGNAL);

		idle = done > 0 ? 0 : idle + 1;
		sent += done > 0 ? (size_t)done : 0;
		turn();
	}
	assert_true(sent < backend.said.len);
	backend.at = sent;
	while (device.heard.len < backend.said.len) {
		if (backend.at < backend.said.len)
			say_some(&backend);
		loop_poll(run.loop);
		hear(&device);
	}
	assert_same(&backend.said, &device.heard, 0);
	part(&device, &backend);
	buf_done(&backend.said);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define WITH(test, fault)                                                 \
	cmocka_unit_test_prestate_setup_teardown(test, set_up, tear_down, \
						 (void *)(uintptr_t)(fault))
#define ADVERTISED(text)                                                       \
	cmocka_unit_test_prestate_setup_teardown(advertised,                   \
						 set_up_advertised, tear_down, \
						 (void *)(uintptr_t)(text))
	const struct CMUnitTest tests[] = {
		EACH(conversations),
		EACH(audio),
		EACH(broken_audio),
		EACH(ends_amid_a_lookup),
		ADVERTISED("b.example"),
		ADVERTISED("b.example:77"),
		ADVERTISED("ws://b.example/"),
		ADVERTISED("wss://b.example:77/a?b#c"),
		EACH(no_hello),
		EACH(resets),
		EACH(tls_to_us),
		EACH(refused),
		EACH(slow_reader),
		EACH(codes_of_connack),
		EACH(names_of_boards),
		EACH(retained),
		EACH(no_mqtt),
		EACH(sizes),
		EACH(one_byte_more),
		EACH(half_a_connect),
		WITH(fault_drops, "no-reply"),
		WITH(fault_doubles, "two-replies"),
		WITH(fault_changes, "wrong-id"),
		WITH(fault_delays, "late-reply=1ms"),
		WITH(faults_together, "late-reply=1ms,two-replies"),
		WITH(fault_hangs, "hang"),
		WITH(fault_cuts, "cut-frame"),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
