/* SPDX-License-Identifier: MIT */
/*
 * A session's life: opened, connected, listened to, waited for, closed. Calls
 * are session_calls.c's matter.
 */
#include <stdio.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/random.h"
#include "net/head.h"
#include "rpc/session.h"
#include "rpc/session_calls.h"
#include "rpc/session_events.h"
#include "rpc/session_state.h"
#include "wire/refusal.h"

static void session_peer_done(struct session_peer *p);

/*
 * The peer as it was seen at ready, kept for the life of the session. What
 * is secret is masked here, once, so that nothing above can show it.
 */

static char *mask(const char *value)
{
	const size_t shown = mask_scheme(value, strlen(value));

	return mem_printf("%.*s***", (int)shown, value);
}

void session_keep_headers(struct headers *out, const struct headers *in)
{
	for (size_t i = 0; in && i < in->count; i++) {
		const struct header *h = &in->item[i];
		CLEANUP(mem_free_ptr) char *masked = mask(h->value);

		headers_add(out, h->name,
			    mask_is_secret(h->name) ? masked : h->value);
	}
}

/* One `name=value` of a query. */
static void add_parameter(struct buf *out, const char *text, size_t len)
{
	CLEANUP(mem_free_ptr) char *pair = mem_strndup(text, len);
	char *value = strchr(pair, '=');

	if (value)
		*value = '\0';
	buf_text(out, pair);
	if (value) {
		buf_char(out, '=');
		buf_text(out, mask_is_secret(pair) ? "***" : value + 1);
	}
}

/*
 * The path with the values of secret parameters masked: tokens may come in the
 * query string.
 */
static char *mask_path(const char *path)
{
	struct buf out;
	size_t len;

	if (!path)
		return NULL;
	buf_init(&out, 0);
	len = strcspn(path, "?");
	buf_add(&out, path, len);
	for (path += len; *path; path += len) {
		buf_char(&out, *path++);
		len = strcspn(path, "&");
		add_parameter(&out, path, len);
	}
	return buf_take(&out);
}

/* One block, with its texts; yours to mem_free. */
static struct peer_kept *copy_kept(const struct peer_kept *from)
{
	size_t id = strlen(from->id) + 1, device = strlen(from->device) + 1;
	struct peer_kept *copy = mem_zalloc(sizeof(*copy) + id + device +
					    from->initialize_len + 1);
	char *texts = (char *)(copy + 1);

	*copy = *from;
	copy->id = memcpy(texts, from->id, id);
	copy->device = memcpy(texts + id, from->device, device);
	if (from->initialize)
		copy->initialize = memcpy(texts + id + device, from->initialize,
					  from->initialize_len);
	return copy;
}

static void session_keep_peer(struct session_peer *out,
			      const struct peer_info *peer)
{
	session_peer_done(out);
	out->address = mem_strdup(peer->address);
	out->path = mask_path(peer->path);
	out->device_id = mem_strdup(peer->device_id);
	out->client_id = mem_strdup(peer->client_id);
	out->tls = mem_strdup(peer->tls);
	out->protocol_version = peer->protocol_version;
	out->standby = peer->standby;
	out->shared = peer->shared;
	out->held = peer->held;
	out->unsure = peer->unsure;
	session_keep_headers(&out->headers, peer->headers);
	out->has_ota = peer->ota != NULL;
	if (peer->ota)
		out->ota = *peer->ota;
	out->ota_answer = mem_strdup(peer->ota_answer);
	if (peer->kept)
		out->kept = copy_kept(peer->kept);
}

static void session_peer_done(struct session_peer *p)
{
	mem_free(p->address);
	mem_free(p->path);
	mem_free(p->device_id);
	mem_free(p->client_id);
	mem_free(p->tls);
	mem_free(p->ota_answer);
	mem_free(p->kept);
	headers_done(&p->headers);
	*p = (struct session_peer){ 0 };
}

/* ---- life ---- */

enum {
	TIMEOUT_MS = 10000,
	WAIT_MS = 60000,
	EVENTS_MAX = 4096,
	LINGER_MS = 1000,
	CLOSE_MS = 2000 /* a child process may need more than one */
};

static int64_t since_open(const struct session *s)
{
	return (loop_now_us() - s->opened_us) / 1000;
}

static void sign_of_life(struct session *s)
{
	s->wait_deadline = loop_now() + s->config.wait;
	session_wake(s);
}

/*
 * What comes in: every frame goes through the link, then to a call or into
 * the queue of events. Runs inside callbacks: it records, and sends only what
 * the link must answer at once.
 */

