/* SPDX-License-Identifier: MIT */
/* The proxy as a whole: which kind it is, opened, told of, ended. */
#include "proxy/proxy.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
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

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!text_starts(upstream, kinds[i].scheme))
			continue;
		*out = kinds[i].kind;
		if (*upstream == 'h' && is_ota_path(upstream))
			*out = UPSTREAM_OTA;
		return 0;
	}
	error_set(err, ERR_USAGE,
		  "'%.200s' is no address that a proxy can stand before",
		  upstream);
	return error_hint(
		err,
		"expected the OTA address that boards ask (https://HOST/…/ota/), ws://, wss://, mqtt:// or mqtts://, or an MCP server (http://, https://, stdio:, or -- COMMAND)");
}

/* ---- the end ---- */

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
	proxy_leg_closed(p);
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

static void set_budget(struct proxy *p)
{
	size_t places = p->options.talks_max ? p->options.talks_max : 10000;

	p->budget = budget_new();
	budget_set(p->budget, BUDGET_HEADS, places);
	budget_set(p->budget, BUDGET_CONNECTIONS, places);
}

int proxy_open(struct proxy **out, struct loop *l,
	       const struct proxy_options *o, struct error *err)
{
	struct proxy *p = mem_zalloc(sizeof(*p));

	p->loop = l;
	p->options = *o;
	p->began_us = loop_now_us();
	p->found = mem_zalloc(sizeof(*p->found));
	set_budget(p);
	if (open_kind(p, err)) {
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
