/* SPDX-License-Identifier: MIT */
/* The proxy as a whole: which kind it is, opened, told of, ended. */
#include "proxy/proxy.h"

#include <string.h>
#include <strings.h>

#include "base/descriptors.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/endpoint.h"
#include "proxy/mcp_relay.h"
#include "proxy/mqtt_relay.h"
#include "proxy/tell.h"
#include "proxy/turn.h"
#include "proxy/udp_relay.h"
#include "proxy/web.h"

static bool is_ota_path(const char *url)
{
	size_t len = strcspn(url, "?#");

	while (len && url[len - 1] == '/')
		len--;
	return len >= 3 && strncasecmp(url + len - 3, "ota", 3) == 0;
}

int proxy_kind(enum upstream_kind *out, const char *upstream, struct error *err)
{
	static const struct {
		const char *scheme;
		enum upstream_kind kind;
	} kinds[] = {
		{ "ws://", UPSTREAM_WS },     { "wss://", UPSTREAM_WS },
		{ "mqtt://", UPSTREAM_MQTT }, { "mqtts://", UPSTREAM_MQTT },
		{ "http://", UPSTREAM_MCP },  { "https://", UPSTREAM_MCP },
		{ "stdio:", UPSTREAM_MCP },
	};
	CLEANUP(mem_free_ptr) char *shown = NULL;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!text_starts(upstream, kinds[i].scheme))
			continue;
		*out = kinds[i].kind;
		if (*upstream == 'h' && is_ota_path(upstream))
			*out = UPSTREAM_OTA;
		return 0;
	}
	shown = endpoint_without_password(upstream);
	error_set(err, ERR_USAGE,
		  "'%.200s' is no address that a proxy can stand before",
		  shown);
	return error_hint(
		err,
		"expected the OTA address that boards ask (https://HOST/…/ota/), ws://, wss://, mqtt:// or mqtts://, or an MCP server (http://, https://, stdio:, or -- COMMAND)");
}

/* ---- the end ---- */

static void on_turns_closed(void *owner)
{
	proxy_leg_closed(owner);
}

void proxy_close(struct proxy *p, void (*closed)(void *owner), void *owner)
{
	p->closing = true;
	p->closed = closed;
	p->closed_owner = owner;
	/* Not before all of them were asked. */
	p->legs_open++;
	if (p->web)
		web_close(p);
	if (p->mqtt)
		mqtt_relay_close(p);
	if (p->udp)
		udp_relay_close(p);
	if (p->mcp)
		mcp_relay_close(p);
	turns_close(p, on_turns_closed);
	proxy_tells_close(p);
	proxy_leg_closed(p);
}

void proxy_leave(struct proxy *p)
{
	static const struct proxy_events none = { 0 };

	p->closed = NULL;
	p->options = (struct proxy_options){ .kind = p->options.kind,
					     .events = &none };
}

/* ---- opening ---- */

static int open_kind(struct proxy *p, struct error *err)
{
	switch (p->options.kind) {
	case UPSTREAM_OTA:
	case UPSTREAM_WS:
		return web_open(p, err);
	case UPSTREAM_MQTT:
		return mqtt_relay_open(p, err);
	case UPSTREAM_MCP:
		break;
	}
	return mcp_relay_open(p, err);
}

/* Less, and no board comes through. */
#define FILES_LEAST 32
#define FILES_WANTED 32768
/* Kept for other things than connections: an eighth, but no more than this. */
#define FILES_KEPT_MIN 12
#define FILES_KEPT_MAX 64
#define TALKS_MAX 10000
/* Passed on at a time, of those that the upstream does not know: a quarter, but
   no more than this. */
#define PASSED_MIN 4
#define PASSED_MAX 256

/* needed: of those some were open before it began. */
static int too_few(size_t limit, size_t needed, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "proxy needs %zu open files at least, and %zu are allowed",
		  needed > FILES_LEAST ? needed : FILES_LEAST, limit);
	return error_hint(err, "raise the limit: ulimit -n 1024");
}

/* Of what is left a sixth is for those who knock, two for each talk: of 16 talks
   one address gets 15 (net/budget.h). */
static int share_files(struct proxy *p, struct error *err)
{
	size_t limit = descriptors_raise(FILES_WANTED);
	size_t kept = limit / 8, open = descriptors_open(), room, talks;

	if (kept < FILES_KEPT_MIN)
		kept = FILES_KEPT_MIN;
	if (kept > FILES_KEPT_MAX)
		kept = FILES_KEPT_MAX;
	if (limit < FILES_LEAST || limit < open + kept + 8)
		return too_few(limit, open + kept + 8, err);
	room = limit - open - kept;
	p->knocks_max = room / 6;
	talks = (room - p->knocks_max) / 2;
	if (!p->options.talks_max)
		p->options.talks_max = TALKS_MAX;
	if (p->options.talks_max > talks)
		p->options.talks_max = talks;
	return 0;
}

static int open_voices(struct proxy *p, struct error *err)
{
	if (!p->options.save_audio)
		return 0;
	p->voices = mem_zalloc(sizeof(*p->voices));
	return voices_open(p->voices, p->options.save_audio, p->budget, err);
}

static size_t passed_max(const struct proxy *p)
{
	size_t some = p->options.talks_max / 4;

	if (some > PASSED_MAX)
		some = PASSED_MAX;
	return some > PASSED_MIN ? some : PASSED_MIN;
}

static int open_doors(struct proxy *p, struct error *err)
{
	p->budget = budget_new();
	turns_open(p);
	p->legs_open++;
	proxy_tells_open(p);
	if (share_files(p, err))
		return -1;
	budget_set(p->budget, BUDGET_HEADS, p->knocks_max);
	/* The last one is never given: see net/budget.h. */
	budget_set(p->budget, BUDGET_UPSTREAM, passed_max(p) + 1);
	/* So that of few, too, one is left for another address. */
	budget_set(p->budget, BUDGET_CONNECTIONS, p->options.talks_max + 1);
	return open_voices(p, err) ? -1 : open_kind(p, err);
}

int proxy_open(struct proxy **out, struct loop *l,
	       const struct proxy_options *o, struct error *err)
{
	struct proxy *p = mem_zalloc(sizeof(*p));

	p->loop = l;
	p->options = *o;
	p->began_us = loop_now_us();
	p->found = mem_zalloc(sizeof(*p->found));
	if (open_doors(p, err)) {
		proxy_close(p, NULL, NULL);
		return -1;
	}
	*out = p;
	return 0;
}

void proxy_addresses(const struct proxy *p, struct words *out)
{
	if (p->web)
		web_addresses(p, out);
	if (p->options.kind == UPSTREAM_MQTT && p->mqtt)
		mqtt_relay_addresses(p, out);
	if (p->mcp)
		mcp_relay_addresses(p, out);
}
