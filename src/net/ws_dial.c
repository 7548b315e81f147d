/* SPDX-License-Identifier: MIT */
/*
 * Dialling a WebSocket server: target, addresses, certificates, handshake; why
 * it failed, in words.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

#include "base/lookup.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/dial_words.h"
#include "net/head.h"
#include "net/ws_private.h"

/*
 * What is to be dialled: taken from the target, checked, and put into the
 * handshake. How it is dialled stands below.
 */

#define TIMEOUT_MS 10000
/* The library prints these into buffers of fixed size, and cuts them in silence. */
#define HOST_MAX 110
#define PATH_MAX_BYTES 2000

/* These are the handshake's own; a second one would make it ambiguous. */
static const char *const ours[] = { "Host",
				    "Upgrade",
				    "Connection",
				    "Sec-WebSocket-Key",
				    "Sec-WebSocket-Version",
				    "Sec-WebSocket-Extensions",
				    "Content-Length",
				    "Transfer-Encoding",
				    NULL };

/* ws_dial.c: -1 (ERR_USAGE): the target or its headers cannot be dialled. */
static int ws_dial_check(const struct endpoint *to, struct error *err)
{
	if (strlen(to->host) > HOST_MAX)
		return error_set(err, ERR_USAGE,
				 "the host '%.100s…' is too long", to->host);
	if (strlen(to->path) > PATH_MAX_BYTES)
		return error_set(err, ERR_USAGE,
				 "the path is longer than %d bytes",
				 PATH_MAX_BYTES);
	return headers_check(&to->headers, ours, "handshake", err);
}

static void take_headers(struct ws_dial *d, const struct endpoint *to)
{
	const char *token;

	for (size_t i = 0; i < to->headers.count; i++) {
		const struct header *h = &to->headers.item[i];

		if (text_same(h->name, "Sec-WebSocket-Protocol")) {
			mem_free(d->subprotocol);
			d->subprotocol = mem_strdup(h->value);
			continue;
		}
		headers_add(&d->headers, h->name, h->value);
	}
	if (!to->tokens.count || headers_get(&d->headers, "Authorization"))
		return;
	/* The rule of the firmware (device.md 1.2): a token with a space goes as it is. */
	token = to->tokens.word[0];
	if (strchr(token, ' ')) {
		headers_add(&d->headers, "Authorization", token);
	} else {
		CLEANUP(mem_free_ptr)
		char *value = mem_printf("Bearer %s", token);

		headers_add(&d->headers, "Authorization", value);
	}
}

/* Copies what it needs. */
static struct ws_dial *ws_dial_new(struct ws *ws, const struct endpoint *to)
{
	struct ws_dial *d = mem_zalloc(sizeof(*d));
	struct buf host = { 0 };
	/* The zone of "fe80::1%eth0" is this machine's own matter. */
	CLEANUP(mem_free_ptr)
	char *bare = mem_strndup(to->host, strcspn(to->host, "%"));
	bool tls = endpoint_has(to, SCHEME_TLS);
	uint16_t usual = tls ? 443 : 80;

	ws->dial = d;
	d->use_tls = tls;
	d->tls.insecure = tls && to->insecure;
	snprintf(d->tls.host, sizeof(d->tls.host), "%s", bare);
	d->host = mem_strdup(to->host);
	d->port = to->port;
	d->path = mem_strdup(to->path);
	authority_print(&host, bare, to->port == usual ? 0 : to->port);
	d->host_header = buf_take(&host);
	take_headers(d, to);
	d->timeout = to->connect_timeout ? to->connect_timeout : TIMEOUT_MS;
	d->deadline = loop_now() + d->timeout;
	return d;
}

void ws_dial_free(struct ws *ws)
{
	struct ws_dial *d = ws->dial;

	if (!d)
		return;
	if (d->addresses)
		freeaddrinfo(d->addresses);
	headers_done(&d->headers);
	mem_free(d->host);
	mem_free(d->path);
	mem_free(d->host_header);
	mem_free(d->subprotocol);
	mem_free(d->location);
	mem_free(d);
	ws->dial = NULL;
}

