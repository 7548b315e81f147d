/* SPDX-License-Identifier: MIT */
/*
 * Single requests for others, that are no MCP: the answer is handed on as it
 * is, nothing is followed or tried again.
 */
#include <errno.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_private.h"

#define CONNECT_MS 10000
#define BODY_MAX ((size_t)16 << 20)

struct http_fetch {
	struct http_engine *engine;
	struct http_site site;
	struct http_transfer *transfer;
	struct timer timer; /* of the whole; it closes last */
	http_fetch_done *done;
	bool over; /* answered, or abandoned */
	void *owner;
	struct buf sent;
	int64_t timeout;
	struct buf body;
};

static void on_closed(void *owner)
{
	mem_free(owner);
}

/* The memory goes with the timer. */
static void fetch_end(struct http_fetch *f)
{
	http_transfer_free(TAKE(f->transfer));
	http_site_done(&f->site);
	buf_done(&f->sent);
	buf_done(&f->body);
	timer_close(&f->timer, on_closed);
	http_engine_release(f->engine);
}

/* why is released. */
static void answer(struct http_fetch *f, struct error *why)
{
	const struct http_transfer *t = f->transfer;
	const struct http_answer a = {
		.status = t->status,
		.body = buf_string(&f->body),
		.len = f->body.len,
		.why = why,
	};

	why->retry_after = http_transfer_retry_after(t);
	f->over = true;
	f->done(f->owner, &a);
	error_reset(why);
	fetch_end(f);
}

static void on_data(void *owner, const char *data, size_t len)
{
	struct http_fetch *f = owner;
	struct error why = { 0 };

	if (!buf_add(&f->body, data, len))
		return;
	error_set(&why, ERR_PROTOCOL, "the answer of '%s' is above %zu bytes",
		  f->site.host, f->body.max);
	answer(f, &why);
}

static void on_done(void *owner)
{
	struct http_fetch *f = owner;
	const struct http_transfer *t = f->transfer;
	struct error why = { 0 };

	if (t->outcome.end != HTTP_END_WELL && t->status)
		error_set(&why, ERR_PROTOCOL,
			  "the answer of '%s' was cut after %zu bytes",
			  f->site.host, f->body.len);
	else if (t->outcome.end != HTTP_END_WELL)
		http_fail_transfer(&why, &f->site, t);
	answer(f, &why);
}

static void on_timer(void *owner)
{
	struct http_fetch *f = owner;
	struct error why = { 0 };
	char time[32];

	error_set(&why, ERR_TIMEOUT, "'%s' did not answer within %s",
		  f->site.host,
		  text_milliseconds(f->timeout, time, sizeof(time)));
	error_code(&why, ETIMEDOUT);
	answer(f, &why);
}

static const struct http_transfer_events transfer_events = {
	.data = on_data,
	.done = on_done,
};

static void start(struct http_fetch *f, const struct http_request *rq)
{
	const struct http_request_line line = {
		.url = rq->url,
		.body = rq->body ? buf_string(&f->sent) : NULL,
		.len = rq->len,
	};

	f->transfer = http_transfer_new(f->engine, &f->site, &line,
					&transfer_events, f);
	f->transfer->once = rq->body != NULL;
	if (!rq->headers || !headers_get(rq->headers, "User-Agent"))
		http_transfer_header(f->transfer, "User-Agent",
				     "mcpctl/" MCPCTL_VERSION);
	for (size_t i = 0; rq->headers && i < rq->headers->count; i++)
		http_transfer_header(f->transfer, rq->headers->item[i].name,
				     rq->headers->item[i].value);
	http_transfer_start(f->transfer);
}

static int set_site(struct http_fetch *f, const struct http_request *rq,
		    struct error *err)
{
	f->site.connect_timeout =
		rq->connect_timeout ? rq->connect_timeout : CONNECT_MS;
	return http_site_set(&f->site, rq->url, err);
}

int http_fetch_open(struct http_fetch **out, struct loop *l,
		    const struct http_request *rq, http_fetch_done *done,
		    void *owner, struct error *err)
{
	struct http_fetch *f = mem_zalloc(sizeof(*f));

	*out = NULL;
	if (!set_site(f, rq, err))
		f->engine = http_engine_take(l, err);
	if (!f->engine) {
		http_site_done(&f->site);
		mem_free(f);
		return -1;
	}
	f->done = done;
	f->owner = owner;
	f->timeout = rq->timeout;
	buf_init(&f->body, rq->body_max ? rq->body_max : BODY_MAX);
	if (rq->body)
		buf_add(&f->sent, rq->body, rq->len);
	timer_open(&f->timer, l, on_timer, f);
	if (f->timeout)
		timer_start(&f->timer, f->timeout);
	start(f, rq);
	*out = f;
	return 0;
}

void http_fetch_abandon(struct http_fetch *f)
{
	if (f && !f->over) {
		f->over = true;
		fetch_end(f);
	}
}
