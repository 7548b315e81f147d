/* SPDX-License-Identifier: MIT */
#include "net/http_transfer.h"

#include "base/mem.h"
#include "base/text.h"
#include "net/http_curl.h"
#include "net/http_url.h"

/* ---- the request ---- */

struct http_transfer *
http_transfer_new(struct http_engine *e, const struct http_site *site,
		  const struct http_request_line *line,
		  const struct http_transfer_events *events, void *owner)
{
	struct http_transfer *t = mem_zalloc(sizeof(*t));
	const char *usual = line->body ? "POST" : "GET";

	t->engine = e;
	t->site = site;
	t->events = events;
	t->owner = owner;
	t->url = mem_strdup(line->url);
	t->method = mem_strdup(line->method ? line->method : usual);
	t->body = line->body;
	t->len = line->len;
	return t;
}

void http_transfer_header(struct http_transfer *t, const char *name,
			  const char *value)
{
	if (!header_value_fits(value))
		return;
	headers_add(&t->headers, name, value);
}

void http_transfer_start(struct http_transfer *t)
{
	curl_engine_start(t->engine->curl, t);
}

void http_transfer_free(struct http_transfer *t)
{
	if (!t)
		return;
	if (t->request)
		curl_engine_stop(t->engine->curl, t);
	http_engine_forget(t->engine, t);
	headers_done(&t->headers);
	headers_done(&t->answer);
	buf_done(&t->arrived);
	mem_free(t->url);
	mem_free(t->method);
	mem_free(t);
}

/* ---- the answer ---- */

const char *http_transfer_type(const struct http_transfer *t)
{
	const char *type = headers_get(&t->answer, "Content-Type");

	return type ? type : "";
}

const char *http_transfer_answer(const struct http_transfer *t,
				 const char *name)
{
	return headers_get(&t->answer, name);
}

char *http_transfer_location(const struct http_transfer *t)
{
	const char *to = headers_get(&t->answer, "Location");

	return to ? http_url_join(t->url, to) : NULL;
}

int64_t http_transfer_retry_after(const struct http_transfer *t)
{
	const char *text = headers_get(&t->answer, "Retry-After");
	int64_t seconds = 0;

	if (!text)
		return 0;
	if (text_integer(text, 0, INT64_MAX / 1000, &seconds)) {
		seconds = http_date(text);
		if (seconds >= 0)
			seconds -= unix_now_ms() / 1000;
	}
	if (seconds > HTTP_RETRY_AFTER_MAX_S)
		seconds = HTTP_RETRY_AFTER_MAX_S;
	return seconds > 0 ? seconds * 1000 : 0;
}

/* ---- the site ---- */

void http_site_done(struct http_site *s)
{
	mem_free(s->url);
	mem_free(s->host);
	mem_free(s->cacert);
	mem_free(s->proxy);
	words_done(&s->resolve);
	*s = (struct http_site){ 0 };
}
