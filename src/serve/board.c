/* SPDX-License-Identifier: MIT */
/*
 * A board that is served: it comes, is listed, is asked, and goes; what it
 * says.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "mcp/guard.h"
#include "mcp/rules.h"
#include "net/head.h"
#include "net/port.h"
#include "net/why.h"
#include "net/ws.h"
#include "serve/board.h"
#include "serve/board_start.h"
#include "serve/board_tell.h"
#include "serve/last_said.h"
#include "serve/photos.h"
#include "serve/serve_state.h"
#include "wire/access_point.h"

static const struct link_events link_events;

/*
 * The life of a device that serve holds: it comes, replaces its older self,
 * and goes. What it says is below.
 */

/* Of what a peer tells of itself. */
#define PATH_MAX_BYTES 512
#define HEADERS_MAX_BYTES 2048
/* In which one is ready that is to keep its place when there is no other. */
#define STRANGER_MS 3000

static const struct transport_events device_events_board;

/* ---- made and freed ---- */

/* For `info`: those of a peer with much to tell are left out from there on. */
static char *headers_text(const struct headers *from)
{
	struct headers kept = { 0 };
	struct buf out = { 0 };

	session_keep_headers(&kept, from);
	for (size_t i = 0; i < kept.count && out.len < HEADERS_MAX_BYTES; i++) {
		const struct header *h = &kept.item[i];

		buf_char(&out, i ? ',' : '{');
		buf_json_string(&out, h->name, strlen(h->name));
		buf_char(&out, ':');
		buf_json_string(
			&out, h->value,
			text_cut(h->value, strlen(h->value), PATH_MAX_BYTES));
	}
	headers_done(&kept);
	if (!out.len)
		return NULL;
	buf_char(&out, '}');
	return buf_take(&out);
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
	d->headers = headers_text(peer->headers);
	if (peer->protocol_version > 0 && peer->protocol_version <= UINT8_MAX)
		d->protocol_version = (uint8_t)peer->protocol_version;
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

	voice_free(d->voice);
	pace_free(d->pace);
	board_start_drop(d);
	relay_leave(&s->relays, d);
	share_close(&d->share);
	tool_lists_release(&s->tool_lists, d->tools);
	link_done(&d->link);
	findings_free(d);
	photos_free(d->photos);
	mem_free(d->breaker);
	mem_free(d->calls);
	mem_free(d->health);
	if (d->why)
		error_reset(d->why);
	mem_free(d->why);
	mem_free(d->reason);
	mem_free(d->id);
	mem_free(d->device_id);
	mem_free(d->client_id);
	mem_free(d->address);
	mem_free(d->path);
	mem_free(d->headers);
	mem_free(d->reached);
	mem_free(d->board);
	mem_free(d->version);
	mem_free(d->server_name);
	mem_free(d->token_name);
	mem_free(d->hello);
	mem_free(d->initialize);
	last_said_free(d->last_said, &s->last_said);
	s->sockets -= !d->mqtt && !d->held;
	if (d->held)
		d->held->ops->release(d->held);
	mem_free(d);
	s->events->freed(s);
}

/* Nobody finds it, asks it or listens to it from now on. */
static void leave(struct board *d, const struct error *why, bool broke)
{
	findings_end(d);
	d->gone = d->closing = true;
	registry_remove(&d->server->registry, d);
	board_start_drop(d);
	if (!d->held)
		departed_note(&d->server->departed, d, why, broke);
	relay_fail_all(d, why);
	d->server->events->gone(d, why);
	d->server->events->changed(d, "gone");
	/* Names may be read again before it is freed. */
	d->alias = NULL;
}

static bool is_tool_side(const struct board *d)
{
	return !d->held && (d->at_point || d->link.dialect == DIALECT_PLAIN);
}

/* What it means that the other took its place; NULL: nothing, or it was said. */
static const char *meet(const struct board *old, const struct board *new)
{
	const struct rivalry how = { .id = new->id,
				     .mqtt = new->mqtt,
				     .tool_side = is_tool_side(new),
				     .old_client = old->client_id,
				     .old_address = old->address,
				     .new_client = new->client_id,
				     .new_address = new->address,
				     .now = loop_now() };

	/* From one transport to the other goes one board. */
	return old->mqtt == new->mqtt ?
		       rivals_meet(&new->server->rivals, &how) :
		       NULL;
}

