/* SPDX-License-Identifier: MIT */
/*
 * http:, https:, sse+http:, sse+https: as a transport: opened, sent through,
 * closed; the way to its site. What is answered is looked at in http_exchange.c
 * and http_stream.c.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/address.h"
#include "net/http_curl.h"
#include "net/http_exchange.h"
#include "net/http_failure.h"
#include "net/http_private.h"
#include "net/http_stream.h"
#include "net/http_transfer.h"
#include "net/http_url.h"

/*
 * The way to a site as the target and the options tell it, checked before
 * anything is sent. Finds no host, connects to nothing.
 */

#define CONNECT_MS 10000
#define PORT_TEXT_MAX 5

static bool is_port(const char *text, size_t len)
{
	char copy[PORT_TEXT_MAX + 1] = "";
	int64_t port;

	if (len > PORT_TEXT_MAX)
		return false;
	memcpy(copy, text, len);
	return !text_integer(copy, 1, 65535, &port);
}

/* With or without brackets, as curl takes it. */
static bool is_address(const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN] = "";
	struct in6_addr any;

	if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	return inet_pton(AF_INET, copy, &any) == 1 ||
	       inet_pton(AF_INET6, copy, &any) == 1;
}

/* HOST:PORT:ADDRESS[,ADDRESS]… */
static bool is_resolve(const char *word)
{
	const char *port = strchr(word, ':'), *at;

	if (!port || port == word)
		return false;
	at = strchr(port + 1, ':');
	if (!at || !is_port(port + 1, (size_t)(at - port - 1)))
		return false;
	do {
		size_t len = strcspn(++at, ",");

		if (!is_address(at, len))
			return false;
		at += len;
	} while (*at);
	return true;
}

static int take_resolve(struct http_site *site, const struct words *from,
			struct error *err)
{
	for (size_t i = 0; i < from->count; i++) {
		if (!is_resolve(from->word[i])) {
			error_set(err, ERR_USAGE,
				  "option '--resolve': '%.100s' is none",
				  from->word[i]);
			return error_hint(
				err,
				"write it as in HOST:PORT:ADDRESS, an IP address");
		}
		words_add(&site->resolve, from->word[i]);
	}
	return 0;
}

/* Its credentials are in no message. */
static bool is_proxy(const char *text)
{
	static const char *const proxies[] = { "http",	  "https",  "socks4",
					       "socks4a", "socks5", "socks5h" };
	const char *mark = strstr(text, "://");
	const char *host = mark ? mark + 3 : text;
	bool known = !mark;

	for (size_t i = 0; i < COUNT(proxies) && !known; i++)
		known = strlen(proxies[i]) == (size_t)(mark - text) &&
			text_starts(text, proxies[i]);
	for (const char *p = text; *p; p++)
		known = known && (unsigned char)*p > ' ' && *p != 0x7f;
	return known && *host && *host != '/' && *host != ':';
}

static int take_proxy(struct http_site *site, const char *text,
		      struct error *err)
{
	if (!text)
		return 0;
	if (strcmp(text, "none") == 0) {
		site->proxy = mem_strdup("");
		return 0;
	}
	if (!is_proxy(text)) {
		error_set(err, ERR_USAGE,
			  "option '--proxy': that is no address of a proxy");
		return error_hint(
			err,
			"write it as in http://HOST:PORT or socks5h://HOST:PORT; 'none' for no proxy");
	}
	site->proxy = mem_strdup(text);
	return 0;
}

/* These belong to the transport, or to HTTP itself. */
static const char *const ours[] = { "Connection",
				    "Content-Length",
				    "Expect",
				    "Last-Event-ID",
				    "Mcp-Session-Id",
				    "TE",
				    "Transfer-Encoding",
				    "Trailer",
				    "Upgrade",
				    NULL };

static int take_headers(struct http *h, const struct headers *from,
			struct error *err)
{
	if (headers_check(from, ours, "transport", err))
		return -1;
	for (size_t i = 0; i < from->count; i++)
		headers_add(&h->headers, from->item[i].name,
			    from->item[i].value);
	return 0;
}

/* "http://host:port/path" of the target, without "sse+". */
static int take_url(struct http *h, const struct endpoint *to,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf url = { 0 };
	bool old = endpoint_has(to, SCHEME_OLD_SSE);

	buf_text(&url, endpoint_has(to, SCHEME_TLS) ? "https://" : "http://");
	authority_print(&url, to->host, to->has_port ? to->port : 0);
	buf_text(&url, to->path);
	h->forced = h->old = old;
	h->site.url = buf_take(&url);
	return http_site_set(&h->site, h->site.url, err);
}

