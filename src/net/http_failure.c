/* SPDX-License-Identifier: MIT */
/*
 * Why HTTP failed: no whole answer came, or one that is not the one that was
 * wanted. What is found here are facts; net/why has the words.
 */
#include "net/http_failure.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/http_exchange.h"
#include "net/http_private.h"
#include "net/http_transfer.h"
#include "net/http_url.h"
#include "wire/challenge.h"
#include "wire/refusal.h"

/* The facts that are known of every request; net/why has the words. */
static int fail(struct error *why, const struct http_site *site,
		struct why_facts f)
{
	f.with |= WITH_HTTP | (site->tls ? 0 : WITH_PLAIN);
	f.host = site->host;
	f.port = site->port;
	f.waited = site->connect_timeout;
	return why_set(why, &f);
}

void http_fail_as(struct error *why, const struct http_site *site,
		  enum why what, int number)
{
	fail(why, site, (struct why_facts){ .what = what, .number = number });
}

void http_fail_endpoint(struct error *why, const struct http *h)
{
	CLEANUP(mem_free_ptr) char *path = http_url_path(h->post_url);

	fail(why, &h->site,
	     (struct why_facts){ .what = WHY_ENDPOINT_MISSING,
				 .number = 404,
				 .path = path });
}

/* Why there was no whole answer. */

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

void http_fail_transfer(struct error *why, const struct http_site *site,
			const struct http_transfer *t)
{
	const struct http_outcome *o = &t->outcome;
	struct why_facts f = {
		.what = o->what,
		.number = o->error,
		.path = site->cacert ? site->cacert : "this system",
		.said = o->what == WHY_TLS ? tls_reason(o->text) : o->text,
	};

	if (o->what == WHY_CLOSED || o->what == WHY_NONE) {
		f.what = t->status ? WHY_CUT : WHY_CLOSED;
		f.number = o->error ? o->error : ECONNRESET;
	}
	fail(why, site, f);
}

int http_explain(struct transport *t, struct error *err)
{
	const struct http *h = t->impl;
	const struct http_exchange *x;
	bool events;

	if (!h || h->closing)
		return 0;
	x = http_exchange_find(h, h->old ? HTTP_OLD : HTTP_POST);
	if (!x || !x->transfer)
		return 0;
	events = x->kind == HTTP_BODY_EVENTS;
	return fail(err, &h->site,
		    (struct why_facts){
			    .what = !x->transfer->status ? WHY_WAITS_ANSWER :
				    !events		 ? WHY_WAITS_END :
				    h->old		 ? WHY_WAITS_ENDPOINT :
							   WHY_WAITS_EVENT,
			    .with = h->old ? WITH_OLD : 0,
		    });
}

/*
 * What an answer says that is not the one that was wanted: its status, or a
 * body that is no message.
 */

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

static void fail_redirect(struct error *why, const struct http_site *site,
			  const struct http_transfer *t)
{
	const char *told = http_transfer_answer(t, "Location");
	CLEANUP(mem_free_ptr) char *to = http_transfer_location(t);
	CLEANUP(mem_free_ptr) char *shown = NULL;
	struct why_facts f = { .number = t->status };

	if (to) {
		bool again =
			t->status >= 307 && http_url_same_origin(site->url, to);

		f.what = again ? WHY_REDIRECT_AGAIN : WHY_REDIRECT;
		shown = http_url_show(to);
	} else if (told && *told) {
		f.what = WHY_REDIRECT_ODD;
		shown = http_url_show(told);
	} else {
		f.what = WHY_REDIRECT_NOWHERE;
	}
	f.to = shown;
	fail(why, site, f);
}

/* The head's word counts; what stands between may have left it out. */
static int64_t asked_wait(const struct http_transfer *t, const struct buf *body)
{
	if (http_transfer_answer(t, "Retry-After"))
		return http_transfer_retry_after(t);
	return http_message_retry_after(buf_string(body), body->len);
}

/*
 * RFC 6750, 3.1: the challenge says what was wrong with the token. Some servers
 * say it to who sent none.
 */
static enum why refusal(const struct http_transfer *t,
			const struct challenge *c)
{
	int status = t->status;

	if (status == 407)
		return WHY_PROXY;
	if (!c->error || (status != 401 && status != 403) ||
	    !headers_get(&t->headers, "Authorization"))
		return WHY_STATUS;
	if (strcmp(c->error, "insufficient_scope") == 0)
		return WHY_SCOPE;
	return strcmp(c->error, "invalid_token") == 0 ? WHY_BAD_TOKEN :
							WHY_STATUS;
}

/* Its end tells where to get a token (RFC 9728): never cut. */
static void tell_challenge(struct error *why, const char *wants)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("WWW-Authenticate: %s", wants);

	error_detail(why, line, strlen(line));
}

void http_fail_status(struct error *why, const struct http_site *site,
		      const struct http_transfer *t, const struct buf *body)
{
	CLEANUP(mem_free_ptr)
	char *said = refusal_words(buf_string(body), body->len);
	CLEANUP(mem_free_ptr)
	char *wants = headers_list(&t->answer, "WWW-Authenticate");
	bool fits = wants && strlen(wants) <= REFUSAL_MAX;
	CLEANUP(challenge_done) struct challenge asked;
	CLEANUP(mem_free_ptr) char *path = http_url_path(site->url);

	challenge_read(&asked, wants);
	const struct why_facts f = {
		.what = refusal(t, &asked),
		.with = headers_get(&t->headers, "Authorization") ? WITH_TOKEN :
								    0,
		.number = t->status,
		.path = path,
		.to = asked.scope,
		.said = said,
		.challenge = fits ? wants : NULL,
	};
	int64_t wait = asked_wait(t, body);

	if (t->status >= 300 && t->status < 400)
		fail_redirect(why, site, t);
	else
		fail(why, site, f);
	if (wants && !fits)
		tell_challenge(why, wants);
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

/* What is wrong with it, if it is neither JSON nor events. */
static struct why_facts odd_body(const struct http_transfer *t,
				 const struct buf *body)
{
	const char *type = http_transfer_type(t);
	struct why_facts f = { .what = WHY_NO_MESSAGE };

	if (body->len == 0) {
		f.what = WHY_NO_ANSWER;
		f.number = t->status;
	} else if (packed(t)) {
		f.what = WHY_COMPRESSED;
		f.said = packed(t);
	} else if (is_page(type, body)) {
		f.what = WHY_PAGE;
	} else if (*type && !text_find(type, "json")) {
		f.what = WHY_TYPE;
		f.said = type;
	}
	return f;
}

void http_fail_body(struct error *why, const struct http_site *site,
		    const struct http_transfer *t, const struct buf *body)
{
	CLEANUP(error_reset) struct error json = { 0 };
	struct why_facts f = odd_body(t, body);

	if (f.what == WHY_NO_MESSAGE) {
		json_check(buf_string(body), body->len, &json);
		f.said = json.kind ? json.text : "it is no JSON-RPC";
	}
	fail(why, site, f);
	if (f.what != WHY_NO_MESSAGE)
		return;
	error_detail(why, buf_string(body), body->len);
	error_finding(why, text_is_utf8(buf_string(body), body->len) ? "D124" :
								       "D125");
}