/* A finding too, once it is more than a guess. */
static void find_rival(struct board *d)
{
	const enum diag_code code = d->mqtt	    ? M406 :
				    is_tool_side(d) ? P718 :
						      D105;

	if (rivals_certain(&d->server->rivals, d->id))
		diag_found(d->diag, code, (struct span){ 0 }, "%s", d->id);
}

/* Over MQTT the broker ended the older connection. */
static void tell_rival(struct board *d)
{
	const struct rivalry how = { .id = d->id,
				     .mqtt = true,
				     .new_client = d->client_id,
				     .new_address = d->address,
				     .now = loop_now() };
	const char *hint =
		d->mqtt ? rivals_came(&d->server->rivals, &how) : NULL;

	if (hint)
		record_hint(
			board_record(
				d, RECORD_REPLACED, LEVEL_WARN,
				"connected with a client id that was connected, from %s: the broker ended the older connection",
				d->address ? d->address : "elsewhere"),
			hint);
	if (hint)
		find_rival(d);
}

static void replace(struct board *old, struct board *new)
{
	const char *hint = meet(old, new);
	struct error why = { 0 };
	struct record *r;

	error_set(&why, ERR_CONNECT, "the %s dialled in again",
		  is_tool_side(old) ? "tool side" : "device");
	if (hint)
		error_hint(&why, "%s", hint);
	r = board_record(
		old, RECORD_REPLACED, hint ? LEVEL_WARN : LEVEL_INFO,
		"dialled in again, from %s: the old connection is closed",
		new->address ? new->address : "elsewhere");
	if (r)
		r->hint = mem_strdup(hint);
	leave(old, &why, !old->closing);
	if (is_tool_side(old))
		old->transport.last_words = POINT_REPLACED;
	/* It may be closing already. */
	if (old->transport.ops)
		old->transport.ops->close(&old->transport);
}

/*
 * Who is known is served before strangers; and a stranger that answered
 * initialize within a moment (fleets do) before one that did not. By a token that
 * is everybody's a board is known, but may be silent for nobody's sake.
 */
static bool is_named(const struct board *d)
{
	const struct serve *s = d->server;

	return d->held || (s->config.mqtt_key_file && d->mqtt) ||
	       enrolled_or_listed(&s->enrolled, &s->aliases, d->device_id,
				  d->client_id);
}

static bool is_stranger(const struct board *d, int64_t before)
{
	return d->state < DEVICE_READY && !d->closing && !is_named(d) &&
	       d->since_ms <= before;
}

/* What it holds counts no more as a stranger's, if its board is known. */
static void board_said_hello(struct board *d)
{
	if (board_is_known(d))
		share_close(&d->share);
}

/* Told once in 10 s; the record's count is of all since the last. */
static void tell_crowded(struct board *d, const char *text, const char *advice)
{
	struct serve *s = d->server;
	struct record *r = records_seldom(&s->records, &s->crowded, d->id,
					  d->address, text);

	if (r)
		r->hint = mem_strdup(advice);
}

static void lose_place(struct board *d, const char *what, const char *advice)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *text = mem_printf("closed: %s", what);

	error_set(&why, ERR_CONNECT, "%s", what);
	tell_crowded(d, text, advice);
	leave(d, &why, false);
	if (d->transport.ops)
		d->transport.ops->close(&d->transport);
	if (d->mqtt)
		d->server->events->kick(d);
}

/* Of those whose end helps. NULL: none. */
static struct board *find_stranger(struct serve *s, int64_t before,
				   bool few_files)
{
	struct board *d = s->registry.first;

	while (d && !(is_stranger(d, before) && !(few_files && d->mqtt)))
		d = d->next;
	return d;
}

/*
 * Anybody can play a board to its end, many times: where all places are taken,
 * of those that nobody knows the one that said nothing longest goes for one that
 * is known.
 */
static struct board *find_unknown(struct serve *s, bool few_files)
{
	struct board *found = NULL;

