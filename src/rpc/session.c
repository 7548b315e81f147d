/* SPDX-License-Identifier: MIT */
/*
 * A session's life: opened, connected, sent through, closed. Waiting is in
 * session_wait.c, what comes in in session_frames.c, calls in session_calls.c.
 */
#include "rpc/session.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "rpc/session_state.h"

enum {
	TIMEOUT_MS = 10000,
	WAIT_MS = 60000,
	EVENTS_MAX = 4096,
	CLOSE_MS = 2000 /* a child process may need more than one */
};

static int64_t since_open(const struct session *s)
{
	return (loop_now_us() - s->opened_us) / 1000;
}

void session_wake(struct session *s)
{
	s->wake = true;
}

void session_sign_of_life(struct session *s)
{
	s->wait_deadline = loop_now() + s->config.wait;
	session_wake(s);
}

/* An unknown dialect is as up as it can be before somebody speaks. */
bool session_is_usable(const struct session *s)
{
	return s->open && (s->link.up || s->link.dialect == DIALECT_UNKNOWN);
}

/*
 * Not from 1, as everybody else. Half of what there is, so that they do not
 * start anew before long.
 */
static int32_t first_shared_id(void)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	return (int32_t)(bits % (INT32_MAX / 2)) + 1;
}

static void connect_link(struct link *l, const struct peer_info *peer)
{
	if (peer->relay) {
		link_relayed(l, peer->relay);
		return;
	}
	if (peer->udp)
		link_offer_udp(l, peer->udp);
	link_connected(l, peer->envelope, peer->protocol_version);
	if (peer->standby)
		link_settle(l, DIALECT_DEVICE);
	if (peer->plain)
		link_settle(l, DIALECT_PLAIN);
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct session *s = owner;

	if (s->closing)
		return;
	s->open = true;
	s->times.connected = since_open(s);
	session_keep_peer(&s->peer, peer);
	connect_link(&s->link, peer);
	s->shared = peer->shared;
	if (s->shared)
		s->next_id = first_shared_id();
	if (session_is_usable(s))
		s->times.up = s->times.connected;
	session_trace(s, false, "ready", s->peer.address,
		      s->peer.address ? strlen(s->peer.address) : 0);
	session_sign_of_life(s);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct session *s = owner;

	if (!s->closing)
		session_frame(s, kind, data, len);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	struct session *s = owner;

	if (s->closing)
		return;
	if (id)
		session_call_failed(s, id, why);
	else
		session_odd(s, NULL, 0, "%s", why->text);
}

static void release(struct session *s)
{
	link_done(&s->link);
	session_peer_done(&s->peer);
	session_drop_events(s);
	session_forget_past(s);
	error_reset(&s->why);
	mem_free(s);
}

static void tell_closed(struct session *s)
{
	const char *reason =
		s->why.kind == ERR_NONE ? "the peer closed it" : s->why.text;
	struct event *e = session_event(s, EVENT_CLOSED, "closed", NULL, 0);

	if (e)
		e->note = mem_strdup(reason);
	session_trace(s, false, "closed", reason, strlen(reason));
}

static void on_closed(void *owner, const struct error *why)
{
	struct session *s = owner;

	if (s->abandoned) {
		release(s);
		return;
	}
	s->open = false;
	s->ended = true;
	link_offer_udp(&s->link, NULL);
	session_wake(s);
	if (s->closing)
		return;
	if (why)
		error_copy(&s->why, why);
	session_fail_calls(s);
	tell_closed(s);
}

/*
 * Bytes that are no HTTP come from anything on the network: they must not
 * prolong the wait for ever.
 */
static bool is_life(enum notice_kind kind)
{
	return kind == NOTICE_OTA || kind == NOTICE_BROWSER ||
	       kind == NOTICE_TLS || kind == NOTICE_PATH ||
	       kind == NOTICE_TOKEN || kind == NOTICE_REFUSED;
}

/* It stands where they are missing; no filter is to hide it. */
static void on_lost(struct session *s, const struct notice *n)
{
	struct event *e = session_event(s, EVENT_DROPPED, "dropped", NULL, 0);

	if (!e) {
		/* It was counted as one itself. */
		s->events.dropped += n->count - 1;
		return;
	}
	e->count = n->count;
	e->note = mem_strdup(n->text);
}

static void on_notice(void *owner, const struct notice *n)
{
	struct session *s = owner;
	size_t len = n->text ? strlen(n->text) : 0;
	struct event *e;

	if (s->closing)
		return;
	if (n->kind == NOTICE_OTA && !s->open)
		s->times.ota = since_open(s);
	if (is_life(n->kind))
		session_sign_of_life(s);
	session_trace(s, false, "notice", n->text, len);
	if (n->kind == NOTICE_LOST) {
		on_lost(s, n);
		return;
	}
	/* A talkative child must not push out what its messages say. */
	if (n->kind == NOTICE_CHILD &&
	    s->events.count >= s->config.events_max / 2) {
		s->events.unshown++;
		return;
	}
	e = session_event(s, EVENT_NOTICE, "notice", n->text, len);
	if (!e)
		return;
	e->notice = n->kind;
	e->note = mem_strdup(n->address);
}

