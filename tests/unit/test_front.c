/* SPDX-License-Identifier: MIT */
/*
 * The front when many come at once: nobody is lost, what there is no place
 * for waits its turn, and not for ever. Answers with headers of their own, or
 * none, and those that come in parts.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/front.h"
#include "raw_client.h"

#define REQUEST "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
#define LONG_MS 60000
#define MANY 700 /* more than a listening socket commonly has room for */

#define CUT 60 /* requests cut off */

static const struct front_table *table;

static struct {
	struct loop *loop;
	struct front *front;
	struct raw_child child;
	size_t sockets_max;
	unsigned held_up; /* ms, by being told of who is slow */
	unsigned requests, slow, slow_before, busy, broken, cut;
	bool told, closed;
	/* what the streams are told, and who is answered later */
	struct front_stream *stream;
	struct front_request *later;
	char method[16];
	bool begun, stream_gone, request_gone;
} t;

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	(void)owner;
	(void)head;
	(void)body;
	(void)len;
	t.requests++;
	t.told = true;
	t.slow_before = t.slow;
	table->reply(rq, 200, "text/plain", "ok", 2);
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	(void)owner;
	(void)address;
	t.slow += what == FRONT_SLOW;
	t.busy += what == FRONT_BUSY;
	t.broken += what == FRONT_BROKEN;
	t.cut += what == FRONT_CUT;
	t.told = true;
	if (what == FRONT_SLOW)
		usleep(t.held_up * 1000);
}

static size_t sockets_max(void *owner)
{
	(void)owner;
	return t.sockets_max;
}

static const struct front_events events = { .http = on_http,
					    .noise = on_noise,
					    .sockets_max = sockets_max };

static void open_front(size_t connections_max, int64_t head_timeout)
{
	const struct front_config config = { .host = "127.0.0.1",
					     .head_timeout = head_timeout,
					     .connections_max =
						     connections_max };
	struct error err = { 0 };

	t.front = table->open(t.loop, &config, &events, NULL, &err);
	assert_non_null(t.front);
}

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	t.sockets_max = 2000;
	table = module_table("front", FRONT_TABLE, &err);
	assert_non_null(table);
	return loop_new(&t.loop, &err);
}

static void on_closed(void *owner)
{
	(void)owner;
	t.closed = true;
}

static void close_front(void)
{
	table->close(t.front, on_closed);
	loop_wait(t.loop, &t.closed, loop_now() + LONG_MS, NULL);
	assert_true(t.closed);
	t.front = NULL;
}

static int tear_down(void **state)
{
	(void)state;
	if (t.front)
		close_front();
	raw_done(&t.child);
	loop_free(t.loop);
	return 0;
}

static void run(void (*fn)(uint16_t port, int out))
{
	raw_start(&t.child, t.loop, table->port(t.front), fn);
	raw_finish(&t.child, t.loop);
}

/* ---- in the child ---- */

static int ask(uint16_t port)
{
	int fd = raw_connect(port);

	raw_text(fd, REQUEST);
	return fd;
}

/* Does not close it. */
static void expect(int fd, const char *status)
{
	char head[1024], body[2];

	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, status))
		_exit(4);
	raw_read(fd, body, sizeof(body));
}

/* ---- the system's queue ---- */

static long room(void)
{
	FILE *file = fopen("/proc/sys/net/core/somaxconn", "re");
	long max = 0;

	if (!file || fscanf(file, "%ld", &max) != 1)
		max = 0;
	if (file)
		fclose(file);
	return max < MANY ? max : MANY;
}

static bool connects(int fd, const struct sockaddr_in *to)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return !connect(fd, (const struct sockaddr *)to, sizeof(*to)) ||
	       (errno == EINPROGRESS && poll(&p, 1, 100) == 1);
}

/* While it is busy with something else: the loop does not run. */
static void test_connect_to_busy(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	long count = room();
	int fd[MANY];

	(void)state;
	open_front(0, 0);
	to.sin_port = htons(table->port(t.front));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (long i = 0; i < count; i++) {
		fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		assert_true(fd[i] >= 0);
		if (!connects(fd[i], &to))
			fail_msg("connection %ld is lost", i + 1);
	}
	for (long i = 0; i < count; i++)
		close(fd[i]);
}

/* ---- what the library refuses by itself ---- */

static void child_negative(uint16_t port, int out)
{
	int fd = raw_connect(port);

	(void)out;
	raw_text(fd, "POST /x HTTP/1.1\r\nHost: x\r\n"
		     "Content-Length: -5\r\n\r\n");
	expect(fd, " 400 ");
	close(fd);
}

static void child_no_host(uint16_t port, int out)
{
	int fd = raw_connect(port);
	char head[1024];

	(void)out;
	raw_text(fd, "GET /x HTTP/1.1\r\n\r\n");
	raw_read_head(fd, head, sizeof(head));
	close(fd);
}

static void test_refused_is_told(void **state)
{
	(void)state;
	open_front(0, 0);
	run(child_negative);
	loop_wait(t.loop, &t.told, loop_now() + LONG_MS, NULL);
	assert_int_equal(t.requests, 0);
	assert_int_equal(t.broken, 1);
}

