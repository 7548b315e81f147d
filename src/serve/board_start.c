/* SPDX-License-Identifier: MIT */
/*
 * From a link that is up to a device that is ready: initialize, then all pages
 * of its tools. What fails leaves it connected, with the reason.
 */
#include "serve/board_start.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/diag.h"
#include "mcp/initialize.h"
#include "mcp/modern.h"
#include "mcp/revision.h"
#include "mcp/tools.h"
#include "serve/board.h"
#include "serve/board_tell.h"
#include "serve/serve_state.h"

/*
 * Lists that are read at the same time: each is held as trees until it is
 * complete, some 100 kB.
 */
#define LISTING_AT_ONCE 128u
/* More than any board has; there may be thousands of strangers. */
#define LIST_BYTES_MAX ((size_t)8 << 20)
#define INITIALIZE_MAX 65536
#define NAME_MAX_BYTES 96

static void give_turns(struct serve *s);

/* NOLINTBEGIN(misc-no-recursion): giving_turns ends it */
/* ---- the end of it ---- */

static void leave_queue(struct serve *s, const struct board *d)
{
	struct board **link = &s->turn_first, *before = NULL;

	while (*link != d) {
		before = *link;
		link = &before->start->next_waiting;
	}
	*link = d->start->next_waiting;
	if (s->turn_last == d)
		s->turn_last = before;
}

void board_start_drop(struct board *d)
{
	struct board_start *st = d->start;
	struct serve *s = d->server;
	bool had_turn;

	if (!st)
		return;
	had_turn = st->has_turn;
	if (st->waiting)
		leave_queue(s, d);
	d->start = NULL;
	relay_forget(&st->relay);
	listing_done(&st->listing);
	tool_list_done(&st->tools);
	mem_free(st);
	if (!had_turn)
		return;
	s->listing--;
	s->trim = true;
	give_turns(s);
}

static void settle(struct board *d, enum board_state state, const char *change)
{
	d->state = state;
	/* It is held as a device, and those are counted. */
	share_settle(&d->share);
	board_start_drop(d);
	d->server->events->changed(d, change);
	d->server->events->settled(d);
}

void board_unfit(struct board *d, enum board_state state,
		 const struct error *why)
{
	struct record *r;

	mem_free(d->reason);
	d->reason = mem_strdup(why->text);
	r = board_record(d, RECORD_FAILED, LEVEL_BAD, "%s", why->text);
	if (r && why->hint[0])
		r->hint = mem_strdup(why->hint);
	settle(d, state, board_state_name(state));
}

static void ready(struct board *d)
{
	size_t user = d->tools->user, all = d->tools->count;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct record *r;

	buf_printf(&text, "%zu tool%s", all - user, all - user == 1 ? "" : "s");
	if (user)
		buf_printf(&text, " + %zu user-only", user);
	if (d->board)
		buf_printf(&text, " (%s%s%s)", d->board, d->version ? " " : "",
			   d->version ? d->version : "");
	r = board_record(d, RECORD_READY, LEVEL_GOOD, "%s", text.data);
	if (r)
		r->detail = mem_printf(
			"\"tools\":%zu,\"user_tools\":%zu,\"list\":\"%s\"", all,
			user, d->tools->id);
	settle(d, DEVICE_READY, "ready");
	if (d->held && d->held->relist.stale)
		board_list_again(d, loop_now());
}

/* ---- replies ---- */

static int peer_error(const struct message *m, const char *meant,
		      struct error *err)
{
	const char *text = meant ? meant : json_string(m->error, "message");
	int64_t code = 0;

	if (cJSON_IsString(m->error))
		text = m->error->valuestring;
	if (!text || !*text)
		text = "the device sent an error without a message";
	if (json_integer(m->error, "code", &code) || code < INT_MIN ||
	    code > INT_MAX)
		return error_set(err, ERR_PEER, "%s", text);
	error_set(err, ERR_PEER, "%s (%d)", text, (int)code);
	return error_code(err, (int)code);
}

/*
 * The message of a reply frame. -1: it is an error, or broken; the connection's
 * end and time over come as why.
 */
