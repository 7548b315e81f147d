/* SPDX-License-Identifier: MIT */
/*
 * WebSocket beyond the contract: fragments, limits, how connections end, and
 * every way in which dialling fails, each with its words.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <netinet/tcp.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "net/front.h"
#include "net/ws.h"
#include "net/ws_private.h"
#include "raw_client.h"
#include "skip_for.h"

static const struct ws_table *ws;
static const struct front_table *front;

struct side {
	struct loop *loop;
	struct transport t;
	struct front *front;
	struct raw_child child;
	size_t message_max;
	const char *send_at_ready;
	bool close_at_ready, fill_at_ready, answer_too_late;

	int fd; /* of the connection */
	bool ready, heard, closed, front_closed, pong;
	struct words texts; /* received; binary ones start with "B:" */
	char *path, *device_id, *authorization;
	struct error why, send_error;
	size_t filled;
};

static struct side side;

/* ---- the transport under test ---- */

/* Send until the queue is full; the child does not read. */
static void fill(void)
{
	static char data[1 << 20];

	memset(data, 'x', sizeof(data));
	while (side.filled < 100) {
		if (side.t.ops->send(&side.t, data, sizeof(data),
				     &side.send_error))
			return;
		side.filled++;
	}
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	side.ready = true;
	side.path = mem_strdup(peer->path);
	side.device_id = mem_strdup(peer->device_id);
	if (side.send_at_ready)
		side.t.ops->send(&side.t, side.send_at_ready,
				 strlen(side.send_at_ready), NULL);
	if (side.fill_at_ready)
		fill();
	if (side.close_at_ready)
		side.t.ops->close(&side.t);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	char *text =
		mem_printf("%s%.*s", kind == FRAME_BINARY ? "B:" : "",
			   (int)(len < 100 ? len : 100), (const char *)data);

	(void)owner;
	if (len > 100) {
		mem_free(text);
		text = mem_printf("%zu bytes", len);
	}
	words_add(&side.texts, text);
	mem_free(text);
	side.heard = true;
	if (!side.answer_too_late)
		return;
	side.answer_too_late = false;
	waitid(P_PID, (id_t)side.child.pid, &(siginfo_t){ 0 },
	       WEXITED | WNOWAIT);
	side.t.ops->send(&side.t, "late", 4, NULL);
}

static void on_closed(void *owner, const struct error *why)
{
	(void)owner;
	side.closed = true;
	error_copy(&side.why, why);
}

static void on_pong(void *owner)
{
	(void)owner;
	side.pong = true;
}

static const struct transport_events events = { .ready = on_ready,
						.pong = on_pong,
						.message = on_message,
						.closed = on_closed };

static int upgrade(void *owner, int fd, const struct front_head *head,
		   const char **reason)
{
	const struct peer_info peer = { .address = head->address,
					.path = head->path,
					.device_id = headers_get(head->headers,
								 "Device-Id") };
	int64_t status = 0;

	(void)owner;
	*reason = "because";
	side.fd = fd;
	mem_free(side.authorization);
	side.authorization =
		mem_strdup(headers_get(head->headers, "Authorization"));
	/* "/404" is refused with that. */
	if (!text_integer(head->path + 1, 300, 599, &status))
		return (int)status;
	assert_int_equal(ws->adopt(&side.t, fd, &peer, side.message_max, NULL),
			 0);
	return 0;
}

static const struct front_events front_events = { .upgrade = upgrade };

static int set_up(void **state)
{
	const struct front_config config = { .host = "127.0.0.1" };
	struct error err = { 0 };

	(void)state;
	ws = module_table("ws", WS_TABLE, &err);
	front = module_table("front", FRONT_TABLE, &err);
	assert_non_null(ws);
	assert_non_null(front);
	side = (struct side){ 0 };
	assert_int_equal(loop_new(&side.loop, &err), 0);
	side.t = (struct transport){ .ops = &ws->dial,
				     .loop = side.loop,
				     .events = &events };
	side.front = front->open(side.loop, &config, &front_events, NULL, &err);
	assert_non_null(side.front);
	return 0;
}