/* How a site is reached. */
static int take_way(struct http_site *site, const struct endpoint *to,
		    struct error *err)
{
	if (take_resolve(site, &to->resolve, err) ||
	    take_proxy(site, to->proxy, err))
		return -1;
	site->insecure = site->tls && to->insecure;
	site->connect_timeout =
		to->connect_timeout ? to->connect_timeout : CONNECT_MS;
	if (!site->tls || !to->cacert)
		return 0;
	site->cacert = mem_strdup(to->cacert);
	return why_check_cacert(site->cacert, err);
}

/* Site and headers, as target and options say. -1 (ERR_USAGE): one of them is none. */
static int http_configure(struct http *h, const struct endpoint *to,
			  struct error *err)
{
	if (take_url(h, to, err) || take_headers(h, &to->headers, err))
		return -1;
	/* What the user sends there himself wins. */
	if (!headers_get(&h->headers, "Authorization"))
		h->bearer = to->bearer;
	h->judged = http_exchange_judged;
	return take_way(&h->site, to, err);
}

/*
 * Single requests for others, that are no MCP: the answer is handed on as it
 * is, nothing is followed or tried again.
 */

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

static void on_closed_fetch(void *owner)
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
	timer_close(&f->timer, on_closed_fetch);
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
		.headers = &t->answer,
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

	if (t->outcome.what != WHY_NONE && t->status)
		error_set(&why, ERR_PROTOCOL,
			  "the answer of '%s' was cut after %zu bytes",
			  f->site.host, f->body.len);
	else if (t->outcome.what != WHY_NONE)
		http_fail_transfer(&why, &f->site, t);
	answer(f, &why);
}

static void on_timer_fetch(void *owner)
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
	if (http_site_set(&f->site, rq->url, err))
		return -1;
	return rq->way ? take_way(&f->site, rq->way, err) : 0;
}

static int http_fetch_open(struct http_fetch **out, struct loop *l,
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
	timer_open(&f->timer, l, on_timer_fetch, f);
	if (f->timeout)
		timer_start(&f->timer, f->timeout);
	start(f, rq);
	*out = f;
	return 0;
}

static void http_fetch_abandon(struct http_fetch *f)
{
	if (f && !f->over) {
		f->over = true;
		fetch_end(f);
	}
}

/*
 * http:, https:, sse+http:, sse+https: as a transport: opened, sent through,
 * closed. What is answered is looked at in http_exchange.c, http_stream.c and
 * http_stream.c.
 */

#define CLOSE_MS 500
/* For the head of the GET stream: where the server may ask; where it speaks. */
#define ASK_HOLD_MS 2000
#define HOLD_MS 1000
#define LINGER_MS 50 /* of silence in that stream behind an answer */
#define ASK_LINGER_MS 200 /* where the server may ask (espressif.md 5) */

/* ---- events ---- */

void http_notice(struct http *h, enum notice_kind kind, const char *format, ...)
{
	const struct transport *t = h->transport;
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	const struct notice n = { .kind = kind, .text = text };

	if (t->events->notice && !h->closing)
		t->events->notice(t->owner, &n);
}

void http_deliver(struct http *h, const char *text, size_t len)
{
	const struct transport *t = h->transport;

	if (!h->closing)
		t->events->message(t->owner, FRAME_TEXT, text, len);
}

void http_fail(const struct http_exchange *x, const struct error *why)
{
	const struct http *h = x->http;
	const struct transport *t = h->transport;
	bool known = x->message.is_request && x->message.has_id;

	if (!h->closing)
		t->events->failed(t->owner, known ? x->message.id : 0, why);
}

static void tell_ready(struct http *h)
{
	const struct transport *t = h->transport;
	CLEANUP(buf_done) struct buf address = { 0 };
	CLEANUP(mem_free_ptr) char *path = http_url_path(h->site.url);
	struct peer_info info = { .path = path };

	authority_print(&address, h->site.host, h->site.port);
	info.address = buf_string(&address);
	h->ready = true;
	if (h->site.insecure)
		http_notice(
			h, NOTICE_INSECURE,
			"the certificate of '%s' is not verified (--insecure)",
			h->site.host);
	if (!h->closing)
		t->events->ready(t->owner, &info);
}

/* ---- the end ---- */

static void http_free(struct http *h)
{
	for (struct http_exchange *x = h->exchanges; x; x = x->next)
		http_exchange_end(x);
	http_exchange_sweep(h);
	if (h->engine)
		http_engine_release(h->engine);
	http_site_done(&h->site);
	headers_done(&h->headers);
	error_reset(&h->first);
	mem_free(h->session_id);
	mem_free(h->revision);
	mem_free(h->post_url);
	mem_free(h->unheard);
	mem_free(h);
}