static int read_reply(struct message *out, const char *frame, size_t len,
		      const struct error *why, struct error *err)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	CLEANUP(salvage_done) struct salvage salvage = { 0 };
	CLEANUP(error_reset) struct error problem = { 0 };

	if (why) {
		error_copy(err, why);
		return -1;
	}
	if (envelope_decode(&e, frame, len, &problem) ||
	    message_keep(&e.message, &problem)) {
		jsonrpc_salvage(frame, len, &salvage);
		if (salvage.is_error)
			return peer_error(&e.message, salvage.message, err);
		return error_set(err, ERR_PROTOCOL, "the reply is broken: %s",
				 problem.text);
	}
	if (e.message.kind == MESSAGE_ERROR)
		return peer_error(&e.message, NULL, err);
	message_take(out, &e.message);
	return 0;
}

/* ---- tools/list ---- */

static void failed_listing(struct board *d, struct error *why)
{
	struct tool_list *tools = &d->start->tools;

	/* The engine does not know who of several that list goes round. */
	if (d->diag && strcmp(why->finding, "D106") == 0 &&
	    !diag_count(d->diag, D106))
		diag_found(d->diag, D106, (struct span){ 0 }, "%s", why->text);
	if (tools->count)
		d->tools = tool_lists_hold(&d->server->tool_lists, tools);
	board_unfit(d, DEVICE_FAILED, why);
	if (d->held && d->held->relist.stale)
		board_list_again(d, loop_now());
}

static void on_page(void *owner, struct relay *r, const char *frame, size_t len,
		    const struct error *why);

static void ask_page(struct board *d)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct board_start *st = d->start;

	listing_params(&st->listing, &params);
	st->relay.done = on_page;
	if (!relay_request(&st->relay, d, "tools/list",
			   params.len ? params.data : NULL,
			   d->server->config.timeout, &err))
		return;
	listing_failed(&st->listing, &err);
	error_prefix(&err, "tools/list");
	failed_listing(d, &err);
}

static void on_page(void *owner, struct relay *r, const char *frame, size_t len,
		    const struct error *why)
{
	CLEANUP(message_done) struct message page = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct board *d = owner;
	struct listing *l = &d->start->listing;
	int status = 0;

	(void)r;
	if (read_reply(&page, frame, len, why, &err)) {
		status = listing_failed(l, &err);
		error_prefix(&err, "tools/list");
	} else {
		status = listing_feed_take(l, &page, &err);
	}
	if (status) {
		failed_listing(d, &err);
	} else if (!l->done) {
		ask_page(d);
	} else {
		d->tools = tool_lists_hold(&d->server->tool_lists,
					   &d->start->tools);
		ready(d);
	}
}

/* ---- turns ---- */

static void give_turns(struct serve *s)
{
	struct board *d;

	/* What fails at once gives its turn back: do not go deeper for that. */
	if (s->giving_turns || s->closing)
		return;
	s->giving_turns = true;
	while (s->turn_first && s->listing < LISTING_AT_ONCE) {
		d = s->turn_first;
		s->turn_first = d->start->next_waiting;
		if (!s->turn_first)
			s->turn_last = NULL;
		d->start->next_waiting = NULL;
		d->start->waiting = false;
		d->start->has_turn = true;
		s->listing++;
		ask_page(d);
	}
	s->giving_turns = false;
	if (!s->listing)
		s->events->due(s, LOOP_FOREVER);
}

static void wait_for_turn(struct board *d)
{
	struct serve *s = d->server;

	listing_init(&d->start->listing, &d->start->tools,
		     d->link.dialect == DIALECT_DEVICE);
	d->start->listing.bytes_max = LIST_BYTES_MAX;
	d->start->listing.modern = d->held && d->held->modern;
	d->start->waiting = true;
	if (s->turn_last)
		s->turn_last->start->next_waiting = d;
	else
		s->turn_first = d;
	s->turn_last = d;
	give_turns(s);
}

static void begin_listing(struct board *d)
{
	if (d->held) {
		relist_begin(&d->held->relist, loop_now());
		d->ask_at = LOOP_FOREVER;
	}
	d->state = DEVICE_LISTING;
	d->start = mem_zalloc(sizeof(*d->start));
	d->start->relay.owner = d;
	wait_for_turn(d);
}