static void on_front_closed(void *owner)
{
	(void)owner;
	side.front_closed = true;
}

static int tear_down(void **state)
{
	(void)state;
	front->close(side.front, on_front_closed);
	loop_wait(side.loop, &side.front_closed, loop_now() + 60000, NULL);
	loop_free(side.loop);
	words_done(&side.texts);
	raw_done(&side.child);
	mem_free(side.path);
	mem_free(side.device_id);
	mem_free(side.authorization);
	error_reset(&side.why);
	return 0;
}

static uint16_t port(void)
{
	return front->port(side.front);
}

static void await_closed(void)
{
	if (loop_wait(side.loop, &side.closed, loop_now() + 60000, NULL))
		fail_msg("the transport did not close");
}

/* Run the child against an adopted transport until both are over. */
static const char *against(void (*fn)(uint16_t port, int out))
{
	raw_start(&side.child, side.loop, port(), fn);
	await_closed();
	return raw_finish(&side.child, side.loop);
}

/* ---- what is adopted ---- */

static void child_messages(uint16_t to, int out)
{
	char head[1024];
	char *big = calloc(1, 1000000);
	int fd = raw_dial(to, "/p?q", "Device-Id: d\r\n", head, sizeof(head));

	(void)!write(out, head, strlen(head));
	raw_frame(fd, 0x81, "one", 3);
	raw_frame(fd, 0x81, "", 0);
	raw_frame(fd, 0x82, "bin", 3);
	raw_frame(fd, 0x01, "fr", 2);
	raw_frame(fd, 0x89, "ping", 4);
	raw_frame(fd, 0x80, "ag", 2);
	raw_frame(fd, 0x81, big, 1000000);
	raw_frame(fd, 0x88,
		  "\x03\xe8"
		  "bye",
		  5);
	while (raw_read(fd, head, 1))
		;
}

