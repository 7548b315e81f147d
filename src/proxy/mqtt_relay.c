/* SPDX-License-Identifier: MIT */
/* The ports for MQTT, and what they lead to; the contract is in the header. */
#include "proxy/mqtt_relay.h"
#include "proxy/gate.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/admit.h"
#include "net/endpoint.h"
#include "net/port_parts.h"
#include "proxy/mqtt_talk.h"
#include "proxy/tell.h"

#define TLS_PORT 8883 /* device.md 2.1 */
#define PLAIN_PORT 1883
/* Ports: a backend that names ever new brokers gets no more. */
#define PLACES_MAX 32

/* ---- its end ---- */

static void place_free(struct mqtt_place *at)
{
	mem_free(at->listens);
	mem_free(at->host);
	mem_free(at);
}

static void release(struct mqtt_relay *r)
{
	struct proxy *p = r->proxy;

	if (--r->open)
		return;
	while (r->places) {
		struct mqtt_place *next = r->places->next;

		place_free(r->places);
		r->places = next;
	}
	mem_free(r);
	p->mqtt = NULL;
	proxy_leg_closed(p);
}

static void on_gate_closed(void *owner)
{
	struct mqtt_place *at = owner;

	release(at->relay);
}

void mqtt_relay_close(struct proxy *p)
{
	struct mqtt_relay *r = p->mqtt;

	if (r->closing)
		return;
	r->closing = true;
	mqtt_talks_close(r);
	for (struct mqtt_place *at = r->places; at; at = at->next)
		gate_close(&at->gate);
	release(r); /* its own hold */
}

/* ---- ports ---- */

static void on_came(void *owner, int fd, const struct sockaddr *from,
		    struct share *share)
{
	mqtt_talk_begin(owner, fd, from, share);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	const struct mqtt_place *at = owner;

	proxy_refused(at->relay->proxy, r);
}

static const struct gate_events gate_events = {
	.came = on_came,
	.refused = on_refused,
	.closed = on_gate_closed,
};

static struct mqtt_relay *relay_of(struct proxy *p)
{
	if (p->mqtt)
		return p->mqtt;
	p->mqtt = mem_zalloc(sizeof(*p->mqtt));
	p->mqtt->proxy = p;
	p->mqtt->released = release;
	p->mqtt->open = 1;
	p->legs_open++;
	return p->mqtt;
}

struct where {
	char host[256];
	uint16_t port;
	bool tls;
};

static int place_open(struct proxy *p, const struct where *to, const char *host,
		      uint16_t port, struct mqtt_place **out, struct error *err)
{
	struct mqtt_relay *r = relay_of(p);
	struct mqtt_place *at;

	if (r->count == PLACES_MAX)
		return error_set(err, ERR_CONNECT,
				 "%d brokers have a port here already",
				 PLACES_MAX);
	at = mem_zalloc(sizeof(*at));

	at->relay = r;
	at->listens = host ? mem_strdup(host) : NULL;
	at->host = mem_strdup(to->host);
	at->port = to->port;
	at->tls = to->tls;
	at->gate = (struct gate){ .loop = p->loop,
				  .budget = p->budget,
				  .events = &gate_events,
				  .owner = at };
	if (gate_open(&at->gate, host, port, err)) {
		place_free(at);
		return -1;
	}
	r->open++;
	r->count++;
	at->next = r->places;
	r->places = at;
	*out = at;
	return 0;
}

static bool same_host(const char *a, const char *b)
{
	return a && b ? text_same(a, b) : a == b;
}

static struct mqtt_place *
place_find(const struct proxy *p, const struct where *to, const char *listens)
{
	struct mqtt_place *at = p->mqtt ? p->mqtt->places : NULL;

	while (at && (at->port != to->port || at->tls != to->tls ||
		      !text_same(at->host, to->host) ||
		      !same_host(at->listens, listens)))
		at = at->next;
	return at;
}

/* "HOST" or "HOST:PORT" as a board reads it (device.md 2.1). */
static int read_endpoint(struct where *out, const char *endpoint,
			 struct error *err)
{
	struct authority a;

	if (authority_parse(&a, endpoint, strlen(endpoint), err))
		return error_prefix(err, "mqtt.endpoint");
	if (!*a.host)
		return error_set(err, ERR_PROTOCOL,
				 "mqtt.endpoint '%s' has no host", endpoint);
	*out = (struct where){ .port = a.has_port ? a.port : TLS_PORT };
	memcpy(out->host, a.host, sizeof(out->host));
	out->tls = out->port == TLS_PORT;
	return 0;
}

