/* SPDX-License-Identifier: MIT */
/*
 * What is to be dialled: taken from the target, checked, and put into the
 * handshake. How it is dialled stands in ws_client.c.
 */
#include <netdb.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/ws_dial.h"

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

int ws_dial_check(const struct endpoint *to, struct error *err)
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

struct ws_dial *ws_dial_new(struct ws *ws, const struct endpoint *to)
{
	struct ws_dial *d = mem_zalloc(sizeof(*d));
	struct buf host = { 0 };
	/* The zone of "fe80::1%eth0" is this machine's own matter. */
	CLEANUP(mem_free_ptr)
	char *bare = mem_strndup(to->host, strcspn(to->host, "%"));
	bool tls = !strcmp(to->scheme, "wss");
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

int ws_dial_headers(const struct ws_dial *d, char **at, size_t room)
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
	text = mem_printf("the certificate of '%s' is not verified "
			  "(--insecure)%s%s",
			  d->host, d->tls.problem[0] ? ": " : "",
			  d->tls.problem);
	ws_notice(ws, NOTICE_INSECURE, text);
}