static void test_messages(void **state)
{
	static const char *const wanted[] = { "one", "", "B:bin", "frag",
					      "1000000 bytes" };
	const char *head = against(child_messages);

	(void)state;
	assert_int_equal(side.texts.count, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_string_equal(side.texts.word[i], wanted[i]);
	assert_string_equal(side.path, "/p");
	assert_string_equal(side.device_id, "d");
	assert_non_null(strstr(head, "101 Switching"));
	/* RFC 6455, 1.3: the answer to this key. */
	assert_non_null(strstr(head, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
	assert_int_equal(side.why.kind, ERR_NONE);
	assert_int_equal(side.why.code, 1000);
	assert_non_null(strstr(side.why.text, "'bye'"));
}

static void child_subprotocol(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/",
			  "Sec-WebSocket-Protocol: unknown, odd\r\n"
			  "Sec-WebSocket-Extensions: permessage-deflate\r\n",
			  head, sizeof(head));

	(void)!write(out, head, strlen(head));
	raw_frame(fd, 0x88, "", 0);
}

static void test_unknown_subprotocol(void **state)
{
	const char *head = against(child_subprotocol);

	(void)state;
	assert_non_null(strstr(head, " 101 "));
	assert_null(text_find(head, "Sec-WebSocket-Protocol"));
	assert_null(text_find(head, "Sec-WebSocket-Extensions"));
	assert_int_equal(side.why.kind, ERR_NONE);
}

static void child_code(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	(void)out;
	raw_frame(fd, 0x88, "\x0f\xa0why", 5);
	while (raw_read(fd, head, 1))
		;
}

static void test_close_code(void **state)
{
	(void)state;
	against(child_code);
	assert_int_equal(side.why.kind, ERR_CONNECT);
	assert_int_equal(side.why.code, 4000);
	assert_non_null(strstr(side.why.text, "code 4000: 'why'"));
}

/* As firmware does it (device.md 1.4). */
static void child_drop(uint16_t to, int out)
{
	char head[1024];

	(void)out;
	close(raw_dial(to, "/", "", head, sizeof(head)));
}

static void test_drop(void **state)
{
	(void)state;
	against(child_drop);
	assert_int_equal(side.why.kind, ERR_CONNECT);
	assert_int_equal(side.why.code, 0);
	assert_string_equal(
		side.why.text,
		"the device closed the connection (TCP FIN, without a Close frame)");
}

static void child_opcode(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	(void)out;
	raw_frame(fd, 0x83, "x", 1);
	raw_read(fd, head, 4);
}

static void test_broken_frame(void **state)
{
	(void)state;
	against(child_opcode);
	assert_int_equal(side.why.kind, ERR_PROTOCOL);
	assert_non_null(strstr(side.why.text, "broken WebSocket frame"));
}

/* Killed with what it sent unread, and more for it on the way. */
static void child_reset(uint16_t to, int out)
{
	const struct linger none = { .l_onoff = 1 };
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	(void)out;
	raw_frame(fd, 0x81, "first", 5);
	usleep(200 * 1000); /* so that they are read one by one */
	raw_frame(fd, 0x81, "second", 6);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(fd);
}

static void test_reset(void **state)
{
	(void)state;
	side.answer_too_late = true;
	against(child_reset);
	assert_string_equal(side.texts.word[0], "first");
	assert_string_equal(side.why.text,
			    "the device reset the connection (TCP RST)");
	assert_int_equal(side.why.kind, ERR_CONNECT);
}

/*
 * From here on nothing of what comes on it is heard. False: this kernel lets
 * only root do that.
 */
static bool go_deaf(int fd)
{
	struct sock_filter drop = { .code = BPF_RET | BPF_K };
	struct sock_fprog all = { .len = 1, .filter = &drop };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &all,
			  sizeof(all)) == 0;
}

static void needs_deafness(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool can = go_deaf(fd);

	close(fd);
	if (can)
		return;
	needs_root();
}

static void child_says_one(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	(void)out;
	raw_frame(fd, 0x81, "one", 3);
	for (;;)
		pause();
}

static void shorten(int ms)
{
	setsockopt(side.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

/* What was sent is not acknowledged: that is no close of the device. */
static void test_vanished(void **state)
{
	unsigned limit = 0;
	socklen_t size = sizeof(limit);

	(void)state;
	needs_deafness();
	raw_start(&side.child, side.loop, port(), child_says_one);
	loop_wait(side.loop, &side.heard, loop_now() + 60000, NULL);
	assert_true(side.heard);
	getsockopt(side.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, &size);
	assert_int_equal(limit, 20000);
	shorten(1500);
	assert_true(go_deaf(side.fd));
	side.t.ops->send(&side.t, "lost", 4, NULL);
	await_closed();
	raw_kill(&side.child, side.loop);
	assert_int_equal(side.why.kind, ERR_CONNECT);
	if (!strstr(side.why.text,
		    "the connection with the device was lost: nothing came for ") ||
	    !strstr(side.why.text, " s, not even an acknowledgement"))
		fail_msg("%s", side.why.text);
	assert_non_null(strstr(side.why.hint, "power, Wi-Fi"));
}

/* A Pong that nobody asked for, one of an earlier Ping, and the right one. */
static void child_pongs(uint16_t to, int out)
{
	char head[1024], ping[6];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	(void)out;
	raw_frame(fd, 0x8a, "mine", 4);
	raw_frame(fd, 0x81, "one", 3);
	if (!raw_read(fd, ping, sizeof(ping)))
		return;
	raw_frame(fd, 0x8a, "\0\0\0\0", 4);
	raw_frame(fd, 0x81, "two", 3);
	raw_frame(fd, 0x8a, ping + 2, 4);
	for (;;)
		pause();
}

/* qemu-user has none of it. */
static void needs_tcp_info(void)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool told = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
		    size > offsetof(struct tcp_info, tcpi_rtt);

	close(fd);
	if (!told)
		skip_for(
			"a socket tells nothing of its TCP here, as under qemu-user");
}

static void test_ping(void **state)
{
	struct layers l;

	(void)state;
	needs_tcp_info();
	assert_false(side.t.impl && side.t.ops->layers(&side.t, 0, &l));
	raw_start(&side.child, side.loop, port(), child_pongs);
	loop_wait(side.loop, &side.heard, loop_now() + 60000, NULL);
	assert_false(side.pong);
	assert_true(side.t.ops->layers(&side.t, 0, &l));
	assert_true(l.tcp && l.ping && !l.broker);
	assert_int_equal(l.pong_us, -1);
	side.heard = false;
	assert_int_equal(side.t.ops->ping(&side.t, NULL), 0);
	loop_wait(side.loop, &side.pong, loop_now() + 60000, NULL);
	assert_true(side.pong);
	/* "two" stood before it, and the late one before that. */
	assert_true(side.heard);
	side.t.ops->layers(&side.t, 0, &l);
	assert_true(l.pong_us >= 0 && l.rtt_us > 0);
	assert_int_equal(l.unacked, 0);
	side.t.ops->close(&side.t);
	assert_int_equal(side.t.ops->ping(&side.t, NULL), -1);
	await_closed();
	raw_kill(&side.child, side.loop);
}

/* Nobody is there any more: TCP tells it, no Pong comes. */
static void test_unacknowledged(void **state)
{
	struct layers l = { .pong_us = 0 };
	bool never = false;

	(void)state;
	needs_deafness();
	raw_start(&side.child, side.loop, port(), child_says_one);
	loop_wait(side.loop, &side.heard, loop_now() + 60000, NULL);
	assert_true(go_deaf(side.fd));
	side.t.ops->send(&side.t, "lost", 4, NULL);
	assert_int_equal(side.t.ops->ping(&side.t, NULL), 0);
	for (int i = 0; i < 1000 && l.retransmits < 2; i++) {
		loop_wait(side.loop, &never, loop_now() + 20, NULL);
		side.t.ops->layers(&side.t, 0, &l);
	}
	assert_true(l.retransmits >= 2);
	/* Two heads of two bytes. */
	assert_int_equal(l.unacked, 2 + 4 + 2 + 4);
	/* At least the pauses before both. */
	assert_true(l.unacked_ms >= 500);
	assert_int_equal(l.pong_us, -1);
	assert_false(side.pong);
	side.t.ops->close(&side.t);
	await_closed();
	raw_kill(&side.child, side.loop);
}

/* It acknowledges all the time, and does not read: not lost, and not closed by it. */
static void test_stuck(void **state)
{
	(void)state;
	raw_start(&side.child, side.loop, port(), child_says_one);
	loop_wait(side.loop, &side.heard, loop_now() + 60000, NULL);
	assert_true(side.heard);
	shorten(2500);
	fill();
	await_closed();
	raw_kill(&side.child, side.loop);
	if (!strstr(side.why.text, "took nothing of what was sent"))
		fail_msg("%s", side.why.text);
	assert_non_null(strstr(side.why.hint, "does not read"));
}

/* It speaks again and again, and hears no more. */
static void child_is_deaf(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	(void)out;
	go_deaf(fd);
	for (;;) {
		raw_frame(fd, 0x81, "one", 3);
		usleep(100000);
	}
}

/* Its own are repeated, and come: no sign that it reads nothing. */
static void test_unheard(void **state)
{
	(void)state;
	needs_deafness();
	raw_start(&side.child, side.loop, port(), child_is_deaf);
	loop_wait(side.loop, &side.heard, loop_now() + 60000, NULL);
	assert_true(side.heard);
	shorten(2500);
	side.t.ops->send(&side.t, "lost", 4, NULL);
	await_closed();
	raw_kill(&side.child, side.loop);
	if (!strstr(side.why.text, "nothing that was sent to it"))
		fail_msg("%s", side.why.text);
	assert_non_null(strstr(side.why.hint, "in one direction"));
}

/* Read to the end: each frame's first byte and payload, as hexadecimal. */
static void report(int fd, int out)
{
	char data[64], line[256];
	size_t len;
	int first;

	while ((first = raw_next(fd, data, sizeof(data), &len))) {
		int used = snprintf(line, sizeof(line), "%02x", first);

		for (size_t i = 0; i < len && i < 40; i++)
			used += snprintf(line + used,
					 sizeof(line) - (size_t)used, "%02x",
					 (unsigned char)data[i]);
		(void)!write(out, line, (size_t)used);
		(void)!write(out, " ", 1);
	}
	(void)!write(out, "end", 3);
}

static void child_says_go(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	raw_frame(fd, 0x81, "go", 2);
	/* The first byte of the second piece is 0, which ends `report`. */
	while (raw_read(fd, head, 2) &&
	       raw_read(fd, head + 2, (size_t)head[1])) {
		for (int i = 0; i < head[1] + 2; i++)
			if (i != 1)
				dprintf(out, "%02x", (unsigned char)head[i]);
		(void)!write(out, " ", 1);
	}
	(void)!write(out, "end", 3);
}

/* One message in three frames, sound as a binary one, in their order. */
static void test_pieces(void **state)
{
	static const char text[] = "abcdefgh";
	struct error err = { 0 };

	(void)state;
	raw_start(&side.child, side.loop, port(), child_says_go);
	if (loop_wait(side.loop, &side.heard, loop_now() + 60000, NULL))
		fail_msg("nothing came");
	assert_int_equal(side.t.ops->send_pieces(&side.t, text, 8, NULL), 0);
	assert_int_equal(side.t.ops->send_sound(&side.t, "\1\2", 2, NULL), 0);
	assert_int_equal(side.t.ops->send_pieces(&side.t, "x", 1, NULL), 0);
	side.t.ops->close(&side.t);
	assert_int_equal(side.t.ops->send_pieces(&side.t, text, 8, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "cannot send in pieces: the connection is"
				      " busy, or closed");
	error_reset(&err);
	assert_int_equal(side.t.ops->send_sound(&side.t, "\1\2", 2, &err), -1);
	assert_string_equal(err.text, "cannot send: the connection is closed");
	error_reset(&err);
	await_closed();
	assert_string_equal(raw_finish(&side.child, side.loop),
			    "016162 006364 8065666768 820102 01 00 8078 8803e8"
			    " end");
	assert_int_equal(side.why.kind, ERR_NONE);
}

static void child_too_large(uint16_t to, int out)
{
	static char data[100000];
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	raw_frame(fd, 0x82, data, 50000);
	raw_frame(fd, 0x82, data, sizeof(data));
	report(fd, out);
}

static void test_too_large(void **state)
{
	const char *said;

	(void)state;
	side.message_max = 50000;
	said = against(child_too_large);
	assert_int_equal(side.texts.count, 1);
	assert_string_equal(side.texts.word[0], "50000 bytes");
	assert_int_equal(side.why.kind, ERR_PROTOCOL);
	assert_non_null(strstr(side.why.text, "50000 bytes"));
	assert_string_equal(said, "8803f1 end"); /* 1009 */
}

static void child_silent(uint16_t to, int out)
{
	char head[1024];
	int fd = raw_dial(to, "/", "", head, sizeof(head));

	report(fd, out);
}

/* Firmware never answers a Close frame: TCP ends all the same, and soon. */
static void test_close_unanswered(void **state)
{
	int64_t before = loop_now();
	const char *said;

	(void)state;
	side.send_at_ready = "last";
	side.close_at_ready = true;
	said = against(child_silent);
	assert_string_equal(said, "816c617374 8803e8 end");
	assert_int_equal(side.why.kind, ERR_NONE);
	assert_true(loop_now() - before < 2000);
}

static void child_deaf(uint16_t to, int out)
{
	char head[1024];

	raw_dial(to, "/", "", head, sizeof(head));
	(void)out;
	for (;;)
		pause();
}

static void test_queue_is_full(void **state)
{
	int64_t before = loop_now();

	(void)state;
	side.fill_at_ready = side.close_at_ready = true;
	raw_start(&side.child, side.loop, port(), child_deaf);
	await_closed();
	raw_kill(&side.child, side.loop);
	assert_true(side.filled >= 16 && side.filled < 40);
	assert_non_null(strstr(side.send_error.text, "does not read"));
	assert_non_null(strstr(side.send_error.hint, "16777216"));
	/* What is queued gets a second, then the connection ends. */
	assert_in_range(loop_now() - before, 900, 20000);
	assert_int_equal(side.why.kind, ERR_NONE);
}

/* ---- what is dialled ---- */

static void dial_to(struct endpoint *to, const char *target)
{
	struct error err = { 0 };

	to->connect_timeout = 1500;
	if (ws->dial.open(&side.t, to, &err))
		fail_msg("%s", err.text);
	if (loop_wait(side.loop, &side.closed, loop_now() + 60000, NULL))
		fail_msg("'%s' did not end", target);
	assert_false(side.ready);
	endpoint_done(to);
	side.closed = false;
}

static void dial(const char *target, struct endpoint *to)
{
	struct error err = { 0 };

	assert_int_equal(endpoint_parse(to, target, "the test", &err), 0);
	dial_to(to, target);
}

static void fails(const char *target, enum error_kind kind, const char *text,
		  const char *hint)
{
	struct endpoint to;

	dial(target, &to);
	if (side.why.kind != kind || !strstr(side.why.text, text) ||
	    !strstr(side.why.hint, hint))
		fail_msg("'%s': %d '%s' (%s)", target, (int)side.why.kind,
			 side.why.text, side.why.hint);
}

static void refused(int status, enum error_kind kind, const char *hint)
{
	char target[64], text[32];

	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/%d",
		 (unsigned)port(), status);
	snprintf(text, sizeof(text), "HTTP %d", status);
	fails(target, kind, text, hint);
	assert_int_equal(side.why.code, status);
}

static void test_refusals(void **state)
{
	(void)state;
	refused(401, ERR_AUTH, "--token-file");
	refused(403, ERR_AUTH, "--header");
	refused(404, ERR_CONNECT, "path");
	refused(421, ERR_CONNECT, "--allow-host");
	refused(503, ERR_CONNECT, "one client at a time");
	refused(400, ERR_CONNECT, "WebSocket server");
}

static void test_refused_with_token(void **state)
{
	struct endpoint to;
	char target[64];

	(void)state;
	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/401",
		 (unsigned)port());
	assert_int_equal(endpoint_parse(&to, target, "the test", NULL), 0);
	headers_add(&to.headers, "Authorization", "Bearer x");
	dial_to(&to, target);
	assert_non_null(strstr(side.why.hint, "credentials were sent"));
}

static void shows(const char *token, const char *expected)
{
	struct endpoint to;
	struct error err = { 0 };
	char target[64];

	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/404",
		 (unsigned)port());
	assert_int_equal(endpoint_parse(&to, target, "the test", &err), 0);
	words_add(&to.tokens, token);
	dial_to(&to, target);
	assert_string_equal(side.authorization, expected);
}

