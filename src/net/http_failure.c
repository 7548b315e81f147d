/* SPDX-License-Identifier: MIT */
/*
 * Why HTTP failed, in words, with the next step: no whole answer came, or one
 * that is not the one that was wanted.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/dial_words.h"
#include "net/http_private.h"

/*
 * Why there was no whole answer, in words, with the next step: names,
 * addresses, proxies, certificates, connections that end. What an answer says
 * that did come is judged below.
 */

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
			  "the proxy wants credentials: HTTP 407");
	else if (o->error >= 300 || o->error == 0)
		error_set(why, ERR_CONNECT,
			  "the proxy does not let us through: %s", o->text);
	else
		error_set(why, ERR_CONNECT,
			  "cannot connect to the proxy %s: %s", o->text,
			  dial_words(o->error, UNKNOWN));
	error_hint(
		why,
		o->error == 407 ?
			"give them as in --proxy http://USER:PASSWORD@HOST:PORT" :
			"check --proxy and the environment's http_proxy, https_proxy, all_proxy; --proxy none goes without one");
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
		error_hint(why,
			   "use http:// instead of https://, or another port");
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

	error_set(
		why, ERR_CONNECT,
		"'%s' port %u accepted the connection, but not the TLS handshake within %s",
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
		error_set(
			why, ERR_CONNECT,
			"the connection to '%s' broke before its answer was whole",
			site->host);
		error_hint(why,
			   "whether the request was carried out is not known");
	} else {
		error_set(
			why, ERR_CONNECT,
			"'%s' port %u closed the connection without an answer",
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
		error_hint(why,
			   "--cacert names a file of certificates in PEM form");
		break;
	case HTTP_END_PROXY:
		fail_proxy(why, o);
		break;
	case HTTP_END_WELL:
	case HTTP_END_LOST:
		fail_lost(why, site, t);
		break;
	case HTTP_END_NO_HTTP:
		error_set(
			why, ERR_PROTOCOL,
			"'%s' port %u answered something that is no HTTP, or a head that is too long",
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
	error_set(
		err, ERR_CONNECT, "'%s' %s", h->site.host,
		!x->transfer->status ?
			"took the request, and has not begun to answer" :
		!events ?
			"began to answer, and has not ended" :
		h->old ?
			"opened the event stream, and does not tell where messages go (event 'endpoint')" :
			"began a stream of events, and none of them came");
	return error_hint(
		err,
		held ? "a proxy in front of it may hold it back (nginx: proxy_buffering off)" :
		       "--timeout waits longer");
}

/*
 * What an answer says that is not the one that was wanted: its status, or a
 * body that is no message. In words, with the next step.
 */

#define SAID_MAX 160

static bool http_type_is(const char *content_type, const char *type)
{
	size_t len = strcspn(content_type, "; \t");

	return len == strlen(type) && strncasecmp(content_type, type, len) == 0;
}

/* NULL: it is not compressed. Nothing here asks for that. */
static const char *packed(const struct http_transfer *t)
{
	const char *how = http_transfer_answer(t, "Content-Encoding");

	return how && *how && !text_same(how, "identity") ? how : NULL;
}

bool http_is_stream(const struct http_transfer *t)
{
	return http_type_is(http_transfer_type(t), "text/event-stream") &&
	       !packed(t);
}

/* The first line of a text, cut. */
static char *first_line(const char *text, size_t len)
{
	const char *end;

	len = text_trim(&text, len);
	end = memchr(text, '\n', len);
	if (end)
		len = text_trim(&text, (size_t)(end - text));
	return len ? mem_strndup(text, text_cut(text, len, SAID_MAX)) : NULL;
}

/* What a web page, of a proxy perhaps, calls itself: "502 Bad Gateway". */
static char *page_title(const char *page)
{
	const char *title = text_find(page, "<title>");

	if (!title)
		return NULL;
	title += strlen("<title>");
	title += strspn(title, "0123456789 ");
	return first_line(title, strcspn(title, "<"));
}

/* A reason in words, as servers give them: JSON-RPC, OAuth, frameworks. */
static char *reason_told(const struct http_transfer *t, const struct buf *body)
{
	static const char *const names[] = { "error_description", "message",
					     "detail", "title" };
	const struct span whole = { buf_string(body), body->len };
	CLEANUP(mem_free_ptr) char *said = NULL;

	if (body->len == 0)
		return NULL;
	if (!json_check(whole.text, whole.len, NULL)) {
		for (size_t i = 0; i < COUNT(names) && !said; i++) {
			struct span member;

			if (json_span_member(whole, names[i], &member))
				said = json_span_string(member);
		}
		if (!said)
			said = http_message_error(whole.text, whole.len);
		return said ? first_line(said, strlen(said)) : NULL;
	}
	if (http_type_is(http_transfer_type(t), "text/plain"))
		return first_line(whole.text, whole.len);
	return page_title(whole.text);
}

/* ": REASON", or nothing. */
static char *because(const struct http_transfer *t, const struct buf *body)
{
	CLEANUP(mem_free_ptr) char *said = reason_told(t, body);

	return said ? mem_printf(": %s", said) : mem_strdup("");
}

static void fail_credentials(struct error *why, const struct http_site *site,
			     const struct http_transfer *t, const char *said)
{
	int status = t->status;
	const char *wants = http_transfer_answer(t, "WWW-Authenticate");
	CLEANUP(mem_free_ptr)
	char *line = wants ? first_line(wants, strlen(wants)) : NULL;

	error_set(why, ERR_AUTH, "'%s' refused: HTTP %d (%s)%s%s%s%s",
		  site->host, status,
		  status == 401 ? "not authorized" : "forbidden", said,
		  line ? "; it asks for '" : "", line ? line : "",
		  line ? "'" : "");
	error_hint(
		why,
		"give credentials: MCPCTL_TOKEN, --token-file, or --header 'Authorization: …'");
}

/* There is no URL that could be followed. */
static void fail_location(struct error *why, const struct http_site *site,
			  const struct http_transfer *t)
{
	const char *to = http_transfer_answer(t, "Location");

	if (to && *to)
		error_set(
			why, ERR_CONNECT,
			"'%s' redirects to '%.*s', which is no http or https URL: HTTP %d",
			site->host,
			(int)text_cut(to, strcspn(to, "?#"), SAID_MAX), to,
			t->status);
	else
		error_set(why, ERR_CONNECT,
			  "'%s' redirects without saying where to: HTTP %d",
			  site->host, t->status);
}

static void fail_redirect(struct error *why, const struct http_site *site,
			  const struct http_transfer *t)
{
	CLEANUP(mem_free_ptr) char *to = http_transfer_location(t);
	CLEANUP(mem_free_ptr) char *shown = NULL;

	if (!to) {
		fail_location(why, site, t);
		return;
	}
	shown = http_url_show(to);
	if (t->status >= 307 && http_url_same_origin(site->url, to)) {
		error_set(
			why, ERR_CONNECT,
			"'%s' redirects again and again, at last to '%s': HTTP %d",
			site->host, shown, t->status);
		return;
	}
	error_set(why, ERR_CONNECT, "'%s' redirects to '%s': HTTP %d",
		  site->host, shown, t->status);
	error_hint(why, "if you trust that, make it the target");
}

static void fail_missing(struct error *why, const struct http_site *site,
			 const char *said)
{
	CLEANUP(mem_free_ptr) char *path = http_url_path(site->url);

	error_set(why, ERR_CONNECT,
		  "'%s' has no MCP server at '%s': HTTP 404%s", site->host,
		  path, said);
	error_hint(why, "check the path of the target (often /mcp or /sse)");
}

void http_fail_session(struct error *why, const struct http_site *site)
{
	error_set(why, ERR_CONNECT,
		  "'%s' does not know the session any more: HTTP 404",
		  site->host);
	error_hint(why,
		   "it was restarted, or ended the session: connect again");
	error_code(why, 404);
}

void http_fail_gone(struct error *why, const struct http_site *site)
{
	error_set(why, ERR_CONNECT,
		  "'%s' does not know the MCP server any more: HTTP 404",
		  site->host);
	error_hint(
		why,
		"it answered before: was it stopped, or is another server behind this address?");
	error_code(why, 404);
}

/* The rest of them: what they mean, and what can be done. */
static const struct {
	int status;
	const char *words, *hint;
} rows[] = {
	{ 400, "did not accept the request", NULL },
	{ 405, "does not take this kind of request here",
	  "check the path of the target (often /mcp or /sse)" },
	{ 406, "has no answer of a kind that we accept", NULL },
	{ 408, "waited too long for the request", "try again" },
	{ 413, "does not take a request of this size", NULL },
	{ 415, "does not take JSON here",
	  "check the path of the target (often /mcp or /sse)" },
	{ 421, "does not serve this host",
	  "use its IP address, or --header 'Host: …'; if it is mcpctl, --allow-host there adds a name" },
	{ 429, "has had too many requests", "try again later" },
	{ 502, "is not available", "what it stands for may be down" },
	{ 503, "is not available", "try again later" },
	{ 504, "is not available", "what it stands for did not answer" },
};

static void fail_by_table(struct error *why, const struct http_site *site,
			  int status, const char *said)
{
	const char *words = status >= 500 ? "failed" :
			    status >= 400 ? "did not accept the request" :
					    "gave no answer of use";

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].status != status)
			continue;
		error_set(why, ERR_CONNECT, "'%s' %s: HTTP %d%s", site->host,
			  rows[i].words, status, said);
		if (status == 400 && !site->tls && text_find(said, "https"))
			error_hint(why, "use https:// instead of http://");
		else if (rows[i].hint)
			error_hint(why, "%s", rows[i].hint);
		return;
	}
	error_set(why, ERR_CONNECT, "'%s' %s: HTTP %d%s", site->host, words,
		  status, said);
	if (status == 501)
		error_hint(why, "is this the address of an MCP server?");
}

