/* SPDX-License-Identifier: MIT */
/*
 * serve without ports: a server that has nothing open, and devices whose
 * transports are the test's. What they send comes when the test says so.
 */
#ifndef SERVE_HARNESS_H
#define SERVE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/board.h"
#include "serve/serve_state.h"

#define LONG_MS 60000
#define MAC "aa:bb:cc:dd:ee:01"
#define HELLO                                                                \
	"{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":true},"     \
	"\"transport\":\"websocket\",\"audio_params\":{\"format\":\"opus\"," \
	"\"sample_rate\":16000,\"channels\":1,\"frame_duration\":60}}"
#define INITIALIZED                                                        \
	"{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":" \
	"{}},\"serverInfo\":{\"name\":\"bread\",\"version\":\"2.4.2\"}}"
#define TOOL(name) \
	"{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define USER_TOOL(name) \
	"{\"name\":\"" name "\",\"annotations\":{\"audience\":[\"user\"]}}"

/* The far end of one device. */
struct end {
	struct transport *transport;
	struct board *device; /* dangling once it went */
	struct words sent;
	struct timer timer;
	bool refuse, closing, gone;
	struct end *next;
};

static struct loop *loop;
static struct serve *server;
static struct serve_config config;
static struct end *ends;
static struct record *seen; /* all that serve_take gave, in order */
static struct record **seen_last = &seen;

static inline void end_closed(void *owner)
{
	struct end *e = owner;
	struct transport *t = e->transport;
	struct error why = { 0 };

	e->gone = true;
	t->impl = NULL;
	t->events->closed(t->owner, &why);
}

static inline void end_due(void *owner)
{
	struct end *e = owner;

	timer_close(&e->timer, end_closed);
}

static inline int end_send(struct transport *t, const char *text, size_t len,
			   struct error *err)
{
	struct end *e = t->impl;
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(text, len);

	if (e->refuse)
		return error_set(err, ERR_CONNECT, "the queue is full");
	words_add(&e->sent, copy);
	return 0;
}

static inline void end_close(struct transport *t)
{
	struct end *e = t->impl;

	if (!e || e->closing)
		return;
	e->closing = true;
	timer_start(&e->timer, 0);
}

static const struct transport_ops end_ops = { .scheme = "end",
					      .send = end_send,
					      .close = end_close };

/* A device as the door or mqtt_boards makes it, not ready yet. */
static inline struct end *knock_with(const struct peer_info *peer, bool mqtt)
{
	struct board *d = board_new(server, peer, mqtt);
	struct end *e;

	/* fail() returns, as far as the compiler knows. */
	if (!d)
		abort();
	e = mem_zalloc(sizeof(*e));
	e->device = d;
	e->transport = &d->transport;
	e->next = ends;
	ends = e;
	d->transport.ops = &end_ops;
	d->transport.impl = e;
	timer_open(&e->timer, loop, end_due, e);
	return e;
}

static inline void is_ready(struct end *e, const struct peer_info *peer)
{
	e->transport->events->ready(e->transport->owner, peer);
}

static inline struct end *dial(const char *device_id)
{
	struct peer_info peer = { .address = "10.0.0.7:51234",
				  .device_id = device_id,
				  .path = "/xiaozhi/v1/",
				  .protocol_version = 1,
				  .envelope = true };
	struct end *e = knock_with(&peer, false);

	is_ready(e, &peer);
	return e;
}

static inline void says(struct end *e, const char *text)
{
	e->transport->events->message(e->transport->owner, FRAME_TEXT, text,
				      strlen(text));
}

/* The n-th frame that was sent to it must hold part. */
static inline void assert_sent(const struct end *e, size_t n, const char *part)
{
	assert_true(n < e->sent.count);
	if (!strstr(e->sent.word[n], part))
		fail_msg("'%s' is not in '%s'", part, e->sent.word[n]);
}

/* The id of the last request that was sent to it. */
static inline long last_id(const struct end *e)
{
	const char *text = e->sent.word[e->sent.count - 1];
	const char *at = strstr(text, "\"id\"");

	assert_non_null(at);
	return strtol(at + 4 + strspn(at + 4, " :"), NULL, 10);
}

/* Answer the last request: member is "result" or "error". */
static inline void answers_as(struct end *e, const char *member,
			      const char *value)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"session_id\":\"\",\"type\":\"mcp\","
				"\"payload\":{\"jsonrpc\":\"2.0\",\"id\":%ld,"
				"\"%s\":%s}}",
				last_id(e), member, value);

	says(e, text);
}

static inline void answers(struct end *e, const char *result)
{
	answers_as(e, "result", result);
}

/* hello, initialize, one page. */
static inline void becomes_ready(struct end *e)
{
	says(e, HELLO);
	answers(e, INITIALIZED);
	answers(e, "{\"tools\":[" TOOL("self.a") "," USER_TOOL("self.z") "]}");
	assert_int_equal(e->device->state, DEVICE_READY);
}

static inline void take_records(void)
{
	struct record *r;

	while ((r = serve_take(server))) {
		*seen_last = r;
		seen_last = &r->next;
	}
}

/* The nth record of that kind; NULL. */
static inline const struct record *find_record(enum record_kind kind, size_t n)
{
	const struct record *r;

	take_records();
	for (r = seen; r; r = r->next) {
		if (r->kind == kind && n-- == 0)
			break;
	}
	return r;
}

/* It must be there, and say that. */
static inline const struct record *the_record(enum record_kind kind, size_t n,
					      const char *part)
{
	static const struct record none;
	const struct record *r = find_record(kind, n);

	if (!r)
		fail_msg("no record '%s' %zu", record_kind_name(kind), n);
	if (r && part && !strstr(r->text, part))
		fail_msg("'%s' is not in '%s'", part, r->text);
	return r ? r : &none;
}

/* Run the loop until there is such a record. */
static inline void wait_record(enum record_kind kind)
{
	int64_t deadline = loop_now() + LONG_MS;
	struct error err = { 0 };

	while (!find_record(kind, 0)) {
		assert_true(loop_now() < deadline);
		assert_int_equal(serve_wait(server, loop_now() + 100, &err), 0);
	}
}

/* Run what is due now. */
static inline void turn(void)
{
	for (size_t i = 0; i < 5; i++)
		loop_poll(loop);
}

static inline int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	config = (struct serve_config){ .timeout = LONG_MS,
					.hello_wait = LONG_MS,
					.devices_max = 1000 };
	if (loop_new(&loop, &err))
		return -1;
	server = serve_new(loop, &config);
	return 0;
}

/* No request outlives its device. */
static inline void close_all(void)
{
	const struct error why = { .kind = ERR_CONNECT };

	for (struct board *d = server->registry.first; d; d = d->next)
		board_end(d, &why);
	turn();
	assert_int_equal(server->relays.by_id.count, 0);
}

static inline int tear_down(void **state)
{
	struct end *next;
	struct record *after;

	(void)state;
	close_all();
	serve_close(server);
	for (struct end *e = ends; e; e = next) {
		next = e->next;
		timer_close(&e->timer, NULL);
		loop_poll(loop);
		words_done(&e->sent);
		mem_free(e);
	}
	ends = NULL;
	loop_free(loop);
	for (struct record *r = seen; r; r = after) {
		after = r->next;
		record_free(r);
	}
	seen = NULL;
	seen_last = &seen;
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
