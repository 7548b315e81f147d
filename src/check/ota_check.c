/* SPDX-License-Identifier: MIT */
/*
 * The OTA address, asked as a board asks it, and followed to where its answer
 * sends a board (device.md 1, 2, 5): to a WebSocket as far as initialize, or to
 * a broker as far as CONNACK.
 */
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "check/exchange.h"
#include "check/ota_ask.h"
#include "check/planned.h"
#include "diag/vision_rules.h"
#include "net/why.h"
#include "sim/board_link.h"
#include "sim/board_ota.h"
#include "sim/broker_line.h"
#include "sim/identity.h"
#include "sim/pretend.h"
#include "wire/board_text.h"

/*
 * A board's visit where OTA sent it: dialled, heard, and left again. The
 * conversation goes to the engine; each step is a stage.
 */

struct visit_order { /* all is lent */
	const struct board_self *self;
	const char *token; /* NULL: none */
	int frame_version; /* 0: 1 */
	const char *asked; /* the address of OTA */
};

#define INITIALIZE_MS \
	3000 /* behind the server hello, which a board never awaits */

/* How far it came. */
enum visited { OPENED, WELCOMED, INITIALIZED };

struct board_visit {
	struct checkup *k;
	const struct visit_order *order;
	struct way way;
	union {
		struct board_ws ws;
		struct broker_line broker;
	} line;
	struct pretend device;
	enum visited until;
	bool over; /* ended, by either side */
	bool done; /* what is waited for is there, or it is over */
	bool gave_up; /* the board, on a hello */
	bool line_gone, device_gone;
	struct error why; /* it is over */
	int64_t at[INITIALIZED + 1]; /* us, when each step came; 0: not yet */
};

static void stir(struct board_visit *v)
{
	v->done = v->over || v->at[v->until];
}

/* Not always in their order: an initialize may come before any hello. */
static void reach(struct board_visit *v, enum visited step)
{
	if (v->at[step])
		return;
	v->at[step] = loop_now_us();
	stir(v);
}

static void lose(struct board_visit *v, const struct error *why)
{
	if (v->over)
		return;
	v->over = true;
	if (why)
		error_copy(&v->why, why);
	else
		error_set(&v->why, ERR_CONNECT, "the backend closed it");
	stir(v);
}

/* ---- what is said ---- */

/* The address for pictures, where an initialize names one. */
static void judge_vision(struct board_visit *v, const struct diag_frame *f)
{
	static const char *const way[] = { "payload", "params", "capabilities",
					   "vision" };
	const struct reach_from from = { v->way.own, v->order->asked };
	struct span at = { f->data, f->len }, url = { 0 }, method = { 0 };

	if (json_check(f->data, f->len, NULL))
		return;
	for (size_t i = 0; i < COUNT(way); i++) {
		if (i == 1 && (!json_span_member(at, "method", &method) ||
			       !json_span_is(method, "initialize")))
			return;
		if (!json_span_member(at, way[i], &at) || *at.text != '{')
			return;
	}
	json_span_member(at, "url", &url);
	diag_vision_url(v->k->diag, f, url, &from);
}

static void feed(struct board_visit *v, bool from_device, enum diag_kind kind,
		 const void *data, size_t len)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .leg = LEG_WS,
				      .kind = kind,
				      .from_device = from_device,
				      .data = data,
				      .len = len };
	struct trace t = { .outgoing = from_device, .data = data, .len = len };

	diag_feed(v->k->diag, &f);
	if (kind != FRAME_IS_TEXT)
		return;
	exchange_trace(v->k, v->order->self, LEG_WS, &t);
	if (!from_device)
		judge_vision(v, &f);
}

/* ---- the board's events ---- */

static void device_text(void *owner, const char *text, size_t len)
{
	struct board_visit *v = owner;

	feed(v, true, FRAME_IS_TEXT, text, len);
	board_ws_text(&v->line.ws, text, len);
}

static void device_binary(void *owner, const void *data, size_t len)
{
	struct board_visit *v = owner;

	feed(v, true, FRAME_IS_BINARY, data, len);
	board_ws_binary(&v->line.ws, data, len);
}