	for (struct board *d = s->registry.first; d; d = d->next) {
		if (!d->closing && !(few_files && d->mqtt) &&
		    (!found || d->seen_ms < found->seen_ms) &&
		    !board_is_known(d))
			found = d;
	}
	return found;
}

static bool make_place(struct serve *s, const struct board *new, bool few_files,
		       const char *advice)
{
	bool known = board_is_known(new);
	int64_t before = unix_now_ms() - (known ? 0 : STRANGER_MS);
	struct board *d = find_stranger(s, before, few_files);

	if (d) {
		lose_place(d, "it was not ready, and others need its place",
			   advice);
		return true;
	}
	d = known ? find_unknown(s, few_files) : NULL;
	if (d)
		lose_place(d, "its place is for a board that is known", advice);
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
	lose_place(
		d, "it was not ready, and others need its place",
		"its address has as many connections as one gets: are there boards that connect and say nothing? behind a reverse proxy: --trusted-proxy");
	return true;
}

static bool has_place(struct serve *s, struct board *new)
{
	bool few_files =
		!new->mqtt && s->sockets_max && s->sockets > s->sockets_max;
	const char *advice =
		few_files || s->config.by_files ?
			"raise the limit of open files (ulimit -n)" :
			"raise --devices-max";
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!few_files && (int64_t)s->registry.count < s->config.devices_max)
		return true;
	if (make_place(s, new, few_files, advice))
		return true;
	text = few_files ?
		       mem_printf(
			       "refused: no more WebSockets fit into the open files that are allowed") :
		       mem_printf(
			       "refused: %lld device%s connected, that is the limit",
			       (long long)s->config.devices_max,
			       s->config.devices_max == 1 ? " is" : "s are");
	tell_crowded(new, text, advice);
	return false;
}

/*
 * Whether a tool side may call itself so (agent= of its URL): what is the id of
 * one that is here stays with it, unless that came by such a name too; what has
 * the form of a Device-Id, or is an alias of another, is a board's.
 */
static bool may_be_agent(const struct serve *s, const char *name)
{
	const struct board *here = registry_find_written(&s->registry, name);
	const struct alias *listed = aliases_find(&s->aliases, name);

	if (board_id_is_mac(name) || (listed && !text_same(listed->id, name)))
		return false;
	return !here || here->by_agent;
}

/* Who comes, under a name that it cannot have. */
static bool poses(const struct board *d, const struct board *old)
{
	struct serve *s = d->server;
	struct record *r;

	if (d->by_agent ? may_be_agent(s, d->client_id) : !old || !old->held)
		return false;
	r = records_seldom(
		&s->records, &s->posing, NULL, d->address,
		d->by_agent ?
			"refused: the agent= in its URL is the name of another one here" :
			"refused: it calls itself as a server that is kept open");
	record_hint(
		r,
		d->by_agent ?
			"give it a name of its own: agent=NAME" :
			"is it a board of yours? close the server, and open it under another name");
	return true;
}

struct board *board_new(struct serve *s, const struct peer_info *peer,
			bool mqtt)
{
	struct board *d = mem_zalloc(sizeof(*d)), *old;

	d->server = s;
	d->mqtt = mqtt;
	d->number = ++s->connections;
	s->held++;
	if (s->held > s->held_most)
		s->held_most = s->held;
	s->sockets += !mqtt;
	keep_peer(d, peer);
	d->by_agent = peer->unsure && peer->client_id;
	old = registry_find(&s->registry, d->id);
	if (s->closing || poses(d, old) || (!old && !has_place(s, d))) {
		board_free(d);
		return NULL;
	}
	if (old)
		replace(old, d);
	d->transport = (struct transport){ .loop = s->loop,
					   .events = &device_events_board,
					   .owner = d,
					   .share = &d->share };
	link_init(&d->link, peer->unsure ? DIALECT_UNKNOWN : DIALECT_DEVICE,
		  peer->protocol_version);
	d->unsure = peer->unsure;
	d->at_point = peer->at_point;
	d->state = DEVICE_CONNECTED;
	d->alias = aliases_name(&s->aliases, d->device_id, d->client_id);
	d->since_ms = d->seen_ms = unix_now_ms();
	d->deadline = d->ask_at = LOOP_FOREVER;
	registry_add(&s->registry, d);
	findings_begin(d);
	if (old)
		find_rival(d);
	tell_rival(d);
	return d;
}

