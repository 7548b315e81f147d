/* SPDX-License-Identifier: MIT */
/*
 * A proxy before a WebSocket, from both of its sides: in thousands of random
 * conversations what goes in at one side comes out byte for byte at the other,
 * and so does the end. The proxy runs in a child; the test is board and backend.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/text.h"
#include "proxy/talk.h"
#include "wire/ws_frames.h"

#define CONVERSATIONS 2000
#define LARGE 200000

/* ---- a proxy ---- */

static int backend; /* it listens */
static uint16_t backend_port, proxy_port;
static pid_t child;

static void on_passed(void *owner, const struct talk *t,
		      const struct capture_event *e)
{
	(void)owner;
	(void)t;
	(void)e;
}

static void serve(int out)
{
	static const struct proxy_events events = { .passed = on_passed };
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(words_done) struct words listen = { 0 }, found = { 0 };
	char *url = mem_printf("ws://127.0.0.1:%u/up", backend_port);
	struct proxy_options o = { .upstream = url,
				   .kind = UPSTREAM_WS,
				   .listen = &listen,
				   .rewrite = REWRITE_ALL,
				   .events = &events };
	struct loop *loop;
	struct proxy *p;
	int64_t port = 0;

	close(backend);
	words_add(&listen, "127.0.0.1:0");
	if (loop_new(&loop, &err) || proxy_open(&p, loop, &o, &err)) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
	proxy_addresses(p, &found);
	sscanf(found.word[0], "ws://127.0.0.1:%" SCNd64, &port);
	if (write(out, &port, sizeof(port)) != sizeof(port))
		_exit(1);
	loop_stay(loop, NULL, LOOP_FOREVER, &err);
	_exit(0);
}