static void on_closed(void *owner)
{
	struct http *h = owner;
	struct transport *t = h->transport;
	struct error why = h->why;

	assert(!h->inside);
	http_free(h);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

static void finish(struct http *h)
{
	if (h->ended)
		return;
	h->ended = true;
	timer_close(&h->timer, on_closed);
}

/* What is on its way and short may arrive: a cancellation, then DELETE. */
static void settle_closing(struct http *h)
{
	int64_t left = h->close_deadline - loop_now();
	bool busy = http_exchange_find(h, HTTP_POST) ||
		    http_exchange_find(h, HTTP_DELETE);

	if (left > 0 && !busy && h->session_id && !h->old && !h->deleting) {
		h->deleting = true;
		http_exchange_start(http_exchange_new(h, HTTP_DELETE));
		busy = true;
	}
	if (left > 0 && busy)
		timer_start(&h->timer, left);
	else
		finish(h);
}

static bool may_arrive(const struct http_exchange *x)
{
	return x->purpose == HTTP_POST && !x->message.is_request &&
	       x->transfer && !x->parked;
}

static void begin_closing(struct http *h)
{
	h->closing = true;
	h->close_deadline = loop_now() + CLOSE_MS;
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!may_arrive(x))
			http_exchange_end(x);
	}
}

void http_lost(struct http *h, const struct error *why)
{
	error_copy(&h->why, why);
	begin_closing(h);
	h->close_deadline = 0;
}

/* ---- the clock, and what waits ---- */

/*
 * Some servers take nothing before they took notifications/initialized, and
 * two connections have no order.
 */
static bool is_in_the_way(const struct http_exchange *x)
{
	return !x->dead && !x->waiting && !x->taken &&
	       x->purpose == HTTP_POST && x->message.is_initialized;
}

/*
 * A server that asks while the GET stream is not there yet asks nobody, and
 * its call hangs; one that logs inside a call then logs to nobody. So the
 * stream comes first. Where nothing can come by it, it is not asked for.
 */
static void listen_now(struct http *h)
{
	if (!h->listen_due || h->answers ||
	    !(h->declared || h->speaks || h->watched))
		return;
	h->listen_due = false;
	h->hold_until = loop_now() + (h->declared ? ASK_HOLD_MS : HOLD_MS);
	http_listen(h);
}

static bool is_held(const struct http *h)
{
	const struct http_exchange *x = http_exchange_find(h, HTTP_LISTEN);

	return loop_now() < h->hold_until && x && x->transfer &&
	       x->kind == HTTP_BODY_NONE;
}

static void send_waiting(struct http *h)
{
	if (is_held(h))
		return;
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (x->waiting && h->old && !h->post_url)
			return;
		if (x->waiting)
			http_exchange_start(x);
		if (is_in_the_way(x))
			return;
	}
}

static int64_t next_alarm(const struct http *h)
{
	int64_t next = h->ready ? LOOP_FOREVER : 0;

	if (h->ready && is_held(h))
		next = h->hold_until;
	for (const struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!x->dead && x->alarm < next)
			next = x->alarm;
	}
	return next;
}

static void settle(struct http *h)
{
	int64_t next;

	if (h->inside || h->ended)
		return;
	http_exchange_sweep(h);
	if (h->closing) {
		settle_closing(h);
		return;
	}
	listen_now(h);
	send_waiting(h);
	next = next_alarm(h);
	if (next == LOOP_FOREVER)
		timer_stop(&h->timer);
	else
		timer_start(&h->timer, next - loop_now());
}

void http_enter(struct http *h)
{
	h->inside++;
}

void http_leave(struct http *h)
{
	h->inside--;
	settle(h);
}

static void on_alarm(struct http_exchange *x)
{
	x->alarm = LOOP_FOREVER;
	switch (x->purpose) {
	case HTTP_POST:
		http_post_alarm(x);
		break;
	case HTTP_OLD:
		http_old_alarm(x);
		break;
	case HTTP_LISTEN:
		http_exchange_start(x);
		break;
	case HTTP_DELETE:
		break;
	}
}

static void on_timer(void *owner)
{
	struct http *h = owner;
	int64_t now = loop_now();

	http_enter(h);
	if (!h->ready && !h->closing)
		tell_ready(h);
	http_tell_unheard(h);
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!x->dead && !h->closing && x->alarm <= now)
			on_alarm(x);
	}
	http_leave(h);
}

/* ---- opening ---- */

static int http_open(struct transport *t, const struct endpoint *to,
		     struct error *err)
{
	struct http *h = mem_zalloc(sizeof(*h));

	h->transport = t;
	h->message_max =
		to->message_max ? to->message_max : TRANSPORT_MESSAGE_MAX;
	if (!http_configure(h, to, err))
		h->engine = http_engine_take(t->loop, err);
	if (!h->engine) {
		http_free(h);
		return -1;
	}
	timer_open(&h->timer, t->loop, on_timer, h);
	timer_start(&h->timer, 0);
	t->impl = h;
	return 0;
}