static void take_id(struct board *d, char *id)
{
	struct registry *r = &d->server->registry;

	registry_remove(r, d);
	mem_free(d->id);
	d->id = id;
	registry_add(r, d);
}

/* From now on its id is that, lower case; who had it is replaced. */
static void board_call(struct board *d, const char *name)
{
	struct board *old;

	if (text_same(d->id, name))
		return;
	old = registry_find(&d->server->registry, name);
	if (old) {
		CLEANUP(mem_free_ptr) char *before = TAKE(d->id);

		d->id = mem_strdup(name);
		replace(old, d);
		find_rival(d);
		mem_free(d->id);
		d->id = TAKE(before);
	}
	take_id(d, mem_strdup(name));
}

#define NAME_SHOWN 48

/* Of what a server calls itself, the letters of a name. */
static char *name_of_server(const char *text)
{
	char out[NAME_SHOWN + 1];
	size_t len = 0;

	for (; text && *text && len < NAME_SHOWN; text++) {
		const char c = (char)text_lower(*text);

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    c == '.' || c == '_')
			out[len++] = c;
		else if (len && out[len - 1] != '-')
			out[len++] = '-';
	}
	while (len && out[len - 1] == '-')
		len--;
	return len ? mem_strndup(out, len) : mem_strdup("tool-side");
}

/* Nobody is put out for a name that anybody may have. */
static void call_as_it_says(struct board *d)
{
	CLEANUP(mem_free_ptr) char *name = name_of_server(d->board);

	take_id(d, registry_free_id(d->server, name, '-'));
}

void board_name_tool_side(struct board *d)
{
	/* By its URL. */
	if (d->device_id || d->client_id || d->named)
		return;
	d->named = true;
	if (d->token_name)
		board_call(d, d->token_name);
	else
		call_as_it_says(d);
}

struct board *board_hold(struct serve *s, const char *id, struct held *h)
{
	struct board *d = mem_zalloc(sizeof(*d));

	d->server = s;
	d->held = h;
	d->number = ++s->connections;
	s->held++;
	if (s->held > s->held_most)
		s->held_most = s->held;
	d->id = mem_strdup(id);
	d->transport = (struct transport){ .loop = s->loop,
					   .events = &device_events_board,
					   .owner = d };
	link_init(&d->link, DIALECT_PLAIN, 0);
	d->state = DEVICE_CONNECTED;
	d->since_ms = d->seen_ms = unix_now_ms();
	d->deadline = d->ask_at = LOOP_FOREVER;
	registry_add(&s->registry, d);
	return d;
}

void board_held_down(struct board *d, const struct error *why)
{
	struct serve *s = d->server;
	CLEANUP(error_reset) struct error lost = { 0 };

	board_trace_end(d, why->text, why);
	d->open = false;
	d->state = DEVICE_CONNECTED;
	d->ask_at = LOOP_FOREVER;
	board_start_drop(d);
	mem_free(TAKE(d->reason));
	mem_free(TAKE(d->initialize));
	tool_lists_release(&s->tool_lists, TAKE(d->tools));
	error_copy(&lost, why);
	if (!*lost.hint)
		error_hint(
			&lost,
			"whether what was asked was carried out is not known");
	relay_fail_all(d, &lost);
	s->events->gone(d, why);
	s->events->changed(d, "ended");
}

void board_discard(struct board *d)
{
	registry_remove(&d->server->registry, d);
	board_free(d);
}

/* ---- the transport's events ---- */

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

/* It spoke, and without an envelope: before it was asked, or to answer. */
static void see_tool_side(struct board *d)
{
	if (d->link.dialect == DIALECT_UNKNOWN || d->closing)
		return;
	d->unsure = false;
	d->ask_at = LOOP_FOREVER;
	if (d->link.dialect != DIALECT_PLAIN)
		return;
	if (d->state == DEVICE_CONNECTED && d->start) {
		d->state = DEVICE_INITIALIZING;
	} else if (d->state == DEVICE_CONNECTED) {
		d->deadline = LOOP_FOREVER;
		board_start(d);
	}
}

