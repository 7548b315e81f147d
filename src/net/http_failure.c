/* SPDX-License-Identifier: MIT */
/*
 * Why there was no whole answer, in words, with the next step: names,
 * addresses, proxies, certificates, connections that end. What an answer says
 * that did come is the matter of http_status.c.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "net/dial_words.h"
#include "net/http_private.h"

#define UNKNOWN "it failed" /* libcurl told no errno */

static void fail_connect(struct error *why, const struct http_site *site,
			 int error)
{
	const struct dial_place to = { .noun = "",
				       .host = site->host,
				       .port = site->port,
				       .timeout = site->connect_timeout,
				       .unknown = UNKNOWN };

	dial_fail_connect(why, &to, error);
}

/* A status of HTTP is no errno: it is in the text then. */
static void fail_proxy(struct error *why, const struct http_outcome *o)
{
	if (o->error == 407)
		error_set(why, ERR_AUTH,
			  "the proxy wants credentials: HTTP "
			  "407");
	else if (o->error >= 300 || o->error == 0)
		error_set(why, ERR_CONNECT,
			  "the proxy does not let us through: %s", o->text);
	else
		error_set(why, ERR_CONNECT,
			  "cannot connect to the proxy %s: %s", o->text,
			  dial_words(o->error, UNKNOWN));
	error_hint(why, o->error == 407 ?
				"give them as in --proxy "
				"http://USER:PASSWORD@HOST:PORT" :
				"check --proxy and the environment's "
				"http_proxy, https_proxy, all_proxy; --proxy "
				"none goes without one");
	error_code(why, o->error);
}

/* "error:0A000086:SSL routines::certificate verify failed": the last part. */
static const char *tls_reason(const char *problem)
{
	static const char *const marks[] = { "SSL certificate problem: ",
					     "SSL routines::", "SSL: " };

	for (size_t i = 0; i < COUNT(marks); i++) {
		const char *mark = strstr(problem, marks[i]);

		if (mark)
			return mark + strlen(marks[i]);
	}
	return problem;
}

static void fail_tls(struct error *why, const struct http_site *site,
		     const struct http_outcome *o)
{
	const char *reason = tls_reason(o->text);

	if (dial_is_no_tls(reason)) {
		error_set(why, ERR_CONNECT,
			  "'%s' does not speak TLS on port %u", site->host,
			  (unsigned)site->port);
		error_hint(why, "use http:// instead of https://, or another "
				"port");
		return;
	}
	if (strstr(reason, "unexpected eof") ||
	    strstr(reason, "SSL_ERROR_SYSCALL") || !reason[0])
		reason = "it ended the handshake";
	error_set(why, ERR_CONNECT, "TLS with '%s' failed: %.200s", site->host,
		  dial_tls_words(reason));
	error_hint(why, "%s", dial_tls_hint(reason));
}

static void fail_tls_silent(struct error *why, const struct http_site *site)
{
	char time[32];

	error_set(why, ERR_CONNECT,
		  "'%s' port %u accepted the connection, but not the TLS "
		  "handshake within %s",
		  site->host, (unsigned)site->port,
		  text_milliseconds(site->connect_timeout, time, sizeof(time)));
	error_hint(why, "is it an HTTPS server?");
}

static const char *other_server(const struct http_site *site)
{
	return site->tls ? "is it an HTTPS server?" :
			   "is it an HTTP server? does it want https://?";
}

static void fail_lost(struct error *why, const struct http_site *site,
		      const struct http_transfer *t)
{
	int error = t->outcome.error;

	if (t->status) {
		error_set(why, ERR_CONNECT,
			  "the connection to '%s' broke before its answer was "
			  "whole",
			  site->host);
		error_hint(why, "whether the request was carried out is not "
				"known");
	} else {
		error_set(why, ERR_CONNECT,
			  "'%s' port %u closed the connection without an "
			  "answer",
			  site->host, (unsigned)site->port);
		error_hint(why, "%s", other_server(site));
	}
	error_code(why, error ? error : ECONNRESET);
}

void http_fail_transfer(struct error *why, const struct http_site *site,
			const struct http_transfer *t)
{
	const struct http_outcome *o = &t->outcome;

	switch (o->end) {
	case HTTP_END_NO_HOST:
		dial_fail_lookup(why, "the host", site->host, o->text);
		break;
	case HTTP_END_NO_NAMESERVER:
		dial_fail_lookup(why, "the host", site->host, NULL);
		break;
	case HTTP_END_NO_CONNECTION:
		fail_connect(why, site, o->error);
		break;
	case HTTP_END_NO_TLS:
		fail_tls(why, site, o);
		break;
	case HTTP_END_TLS_SILENT:
		fail_tls_silent(why, site);
		break;
	case HTTP_END_BAD_CACERT:
		error_set(why, ERR_USAGE,
			  "the certificates of '%s' cannot be used",
			  site->cacert ? site->cacert : "this system");
		error_hint(why, "--cacert names a file of certificates in PEM "
				"form");
		break;
	case HTTP_END_PROXY:
		fail_proxy(why, o);
		break;
	case HTTP_END_WELL:
	case HTTP_END_LOST:
		fail_lost(why, site, t);
		break;
	case HTTP_END_NO_HTTP:
		error_set(why, ERR_PROTOCOL,
			  "'%s' port %u answered something that is no HTTP, or "
			  "a head that is too long",
			  site->host, (unsigned)site->port);
		error_hint(why, "%s", other_server(site));
		break;
	case HTTP_END_OTHER:
		error_set(why, ERR_CONNECT, "the request to '%s' failed: %s",
			  site->host, o->text);
		break;
	}
}

int http_explain(struct transport *t, struct error *err)
{
	const struct http *h = t->impl;
	const struct http_exchange *x;
	bool events, held;

	if (!h || h->closing)
		return 0;
	x = http_exchange_find(h, h->old ? HTTP_OLD : HTTP_POST);
	if (!x || !x->transfer)
		return 0;
	events = x->kind == HTTP_BODY_EVENTS;
	held = events || h->old;
	error_set(err, ERR_CONNECT, "'%s' %s", h->site.host,
		  !x->transfer->status ? "took the request, and has not begun "
					 "to answer" :
		  !events	       ? "began to answer, and has not ended" :
		  h->old ? "opened the event stream, and does not tell where "
			   "messages go (event 'endpoint')" :
			   "began a stream of events, and none of them came");
	return error_hint(err, held ? "a proxy in front of it may hold it "
				      "back (nginx: proxy_buffering off)" :
				      "--timeout waits longer");
}
