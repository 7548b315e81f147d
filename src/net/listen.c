/* SPDX-License-Identifier: MIT */
/*
 * The target listen: as a transport: one port with a place for one board. Its
 * port is the front's matter, the WebSocket that of ws.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/listen.h"
#include "net/port.h"

static void listen_notice(struct listen *l, enum notice_kind kind,
			  const char *address, const char *text);
static void listen_knock(struct listen *l, const char *address,
			 const char *local);

/*
 * Plain HTTP at the listening port: the OTA question of a board (device.md 5)
 * and the page for a browser.
 */

#define JSON_TYPE "application/json"

static void answer(struct listen *l, struct front_request *rq, int status,
		   const char *type, const struct buf *body)
{
	l->front_table->reply(rq, status, type, buf_string(body), body->len);
}

static void answer_error(struct listen *l, struct front_request *rq, int status,
			 const char *text)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	knock_error(&body, text);
	answer(l, rq, status, JSON_TYPE, &body);
}

/* What this device told when it asked OTA; NULL if it did not. */
static const struct ota_request *listen_asked(const struct listen *l,
					      const char *device_id)
{
	if (!device_id || !*device_id)
		return NULL;
	for (size_t i = 0; i < OTA_REMEMBERED; i++) {
		/* Some boards write the hexadecimal digits otherwise here and there. */
		if (text_same(l->asked[i].device_id, device_id))
			return &l->asked[i];
	}
	return NULL;
}

static void remember(struct listen *l, const struct ota_request *rq)
{
	const struct ota_request *old = listen_asked(l, rq->device_id);
	size_t at = old ? (size_t)(old - l->asked) :
			  l->asked_count++ % OTA_REMEMBERED;

	l->asked[at] = *rq;
}

static void note_board(struct knocks *k, const struct ota_request *rq,
		       const char *address)
{
	struct ota_board board;

	ota_board(&board, rq);
	snprintf(k->ota_board, sizeof(k->ota_board), "%s", board.name);
	snprintf(k->ota_version, sizeof(k->ota_version), "%s", board.version);
	snprintf(k->ota_address, sizeof(k->ota_address), "%s", address);
}

static void tell_question(struct listen *l, const struct front_head *head,
			  const struct ota_request *rq, const char *url)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%s ",
		   rq->device_id[0] ? rq->device_id :
				      "a board without a Device-Id");
	ota_describe(&text, rq);
	buf_printf(&text, "\nit was sent to %s: now wake it", url);
	listen_notice(l, NOTICE_OTA, head->address, buf_string(&text));
}

static char *device_url(const struct listen *l, const struct front_head *head)
{
	if (l->advertised_ws)
		return mem_strdup(l->advertised_ws);
	return mem_printf("ws://%s%s", knock_host(head),
			  l->path ? l->path : DEVICE_PATH);
}

/*
 * Every board is answered, also one that sends no Device-Id or no JSON: it
 * would go on with whatever it has stored (device.md 5.4 item 2).
 */
static void serve_ota(struct listen *l, struct front_request *rq,
		      const struct front_head *head, const char *body,
		      size_t len)
{
	const char *token = l->tokens.count ? l->tokens.word[0] : NULL;
	CLEANUP(mem_free_ptr) char *url = device_url(l, head);
	struct ota_request asked;
	struct error err = { 0 };
	CLEANUP(buf_done) struct buf reply = { 0 };

	ota_read(&asked, head, body, len, &err);
	error_reset(&err);
	l->knocks.ota++;
	note_board(&l->knocks, &asked, head->address);
	if (asked.device_id[0])
		remember(l, &asked);
	if (ota_reply_websocket(&reply, url, token, 0, &err)) {
		listen_notice(l, NOTICE_OTHER, head->address, err.text);
		answer_error(l, rq, 500, err.text);
	} else {
		answer(l, rq, 200, JSON_TYPE, &reply);
		tell_question(l, head, &asked, url);
	}
	error_reset(&err);
}

static void serve_page(struct listen *l, struct front_request *rq,
		       const struct front_head *head)
{
	const char *device = l->served_id[0] ? l->served_id : l->served;
	struct buf page = { 0 };

	l->knocks.browser++;
	listen_page(&page, knock_host(head), l->serving ? device : NULL);
	answer(l, rq, 200, "text/html; charset=utf-8", &page);
	buf_done(&page);
	listen_notice(l, NOTICE_BROWSER, head->address,
		      "a browser opened the page: network and port are fine");
}