static void device_audio(void *owner, const struct udp_offer *offer)
{
	(void)owner;
	(void)offer;
}

static void device_cut(void *owner, const char *text, size_t len,
		       bool close_frame)
{
	(void)owner;
	(void)text;
	(void)len;
	(void)close_frame;
}

/* As a board gives up where no hello comes. */
static void device_drop(void *owner)
{
	struct board_visit *v = owner;
	struct error why = { 0 };

	v->gave_up = true;
	error_set(&why, ERR_CONNECT, "a board gives up here, and hangs up");
	lose(v, &why);
	error_reset(&why);
}

static void device_note(void *owner, enum pretend_note what, const char *text)
{
	(void)text;
	if (what == DEVICE_WELCOMED)
		reach(owner, WELCOMED);
	else if (what == DEVICE_INITIALIZED)
		reach(owner, INITIALIZED);
}

static const struct pretend_events device_events = {
	.text = device_text,
	.binary = device_binary,
	.audio = device_audio,
	.cut = device_cut,
	.drop = device_drop,
	.note = device_note,
};

/* ---- the line's events ---- */

static void on_opened(void *owner)
{
	struct board_visit *v = owner;

	way_look(&v->way, &v->line.ws.tcp);
	reach(v, OPENED);
	pretend_open(&v->device);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct board_visit *v = owner;

	feed(v, false, FRAME_IS_TEXT, text, len);
	pretend_receive(&v->device, text, len);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	feed(owner, false, FRAME_IS_BINARY, data, len);
}

static void on_peer_close(void *owner, int code, struct span words)
{
	struct board_visit *v = owner;
	struct error why = { 0 };

	diag_close(v->k->diag, code, words);
	error_set(&why, ERR_CONNECT, "the backend sent Close%s%.0d",
		  code ? " " : "", code);
	lose(v, &why);
	error_reset(&why);
}

static void on_ended(void *owner, const struct error *why)
{
	struct board_visit *v = owner;

	if (!v->at[OPENED])
		way_look(&v->way, &v->line.ws.tcp);
	lose(v, why);
	board_ws_close(&v->line.ws);
}

static void on_line_closed(void *owner)
{
	struct board_visit *v = owner;

	v->line_gone = true;
}

static const struct board_ws_events ws_events = {
	.opened = on_opened,
	.text = on_text,
	.binary = on_binary,
	.peer_close = on_peer_close,
	.ended = on_ended,
	.closed = on_line_closed,
};

/* ---- the visit ---- */

/* 1: it is there; 0: it is over, or the time is; -1: Ctrl-C, --timeout. */
static int wait_for(struct board_visit *v, enum visited step, int64_t ms,
		    struct error *err)
{
	struct loop *l = v->k->in->app->loop;
	int64_t until = exchange_until(v->k);

	v->until = step;
	stir(v);
	if (ms && loop_now() + ms < until) {
		if (loop_stay(l, &v->done, loop_now() + ms, err))
			return -1;
	} else if (loop_wait(l, &v->done, until, err)) {
		return -1;
	}
	return v->at[step] != 0;
}

static void stopped(struct checkup *k, const char *stages)
{
	check_stage(k, "stopped", STAGE_SKIPPED, "%s: not reached", stages);
}

static void tell_took(struct checkup *k, const char *stage, const char *what,
		      int64_t us)
{
	char took[TEXT_ROOM];

	check_stage(k, stage, STAGE_OK, "%s %s", what,
		    text_microseconds(us > 0 ? us : 0, took, sizeof(took)));
}

static int failed(struct board_visit *v, const char *stage, const char *rest,
		  struct error *err)
{
	check_stage(v->k, stage, check_verdict(&v->why), "%s", v->why.text);
	stopped(v->k, rest);
	error_copy(err, &v->why);
	return -1;
}

/* Ctrl-C, or --timeout. */
static int cut_short(struct board_visit *v, const char *stage, const char *rest,
		     const struct error *err)
{
	check_stage(v->k, stage, check_verdict(err), "%s", err->text);
	if (rest)
		stopped(v->k, rest);
	return -1;
}