static int listen_somewhere(uint16_t *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(fd, 100), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static int open_proxy(void **state)
{
	int64_t port = 0;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	backend = listen_somewhere(&backend_port);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0)
		serve(ends[1]);
	assert_int_equal(read(ends[0], &port, sizeof(port)), sizeof(port));
	proxy_port = (uint16_t)port;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static int end_proxy(void **state)
{
	int how = 0;

	(void)state;
	kill(child, SIGTERM);
	waitpid(child, &how, 0);
	close(backend);
	return WIFEXITED(how) ? WEXITSTATUS(how) : 1;
}

/* ---- both sides ---- */

#define REQUEST                                                                  \
	"GET /xiaozhi/v1/?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\n"                   \
	"Authorization: Bearer t o k\r\nClient-Id: c\r\nConnection: Upgrade\r\n" \
	"Device-Id: aa:bb:cc:dd:ee:ff\r\nProtocol-Version: 1\r\n"                \
	"Sec-WebSocket-Extensions: permessage-deflate\r\n"                       \
	"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"                        \
	"Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n\r\n"
/* What of it goes up: another target, no compression. */
#define GOES_UP                                                                  \
	"GET /up?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\n"                            \
	"Authorization: Bearer t o k\r\nClient-Id: c\r\nConnection: Upgrade\r\n" \
	"Device-Id: aa:bb:cc:dd:ee:ff\r\nProtocol-Version: 1\r\n"                \
	"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"                        \
	"Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n\r\n"
#define ANSWER                                                       \
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n" \
	"Connection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"

static int dial(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(proxy_port),
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void put(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		assert_true(n > 0);
		data += n;
		len -= (size_t)n;
	}
}

static void expect(int fd, const char *text)
{
	size_t len = strlen(text);
	char got[2000];

	assert_true(len < sizeof(got));
	assert_int_equal(recv(fd, got, len, MSG_WAITALL), (ssize_t)len);
	got[len] = '\0';
	assert_string_equal(got, text);
}

struct conversation {
	int fd[2]; /* [0] is the board's */
};

static void begin(struct conversation *c)
{
	c->fd[0] = dial();
	put(c->fd[0], REQUEST, strlen(REQUEST));
	c->fd[1] = accept(backend, NULL, NULL);
	assert_true(c->fd[1] >= 0);
	expect(c->fd[1], GOES_UP);
	put(c->fd[1], ANSWER, strlen(ANSWER));
	expect(c->fd[0], ANSWER);
}

static unsigned some(unsigned below)
{
	return (unsigned)random() % below;
}

static size_t some_length(void)
{
	switch (some(20)) {
	case 0:
		return some(LARGE);
	case 1:
		return 125 + some(3);
	case 2:
		return 65534 + some(4);
	default:
		return some(300);
	}
}

static void add_frame(struct buf *out, unsigned first, bool masked,
		      const char *data, size_t len)
{
	struct ws_head h = { .fin = first & 0x80,
			     .opcode = first & 15,
			     .masked = masked,
			     .mask = { (unsigned char)random(), 7, 0, 255 },
			     .length = len };
	unsigned char head[WS_HEAD_MAX];
	size_t from;

	buf_add(out, head, ws_head_write(&h, head));
	from = out->len;
	buf_add(out, data, len);
	if (masked)
		ws_mask(out->data + from, len, h.mask, 0);
}

static void add_payload(struct buf *out, bool text)
{
	static const char *const texts[] = {
		"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{\"vision\":{}}}}}",
		"{\"type\":\"hello\",\"version\":1,\"transport\":\"websocket\"}",
		"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}",
		"no JSON \xff \"vision\"", ""
	};
	size_t len = some_length();

	if (text && some(2)) {
		buf_text(out, texts[some(COUNT(texts))]);
		return;
	}
	for (size_t i = 0; i < len; i++)
		buf_char(out, text ? (char)(' ' + i % 90) : (char)random());
}

/* A message of one frame or of some, with Pings between; or no frame at all. */
static void add_something(struct buf *out, bool masked)
{
	CLEANUP(buf_done) struct buf payload = { 0 };
	bool text = some(2);
	unsigned opcode = text ? WS_TEXT : WS_BINARY;
	size_t at = 0;

	if (some(300) == 0) {
		buf_text(out, "\xff\xff these are no frames");
		return;
	}
	if (some(10) == 0) {
		add_frame(out, 0x80 | (some(2) ? WS_PING : WS_PONG), masked,
			  "ping", some(5));
		return;
	}
	add_payload(&payload, text);
	while (some(4) == 0 && at < payload.len) {
		size_t len = some((unsigned)(payload.len - at));

		add_frame(out, opcode, masked, payload.data + at, len);
		opcode = WS_CONTINUES;
		at += len;
		if (some(2))
			add_frame(out, 0x80 | WS_PING, masked, "amid", 4);
	}
	add_frame(out, 0x80 | opcode, masked, buf_string(&payload) + at,
		  payload.len - at);
}

struct flow {
	struct buf bytes;
	size_t sent, got;
};

static void write_some(struct flow *f, int fd)
{
	size_t len = f->bytes.len - f->sent;
	ssize_t n;

	if (len > 1 && some(3))
		len = 1 + some(len > 3000 ? 3000 : (unsigned)len);
	n = send(fd, f->bytes.data + f->sent, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	assert_true(n > 0 || errno == EAGAIN);
	f->sent += n > 0 ? (size_t)n : 0;
}

static void read_some(struct flow *f, int fd)
{
	static char piece[70000];
	ssize_t n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);

	assert_true(n > 0);
	assert_true(f->got + (size_t)n <= f->bytes.len);
	assert_memory_equal(piece, f->bytes.data + f->got, (size_t)n);
	f->got += (size_t)n;
}

/* flow[0] is what the board says. */
static void talk(const struct conversation *c, struct flow flow[2])
{
	while (flow[0].got < flow[0].bytes.len ||
	       flow[1].got < flow[1].bytes.len) {
		struct pollfd p[2];

		for (int i = 0; i < 2; i++) {
			p[i].fd = c->fd[i];
			p[i].events = POLLIN;
			if (flow[i].sent < flow[i].bytes.len)
				p[i].events |= POLLOUT;
		}
		assert_true(poll(p, 2, 60000) > 0);
		for (int i = 0; i < 2; i++) {
			if (p[i].revents & POLLOUT)
				write_some(&flow[i], c->fd[i]);
			if (p[i].revents & POLLIN)
				read_some(&flow[!i], c->fd[i]);
		}
	}
}

static void reset(int fd)
{
	const struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/* One side ends, the other one sees it as it was. */
static void end(const struct conversation *c)
{
	static const char over[] = "\x88\x02\x03\xe8";
	int first = (int)some(2), other = !first;
	char byte;

	switch (some(4)) {
	case 0:
		reset(c->fd[first]);
		assert_int_equal(recv(c->fd[other], &byte, 1, 0), -1);
		assert_int_equal(errno, ECONNRESET);
		close(c->fd[other]);
		return;
	case 1:
		/* Half closed: the other half still works. */
		shutdown(c->fd[first], SHUT_WR);
		assert_int_equal(recv(c->fd[other], &byte, 1, 0), 0);
		put(c->fd[other], over, 4);
		expect(c->fd[first], over);
		close(c->fd[other]);
		assert_int_equal(recv(c->fd[first], &byte, 1, 0), 0);
		close(c->fd[first]);
		return;
	case 2:
		put(c->fd[first], over, 4);
		expect(c->fd[other], over);
		break;
	default:
		break;
	}
	close(c->fd[first]);
	assert_int_equal(recv(c->fd[other], &byte, 1, 0), 0);
	close(c->fd[other]);
}

static void random_conversations(void **state)
{
	const char *seed = getenv("MCPCTL_TEST_SEED");
	int64_t number = 1;

	(void)state;
	if (seed)
		assert_int_equal(text_integer(seed, 0, INT32_MAX, &number), 0);
	srandom((unsigned)number);
	for (int i = 0; i < CONVERSATIONS; i++) {
		struct conversation c;
		struct flow flow[2] = { 0 };

		begin(&c);
		for (unsigned n = some(12); n > 0; n--) {
			int from = (int)some(2);

			add_something(&flow[from].bytes,
				      some(50) ? from == 0 : from == 1);
		}
		talk(&c, flow);
		end(&c);
		buf_done(&flow[0].bytes);
		buf_done(&flow[1].bytes);
	}
}

/* A message in pieces of a byte each, and none is kept back but what must be. */
static void byte_by_byte(void **state)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };
	struct conversation c;

	(void)state;
	begin(&c);
	ws_frame(&bytes, WS_BINARY, NULL, "audio", 5);
	for (size_t i = 0; i < bytes.len; i++)
		put(c.fd[1], bytes.data + i, 1);
	/* Without the end of the message. */
	buf_reset(&bytes);
	add_frame(&bytes, WS_BINARY, false, "begins", 6);
	put(c.fd[1], bytes.data, bytes.len);
	expect(c.fd[0], "\x82\x05"
			"audio\x02\x06"
			"begins");
	close(c.fd[1]);
	close(c.fd[0]);
}

