/* SPDX-License-Identifier: MIT */
/*
 * Dialling a WebSocket server: target, addresses, certificates, handshake.
 */
#include "net/ws_dial.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "net/tls_chain.h"
#include "net/why.h"
#include "net/ws_context.h"
#include "net/ws_peer.h"
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
	d->fd = -1;
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
			tls_chain_words(
				error, X509_STORE_CTX_get0_cert(store),
				sk_X509_num(
					X509_STORE_CTX_get0_untrusted(store)),
				tls->problem, sizeof(tls->problem));
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

/* Why a server could not be reached: the facts; net/why has the words. */

static void ws_fail(struct ws *ws, enum why what, int number, const char *said)
{
	const struct ws_dial *d = ws->dial;

	why_set(&ws->why,
		&(struct why_facts){
			.what = what,
			.with = WITH_WS | (d->use_tls ? 0 : WITH_PLAIN) |
				(headers_get(&d->headers, "Authorization") ?
					 WITH_TOKEN :
					 0),
			.number = number,
			.host = d->host,
			.port = d->port,
			.path = d->path,
			.to = d->location,
			.waited = d->timeout,
			.said = said,
		});
}

/* Set ws->why. */
static void ws_fail_handshake(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	bool in_tls = d->use_tls && !d->handshake_sent;
	int status = d->status;

	if (ws->why.kind != ERR_NONE)
		return;
	if (d->timed_out)
		ws_fail(ws, in_tls ? WHY_TLS_SILENT : WHY_SILENT, 0, NULL);
	else if (in_tls)
		ws_fail(ws, WHY_TLS, 0, d->tls.problem);
	else if (status >= 300 && status < 400 && d->location)
		ws_fail(ws, WHY_REDIRECT, status, NULL);
	else if (status && status != 101)
		ws_fail(ws, WHY_STATUS, status, NULL);
	else if (status)
		ws_fail(ws, WHY_UPGRADE, 0, d->said);
	else if (strstr(d->said, "parsing header"))
		ws_fail(ws, WHY_FOREIGN, 0, NULL);
	else
		ws_fail(ws, WHY_CLOSED, 0, NULL);
}

/*
 * Dialling out: net/dial connects, libwebsockets shakes hands.
 *
 * The library takes no connected socket as a client's, but a Unix socket in
 * place of an address: it connects to one of ours at once, tells its
 * descriptor, and only then begins to speak. There it gets the connection in
 * exchange.
 */

void ws_dial_failed(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;

	if (!ws->closing && d->connected)
		ws_fail_handshake(ws);
	else if (!ws->closing)
		ws_fail(ws, WHY_NO_CONNECTION, ENOBUFS, NULL);
	ws_gone(ws);
}

/* Listening under a name that the kernel chose; -1: errno tells why not. */
static int open_exchange(char *name, size_t size)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(un);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&un, sizeof(sa_family_t)) ||
	    getsockname(fd, (struct sockaddr *)&un, &len) || listen(fd, 1)) {
		close(fd);
		return -1;
	}
	snprintf(name, size, "+@%.*s",
		 (int)(len - offsetof(struct sockaddr_un, sun_path) - 1),
		 un.sun_path + 1);
	return fd;
}

static struct lws *shake_hands(struct ws *ws, const char *exchange)
{
	const struct ws_dial *d = ws->dial;
	struct lws_client_connect_info info = { 0 };
	struct lws *wsi;

	info.context = ws->context->lws;
	info.vhost = d->vhost;
	info.address = exchange;
	info.port = d->port;
	info.host = d->host_header;
	info.path = d->path;
	info.protocol = d->subprotocol;
	info.local_protocol_name = "mcp";
	info.ietf_version_or_minus_one = -1;
	info.opaque_user_data = ws;
	info.alpn = "http/1.1";
	info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
	if (d->use_tls)
		info.ssl_connection |= LCCSCF_USE_SSL;
	wsi = lws_client_connect_via_info(&info);
	lws_cancel_service(ws->context->lws);
	return wsi;
}

static void begin_handshake(struct ws *ws, const char *exchange)
{
	struct ws_dial *d = ws->dial;
	/* What comes now has all the time that is left. */
	int64_t left = d->deadline - loop_now();
	struct lws *wsi;

	ws->state = WS_DIALLING;
	timer_start(&ws->timer, left > DIAL_MIN_MS ? left : DIAL_MIN_MS);
	last_failure.text[0] = '\0';
	wsi = shake_hands(ws, exchange);
	if (ws->state != WS_DIALLING || (wsi && d->connected))
		return;
	if (wsi) {
		ws->wsi = wsi;
		ws_kill(ws);
		return;
	}
	/* It failed at once: why is not called back. What is left must not find us again. */
	ws_tls_reason(&d->tls, last_failure.fd);
	if (ws->wsi)
		lws_set_opaque_user_data(TAKE(ws->wsi), NULL);
	ws_dial_failed(ws);
}

static void on_connected(void *owner, int fd)
{
	struct ws *ws = owner;
	struct ws_dial *d = ws->dial;
	char name[sizeof(struct sockaddr_un) + 2];
	int exchange = open_exchange(name, sizeof(name));

	d->way = NULL;
	d->fd = fd;
	if (exchange >= 0) {
		begin_handshake(ws, name);
		close(exchange);
	} else {
		ws_fail(ws, WHY_NO_CONNECTION, errno, NULL);
		ws_gone(ws);
	}
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static void on_failed(void *owner, const struct dial_facts *f)
{
	struct ws *ws = owner;
	const char *said = NULL;

	ws->dial->way = NULL;
	if (f->stage == DIAL_NAME) {
		enum why what = why_lookup(f->error, &said);

		ws_fail(ws, what, 0, said);
	} else {
		ws_fail(ws, WHY_NO_CONNECTION, f->error, NULL);
	}
	ws_gone(ws);
}

void ws_dial_timer(struct ws *ws)
{
	if (ws->dial)
		ws->dial->timed_out = true;
	ws_kill(ws);
}

void ws_dial_close(struct ws *ws)
{
	if (ws->state == WS_DIALLING) {
		ws_kill(ws);
		return;
	}
	dial_close(TAKE(ws->dial->way));
	ws_gone(ws);
}

/* ---- the handshake ---- */

static void exchange_socket(struct ws *ws, struct lws *wsi)
{
	struct ws_dial *d = ws->dial;

	ws->wsi = wsi;
	d->connected = d->fd >= 0 &&
		       dup3(d->fd, lws_get_socket_fd(wsi), O_CLOEXEC) >= 0;
}

static void on_established(struct ws *ws, struct lws *wsi)
{
	struct ws_dial *d = ws->dial;
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);
	char address[ADDRESS_TEXT_MAX];
	const struct peer_info info = { .address = address, .path = d->path };

	getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&sa, &len);
	address_print((struct sockaddr *)&sa, address, sizeof(address));
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
		exchange_socket(ws, wsi);
		return 0;
	default:
		return 0;
	}
}

int ws_dial_open(struct transport *t, const struct endpoint *to,
		 struct error *err)
{
	struct dial_order order = { .host = to->host,
				    .port = to->port,
				    .connected = on_connected,
				    .failed = on_failed };
	struct ws_context *context;
	struct lws_vhost *vhost;
	struct ws_dial *d;
	struct ws *ws;

	if (ws_dial_check(to, err))
		return -1;
	context = ws_context_take(t->loop, ws_callback, err);
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
	order.timeout = d->timeout;
	order.owner = ws;
	d->way = dial_open(t->loop, &order);
	return 0;
}