/* The way and the handshake. */
static int enter(struct board_visit *v, const struct board_ws_url *u,
		 int64_t begun, struct error *err)
{
	int there = wait_for(v, OPENED, 0, err);
	bool way;

	if (there < 0) {
		way_look(&v->way, &v->line.ws.tcp);
		error_copy(&v->why, err);
	} else if (!there) {
		exchange_name(&v->why, u);
	}
	way = there < 0 ? way_tell_cut(v->k, &v->way, u->tls, err) :
			  way_tell(v->k, &v->way, u->host, u->tls, &v->why);
	if (!way) {
		stopped(v->k, "upgrade, hello, init");
		error_copy(err, &v->why);
		return -1;
	}
	if (there <= 0) {
		exchange_failure(v->k, &v->why, WITH_WS);
		return failed(v, "upgrade", "hello, init", err);
	}
	tell_took(v->k, "upgrade", "101 in", v->at[OPENED] - begun);
	return 0;
}

static int greet(struct board_visit *v, struct error *err)
{
	int there = wait_for(v, WELCOMED, DEVICE_HELLO_MS, err);

	if (there < 0)
		return cut_short(v, "hello", "init", err);
	if (!there) {
		exchange_no_hello(v->k, v->over ? v->why.text :
						  "none came within 10 s");
		if (!v->over)
			error_set(
				&v->why, ERR_CONNECT,
				"no server hello that a board takes within 10 s");
		return failed(v, "hello", "init", err);
	}
	tell_took(v->k, "hello", "the server's came after",
		  v->at[WELCOMED] - v->at[OPENED]);
	return 0;
}

static int be_asked(struct board_visit *v, struct error *err)
{
	int there = wait_for(v, INITIALIZED, INITIALIZE_MS, err);

	if (there < 0)
		return cut_short(v, "init", NULL, err);
	if (there && v->at[INITIALIZED] < v->at[WELCOMED])
		check_stage(
			v->k, "init", STAGE_OK,
			"initialize came before the server hello, and was answered");
	else if (there)
		tell_took(v->k, "init",
			  "initialize came and was answered, after",
			  v->at[INITIALIZED] - v->at[WELCOMED]);
	else
		check_stage(v->k, "init", STAGE_ODD,
			    "no initialize within 3 s of the server hello%s%s",
			    v->over ? ": " : "", v->over ? v->why.text : "");
	return 0;
}

static int converse(struct board_visit *v, const struct board_ws_url *u,
		    struct error *err)
{
	const struct visit_order *o = v->order;
	const struct board_ws_identity who = {
		.device_id = o->self->device_id,
		.client_id = o->self->client_id,
		.token = o->token,
		.frame_version = v->device.config.frame_version,
	};
	int64_t begun = loop_now_us();

	board_ws_open(&v->line.ws, v->k->in->app->loop, u, &who, &ws_events, v);
	if (enter(v, u, begun, err) || greet(v, err) || be_asked(v, err))
		return -1;
	check_stage(v->k, "bye", STAGE_OK,
		    "TCP ends without a Close frame, as boards do it");
	return 0;
}

static void on_device_closed(void *owner)
{
	struct board_visit *v = owner;

	v->device_gone = true;
}

static void leave(struct board_visit *v)
{
	struct loop *l = v->k->in->app->loop;

	board_ws_close(&v->line.ws);
	pretend_close(&v->device, on_device_closed);
	loop_drain(l, &v->line_gone, LOOP_FOREVER);
	loop_drain(l, &v->device_gone, LOOP_FOREVER);
	error_reset(&v->why);
}

static int version_of(const struct visit_order *o)
{
	return o->frame_version >= 1 && o->frame_version <= 3 ?
		       o->frame_version :
		       1;
}

