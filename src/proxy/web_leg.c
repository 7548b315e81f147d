/* SPDX-License-Identifier: MIT */
/*
 * What the connections at the port share: they open, fail, end; heads on their
 * way up; and where we are, as a board is told it.
 */
#include "proxy/web_leg.h"

#include <string.h>
#include <strings.h>

#include "base/chain.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/port_parts.h"
#include "proxy/readdress.h"
#include "proxy/stage.h"
#include "proxy/tell.h"
#include "proxy/web.h"

/* ---- legs ---- */

/*
 * Firmware leaves the port out of Host where it asks for a WebSocket (device.md
 * 1.2); it asked OTA before, with the port.
 */
static char *reached_by(const struct web *w, const struct front_head *head,
			const char *from)
{
	const char *host = knock_host(head), *before;
	const char *port = strrchr(head->local, ':');
	struct authority a, then;

	if (authority_parse(&a, host, strlen(host), NULL) || a.has_port)
		return mem_strdup(host);
	before = told_reached(&w->told, headers_get(head->headers, "Device-Id"),
			      from);
	/* It came by the same name then. */
	if (before && !authority_parse(&then, before, strlen(before), NULL) &&
	    text_same(then.host, a.host))
		return mem_strdup(before);
	if (!headers_get(head->headers, "Sec-WebSocket-Key"))
		return mem_strdup(host);
	return mem_printf("%s%s", host, port ? port : "");
}

void web_leg_end(struct web_leg *l, enum event_from from, enum event_end how,
		 int code)
{
	if (l->talk)
		talk_end(TAKE(l->talk), from, how, code);
}

char *web_host_of(const char *address)
{
	const char *port = strrchr(address, ':');

	return mem_strndup(address,
			   port ? (size_t)(port - address) : strlen(address));
}

struct why_facts web_leg_facts(const struct web_leg *l)
{
	return (struct why_facts){ .with = WITH_BOARD |
					   (l->up.tls ? 0 : WITH_PLAIN),
				   .host = l->up.host,
				   .port = l->up.port };
}

/* The code of why its upstream was not reached; NULL: none. */
static const char *finding_of(const struct web_leg *l, const struct error *why)
{
	const struct why_facts of = web_leg_facts(l);
	const struct why_facts facts = { .what = why ? (enum why)why->reason :
						       WHY_CLOSED,
					 .with = of.with,
					 .number = why ? why->code : 0,
					 .host = of.host,
					 .port = of.port };

	return why && *why->finding ? why->finding : why_find(&facts)->finding;
}

/* With the stage at which it failed; then the board's connection fails, too. */
static void tell_failure(struct web_leg *l, const struct error *why)
{
	struct proxy *p = l->web->proxy;
	const char *code;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"%s:%u was not reached: %s", l->up.host, l->up.port,
		why ? why->text : "it closed the connection at once");

	if (why && lack_of_files(why->code)) {
		l->web->front->lacks(l->front, LACK_FILES, l->address);
		web_leg_end(l, FROM_NOBODY, ENDED_RST, 0);
		pair_reset(&l->pair);
		return;
	}
	code = finding_of(l, why);
	p->counts.refused++;
	talk_note(l->talk, "%s; the board sees its connection fail", text);
	stage_found(l->talk, code, text);
	proxy_say(p, PROXY_BAD, l->talk->device, why ? why->hint : NULL, "%s",
		  text);
	web_leg_end(l, FROM_BACKEND, ENDED_OTHER, 0);
	pair_reset(&l->pair);
}

/* ---- its pair ---- */

static void on_came(void *owner, enum side from, const char *data, size_t len)
{
	struct web_leg *l = owner;

	l->kind->came(l, from, data, len);
}

static void on_up(void *owner)
{
	struct web_leg *l = owner;
	const struct stage s = { .facts = web_leg_facts(l),
				 .then = "a board would go no further" };

	if (l->talk)
		stage_tls(l->web->proxy, l->talk, &l->pair, &s);
}

static void on_failed(void *owner, const struct error *why)
{
	struct web_leg *l = owner;

	l->kind->failed(l);
	if (l->talk)
		tell_failure(l, why);
	else
		pair_reset(&l->pair);
}

static void on_ended(void *owner, enum side from, enum event_end how)
{
	struct web_leg *l = owner;

	l->kind->ended(l, from, how);
}

static size_t on_kept(void *owner)
{
	const struct web_leg *l = owner;

	return l->kind->kept(l);
}

static void on_crowded(void *owner)
{
	struct web_leg *l = owner;

	l->kind->failed(l);
	l->web->front->lacks(l->front, LACK_BYTES, l->address);
	web_leg_end(l, FROM_NOBODY, ENDED_RST, 0);
}