enum { AUDIO_EVENT_MS = 1000 };

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void send_quietly(void *owner, const struct buf *frame)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	session_transmit(owner, frame, NULL, &ignored);
}

static void take_any(void *owner, enum frame_kind kind, struct span frame,
		     const struct json_places *at)
{
	session_pass(owner, false, kind, frame, at);
}

static void take_notification(void *owner, const struct message *m)
{
	struct session *s = owner;

	session_progress(s, m);
	session_event(s, EVENT_NOTIFICATION, m->method, m->text, m->len);
}

/* Who watches frames has said it (session_observer.frame). */
static void take_odd(void *owner, const struct message *m, const char *why)
{
	(void)owner;
	(void)m;
	(void)why;
}

bool session_reads_batches(const struct session *s)
{
	return !s->revision[0] || s->config.rules->batches(s->revision);
}

static bool take_batch(void *owner, const struct message *batch)
{
	(void)batch;
	return session_reads_batches(owner);
}

/* It is not read, but who waits for a reply in it is not to wait in vain. */
static void fail_reply(void *owner, const struct message *m)
{
	struct session *s = owner;
	bool reply = m->kind == MESSAGE_RESULT || m->kind == MESSAGE_ERROR;
	struct call *c =
		reply && m->has_number ? session_find_call(s, m->number) : NULL;
	CLEANUP(mem_free_ptr) char *label = c ? call_label(c) : NULL;

	if (!c)
		return;
	error_set(
		&c->failure, ERR_PROTOCOL,
		"the reply to '%s' came in a batch, which revision %s does not have",
		label, s->revision);
	error_detail(&c->failure, m->text, m->len);
	session_end_call(s, c, true);
}

/*
 * Older firmware has no "features" at all (device.md 7.3); session_wait_up
 * judges.
 */
static void take_hello(void *owner, struct span frame)
{
	struct session *s = owner;

	/* Over MQTT each voice session begins with one (device.md 2.3). */
	if (s->link.hellos > 1 && !s->link.has_udp)
		return;
	if (s->link.hellos == 1 && !s->link.relayed)
		s->times.hello = (loop_now_us() - s->opened_us) / 1000;
	if (s->times.up < 0)
		s->times.up = s->times.hello;
	session_event(s, EVENT_HELLO, "hello", frame.text, frame.len);
}

static void take_device(void *owner, const char *type, struct span frame)
{
	struct session *s = owner;

	if (strcmp(type, "error") == 0)
		s->said = refusal_words(frame.text, frame.len);
	session_event(s, EVENT_DEVICE, type, frame.text, frame.len);
}

static void take_audio(void *owner, struct span frame,
		       const struct error *problem)
{
	struct session *s = owner;
	int64_t now = loop_now();
	struct event *e;

	(void)frame;
	(void)problem;
	if (s->link.audio_frames > 1 && now - s->audio_told < AUDIO_EVENT_MS)
		return;
	s->audio_told = now;
	e = session_event(s, EVENT_AUDIO, "audio", NULL, 0);
	if (!e)
		return;
	e->count = s->link.audio_frames;
	e->bytes = s->link.audio_bytes;
	if (s->link.audio_broken)
		e->note = mem_printf("%llu of them broken",
				     (unsigned long long)s->link.audio_broken);
}

static const struct link_events link_events = {
	.frame = take_any,
	.send = send_quietly,
	.hello = take_hello,
	.reply = session_take_reply,
	.request = session_take_request,
	.notification = take_notification,
	.odd = take_odd,
	.batch = take_batch,
	.unread = fail_reply,
	.device = take_device,
	.audio = take_audio,
	.broken = session_take_broken,
};

static void hear(struct session *s, enum frame_kind kind)
{
	s->heard.at = loop_now();
	s->heard.audio = kind == FRAME_BINARY;
	if (kind == FRAME_TEXT)
		s->heard.messages++;
	/*
	 * A stream of audio must not keep the wait for a hello alive for ever.
	 */
	if (kind == FRAME_TEXT || s->link.audio_frames == 0)
		sign_of_life(s);
}