/* Append the headers of the user to a handshake. -1: no room. */
static int ws_dial_headers(const struct ws_dial *d, char **at, size_t room)
{
	for (size_t i = 0; i < d->headers.count; i++) {
		int len = snprintf(*at, room, "%s: %s\r\n",
				   d->headers.item[i].name,
				   d->headers.item[i].value);

		if (len < 0 || (size_t)len >= room)
			return -1;
		*at += len;
		room -= (size_t)len;
	}
	return 0;
}

void ws_dial_ready(struct ws *ws)
{
	struct ws_dial *d = ws->dial;
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!d->tls.insecure)
		return;
	text = mem_printf(
		"the certificate of '%s' is not verified (--insecure)%s%s",
		d->host, d->tls.problem[0] ? ": " : "", d->tls.problem);
	ws_notice(ws, NOTICE_INSECURE, text);
}

/*
 * libwebsockets says only "Unable to connect". So, when it could not, the
 * kernel is asked once more, for its error number alone.
 */

#define ASK_MS 1000

struct ws_ask {
	uv_poll_t poll;
	int fd; /* -1: there was no socket to be had */
	int error;
	struct timer timer;
	void (*done)(void *owner, int error); /* NULL: nobody waits any more */
	void *owner;
	unsigned handles;
};

static void part_closed(struct ws_ask *a)
{
	void (*done)(void *owner, int error) = a->done;
	void *owner = a->owner;
	int error = a->error;

	if (--a->handles > 0)
		return;
	if (a->fd >= 0)
		close(a->fd);
	mem_free(a);
	if (done)
		done(owner, error);
}

static void on_timer_closed(void *owner)
{
	part_closed(owner);
}

static void on_poll_closed(uv_handle_t *handle)
{
	part_closed(handle->data);
}

static void finish(struct ws_ask *a, int error)
{
	a->error = error;
	if (a->fd >= 0)
		uv_close((uv_handle_t *)&a->poll, on_poll_closed);
	timer_close(&a->timer, on_timer_closed);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
	struct ws_ask *a = poll->data;
	socklen_t len = sizeof(int);
	int error = 0;

	(void)events;
	if (status < 0)
		error = -status;
	getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	finish(a, error);
}

static void on_timer(void *owner)
{
	struct ws_ask *a = owner;

	finish(a, a->error ? a->error : ETIMEDOUT);
}

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->ss_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		v4.sin_port = htons(port);
		memcpy(address, &v4, sizeof(v4));
	} else {
		memcpy(&v6, address, sizeof(v6));
		v6.sin6_port = htons(port);
		memcpy(address, &v6, sizeof(v6));
	}
}

struct ws_ask *ws_ask_open(struct loop *l, const struct sockaddr *to,
			   uint16_t port, void (*done)(void *owner, int error),
			   void *owner)
{
	socklen_t len = to->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(struct sockaddr_in6);
	struct sockaddr_storage address = { 0 };
	struct ws_ask *a = mem_zalloc(sizeof(*a));
	int64_t wait = ASK_MS;

	memcpy(&address, to, len);
	set_port(&address, port);
	a->done = done;
	a->owner = owner;
	a->handles = 1;
	timer_open(&a->timer, l, on_timer, a);
	a->fd = socket(to->sa_family,
		       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0 || (connect(a->fd, (struct sockaddr *)&address, len) &&
			  errno != EINPROGRESS)) {
		a->error = errno;
		wait = 0;
	}
	if (a->fd >= 0) {
		a->handles++;
		uv_poll_init(loop_uv(l), &a->poll, a->fd);
		a->poll.data = a;
		if (wait)
			uv_poll_start(&a->poll, UV_WRITABLE, on_writable);
	}
	timer_start(&a->timer, wait);
	return a;
}

static void ws_ask_close(struct ws_ask *a)
{
	a->done = NULL;
	finish(a, 0);
}

/*
 * Certificates: libwebsockets asks here, because it keeps the reason for a
 * refusal to itself, and takes the colon of an IPv6 address for a port.
 */

static bool names_ipv6(const struct ws_tls *tls, X509_STORE_CTX *store)
{
	X509 *certificate = X509_STORE_CTX_get0_cert(store);

	return strchr(tls->host, ':') && certificate &&
	       X509_check_ip_asc(certificate, tls->host, 0) == 1;
}

