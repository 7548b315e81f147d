/* SPDX-License-Identifier: MIT */
/*
 * The control socket of a serve without ports: boards are fake transports,
 * commands are bare sockets, all in one thread.
 */
#ifndef TESTS_CONTROL_HARNESS_H
#define TESTS_CONTROL_HARNESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "folder.h"
#include "serve/board.h"
#include "serve/control.h"
#include "serve/leasing.h"
#include "serve/record.h"
#include "serve/serve_state.h"
#include "wire/control_frames.h"

#define PATIENCE 60000 /* ms */
#define HELLO                                                                \
	"{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":true},"     \
	"\"transport\":\"websocket\",\"audio_params\":{\"format\":\"opus\"," \
	"\"sample_rate\":16000,\"channels\":1,\"frame_duration\":60}}"

static struct loop *loop;
static struct serve server;
static char *socket_path;

/* ---- boards ---- */

struct fake_board {
	struct board *device; /* NULL: its connection is closed */
	struct transport *transport;
	struct words sent; /* frames to it */
	struct timer closing;
	bool full; /* its queue takes no more */
};

static inline int fake_board_send(struct transport *t, const char *text,
				  size_t len, struct error *err)
{
	struct fake_board *b = t->impl;
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(text, len);

	if (b->full)
		return error_set(err, ERR_CONNECT, "the queue is full");
	words_add(&b->sent, copy);
	return 0;
}

static inline void board_closed(void *owner)
{
	struct fake_board *b = owner;
	struct transport *t = b->transport;
	struct error none = { 0 };

	b->device = NULL;
	t->impl = NULL;
	t->events->closed(t->owner, &none);
}

static inline void board_close(struct transport *t)
{
	struct fake_board *b = t->impl;

	if (b)
		timer_start(&b->closing, 0);
}

static const struct transport_ops board_ops = {
	.scheme = "board",
	.send = fake_board_send,
	.close = board_close,
};

/* Connected, without a hello. */
static inline struct fake_board *fake_board_new(const char *id)
{
	struct fake_board *b = mem_zalloc(sizeof(*b));
	struct peer_info peer = { .address = "192.168.1.7:5000",
				  .device_id = id,
				  .envelope = true };

	timer_open(&b->closing, loop, board_closed, b);
	b->device = board_new(&server, &peer, false);
	if (!b->device)
		abort();
	b->transport = &b->device->transport;
	b->transport->ops = &board_ops;
	b->transport->impl = b;
	b->transport->events->ready(b->transport->owner, &peer);
	return b;
}

static inline void board_says(struct fake_board *b, const char *text)
{
	b->transport->events->message(b->transport->owner, FRAME_TEXT, text,
				      strlen(text));
}

static inline struct fake_board *board_ready(const char *id)
{
	struct fake_board *b = fake_board_new(id);

	board_says(b, HELLO);
	words_done(&b->sent);
	if (b->device->state != DEVICE_READY)
		abort();
	return b;
}

static inline void fake_board_free(struct fake_board *b)
{
	struct error none = { 0 };

	if (b->device)
		board_end(b->device, &none);
	while (b->device)
		loop_poll(loop);
	words_done(&b->sent);
	timer_close(&b->closing, NULL);
	loop_poll(loop);
	mem_free(b);
}

/* The id that serve gave the n-th frame. */
static inline long board_asked(const struct fake_board *b, size_t n)
{
	const char *id;

	if (n >= b->sent.count)
		return -1;
	id = strstr(b->sent.word[n], "\"id\":");
	return id ? strtol(id + 5, NULL, 10) : -1;
}

static inline void board_answers(struct fake_board *b, long id,
				 const char *result)
{
	CLEANUP(mem_free_ptr)
	char *frame = mem_printf("{\"session_id\":\"s\",\"type\":\"mcp\","
				 "\"payload\":{\"jsonrpc\":\"2.0\",\"id\":%ld,"
				 "\"result\":%s}}",
				 id, result);

	board_says(b, frame);
}

/* ---- commands ---- */

struct command {
	int fd;
	struct buf in;
	size_t taken; /* of in: the last frame */
	bool ended; /* serve has closed */
};

static inline int dial(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", socket_path);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		abort();
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static inline void command_open(struct command *c)
{
	*c = (struct command){ .fd = dial() };
}

static inline void command_done(struct command *c)
{
	close(c->fd);
	buf_done(&c->in);
	for (int i = 0; i < 10; i++)
		loop_poll(loop);
}

/* Lets serve run until there is something for it, or a moment is over. */
static inline void serve_runs(void)
{
	const bool never = false;

	loop_wait(loop, &never, loop_now() + 1, NULL);
}

static inline void write_bytes(struct command *c, const char *data, size_t len)
{
	int64_t end = loop_now() + PATIENCE;
	ssize_t n;

	while (len && loop_now() < end) {
		n = send(c->fd, data, len, MSG_NOSIGNAL);
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		} else {
			serve_runs();
		}
	}
	/* It is let in, heard, and answered. */
	for (int i = 0; i < 3; i++)
		loop_poll(loop);
}