/* device.md 1.2: one that has a space brings its own scheme. */
static void test_tokens(void **state)
{
	(void)state;
	shows("plain", "Bearer plain");
	shows("Basic x y", "Basic x y");
}

static void test_nobody(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char target[64];

	(void)state;
	/* Bound and not listening: a port that refuses for certain. */
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, len), 0);
	getsockname(fd, (struct sockaddr *)&to, &len);
	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/",
		 (unsigned)ntohs(to.sin_port));
	fails(target, ERR_CONNECT, "connection refused", "running");
	/* By name: each address is tried. */
	snprintf(target, sizeof(target), "ws://localhost:%u/",
		 (unsigned)ntohs(to.sin_port));
	fails(target, ERR_CONNECT, "connection refused", "port");
	/* TLS is not reached. */
	snprintf(target, sizeof(target), "wss://127.0.0.1:%u/",
		 (unsigned)ntohs(to.sin_port));
	fails(target, ERR_CONNECT, "connection refused", "port");
	/* Listening and never answering. */
	assert_int_equal(listen(fd, 5), 0);
	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/",
		 (unsigned)ntohs(to.sin_port));
	fails(target, ERR_CONNECT, "WebSocket handshake within 1.5 s",
	      "wss://");
	close(fd);
}

static void test_plain_server_for_tls(void **state)
{
	char target[64];

	(void)state;
	snprintf(target, sizeof(target), "wss://127.0.0.1:%u/",
		 (unsigned)port());
	/* Our own front answers a ClientHello as HTTP does. */
	fails(target, ERR_CONNECT, "does not speak TLS on port",
	      "use ws:// instead of wss://");
}