/* Some versions of the library answer it with 400. */
static void test_no_host(void **state)
{
	(void)state;
	open_front(0, 0);
	run(child_no_host);
	loop_wait(t.loop, &t.told, loop_now() + LONG_MS, NULL);
	assert_int_equal(t.requests + t.broken, 1);
}

/* ---- more requests than places ---- */

static void child_twenty(uint16_t port, int out)
{
	int fd[20];

	(void)out;
	for (size_t i = 0; i < COUNT(fd); i++)
		fd[i] = ask(port);
	for (size_t i = 0; i < COUNT(fd); i++) {
		expect(fd[i], " 200 ");
		close(fd[i]);
	}
}

static void test_requests_wait(void **state)
{
	(void)state;
	open_front(2, 0);
	run(child_twenty);
	assert_int_equal(t.requests, 20);
	assert_int_equal(t.busy, 0);
}

static void child_closing(uint16_t port, int out)
{
	int fd[20];

	(void)out;
	for (size_t i = 0; i < COUNT(fd); i++) {
		fd[i] = raw_connect(port);
		raw_text(fd[i], "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				"Connection: close\r\n\r\n");
	}
	for (size_t i = 0; i < COUNT(fd); i++) {
		expect(fd[i], " 200 ");
		close(fd[i]);
	}
}

/* A peer that closes first is not given its time to do so: 20 s in all. */
static void test_closing_peers(void **state)
{
	(void)state;
	open_front(1, 4000);
	run(child_closing);
	assert_int_equal(t.requests, 20);
	assert_int_equal(t.busy, 0);
}

static void child_no_place(uint16_t port, int out)
{
	int first = ask(port), second;

	(void)out;
	expect(first, " 200 ");
	second = ask(port);
	expect(second, " 503 ");
	close(second);
	close(first);
}

static void test_no_place(void **state)
{
	(void)state;
	open_front(1, 200);
	run(child_no_place);
	assert_int_equal(t.requests, 1);
	assert_int_equal(t.busy, 1);
}

static void child_gone(uint16_t port, int out)
{
	int first = ask(port), second, third;

	(void)out;
	expect(first, " 200 ");
	second = ask(port);
	third = ask(port);
	usleep(50000); /* both are queued by then */
	close(second);
	close(first);
	expect(third, " 200 ");
	close(third);
}

/* The place of one that went while it waited is the next one's. */
static void test_gone_while_waiting(void **state)
{
	(void)state;
	open_front(1, 0);
	run(child_gone);
	assert_in_range(t.requests, 2, 3);
}

static void child_held(uint16_t port, int out)
{
	char byte;
	int first = ask(port), second;

	expect(first, " 200 ");
	second = ask(port);
	(void)!write(out, "queued", 6);
	while (raw_read(second, &byte, 1))
		;
	close(first);
}

static void test_close_with_waiting(void **state)
{
	(void)state;
	open_front(1, 0);
	raw_start(&t.child, t.loop, table->port(t.front), child_held);
	while (!t.child.said.len)
		loop_poll(t.loop);
	for (int i = 0; i < 10; i++)
		loop_poll(t.loop);
	assert_int_equal(t.requests, 1);
	close_front();
	raw_finish(&t.child, t.loop);
}

static void child_asks(uint16_t port, int out)
{
	int fd = ask(port);

	(void)out;
	expect(fd, " 200 ");
	close(fd);
}

/*
 * Half a body and the end of it are there at once. If each had its time for the
 * rest, whoever comes behind them would not wait so long.
 */
static void test_cut_make_room(void **state)
{
	static const char head[] = "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				   "Content-Length: 60000\r\n\r\n";
	static const char half[30000];

	(void)state;
	open_front(3, 0);
	for (int i = 0; i < CUT; i++) {
		int fd = raw_connect(table->port(t.front));

		raw_text(fd, head);
		assert_int_equal(write(fd, half, sizeof(half)), sizeof(half));
		close(fd);
	}
	run(child_asks);
	assert_int_equal(t.requests, 1);
	assert_in_range(t.cut, CUT - 3, CUT);
}

/* ---- more heads than may be awaited ---- */

static void child_halves(uint16_t port, int out)
{
	int first = raw_connect(port), second = raw_connect(port), third;

	(void)out;
	raw_text(first, "GET /x HT");
	raw_text(second, "GET /x HT");
	third = ask(port);
	expect(third, " 200 ");
	close(third);
	/* The one that kept it waiting longest made room. */
	expect(first, " 503 ");
	expect(second, " 408 ");
	close(first);
	close(second);
}

static void test_halves(void **state)
{
	(void)state;
	t.sockets_max = 2;
	open_front(0, 200);
	run(child_halves);
	assert_int_equal(t.requests, 1);
	assert_int_equal(t.slow_before, 0);
}

/* ---- answers with headers of their own ---- */

static void on_plain(void *owner, struct front_request *rq,
		     const struct front_head *head, const char *body,
		     size_t len)
{
	struct headers more = { 0 };

	(void)owner;
	(void)body;
	(void)len;
	headers_add(&more, "X-More", "yes");
	snprintf(t.method, sizeof(t.method), "%s", head->method);
	if (!strcmp(head->path, "/202"))
		table->reply_with(rq, 202, NULL, &more, NULL, 0);
	else if (!strcmp(head->path, "/204"))
		table->reply_with(rq, 204, NULL, &more, NULL, 0);
	else
		table->reply_with(rq, 200, "text/plain", &more, "ok", 2);
	headers_done(&more);
}

static const struct front_events plain_events = { .http = on_plain };

static void open_with(const struct front_events *e)
{
	const struct front_config config = { .host = "127.0.0.1" };
	struct error err = { 0 };

	t.front = table->open(t.loop, &config, e, NULL, &err);
	assert_non_null(t.front);
}

/* The answer to one request; on the same connection another one follows. */
static void ask_for(int fd, const char *line, const char *status,
		    const char *length)
{
	char text[256], head[1024], body[2];

	snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		 line);
	raw_text(fd, text);
	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, status) || !strstr(head, "X-More: yes\r\n"))
		_exit(4);
	if (length && !strstr(head, length))
		_exit(5);
	if (!length && strstr(head, "Content-"))
		_exit(6);
	if (strstr(head, " 200 ") && strncmp(line, "HEAD", 4) != 0)
		raw_read(fd, body, sizeof(body));
}