/* It may be a tool side: a board says hello at once. */
static void wait_or_ask(struct board *d)
{
	struct serve *s = d->server;

	/* Nothing will tell, so its path does. */
	if (s->config.no_init && d->at_point) {
		link_settle(&d->link, DIALECT_PLAIN);
		see_tool_side(d);
	}
	if (s->config.no_init)
		return;
	if (d->at_point) {
		board_ask_tool_side(d);
		return;
	}
	d->ask_at = loop_now() + LINK_HELLO_MS;
	if (d->ask_at < d->deadline)
		s->events->due(s, d->ask_at);
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct board *d = owner;
	struct serve *s = d->server;

	if (d->closing)
		return;
	d->open = true;
	if (d->address)
		board_trace(d, false, "ready", d->address, strlen(d->address));
	s->came++;
	missing_came(&s->missing, d->device_id);
	link_connected(&d->link, !d->unsure, peer->protocol_version);
	if (peer->udp)
		link_offer_udp(&d->link, peer->udp);
	record_connected(d, peer);
	board_tell_claim(d);
	s->events->changed(d, "connected");
	if (peer->standby) {
		link_settle(&d->link, DIALECT_DEVICE);
		board_start(d);
	} else if (!d->mqtt) {
		d->deadline = loop_now() + s->config.hello_wait;
		s->events->due(s, d->deadline);
	}
	if (d->unsure)
		wait_or_ask(d);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct board *d = owner;

	if (d->closing)
		return;
	d->seen_ms = unix_now_ms();
	d->asked_ms = 0;
	board_trace(d, false, kind == FRAME_TEXT ? "text" : "binary", data,
		    len);
	link_receive(&d->link, kind, (struct span){ data, len }, &link_events,
		     d);
	if (d->unsure)
		see_tool_side(d);
	if (is_tool_side(d) && !d->named && !d->closing &&
	    (d->state == DEVICE_LISTING || d->state == DEVICE_READY))
		board_name_tool_side(d);
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

	if (!d->open && !d->held) {
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
	/* What two with one id are to do is said once (serve/rivals.h). */
	if (why->hint[0] && why->code != EEXIST)
		r->hint = mem_strdup(why->hint);
	r->detail = mem_printf("\"held_ms\":%lld", (long long)held);
}

static void on_closed(void *owner, const struct error *told)
{
	struct board *d = owner;
	const struct error *why = d->why ? d->why : told;
	struct error proper = { 0 }, left = { 0 };
	/* A TCP FIN is how firmware hangs up (device.md 1.4). */
	bool broke = !d->why && (d->mqtt ? told->kind != ERR_NONE :
					   told->code == ECONNRESET ||
						   told->code == ETIMEDOUT);

	/* What was asked can only fail; a proper close is no reason by itself. */
	if (why->kind == ERR_NONE) {
		error_set(
			&proper, ERR_CONNECT, "%s",
			why->text[0] ?
				why->text :
			d->closing ?
				"ended here" :
			d->mqtt ?
				"the device left the broker (MQTT DISCONNECT)" :
				"the device closed the connection");
		why = &proper;
	}
	/* DISCONNECT is the Close of MQTT. */
	if (d->mqtt && told->kind == ERR_NONE && !d->closing)
		error_reason(&left, WHY_CLOSE);
	board_trace_end(d, why->text, left.reason ? &left : told);
	voice_free(TAKE(d->voice));
	if (d->mqtt && told->code == EEXIST)
		rivals_thrown(&d->server->rivals, d->id, d->client_id,
			      d->address);
	if (!d->gone) {
		record_gone(d, why);
		leave(d, why, broke);
	}
	board_free(d);
}

static void on_pong(void *owner)
{
	struct board *d = owner;

	d->server->events->pong(d);
}

static const struct transport_events device_events_board = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.pong = on_pong,
	.closed = on_closed,
};

/* ---- for the rest of serve ---- */