/* ---- in use ---- */

static size_t queued(const struct http *h)
{
	size_t sum = 0;

	for (const struct http_exchange *x = h->exchanges; x; x = x->next)
		sum += x->dead || !x->text ? 0 : x->len;
	return sum;
}

static int http_send_with(struct transport *t, const char *text, size_t len,
			  const struct headers *extra, struct error *err)
{
	struct http *h = t->impl;
	struct buf copy = { 0 };
	struct http_exchange *x;

	if (!h || h->closing)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	if (len > TRANSPORT_QUEUE_MAX || queued(h) > TRANSPORT_QUEUE_MAX - len)
		return error_set(
			err, ERR_CONNECT,
			"too much is waiting to be sent: the server does not read");
	x = http_exchange_new(h, HTTP_POST);
	buf_add(&copy, text, len);
	x->text = buf_take(&copy);
	x->len = len;
	x->waiting = true;
	http_message_look(&x->message, x->text, len);
	for (size_t i = 0; extra && i < extra->count; i++)
		headers_add(&x->extra, extra->item[i].name,
			    extra->item[i].value);
	x->alone = extra != NULL;
	if (x->message.is_initialize)
		h->declared = x->message.declares;
	if (h->old && !http_exchange_find(h, HTTP_OLD))
		http_old_open(h);
	settle(h);
	return 0;
}

static int http_send(struct transport *t, const char *text, size_t len,
		     struct error *err)
{
	return http_send_with(t, text, len, NULL, err);
}

static void http_close(struct transport *t)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	begin_closing(h);
	settle(h);
}

static void http_negotiated(struct transport *t, const char *revision,
			    bool speaks)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	mem_free(h->revision);
	h->revision = *revision ? mem_strdup(revision) : NULL;
	h->speaks = speaks;
}

/* Each request brings along what it needs; what a session had is forgotten. */
static void http_alone(struct transport *t, bool alone)
{
	struct http *h = t->impl;

	if (!h || h->closing || !alone)
		return;
	mem_free(TAKE(h->session_id));
	mem_free(TAKE(h->revision));
	h->listen_due = h->declared = h->speaks = false;
}

/* The stream has no order with the answer to a call. */
static int64_t http_lingers(const struct transport *t)
{
	const struct http *h = t->impl;
	const struct http_exchange *x;
	int64_t left;

	if (!h || h->closing || !h->last_heard)
		return 0;
	x = http_exchange_find(h, HTTP_LISTEN);
	left = h->last_heard + (h->declared ? ASK_LINGER_MS : LINGER_MS) -
	       loop_now();
	return x && x->kind == HTTP_BODY_EVENTS && left > 0 ? left : 0;
}

static void http_forget(struct transport *t, int64_t id)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!x->dead && x->message.is_request && x->message.has_id &&
		    x->message.id == id)
			http_exchange_end(x);
	}
	settle(h);
}

static bool http_layers(const struct transport *t, int64_t id,
			struct layers *out)
{
	const struct http *h = t->impl;
	const struct http_exchange *x = h ? h->exchanges : NULL;

	while (x && (x->dead || !x->message.is_request || !x->message.has_id ||
		     x->message.id != id))
		x = x->next;
	return http_transfer_layers(x ? x->transfer : NULL, out);
}

static const char *http_spoken(const struct transport *t)
{
	const struct http *h = t->impl;

	return h ? h->spoken : NULL;
}

static void http_be_watched(struct transport *t)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	h->watched = true;
	timer_start(&h->timer, 0);
}

static void http_only_waits(struct transport *t, bool only)
{
	struct http *h = t->impl;

	if (h)
		h->waits = only;
}

static void http_only_answers(struct transport *t, bool only)
{
	struct http *h = t->impl;

	if (h)
		h->answers = only;
}

static bool http_is_known(const struct transport *t)
{
	const struct http *h = t->impl;

	return h && h->session_id && !h->old;
}

const struct http_table http_table = {
	.dial = {
		.scheme = "http",
		.open = http_open,
		.send = http_send,
		.send_with = http_send_with,
		.close = http_close,
		.explain = http_explain,
		.negotiated = http_negotiated,
		.alone = http_alone,
		.lingers = http_lingers,
		.forget = http_forget,
		.layers = http_layers,
	},
	.fetch = http_fetch_open,
	.fetch_abandon = http_fetch_abandon,
	.spoken = http_spoken,
	.watch = http_be_watched,
	.waits = http_only_waits,
	.answers = http_only_answers,
	.has_session = http_is_known,
};
