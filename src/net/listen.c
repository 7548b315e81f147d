/* SPDX-License-Identifier: MIT */
/*
 * The target listen: as a transport. Its port is the front's matter, the
 * device's WebSocket that of ws; what stands here is when it begins and ends.
 */
#include "net/listen.h"

#include <string.h>

#include "base/mem.h"
#include "net/knock.h"
#include "net/listen_private.h"

void listen_notice(struct listen *l, enum notice_kind kind, const char *address,
		   const char *text)
{
	const struct transport *t = l->transport;
	struct notice n = { .kind = kind, .text = text, .address = address };

	if (!l->closing && t->events->notice)
		t->events->notice(t->owner, &n);
}

void listen_knock(struct listen *l, const char *address, const char *local)
{
	size_t len = address_host_length(address);

	l->knocks.connections++;
	if (!strncmp(address, "127.", 4) || !strncmp(address, "[::1]", 5))
		return;
	if (local && len == address_host_length(local) &&
	    !strncmp(address, local, len))
		return;
	l->knocks.lan = true;
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	const char *text = knock_noise(what);
	struct listen *l = owner;

	if (address)
		listen_knock(l, address, NULL);
	else
		l->knocks.connections++;
	if (what == FRONT_TLS)
		l->knocks.tls++;
	else
		l->knocks.noise++;
	if (text && address)
		listen_notice(l, what == FRONT_TLS ? NOTICE_TLS : NOTICE_NOISE,
			      address, text);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	struct listen *l = owner;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s%s%s", r->text, r->hint ? "\n" : "",
				r->hint ? r->hint : "");

	listen_notice(l, NOTICE_REFUSED, r->address, text);
	if (!r->address)
		return;
	listen_knock(l, r->address, NULL);
	l->knocks.foreign++;
	snprintf(l->knocks.foreign_text, sizeof(l->knocks.foreign_text), "%s",
		 r->text);
	snprintf(l->knocks.foreign_hint, sizeof(l->knocks.foreign_hint), "%s",
		 r->hint ? r->hint : "");
}

/* ---- the end ---- */

static void listen_free(struct listen *l)
{
	mem_free(l->host);
	mem_free(l->path);
	mem_free(l->advertised_ws);
	mem_free(l->advertised_ota);
	mem_free(l->ota_url);
	words_done(&l->tokens);
	if (l->holds_ws)
		l->ws_table->let_go(l->transport->loop);
	mem_free(l);
}

static void released(void *owner)
{
	struct listen *l = owner;
	struct transport *t = l->transport;
	struct error why = l->why;

	listen_free(l);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

/* When neither the port nor the device is open any more. */
static void perhaps_released(struct listen *l)
{
	if (!l->front_open && !l->inner.impl && l->closing)
		timer_close(&l->timer, released);
}

static void on_front_closed(void *owner)
{
	struct listen *l = owner;

	l->front_open = false;
	perhaps_released(l);
}

static void begin_end(struct listen *l)
{
	if (l->closing)
		return;
	l->closing = true;
	timer_stop(&l->timer);
	if (l->inner.impl)
		l->inner.ops->close(&l->inner);
	l->front_table->close(l->front, on_front_closed);
}

/* ---- the device ---- */

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct listen *l = owner;
	const struct transport *t = l->transport;

	l->ready = true;
	t->events->ready(t->owner, peer);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct listen *l = owner;
	const struct transport *t = l->transport;

	t->events->message(t->owner, kind, data, len);
}

static void on_closed(void *owner, const struct error *why)
{
	struct listen *l = owner;

	share_close(&l->share);
	l->serving = false;
	if (l->closing) {
		perhaps_released(l);
		return;
	}
	/* It went amid the handshake: the next one is welcome. */
	if (!l->ready)
		return;
	if (l->superseded) {
		error_set(&l->why, ERR_CONNECT,
			  "the device was restarted: it "
			  "dialled in again");
		error_hint(&l->why, "run the command again, then wake it");
	} else {
		error_copy(&l->why, why);
	}
	begin_end(l);
}

/* ---- the transport ---- */

/* The front is told apart from the device: it has the port, we have the place. */
static enum front_standing standing(void *owner, const struct front_head *head)
{
	const struct listen *l = owner;
	CLEANUP(mem_free_ptr) char *token = NULL;

	if (!l->tokens.count)
		return FRONT_STRANGER;
	token = knock_token(head);
	return listen_token_fits(&l->tokens, token) ? FRONT_SHOWN :
						      FRONT_STRANGER;
}