static void on_closed(void *owner)
{
	struct web_leg *l = owner;
	struct web *w = l->web;

	web_leg_end(l, FROM_NOBODY, ENDED_OTHER, 0);
	CHAIN_REMOVE(w->legs, l);
	lull_over(&l->lull);
	turn_over(&l->turn);
	share_close(&l->share);
	upstream_done(&l->up);
	mem_free(l->reached);
	mem_free(l->address);
	mem_free(l->from);
	l->kind->free(l);
	web_maybe_closed(w);
}

/* ---- its turn ---- */

static void on_turn(void *owner)
{
	struct web_leg *l = owner;
	const struct tls_trust *trust = &l->web->proxy->options.trust;

	pair_dial(&l->pair, l->up.host, l->up.port, l->up.tls ? trust : NULL);
}

static void on_late(void *owner)
{
	struct web_leg *l = owner;

	l->web->front->lacks(l->front, LACK_TURN, l->address);
	l->kind->late(l);
	web_leg_end(l, FROM_NOBODY, ENDED_OTHER, 0);
}

/* Others wait for its place. */
static void make_way(void *owner)
{
	struct web_leg *l = owner;

	l->kind->failed(l);
	l->web->front->lacks(l->front, LACK_PLACES, l->address);
	web_leg_end(l, FROM_NOBODY, ENDED_RST, 0);
	turn_over(&l->turn);
	share_close(&l->share);
	pair_reset(&l->pair);
}

void web_leg_open(struct web_leg *l, struct web_place *at, int fd,
		  const struct front_head *head)
{
	static const struct pair_events events = {
		.came = on_came,
		.up = on_up,
		.failed = on_failed,
		.crowded = on_crowded,
		.kept = on_kept,
		.ended = on_ended,
		.closed = on_closed,
	};
	struct web *w = at->web;

	l->web = w;
	l->front = at->front;
	l->listens = at->host;
	CHAIN_PUSH(w->legs, l);
	l->address = mem_strdup(head->address);
	l->from = web_host_of(head->address);
	l->reached = reached_by(w, head, l->from);
	share_move(&l->share, head->share);
	share_hold(&l->share, 0);
	l->pair.share = &l->share;
	l->lull = (struct lull){ .proxy = w->proxy,
				 .share = &l->share,
				 .end = make_way,
				 .owner = l };
	l->turn = (struct turn){ .proxy = w->proxy,
				 .share = &l->share,
				 .from = l->from,
				 .go = on_turn,
				 .late = on_late,
				 .end = make_way,
				 .owner = l };
	pair_open(&l->pair, w->proxy->loop, fd, &events, l);
}

void web_leg_dial(struct web_leg *l, const char *device, bool shown)
{
	turn_take(&l->turn, device, shown);
}

bool web_is_known(const struct web *w, const char *device, const char *from)
{
	return known_find(&w->proxy->turns->known, device, from) != NULL;
}

/* ---- heads on their way up ---- */

static bool is_name(const char *line, size_t len, const char *name)
{
	size_t size = strlen(name);

	return len > size && line[size] == ':' &&
	       strncasecmp(line, name, size) == 0;
}

/* Without what only the two ends of one connection may agree on. */
static bool is_struck(const char *line, size_t len, const char **struck)
{
	static const char *const names[] = { "Sec-WebSocket-Extensions",
					     "Accept-Encoding" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (is_name(line, len, names[i])) {
			*struck = names[i];
			return true;
		}
	}
	return false;
}

/* Of another protocol for this connection: who takes it up is not read here. */
static bool is_offer(const char *line, size_t len)
{
	const char *value = line + strlen("Upgrade:");
	size_t size;

	if (!is_name(line, len, "Upgrade"))
		return is_name(line, len, "HTTP2-Settings");
	size = text_trim(&value, len - strlen("Upgrade:"));
	return size != strlen("websocket") ||
	       strncasecmp(value, "websocket", size) != 0;
}

static void add_host(struct buf *out, const char *line, size_t len,
		     const struct upstream *up)
{
	const char *value = line + 5;
	size_t size = text_trim(&value, len - 5);
	struct authority a;
	/* Firmware leaves the port out of one of its requests, not of others. */
	bool port = !authority_parse(&a, value, size, NULL) && a.has_port;

	buf_printf(out, "%.*s ", 5, line);
	upstream_host(up, port || !text_starts(up->url, "ws"), out);
	buf_text(out, "\r\n");
}

static void add_request_line(struct buf *out, const char *line, size_t len,
			     const char *target)
{
	const char *from = memchr(line, ' ', len), *to = NULL;

	if (from)
		to = memchr(from + 1, ' ', (size_t)(line + len - from - 1));
	if (!target || !to) {
		buf_add(out, line, len);
		return;
	}
	buf_add(out, line, (size_t)(from + 1 - line));
	buf_text(out, target);
	buf_add(out, to, (size_t)(line + len - to));
}

