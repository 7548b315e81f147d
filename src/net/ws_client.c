/* SPDX-License-Identifier: MIT */
/*
 * Dialling out: name, then each address in turn, then the handshake. Why it
 * failed is put into words in ws_failure.c.
 */
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "base/lookup.h"
#include "base/mem.h"
#include "net/ws_dial.h"

#define ATTEMPT_MIN_MS 250

static void next_address(struct ws *ws);

/* ---- the name ---- */

static void on_found(uv_getaddrinfo_t *uv, int status, struct addrinfo *found)
{
	struct ws_lookup *lookup = (struct ws_lookup *)uv;
	struct ws *ws = lookup->ws;

	mem_free(lookup);
	if (!ws) {
		uv_freeaddrinfo(found);
		return;
	}
	ws->dial->lookup = NULL;
	if (status || !found) {
		ws_fail_lookup(ws, status);
		ws_gone(ws);
		return;
	}
	ws->dial->addresses = ws->dial->address = found;
	next_address(ws);
}

/*
 * A number needs no thread, and the events still come from the loop: the
 * timer calls next_address.
 */
static void look_up(struct ws *ws)
{
	struct ws_dial *d = ws->dial;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST };
	int status;

	ws->state = WS_RESOLVING;
	if (!getaddrinfo(d->host, NULL, &hints, &d->addresses)) {
		d->address = d->addresses;
		timer_start(&ws->timer, 0);
		return;
	}
	hints.ai_flags = 0;
	d->lookup = mem_zalloc(sizeof(*d->lookup));
	d->lookup->ws = ws;
	status = lookup_start(ws->context->loop, &d->lookup->uv, on_found,
			      d->host, NULL, &hints);
	if (status) {
		mem_free(TAKE(d->lookup));
		ws_fail_lookup(ws, status);
		ws_gone(ws);
		return;
	}
	timer_start(&ws->timer, d->timeout);
}

static void forget_lookup(struct ws_dial *d)
{
	if (!d->lookup)
		return;
	d->lookup->ws = NULL;
	uv_cancel((uv_req_t *)&d->lookup->uv);
	d->lookup = NULL;
}

/* ---- the addresses ---- */

static struct lws *connect_to(struct ws *ws, struct lws_vhost *vhost,
			      const char *number)
{
	const struct ws_dial *d = ws->dial;
	struct lws_client_connect_info info = { 0 };
	struct lws *wsi;

	info.context = ws->context->lws;
	info.vhost = vhost;
	info.address = number;
	info.port = d->port;
	info.host = d->host_header;
	info.path = d->path;
	info.protocol = d->subprotocol;
	info.local_protocol_name = "mcp";
	info.ietf_version_or_minus_one = -1;
	info.opaque_user_data = ws;
	info.pwsi = &ws->wsi;
	info.alpn = "http/1.1";
	info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
	if (d->use_tls)
		info.ssl_connection |= LCCSCF_USE_SSL;
	wsi = lws_client_connect_via_info(&info);
	lws_cancel_service(ws->context->lws);
	return wsi;
}

static void next_address(struct ws *ws)
{
	struct ws_dial *d = ws->dial;
	int64_t left = d->deadline - loop_now();
	int64_t share = left / (int64_t)address_count(d->address);
	char number[ADDRESS_TEXT_MAX];

	ws->state = WS_DIALLING;
	d->connected = d->timed_out = false;
	d->status = 0;
	d->said[0] = '\0';
	address_print_host(d->address->ai_addr, number, sizeof(number));
	timer_start(&ws->timer,
		    share > ATTEMPT_MIN_MS ? share : ATTEMPT_MIN_MS);
	ws->wsi = NULL;
	d->starting = true;
	if (connect_to(ws, d->vhost, number)) {
		d->starting = false;
		return;
	}
	d->starting = false;
	/* Failed at once; what is left of it must not find us again. */
	if (ws->wsi)
		lws_set_opaque_user_data(TAKE(ws->wsi), NULL);
	ws_dial_failed(ws);
}

static void on_asked(void *owner, int error)
{
	struct ws *ws = owner;

	ws->dial->ask = NULL;
	ws_fail_connect(ws, error);
	ws_gone(ws);
}

/* The last word of an attempt; not called while connect_to is running. */
static void attempt_over(struct ws *ws)
{
	struct ws_dial *d = ws->dial;

	if (ws->closing) {
		ws_gone(ws);
		return;
	}
	if (d->connected) {
		ws_fail_handshake(ws);
		ws_gone(ws);
		return;
	}
	if (d->address->ai_next && loop_now() < d->deadline) {
		d->address = d->address->ai_next;
		next_address(ws);
		return;
	}
	if (d->timed_out) {
		ws_fail_connect(ws, ETIMEDOUT);
		ws_gone(ws);
		return;
	}
	ws->state = WS_ASKING;
	timer_stop(&ws->timer);
	d->ask = ws_ask_open(ws->context->loop, d->address->ai_addr, d->port,
			     on_asked, ws);
}