/* Stages upgrade, hello, init, bye. -1: why it did not get there. */
static int visit_websocket(struct checkup *k, const struct visit_order *order,
			   const struct board_ws_url *u, struct error *err)
{
	struct board_visit *v = mem_zalloc(sizeof(*v));
	const struct pretend_config config = {
		.loop = k->in->app->loop,
		.profile = order->self->profile,
		.events = &device_events,
		.owner = v,
		.frame_version = version_of(order),
		.trust = &order->self->trust,
	};
	int status;

	v->k = k;
	v->order = order;
	k->diag->about =
		(struct diag_about){ .board = true,
				     .protocol_version = config.frame_version };
	diag_start(k->diag);
	pretend_init(&v->device, &config, order->self->device_id,
		     order->self->client_id);
	status = converse(v, u, err);
	leave(v);
	mem_free(v);
	return status;
}

/* ---- a broker ---- */

static void on_broker_opened(void *owner)
{
	reach(owner, OPENED);
}

static void on_broker_text(void *owner, const char *text, size_t len)
{
	(void)owner; /* nothing was subscribed to */
	(void)text;
	(void)len;
}

static void on_broker_ended(void *owner, const struct error *why)
{
	struct board_visit *v = owner;

	lose(v, why);
	broker_line_close(&v->line.broker);
}

static const struct broker_line_events broker_events = {
	.opened = on_broker_opened,
	.text = on_broker_text,
	.ended = on_broker_ended,
	.closed = on_line_closed,
};

static void tell_broker(struct board_visit *v, const struct broker_where *to,
			int64_t begun)
{
	char took[TEXT_ROOM];

	text_microseconds(v->at[OPENED] - begun, took, sizeof(took));
	check_stage(
		v->k, "connack", STAGE_OK,
		"%s:%u%s accepts in %s%s%s; boards never subscribe: mcpctl check broker",
		to->host, (unsigned)to->port, to->tls ? " (TLS)" : "", took,
		to->client_id ? " the client id " : "",
		to->client_id ? to->client_id : "");
}

static int refused(struct board_visit *v, const struct broker_where *to,
		   struct error *err)
{
	if (to->tls && v->why.reason == WHY_TLS)
		diag_found(v->k->diag, M403, (struct span){ 0 }, "%s",
			   v->why.text);
	exchange_failure(v->k, &v->why, WITH_MQTT);
	check_stage(v->k, "connack", STAGE_FAIL, "%s:%u: %s", to->host,
		    (unsigned)to->port, v->why.text);
	error_copy(err, &v->why);
	return -1;
}

static int join(struct board_visit *v, const struct board_self *self,
		const struct broker_where *to, struct error *err)
{
	const struct broker_line_order order = {
		.loop = v->k->in->app->loop,
		.where = to,
		.cacert = self->trust.cacert,
		.insecure = self->trust.insecure,
		.events = &broker_events,
		.owner = v,
	};
	int64_t begun = loop_now_us();
	int there;

	if (broker_line_open(&v->line.broker, &order, &v->why))
		return refused(v, to, err);
	there = wait_for(v, OPENED, 0, err);
	if (there > 0)
		tell_broker(v, to, begun);
	else if (there < 0)
		check_stage(v->k, "connack", check_verdict(err), "%s",
			    err->text);
	broker_line_close(&v->line.broker);
	loop_drain(order.loop, &v->line_gone, LOOP_FOREVER);
	return there > 0 ? 0 : there < 0 ? -1 : refused(v, to, err);
}

/* Stage connack, for `mqtt` of an OTA reply, with an endpoint that can be read. */
static int visit_broker(struct checkup *k, const struct board_self *self,
			const cJSON *mqtt, struct error *err)
{
	struct ota_fate fate = { 0 };
	struct broker_where to;
	struct board_visit v = { .k = k };
	int status;

	if (ota_broker(&to, mqtt, &fate, err))
		return -1;
	if (!to.client_id)
		to.client_id = identity_library(self->device_id);
	status = join(&v, self, &to, err);
	broker_where_done(&to);
	error_reset(&v.why);
	return status;
}

static int follow_mqtt(struct checkup *k, const struct board_self *self,
		       const struct ota_reply *r, struct error *err)
{
	struct board_endpoint e;
	const char *endpoint = json_string(r->mqtt, "endpoint");

	if (endpoint && board_endpoint_read(&e, endpoint))
		return visit_broker(k, self, r->mqtt, err);
	stopped(k, "connack");
	return 0;
}