/*
 * Empty is no body to firmware: it would wait for the end (device.md 5.4 item
 * 7).
 */
static void serve_activate(struct listen *l, struct front_request *rq)
{
	CLEANUP(buf_done) struct buf done = { 0 };

	l->knocks.activate++;
	buf_text(&done, "{}");
	answer(l, rq, 200, JSON_TYPE, &done);
}

static void serve_nothing(struct listen *l, struct front_request *rq,
			  const struct front_head *head)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	answer_error(l, rq, 404,
		     "nothing at this path; the OTA path is " OTA_PATH);
	if (knock_wish(head) == KNOCK_ICON)
		return;
	if (headers_get(head->headers, "Device-Id")) {
		l->knocks.wrong_path++;
		snprintf(l->knocks.wrong_path_text,
			 sizeof(l->knocks.wrong_path_text), "%s", head->path);
	} else {
		l->knocks.browser++;
	}
	text = mem_printf(
		"%.16s '%.120s': there is nothing; the OTA path is " OTA_PATH,
		head->method, head->path);
	listen_notice(l, NOTICE_PATH, head->address, text);
}

static void listen_http(void *owner, struct front_request *rq,
			const struct front_head *head, const char *body,
			size_t len)
{
	struct listen *l = owner;

	listen_knock(l, head->address, head->local);
	switch (knock_wish(head)) {
	case KNOCK_METHOD:
		answer_error(l, rq, 405, "only GET and POST are answered");
		break;
	case KNOCK_OTA:
		serve_ota(l, rq, head, body, len);
		break;
	case KNOCK_ACTIVATE:
		serve_activate(l, rq);
		break;
	case KNOCK_PAGE:
		serve_page(l, rq, head);
		break;
	case KNOCK_ICON:
	case KNOCK_OTHER:
		serve_nothing(l, rq, head);
		break;
	}
}

/*
 * Nobody came: which step is the first that is missing? Judged from the
 * knocks alone; the furthest one tells how far the board got.
 */

static int nothing_came(const struct knocks *k, const char *ota_url,
			struct error *err)
{
	if (k->connections) {
		error_set(
			err, ERR_CONNECT,
			"no device dialled in: %u connection%s came, but no request",
			k->connections, k->connections == 1 ? "" : "s");
		return error_hint(err, "is the OTA address of the board %s ?",
				  ota_url);
	}
	error_set(err, ERR_CONNECT,
		  "no device dialled in: nothing came at all");
	return error_hint(
		err,
		"is the board in the same network, its OTA address %s, and was it rebooted since? open that address in a phone's browser: no page means a firewall",
		ota_url);
}

static int only_browser(const struct knocks *k, const char *ota_url,
			struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device dialled in: only a browser came%s",
		  k->lan ? "" : ", from this machine");
	if (k->lan)
		return error_hint(
			err,
			"so network and firewall are fine: set the board's OTA address to %s and reboot it",
			ota_url);
	return error_hint(
		err,
		"that tells nothing of the network: open %s in a phone's browser, set it as the board's OTA address, and reboot the board",
		ota_url);
}

static int only_foreign(const struct knocks *k, const char *ota_url,
			struct error *err)
{
	error_set(err, ERR_CONNECT, "no device was let in; %s",
		  k->foreign_text);
	return error_hint(err, "%s%sthe board's OTA address is %s",
			  k->foreign_hint, k->foreign_hint[0] ? "; else: " : "",
			  ota_url);
}

static int never_woken(const struct knocks *k, struct error *err)
{
	error_set(
		err, ERR_CONNECT,
		"no device dialled in: the board%s%s%s%s%s asked OTA%s%s, but was never woken",
		k->ota_board[0] ? " '" : "", k->ota_board,
		k->ota_board[0] ? "'" : "",
		k->ota_version[0] ? " version " : "", k->ota_version,
		k->ota_address[0] ? " from " : "", k->ota_address);
	if (k->tls)
		return error_hint(
			err,
			"wake it: say the wake word or press its button; something also spoke TLS to this plain port: give the board ws://, not wss://");
	return error_hint(
		err,
		"wake it: say the wake word or press its button; if it was woken, it cannot reach the address that OTA gave it: see --advertise");
}

