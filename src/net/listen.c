/* SPDX-License-Identifier: MIT */
/*
 * The target listen: as a transport: one port with a place for one board.
 */
#include <stdio.h>
#include <string.h>

#include "base/few_lines.h"
#include "base/mem.h"
#include "net/camera.h"
#include "net/listen.h"

struct listen {
	struct transport *transport;
	struct transport inner; /* the WebSocket of the device that is served */
	struct share share; /* of that, to its end */
	struct port *port; /* NULL: closed */
	struct camera camera; /* its pictures */
	struct timer timer;
	struct few_lines few; /* of what anybody can cause */
	bool few_open;
	char *path; /* the only one accepted; NULL: any */
	bool is_point; /* … and it is an access point's */
	struct words tokens;
	bool serving; /* a device has the place, from the upgrade on */
	bool ready; /* and the owner knows */
	bool superseded; /* it dialled in again: what is open is dead */
	bool closing;
	char served[ADDRESS_TEXT_MAX], served_id[ID_MAX + 1];
	struct error why;
};

/* ---- what is told ---- */

static void tell(struct listen *l, enum notice_kind kind, const char *address,
		 const char *text)
{
	const struct transport *t = l->transport;
	const struct notice n = { .kind = kind,
				  .text = text,
				  .address = address };

	if (!l->closing && t->events->notice)
		t->events->notice(t->owner, &n);
}

/* How many more there were. */
static void tell_rest(void *owner, const char *text)
{
	tell(owner, NOTICE_OTHER, NULL, text);
}

/* What anybody can cause, as often as it likes; +1: no kind is 0. */
static void notice(struct listen *l, enum notice_kind kind, const char *address,
		   const char *text)
{
	if (few_lines_left(&l->few, (uintptr_t)kind + 1, text))
		tell(l, kind, address, text);
}

static const char *or_device(const char *id)
{
	return id ? id : "a device";
}

static char *words_of(const struct port_news *n)
{
	const char *id = n->who.device_id;

	switch (n->event) {
	case PORT_NOTHING:
		return mem_printf("%s; %s", n->text, n->hint);
	case PORT_REFUSED:
		return mem_printf("%s%s%s", n->text, n->hint ? "\n" : "",
				  n->hint ? n->hint : "");
	case PORT_PATH:
	case PORT_NAME:
		return mem_printf("refused %s: %s", or_device(id), n->text);
	case PORT_TOKEN:
		return mem_printf("refused %s: its token is %s",
				  id ? id : "a device without a Device-Id",
				  n->verdict == TOKEN_MISSING ? "missing" :
								"wrong");
	default:
		return mem_strdup(n->text);
	}
}

static void heard(void *owner, const struct port_news *n)
{
	static const enum notice_kind kinds[] = {
		[PORT_BROWSER] = NOTICE_BROWSER,
		[PORT_NOISE] = NOTICE_NOISE,
		[PORT_NOTHING] = NOTICE_PATH,
		[PORT_REFUSED] = NOTICE_REFUSED,
		[PORT_TOO_LARGE] = NOTICE_OTHER,
		[PORT_FAILED] = NOTICE_OTHER,
		[PORT_PATH] = NOTICE_PATH,
		[PORT_TOKEN] = NOTICE_TOKEN,
		[PORT_NAME] = NOTICE_REFUSED,
	};
	bool tls = n->event == PORT_NOISE && n->noise == FRONT_TLS;
	CLEANUP(mem_free_ptr) char *text = words_of(n);

	if (n->event == PORT_ACTIVATE || n->event == PORT_TOLD)
		return;
	/* Of these net/front tells few already. */
	if (n->event == PORT_NOISE || n->event == PORT_REFUSED)
		tell(owner, tls ? NOTICE_TLS : kinds[n->event], n->who.address,
		     text);
	else
		notice(owner, kinds[n->event], n->who.address, text);
}

