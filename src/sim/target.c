/* SPDX-License-Identifier: MIT */
/*
 * The targets sim: as transports: pretend devices and services inside this
 * process. Frames cross in turns of the loop, never inside a call (contract 2
 * of net/transport.h).
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "net/transport.h"
#include "sim/board_ws.h"
#include "sim/exec.h"
#include "sim/identity.h"
#include "sim/ollama.h"
#include "sim/pretend.h"
#include "sim/service.h"
#include "sim/sim.h"
#include "sim/target_camera.h"

/* What the state of both begins with: who does send and close. */
struct target_peer {
	const struct transport_ops *ops;
};

/*
 * What the query says of models, for both: ollama=, model= and timeout=. The
 * struct that target_query fills begins with it.
 */
struct target_outside {
	char *ollama, *model; /* NULL: not said */
	int64_t timeout; /* ms; 0 */
};

/* A name that may stand behind '?'; set: out is what target_query was given. */
struct target_setting {
	const char *name;
	int (*set)(void *out, const char *value, struct error *err);
};
struct target_settings {
	const struct target_setting *row;
	size_t count;
};

static const struct target_settings settings;
static const struct transport_ops service_transport_ops;

/* The query of the target sim: names and values. What they mean is not known here. */

#define SETTINGS_MAX 16

static int unknown(const struct target_settings *known, const char *name,
		   struct error *err)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	const char *names[SETTINGS_MAX];
	CLEANUP(mem_free_ptr) char *near = NULL;
	size_t i;

	for (i = 0; i < known->count && i < COUNT(names); i++) {
		names[i] = known->row[i].name;
		if (i > 0)
			buf_text(&all, i + 1 < known->count ? ", " : " and ");
		buf_printf(&all, "%s=", names[i]);
	}
	near = text_proposal(name, names, i);
	return error_set(
		err, ERR_USAGE,
		"the target sim: knows no '%s'%s: %s may stand behind '?'",
		name, near, buf_string(&all));
}

static int set_one(const struct target_settings *known, void *out, char *pair,
		   struct error *err)
{
	char *value = strchr(pair, '=');

	if (value)
		*value++ = '\0';
	if (value && text_percent_decode(value))
		return error_set(err, ERR_USAGE,
				 "'%s' of the target has a broken %% escape",
				 pair);
	for (size_t i = 0; i < known->count; i++) {
		if (strcmp(pair, known->row[i].name) == 0)
			return known->row[i].set(out, value ? value : "", err);
	}
	return unknown(known, pair, err);
}

/* -1 (ERR_USAGE): an unknown name (the nearest proposed), or what set says. query may be NULL. */
static int target_query(const struct target_settings *known, void *out,
			const char *query, struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(query);
	char *rest = copy, *pair;

	while (rest && (pair = strsep(&rest, "&")) != NULL) {
		if (*pair && set_one(known, out, pair, err))
			return -1;
	}
	return 0;
}

/* ---- models ---- */

static int set_text(char **to, const char *name, const char *value,
		    struct error *err)
{
	if (!*value)
		return error_set(err, ERR_USAGE,
				 "%s= of the target sim: has no value", name);
	mem_free(*to);
	*to = mem_strdup(value);
	return 0;
}

static int target_set_ollama(void *out, const char *value, struct error *err)
{
	struct target_outside *o = out;

	if (set_text(&o->ollama, "ollama", value, err))
		return -1;
	if (!ollama_check(value, err))
		return 0;
	return error_prefix(err, "ollama= of the target sim");
}

static int target_set_model(void *out, const char *value, struct error *err)
{
	struct target_outside *o = out;

	return set_text(&o->model, "model", value, err);
}

static int target_set_timeout(void *out, const char *value, struct error *err)
{
	struct target_outside *o = out;

	if (text_duration(value, &o->timeout, err))
		return error_prefix(err, "timeout= of the target sim");
	if (o->timeout)
		return 0;
	error_set(err, ERR_USAGE, "timeout= of the target sim: '%s' is no time",
		  value);
	return error_hint(
		err, "leave it out for the profile's, or write it as in 30s");
}