static void take_frame(struct session *s, enum frame_kind kind,
		       const void *data, size_t len)
{
	session_trace(s, false, kind == FRAME_TEXT ? "text" : "binary", data,
		      len);
	hear(s, kind);
	mem_free(TAKE(s->said));
	link_receive(&s->link, kind, (struct span){ data, len }, &link_events,
		     s);
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
		if (peer->plain)
			link_settle(l, DIALECT_PLAIN);
		return;
	}
	if (peer->udp)
		link_offer_udp(l, peer->udp);
	/* Unless it was said to be a device, it may be none. */
	link_connected(l,
		       peer->envelope ||
			       (peer->unsure && l->dialect == DIALECT_DEVICE),
		       peer->protocol_version);
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
	if (peer->unsure && !peer->at_point)
		s->ask_at = loop_now() + LINK_HELLO_MS;
	s->shared = peer->shared;
	if (s->shared)
		s->next_id = first_shared_id();
	if (session_is_usable(s))
		s->times.up = s->times.connected;
	session_trace(s, false, "ready", s->peer.address,
		      s->peer.address ? strlen(s->peer.address) : 0);
	sign_of_life(s);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct session *s = owner;

	if (!s->closing)
		take_frame(s, kind, data, len);
}

/* It was heard, whatever became of it. */
static void dropped(struct session *s, const struct error *why)
{
	/* Of serve: the frame. */
	const char *frame = s->link.relayed ? why->detail : NULL;

	hear(s, FRAME_TEXT);
	if (*why->finding)
		session_judged(s, why->finding, why->text,
			       (struct span){ "", 0 });
	session_odd(s, frame, frame ? strlen(frame) : 0, "%s", why->text);
}

static void on_pong(void *owner)
{
	struct session *s = owner;

	if (!s->closing)
		session_wake(s);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	struct session *s = owner;

	if (s->closing)
		return;
	if (id)
		session_call_failed(s, id, why);
	else
		dropped(s, why);
}

static void release(struct session *s)
{
	link_done(&s->link);
	session_peer_done(&s->peer);
	session_drop_events(s);
	error_reset(&s->why);
	mem_free(s->said);
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
		/* That it is lost too counted as one. */
		s->events.dropped += n->count - 1;
		return;
	}
	e->count = n->count;
	e->note = mem_strdup(n->text);
}

void session_notice(struct session *s, const struct notice *n)
{
	size_t len = n->text ? strlen(n->text) : 0;
	struct event *e;

	if (s->closing)
		return;
	if (n->kind == NOTICE_OTA && !s->open)
		s->times.ota = since_open(s);
	if (is_life(n->kind))
		sign_of_life(s);
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
	e->file = mem_strdup(n->file);
}

void session_tell(struct session *s, enum notice_kind kind, const char *format,
		  ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct notice n = { .kind = kind };
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	n.text = text;
	session_notice(s, &n);
}

/* Of serve's own ports: recorded here, too. */
static void on_serial(void *owner, const char *name, struct span line,
		      const char *note)
{
	struct session *s = owner;

	if (s->closing)
		return;
	session_serial(s, name, line, note);
	session_trace_serial(s, name, line, note);
}

static void on_found(void *owner, struct span finding, const char *message)
{
	struct session *s = owner;
	struct event *e;

	if (s->closing)
		return;
	s->told = true;
	e = session_event(s, EVENT_FINDING, "finding", message,
			  message ? strlen(message) : 0);
	if (e)
		e->finding = mem_strndup(finding.text, finding.len);
}

static void on_notice(void *owner, const struct notice *n)
{
	session_notice(owner, n);
}

/* The user's time is not the server's. */
static void on_held(void *owner, bool held)
{
	session_hold(owner, held);
}

static const struct transport_events transport_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.found = on_found,
	.serial = on_serial,
	.pong = on_pong,
	.closed = on_closed,
	.notice = on_notice,
	.held = on_held,
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

void session_free(struct session *s)
{
	if (!s)
		return;
	session_fail_calls(s);
	if (s->open && !s->ended)
		session_trace_close(s);
	s->closing = true;
	if (!s->ended) {
		s->transport.ops->close(&s->transport);
		loop_drain(s->loop, &s->ended, loop_now() + CLOSE_MS);
	}
	/* A transport that is not done yet still points here. */
	if (s->ended)
		release(s);
	else
		s->abandoned = true;
}

int session_send_device(struct session *s, const char *json, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	if (link_wrap_device(&s->link, json, &frame, err))
		return -1;
	return session_transmit(s, &frame, NULL, err);
}

void session_settle(struct session *s, enum dialect dialect)
{
	link_settle(&s->link, dialect);
}

void session_negotiated(struct session *s, const char *revision, bool speaks)
{
	const struct transport_ops *ops = s->transport.ops;

	snprintf(s->revision, sizeof(s->revision), "%s", revision);
	if (s->open && ops->negotiated)
		ops->negotiated(&s->transport, revision, speaks);
}