static int wrong_path(const struct knocks *k, const char *ota_url,
		      struct error *err)
{
	error_set(
		err, ERR_CONNECT,
		"no device was let in: one asked for the path '%s', which is a wrong one",
		k->wrong_path_text);
	return error_hint(
		err,
		"its OTA address is %s: set that and reboot it, so that it is told the right path; a target without a path accepts any",
		ota_url);
}

static int wrong_token(struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device was let in: its token is wrong or missing");
	return error_hint(
		err,
		"reboot it, so that OTA gives it the token, or take its own with MCPCTL_TOKEN or --token-file");
}

int knocks_explain(const struct knocks *k, const char *ota_url,
		   struct error *err)
{
	if (k->upgraded)
		return 0;
	if (k->wrong_token)
		return wrong_token(err);
	if (k->wrong_path)
		return wrong_path(k, ota_url, err);
	if (k->ota)
		return never_woken(k, err);
	if (k->tls) {
		error_set(
			err, ERR_CONNECT,
			"no device dialled in: something spoke TLS to this plain port");
		return error_hint(
			err,
			"the board was given https:// or wss://: its OTA address is %s",
			ota_url);
	}
	if (k->foreign)
		return only_foreign(k, ota_url, err);
	if (k->browser)
		return only_browser(k, ota_url, err);
	return nothing_came(k, ota_url, err);
}

/*
 * The page that a browser gets: proof that the port can be reached, and what
 * to set on the board.
 */

void listen_page(struct buf *out, const char *host, const char *device)
{
	page_start(out);
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
	page_end(out);
}

/*
 * What is printed when listen: is open: the addresses and the next steps.
 */

static void add_addresses(struct listen *l, struct buf *out)
{
	struct words found = { 0 };

	ota_addresses(&found, l->host, l->port);
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "  %s\n", found.word[i]);
	l->ota_url = mem_strdup(found.word[0]);
	words_done(&found);
}

static void add_advertised(struct listen *l, struct buf *out)
{
	struct words found = { 0 };

	l->ota_url = mem_strdup(l->advertised_ota);
	buf_printf(out, "  %s\n", l->advertised_ota);
	/* A URL is a proxy's: what it must pass on to is worth a line. */
	if (!l->behind_proxy)
		return;
	ota_addresses(&found, l->host, l->port);
	buf_printf(out, "  (passed on to %s)\n", found.word[0]);
	words_done(&found);
}

/* The text of NOTICE_LISTENING; sets l->ota_url. */
static void listen_describe(struct listen *l, struct buf *out)
{
	buf_printf(out, "listening on port %u\n", (unsigned)l->port);
	buf_text(out, "OTA address to set on the board:\n");
	if (l->advertised_ota)
		add_advertised(l, out);
	else
		add_addresses(l, out);
	buf_text(
		out,
		"1. set it on the board (Wi-Fi setup page, advanced)\n"
		"2. reboot the board: it asks this address where to dial\n"
		"3. wake it: wake word or button\n"
		"open the same address in a phone's browser: no page means a firewall,\na page means the board");
}

/*
 * A WebSocket knocks: path, token, and whether the place is free. All of it
 * is judged before the upgrade is answered (device.md 1.2).
 */

bool listen_token_fits(const struct words *tokens, const char *given)
{
	bool fits = false;

	for (size_t i = 0; i < tokens->count; i++)
		fits |= knock_token_fits(tokens->word[i], given);
	return fits || tokens->count == 0;
}

static int refuse_path(struct listen *l, const struct front_head *head,
		       const char *id, const char **reason)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	l->knocks.wrong_path++;
	snprintf(l->knocks.wrong_path_text, sizeof(l->knocks.wrong_path_text),
		 "%s", head->path);
	text = mem_printf("refused %s: it dialled '%.120s', not '%.120s'",
			  id ? id : "a device", head->path, l->path);
	listen_notice(l, NOTICE_PATH, head->address, text);
	*reason = "no WebSocket at this path";
	return 404;
}

static int refuse_token(struct listen *l, const struct front_head *head,
			const char *id, bool given, const char **reason)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	l->knocks.wrong_token++;
	text = mem_printf("refused %s: its token is %s",
			  id ? id : "a device without a Device-Id",
			  given ? "wrong" : "missing");
	listen_notice(l, NOTICE_TOKEN, head->address, text);
	*reason = given ? "the token is wrong" : "a token is needed";
	return 401;
}

/*
 * A device has one connection at a time (device.md 1.1). When it dials again
 * it was reset, and the socket that is open here is dead: say so now, and not
 * when keepalive finds out. This connection ends with the old one's session.
 */
