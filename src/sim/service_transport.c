/* SPDX-License-Identifier: MIT */
/*
 * Target sim: with a service behind it: messages cross in turns of the loop,
 * plain JSON-RPC, no sockets. What it answers is the service's matter.
 */

#include "base/mem.h"
#include "sim/frame_queue.h"
#include "sim/service.h"
#include "sim/target.h"

struct hosted {
	struct target_peer peer; /* first: see target.h */
	struct transport *transport;
	struct service *service;
	struct service_client *client;
	struct target_outside outside;
	char *address;
	struct frame_queue waiting;
	struct timer pump;
	bool ready, closing;
};

static const struct target_setting rows[] = {
	{ "ollama", target_set_ollama },
	{ "model", target_set_model },
	{ "timeout", target_set_timeout },
};
static const struct target_settings settings = { rows, COUNT(rows) };

static void hosted_free(struct hosted *h)
{
	frame_queue_done(&h->waiting);
	service_client_free(h->client);
	service_free(h->service);
	mem_free(h->address);
	target_outside_done(&h->outside);
	mem_free(h);
}

static void on_pump_closed(void *owner)
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

static void on_line(void *owner, const char *text)
{
	struct hosted *h = owner;
	struct transport *t = h->transport;
	const struct notice n = { .kind = NOTICE_DETAIL, .text = text };

	if (h->ready && !h->closing && t->events->notice)
		t->events->notice(t->owner, &n);
}

static void tell_ready(struct hosted *h)
{
	struct transport *t = h->transport;
	const struct peer_info peer = { .address = h->address, .plain = true };

	h->ready = true;
	t->events->ready(t->owner, &peer);
}

static void on_pump(void *owner)
{
	struct hosted *h = owner;
	struct frame *f;

	if (!h->ready && !h->closing)
		tell_ready(h);
	while (!h->closing && (f = frame_queue_take(&h->waiting)) != NULL) {
		service_ask(h->client, f->text, f->len, on_reply, h);
		mem_free(f);
	}
	if (h->closing)
		timer_close(&h->pump, on_pump_closed);
}

static int load(struct hosted *h, const struct endpoint *to, struct error *err)
{
	struct service_config config = { .loop = h->transport->loop,
					 .line = on_line,
					 .owner = h };

	if (target_query(&settings, &h->outside, to->query, err))
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
	h->address = mem_printf("sim:%s", to->path);
	timer_open(&h->pump, t->loop, on_pump, h);
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

const struct transport_ops service_transport_ops = {
	.scheme = "sim",
	.brief = "a simulated service inside this program",
	.open = hosted_open,
	.send = hosted_send,
	.close = hosted_close,
};