static void child_methods(uint16_t port, int out)
{
	int fd = raw_connect(port);

	(void)out;
	ask_for(fd, "DELETE /x", " 200 ", "Content-Length: 2\r\n");
	ask_for(fd, "OPTIONS /202", " 202 ", "Content-Length: 0\r\n");
	ask_for(fd, "POST /204", " 204 ", NULL);
	ask_for(fd, "HEAD /x", " 200 ", "Content-Length: 2\r\n");
	ask_for(fd, "GET /x", " 200 ", "Content-Length: 2\r\n");
	close(fd);
}

static void test_methods(void **state)
{
	(void)state;
	open_with(&plain_events);
	run(child_methods);
	assert_string_equal(t.method, "GET");
}

static int on_upgrade(void *owner, int fd, const struct front_head *head,
		      const char **reason)
{
	(void)owner;
	(void)fd;
	(void)head;
	*reason = "met";
	return 403;
}

static const struct front_events upgrading = { .http = on_plain,
					       .upgrade = on_upgrade,
					       .noise = on_noise };

#define UPGRADE                                                         \
	"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n" \
	"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"          \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

static void child_upgrades_late(uint16_t port, int out)
{
	int fd = raw_connect(port);
	char byte;

	(void)out;
	ask_for(fd, "GET /x", " 200 ", "Content-Length: 2\r\n");
	raw_text(fd, UPGRADE);
	if (raw_read(fd, &byte, 1))
		_exit(7);
	close(fd);
	fd = raw_connect(port);
	raw_text(fd, UPGRADE);
	expect(fd, " 403 ");
	close(fd);
}

/* Whoever kept the connection asks again on a new one, and there it is met. */
static void test_upgrade_on_kept(void **state)
{
	(void)state;
	open_with(&upgrading);
	run(child_upgrades_late);
	assert_false(t.told);
}