/* Or was to be, and it failed: that may be over. */
static bool was_listed(const struct board *d)
{
	return d->state == DEVICE_READY ||
	       (d->state == DEVICE_FAILED && d->initialize);
}

void board_list_again(struct board *d, int64_t now)
{
	d->held->relist.stale = true;
	if (d->start || !d->open || d->closing || !was_listed(d))
		return;
	d->ask_at = relist_at(&d->held->relist);
	if (d->ask_at > now) {
		d->server->events->due(d->server, d->ask_at);
		return;
	}
	mem_free(TAKE(d->reason));
	tool_lists_release(&d->server->tool_lists, TAKE(d->tools));
	begin_listing(d);
}

/* NOLINTEND(misc-no-recursion) */

/* ---- initialize ---- */

static int keep_reply(struct board *d, const struct message *m,
		      struct error *err)
{
	const cJSON *info;
	const char *name;

	if (!cJSON_IsObject(m->result)) {
		error_set(err, ERR_PROTOCOL, "the reply has no result object");
		return -1;
	}
	info = d->held && d->held->modern ?
		       modern_server_info(m->result) :
		       json_object(m->result, "serverInfo");
	name = json_string(info, "name");
	/* Its User-Agent told of its library. */
	if (d->link.dialect == DIALECT_PLAIN) {
		mem_free(TAKE(d->board));
		mem_free(TAKE(d->version));
	}
	if (!d->board)
		d->board = board_keep(name, NAME_MAX_BYTES);
	else if (!d->server_name && !text_same(name, d->board))
		d->server_name = board_keep(name, NAME_MAX_BYTES);
	if (!d->version)
		d->version = board_keep(json_string(info, "version"),
					NAME_MAX_BYTES);
	if (m->len <= INITIALIZE_MAX && !d->initialize)
		d->initialize = mem_strndup(m->text, m->len);
	board_tell_claim(d);
	return 0;
}

void board_keep_initialize(struct board *d, struct message *m)
{
	if (d->initialize || d->start || m->kind != MESSAGE_RESULT ||
	    message_keep(m, NULL) || keep_reply(d, m, NULL))
		return;
	/* It was asked once more, by somebody else, and answered. */
	if (d->state != DEVICE_FAILED)
		return;
	mem_free(TAKE(d->reason));
	begin_listing(d);
}

static int say_initialized(struct board *d, struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 }, frame = { 0 };

	jsonrpc_notification(&payload, "notifications/initialized", NULL);
	link_wrap(&d->link, payload.data, payload.len, &frame);
	return board_send(d, frame.data, frame.len, err);
}

/* Why nobody answers, as far as can be known from here. */
static void hint_silence(const struct board *d, struct error *why)
{
	const struct serve_config *c = &d->server->config;

	if (d->link.has_hello && !d->link.hello.mcp)
		error_hint(
			why,
			"its hello says that it offers no MCP: that needs firmware 1.6.6 or later, built with the MCP protocol");
	else if (d->mqtt && c->mqtt_broker)
		error_hint(
			why,
			"stock firmware never subscribes: does the broker subscribe it to '%.100s' (--topic-down)? mcpctl help backend",
			c->topic_down ? c->topic_down : "devices/p2p/{mac}");
	else if (d->mqtt)
		error_hint(
			why,
			"is it a board, and does it offer MCP? see its own log; 'kick' ends the connection");
	else
		error_hint(
			why,
			"is the device busy, or did it refuse the server hello? see its own log; 'kick' ends the connection");
}

static void failed_initialize(struct board *d, struct error *why)
{
	/* A tool side that answered: no hello will come. */
	if (d->link.dialect == DIALECT_PLAIN)
		d->deadline = LOOP_FOREVER;
	if (why->kind == ERR_TIMEOUT) {
		char wait[32];

		text_milliseconds(d->server->config.timeout, wait,
				  sizeof(wait));
		error_set(why, ERR_TIMEOUT, "no answer to initialize in %s",
			  wait);
		hint_silence(d, why);
	} else {
		error_prefix(why, "initialize");
	}
	board_unfit(d, DEVICE_FAILED, why);
}

