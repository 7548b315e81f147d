/* SPDX-License-Identifier: MIT */
/* The port: opened, who comes, what a board is told of where it is. */
#include "proxy/web.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "net/port_parts.h"
#include "net/why.h"
#include "proxy/tell.h"
#include "proxy/web_http.h"
#include "proxy/web_leg.h"
#include "proxy/web_ws.h"
#include "wire/http_parts.h"

#define PORT 8000

void web_addresses(const struct proxy *p, struct words *out)
{
	const struct web *w = p->web;
	const char *path = w->up.path;
	CLEANUP(words_done) struct words found = { 0 };

	for (size_t i = 0; i < w->places; i++)
		open_addresses(&found, w->place[i].host, w->place[i].number);
	for (size_t i = 0; i < found.count && !w->advertised_ws; i++) {
		CLEANUP(mem_free_ptr)
		char *url = mem_printf("%s://%s%s", w->ota ? "http" : "ws",
				       found.word[i], path);

		words_add(out, url);
	}
	if (w->advertised_ws) {
		CLEANUP(mem_free_ptr) char *base = web_base(w, "", !w->ota);
		CLEANUP(mem_free_ptr)
		char *url = mem_printf("%s%s", base, path);

		words_add(out, url);
	}
}

/* ---- the events of the front ---- */

static void on_take(void *owner, int fd, const struct front_head *head)
{
	web_http(owner, fd, head);
}

static int on_upgrade(void *owner, int fd, const struct front_head *head,
		      const char **reason)
{
	struct web_place *at = owner;
	struct proxy *p = at->web->proxy;
	const char *device = headers_get(head->headers, "Device-Id");
	CLEANUP(mem_free_ptr) char *from = web_host_of(head->address);

	*reason = "busy: too many connections";
	if (share_is_over(head->share) &&
	    (!turn_make_room(p, false) || share_is_over(head->share)))
		return 503;
	if (p->open_talks >= p->options.talks_max &&
	    !turn_make_room(p, web_is_known(at->web, device, from))) {
		at->web->front->lacks(at->front, LACK_ALL, head->address);
		return 503;
	}
	if (!told_find(&at->web->told, device, from) && at->web->ota) {
		p->counts.refused++;
		proxy_say(
			p, PROXY_WARN, device,
			"restart the board: it asks OTA at each start, and is told where to go then",
			"%s dials a WebSocket, and did not ask OTA here before",
			head->address);
		*reason =
			"not asked OTA here before, so it is not known where this leads";
		return 503;
	}
	web_websocket(at, fd, head);
	return 0;
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	const struct web_place *at = owner;

	proxy_noise(at->web->proxy, address, knock_noise(what));
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	const struct web_place *at = owner;

	proxy_refused(at->web->proxy, r);
}

static bool on_room(void *owner)
{
	const struct web_place *at = owner;

	return turn_make_room(at->web->proxy, false);
}

/* By nothing but its name and its host: so it is served first, and counts. */
static enum front_standing on_standing(void *owner,
				       const struct front_head *head)
{
	const struct web_place *at = owner;
	const char *device = headers_get(head->headers, "Device-Id");
	CLEANUP(mem_free_ptr) char *from = web_host_of(head->address);

	if (web_vision_of(at->web, head->path))
		return FRONT_SHOWN;
	return web_is_known(at->web, device, from) ? FRONT_NAMED :
						     FRONT_STRANGER;
}

/* All places share them. */
static size_t on_sockets_max(void *owner)
{
	const struct web_place *at = owner;
	const struct proxy *p = at->web->proxy;
	size_t places = p->options.listen ? p->options.listen->count : 0;
	size_t each = p->knocks_max / (places ? places : 1);

	return each > 2 ? each : 2;
}

/* ---- opening ---- */

static int open_place(struct web *w, const char *where, struct error *err)
{
	static const struct front_events events = {
		.take = on_take,
		.upgrade = on_upgrade,
		.noise = on_noise,
		.refused = on_refused,
		.sockets_max = on_sockets_max,
		.standing = on_standing,
		.room = on_room,
	};
	struct web_place *at = &w->place[w->places];
	CLEANUP(mem_free_ptr) char *host = NULL;
	struct front_config c = { .port = PORT,
				  .admit = w->proxy->options.admit,
				  .budget = w->proxy->budget,
				  .counts_questions = true };

	if (where && endpoint_parse_listen(where, &host, &c.port, err))
		return error_prefix(err, "--listen");
	c.host = host;
	at->web = w;
	at->front = w->front->open(w->proxy->loop, &c, &events, at, err);
	if (!at->front)
		return -1;
	at->host = TAKE(host);
	at->number = w->front->port(at->front);
	w->places++;
	w->open++;
	return 0;
}

static int open_places(struct web *w, struct error *err)
{
	const struct words *listen = w->proxy->options.listen;
	size_t count = listen ? listen->count : 0;

	w->place = mem_zalloc((count ? count : 1) * sizeof(*w->place));
	if (!count)
		return open_place(w, NULL, err);
	for (size_t i = 0; i < count; i++) {
		if (open_place(w, listen->word[i], err))
			return -1;
	}
	return 0;
}

static int take_advertise(struct web *w, struct error *err)
{
	const char *text = w->proxy->options.admit.advertise;

	if (!text)
		return 0;
	mem_free(TAKE(w->advertised_ws));
	mem_free(TAKE(w->advertised_ota));
	return ota_advertise(text, w->places ? w->place[0].number : PORT, "/",
			     &w->advertised_ws, &w->advertised_ota, err);
}

int web_open(struct proxy *p, struct error *err)
{
	struct web *w = mem_zalloc(sizeof(*w));

	w->proxy = p;
	w->ota = p->options.kind == UPSTREAM_OTA;
	p->web = w;
	p->legs_open++;
	w->front = module_table("front", FRONT_TABLE, err);
	if (!w->front || upstream_read(&w->up, p->options.upstream, err) ||
	    take_advertise(w, err) || open_places(w, err))
		return -1;
	/* Now that the port is known; what was right stays right. */
	return take_advertise(w, err);
}

/* ---- the end ---- */

static void on_front_closed(void *owner)
{
	const struct web_place *at = owner;

	at->web->open--;
	web_maybe_closed(at->web);
}

void web_close(struct proxy *p)
{
	struct web *w = p->web;

	w->closing = true;
	for (size_t i = 0; i < w->places; i++)
		w->front->close(w->place[i].front, on_front_closed);
	for (struct web_leg *l = w->legs; l; l = l->next) {
		web_leg_end(l, FROM_NOBODY, ENDED_OTHER, 0);
		pair_leave(&l->pair);
	}
	web_maybe_closed(w);
}