static inline void say(struct command *c, enum control_kind kind,
		       const char *text)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	control_encode(&frame, kind, text, strlen(text));
	write_bytes(c, frame.data, frame.len);
}

static inline void ask(struct command *c, const char *json)
{
	say(c, CONTROL_JSON, json);
}

static inline void read_bytes(struct command *c)
{
	char piece[65536];
	ssize_t n = recv(c->fd, piece, sizeof(piece), 0);

	if (n > 0)
		buf_add(&c->in, piece, (size_t)n);
	else if (n == 0 || errno == ECONNRESET)
		c->ended = true;
	else
		serve_runs();
}

static inline size_t take_size(size_t *n)
{
	size_t taken = *n;

	*n = 0;
	return taken;
}

/* The next frame as a text, lent until the next; NULL: serve has closed. */
static inline const char *hear(struct command *c, enum control_kind kind)
{
	int64_t end = loop_now() + PATIENCE;
	struct control_frame f;

	buf_consume(&c->in, take_size(&c->taken));
	for (;;) {
		int status =
			control_decode(&f, buf_string(&c->in), c->in.len, NULL);

		if (status < 0 || loop_now() > end)
			fail_msg("no frame came");
		if (status > 0)
			break;
		if (c->ended)
			return NULL;
		read_bytes(c);
	}
	c->taken = f.size;
	/* Moved onto its head, so that a NUL fits behind it. */
	memmove(c->in.data, f.data, f.len);
	c->in.data[f.len] = '\0';
	if (f.kind != kind)
		fail_msg("a frame of kind '%c': %s", (int)f.kind, c->in.data);
	return c->in.data;
}

/* The next frame is JSON with these parts. */
static inline void expect_json(struct command *c, const char *a, const char *b)
{
	const char *text = hear(c, CONTROL_JSON);

	if (!text)
		fail_msg("closed instead of %s", a);
	if (!strstr(text, a) || (b && !strstr(text, b)))
		fail_msg("%s and %s are not in %s", a, b ? b : "", text);
}

static inline void expect_text(struct command *c, const char *text)
{
	assert_string_equal(hear(c, CONTROL_TEXT), text);
}

static inline void expect_end(struct command *c)
{
	const char *text = hear(c, CONTROL_JSON);

	if (text)
		fail_msg("not closed: %s", text);
}

/* Whether nothing more is there. */
static inline void expect_quiet(struct command *c)
{
	for (int i = 0; i < 5; i++)
		loop_poll(loop);
	buf_consume(&c->in, take_size(&c->taken));
	read_bytes(c);
	if (c->in.len)
		fail_msg("%.*s", (int)c->in.len, c->in.data);
}

static inline void command_attach(struct command *c, const char *question)
{
	command_open(c);
	ask(c, question);
	expect_json(c, "\"op\":\"attached\"", NULL);
}

/* ---- serve ---- */

static inline void on_sweep(void *owner)
{
	int64_t soonest = relay_sweep(&server.relays, loop_now());
	int64_t leases = leasing_sweep(&server, loop_now());

	(void)owner;
	if (leases < soonest)
		soonest = leases;
	if (soonest != LOOP_FOREVER)
		serve_events.due(&server, soonest);
}

static inline void on_control_closed(void *owner)
{
	struct serve *s = owner;

	s->control = NULL;
}

static inline void close_control(void)
{
	control_close(server.control, on_control_closed, &server);
	while (server.control)
		serve_runs();
}

static inline int serve_start(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (loop_new(&loop, &err))
		return -1;
	server = (struct serve){ .loop = loop, .events = &serve_events };
	server.config.socket = socket_path;
	server.config.no_init = true;
	server.config.devices_max = 20000;
	server.config.hello_wait = PATIENCE;
	server.config.timeout = PATIENCE;
	server.config.message_max = 1 << 20;
	records_init(&server.records, &server.wake);
	timer_open(&server.sweep, loop, on_sweep, &server);
	return control_open(&server.control, &server, &err);
}

static inline int serve_end(void **state)
{
	(void)state;
	if (server.control)
		close_control();
	timer_close(&server.sweep, NULL);
	loop_poll(loop);
	registry_done(&server.registry);
	tool_lists_done(&server.tool_lists);
	leases_done(&server.leases);
	records_done(&server.records);
	if (server.relays.by_id.count || server.held)
		return -1;
	relay_done(&server.relays);
	findings_kept_done(&server.findings);
	rivals_done(&server.rivals);
	loop_free(loop);
	return 0;
}

static inline int harness_make(void **state)
{
	mem_init();
	if (folder_make(state))
		return -1;
	socket_path = folder_path("serve.sock");
	return 0;
}

static inline int harness_remove(void **state)
{
	mem_free(socket_path);
	return folder_remove(state);
}

#endif