void web_request_head(struct buf *out, struct span head,
		      const struct upstream *up, const char *target,
		      const char **struck)
{
	const char *at = head.text, *over = head.text + head.len;

	*struck = NULL;
	while (at < over) {
		const char *end = memchr(at, '\n', (size_t)(over - at));
		size_t len = end ? (size_t)(end - at) + 1 : (size_t)(over - at);

		if (at == head.text)
			add_request_line(out, at, len, target);
		else if (is_name(at, len, "Host"))
			add_host(out, at, len, up);
		else if (!is_struck(at, len, struck) && !is_offer(at, len))
			buf_add(out, at, len);
		at += len;
	}
}

/* ---- where we are ---- */

char *web_base(const struct web *w, const char *reached, bool ws)
{
	const char *own = w->advertised_ws, *rest, *scheme;

	if (!own)
		return mem_printf("%s://%s", ws ? "ws" : "http", reached);
	rest = strstr(own, "://") + 3;
	scheme = text_starts(own, "wss") ? (ws ? "wss" : "https") :
					   (ws ? "ws" : "http");
	return mem_printf("%s://%.*s", scheme, (int)strcspn(rest, "/"), rest);
}

/* The newest ones, so many. */
static uint64_t first_vision(const struct web *w)
{
	return w->visions > VISION_KEPT ? w->visions - VISION_KEPT : 0;
}

static const struct vision *vision_add(struct web *w, const char *url)
{
	struct vision *v = &w->vision[w->visions++ % VISION_KEPT];

	mem_free(v->url);
	v->url = mem_strdup(url);
	random_hex(v->name);
	return v;
}

/*
 * An address for the pictures that are meant for that URL, as a board
 * that reached us by `reached` ("HOST:PORT") is told it; yours.
 */
static char *web_vision_url(struct proxy *p, const char *url,
			    const char *reached)
{
	struct web *w = p->web;
	const struct vision *v = NULL;
	CLEANUP(mem_free_ptr) char *base = NULL;

	/* Of MQTT alone there is no port for pictures. */
	if (!w || strlen(url) > VISION_URL_MAX)
		return NULL;
	base = web_base(w, reached, false);
	for (uint64_t n = first_vision(w); n < w->visions && !v; n++) {
		if (strcmp(w->vision[n % VISION_KEPT].url, url) == 0)
			v = &w->vision[n % VISION_KEPT];
	}
	if (!v)
		v = vision_add(w, url);
	return mem_printf("%s" VISION_PATH "%s", base, v->name);
}

bool web_move_vision(struct talk *t, struct span text, const char *reached,
		     struct buf *out)
{
	struct proxy *p = t->proxy;
	CLEANUP(edits_done) struct edits edits = { 0 };
	CLEANUP(mem_free_ptr) char *url = NULL, *own = NULL;
	CLEANUP(upstream_done) struct upstream up = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	struct span place;

	if (!(p->options.rewrite & REWRITE_VISION) || !p->web ||
	    !told_vision(&place, text))
		return false;
	url = json_span_string(place);
	if (!url || !text_starts(url, "http"))
		return false;
	if (upstream_read(&up, url, &why)) {
		talk_note(t, "vision.url stays as it is: %s", why.text);
		return false;
	}
	own = web_vision_url(p, url, reached);
	if (!own)
		return false;
	edits_add_string(&edits, place, own);
	edits_apply(&edits, text, out);
	talk_note(t, "pictures come through here: vision.url %s -> %s", url,
		  own);
	return true;
}

const char *web_vision_of(const struct web *w, const char *path)
{
	if (!text_starts(path, VISION_PATH))
		return NULL;
	path += strlen(VISION_PATH);
	for (uint64_t n = first_vision(w); n < w->visions; n++) {
		const struct vision *v = &w->vision[n % VISION_KEPT];

		if (strcmp(v->name, path) == 0)
			return v->url;
	}
	return NULL;
}

/* ---- the end ---- */

static void web_free(struct web *w)
{
	for (size_t i = 0; i < w->places; i++)
		mem_free(w->place[i].host);
	for (size_t i = 0; i < VISION_KEPT; i++)
		mem_free(w->vision[i].url);
	mem_free(w->place);
	mem_free(w->advertised_ws);
	mem_free(w->advertised_ota);
	upstream_done(&w->up);
	told_done(&w->told);
	mem_free(w);
}

void web_maybe_closed(struct web *w)
{
	struct proxy *p = w->proxy;

	if (!w->closing || w->open || w->legs)
		return;
	p->web = NULL;
	web_free(w);
	proxy_leg_closed(p);
}

void web_refusal(struct buf *out, const struct proxy *p, int status,
		 const char *why)
{
	char more[40] = "";

	if (status == 429)
		snprintf(more, sizeof(more), "Retry-After: %d\r\n",
			 budget_retry_after(p->budget));
	knock_refusal(out, status, more, why);
}