static void child_offers(uint16_t port, int out)
{
	int fd = raw_connect(port);

	(void)out;
	raw_text(fd,
		 "POST /x HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
		 "Content-Length: 2\r\nHost: 127.0.0.1\r\n"
		 "HTTP2-Settings: AAEAAEAAAAIAAAAB\r\nUpgrade: h2c\r\n\r\n{}");
	expect(fd, " 200 ");
	ask_for(fd, "GET /x", " 200 ", "Content-Length: 2\r\n");
	close(fd);
	fd = raw_connect(port);
	raw_text(fd, "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		     "Upgrade: TLS/1.2\r\nConnection: Upgrade\r\n\r\n");
	expect(fd, " 200 ");
	close(fd);
}

/* As clients in Java do unasked: nobody has to take that up. */
static void test_mere_offers(void **state)
{
	(void)state;
	open_with(&upgrading);
	run(child_offers);
	assert_false(t.told);
}

static void child_empty_and_close(uint16_t port, int out)
{
	static const char *const paths[] = { "/202", "/204" };
	char text[128], head[1024];

	(void)out;
	for (size_t i = 0; i < COUNT(paths); i++) {
		int fd = raw_connect(port);

		snprintf(text, sizeof(text),
			 "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			 "Connection: close\r\n\r\n",
			 paths[i]);
		raw_text(fd, text);
		raw_read_head(fd, head, sizeof(head));
		if (!strstr(head, paths[i] + 1))
			_exit(4);
		close(fd);
	}
}

static void test_empty_and_close(void **state)
{
	(void)state;
	open_with(&plain_events);
	run(child_empty_and_close);
}

/* ---- answers in parts ---- */

static void on_stream_gone(void *owner)
{
	assert_ptr_equal(owner, &t);
	assert_false(t.stream_gone);
	t.stream_gone = true;
	t.stream = NULL;
}

static const struct front_stream_events stream_events = { on_stream_gone };

static void begin_stream(struct front_request *rq)
{
	t.stream = table->stream(rq, 200, "text/event-stream", NULL,
				 &stream_events, &t);
	assert_non_null(t.stream);
	t.begun = true;
}

static void on_streamed(void *owner, struct front_request *rq,
			const struct front_head *head, const char *body,
			size_t len)
{
	(void)owner;
	(void)body;
	(void)len;
	t.requests++;
	if (!strcmp(head->path, "/later")) {
		t.later = rq;
		t.begun = true;
		return;
	}
	if (!strcmp(head->path, "/wake"))
		table->reply(TAKE(t.later), 200, "text/plain", "ok", 2);
	begin_stream(rq);
}

static void on_request_gone(void *owner, struct front_request *rq)
{
	(void)owner;
	assert_ptr_equal(rq, t.later);
	t.later = NULL;
	t.request_gone = true;
}

static const struct front_events streamed = { .http = on_streamed };
static const struct front_events watched = { .http = on_streamed,
					     .gone = on_request_gone };

static void await(const bool *flag)
{
	if (loop_wait(t.loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("time over");
}

/* Until the child has said so much. */
static void await_said(const char *text)
{
	int64_t end = loop_now() + LONG_MS;
	const bool never = false;

	while (strcmp(buf_string(&t.child.said), text) != 0) {
		if (loop_now() > end)
			fail_msg("'%s'", buf_string(&t.child.said));
		loop_wait(t.loop, &never, loop_now() + 2, NULL);
	}
}

static void say(int out, const char *text)
{
	(void)!write(out, text, strlen(text));
}

/* The next chunk's bytes are these. */
static void expect_chunk(int fd, const char *text)
{
	char wanted[256], got[256] = "";

	snprintf(wanted, sizeof(wanted), "%zx\r\n%s\r\n", strlen(text), text);
	raw_read(fd, got, strlen(wanted));
	if (strcmp(got, wanted) != 0)
		_exit(5);
}

static void child_parts(uint16_t port, int out)
{
	char head[1024], end[6] = "";
	int fd = ask(port);

	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, "Transfer-Encoding: chunked\r\n") ||
	    !strstr(head, "Content-Type: text/event-stream\r\n"))
		_exit(4);
	say(out, "h");
	expect_chunk(fd, "data: 1\n\n");
	say(out, "1");
	expect_chunk(fd, "data: 2\n\n");
	say(out, "2");
	raw_read(fd, end, 5);
	if (strcmp(end, "0\r\n\r\n") != 0)
		_exit(6);
	/* The connection goes on. */
	raw_text(fd, REQUEST);
	expect(fd, " 200 ");
	close(fd);
}

/* Each part comes when it is written, the head before the first of them. */
static void test_parts(void **state)
{
	int64_t start;

	(void)state;
	open_with(&streamed);
	raw_start(&t.child, t.loop, table->port(t.front), child_parts);
	await(&t.begun);
	await_said("h");
	start = loop_now();
	table->stream_write(t.stream, "data: 1\n\n", 9);
	await_said("h1");
	table->stream_write(t.stream, "data: 2\n\n", 9);
	await_said("h12");
	/* The system holds back what it takes for a beginning, for 200 ms. */
	assert_true(loop_now() - start < 5000);
	t.begun = false;
	table->stream_end(TAKE(t.stream));
	await(&t.begun);
	table->stream_write(t.stream, "ok", 2);
	table->stream_end(TAKE(t.stream));
	raw_finish(&t.child, t.loop);
	assert_int_equal(t.requests, 2);
	assert_false(t.stream_gone);
}

static void child_old(uint16_t port, int out)
{
	char head[1024], body[8] = "";
	int fd = raw_connect(port);

	(void)out;
	raw_text(fd, "GET /x HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
	raw_read_head(fd, head, sizeof(head));
	if (strstr(head, "chunked"))
		_exit(4);
	raw_read(fd, body, 5);
	if (strcmp(body, "hello") != 0 || raw_read(fd, body, 1))
		_exit(5);
	close(fd);
}

static void test_parts_http_1_0(void **state)
{
	(void)state;
	open_with(&streamed);
	raw_start(&t.child, t.loop, table->port(t.front), child_old);
	await(&t.begun);
	table->stream_write(t.stream, "hello", 5);
	table->stream_end(TAKE(t.stream));
	raw_finish(&t.child, t.loop);
}

#define LARGE (4u << 20)

static void child_large(uint16_t port, int out)
{
	struct timeval limit = { .tv_sec = 20 };
	char head[1024], part[4096];
	ssize_t len;
	size_t all = 0;
	int fd = raw_connect(port);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	raw_text(fd, "GET /x HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
	raw_read_head(fd, head, sizeof(head));
	while ((len = recv(fd, part, sizeof(part), 0)) > 0) {
		for (ssize_t i = 0; i < len; i++, all++) {
			if (part[i] != (char)('a' + all % 23))
				_exit(4);
		}
	}
	if (all != LARGE)
		_exit(5);
	say(out, "all");
	close(fd);
}

/* More than the system takes at once, ended before it was read. */
static void test_large(void **state)
{
	char *text = mem_alloc(LARGE);

	(void)state;
	for (size_t i = 0; i < LARGE; i++)
		text[i] = (char)('a' + i % 23);
	open_with(&streamed);
	raw_start(&t.child, t.loop, table->port(t.front), child_large);
	await(&t.begun);
	for (size_t at = 0; at < LARGE; at += LARGE / 64)
		table->stream_write(t.stream, text + at, LARGE / 64);
	table->stream_end(TAKE(t.stream));
	mem_free(text);
	assert_string_equal(raw_finish(&t.child, t.loop), "all");
	assert_false(t.stream_gone);
}

static void child_goes(uint16_t port, int out)
{
	char head[1024];
	int fd = ask(port);

	raw_read_head(fd, head, sizeof(head));
	say(out, "h");
	close(fd);
}

/* Nothing is sent meanwhile. */
static void test_stream_gone(void **state)
{
	(void)state;
	open_with(&streamed);
	run(child_goes);
	await(&t.stream_gone);
	assert_null(t.stream);
}

static void child_deaf(uint16_t port, int out)
{
	char byte;
	int fd = ask(port);

	say(out, "d");
	/* Until it is dropped: then what was sent can be read, to its end. */
	usleep(100000);
	while (raw_read(fd, &byte, 1))
		;
	close(fd);
}

static void test_deaf_peer(void **state)
{
	size_t len = FRONT_STREAM_MAX / 4;
	char *text = mem_zalloc(len);

	(void)state;
	open_with(&streamed);
	raw_start(&t.child, t.loop, table->port(t.front), child_deaf);
	await(&t.begun);
	for (int i = 0; i < 8; i++)
		table->stream_write(t.stream, text, len);
	/* Never from inside: it is ours until the loop runs. */
	assert_false(t.stream_gone);
	await(&t.stream_gone);
	mem_free(text);
	raw_finish(&t.child, t.loop);
}

static void child_head_only(uint16_t port, int out)
{
	char head[1024];
	int fd = raw_connect(port);

	(void)out;
	raw_text(fd, "HEAD /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, " 200 "))
		_exit(4);
	close(fd);
}

/* There is no body to write. */
static void test_stream_of_head(void **state)
{
	(void)state;
	open_with(&streamed);
	run(child_head_only);
	await(&t.stream_gone);
}

static void child_waits(uint16_t port, int out)
{
	char byte;
	int fd = ask(port);

	say(out, "a");
	while (raw_read(fd, &byte, 1))
		;
	close(fd);
}

static void test_close_with_stream(void **state)
{
	(void)state;
	open_with(&streamed);
	raw_start(&t.child, t.loop, table->port(t.front), child_waits);
	await(&t.begun);
	table->stream_write(t.stream, "x", 1);
	close_front();
	assert_false(t.stream_gone);
	raw_finish(&t.child, t.loop);
}

/* ---- forms ---- */

static struct buf form; /* "NAME|FILE|TYPE|DATA;", the outcome behind them */

static void on_field(void *owner, const char *name, const char *filename,
		     const char *type, const char *data, size_t len)
{
	assert_ptr_equal(owner, &form);
	buf_printf(&form, "%s|%s|%s|%.*s;", name, filename ? filename : "-",
		   type ? type : "-", (int)len, data);
}

static void on_form(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	struct error err = { 0 };

	(void)owner;
	(void)head;
	(void)body;
	(void)len;
	buf_reset(&form);
	if (table->form(rq, on_field, &form, &err))
		buf_text(&form, err.text);
	error_reset(&err);
	table->reply(rq, 200, "text/plain", buf_string(&form), form.len);
}

static const struct front_events formed = { .http = on_form };

#define PART(head, data) \
	"--x1\r\nContent-Disposition: form-data; " head "\r\n\r\n" data "\r\n"
#define QUESTION PART("name=\"question\"", "what?")
#define PICTURE                                                               \
	PART("name=\"file\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg", \
	     "bytes")

static const struct {
	const char *type, *body, *told;
} forms[] = {
	{ "multipart/form-data; boundary=x1", QUESTION PICTURE "--x1--\r\n",
	  "question|-|-|what?;file|a.jpg|image/jpeg|bytes;" },
	{ "multipart/form-data; boundary=\"x1\"; charset=utf-8",
	  QUESTION PICTURE "--x1--\r\n",
	  "question|-|-|what?;file|a.jpg|image/jpeg|bytes;" },
	{ "multipart/form-data; boundary=x1; charset=utf-8",
	  QUESTION "--x1--\r\n", "question|-|-|what?;" },
	{ "multipart/form-data; boundary=x1",
	  PART("name=\"a\"", "") PART("name=\"b\"", "")
		  PART("name=\"b\"; filename=\"c\"", "") "--x1--\r\n",
	  "a|-|-|;b|-|-|;b|c|-|;" },
	{ "multipart/form-data; boundary=\"a; b\"; charset=utf-8",
	  "--a; b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nz\r\n"
	  "--a; b--\r\n",
	  "q|-|-|z;" },
	{ "multipart/form-data; boundary=x1",
	  PART("name=\"a\"", "1") PART("name=\"a\"", "2") "--x1--\r\n",
	  "a|-|-|1;a|-|-|2;" },
	/* What is cut is no field, and what stands before it is one. */
	{ "multipart/form-data; boundary=x1",
	  QUESTION "--x1\r\nContent-Disposition: form-data; name=\"file\"\r\n"
		   "\r\nby",
	  "question|-|-|what?;the form in the body is broken or cut" },
	{ "application/x-www-form-urlencoded", "a=1&b=two%20words",
	  "a|-|-|1;b|-|-|two words;" },
	{ "text/plain", "a=1", "the body is no form (multipart/form-data)" },
};

static void child_forms(uint16_t port, int out)
{
	char text[1024], head[1024], body[256];
	int fd = raw_connect(port);

	(void)out;
	for (size_t i = 0; i < COUNT(forms); i++) {
		snprintf(text, sizeof(text),
			 "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			 "Content-Type: %s\r\nContent-Length: %zu\r\n\r\n%s",
			 forms[i].type, strlen(forms[i].body), forms[i].body);
		raw_text(fd, text);
		raw_read_head(fd, head, sizeof(head));
		memset(body, 0, sizeof(body));
		if (!raw_read(fd, body, strlen(forms[i].told)) ||
		    strcmp(body, forms[i].told) != 0) {
			fprintf(stderr, "form %zu: '%s'\n", i, body);
			_exit(4);
		}
	}
	close(fd);
}

static void test_forms(void **state)
{
	(void)state;
	open_with(&formed);
	run(child_forms);
	assert_string_equal(buf_string(&form), forms[COUNT(forms) - 1].told);
	buf_done(&form);
}

/* ---- a body that is lent, and a file ---- */

#define LENT (8u << 20)

static struct {
	char *data;
	size_t moved, taken;
	unsigned moves, overs;
	bool over, closing;
} lent;

static void on_moved(void *owner, size_t taken)
{
	assert_ptr_equal(owner, &lent);
	assert_false(lent.over || lent.closing);
	assert_true(taken > lent.moved && taken <= LENT);
	lent.moved = taken;
	lent.moves++;
}

static void on_over(void *owner, size_t taken)
{
	assert_ptr_equal(owner, &lent);
	lent.over = true;
	lent.overs++;
	lent.taken = taken;
}

static void on_borrowed(void *owner, struct front_request *rq,
			const struct front_head *head, const char *body,
			size_t len)
{
	const struct front_lent of = { .data = lent.data,
				       .len = LENT,
				       .moved = on_moved,
				       .over = on_over,
				       .owner = &lent };
	struct headers more = { 0 };
	char name[] = "/tmp/mcpctl-front-XXXXXX";
	int fd;

	(void)owner;
	(void)body;
	(void)len;
	t.requests++;
	headers_add(&more, "X-More", "yes");
	if (strcmp(head->path, "/file") == 0) {
		fd = mkstemp(name);
		unlink(name);
		assert_int_equal(write(fd, lent.data, 100000), 100000);
		table->reply_file(rq, "image/jpeg", &more, fd, 100000);
		/* Its place counts as long as it is sent. */
		assert_int_equal(table->sockets(t.front), 2);
	} else {
		table->lend(rq, 206, "application/x-lent", &more, &of);
	}
	headers_done(&more);
}

static const struct front_events borrowed = { .http = on_borrowed };

static void lend_it(void (*fn)(uint16_t port, int out))
{
	memset(&lent, 0, sizeof(lent));
	lent.data = mem_alloc(LENT);
	for (size_t i = 0; i < LENT; i++)
		lent.data[i] = (char)('a' + i % 23);
	open_with(&borrowed);
	raw_start(&t.child, t.loop, table->port(t.front), fn);
}

static void expect_body(int fd, size_t from, size_t len)
{
	char part[4096];

	while (len) {
		ssize_t n = recv(fd, part,
				 len < sizeof(part) ? len : sizeof(part), 0);

		if (n <= 0)
			_exit(7);
		for (ssize_t i = 0; i < n; i++, from++) {
			if (part[i] != (char)('a' + from % 23))
				_exit(8);
		}
		len -= (size_t)n;
	}
}

/* Little is on its way to it at once, as with a board. */
static int ask_narrowly(uint16_t port, const char *method, const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), room = 16384;
	char text[128];

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		_exit(3);
	snprintf(text, sizeof(text),
		 "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", method, path);
	raw_text(fd, text);
	return fd;
}

static void expect_head(int fd, const char *const *lines)
{
	char head[1024];

	raw_read_head(fd, head, sizeof(head));
	for (; *lines; lines++) {
		if (!strstr(head, *lines))
			_exit(4);
	}
}

static const char *const lent_head[] = { " 206 ", "Content-Length: 8388608\r\n",
					 "Content-Type: application/x-lent\r\n",
					 "X-More: yes\r\n", NULL };

static void child_borrows(uint16_t port, int out)
{
	char byte;
	int fd = ask_narrowly(port, "GET", "/lent");

	(void)out;
	expect_head(fd, lent_head);
	expect_body(fd, 0, LENT);
	/* The connection ends behind it, if the peer ends it or not. */
	if (raw_read(fd, &byte, 1))
		_exit(9);
	close(fd);
}

/* How much of it was taken is told on the way, and at the end. */
static void test_lent(void **state)
{
	(void)state;
	lend_it(child_borrows);
	await(&lent.over);
	raw_finish(&t.child, t.loop);
	assert_int_equal(lent.overs, 1);
	assert_int_equal(lent.taken, LENT);
	assert_int_equal(lent.moved, LENT);
	assert_true(lent.moves > 10);
	close_front();
	assert_int_equal(lent.overs, 1);
	mem_free(lent.data);
}

static void child_borrows_a_part(uint16_t port, int out)
{
	int fd = ask_narrowly(port, "GET", "/lent");

	(void)out;
	expect_head(fd, lent_head);
	expect_body(fd, 0, 1000000);
	close(fd);
}

/* What it had before it died, within what is on the way. */
static void test_lent_amid(void **state)
{
	(void)state;
	lend_it(child_borrows_a_part);
	await(&lent.over);
	raw_finish(&t.child, t.loop);
	assert_int_equal(lent.overs, 1);
	assert_in_range(lent.taken, 1000000 - 65536, 1000000 + 524288);
	assert_int_equal(lent.moved, lent.taken);
	close_front();
	mem_free(lent.data);
}

static void child_wants_the_head(uint16_t port, int out)
{
	char byte;
	int fd = ask_narrowly(port, "HEAD", "/lent");

	(void)out;
	expect_head(fd, lent_head);
	if (raw_read(fd, &byte, 1))
		_exit(9);
	close(fd);
}

static void test_lent_head(void **state)
{
	(void)state;
	lend_it(child_wants_the_head);
	await(&lent.over);
	raw_finish(&t.child, t.loop);
	assert_int_equal(lent.overs, 1);
	assert_int_equal(lent.taken, 0);
	assert_int_equal(lent.moves, 0);
	close_front();
	mem_free(lent.data);
}

static void child_holds(uint16_t port, int out)
{
	char byte;
	int fd = ask_narrowly(port, "GET", "/lent");

	expect_head(fd, lent_head);
	say(out, "h");
	while (raw_read(fd, &byte, 1))
		;
	close(fd);
}

static void test_close_with_lent(void **state)
{
	(void)state;
	lend_it(child_holds);
	await_said("h");
	lent.closing = true;
	close_front();
	assert_int_equal(lent.overs, 1);
	assert_true(lent.taken < LENT);
	mem_free(lent.data);
	raw_finish(&t.child, t.loop);
}

static void child_file(uint16_t port, int out)
{
	static const char *const head[] = { " 200 ",
					    "Content-Length: 100000\r\n",
					    "Content-Type: image/jpeg\r\n",
					    "X-More: yes\r\n",
					    "Cache-Control: no-store\r\n",
					    NULL };
	int fd = ask_narrowly(port, "GET", "/file");

	(void)out;
	expect_head(fd, head);
	expect_body(fd, 0, 100000);
	close(fd);
}

static void test_file(void **state)
{
	(void)state;
	lend_it(child_file);
	raw_finish(&t.child, t.loop);
	assert_int_equal(t.requests, 1);
	close_front();
	mem_free(lent.data);
}

/* ---- who goes before the answer ---- */

static void child_asks_later(uint16_t port, int out)
{
	int fd = raw_connect(port);

	raw_text(fd, "GET /later HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	say(out, "a");
	usleep(50000);
	close(fd);
}

static void test_request_gone(void **state)
{
	(void)state;
	open_with(&watched);
	run(child_asks_later);
	await(&t.request_gone);
	assert_null(t.later);
}

/* Where nobody looks, a stream can still be begun. */
static void test_stream_too_late(void **state)
{
	(void)state;
	open_with(&streamed);
	run(child_asks_later);
	assert_true(t.begun);
	begin_stream(t.later);
	/* It notices itself, or was told already. */
	assert_false(t.stream_gone);
	await(&t.stream_gone);
}

static void child_stays(uint16_t port, int out)
{
	int fd = raw_connect(port);

	(void)out;
	raw_text(fd, "GET /later HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	expect(fd, " 200 ");
	raw_text(fd, "GET /later HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	expect(fd, " 200 ");
	close(fd);
}

static void test_request_stays(void **state)
{
	(void)state;
	open_with(&watched);
	raw_start(&t.child, t.loop, table->port(t.front), child_stays);
	for (int i = 0; i < 2; i++) {
		t.begun = false;
		await(&t.begun);
		table->reply(TAKE(t.later), 200, "text/plain", "ok", 2);
	}
	raw_finish(&t.child, t.loop);
	assert_false(t.request_gone);
}

static void child_wakes(uint16_t port, int out)
{
	struct timeval limit = { .tv_sec = 60 };
	int first = raw_connect(port), second = raw_connect(port);

	(void)out;
	setsockopt(first, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	raw_text(first, "GET /later HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	usleep(50000);
	raw_text(second, "GET /wake HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	expect(first, " 200 ");
	close(first);
	close(second);
}

/* Answered amid the event of another request: at once all the same. */
static void test_answer_amid_event(void **state)
{
	(void)state;
	open_with(&watched);
	run(child_wakes);
	assert_null(t.later);
}

static void test_close_with_request(void **state)
{
	(void)state;
	open_with(&watched);
	raw_start(&t.child, t.loop, table->port(t.front), child_asks_later);
	await(&t.begun);
	close_front();
	assert_false(t.request_gone);
	raw_finish(&t.child, t.loop);
}

/* ---- pages of others ---- */

static struct {
	char text[4096];
	uint64_t sum;
	unsigned lines;
	bool summed;
} told;

static void on_refused(void *owner, const struct front_refusal *r)
{
	size_t len = strlen(told.text);

	(void)owner;
	snprintf(told.text + len, sizeof(told.text) - len, "%s (%s)\n", r->text,
		 r->hint ? r->hint : "");
	told.lines++;
	told.sum += r->count;
	told.summed = told.summed || !r->address;
}

static const struct front_events refusing = { .http = on_http,
					      .refused = on_refused };

static void open_refusing(int64_t again)
{
	const struct front_config config = { .host = "127.0.0.1",
					     .refused_again = again };
	struct error err = { 0 };

	memset(&told, 0, sizeof(told));
	t.front = table->open(t.loop, &config, &refusing, NULL, &err);
	assert_non_null(t.front);
}

static void post_from(uint16_t port, unsigned page)
{
	char text[256], head[1024];
	int fd = raw_connect(port);

	snprintf(text, sizeof(text),
		 "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: "
		 "https://evil%u.example\r\nContent-Length: 9\r\n\r\n",
		 page);
	raw_text(fd, text);
	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, " 403 ") || strstr(head, "Access-Control"))
		_exit(4);
	close(fd);
}

static void child_pages(uint16_t port, int out)
{
	(void)out;
	for (unsigned i = 0; i < 40; i++)
		post_from(port, i % 20);
	post_from(port, 0);
}

static void child_page(uint16_t port, int out)
{
	(void)out;
	post_from(port, 0);
}

/* Ten are told, the others counted; when the time is over they are told anew. */
static void test_refused(void **state)
{
	(void)state;
	open_refusing(2000);
	run(child_pages);
	assert_int_equal(told.lines, 10);
	assert_non_null(strstr(told.text, "'https://evil9.example'"));
	assert_null(strstr(told.text, "evil10.example"));
	assert_non_null(
		strstr(told.text, "--allow-origin https://evil9.example"));
	assert_int_equal(
		loop_wait(t.loop, &told.summed, loop_now() + LONG_MS, NULL), 0);
	assert_true(told.summed);
	assert_int_equal(told.sum, 41);
	assert_non_null(strstr(told.text, "31 more requests"));
	run(child_page);
	assert_int_equal(told.lines, 12);
	assert_int_equal(t.requests, 0);
}

/* What was counted is not lost where the port closes before its time is over. */
static void test_refused_at_end(void **state)
{
	(void)state;
	open_refusing(LONG_MS);
	run(child_pages);
	assert_int_equal(told.sum, 10);
	close_front();
	assert_int_equal(told.sum, 41);
	assert_int_equal(told.lines, 11);
}

static void test_refused_unheard(void **state)
{
	(void)state;
	open_front(10, LONG_MS);
	run(child_page);
	assert_int_equal(t.requests, 0);
}

#define CHUNKED \
	"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"

/* One that says nothing more, and one whose chunk begins with more than there is room for. */
static void child_idle_and_stuck(uint16_t port, int out)
{
	int idle = raw_connect(port), stuck = raw_connect(port);

	(void)out;
	raw_text(idle, CHUNKED);
	usleep(600000);
	raw_text(stuck, CHUNKED "2;");
	for (int i = 0; i < 7000; i++) {
		if (send(stuck, "0123456789", 10, MSG_NOSIGNAL) < 0)
			break;
	}
	while (recv(stuck, &(char){ 0 }, 1, 0) > 0)
		;
	close(stuck);
	close(idle);
}

/* The heads of those whose time is over are gone before their connections are. */
static void test_stuck_amid_timeout(void **state)
{
	const struct front_config config = { .host = "127.0.0.1", .idle = 1 };
	struct error err = { 0 };

	(void)state;
	t.held_up = 1200;
	t.front = table->open(t.loop, &config, &events, NULL, &err);
	assert_non_null(t.front);
	run(child_idle_and_stuck);
	/* The other one, too, where its own time is over meanwhile. */
	assert_in_range(t.slow, 1, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_connect_to_busy),
		TEST(test_refused_is_told),
		TEST(test_no_host),
		TEST(test_requests_wait),
		TEST(test_closing_peers),
		TEST(test_no_place),
		TEST(test_gone_while_waiting),
		TEST(test_cut_make_room),
		TEST(test_close_with_waiting),
		TEST(test_halves),
		TEST(test_methods),
		TEST(test_empty_and_close),
		TEST(test_upgrade_on_kept),
		TEST(test_mere_offers),
		TEST(test_parts),
		TEST(test_parts_http_1_0),
		TEST(test_large),
		TEST(test_stream_gone),
		TEST(test_deaf_peer),
		TEST(test_stream_of_head),
		TEST(test_close_with_stream),
		TEST(test_forms),
		TEST(test_lent),
		TEST(test_lent_amid),
		TEST(test_lent_head),
		TEST(test_close_with_lent),
		TEST(test_file),
		TEST(test_request_gone),
		TEST(test_stream_too_late),
		TEST(test_request_stays),
		TEST(test_answer_amid_event),
		TEST(test_close_with_request),
		TEST(test_refused),
		TEST(test_refused_at_end),
		TEST(test_refused_unheard),
		TEST(test_stuck_amid_timeout),
	};

	return cmocka_run_group_tests_name("front", tests, NULL, NULL);
}
