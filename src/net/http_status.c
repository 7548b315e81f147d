/* SPDX-License-Identifier: MIT */
/*
 * What an answer says that is not the one that was wanted: its status, or a
 * body that is no message. In words, with the next step.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_private.h"

#define SAID_MAX 160

bool http_type_is(const char *content_type, const char *type)
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
static char *reason(const struct http_transfer *t, const struct buf *body)
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
	CLEANUP(mem_free_ptr) char *said = reason(t, body);

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
	error_hint(why, "give credentials: MCPCTL_TOKEN, --token-file, or "
			"--header 'Authorization: …'");
}

/* There is no URL that could be followed. */
static void fail_location(struct error *why, const struct http_site *site,
			  const struct http_transfer *t)
{
	const char *to = http_transfer_answer(t, "Location");

	if (to && *to)
		error_set(why, ERR_CONNECT,
			  "'%s' redirects to '%.*s', which is no http or https "
			  "URL: HTTP %d",
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
		error_set(why, ERR_CONNECT,
			  "'%s' redirects again and again, at last to '%s': "
			  "HTTP %d",
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
	error_hint(why, "it was restarted, or ended the session: connect "
			"again");
	error_code(why, 404);
}

void http_fail_gone(struct error *why, const struct http_site *site)
{
	error_set(why, ERR_CONNECT,
		  "'%s' does not know the MCP server any more: HTTP 404",
		  site->host);
	error_hint(why, "it answered before: was it stopped, or is another "
			"server behind this address?");
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
	  "use its IP address, or --header 'Host: …'; if it is mcpctl, "
	  "--allow-host there adds a name" },
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
			  "the proxy wants credentials: HTTP "
			  "407");
		error_hint(why, "give them as in --proxy http://USER:PASSWORD@"
				"HOST:PORT");
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
		error_set(why, ERR_PROTOCOL,
			  "'%s' sent its answer compressed ('%.40s'), which is "
			  "not read here",
			  site->host, packed(t));
		error_hint(why, "--header 'Accept-Encoding: identity' asks for "
				"the plain one");
	} else if (is_page(type, body)) {
		error_set(why, ERR_PROTOCOL,
			  "'%s' answered with a web page: that is no MCP "
			  "server",
			  site->host);
		error_hint(why, "check the path of the target (often /mcp or "
				"/sse)");
	} else if (*type && !text_find(type, "json")) {
		error_set(why, ERR_PROTOCOL,
			  "'%s' answered with '%.80s', neither JSON nor an "
			  "event stream",
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