static void on_initialized(void *owner, struct relay *r, const char *frame,
			   size_t len, const struct error *why)
{
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct board *d = owner;

	(void)r;
	if (read_reply(&m, frame, len, why, &err) || keep_reply(d, &m, &err) ||
	    say_initialized(d, &err)) {
		failed_initialize(d, &err);
		return;
	}
	d->deadline = LOOP_FOREVER;
	d->state = DEVICE_LISTING;
	wait_for_turn(d);
}

/* As the cloud asks tool sides: no vision; the first revision, which all know. */
static int ask_plainly(struct board *d, int64_t timeout, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	initialize_params(&params, true, NULL, NULL);
	d->start->relay.done = on_initialized;
	return relay_request(&d->start->relay, d, "initialize", params.data,
			     timeout, err);
}

static int ask_initialize(struct board *d, struct error *err)
{
	struct serve *s = d->server;
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(mem_free_ptr) char *url = mem_strdup(s->config.vision_url);
	const char *token = d->vision_token;

	if (d->link.dialect == DIALECT_PLAIN)
		return ask_plainly(d, s->config.timeout, err);

	/* Another service's token is not ours to make. */
	if (url) {
		token = s->config.vision_token;
	} else {
		random_hex(d->vision_token);
		url = s->events->vision_url(d);
	}
	initialize_params(&params, true, url, token);
	d->start->relay.done = on_initialized;
	return relay_request(&d->start->relay, d, "initialize", params.data,
			     s->config.timeout, err);
}

/*
 * A server that is kept open: it was initialized by its keeper, or asked
 * server/discover.
 */

#define HELD_INITIALIZE_MAX (1u << 20)

static bool has_tools(const struct message *m)
{
	const cJSON *all = json_object(m->result, "capabilities");

	return json_object(all, "tools") != NULL;
}

/* As if its list had been empty: it said that it has none. */
static void hold_no_tools(struct board *d)
{
	const struct tool_list none = { 0 };

	d->tools = tool_lists_hold(&d->server->tool_lists, &none);
	ready(d);
}

int board_start_held(struct board *d, struct span reply, const char *address,
		     struct error *err)
{
	CLEANUP(message_done) struct message m = { 0 };

	mem_free(TAKE(d->board));
	mem_free(TAKE(d->version));
	mem_free(d->address);
	d->address = board_keep(address, DEVICE_ID_MAX);
	d->open = true;
	if (!reply.text || reply.len > HELD_INITIALIZE_MAX ||
	    message_decode(&m, reply.text, reply.len, err))
		return error_set(
			err, ERR_PROTOCOL,
			"what the server said to initialize cannot be kept");
	d->held->modern = revision_discovered(m.result);
	if (keep_reply(d, &m, err))
		return -1;
	if (!d->initialize)
		d->initialize = mem_strndup(reply.text, reply.len);
	if (has_tools(&m))
		begin_listing(d);
	else
		hold_no_tools(d);
	return 0;
}

/* Its hello may still come, so the sweep ends this. */
void board_ask_tool_side(struct board *d)
{
	CLEANUP(error_reset) struct error err = { 0 };

	d->ask_at = LOOP_FOREVER;
	if (d->start || d->closing || d->link.dialect != DIALECT_UNKNOWN)
		return;
	d->start = mem_zalloc(sizeof(*d->start));
	d->start->relay.owner = d;
	if (ask_plainly(d, 0, &err))
		failed_initialize(d, &err);
}

void board_start(struct board *d)
{
	CLEANUP(error_reset) struct error err = { 0 };

	if (d->server->config.no_init) {
		board_record(d, RECORD_READY, LEVEL_GOOD,
			     "connected, not initialized (--no-init)");
		settle(d, DEVICE_READY, "ready");
		return;
	}
	d->state = DEVICE_INITIALIZING;
	d->start = mem_zalloc(sizeof(*d->start));
	d->start->relay.owner = d;
	if (ask_initialize(d, &err))
		failed_initialize(d, &err);
}
