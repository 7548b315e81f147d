/* SPDX-License-Identifier: MIT */
/*
 * Target sim: a pretend device inside this process, as a transport. Frames
 * from both sides cross in turns of the loop, never inside a call (contract 2
 * of net/transport.h). A service is handed on to service_transport.c.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/frame_queue.h"
#include "sim/identity.h"
#include "sim/pretend.h"
#include "sim/service.h"
#include "sim/sim.h"
#include "sim/target.h"

struct sim_peer {
	struct target_peer peer; /* first: see target.h */
	struct transport *transport;
	struct profile *profile;
	struct target_outside outside;
	struct pretend device;
	struct headers headers;
	struct ota_request about;
	char *address;
	struct frame_queue waiting; /* for the device */
	struct timer pump;
	bool ready, closing, ending;
	struct error why; /* for closed; ERR_NONE if we close */
};

/* What the query says. */
struct settings {
	struct target_outside outside; /* first: see target.h */
	struct profile_changes changes;
	struct fault_plan faults;
};

static int set_firmware(void *out, const char *value, struct error *err)
{
	struct settings *s = out;

	if (strcmp(value, "2.4.2") != 0 && strcmp(value, "next") != 0)
		return error_set(err, ERR_USAGE,
				 "firmware '%s' is not known: 2.4.2 or next is "
				 "expected",
				 value);
	s->changes.next_firmware = !strcmp(value, "next");
	return 0;
}

static int set_fill(void *out, const char *value, struct error *err)
{
	struct settings *s = out;

	if (text_integer(value, 0, PROFILE_TOOLS_MAX, &s->changes.fill))
		return error_set(err, ERR_USAGE,
				 "fill '%s': a number of tools from 0 to %d is "
				 "expected",
				 value, PROFILE_TOOLS_MAX);
	return 0;
}

static int set_fault(void *out, const char *value, struct error *err)
{
	struct settings *s = out;

	return fault_plan_add(&s->faults, value, err);
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

static void on_hazard(void *owner, enum hazard h)
{
	(void)owner;
	(void)h;
}

static const struct pretend_events device_events = {
	.text = on_text,
	.binary = on_binary,
	.cut = on_cut,
	.drop = on_drop,
	.note = on_note,
	.hazard = on_hazard,
};

/* Everything but the struct itself and its handles. */
static void release(struct sim_peer *p)
{
	frame_queue_done(&p->waiting);
	headers_done(&p->headers);
	profile_free(p->profile);
	target_outside_done(&p->outside);
	mem_free(p->address);
}

static void on_pump_closed(void *owner)
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

static void fill(char *out, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
}

/* What the device would say in its request and to OTA, for `info`. */
static void introduce(struct sim_peer *p)
{
	const struct pretend *d = &p->device;

	p->about = p->profile->about;
	fill(p->about.device_id, sizeof(p->about.device_id), d->device_id);
	fill(p->about.client_id, sizeof(p->about.client_id), d->client_id);
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

static const struct transport_ops device_ops;

static void settings_done(struct settings *s)
{
	fault_plan_done(&s->faults);
	target_outside_done(&s->outside);
}

static int sim_begin(struct transport *t, const struct endpoint *to,
		     struct error *err)
{
	CLEANUP(settings_done) struct settings s = { .changes.fill = 0 };
	const char *name = to->path && *to->path ? to->path : NULL;
	struct profile *profile;
	struct sim_peer *p;

	if (target_query(&settings, &s, to->query, err))
		return -1;
	profile = profile_load(name, &s.changes, err);
	if (!profile)
		return -1;
	p = make(t, profile, &s);
	p->peer.ops = &device_ops;
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

static const struct transport_ops device_ops = {
	.scheme = "sim",
	.brief = "a simulated device inside this program",
	.open = sim_begin,
	.send = pretend_send,
	.close = sim_end,
};

/* ---- which of the two ---- */

static int sim_open(struct transport *t, const struct endpoint *to,
		    struct error *err)
{
	bool service = to->path && *to->path && service_profile_is(to->path);
	const struct transport_ops *ops =
		service ? &service_transport_ops : &device_ops;

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

const struct transport_ops sim_ops = {
	.scheme = "sim",
	.brief = "a simulated device or service inside this program",
	.open = sim_open,
	.send = sim_send,
	.close = sim_close,
};