int ws_tls_verify(struct ws_tls *tls, void *store, bool verified)
{
	int error = X509_STORE_CTX_get_error(store);
	bool accept;

	if (verified || error == X509_V_OK)
		return 0;
	if (error == X509_V_ERR_HOSTNAME_MISMATCH && names_ipv6(tls, store)) {
		accept = true;
	} else {
		/* The first problem is the cause, later ones follow from it. */
		if (!tls->problem[0])
			snprintf(tls->problem, sizeof(tls->problem), "%s",
				 X509_verify_cert_error_string(error));
		accept = tls->insecure;
	}
	if (!accept)
		return 1;
	X509_STORE_CTX_set_error(store, X509_V_OK);
	return 0;
}

/* OpenSSL's last error in a handshake; libwebsockets has cleared it when it tells. */
static struct {
	int fd;
	char text[128];
} last_failure;

static void on_info(const SSL *ssl, int where, int result)
{
	unsigned long error = ERR_peek_last_error();
	const char *reason = error ? ERR_reason_error_string(error) : NULL;

	if (!(where & SSL_CB_EXIT) || result > 0 || !reason)
		return;
	last_failure.fd = SSL_get_fd(ssl);
	snprintf(last_failure.text, sizeof(last_failure.text), "%s", reason);
}

void ws_tls_watch(void *ssl_ctx)
{
	/* Older ones would fail amid the handshake, for a reason that misleads. */
	SSL_CTX_set_min_proto_version(ssl_ctx, TLS1_2_VERSION);
	SSL_CTX_set_info_callback(ssl_ctx, on_info);
}

static void ws_tls_reason(struct ws_tls *tls, int fd)
{
	if (!tls->problem[0] && last_failure.fd == fd)
		snprintf(tls->problem, sizeof(tls->problem), "%s",
			 last_failure.text);
	last_failure.fd = -1;
}

/* "TLSv1.3" */
static void ws_tls_version(struct lws *wsi, char *out, size_t size)
{
	SSL *ssl = lws_get_ssl(wsi);

	snprintf(out, size, "%s", ssl ? SSL_get_version(ssl) : "TLS");
}

/*
 * Why a server could not be reached, in words, with the next step. One place
 * for all the ways in which dialling fails.
 */

/* Set ws->why. */
static void ws_fail_lookup(struct ws *ws, int status)
{
	dial_fail_lookup(&ws->why, "the host", ws->dial->host,
			 status == UV_ETIMEDOUT ? NULL : uv_strerror(status));
}

static void ws_fail_connect(struct ws *ws, int error)
{
	const struct ws_dial *d = ws->dial;
	const struct dial_place to = { .noun = "",
				       .host = d->host,
				       .port = d->port,
				       .timeout = d->timeout,
				       .unknown =
					       "it refused, and accepts now" };

	dial_fail_connect(&ws->why, &to, error);
}

/* A refusal by HTTP status. */
static void fail_status(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	struct error *why = &ws->why;
	int status = d->status;

	switch (status) {
	case 401:
	case 403:
		error_set(why, ERR_AUTH, "'%s' refused: HTTP %d (%s)", d->host,
			  status,
			  status == 401 ? "not authorized" : "forbidden");
		error_hint(
			why,
			"give credentials: MCPCTL_TOKEN, --token-file, or --header 'Authorization: …'");
		break;
	case 404:
		error_set(why, ERR_CONNECT,
			  "'%s' has no WebSocket at '%.100s': HTTP 404",
			  d->host, d->path);
		error_hint(
			why,
			"check the path of the target; what stands in front of it must pass Upgrade on");
		break;
	case 421:
		error_set(why, ERR_CONNECT,
			  "'%s' does not serve this host: HTTP 421", d->host);
		error_hint(
			why,
			"use its IP address; if it is mcpctl, --allow-host there adds a name");
		break;
	case 503:
		error_set(why, ERR_CONNECT, "'%s' is busy: HTTP 503", d->host);
		error_hint(
			why,
			"it may serve one client at a time; try again when that one has gone");
		break;
	default:
		error_set(why, ERR_CONNECT,
			  "'%s' did not open a WebSocket at '%.100s': HTTP %d",
			  d->host, d->path, status);
		error_hint(
			why,
			"is this the address of a WebSocket server? what stands in front of it must pass Upgrade on");
	}
	if (status >= 300 && status < 400 && d->location)
		error_hint(
			why,
			"it redirects to '%.200s': if you trust that, make it the target",
			d->location);
	error_code(why, status);
}