static void target_outside_done(struct target_outside *o)
{
	mem_free(o->ollama);
	mem_free(o->model);
	*o = (struct target_outside){ .timeout = 0 };
}

/* Lent, as long as o lives. */
static struct exec_config target_outside_config(const struct target_outside *o,
						struct loop *l)
{
	return (struct exec_config){ .loop = l,
				     .ollama = o->ollama,
				     .model = o->model,
				     .timeout = o->timeout };
}

/*
 * Target sim: a pretend device inside this process, as a transport. Frames
 * from both sides cross in turns of the loop, never inside a call (contract 2
 * of net/transport.h). A service is handed on.
 */

struct sim_peer {
	struct target_peer peer; /* first, see there */
	struct transport *transport;
	struct profile *profile;
	struct target_outside outside;
	struct pretend device;
	struct headers headers;
	struct ota_request about;
	char *address;
	struct frame_queue waiting; /* for the device */
	struct timer pump;
	struct target_camera *camera; /* NULL: the board has none, or no port */
	bool ready, closing, ending;
	struct error why; /* for closed; ERR_NONE if we close */
};

/* What the query says. */
struct settings {
	struct target_outside outside; /* first, see there */
	struct profile_changes changes;
	struct fault_plan faults;
};

static int set_firmware(void *out, const char *value, struct error *err)
{
	struct settings *s = out;
	enum firmware_dialect dialect;

	if (firmware_dialect_named(value, &dialect))
		return error_set(
			err, ERR_USAGE,
			"firmware '%s' is not known: 2.4.2 or 2.5.0 is expected",
			value);
	s->changes.firmware_2_5 = dialect == SERVER_2_5_0;
	return 0;
}

static int set_fill(void *out, const char *value, struct error *err)
{
	struct settings *s = out;

	if (text_integer(value, 0, PROFILE_TOOLS_MAX, &s->changes.fill))
		return error_set(
			err, ERR_USAGE,
			"fill '%s': a number of tools from 0 to %d is expected",
			value, PROFILE_TOOLS_MAX);
	return 0;
}

static int set_fault(void *out, const char *value, struct error *err)
{
	struct settings *s = out;

	return fault_plan_add(&s->faults, value, 1, err);
}

static const struct target_setting rows[] = {
	{ "fault", set_fault },	       { "firmware", set_firmware },
	{ "fill", set_fill },	       { "ollama", target_set_ollama },
	{ "model", target_set_model }, { "timeout", target_set_timeout },
};
static const struct target_settings settings = { rows, COUNT(rows) };

static void end_with(struct sim_peer *p, const char *text)
{
	if (p->closing)
		return;
	error_set(&p->why, ERR_CONNECT, "%s", text);
	p->closing = true;
	timer_start(&p->pump, 0);
}

/* The device's events. */

static void on_text(void *owner, const char *text, size_t len)
{
	struct sim_peer *p = owner;
	struct transport *t = p->transport;

	if (!p->closing)
		t->events->message(t->owner, FRAME_TEXT, text, len);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	struct sim_peer *p = owner;
	struct transport *t = p->transport;

	if (!p->closing)
		t->events->message(t->owner, FRAME_BINARY, data, len);
}

static void on_cut(void *owner, const char *text, size_t len, bool close_frame)
{
	(void)text;
	(void)len;
	(void)close_frame;
	end_with(owner, "connection lost in the middle of a reply");
}

static void on_drop(void *owner)
{
	end_with(owner, "connection lost: the device dropped it");
}

static void on_note(void *owner, enum pretend_note what, const char *text)
{
	(void)owner;
	(void)what;
	(void)text;
}

static const struct pretend_events device_events = {
	.text = on_text,
	.binary = on_binary,
	.cut = on_cut,
	.drop = on_drop,
	.note = on_note,
};