static const struct front_events front_events = {
	.http = listen_http,
	.upgrade = listen_upgrade,
	.noise = on_noise,
	.refused = on_refused,
	.standing = standing,
};

static const struct transport_events inner_events = {
	.ready = on_ready,
	.message = on_message,
	.closed = on_closed,
};

static void on_timer(void *owner)
{
	struct listen *l = owner;
	struct buf text = { 0 };

	listen_describe(l, &text);
	listen_notice(l, NOTICE_LISTENING, NULL, buf_string(&text));
	buf_done(&text);
}

static struct listen *listen_new(struct transport *t, const struct endpoint *to)
{
	struct listen *l = mem_zalloc(sizeof(*l));

	l->transport = t;
	l->inner.loop = t->loop;
	l->inner.events = &inner_events;
	l->inner.owner = l;
	l->inner.share = &l->share;
	l->host = mem_strdup(to->host);
	if (to->path && strcmp(to->path, "/") != 0)
		l->path = mem_strdup(to->path);
	for (size_t i = 0; i < to->tokens.count; i++)
		words_add(&l->tokens, to->tokens.word[i]);
	l->message_max = to->message_max;
	return l;
}

/* Everything that can be wrong with what the user gave, before the port is taken. */
static int check(struct listen *l, const struct endpoint *to, uint16_t port,
		 struct error *err)
{
	const char *token = l->tokens.count ? l->tokens.word[0] : NULL;
	const char *path = l->path ? l->path : DEVICE_PATH;
	const char *url = "ws://127.0.0.1/";
	struct buf reply = { 0 };
	int result;

	mem_free(TAKE(l->advertised_ws));
	mem_free(TAKE(l->advertised_ota));
	if (to->advertise) {
		if (ota_advertise(to->advertise, port, path, &l->advertised_ws,
				  &l->advertised_ota, err))
			return -1;
		l->behind_proxy = strstr(to->advertise, "://") != NULL;
		url = l->advertised_ws;
	}
	result = ota_reply_websocket(&reply, url, token, 0, err);
	buf_done(&reply);
	return result;
}

static int open_front(struct listen *l, const struct endpoint *to,
		      struct error *err)
{
	struct front_config config = {
		.host = l->host,
		.port = to->port,
		.admit = { &to->allow_hosts, &to->allow_origins,
			   &to->trusted_proxies, to->advertise },
		.counts_questions = true
	};

	if (port_parts_load(&l->front_table, &l->ws_table, err) ||
	    check(l, to, to->port, err) ||
	    l->ws_table->hold(l->transport->loop, err))
		return -1;
	l->holds_ws = true;
	l->front = l->front_table->open(l->transport->loop, &config,
					&front_events, l, err);
	if (!l->front)
		return -1;
	l->port = l->front_table->port(l->front);
	/* Now that the port is known; what was right stays right. */
	check(l, to, l->port, err);
	return 0;
}

static int listen_open(struct transport *t, const struct endpoint *to,
		       struct error *err)
{
	struct listen *l = listen_new(t, to);

	if (open_front(l, to, err)) {
		listen_free(l);
		return -1;
	}
	l->front_open = true;
	timer_open(&l->timer, t->loop, on_timer, l);
	timer_start(&l->timer, 0);
	t->impl = l;
	return 0;
}

static int listen_send(struct transport *t, const char *text, size_t len,
		       struct error *err)
{
	struct listen *l = t->impl;

	if (!l || l->closing || !l->ready)
		return error_set(err, ERR_CONNECT,
				 "cannot send: no device is connected");
	return l->inner.ops->send(&l->inner, text, len, err);
}

static void listen_close(struct transport *t)
{
	if (t->impl)
		begin_end(t->impl);
}

static int listen_explain(struct transport *t, struct error *err)
{
	const struct listen *l = t->impl;

	if (!l || !l->ota_url)
		return 0;
	return knocks_explain(&l->knocks, l->ota_url, err);
}

uint16_t listen_port(const struct transport *t)
{
	const struct listen *l = t->ops == &listen_ops ? t->impl : NULL;

	return l ? l->port : 0;
}

const struct transport_ops listen_ops = {
	.scheme = "listen",
	.brief = "wait for one device to dial in",
	.open = listen_open,
	.send = listen_send,
	.close = listen_close,
	.explain = listen_explain,
};