static void asked(const struct visit *v, const struct ota_request *rq,
		  const char *sent_to, bool mqtt)
{
	const char *id = rq->device_id;
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)mqtt;
	buf_printf(&text, "%s ", id[0] ? id : "somebody without a Device-Id");
	ota_describe(&text, rq);
	buf_printf(&text, "\nit was sent to %s: now wake it", sent_to);
	notice(v->owner, NOTICE_OTA, v->head->address, buf_string(&text));
}

/* Proof that the port can be reached, and what to set on the board. */
void listen_page(struct buf *out, const char *host, const char *device)
{
	buf_text(
		out,
		"<p>This address answers: network and firewall are fine. mcpctl waits here for one MCP device.</p>\n"
		"<p>Set this as the OTA address of the board:</p>\n");
	page_address(out, host);
	buf_text(
		out,
		"<p>Then reboot it, and wake it: wake word or button.</p>\n<p>");
	if (device) {
		buf_text(out, "A device is connected: ");
		page_text(out, device);
		buf_text(out, ".");
	} else {
		buf_text(out, "No device is connected now.");
	}
	buf_text(out, "</p>\n");
}

static void page(const struct visit *v, struct buf *out)
{
	const struct listen *l = v->owner;
	const char *device = l->served_id[0] ? l->served_id : l->served;

	listen_page(out, knock_host(v->head), l->serving ? device : NULL);
}

static void on_timer(void *owner)
{
	struct listen *l = owner;
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text,
		   "listening on port %u\nOTA address to set on the board:\n",
		   (unsigned)l->port->place[0].number);
	port_describe(l->port, &text);
	if (l->port->facts.home)
		buf_printf(
			&text,
			"  (only this machine reaches that one: for boards, listen:%u)\n"
			"'mcpctl sim --ota' with that address pretends to be a board that dials in",
			(unsigned)l->port->place[0].number);
	else
		buf_text(
			&text,
			"1. set it on the board (Wi-Fi setup page, advanced)\n"
			"2. reboot the board: it asks this address where to dial\n"
			"3. wake it: wake word or button\n"
			"open the same address in a phone's browser: no page means a firewall,\na page means the board");
	tell(l, NOTICE_LISTENING, NULL, buf_string(&text));
}

/* ---- its tokens ---- */

bool listen_token_fits(const struct words *tokens, const char *given)
{
	bool fits = false;

	for (size_t i = 0; i < tokens->count; i++)
		fits |= knock_token_fits(tokens->word[i], given);
	return fits || tokens->count == 0;
}

static enum token_verdict judge_token(void *owner, const struct who *who,
				      const char *given)
{
	const struct listen *l = owner;

	(void)who;
	if (listen_token_fits(&l->tokens, given))
		return TOKEN_FITS;
	return given ? TOKEN_WRONG : TOKEN_MISSING;
}

static const char *token_at(void *owner, size_t i)
{
	const struct listen *l = owner;

	return i < l->tokens.count ? l->tokens.word[i] : NULL;
}

static const char *token_for(void *owner, const struct ota_request *rq)
{
	(void)rq;
	return token_at(owner, 0);
}

static enum front_standing standing(const struct visit *v)
{
	const struct listen *l = v->owner;
	CLEANUP(mem_free_ptr) char *token = knock_token(v->head);

	return l->tokens.count && listen_token_fits(&l->tokens, token) ?
		       FRONT_SHOWN :
		       FRONT_STRANGER;
}

/* ---- its place ---- */

/*
 * A device has one connection at a time (device.md 1.1). When it dials again
 * it was reset, and the socket that is open here is dead: say so now, and not
 * when keepalive finds out. This connection ends with the old one's session.
 */
static char *supersede(struct listen *l, const char **reason)
{
	l->superseded = true;
	l->inner.ops->close(&l->inner);
	*reason = "busy: the old connection of this device is being closed";
	return mem_printf(
		"%s dialled in again: it was restarted, its connection from %s is dead",
		l->served_id, l->served);
}