/* Half a text, then the end: what came goes on. */
static void half_a_text(void **state)
{
	struct conversation c;
	char byte;

	(void)state;
	begin(&c);
	put(c.fd[1], "\x81\x05Hel", 5);
	shutdown(c.fd[1], SHUT_WR);
	expect(c.fd[0], "\x81\x05Hel");
	assert_int_equal(recv(c.fd[0], &byte, 1, 0), 0);
	close(c.fd[0]);
	close(c.fd[1]);
}

/* What the proxy holds of memory, in kB. */
static long resident(void)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("/proc/%d/statm", child);
	FILE *file = fopen(path, "re");
	long size, pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &size, &pages), 2);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

#if ADDRESS_SANITIZED
/* They keep what is freed for a while, and more around it. */
#	define MAY_HOLD 16384
#else
#	define MAY_HOLD 4096 /* kB: 1 MiB of what passes, and how it is kept */
#endif

/*
 * A side that does not read lets the other one wait, within a few MiB, most of
 * them the kernel's; all of it is there once it is read.
 */
static void without_reading(int from, const char *head)
{
	static char block[65536];
	struct conversation c;
	long before;
	size_t sent = 0;

	begin(&c);
	before = resident();
	memset(block, 0, sizeof(block));
	memcpy(block, head, 14);
	fcntl(c.fd[from], F_SETFL, O_NONBLOCK);
	for (;;) {
		struct pollfd p = { .fd = c.fd[from], .events = POLLOUT };
		ssize_t n =
			send(c.fd[from], block, sizeof(block), MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		else if (poll(&p, 1, 500) == 0)
			break;
		assert_true(sent < 64u << 20);
	}
	assert_in_range(resident() - before + MAY_HOLD, 0, 2 * MAY_HOLD);
	while (sent > 0) {
		ssize_t n = recv(c.fd[!from], block, sizeof(block), 0);

		assert_true(n > 0);
		sent -= (size_t)n;
	}
	close(c.fd[0]);
	close(c.fd[1]);
}

static void who_does_not_read(void **state)
{
	(void)state;
	/* 2 GiB of audio; a text that is too large to be held. */
	without_reading(1, "\x82\x7f\0\0\0\0\x80\0\0\0\0\0\0\0");
	without_reading(0, "\x82\xff\0\0\0\0\x80\0\0\0\1\2\3\4");
	without_reading(1, "\x81\x7f\0\0\0\0\x80\0\0\0\0\0\0\0");
	without_reading(0, "\x81\xff\0\0\0\0\x80\0\0\0\1\2\3\4");
}

/* The backend says no: the board hears the same words. */
static void refused(void **state)
{
	static const char no[] =
		"HTTP/1.1 401 Unauthorized\r\nContent-Length: 3\r\n\r\nno\n";
	struct conversation c;
	char byte;

	(void)state;
	c.fd[0] = dial();
	put(c.fd[0], REQUEST, strlen(REQUEST));
	c.fd[1] = accept(backend, NULL, NULL);
	expect(c.fd[1], GOES_UP);
	put(c.fd[1], no, strlen(no));
	close(c.fd[1]);
	expect(c.fd[0], no);
	assert_int_equal(recv(c.fd[0], &byte, 1, 0), 0);
	close(c.fd[0]);
}

/* It is not there: no answer that a board could take for one. */
static void nobody_there(void **state)
{
	char byte;
	int fd;

	(void)state;
	close(backend);
	fd = dial();
	put(fd, REQUEST, strlen(REQUEST));
	assert_true(recv(fd, &byte, 1, 0) <= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_conversations),
		cmocka_unit_test(byte_by_byte),
		cmocka_unit_test(half_a_text),
		cmocka_unit_test(who_does_not_read),
		cmocka_unit_test(refused),
		cmocka_unit_test(nobody_there),
	};

	return cmocka_run_group_tests(tests, open_proxy, end_proxy);
}