/* The host of "HOST", "HOST:PORT" or "[IPV6]:PORT" with that port instead. */
static char *with_port(const char *host, uint16_t port)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct authority a;

	if (authority_parse(&a, host, strlen(host), NULL))
		return mem_printf("%s:%u", host, (unsigned)port);
	authority_print(&out, a.host, port);
	return buf_take(&out);
}

int mqtt_relay_endpoint(struct proxy *p, const char *endpoint,
			const struct mqtt_came *came, char **out,
			struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *given = admit_advertised(p->options.admit.advertise);
	struct mqtt_place *at;
	struct where to = { 0 };

	if (read_endpoint(&to, endpoint, err))
		return -1;
	at = place_find(p, &to, came->listens);
	if (!at && (place_open(p, &to, came->listens, 0, &at, err) || !at))
		return -1;
	/* A second colon in it would let the board restart for ever (device.md 2.1). */
	*out = with_port(given && !strchr(given, ':') ? given : came->reached,
			 at->gate.port);
	return 0;
}

/* "mqtt://HOST[:PORT]", mqtts; nothing behind it. */
static int read_upstream(struct where *out, const char *text, struct error *err)
{
	bool tls = text_starts(text, "mqtts:");
	const char *at = strstr(text, "://");
	size_t len = at ? strcspn(at + 3, "/?#") : 0;
	struct authority a;

	if (!at || at[3 + len + (at[3 + len] == '/')]) {
		CLEANUP(mem_free_ptr)
		char *shown = endpoint_without_password(text);

		return error_set(
			err, ERR_USAGE,
			"'%s': a broker is mqtt://HOST[:PORT] or mqtts://HOST[:PORT]",
			shown);
	}
	if (memchr(at + 3, '@', len)) {
		error_set(
			err, ERR_USAGE,
			"a user has no place in the address: boards bring their own");
		return error_hint(err, "leave out what stands before '@'");
	}
	if (authority_parse(&a, at + 3, len, err))
		return -1;
	if (!*a.host)
		return error_set(err, ERR_USAGE, "'%s' has no host", text);
	*out = (struct where){ .tls = tls };
	out->port = tls ? TLS_PORT : PLAIN_PORT;
	if (a.has_port)
		out->port = a.port;
	memcpy(out->host, a.host, sizeof(out->host));
	return 0;
}

/* One that has no host. */
static int check_advertise(const char *text, struct error *err)
{
	CLEANUP(mem_free_ptr) char *host = admit_advertised(text);
	CLEANUP(mem_free_ptr) char *ws = NULL;
	CLEANUP(mem_free_ptr) char *ota = NULL;

	if (!text || host)
		return 0;
	return ota_advertise(text, PLAIN_PORT, "/", &ws, &ota, err);
}

int mqtt_relay_open(struct proxy *p, struct error *err)
{
	static char usual[] = "1883";
	char *word[] = { usual, NULL };
	const struct words none = { .word = word, .count = 1 };
	const struct words *listen = p->options.listen;
	struct mqtt_place *at;
	struct where to = { 0 };

	if (read_upstream(&to, p->options.upstream, err) ||
	    check_advertise(p->options.admit.advertise, err))
		return -1;
	if (!listen || !listen->count)
		listen = &none;
	for (size_t i = 0; i < listen->count; i++) {
		CLEANUP(mem_free_ptr) char *host = NULL;
		uint16_t port;

		if (endpoint_parse_listen(listen->word[i], &host, &port, err))
			return error_prefix(err, "--listen");
		if (place_open(p, &to, host, port, &at, err))
			return -1;
	}
	return 0;
}

/*
 * Where --advertise names no port it is ours: that of a URL is another door's.
 * NULL: none, or of IPv6, which boards do not understand.
 */
static char *advertised(const char *text, uint16_t port)
{
	CLEANUP(mem_free_ptr) char *host = admit_advertised(text);
	struct buf out = { 0 };
	struct authority a;

	if (!host || strchr(host, ':'))
		return NULL;
	if (!strstr(text, "://") &&
	    !authority_parse(&a, text, strlen(text), NULL) && a.has_port)
		port = a.port;
	authority_print(&out, host, port);
	return buf_take(&out);
}

void mqtt_relay_addresses(const struct proxy *p, struct words *out)
{
	for (const struct mqtt_place *at = p->mqtt ? p->mqtt->places : NULL; at;
	     at = at->next) {
		CLEANUP(mem_free_ptr)
		char *told =
			advertised(p->options.admit.advertise, at->gate.port);

		if (!told)
			open_addresses(out, at->listens, at->gate.port);
		else if (!words_has(out, told))
			words_add(out, told);
	}
}