static const struct transport_events transport_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
	.notice = on_notice,
};

static void set_times(struct session_config *c)
{
	if (!c->timeout)
		c->timeout = TIMEOUT_MS;
	if (!c->wait)
		c->wait = WAIT_MS;
}

static void configure(struct session *s, const struct session_config *config,
		      const struct session_observer *observer)
{
	if (config)
		s->config = *config;
	if (observer)
		s->observer = *observer;
	set_times(&s->config);
	if (!s->config.events_max)
		s->config.events_max = EVENTS_MAX;
}

/* NOLINTNEXTLINE(readability-function-size): all that it borrows */
int session_open(struct session **out, struct loop *l,
		 const struct transport_ops *ops, const struct endpoint *to,
		 const struct session_config *config,
		 const struct session_observer *observer, struct error *err)
{
	struct session *s = mem_zalloc(sizeof(*s));

	*out = NULL;
	configure(s, config, observer);
	link_init(&s->link, s->config.dialect, 0);
	s->loop = l;
	s->to = to;
	s->next_id = 1;
	s->opened_us = loop_now_us();
	s->times = (struct session_times){ -1, -1, -1, -1 };
	s->transport = (struct transport){ .ops = ops, .loop = l };
	s->transport.events = &transport_events;
	s->transport.owner = s;
	s->wait_deadline = loop_now() + s->config.wait;
	if (ops->open(&s->transport, to, err)) {
		release(s);
		return -1;
	}
	*out = s;
	return 0;
}

/* Wait for closed, at most CLOSE_MS; a second Ctrl-C does not cut it short. */
static void wait_closed(struct session *s)
{
	int64_t deadline = loop_now() + CLOSE_MS;

	while (!s->ended && loop_now() < deadline) {
		struct error ignored = { 0 };

		loop_wait(s->loop, &s->ended, deadline, &ignored);
		error_reset(&ignored);
	}
}

void session_free(struct session *s)
{
	if (!s)
		return;
	session_fail_calls(s);
	s->closing = true;
	if (!s->ended) {
		s->transport.ops->close(&s->transport);
		wait_closed(s);
	}
	/* A transport that is not done yet still points here. */
	if (s->ended)
		release(s);
	else
		s->abandoned = true;
}

int session_closed_error(const struct session *s, struct error *err)
{
	if (s->why.kind == ERR_NONE)
		return error_set(err, ERR_CONNECT, "connection closed");
	error_copy(err, &s->why);
	return -1;
}

int session_transmit(struct session *s, const struct buf *frame,
		     struct error *err)
{
	const char *text = buf_string(frame);

	if (s->ended)
		return session_closed_error(s, err);
	if (!s->open)
		return error_set(err, ERR_CONNECT, "not connected yet");
	if (s->transport.ops->send(&s->transport, text, frame->len, err))
		return -1;
	session_trace(s, true, "text", text, frame->len);
	return 0;
}

int session_send(struct session *s, const struct buf *payload,
		 struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	link_wrap(&s->link, buf_string(payload), payload->len, &frame);
	return session_transmit(s, &frame, err);
}

int session_send_device(struct session *s, const char *json, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	if (link_wrap_device(&s->link, json, &frame, err))
		return -1;
	return session_transmit(s, &frame, err);
}

void session_settle(struct session *s, enum dialect dialect)
{
	link_settle(&s->link, dialect);
}

void session_negotiated(struct session *s, const char *revision)
{
	const struct transport_ops *ops = s->transport.ops;

	snprintf(s->revision, sizeof(s->revision), "%s", revision);
	if (s->open && ops->negotiated)
		ops->negotiated(&s->transport, revision);
}

void session_name_codes(struct session *s, const char *(*name)(int code))
{
	s->code_name = name;
}

int64_t session_wait_deadline(const struct session *s)
{
	return s->wait_deadline;
}

const struct link *session_link(const struct session *s)
{
	return &s->link;
}

const struct session_times *session_times(const struct session *s)
{
	return &s->times;
}

bool session_is_over(const struct session *s)
{
	return s->ended;
}

void session_adjust(struct session *s, int64_t timeout, int64_t wait,
		    bool trace)
{
	s->config.timeout = timeout;
	s->config.wait = wait;
	s->config.trace = trace;
	set_times(&s->config);
}

bool session_is_open(const struct session *s)
{
	return s->open;
}

struct transport *session_transport(struct session *s)
{
	return &s->transport;
}

const struct session_peer *session_peer(const struct session *s)
{
	return &s->peer;
}