static void refuse_second(struct listen *l, const struct who *who,
			  const char **reason)
{
	const char *id = who->device_id;
	bool again = l->ready && id && strcmp(id, l->served_id) == 0;
	CLEANUP(mem_free_ptr) char *text = NULL;

	*reason = "busy: one device at a time, and one is being served";
	if (again)
		text = supersede(l, reason);
	else
		text = mem_printf(
			"refused %s: a second device, while %s is served",
			or_device(id),
			l->served_id[0] ? l->served_id : l->served);
	notice(l, NOTICE_REFUSED, who->address, text);
}

static void meet(struct listen *l, const struct visit *v, const char *id)
{
	CLEANUP(mem_free_ptr) char *reached = port_reached(v->place, v->head);
	CLEANUP(mem_free_ptr) char *base = port_base(v->port, reached);

	camera_meet(&l->camera, base, id);
}

static struct transport *
place(const struct visit *v, const struct peer_info *peer, const char **reason)
{
	struct listen *l = v->owner;
	const char *id = peer->device_id;

	if (l->serving) {
		refuse_second(l, &v->who, reason);
		return NULL;
	}
	snprintf(l->served, sizeof(l->served), "%s", peer->address);
	snprintf(l->served_id, sizeof(l->served_id), "%s", id ? id : "");
	l->serving = true;
	meet(l, v, id);
	share_move(&l->share, v->head->share);
	return &l->inner;
}

static void unplace(void *owner, struct transport *t)
{
	struct listen *l = owner;

	(void)t;
	l->serving = false;
	share_close(&l->share);
}

static bool http(const struct visit *v)
{
	struct listen *l = v->owner;

	return pictures_http(l->camera.pictures, v);
}

static size_t body_max(const struct visit *v)
{
	const struct listen *l = v->owner;

	return pictures_body_max(l->camera.pictures, v);
}

static const struct port_policy policy = {
	.heard = heard,
	.asked = asked,
	.page = page,
	.token = judge_token,
	.token_for = token_for,
	.token_at = token_at,
	.place = place,
	.unplace = unplace,
	.standing = standing,
	.http = http,
	.body_max = body_max,
};

/* ---- the end ---- */

static void listen_free(struct listen *l)
{
	camera_free_budget(&l->camera);
	mem_free(l->path);
	words_done(&l->tokens);
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
	if (!l->port && !l->inner.impl && !l->few_open && l->closing)
		timer_close(&l->timer, released);
}

static void on_port_closed(void *owner)
{
	struct listen *l = owner;

	l->port = NULL;
	perhaps_released(l);
}

static void on_few_closed(void *owner)
{
	struct listen *l = owner;

	l->few_open = false;
	perhaps_released(l);
}

static void begin_end(struct listen *l)
{
	if (l->closing)
		return;
	few_lines_close(&l->few, on_few_closed, l);
	l->closing = true;
	timer_stop(&l->timer);
	if (l->inner.impl)
		l->inner.ops->close(&l->inner);
	camera_done(&l->camera);
	port_close(l->port, on_port_closed, l);
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
	const struct listen *l = owner;
	const struct transport *t = l->transport;

	t->events->message(t->owner, kind, data, len);
}

static void on_pong(void *owner)
{
	const struct listen *l = owner;
	const struct transport *t = l->transport;

	if (t->events->pong)
		t->events->pong(t->owner);
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
			  "the device was restarted: it dialled in again");
		error_hint(&l->why, "run the command again, then wake it");
	} else {
		error_copy(&l->why, why);
	}
	begin_end(l);
}

/* ---- the transport ---- */

static const struct transport_events inner_events = {
	.ready = on_ready,
	.message = on_message,
	.closed = on_closed,
	.pong = on_pong,
};

/* "/mcp", "/mcp_endpoint/mcp/": as all access points end. */
static bool path_is_point(const char *path)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		len--;
	return len >= 4 && memcmp(path + len - 4, "/mcp", 4) == 0;
}