static int follow_websocket(struct checkup *k, const struct board_self *self,
			    const struct ota_reply *r, const char *asked,
			    struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const struct visit_order order = {
		.self = self,
		.token = r->websocket_token,
		.frame_version = r->websocket_version,
		.asked = asked,
	};
	struct board_ws_url u;
	int status;

	if (!r->websocket_url || board_token_check(order.token, &why) ||
	    board_ws_url_parse(&u, r->websocket_url, &why)) {
		stopped(k, "upgrade, hello, init");
		return error_set(err, ERR_CONNECT,
				 "OTA leads a board nowhere%s%s",
				 why.kind ? ": " : "", why.text);
	}
	u.trust = &self->trust;
	status = visit_websocket(k, &order, &u, err);
	board_ws_url_done(&u);
	return status;
}

static int follow(struct checkup *k, const struct board_self *self,
		  const struct ota_told *told, const char *asked,
		  struct error *err)
{
	const struct ota_reply *r = &told->reply;

	if (told->end == OTA_USELESS)
		stopped(k, "activate, upgrade, hello, init");
	else if (told->end == OTA_HELD)
		stopped(k, r->mqtt ? "connack" : "upgrade, hello, init");
	else if (r->mqtt)
		return follow_mqtt(k, self, r, err);
	else
		return follow_websocket(k, self, r, asked, err);
	return 0;
}

/* ---- the whole ---- */

static int never_answered(struct checkup *k, const struct ota_told *told,
			  struct error *err)
{
	stopped(k, told->end == OTA_SILENT ?
			   "activate, upgrade, hello, init" :
			   "ota, activate, upgrade, hello, init");
	check_end(k, NULL);
	error_copy(err, &told->why);
	return -1;
}

/* What failed without a finding is a failure all the same. */
static int end(struct checkup *k, int status, struct error *failure,
	       struct error *err)
{
	int found = check_end(k, err);

	if (!status || (found && failure->kind != ERR_INTERRUPTED))
		return found;
	error_copy(err, failure);
	return -1;
}

/* Ended in the stage that was told last. */
static void tell_rest(struct checkup *k)
{
	const char *last = k->stages ? k->stage[k->stages - 1].name : "";

	stopped(k,
		text_same(last, "activate") ? "upgrade, hello, init" :
		text_same(last, "ota")	    ? "activate, upgrade, hello, init" :
					 "ota, activate, upgrade, hello, init");
}

static int ask(struct checkup *k, const struct board_self *self,
	       const struct board_ws_url *u, const char *url, struct error *err)
{
	CLEANUP(error_reset) struct error failure = { 0 };
	CLEANUP(ota_told_done) struct ota_told told = { 0 };
	int status;

	if (ota_ask(k, self, u, url, &told, err)) {
		tell_rest(k);
		return -1;
	}
	if (told.end == OTA_NO_WAY || told.end == OTA_SILENT)
		return never_answered(k, &told, err);
	status = follow(k, self, &told, url, &failure);
	return end(k, status, &failure, err);
}

int check_ota(struct checkup *k, const char *url, struct error *err)
{
	CLEANUP(board_self_done) struct board_self self = { 0 };
	struct board_ws_url u;
	int status;

	k->subject = "D"; /* we are the device */
	if (board_self_open(&self, k, err) || exchange_url(&u, &self, url, err))
		return -1;
	status = ask(k, &self, &u, url, err);
	board_ws_url_done(&u);
	return status;
}

/* Where it leads is not known before the answer. */
int check_ota_plan(struct checkup *k, struct error *err)
{
	CLEANUP(board_self_done) struct board_self self = { 0 };

	if (board_self_open(&self, k, err) ||
	    ota_plan(k, &self, k->in->argv[1], err))
		return -1;
	planned(k, RISK_LOOK,
		"hello, and the answer to initialize, at the WebSocket of the answer",
		NULL);
	planned(k, RISK_LOOK,
		"or CONNECT, with the credentials of the answer, at its broker",
		NULL);
	planned_end(k, ", of one way or the other");
	return 0;
}
