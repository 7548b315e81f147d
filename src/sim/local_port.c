/* SPDX-License-Identifier: MIT */
/*
 * The second door of otto-robot boards (device.md 3.11): one pretend device
 * with a WebSocket server, its answers bare, and broadcast to all clients up to
 * firmware 2.4.2.
 */
#include "sim/local_port.h"

#include <stdio.h>
#include <string.h>

#include "base/few_lines.h"
#include "base/mem.h"
#include "net/port.h"
#include "sim/fleet.h"
#include "sim/identity.h"
#include "sim/pretend_say.h"

#define DOOR_PORT 8080
#define DOOR_PATH "/ws"
#define DOOR_MESSAGE_MAX 4096 /* bytes that the board reads */
#define DOOR_CLIENTS_MAX 256
#define END_MS 3000

struct local_port;

struct local_visitor {
	struct transport transport;
	struct share share;
	struct local_port *door;
	struct local_visitor *next;
	struct pretend_talk talk; /* while the device does not have it */
	uint64_t number; /* from 1 */
	bool gone;
};

struct local_port {
	struct loop *loop;
	const struct fleet_order *order;
	const struct sim_observer *observer;
	struct admit_options admit;
	struct tally *tally;
	const struct front_table *front_table;
	const struct ws_table *ws_table;
	struct front *front;
	struct local_visitor *visitors;
	struct local_visitor *talking; /* whose talk the device has now; NULL */
	size_t count;
	uint64_t numbered;
	struct pretend device;
	struct few_lines comings; /* of clients that come and go */
	bool listed; /* since the device started */
	bool telling; /* comings is open */
	bool front_gone, device_gone, ending, ended;
};

PRINTF_LIKE(2, 3)
static void line(const struct local_port *d, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	if (!d->observer || !d->observer->line)
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	d->observer->line(d->observer->owner, 1, text);
}

static void tell_coming(void *owner, const char *text)
{
	const struct local_port *d = owner;

	line(d, "%s", text);
}

/* A line that any client can cause: few of a format are told. */
PRINTF_LIKE(2, 3)
static void coming(struct local_port *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	few_lines_tell(&d->comings, format, args);
	va_end(args);
}

static void on_told(void *owner)
{
	struct local_port *d = owner;

	d->ended = true;
}

/* Those that go with the port are counted, too. */
static void check_ended(struct local_port *d)
{
	if (!d->ending || !d->front_gone || !d->device_gone || d->count ||
	    !d->telling)
		return;
	d->telling = false;
	few_lines_close(&d->comings, on_told, d);
}

static void frame(const struct local_port *d, bool outgoing, const char *kind,
		  const void *data, size_t len)
{
	const struct trace t = {
		.outgoing = outgoing,
		.kind = kind,
		.data = data,
		.len = len,
		.leg = "local",
	};

	fleet_trace(d->order, &t, NULL);
}

/* The device's events. */

/* 3.11: up to 2.4.2 a reply goes to all clients, later to the asker. */
static bool is_meant(const struct local_port *d, const struct local_visitor *v)
{
	return d->device.server.dialect == SERVER_2_4_2 ||
	       !d->device.answering || d->device.answering == v->number;
}

static void on_device_text(void *owner, const char *text, size_t len)
{
	struct local_port *d = owner;
	struct local_visitor *v;

	frame(d, true, "text", text, len);
	for (v = d->visitors; v; v = v->next) {
		if (!v->gone && is_meant(d, v))
			v->transport.ops->send(&v->transport, text, len, NULL);
	}
}

static void on_device_binary(void *owner, const void *data, size_t len)
{
	(void)owner;
	(void)data;
	(void)len;
}

static void close_visitors(struct local_port *d)
{
	struct local_visitor *v;

	for (v = d->visitors; v; v = v->next) {
		if (!v->gone)
			v->transport.ops->close(&v->transport);
		v->gone = true;
	}
}

static void on_device_cut(void *owner, const char *text, size_t len,
			  bool close_frame)
{
	(void)text;
	(void)len;
	(void)close_frame;
	close_visitors(owner);
}

static void on_device_drop(void *owner)
{
	struct local_port *d = owner;

	line(d, "connections dropped by the device");
	close_visitors(d);
}