/* The head's word counts; what stands between may have left it out. */
static int64_t asked_wait(const struct http_transfer *t, const struct buf *body)
{
	if (http_transfer_answer(t, "Retry-After"))
		return http_transfer_retry_after(t);
	return http_message_retry_after(buf_string(body), body->len);
}

void http_fail_status(struct error *why, const struct http_site *site,
		      const struct http_transfer *t, const struct buf *body)
{
	CLEANUP(mem_free_ptr) char *said = because(t, body);
	int64_t wait = asked_wait(t, body);
	int status = t->status;

	if (status == 401 || status == 403) {
		fail_credentials(why, site, t, said);
	} else if (status == 407) {
		error_set(why, ERR_AUTH,
			  "the proxy wants credentials: HTTP 407");
		error_hint(
			why,
			"give them as in --proxy http://USER:PASSWORD@HOST:PORT");
	} else if (status >= 300 && status < 400) {
		fail_redirect(why, site, t);
	} else if (status == 404) {
		fail_missing(why, site, said);
	} else {
		fail_by_table(why, site, status, said);
	}
	error_code(why, status);
	error_retry_after(why, wait);
	if (wait) {
		char time[32];

		error_hint(why, "it asks to wait %s before the next try",
			   text_milliseconds(wait, time, sizeof(time)));
	}
}