static int supersede(struct listen *l, const struct front_head *head,
		     const char **reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"%s dialled in again: it was restarted, its connection from %s is dead",
		l->served_id, l->served);

	listen_notice(l, NOTICE_REFUSED, head->address, text);
	l->superseded = true;
	l->inner.ops->close(&l->inner);
	*reason = "busy: the old connection of this device is being closed";
	return 503;
}

static int refuse_second(struct listen *l, const struct front_head *head,
			 const char *id, const char **reason)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	l->knocks.refused++;
	if (l->ready && id && strcmp(id, l->served_id) == 0)
		return supersede(l, head, reason);
	text = mem_printf("refused %s: a second device, while %s is served",
			  id ? id : "a device",
			  l->served_id[0] ? l->served_id : l->served);
	listen_notice(l, NOTICE_REFUSED, head->address, text);
	*reason = "busy: one device at a time, and one is being served";
	return 503;
}

static int let_in(struct listen *l, int fd, const struct front_head *head,
		  const char *id)
{
	CLEANUP(mem_free_ptr) char *path = knock_safe_path(head);
	CLEANUP(mem_free_ptr)
	char *client_id = knock_value(head, "Client-Id");
	struct peer_info peer = { .address = head->address,
				  .headers = head->headers,
				  .path = path,
				  .device_id = id,
				  .client_id = client_id,
				  .ota = listen_asked(l, id),
				  .protocol_version =
					  knock_protocol_version(head),
				  .envelope = true };
	struct error err = { 0 };

	snprintf(l->served, sizeof(l->served), "%s", head->address);
	snprintf(l->served_id, sizeof(l->served_id), "%s", id ? id : "");
	l->serving = true;
	share_move(&l->share, head->share);
	/* Takes the descriptor in any case. */
	if (l->ws_table->adopt(&l->inner, fd, &peer, l->message_max, &err)) {
		l->serving = false;
		share_close(&l->share);
		listen_notice(l, NOTICE_OTHER, head->address, err.text);
		error_reset(&err);
		return 0;
	}
	l->inner.ops = &l->ws_table->dial;
	l->knocks.upgraded++;
	return 0;
}

static int listen_upgrade(void *owner, int fd, const struct front_head *head,
			  const char **reason)
{
	struct listen *l = owner;
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);

	listen_knock(l, head->address, head->local);
	if (l->path && !knock_path_fits(l->path, head->path))
		return refuse_path(l, head, id, reason);
	if (!listen_token_fits(&l->tokens, token))
		return refuse_token(l, head, id, token != NULL, reason);
	if (l->serving)
		return refuse_second(l, head, id, reason);
	return let_in(l, fd, head, id);
}

/*
 * The target listen: as a transport. Its port is the front's matter, the
 * device's WebSocket that of ws; what stands here is when it begins and ends.
 */

/* Tell the owner; text is lent. */
static void listen_notice(struct listen *l, enum notice_kind kind,
			  const char *address, const char *text)
{
	const struct transport *t = l->transport;
	struct notice n = { .kind = kind, .text = text, .address = address };

	if (!l->closing && t->events->notice)
		t->events->notice(t->owner, &n);
}

/* Something came: count it, note whether from another machine. */
static void listen_knock(struct listen *l, const char *address,
			 const char *local)
{
	size_t len = address_host_length(address);

	l->knocks.connections++;
	if (strncmp(address, "127.", 4) == 0 ||
	    strncmp(address, "[::1]", 5) == 0)
		return;
	if (local && len == address_host_length(local) &&
	    strncmp(address, local, len) == 0)
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
			  "the device was restarted: it dialled in again");
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
	CLEANUP(buf_done) struct buf text = { 0 };

	listen_describe(l, &text);
	listen_notice(l, NOTICE_LISTENING, NULL, buf_string(&text));
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
	CLEANUP(buf_done) struct buf reply = { 0 };

	mem_free(TAKE(l->advertised_ws));
	mem_free(TAKE(l->advertised_ota));
	if (to->advertise) {
		if (ota_advertise(to->advertise, port, path, &l->advertised_ws,
				  &l->advertised_ota, err))
			return -1;
		l->behind_proxy = strstr(to->advertise, "://") != NULL;
		url = l->advertised_ws;
	}
	return ota_reply_websocket(&reply, url, token, 0, err);
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
	.open = listen_open,
	.send = listen_send,
	.close = listen_close,
	.explain = listen_explain,
};