static void on_device_note(void *owner, enum pretend_note what,
			   const char *text)
{
	struct local_port *d = owner;

	switch (what) {
	case DEVICE_WELCOMED:
		break;
	case DEVICE_INITIALIZED:
		d->tally->sum.initialized++;
		line(d, "initialized");
		break;
	case DEVICE_LISTED:
		if (d->listed)
			break;
		d->listed = true;
		d->tally->sum.listed++;
		line(d, "tools are being listed");
		break;
	case DEVICE_CALLED:
		d->tally->sum.calls++;
		line(d, "called: %s", text);
		break;
	case DEVICE_SPOKEN:
	case DEVICE_REFUSED:
	case DEVICE_LINE:
		line(d, "%s", text);
		break;
	}
}

/* The device has one talk; each client is judged by what it did itself. */
static void talk_with(struct local_port *d, struct local_visitor *v)
{
	if (d->talking == v)
		return;
	if (d->talking)
		d->talking->talk = d->device.talk;
	else
		diag_done(&d->device.talk.diag);
	if (v)
		d->device.talk = v->talk;
	else
		pretend_talk_start(&d->device, &d->device.talk);
	d->talking = v;
}

static bool on_device_answers(void *owner, uint64_t asker)
{
	struct local_port *d = owner;
	struct local_visitor *v = d->visitors;

	while (v && v->number != asker)
		v = v->next;
	if (v)
		talk_with(d, v);
	return v != NULL;
}

static void on_device_finding(void *owner, const struct finding *f,
			      const char *detail)
{
	struct local_port *d = owner;

	fleet_found(d->order, f, detail, d->device.device_id);
}

static void on_device_died(void *owner, enum diag_code of)
{
	const struct local_port *d = owner;

	tally_died(d->tally, of);
}

static const struct pretend_events device_events = {
	.text = on_device_text,
	.binary = on_device_binary,
	.cut = on_device_cut,
	.drop = on_device_drop,
	.note = on_device_note,
	.finding = on_device_finding,
	.answers = on_device_answers,
	.died = on_device_died,
};

/* A client's events. */

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct local_visitor *v = owner;

	v->door->tally->sum.dialled++;
	frame(v->door, false, "ready", peer->address,
	      peer->address ? strlen(peer->address) : 0);
	coming(v->door, "connected: %s", peer->address ? peer->address : "?");
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct local_visitor *v = owner;
	struct local_port *d = v->door;

	frame(d, false, kind == FRAME_TEXT ? "text" : "binary", data, len);
	if (kind != FRAME_TEXT || v->gone)
		return;
	talk_with(d, v);
	if (len > DOOR_MESSAGE_MAX) {
		pretend_judge(&d->device, false, data, len);
		return;
	}
	if (!d->device.online) { /* it has restarted since */
		d->listed = false;
		pretend_open(&d->device);
	}
	d->device.asker = v->number;
	pretend_receive(&d->device, data, len);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	(void)id;
	(void)why;
}

static void on_closed(void *owner, const struct error *why)
{
	struct local_visitor *v = owner;
	struct local_port *d = v->door;
	struct local_visitor **at = &d->visitors;

	coming(d, "connection over%s%s", why && why->kind ? ": " : "",
	       why && why->kind ? why->text : "");
	frame(d, false, "closed", NULL, 0);
	d->tally->sum.closed++;
	talk_with(d, v);
	pretend_talk_end(&d->device);
	d->talking = NULL;
	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	d->count--;
	share_close(&v->share);
	mem_free(v);
	check_ended(d);
}

static const struct transport_events visitor_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
};

/* The listener's events. */

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	static const char text[] = "Nothing matches the given URI\n";
	struct local_port *d = owner;

	(void)head;
	(void)body;
	(void)len;
	d->front_table->reply(rq, 404, "text/plain", text, sizeof(text) - 1);
}