void board_goodbye(struct board *d)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	struct error ignored = { 0 };

	if (!d->mqtt || !d->link.session_id[0])
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
	/* A session that another backend began is not ours to end. */
	if (!d->link.learned)
		board_goodbye(d);
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

	if (d->held)
		return d->held->ops->sweep(d->held, now);
	if (d->ask_at <= now)
		board_ask_tool_side(d);
	if (d->deadline > now)
		return d->deadline != LOOP_FOREVER;
	text_milliseconds(d->server->config.hello_wait, wait, sizeof(wait));
	error_set(&why, ERR_TIMEOUT, "said no hello in %s%s", wait,
		  d->start ? ", and did not answer initialize" : "");
	diag_found(d->diag, D102, (struct span){ 0 }, "%s", why.text);
	r = board_record(d, RECORD_REFUSED, LEVEL_WARN, "%s: closed", why.text);
	if (r)
		r->hint = mem_strdup(
			"firmware says hello at once; is it a device that dials in here?");
	board_end(d, &why);
	return false;
}

/*
 * What a held device says: replies go to their askers, the rest becomes
 * records and goes to the commands that are attached to it.
 */

#define HELLO_MAX 65536
/* What of a frame is shown in a line, and given as detail. */
#define SHOWN_MAX 600
#define DETAIL_MAX 8192

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void take_any(void *owner, enum frame_kind kind, struct span frame,
		     const struct json_places *at)
{
	board_judge(owner, false, kind, frame, at);
	if (kind == FRAME_TEXT)
		board_hear(owner, false, frame);
}

static void send_quietly(void *owner, const struct buf *frame)
{
	struct error ignored = { 0 };

	board_send(owner, frame->data, frame->len, &ignored);
	error_reset(&ignored);
}

static void forward(struct board *d, struct span frame)
{
	last_said_add(&d->last_said, &d->server->last_said, frame.text,
		      frame.len, unix_now_ms());
	d->server->events->text(d, frame.text, frame.len);
}

static int shown(const char *text, size_t len)
{
	return (int)text_cut(text, len, SHOWN_MAX);
}

/* The message itself for -o json; nothing if it is long. */
static void add_message(struct record *r, const char *text, size_t len)
{
	struct buf detail = { 0 };

	if (!r || len > DETAIL_MAX)
		return;
	buf_text(&detail, "\"message\":");
	json_minify(&detail, text, len);
	r->detail = buf_take(&detail);
}

/* ---- JSON-RPC ---- */

/*
 * What is wrong with it was said when it came (serve/findings.h). A reply that
 * nobody waits for is never handed on as it is: its id could be taken for one
 * of the command's own.
 */
static void take_reply(void *owner, struct message *m)
{
	if (m->has_number)
		relay_answer(owner, m->number, m->frame, m->id);
}

/* The raw token, so that an id beyond a double comes back unharmed. */
static void refuse_request(struct board *d, const struct message *m)
{
	CLEANUP(mem_free_ptr) char *token = mem_strndup(m->id.text, m->id.len);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("method not found: %s", m->method);
	CLEANUP(buf_done) struct buf payload = { 0 }, frame = { 0 };

	jsonrpc_error(&payload, token, JSONRPC_METHOD_NOT_FOUND, text);
	link_wrap(&d->link, payload.data, payload.len, &frame);
	send_quietly(d, &frame);
}

static void record_call(struct board *d, const struct message *m,
			enum record_kind kind, const char *what)
{
	struct record *r = board_record(d, kind, LEVEL_INFO, "%s%s%s%.*s", what,
					m->method, m->params.len ? " " : "",
					shown(m->params.text, m->params.len),
					m->params.text ? m->params.text : "");

	add_message(r, m->text, m->len);
}

/* What needs nobody is answered as a session of its own would. */
static void answer_request(struct board *d, const struct message *m,
			   const char *result)
{
	CLEANUP(mem_free_ptr) char *token = mem_strndup(m->id.text, m->id.len);
	CLEANUP(buf_done) struct buf payload = { 0 }, frame = { 0 };

	jsonrpc_result(&payload, token, result);
	link_wrap(&d->link, payload.data, payload.len, &frame);
	send_quietly(d, &frame);
}