static bool is_page(const char *type, const struct buf *body)
{
	const char *text = buf_string(body);

	return http_type_is(type, "text/html") ||
	       http_type_is(type, "application/xhtml+xml") ||
	       text_starts(text, "<!") || text_starts(text, "<html");
}

void http_fail_body(struct error *why, const struct http_site *site,
		    const struct http_transfer *t, const struct buf *body)
{
	const char *type = http_transfer_type(t);
	struct error json = { 0 };

	if (body->len == 0) {
		error_set(why, ERR_PROTOCOL,
			  "'%s' took the request and gave no answer: HTTP %d",
			  site->host, t->status);
	} else if (packed(t)) {
		error_set(
			why, ERR_PROTOCOL,
			"'%s' sent its answer compressed ('%.40s'), which is not read here",
			site->host, packed(t));
		error_hint(
			why,
			"--header 'Accept-Encoding: identity' asks for the plain one");
	} else if (is_page(type, body)) {
		error_set(
			why, ERR_PROTOCOL,
			"'%s' answered with a web page: that is no MCP server",
			site->host);
		error_hint(why,
			   "check the path of the target (often /mcp or /sse)");
	} else if (*type && !text_find(type, "json")) {
		error_set(
			why, ERR_PROTOCOL,
			"'%s' answered with '%.80s', neither JSON nor an event stream",
			site->host, type);
		error_hint(why, "is this the address of an MCP server?");
	} else {
		json_check(buf_string(body), body->len, &json);
		error_set(why, ERR_PROTOCOL,
			  "the answer of '%s' is no message: %s", site->host,
			  json.kind ? json.text : "it is no JSON-RPC");
		error_detail(why, buf_string(body), body->len);
		error_reset(&json);
	}
}
