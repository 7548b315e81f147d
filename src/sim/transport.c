/* SPDX-License-Identifier: MIT */
/*
 * Target sim: a pretend device inside this process, as a transport. Frames
 * from both sides cross in turns of the loop, never inside a call (contract 2
 * of net/transport.h).
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/device.h"
#include "sim/identity.h"
#include "sim/sim.h"

/* A text frame on its way to the device. */
struct frame {
	struct frame *next;
	size_t len;
	char text[];
};

struct pretend {
	struct transport *transport;
	struct profile *profile;
	struct device device;
	struct headers headers;
	struct ota_request about;
	char *address;
	struct frame *first, *last;
	size_t queued; /* bytes */
	struct timer pump;
	bool ready, closing, ending;
	struct error why; /* for closed; ERR_NONE if we close */
};

/* What the query says. */
struct settings {
	struct profile_changes changes;
	struct fault_plan faults;
};

static int set_firmware(struct settings *s, const char *value,
			struct error *err)
{
	if (strcmp(value, "2.4.2") != 0 && strcmp(value, "next") != 0)
		return error_set(err, ERR_USAGE,
				 "firmware '%s' is not known: 2.4.2 or next is "
				 "expected",
				 value);
	s->changes.next_firmware = !strcmp(value, "next");
	return 0;
}

static int set_fill(struct settings *s, const char *value, struct error *err)
{
	if (text_integer(value, 0, PROFILE_TOOLS_MAX, &s->changes.fill))
		return error_set(err, ERR_USAGE,
				 "fill '%s': a number of tools from 0 to %d is "
				 "expected",
				 value, PROFILE_TOOLS_MAX);
	return 0;
}

static int set_fault(struct settings *s, const char *value, struct error *err)
{
	return fault_plan_add(&s->faults, value, err);
}

static const struct setting {
	const char *name;
	int (*set)(struct settings *s, const char *value, struct error *err);
} settings[] = {
	{ "fault", set_fault },
	{ "firmware", set_firmware },
	{ "fill", set_fill },
};

static int set_one(struct settings *s, char *pair, struct error *err)
{
	const char *names[COUNT(settings)];
	char *value = strchr(pair, '=');
	const char *near;
	size_t i;

	if (value)
		*value++ = '\0';
	if (value && text_percent_decode(value))
		return error_set(err, ERR_USAGE,
				 "'%s' of the target has a broken %% escape",
				 pair);
	for (i = 0; i < COUNT(settings); i++) {
		names[i] = settings[i].name;
		if (!strcmp(pair, names[i]))
			return settings[i].set(s, value ? value : "", err);
	}
	near = text_nearest(pair, names, COUNT(settings));
	return error_set(err, ERR_USAGE,
			 "the target sim: knows no '%s'%s%s%s: fault=, "
			 "firmware= and fill= may stand behind '?'",
			 pair, near ? " (did you mean '" : "", near ? near : "",
			 near ? "'?)" : "");
}

static int read_query(struct settings *s, const char *query, struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(query);
	char *rest = copy, *pair;

	while (rest && (pair = strsep(&rest, "&")) != NULL) {
		if (*pair && set_one(s, pair, err))
			return -1;
	}
	return 0;
}

static void end_with(struct pretend *p, const char *text)
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
	struct pretend *p = owner;
	struct transport *t = p->transport;

	if (!p->closing)
		t->events->message(t->owner, FRAME_TEXT, text, len);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	struct pretend *p = owner;
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

static void on_note(void *owner, enum device_note what, const char *text)
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

static const struct device_events device_events = {
	.text = on_text,
	.binary = on_binary,
	.cut = on_cut,
	.drop = on_drop,
	.note = on_note,
	.hazard = on_hazard,
};

static void drop_frames(struct pretend *p)
{
	struct frame *f;

	while ((f = p->first) != NULL) {
		p->first = f->next;
		mem_free(f);
	}
	p->last = NULL;
	p->queued = 0;
}

/* Everything but the struct itself and its handles. */
static void release(struct pretend *p)
{
	drop_frames(p);
	headers_done(&p->headers);
	profile_free(p->profile);
	mem_free(p->address);
}

