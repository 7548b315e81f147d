/* SPDX-License-Identifier: MIT */
/*
 * The life of a device that serve holds: it comes, replaces its older self,
 * and goes. What it says is in board_frames.c.
 */
#include "serve/board.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/ota_door.h"
#include "net/ws.h"
#include "rpc/session.h"
#include "serve/board_private.h"

/* Of what a peer tells of itself. */
#define PATH_MAX_BYTES 512
/* A board that comes again is no riddle, unless it does so soon, and often. */
#define SOON_MS 10000
#define OFTEN 3
/* In which one is ready that is to keep its place when there is no other. */
#define STRANGER_MS 3000

static const struct transport_events device_events;

/* ---- made and freed ---- */

char *board_keep(const char *text, size_t max)
{
	size_t len = text ? text_cut(text, strlen(text), max) : 0;

	return len ? mem_strndup(text, len) : NULL;
}

static void keep_peer(struct board *d, const struct peer_info *peer)
{
	struct ota_request rq = { 0 };
	struct ota_board board;
	const char *agent =
		peer->headers ? headers_get(peer->headers, "User-Agent") : NULL;
	const char *id;

	if (peer->ota)
		rq = *peer->ota;
	if (!rq.user_agent[0] && agent)
		snprintf(rq.user_agent, sizeof(rq.user_agent), "%s", agent);
	ota_board(&board, &rq);
	d->board = board_keep(board.name, sizeof(board.name));
	d->version = board_keep(board.version, sizeof(board.version));
	d->device_id = board_keep(peer->device_id, DEVICE_ID_MAX);
	d->client_id = board_keep(peer->client_id, DEVICE_ID_MAX);
	d->address = board_keep(peer->address, DEVICE_ID_MAX);
	d->path = board_keep(peer->path, PATH_MAX_BYTES);
	id = d->device_id ? d->device_id : d->client_id;
	if (!id)
		id = d->address ? d->address : "unknown";
	d->id = mem_strdup(id);
	for (char *p = d->id; *p; p++)
		*p = (char)text_lower(*p);
}

static void board_free(struct board *d)
{
	struct serve *s = d->server;

	board_start_drop(d);
	share_close(&d->share);
	tool_lists_release(&s->bank, d->tools);
	link_done(&d->link);
	mem_free(d->breaker);
	if (d->why)
		error_reset(d->why);
	mem_free(d->why);
	mem_free(d->reason);
	mem_free(d->id);
	mem_free(d->device_id);
	mem_free(d->client_id);
	mem_free(d->address);
	mem_free(d->path);
	mem_free(d->reached);
	mem_free(d->board);
	mem_free(d->version);
	mem_free(d->server_name);
	mem_free(d->hello);
	mem_free(d->initialize);
	s->sockets -= !d->mqtt;
	mem_free(d);
	serve_device_freed(s);
}

/* Nobody finds it, asks it or listens to it from now on. */
static void leave(struct board *d, const struct error *why)
{
	d->gone = d->closing = true;
	registry_remove(&d->server->registry, d);
	board_start_drop(d);
	relay_fail_all(d, why);
	if (!d->server->control)
		return;
	control_gone(d, why);
	control_changed(d, "gone");
}

/* What it means if one Device-Id dials in again and again; NULL: nothing. */
static const char *twins(const struct board *old, struct board *new)
{
	bool other = old->mqtt == new->mqtt &&
		     old->client_id &&new->client_id &&strcmp(
			     old->client_id, new->client_id) != 0;

	if (unix_now_ms() - old->since_ms < SOON_MS &&
	    old->soon_again < UINT8_MAX)
		new->soon_again = (uint8_t)(old->soon_again + 1);
	if (other)
		return "its client id is another one than before: two boards "
		       "with one Device-Id replace each other for ever";
	if (new->soon_again >= OFTEN)
		return "again and again: two boards with one Device-Id "
		       "replace each other, or one restarts (see its own log)";
	return NULL;
}

static void replace(struct board *old, struct board *new)
{
	const char *hint = twins(old, new);
	struct error why = { 0 };
	struct record *r;

	error_set(&why, ERR_CONNECT, "the device dialled in again");
	r = board_record(
		old, RECORD_REPLACED, hint ? LEVEL_WARN : LEVEL_INFO,
		"dialled in again, from %s: the old connection is closed",
		new->address ? new->address : "elsewhere");
	if (r)
		r->hint = mem_strdup(hint);
	leave(old, &why);
	/* It may be closing already. */
	if (old->transport.ops)
		old->transport.ops->close(&old->transport);
}

/*
 * Who is known is served before strangers; and a stranger that answered
 * initialize within a moment (fleets do) before one that did not.
 */