static struct listen *listen_new(struct transport *t, const struct endpoint *to)
{
	struct listen *l = mem_zalloc(sizeof(*l));

	l->transport = t;
	l->inner.loop = t->loop;
	l->inner.events = &inner_events;
	l->inner.owner = l;
	l->inner.share = &l->share;
	if (to->path && strcmp(to->path, "/") != 0)
		l->path = mem_strdup(to->path);
	l->is_point = l->path && path_is_point(l->path);
	for (size_t i = 0; i < to->tokens.count; i++)
		words_add(&l->tokens, to->tokens.word[i]);
	return l;
}

static int listen_open(struct transport *t, const struct endpoint *to,
		       struct error *err)
{
	struct listen *l = listen_new(t, to);
	struct port_config config = {
		.host = to->host,
		.number = to->port,
		.path = l->path,
		.point = l->is_point ? l->path : NULL,
		.admit = { &to->allow_hosts, &to->allow_origins,
			   &to->trusted_proxies, to->advertise },
		.message_max = to->message_max,
		.tells_port = true
	};

	if (camera_open(&l->camera, t, to, err)) {
		listen_free(l);
		return -1;
	}
	config.budget = l->camera.budget;
	config.body_max = (size_t)l->camera.rules.picture_max;
	if (port_open(&l->port, t->loop, &config, &policy, l, err)) {
		camera_done(&l->camera);
		listen_free(l);
		return -1;
	}
	timer_open(&l->timer, t->loop, on_timer, l);
	few_lines_open(&l->few, t->loop, tell_rest, l);
	l->few_open = true;
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

void listen_hush(const struct transport *t)
{
	struct listen *l = t->ops == &listen_ops ? t->impl : NULL;

	if (!l || l->closing)
		return;
	port_hush(l->port);
	few_lines_end(&l->few);
}

const struct port *listen_port(const struct transport *t)
{
	const struct listen *l = t->ops == &listen_ops ? t->impl : NULL;

	return l ? l->port : NULL;
}

static struct camera *listen_camera(const struct transport *t)
{
	struct listen *l = t->impl;

	return l && !l->closing ? &l->camera : NULL;
}

static bool listen_layers(const struct transport *t, int64_t id,
			  struct layers *out)
{
	const struct listen *l = t->impl;

	*out = (struct layers){ .pong_us = -1 };
	return l && l->ready && l->inner.impl &&
	       l->inner.ops->layers(&l->inner, id, out);
}

static int listen_ping(struct transport *t, struct error *err)
{
	struct listen *l = t->impl;

	if (!l || l->closing || !l->ready || !l->inner.impl)
		return error_set(err, ERR_CONNECT,
				 "cannot ping: no device is connected");
	return l->inner.ops->ping(&l->inner, err);
}

static int listen_send_pieces(struct transport *t, const char *text, size_t len,
			      struct error *err)
{
	struct listen *l = t->impl;

	if (!l || l->closing || !l->ready || !l->inner.impl)
		return error_set(err, ERR_CONNECT,
				 "cannot send: no device is connected");
	return l->inner.ops->send_pieces(&l->inner, text, len, err);
}

static int listen_send_sound(struct transport *t, const void *data, size_t len,
			     struct error *err)
{
	struct listen *l = t->impl;

	if (!l || l->closing || !l->ready || !l->inner.impl)
		return error_set(err, ERR_CONNECT,
				 "cannot send: no device is connected");
	return l->inner.ops->send_sound(&l->inner, data, len, err);
}

const struct transport_ops listen_ops = {
	.scheme = "listen",
	.close_code = 1000,
	.open = listen_open,
	.send = listen_send,
	.close = listen_close,
	.camera = listen_camera,
	.layers = listen_layers,
	.ping = listen_ping,
	.send_pieces = listen_send_pieces,
	.send_sound = listen_send_sound,
};