static void on_pump_closed(void *owner)
{
	struct pretend *p = owner;
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
	struct pretend *p = owner;

	timer_close(&p->pump, on_pump_closed);
}

static void tell_ready(struct pretend *p)
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

static void deliver(struct pretend *p)
{
	struct frame *f;

	while (!p->closing && (f = p->first) != NULL) {
		p->first = f->next;
		if (!p->first)
			p->last = NULL;
		p->queued -= f->len;
		device_text(&p->device, f->text, f->len);
		mem_free(f);
	}
}

static void on_pump(void *owner)
{
	struct pretend *p = owner;

	if (p->ending)
		return;
	if (!p->ready && !p->closing) {
		tell_ready(p);
		if (!p->closing)
			device_open(&p->device);
	}
	deliver(p);
	if (!p->closing)
		return;
	p->ending = true;
	device_close(&p->device, on_device_closed);
}

static void fill(char *out, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
}

/* What the device would say in its request and to OTA, for `info`. */
static void introduce(struct pretend *p)
{
	const struct device *d = &p->device;

	p->about = p->profile->about;
	fill(p->about.device_id, sizeof(p->about.device_id), d->device_id);
	fill(p->about.client_id, sizeof(p->about.client_id), d->client_id);
	headers_add(&p->headers, "Client-Id", d->client_id);
	headers_add(&p->headers, "Device-Id", d->device_id);
	headers_add(&p->headers, "Protocol-Version", "1");
	p->address = mem_printf("sim:%s", p->profile->name);
}

static struct pretend *make(struct transport *t, struct profile *profile,
			    const struct fault_plan *faults)
{
	CLEANUP(mem_free_ptr)
	char *mac = identity_device(profile->device_id, 0);
	CLEANUP(mem_free_ptr)
	char *uuid = identity_client(profile->client_id, 0);
	struct pretend *p = mem_zalloc(sizeof(*p));
	struct device_config config = {
		.loop = t->loop,
		.profile = profile,
		.events = &device_events,
		.owner = p,
		.frame_version = 1,
	};

	p->transport = t;
	p->profile = profile;
	fault_plan_for(faults, 1, &config.faults);
	device_init(&p->device, &config, mac, uuid);
	timer_open(&p->pump, t->loop, on_pump, p);
	introduce(p);
	return p;
}

static int pretend_open(struct transport *t, const struct endpoint *to,
			struct error *err)
{
	struct settings s = { .changes.fill = 0 };
	const char *name = to->path && *to->path ? to->path : NULL;
	struct profile *profile = NULL;
	struct pretend *p;

	if (!read_query(&s, to->query, err))
		profile = profile_load(name, &s.changes, err);
	if (!profile) {
		fault_plan_done(&s.faults);
		return -1;
	}
	p = make(t, profile, &s.faults);
	fault_plan_done(&s.faults);
	t->impl = p;
	timer_start(&p->pump, 0);
	return 0;
}

static int pretend_send(struct transport *t, const char *text, size_t len,
			struct error *err)
{
	struct pretend *p = t->impl;
	struct frame *f;

	if (!p || p->closing)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	if (len > TRANSPORT_QUEUE_MAX - p->queued)
		return error_set(err, ERR_CONNECT,
				 "cannot send: more than %u bytes are waiting",
				 TRANSPORT_QUEUE_MAX);
	f = mem_alloc(sizeof(*f) + len);
	f->next = NULL;
	f->len = len;
	memcpy(f->text, text, len);
	if (p->last)
		p->last->next = f;
	else
		p->first = f;
	p->last = f;
	p->queued += len;
	timer_start(&p->pump, 0);
	return 0;
}

static void pretend_close(struct transport *t)
{
	struct pretend *p = t->impl;

	if (!p || p->closing)
		return;
	p->closing = true;
	timer_start(&p->pump, 0);
}

const struct transport_ops sim_ops = {
	.scheme = "sim",
	.brief = "a simulated device inside this program",
	.open = pretend_open,
	.send = pretend_send,
	.close = pretend_close,
};
