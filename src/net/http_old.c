/* SPDX-License-Identifier: MIT */
/*
 * HTTP+SSE of 2024-11-05: one GET stream, whose first event tells where
 * messages are to be posted, and on which all answers come. The stream is the
 * session: when it ends, the connection is lost.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "net/http_private.h"

#define ERROR_BODY_MAX ((size_t)64 * 1024)
#define ENDPOINT_MS 5000

void http_old_open(struct http *h)
{
	struct http_exchange *x = http_exchange_new(h, HTTP_OLD);
	int64_t wait = h->site.connect_timeout;

	h->old = true;
	x->alarm = loop_now() + wait + ENDPOINT_MS;
	http_exchange_start(x);
}

/* Both tries are told of: which of them should have worked is not known. */
static void both(struct error *why, const struct error *first)
{
	enum error_kind kind = why->kind == ERR_AUTH ? ERR_AUTH : first->kind;

	if (strcmp(why->text, first->text) == 0)
		return;
	error_set(why, kind, "%.230s; and for HTTP+SSE: %.230s", first->text,
		  why->text);
	error_hint(why, "check the path of the target (often /mcp or /sse)");
	error_code(why, first->code);
}

/* The stream did not come to be: all that waits for it fails. */
static void fail_open(struct http_exchange *x, struct error *why)
{
	struct http *h = x->http;

	http_exchange_end(x);
	h->old = h->forced;
	if (h->first.kind != ERR_NONE)
		both(why, &h->first);
	error_reset(&h->first);
	for (struct http_exchange *i = h->exchanges; i; i = i->next) {
		if (i->dead || !i->waiting)
			continue;
		http_exchange_end(i);
		http_fail(i, why);
	}
	error_reset(why);
}

void http_old_head(struct http_exchange *x)
{
	int status = x->transfer->status;

	if (status == 200 && http_is_stream(x->transfer)) {
		x->kind = HTTP_BODY_EVENTS;
		x->http->spoken = "HTTP+SSE";
		x->alarm = loop_now() + ENDPOINT_MS;
		return;
	}
	x->kind = HTTP_BODY_WHOLE;
	x->body.max = ERROR_BODY_MAX;
}

static void take_endpoint(struct http_exchange *x, const char *text)
{
	struct http *h = x->http;
	struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *url = http_url_join(h->site.url, text);

	if (url && http_url_same_origin(h->site.url, url)) {
		h->post_url = TAKE(url);
		x->alarm = LOOP_FOREVER;
		error_reset(&h->first);
		return;
	}
	if (url) {
		CLEANUP(mem_free_ptr) char *shown = http_url_show(url);

		error_set(&why, ERR_PROTOCOL,
			  "'%s' wants messages sent to another origin, '%s'",
			  h->site.host, shown);
		error_hint(&why, "credentials must not go there; if you trust "
				 "it, make it the target");
	} else {
		error_set(&why, ERR_PROTOCOL,
			  "'%s' wants messages sent to '%.100s', which is no "
			  "URL",
			  h->site.host, text);
	}
	fail_open(x, &why);
}

void http_old_event(struct http_exchange *x, const struct sse_event *e)
{
	struct http *h = x->http;

	if (strcmp(e->type, "endpoint") == 0) {
		if (!h->post_url)
			take_endpoint(x, e->data);
	} else if (e->len && strcmp(e->type, "message") == 0) {
		http_deliver(h, e->data, e->len);
	}
}

static void lose(struct http_exchange *x)
{
	struct http *h = x->http;
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "'%s' ended the event stream%s",
		  h->site.host,
		  sse_is_amid(&x->sse) ? " in the middle of an event" : "");
	error_hint(&why, "the session ends with it: connect again");
	error_code(&why, ECONNRESET);
	http_lost(h, &why);
	error_reset(&why);
}

void http_old_done(struct http_exchange *x)
{
	struct http *h = x->http;
	const struct http_transfer *t = x->transfer;
	int status = t->status;
	struct error why = { 0 };

	if (h->post_url) {
		lose(x);
		return;
	}
	if (status >= 300 && http_exchange_redirect(x))
		return;
	if (x->kind == HTTP_BODY_EVENTS) {
		error_set(&why, ERR_PROTOCOL,
			  "the event stream of '%s' ended without telling "
			  "where messages go",
			  h->site.host);
		error_hint(&why, "is it an MCP server?");
	} else if (t->finished && t->outcome.end != HTTP_END_WELL &&
		   status < 300) {
		http_fail_transfer(&why, &h->site, t);
	} else if (status < 200 || status >= 300) {
		http_fail_status(&why, &h->site, t, &x->body);
	} else {
		http_fail_body(&why, &h->site, t, &x->body);
	}
	fail_open(x, &why);
}

void http_old_alarm(struct http_exchange *x)
{
	struct http *h = x->http;
	struct error why = { 0 };

	error_set(&why, ERR_PROTOCOL,
		  "'%s' does not tell where messages go: no event 'endpoint' "
		  "came",
		  h->site.host);
	error_hint(&why, "is it an MCP server? a proxy in front of it may hold "
			 "events back (nginx: proxy_buffering off)");
	fail_open(x, &why);
}