static bool is_stranger(const struct board *d, int64_t before)
{
	return d->state < DEVICE_READY && !d->closing && !d->mqtt &&
	       !d->alias && d->since_ms <= before;
}

static bool is_known(const struct serve *s, const struct board *d)
{
	return s->tokens.count ||
	       enrolled_or_listed(&s->enrolled, &s->aliases, d->device_id,
				  d->client_id);
}

void board_said_hello(struct board *d)
{
	if (is_known(d->server, d))
		share_close(&d->share);
}

static void lose_place(struct board *d)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_CONNECT,
		  "it was not ready, and others need its place");
	serve_crowded(d->server, d->id, d->address,
		      "closed: it was not ready, and others need its place");
	leave(d, &why);
	if (d->transport.ops)
		d->transport.ops->close(&d->transport);
}

static bool make_place(struct serve *s, const struct board *new)
{
	int64_t before = unix_now_ms() - (is_known(s, new) ? 0 : STRANGER_MS);
	struct board *d = s->registry.first;

	while (d && !is_stranger(d, before))
		d = d->next;
	if (d)
		lose_place(d);
	return d != NULL;
}

bool board_make_room(struct serve *s, const struct share *share)
{
	int64_t before = unix_now_ms() - STRANGER_MS;
	struct board *d = s->registry.first;

	/* They stand in the order in which they came. */
	while (d && d->since_ms <= before &&
	       !(is_stranger(d, before) && share_same(&d->share, share)))
		d = d->next;
	if (!d || d->since_ms > before)
		return false;
	lose_place(d);
	return true;
}

static bool has_place(struct serve *s, const struct board *new)
{
	bool few_files =
		!new->mqtt && s->sockets_max && s->sockets > s->sockets_max;
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!few_files && (int64_t)s->registry.count < s->config.devices_max)
		return true;
	if (make_place(s, new))
		return true;
	text = few_files ?
		       mem_printf("refused: no more WebSockets fit into the "
				  "open files that are allowed") :
		       mem_printf("refused: %lld devices are connected, that "
				  "is the limit",
				  (long long)s->config.devices_max);
	serve_crowded(s, new->id, new->address, text);
	return false;
}

struct board *board_new(struct serve *s, const struct peer_info *peer,
			bool mqtt)
{
	struct board *d = mem_zalloc(sizeof(*d)), *old;

	d->server = s;
	d->mqtt = mqtt;
	s->held++;
	if (s->held > s->held_most)
		s->held_most = s->held;
	s->sockets += !mqtt;
	keep_peer(d, peer);
	old = registry_find(&s->registry, d->id);
	if (s->closing || (!old && !has_place(s, d))) {
		board_free(d);
		return NULL;
	}
	if (old)
		replace(old, d);
	d->transport = (struct transport){ .loop = s->loop,
					   .events = &device_events,
					   .owner = d,
					   .share = &d->share };
	link_init(&d->link, DIALECT_DEVICE, peer->protocol_version);
	d->state = DEVICE_CONNECTED;
	d->alias = aliases_name(&s->aliases, d->device_id, d->client_id);
	d->since_ms = d->seen_ms = unix_now_ms();
	d->deadline = LOOP_FOREVER;
	registry_add(&s->registry, d);
	return d;
}

void board_discard(struct board *d)
{
	registry_remove(&d->server->registry, d);
	board_free(d);
}

/* ---- the transport's events ---- */

static void trace(const struct board *d, bool outgoing, const char *kind,
		  const void *data, size_t len)
{
	const struct serve *s = d->server;
	struct trace t = { .outgoing = outgoing,
			   .kind = kind,
			   .data = data,
			   .len = len,
			   .device = d->id };

	if (!s->config.trace)
		return;
	t.at_us = loop_now_us() - s->opened_us;
	s->config.trace(s->config.trace_owner, &t);
}