void session_alone(struct session *s, const char *revision)
{
	const struct transport_ops *ops = s->transport.ops;

	s->alone = revision != NULL;
	snprintf(s->revision, sizeof(s->revision), "%s",
		 revision ? revision : "");
	if (s->open && ops->alone)
		ops->alone(&s->transport, s->alone);
}

bool session_takes_headers(const struct session *s)
{
	return s->transport.ops->send_with != NULL;
}

void session_linger(struct session *s)
{
	const struct transport_ops *ops = s->transport.ops;
	int64_t end = loop_now() + LINGER_MS, ms;

	while (s->open && ops->lingers && loop_now() < end &&
	       (ms = ops->lingers(&s->transport)) > 0) {
		CLEANUP(error_reset) struct error interrupted = { 0 };

		if (session_turn(s, loop_now() + ms, &interrupted))
			return;
		session_drain(s);
	}
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

int64_t session_timeout(const struct session *s)
{
	return s->config.timeout;
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

/*
 * The functions of the main line that run the loop for a session, and the
 * words for what they waited for in vain. The only place that waits, but for
 * the end in session_free.
 */

/* Connected to something that never said hello. */
static int explain_no_hello(const struct session *s, struct error *err)
{
	error_set(err, ERR_CONNECT, "'%s' is connected, but no hello came",
		  s->peer.address ? s->peer.address : "the peer");
	error_finding(err, "D102");
	/* Only who dials in is waited for like this. */
	return error_hint(
		err,
		"xiaozhi firmware says hello at once: is this such a device? It told a Device-Id or a Client-Id, so it is waited for as one (--envelope plain: asked as a tool side); a plain MCP client finds a server at 'mcpctl sim --listen'");
}

static int explain_not_up(struct session *s, struct error *err)
{
	const struct transport_ops *ops = s->transport.ops;
	const char *target = s->to && s->to->text ? s->to->text : ops->scheme;

	if (s->open)
		return explain_no_hello(s, err);
	if (ops->explain) {
		CLEANUP(error_reset) struct error why = { 0 };

		ops->explain(&s->transport, &why);
		if (why.kind != ERR_NONE) {
			error_copy(err, &why);
			return -1;
		}
	}
	error_set(err, ERR_CONNECT, "no answer from '%s'", target);
	return error_hint(err, "is it running, and can this machine reach it?");
}

static int check_ended(const struct session *s, struct error *err)
{
	if (s->why.kind != ERR_NONE)
		return session_closed_error(s, err);
	error_set(err, ERR_CONNECT, "%s",
		  s->times.connected < 0 ?
			  "the connection was closed before it was ready" :
			  "the connection was closed before a hello came");
	return s->config.trace ?
		       -1 :
		       error_hint(err, "try again with -v to see every frame");
}

static int check_features(const struct session *s, struct error *err)
{
	const struct link *l = &s->link;

	if (!l->has_hello || l->hello.mcp || s->config.any_device)
		return 0;
	error_set(err, ERR_CONNECT,
		  "the device offers no MCP: its hello has no features.mcp");
	error_finding(err, "D101");
	return error_hint(
		err,
		"MCP needs firmware 1.6.6 or later, built with the MCP protocol");
}

int session_poll_up(const struct session *s, struct error *err)
{
	if (check_features(s, err))
		return -1;
	if (s->ended)
		return check_ended(s, err);
	return session_is_usable(s) ? 1 : 0;
}

int session_wait_up(struct session *s, struct error *err)
{
	s->wait_deadline = loop_now() + s->config.wait;
	for (;;) {
		session_drain(s);
		int up = session_poll_up(s, err);
		if (up)
			return up > 0 ? 0 : -1;
		if (loop_now() >= s->wait_deadline)
			return explain_not_up(s, err);
		if (session_turn(s, s->wait_deadline, err))
			return -1;
	}
}

/* 1: go on, 0: enough. */
static int watch_round(struct session *s, const bool *stop, int64_t deadline,
		       struct error *err)
{
	session_deliver(s, stop);
	if (stop && *stop)
		return 0;
	if (s->ended)
		return session_closed_error(s, err);
	if (loop_now() >= deadline)
		return 0;
	return session_turn(s, deadline, err) ? -1 : 1;
}

int session_step(struct session *s, const bool *stop, int64_t deadline,
		 struct error *err)
{
	return watch_round(s, stop, deadline, err) < 0 ? -1 : 0;
}

int session_watch(struct session *s, const bool *stop, int64_t deadline,
		  struct error *err)
{
	int more;

	do {
		more = watch_round(s, stop, deadline, err);
	} while (more > 0);
	return more;
}