static void take_request(void *owner, const struct message *m)
{
	const struct board *d = owner;
	const char *result = mcp_rules.answer(m->method);

	if (d->held) {
		record_call(owner, m, RECORD_REQUEST, "a request: ");
		d->held->ops->request(owner, m);
		return;
	}
	record_call(owner, m, RECORD_REQUEST,
		    result ? "a request: " : "a request, refused: ");
	if (result)
		answer_request(owner, m, result);
	else
		refuse_request(owner, m);
	forward(owner, m->frame);
}

static void take_notification(void *owner, const struct message *m)
{
	const struct board *d = owner;

	record_call(owner, m, RECORD_NOTIFICATION, "");
	if (!d->held || !d->held->ops->notification(owner, m))
		forward(owner, m->frame);
}

static void take_odd(void *owner, const struct message *m, const char *why)
{
	(void)owner;
	(void)m;
	(void)why;
}

/* Firmware pastes error texts in without escaping (device.md 3.7). */
static void take_broken(void *owner, struct span frame,
			const struct error *problem,
			const struct salvage *salvage)
{
	(void)problem;
	if (salvage->has_id)
		relay_answer(owner, salvage->id, frame, salvage->id_text);
}

/* ---- hello ---- */

static void describe_hello(struct buf *out, const struct hello *h)
{
	const struct hello_audio *a = &h->audio;

	if (h->version)
		buf_printf(out, "version %d, ", h->version);
	else
		buf_text(out, "no version, ");
	if (*h->transport)
		buf_printf(out, "transport '%s', ", h->transport);
	else
		buf_text(out, "no transport, ");
	buf_text(out, *a->format ? a->format : "no audio");
	if (a->sample_rate)
		buf_printf(out, " %d Hz", a->sample_rate);
}

static void record_hello(struct board *d)
{
	CLEANUP(buf_done) struct buf said = { 0 };
	bool again = d->link.hellos > 1;
	struct record *r;

	describe_hello(&said, &d->link.hello);
	r = board_record(d, RECORD_HELLO, LEVEL_INFO, "said hello%s: %s",
			 again ? " again" : "", buf_string(&said));

	if (r && d->hello)
		add_message(r, d->hello, strlen(d->hello));
}

static void check_features(struct board *d)
{
	struct error why = { 0 };

	if (d->link.hello.mcp) {
		board_start(d);
		return;
	}
	error_set(
		&why, ERR_CONNECT,
		"the device offers no MCP: its hello has no features.mcp that is true");
	error_hint(
		&why,
		"MCP needs firmware 1.6.6 or later, built with the MCP protocol");
	board_unfit(d, DEVICE_NO_MCP, &why);
}

static void take_hello(void *owner, struct span frame)
{
	struct board *d = owner;

	/* All that is needed of it stands in its other members. */
	cJSON_Delete(TAKE(d->link.hello.json));
	mem_free(TAKE(d->hello));
	if (frame.len <= HELLO_MAX)
		d->hello = mem_strndup(frame.text, frame.len);
	d->deadline = LOOP_FOREVER;
	/* Asked as a tool side, it was a board that is slow. */
	if (d->state == DEVICE_CONNECTED)
		board_start_drop(d);
	board_said_hello(d);
	record_hello(d);
	/* Who waits for it to be ready is told of its hello then. */
	forward(d, frame);
	if (d->state == DEVICE_CONNECTED)
		check_features(d);
}

/* ---- the rest ---- */

static void take_device_message(void *owner, const char *type,
				struct span frame)
{
	CLEANUP(buf_done) struct buf small = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };
	struct record *r;

	json_minify(&small, frame.text, frame.len);
	text_unescape(&line, buf_string(&small), small.len);
	r = board_record(owner, RECORD_MESSAGE, LEVEL_INFO, "%.*s",
			 shown(buf_string(&line), line.len), buf_string(&line));
	add_message(r, frame.text, frame.len);
	forward(owner, frame);
	if (strcmp(type, "goodbye") == 0)
		board_audio_over(owner);
}

static const struct link_events link_events = {
	.frame = take_any,
	.send = send_quietly,
	.hello = take_hello,
	.reply = take_reply,
	.request = take_request,
	.notification = take_notification,
	.odd = take_odd,
	.device = take_device_message,
	.audio = board_audio,
	.broken = take_broken,
};