static int on_upgrade(void *owner, int fd, const struct front_head *head,
		      const char **reason)
{
	struct local_port *d = owner;
	const struct peer_info peer = { .address = head->address,
					.headers = head->headers,
					.path = head->path };
	struct local_visitor *v;

	if (strcmp(head->path, DOOR_PATH) != 0) {
		*reason = "the WebSocket is at " DOOR_PATH;
		return 404;
	}
	if (d->ending || d->count >= DOOR_CLIENTS_MAX) {
		*reason = "too many clients";
		return 503;
	}
	v = mem_zalloc(sizeof(*v));
	v->door = d;
	v->transport = (struct transport){ .ops = &d->ws_table->dial,
					   .loop = d->loop,
					   .events = &visitor_events,
					   .owner = v,
					   .share = &v->share };
	share_move(&v->share, head->share);
	if (d->ws_table->adopt(&v->transport, fd, &peer, 1 << 20, NULL)) {
		share_close(&v->share);
		mem_free(v); /* adopt has closed fd */
		return 0;
	}
	v->number = ++d->numbered;
	pretend_talk_start(&d->device, &v->talk);
	v->next = d->visitors;
	d->visitors = v;
	d->count++;
	return 0;
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	if (what != FRONT_EMPTY && address)
		line(owner, "something at %s is no WebSocket client", address);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	line(owner, "%s%s%s%s%s%s", r->address ? r->address : "",
	     r->address ? ": " : "", r->text, r->hint ? " (" : "",
	     r->hint ? r->hint : "", r->hint ? ")" : "");
}

static const struct front_events front_events = {
	.http = on_http,
	.upgrade = on_upgrade,
	.noise = on_noise,
	.refused = on_refused,
};

static int open_front(struct local_port *d, const char *where,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *host = NULL;
	struct front_config config = { .body_max = 4096, .admit = d->admit };
	const char *shown;
	char url[320];

	config.port = DOOR_PORT;
	if (*where && endpoint_parse_listen(where, &host, &config.port, err))
		return -1;
	config.host = host;
	d->front =
		d->front_table->open(d->loop, &config, &front_events, d, err);
	if (!d->front)
		return -1;
	shown = host ? host : "127.0.0.1";
	snprintf(url, sizeof(url),
		 strchr(shown, ':') ? "ws://[%.250s]:%u%s" : "ws://%.250s:%u%s",
		 shown, (unsigned)d->front_table->port(d->front), DOOR_PATH);
	if (d->observer && d->observer->listening)
		d->observer->listening(d->observer->owner, url);
	return 0;
}

static void on_front_closed(void *owner)
{
	struct local_port *d = owner;

	d->front_gone = true;
	check_ended(d);
}

static void on_device_closed(void *owner)
{
	struct local_port *d = owner;

	d->device_gone = true;
	check_ended(d);
}

static void finish(struct local_port *d)
{
	d->ending = true;
	close_visitors(d);
	talk_with(d, NULL); /* each is judged when it is gone */
	pretend_close(&d->device, on_device_closed);
	if (d->front)
		d->front_table->close(d->front, on_front_closed);
	else
		d->front_gone = true;
	check_ended(d);
	while (loop_wait(d->loop, &d->ended, loop_now() + END_MS, NULL))
		; /* handles still point into what is released next */
}

static void make_device(struct local_port *d, const struct fleet_order *order)
{
	const struct sim_options *o = order->options;
	const struct profile *p = order->profile;
	const char *id = o->device_id ? o->device_id : p->device_id;
	const char *client = o->client_id ? o->client_id : p->client_id;
	CLEANUP(mem_free_ptr) char *mac = identity_device(id, 0);
	CLEANUP(mem_free_ptr) char *uuid = identity_client(client, 0);
	struct pretend_config config = {
		.loop = order->loop,
		.profile = p,
		.events = &device_events,
		.owner = d,
		.frame_version = 1,
		.bare = true,
		.photo = order->photo,
		.outside = o->outside,
		.counts = &d->tally->counts,
	};

	fault_plan_for(order->faults, 1, &config.faults);
	pretend_init(&d->device, &config, mac, uuid);
}

int local_port_run(const struct fleet_order *order, struct error *err)
{
	const struct sim_options *o = order->options;
	struct local_port d = { .loop = order->loop,
				.order = order,
				.observer = order->observer,
				.admit = o->admit,
				.tally = order->tally };
	int status;

	if (port_parts_load(&d.front_table, &d.ws_table, err) ||
	    d.ws_table->hold(d.loop, err))
		return -1;
	make_device(&d, order);
	few_lines_open(&d.comings, d.loop, tell_coming, &d);
	d.telling = true;
	status = open_front(&d, o->listen, err);
	if (!status) {
		int64_t until =
			o->run_for ? loop_now() + o->run_for : LOOP_FOREVER;

		d.tally->sum.devices = 1;
		pretend_open(&d.device);
		status = loop_stay(d.loop, NULL, until, err);
	}
	finish(&d);
	d.ws_table->let_go(d.loop);
	return status;
}