/* Everything but the struct itself and its handles. */
static void release(struct sim_peer *p)
{
	frame_queue_done(&p->waiting);
	headers_done(&p->headers);
	profile_free(p->profile);
	target_outside_done(&p->outside);
	mem_free(p->camera);
	mem_free(p->address);
}

static void on_camera_closed(void *owner)
{
	struct sim_peer *p = owner;
	struct transport *t = p->transport;
	struct error why = p->why;

	release(p);
	mem_free(p);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

static void on_pump_closed(void *owner)
{
	struct sim_peer *p = owner;

	if (p->camera)
		target_camera_close(p->camera, on_camera_closed, p);
	else
		on_camera_closed(p);
}

static void on_device_closed(void *owner)
{
	struct sim_peer *p = owner;

	timer_close(&p->pump, on_pump_closed);
}

static void tell_ready(struct sim_peer *p)
{
	struct transport *t = p->transport;
	const struct peer_info peer = {
		.address = p->address,
		.headers = &p->headers,
		.device_id = p->device.device_id,
		.client_id = p->device.client_id,
		.protocol_version = p->device.config.frame_version,
		.ota = &p->about,
		.envelope = true,
	};

	p->ready = true;
	t->events->ready(t->owner, &peer);
}

static void deliver(struct sim_peer *p)
{
	struct frame *f;

	while (!p->closing && (f = frame_queue_take(&p->waiting)) != NULL) {
		pretend_text(&p->device, f->text, f->len);
		mem_free(f);
	}
}

static void on_pump(void *owner)
{
	struct sim_peer *p = owner;

	if (p->ending)
		return;
	if (!p->ready && !p->closing) {
		tell_ready(p);
		if (!p->closing)
			pretend_open(&p->device);
	}
	deliver(p);
	if (!p->closing)
		return;
	p->ending = true;
	pretend_close(&p->device, on_device_closed);
}

/* What the device would say in its request and to OTA, for `info`. */
static void introduce(struct sim_peer *p)
{
	const struct pretend *d = &p->device;

	p->about = p->profile->about;
	text_copy(p->about.device_id, sizeof(p->about.device_id), d->device_id);
	text_copy(p->about.client_id, sizeof(p->about.client_id), d->client_id);
	headers_add(&p->headers, "Client-Id", d->client_id);
	headers_add(&p->headers, "Device-Id", d->device_id);
	headers_add(&p->headers, "Protocol-Version", "1");
	p->address = mem_printf("sim:%s", p->profile->name);
}

static struct sim_peer *make(struct transport *t, struct profile *profile,
			     struct settings *s)
{
	CLEANUP(mem_free_ptr)
	char *mac = identity_device(profile->device_id, 0);
	CLEANUP(mem_free_ptr)
	char *uuid = identity_client(profile->client_id, 0);
	struct sim_peer *p = mem_zalloc(sizeof(*p));
	struct pretend_config config = {
		.loop = t->loop,
		.profile = profile,
		.events = &device_events,
		.owner = p,
		.frame_version = 1,
	};

	p->transport = t;
	p->profile = profile;
	p->outside = s->outside;
	s->outside = (struct target_outside){ .timeout = 0 };
	config.outside = target_outside_config(&p->outside, t->loop);
	fault_plan_for(&s->faults, 1, &config.faults);
	pretend_init(&p->device, &config, mac, uuid);
	timer_open(&p->pump, t->loop, on_pump, p);
	introduce(p);
	return p;
}

static const struct transport_ops device_ops_transport;

static void settings_done(struct settings *s)
{
	fault_plan_done(&s->faults);
	target_outside_done(&s->outside);
}

/*
 * Where its pictures go. Where there is no port to be had, it goes on without:
 * the tool then says that it knows no address. -1: --save-images cannot be used.
 */
static int open_camera(struct target_camera **out, struct transport *t,
		       const struct endpoint *to, const struct profile *profile,
		       struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *mac = identity_device(profile->device_id, 0);
	struct target_camera *c;

	if (!profile->catalog.camera)
		return 0;
	c = mem_zalloc(sizeof(*c));
	if (target_camera_open(c, t, to, mac, err) == 0) {
		*out = c;
		return 0;
	}
	mem_free(c);
	if (err->kind != ERR_CONNECT)
		return -1;
	error_reset(err);
	return 0;
}

static int sim_begin(struct transport *t, const struct endpoint *to,
		     struct error *err)
{
	CLEANUP(settings_done) struct settings s = { .changes.fill = 0 };
	const char *name = to->path && *to->path ? to->path : NULL;
	struct target_camera *camera = NULL;
	struct profile *profile;
	struct sim_peer *p;

	if (target_query(&settings, &s, to->query, err))
		return -1;
	profile = profile_load(name, &s.changes, err);
	if (!profile)
		return -1;
	if (fault_plan_check(&s.faults, profile->recorded.count > 0,
			     profile->recorded.hello != NULL, err) ||
	    open_camera(&camera, t, to, profile, err)) {
		profile_free(profile);
		return -1;
	}
	p = make(t, profile, &s);
	p->camera = camera;
	p->peer.ops = &device_ops_transport;
	t->impl = p;
	timer_start(&p->pump, 0);
	return 0;
}

static int pretend_send(struct transport *t, const char *text, size_t len,
			struct error *err)
{
	struct sim_peer *p = t->impl;

	if (p->closing)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	if (frame_queue_add(&p->waiting, text, len, err))
		return -1;
	timer_start(&p->pump, 0);
	return 0;
}

static void sim_end(struct transport *t)
{
	struct sim_peer *p = t->impl;

	if (p->closing)
		return;
	p->closing = true;
	timer_start(&p->pump, 0);
}

static struct camera *pretend_camera(const struct transport *t)
{
	const struct sim_peer *p = t->impl;

	return p->camera && !p->ending ? &p->camera->camera : NULL;
}

static const struct transport_ops device_ops_transport = {
	.scheme = "sim",
	.open = sim_begin,
	.send = pretend_send,
	.close = sim_end,
	.camera = pretend_camera,
};

/* ---- which of the two ---- */

static int sim_open(struct transport *t, const struct endpoint *to,
		    struct error *err)
{
	bool service = to->path && *to->path && service_profile_is(to->path);
	const struct transport_ops *ops =
		service ? &service_transport_ops : &device_ops_transport;

	if (service && service_profile_dials(to->path)) {
		error_set(err, ERR_USAGE,
			  "'%s' is no target: it dials an access point",
			  to->path);
		return error_hint(
			err,
			"mcpctl listen:127.0.0.1:8000/mcp tools, and beside it: mcpctl sim %s --connect ws://127.0.0.1:8000/mcp",
			to->path);
	}

	return ops->open(t, to, err);
}

static int sim_send(struct transport *t, const char *text, size_t len,
		    struct error *err)
{
	const struct target_peer *peer = t->impl;

	if (!peer)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	return peer->ops->send(t, text, len, err);
}

static void sim_close(struct transport *t)
{
	const struct target_peer *peer = t->impl;

	if (peer)
		peer->ops->close(t);
}

static struct camera *sim_camera(const struct transport *t)
{
	const struct target_peer *peer = t->impl;

	return peer && peer->ops->camera ? peer->ops->camera(t) : NULL;
}

const struct transport_ops sim_ops = {
	.scheme = "sim",
	.open = sim_open,
	.send = sim_send,
	.close = sim_close,
	.camera = sim_camera,
};

/*
 * Target sim: with a service behind it: messages cross in turns of the loop,
 * plain JSON-RPC, no sockets. What it answers is the service's matter.
 */

struct hosted {
	struct target_peer peer; /* first, see there */
	struct transport *transport;
	struct service *service;
	struct service_client *client;
	struct target_outside outside;
	char *address;
	struct frame_queue waiting;
	struct timer pump;
	bool ready, closing;
};

static const struct target_setting rows_transport[] = {
	{ "ollama", target_set_ollama },
	{ "model", target_set_model },
	{ "timeout", target_set_timeout },
};
static const struct target_settings settings_service = {
	rows_transport, COUNT(rows_transport)
};

static void hosted_free(struct hosted *h)
{
	frame_queue_done(&h->waiting);
	service_client_free(h->client);
	service_free(h->service);
	mem_free(h->address);
	target_outside_done(&h->outside);
	mem_free(h);
}

static void on_pump_closed_transport(void *owner)
{
	struct hosted *h = owner;
	struct transport *t = h->transport;
	const struct error none = { .kind = ERR_NONE };

	hosted_free(h);
	t->impl = NULL;
	t->events->closed(t->owner, &none);
}

static void on_reply(void *owner, const char *reply, size_t len)
{
	struct hosted *h = owner;
	struct transport *t = h->transport;

	if (len > 0 && !h->closing)
		t->events->message(t->owner, FRAME_TEXT, reply, len);
}

static bool on_told(void *owner, const char *text, size_t len)
{
	const struct hosted *h = owner;

	if (!h->closing)
		on_reply(owner, text, len);
	return !h->closing;
}

static const struct mcp_hearer hosted_hearer = { .done = on_reply,
						 .tell = on_told };

static void on_line(void *owner, const char *text)
{
	struct hosted *h = owner;
	struct transport *t = h->transport;
	const struct notice n = { .kind = NOTICE_DETAIL, .text = text };

	if (h->ready && !h->closing && t->events->notice)
		t->events->notice(t->owner, &n);
}

static void tell_ready_transport(struct hosted *h)
{
	struct transport *t = h->transport;
	const struct peer_info peer = { .address = h->address, .plain = true };

	h->ready = true;
	t->events->ready(t->owner, &peer);
}

static void on_pump_transport(void *owner)
{
	struct hosted *h = owner;
	struct frame *f;

	if (!h->ready && !h->closing)
		tell_ready_transport(h);
	while (!h->closing && (f = frame_queue_take(&h->waiting)) != NULL) {
		const struct mcp_said said = { f->text, f->len, NULL };

		service_hear(h->client, &said, &hosted_hearer, h);
		mem_free(f);
	}
	if (h->closing)
		timer_close(&h->pump, on_pump_closed_transport);
}

static int load(struct hosted *h, const struct endpoint *to, struct error *err)
{
	struct service_config config = { .loop = h->transport->loop,
					 .line = on_line,
					 .owner = h };

	if (target_query(&settings_service, &h->outside, to->query, err))
		return -1;
	config.outside = target_outside_config(&h->outside, config.loop);
	h->service = service_load(to->path, &config, err);
	return h->service ? 0 : -1;
}

static int hosted_open(struct transport *t, const struct endpoint *to,
		       struct error *err)
{
	struct hosted *h = mem_zalloc(sizeof(*h));

	h->peer.ops = &service_transport_ops;
	h->transport = t;
	if (load(h, to, err)) {
		hosted_free(h);
		return -1;
	}
	h->client = service_client_new(h->service);
	service_client_reach(h->client, on_told, h);
	h->address = mem_printf("sim:%s", to->path);
	timer_open(&h->pump, t->loop, on_pump_transport, h);
	timer_start(&h->pump, 0);
	t->impl = h;
	return 0;
}

static int hosted_send(struct transport *t, const char *text, size_t len,
		       struct error *err)
{
	struct hosted *h = t->impl;

	if (h->closing)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	if (frame_queue_add(&h->waiting, text, len, err))
		return -1;
	timer_start(&h->pump, 0);
	return 0;
}

static void hosted_close(struct transport *t)
{
	struct hosted *h = t->impl;

	if (h->closing)
		return;
	h->closing = true;
	timer_start(&h->pump, 0);
}

/* sim: with a profile of kind "service". */
static const struct transport_ops service_transport_ops = {
	.scheme = "sim",
	.open = hosted_open,
	.send = hosted_send,
	.close = hosted_close,
};