static void fail_tls(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	const char *problem =
		d->tls.problem[0] ? d->tls.problem : "it ended the handshake";
	struct error *why = &ws->why;

	if (dial_is_no_tls(problem)) {
		error_set(why, ERR_CONNECT,
			  "'%s' does not speak TLS on port %u", d->host,
			  (unsigned)d->port);
		error_hint(why, "use ws:// instead of wss://, or another port");
		return;
	}
	error_set(why, ERR_CONNECT, "TLS with '%s' failed: %s", d->host,
		  dial_tls_words(problem));
	error_hint(why, "%s", dial_tls_hint(problem));
}

/* The library's words for an answer that is no proper 101. */
static const struct {
	const char *said, *words, *hint;
} answers[] = {
	{ "ACCEPT missing", "its answer has no Sec-WebSocket-Accept", NULL },
	{ "Accept hash wrong", "its Sec-WebSocket-Accept is wrong", NULL },
	{ "PROTOCOL malformed", "it chose a subprotocol that was not offered",
	  "offer it: --header 'Sec-WebSocket-Protocol: NAME' (mcp, perhaps)" },
	{ "EXT:", "it uses an extension that was not offered", NULL },
	{ "Upgrade", "its answer upgrades to something else", NULL },
	{ "UPGRADE", "its answer has no proper Upgrade and Connection", NULL },
};

static void fail_answer(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	const char *words = "its answer is no WebSocket handshake",
		   *hint = NULL;

	for (size_t i = 0; i < COUNT(answers); i++) {
		if (strstr(d->said, answers[i].said)) {
			words = answers[i].words;
			hint = answers[i].hint;
			break;
		}
	}
	error_set(&ws->why, ERR_PROTOCOL,
		  "'%s' broke the WebSocket handshake: %s", d->host, words);
	error_hint(&ws->why, "%s", hint ? hint : "is it a WebSocket server?");
}

static void fail_silent(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	char wait[32];

	text_milliseconds(d->timeout, wait, sizeof(wait));
	error_set(
		&ws->why, ERR_CONNECT,
		"'%s' port %u accepted the connection, but not the %s handshake within %s",
		d->host, (unsigned)d->port,
		d->use_tls && !d->handshake_sent ? "TLS" : "WebSocket", wait);
	error_hint(&ws->why,
		   d->use_tls ?
			   "is it a WebSocket server?" :
			   "is it a WebSocket server? does it want wss://?");
}

static void ws_fail_handshake(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;

	if (ws->why.kind != ERR_NONE)
		return;
	if (d->timed_out) {
		fail_silent(ws);
	} else if (d->use_tls && !d->handshake_sent) {
		fail_tls(ws);
	} else if (d->status && d->status != 101) {
		fail_status(ws);
	} else if (d->status) {
		fail_answer(ws);
	} else if (strstr(d->said, "parsing header")) {
		error_set(
			&ws->why, ERR_CONNECT,
			"'%s' port %u answered something that is no HTTP, or more than 16 kB of it",
			d->host, (unsigned)d->port);
		error_hint(&ws->why, "if it speaks TLS, use wss://");
	} else {
		error_set(
			&ws->why, ERR_CONNECT,
			"'%s' port %u closed the connection during the handshake",
			d->host, (unsigned)d->port);
		error_hint(
			&ws->why,
			d->use_tls ?
				"is it a WebSocket server?" :
				"is it a WebSocket server? does it want wss://?");
	}
}

/*
 * Dialling out: name, then each address in turn, then the handshake. Why it
 * failed is put into words below.
 */

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
	CLEANUP(buf_done) struct buf address = { 0 };
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
	if (endpoint_has(to, SCHEME_TLS))
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