/* The library keeps no copy of it, and tells sessions of TLS apart by it. */
static void test_names_of_trust(void **state)
{
	const char *(*name)(struct lws_vhost * vhost);
	const struct ws *dialled;
	struct error err = { 0 };
	struct endpoint to;
	Dl_info module;
	void *library;

	(void)state;
	assert_true(dladdr(ws, &module));
	library = dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	*(void **)&name = dlsym(library, "lws_get_vhost_name");
	assert_non_null(name);
	assert_int_equal(endpoint_parse(&to, "wss://127.0.0.1:1/", "", &err),
			 0);
	assert_int_equal(ws->dial.open(&side.t, &to, &err), 0);
	dialled = side.t.impl;
	assert_string_equal(name(dialled->dial->vhost), "tls0");
	ws->dial.close(&side.t);
	await_closed();
	dlclose(library);
	endpoint_done(&to);
}

static void cannot_open(struct endpoint *to, const char *text)
{
	struct error err = { 0 };

	assert_int_equal(ws->dial.open(&side.t, to, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
	assert_null(side.t.impl);
	headers_done(&to->headers);
}

static void test_bad_options(void **state)
{
	struct error err = { 0 };
	struct endpoint to;
	char *longest;

	(void)state;
	assert_int_equal(endpoint_parse(&to, "wss://h/", "the test", &err), 0);
	headers_add(&to.headers, "X", "a\r\nEvil: b");
	cannot_open(&to, "'X'");
	headers_add(&to.headers, "X Y", "a");
	cannot_open(&to, "'X Y'");
	headers_add(&to.headers, "", "a");
	cannot_open(&to, "''");
	headers_add(&to.headers, "host", "a");
	cannot_open(&to, "'host'");
	longest = mem_zalloc(60000);
	memset(longest, 'a', 59999);
	headers_add(&to.headers, "X", longest);
	cannot_open(&to, "too long");
	longest[0] = '/';
	longest[3000] = '\0';
	mem_free(to.path);
	to.path = longest;
	cannot_open(&to, "path");
	longest[1] = '\0';
	to.cacert = mem_strdup("/nowhere/at-all.pem");
	cannot_open(&to, "/nowhere/at-all.pem");
	mem_free(to.cacert);
	to.cacert = mem_strdup("/dev/null");
	cannot_open(&to, "no certificate");
	endpoint_done(&to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_messages),
		TEST(test_unknown_subprotocol),
		TEST(test_close_code),
		TEST(test_drop),
		TEST(test_broken_frame),
		TEST(test_reset),
		TEST(test_vanished),
		TEST(test_unheard),
		TEST(test_stuck),
		TEST(test_ping),
		TEST(test_unacknowledged),
		TEST(test_pieces),
		TEST(test_too_large),
		TEST(test_close_unanswered),
		TEST(test_queue_is_full),
		TEST(test_refusals),
		TEST(test_refused_with_token),
		TEST(test_tokens),
		TEST(test_nobody),
		TEST(test_plain_server_for_tls),
		TEST(test_names_of_trust),
		TEST(test_bad_options),
	};

	return cmocka_run_group_tests_name("ws", tests, NULL, NULL);
}