static void record_connected(struct board *d, const struct peer_info *peer)
{
	struct record *r = board_record(
		d, RECORD_CONNECTED, LEVEL_INFO, "connected over %s%s%s",
		d->mqtt ? "MQTT" : "WebSocket", d->path ? ", " : "",
		d->path ? d->path : "");
	struct buf detail = { 0 };

	if (!r)
		return;
	buf_printf(&detail, "\"transport\":\"%s\",\"protocol_version\":%d",
		   d->mqtt ? "mqtt" : "websocket", peer->protocol_version);
	json_add_text(&detail, "path", d->path);
	r->detail = buf_take(&detail);
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct board *d = owner;
	struct serve *s = d->server;

	if (d->closing)
		return;
	d->open = true;
	if (d->address)
		trace(d, false, "ready", d->address, strlen(d->address));
	s->came++;
	link_connected(&d->link, true, peer->protocol_version);
	if (peer->udp)
		link_offer_udp(&d->link, peer->udp);
	record_connected(d, peer);
	board_tell_claim(d);
	if (s->control)
		control_changed(d, "connected");
	if (peer->standby) {
		link_settle(&d->link, DIALECT_DEVICE);
		board_start(d);
	} else if (!d->mqtt) {
		d->deadline = loop_now() + s->config.hello_wait;
		serve_sweep_by(s, d->deadline);
	}
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct board *d = owner;

	if (d->closing)
		return;
	d->seen_ms = unix_now_ms();
	trace(d, false, kind == FRAME_TEXT ? "text" : "binary", data, len);
	board_frame(d, kind, data, len);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)id;
	board_record(owner, RECORD_ODD, LEVEL_WARN, "%s", why->text);
}

static void record_gone(struct board *d, const struct error *why)
{
	int64_t held = unix_now_ms() - d->since_ms;
	bool odd = why->kind == ERR_PROTOCOL;
	char text[32];
	struct record *r;

	if (!d->open) {
		board_record(d, RECORD_NOISE, LEVEL_DEBUG,
			     "the handshake was not finished: %s", why->text);
		return;
	}
	text_milliseconds(held, text, sizeof(text));
	/* Of those there may be any number. */
	if (why->code == WS_TRY_AGAIN_LATER && d->share.budget) {
		r = records_seldom(&d->server->records, &d->server->held_much,
				   d->id, d->address, why->text);
		if (r)
			r->hint = mem_strdup(why->hint);
		return;
	}
	r = board_record(d, RECORD_GONE, odd ? LEVEL_WARN : LEVEL_INFO,
			 "gone after %s: %s", text, why->text);
	if (!r)
		return;
	r->hint = why->hint[0] ? mem_strdup(why->hint) : NULL;
	r->detail = mem_printf("\"held_ms\":%lld", (long long)held);
}

static void on_closed(void *owner, const struct error *told)
{
	struct board *d = owner;
	const struct error *why = d->why ? d->why : told;
	struct error proper = { 0 };

	/* What was asked can only fail; a proper close is no reason by itself. */
	if (why->kind == ERR_NONE) {
		error_set(&proper, ERR_CONNECT, "%s",
			  why->text[0] ? why->text :
					 "the device closed the connection");
		why = &proper;
	}
	trace(d, false, "closed", why->text, strlen(why->text));
	if (!d->gone) {
		record_gone(d, why);
		leave(d, why);
	}
	board_free(d);
}

static const struct transport_events device_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
};

/* ---- for the rest of serve ---- */

int board_send(struct board *d, const char *text, size_t len, struct error *err)
{
	if (!d->open || d->closing)
		return error_set(err, ERR_CONNECT,
				 "the connection of the device is %s",
				 d->closing ? "closing" : "not open yet");
	trace(d, true, "text", text, len);
	return d->transport.ops->send(&d->transport, text, len, err);
}

/* Over MQTT the connection stays up; only the voice session ends (device.md 2.5). */
static void say_goodbye(struct board *d)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	struct error ignored = { 0 };

	if (!d->mqtt || !d->link.has_hello)
		return;
	buf_text(&frame, "{\"session_id\":");
	buf_json_string(&frame, d->link.session_id, strlen(d->link.session_id));
	buf_text(&frame, ",\"type\":\"goodbye\"}");
	board_send(d, frame.data, frame.len, &ignored);
	error_reset(&ignored);
}

void board_end(struct board *d, const struct error *why)
{
	if (d->closing)
		return;
	say_goodbye(d);
	board_start_drop(d);
	d->closing = true;
	d->deadline = LOOP_FOREVER;
	d->why = mem_zalloc(sizeof(*d->why));
	error_copy(d->why, why);
	if (d->transport.ops)
		d->transport.ops->close(&d->transport);
}

bool board_sweep(struct board *d, int64_t now)
{
	struct error why = { 0 };
	struct record *r;
	char wait[32];

	if (d->deadline > now)
		return d->deadline != LOOP_FOREVER;
	text_milliseconds(d->server->config.hello_wait, wait, sizeof(wait));
	error_set(&why, ERR_TIMEOUT, "said no hello in %s", wait);
	r = board_record(d, RECORD_REFUSED, LEVEL_WARN, "%s: closed", why.text);
	if (r)
		r->hint = mem_strdup("firmware says hello at once; is it a "
				     "device that dials in here?");
	board_end(d, &why);
	return false;
}