void ws_dial_failed(struct ws *ws)
{
	struct ws_dial *d = ws->dial;

	if (d->starting)
		return;
	/* Not here: this may be a callback of the library, which is amid closing. */
	d->over = true;
	timer_start(&ws->timer, 0);
}

void ws_dial_timer(struct ws *ws)
{
	struct ws_dial *d = ws->dial;

	if (!d) {
		ws_kill(ws);
	} else if (d->over) {
		d->over = false;
		attempt_over(ws);
	} else if (ws->state == WS_RESOLVING && d->addresses) {
		next_address(ws);
	} else if (ws->state == WS_RESOLVING) {
		forget_lookup(d);
		ws_fail_lookup(ws, UV_ETIMEDOUT);
		ws_gone(ws);
	} else if (ws->state == WS_DIALLING) {
		d->timed_out = true;
		ws_kill(ws);
	}
}

void ws_dial_close(struct ws *ws)
{
	struct ws_dial *d = ws->dial;

	if (!d || ws->state == WS_DIALLING) {
		/* Without a wsi the attempt is over, and the timer is set. */
		ws_kill(ws);
		return;
	}
	forget_lookup(d);
	if (d->ask)
		ws_ask_close(TAKE(d->ask));
	ws_gone(ws);
}

/* ---- the handshake ---- */

/* The connection stands: what comes now is the handshake's matter, with all the time that is left. */
static void on_connected(struct ws *ws)
{
	struct ws_dial *d = ws->dial;
	int64_t left = d->deadline - loop_now();

	d->connected = true;
	timer_start(&ws->timer, left > ATTEMPT_MIN_MS ? left : ATTEMPT_MIN_MS);
}

static void on_established(struct ws *ws, struct lws *wsi)
{
	struct ws_dial *d = ws->dial;
	struct buf address = { 0 };
	char number[ADDRESS_TEXT_MAX];
	struct peer_info info = { .path = d->path };

	address_print_host(d->address->ai_addr, number, sizeof(number));
	authority_print(&address, number, d->port);
	info.address = buf_string(&address);
	ws_peer_free(ws->peer);
	ws->peer = ws_peer_new(&info);
	if (d->use_tls) {
		ws_tls_version(wsi, ws->peer->tls, sizeof(ws->peer->tls));
		ws->peer->info.tls = ws->peer->tls;
	}
	buf_done(&address);
}

static void note_answer(struct ws_dial *d, struct lws *wsi)
{
	int len = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_LOCATION);

	d->status = (int)lws_http_client_http_response(wsi);
	if (len <= 0 || d->location)
		return;
	d->location = mem_zalloc((size_t)len + 1);
	lws_hdr_copy(wsi, d->location, len + 1, WSI_TOKEN_HTTP_LOCATION);
}

int ws_dial_callback(struct ws *ws, struct lws *wsi,
		     enum lws_callback_reasons reason, void *in, size_t len)
{
	struct ws_dial *d = ws->dial;

	switch (reason) {
	case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
		d->handshake_sent = true;
		return ws_dial_headers(d, in, len);
	case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
		note_answer(d, wsi);
		return 0;
	case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
		snprintf(d->said, sizeof(d->said), "%.*s", (int)len,
			 in ? (const char *)in : "");
		if (d->use_tls && d->connected && !d->handshake_sent)
			ws_tls_reason(&d->tls, lws_get_socket_fd(wsi));
		return 0;
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		on_established(ws, wsi);
		return 0;
	case LWS_CALLBACK_WSI_CREATE:
		on_connected(ws);
		return 0;
	default:
		return 0;
	}
}

int ws_dial_open(struct transport *t, const struct endpoint *to,
		 struct error *err)
{
	struct ws_context *context;
	struct lws_vhost *vhost;
	struct ws_dial *d;
	struct ws *ws;

	if (ws_dial_check(to, err))
		return -1;
	context = ws_context_take(t->loop, err);
	if (!context)
		return -1;
	vhost = context->vhost;
	if (!strcmp(to->scheme, "wss"))
		vhost = ws_context_trust(context, to->cacert, err);
	if (!vhost) {
		ws_context_release(context);
		return -1;
	}
	ws = ws_new(t, context, to->message_max);
	d = ws_dial_new(ws, to);
	d->vhost = vhost;
	look_up(ws);
	return 0;
}
