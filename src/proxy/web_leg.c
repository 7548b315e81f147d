/* SPDX-License-Identifier: MIT */
/*
 * What the connections at the port share: they open, fail, end; heads on their
 * way up; and where we are, as a board is told it.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/port_parts.h"
#include "net/why.h"
#include "proxy/web.h"

/* ---- legs ---- */

/*
 * Firmware leaves the port out of Host where it asks for a WebSocket (device.md
 * 1.2); it asked OTA before, with the port.
 */
static char *reached_by(const struct web *w, const struct front_head *head)
{
	const char *host = knock_host(head), *before;
	const char *port = strrchr(head->local, ':');
	struct authority a;

	if (authority_parse(&a, host, strlen(host), NULL) || a.has_port)
		return mem_strdup(host);
	before =
		told_reached(&w->told, headers_get(head->headers, "Device-Id"));
	if (before)
		return mem_strdup(before);
	if (!headers_get(head->headers, "Sec-WebSocket-Key"))
		return mem_strdup(host);
	return mem_printf("%s%s", host, port ? port : "");
}

void web_leg_open(struct web_leg *l, struct web *w, int fd,
		  const struct front_head *head,
		  const struct pair_events *events)
{
	l->web = w;
	l->next = w->legs;
	if (l->next)
		l->next->previous = l;
	w->legs = l;
	l->address = mem_strdup(head->address);
	l->reached = reached_by(w, head);
	share_move(&l->share, head->share);
	share_hold(&l->share, 0);
	pair_open(&l->pair, w->proxy->loop, fd, events, l);
}

void web_leg_closed(struct web_leg *l)
{
	struct web *w = l->web;

	web_leg_end(l, FROM_NOBODY, ENDED_OTHER, 0);
	if (l->previous)
		l->previous->next = l->next;
	else
		w->legs = l->next;
	if (l->next)
		l->next->previous = l->previous;
	share_close(&l->share);
	upstream_done(&l->up);
	mem_free(l->reached);
	mem_free(l->address);
	l->free(l);
	web_maybe_closed(w);
}

void web_leg_end(struct web_leg *l, enum event_from from, enum event_end how,
		 int code)
{
	if (l->talk)
		talk_end(TAKE(l->talk), from, how, code);
}

static void found(struct web_leg *l, const char *code, const char *text)
{
	int name = code && *code ? finding_by_name(code) : -1;

	if (name >= 0)
		diag_found(&l->talk->diag, (enum diag_code)name,
			   (struct span){ 0 }, "%s", text);
}

void web_leg_failed(struct web_leg *l, const struct error *why)
{
	struct proxy *p = l->web->proxy;
	const struct why_facts facts = { .what = why ? (enum why)why->reason :
						       WHY_CLOSED,
					 .with = WITH_BOARD,
					 .number = why ? why->code : 0,
					 .host = l->up.host,
					 .port = l->up.port };
	const char *code =
		why && *why->finding ? why->finding : why_find(&facts)->finding;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"%s:%u was not reached: %s", l->up.host, l->up.port,
		why ? why->text : "it closed the connection at once");

	p->counts.refused++;
	talk_note(l->talk, "%s; the board sees its connection fail", text);
	found(l, code, text);
	proxy_say(p, PROXY_BAD, l->talk->device, why ? why->hint : NULL, "%s",
		  text);
	web_leg_end(l, FROM_BACKEND, ENDED_OTHER, 0);
	pair_reset(&l->pair);
}

void web_leg_up(struct web_leg *l)
{
	struct tls_facts tls;
	const struct why_facts facts = { .what = WHY_TLS,
					 .with = WITH_BOARD,
					 .said = tls.doubt };
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!l->talk || !pair_tls(&l->pair, &tls))
		return;
	talk_note(l->talk, "%s to %s, certificate of %s", tls.version,
		  l->up.host, *tls.issuer ? tls.issuer : "nobody known");
	if (!*tls.doubt)
		return;
	text = mem_printf("%s:%u: %s; a board would go no further", l->up.host,
			  l->up.port, tls.doubt);
	found(l, why_find(&facts)->finding, text);
	proxy_say(l->web->proxy, PROXY_WARN, l->talk->device, NULL, "%s", text);
}

void web_leg_dial(struct web_leg *l)
{
	const struct tls_trust *trust = &l->web->proxy->options.trust;

	pair_dial(&l->pair, l->up.host, l->up.port, l->up.tls ? trust : NULL);
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
		else if (!is_struck(at, len, struck))
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

char *web_vision_url(struct proxy *p, const char *url, const char *reached)
{
	struct web *w = p->web;
	CLEANUP(mem_free_ptr) char *base = NULL;
	uint64_t n = 0, first = 0;

	/* Of MQTT alone there is no port for pictures. */
	if (!w)
		return NULL;
	base = web_base(w, reached, false);
	if (w->visions > VISION_KEPT)
		first = w->visions - VISION_KEPT;
	for (n = first; n < w->visions; n++) {
		if (strcmp(w->vision[n % VISION_KEPT], url) == 0)
			break;
	}
	if (n == w->visions) {
		mem_free(w->vision[n % VISION_KEPT]);
		w->vision[n % VISION_KEPT] = mem_strdup(url);
		w->visions++;
	}
	return mem_printf("%s" VISION_PATH "%llu", base, (unsigned long long)n);
}

const char *web_vision_of(const struct web *w, const char *path)
{
	int64_t n;

	if (!text_starts(path, VISION_PATH) ||
	    text_integer(path + strlen(VISION_PATH), 0, INT64_MAX, &n) ||
	    (uint64_t)n >= w->visions || w->visions - (uint64_t)n > VISION_KEPT)
		return NULL;
	return w->vision[(uint64_t)n % VISION_KEPT];
}

/* ---- the end ---- */

static void web_free(struct web *w)
{
	for (size_t i = 0; i < w->places; i++)
		mem_free(w->place[i].host);
	for (size_t i = 0; i < VISION_KEPT; i++)
		mem_free(w->vision[i]);
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
