/* SPDX-License-Identifier: MIT */
/*
 * The listening ports of serve: opened, described, closed; and which of the
 * other files a request is for.
 */
#include "serve/door.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/knock.h"
#include "net/listen.h"
#include "serve/device.h"
#include "serve/door_private.h"
#include "serve/rack.h"

#define DEFAULT_PORT 8000
/* HTTP connections of one port; those beyond wait, when a rack of boards asks at once. */
#define CONNECTIONS_MAX 512
/* Sockets whose heads are awaited though all the devices are there. */
#define HEADS_SPARE 256
/* Below the 30 s that firmware waits for an answer (device.md 6). */
#define EXEC_LIMIT_MS 25000

/* ---- records and answers ---- */

struct record *door_record(struct door *d, const struct who *who,
			   enum record_kind kind, enum record_level level,
			   const char *text)
{
	struct server *s = d->server;
	struct record *r = records_add(&s->records, kind, level, who->device_id,
				       who->address, "%s", text);

	if (r)
		r->alias = mem_strdup(aliases_name(&s->aliases, who->device_id,
						   who->client_id));
	return r;
}

void record_hint(struct record *r, const char *hint)
{
	if (r && !r->hint)
		r->hint = mem_strdup(hint);
}

void record_detail(struct record *r, struct buf *detail)
{
	if (r && !r->detail)
		r->detail = buf_take(detail);
	buf_done(detail);
}

void door_member(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(out, "%s\"%s\":", out->len ? "," : "", name);
	buf_json_string(out, value, strlen(value));
}

void visit_answer(const struct visit *v, int status, const char *type,
		  const struct buf *body)
{
	v->door->front_table->reply(v->rq, status, type, buf_string(body),
				    body->len);
}

void visit_refuse(const struct visit *v, int status, const char *text)
{
	struct buf body = { 0 };

	knock_error(&body, text);
	visit_answer(v, status, "application/json", &body);
	buf_done(&body);
}

/* ---- what came ---- */

/* Empty is no body to firmware: it would wait for the end (device.md 5.4, 7). */
static void activate(const struct visit *v)
{
	struct buf done = { 0 };

	buf_text(&done, "{}");
	visit_answer(v, 200, "application/json", &done);
	buf_done(&done);
	door_record(v->door, &v->who, RECORD_ACTIVATE, LEVEL_INFO,
		    "asked for activation: it needs none here");
}

static void nothing_here(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%.16s '%.120s': there is nothing",
				v->head->method, v->head->path);
	bool device = v->who.device_id != NULL;
	struct record *r;

	visit_refuse(v, 404, "nothing at this path; the OTA path is " OTA_PATH);
	r = door_record(v->door, &v->who, RECORD_REFUSED,
			device ? LEVEL_WARN : LEVEL_INFO, text);
	record_hint(r, "the OTA path is " OTA_PATH);
}

/* NULL too if it is empty, or too long to be a name. */
static const char *sane_header(const struct front_head *head, const char *name)
{
	const char *value = headers_get(head->headers, name);

	return value && *value && strlen(value) <= ID_MAX ? value : NULL;
}

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	struct gate *g = owner;
	struct visit v = { g->door, g, rq, head, body, len, { 0 } };

	v.who.device_id = sane_header(head, "Device-Id");
	v.who.client_id = sane_header(head, "Client-Id");
	v.who.address = head->address;
	if (knock_path_fits(VISION_PATH, head->path)) {
		door_vision(&v);
		return;
	}
	if (knock_path_fits(UPLOAD_PATH, head->path)) {
		door_upload(&v);
		return;
	}
	switch (knock_wish(head)) {
	case KNOCK_METHOD:
		visit_refuse(&v, 405, "only GET and POST are answered");
		break;
	case KNOCK_OTA:
		door_ota(&v);
		break;
	case KNOCK_ACTIVATE:
		activate(&v);
		break;
	case KNOCK_PAGE:
		door_page(&v);
		break;
	case KNOCK_ICON:
		visit_refuse(&v, 404, "there is no icon");
		break;
	case KNOCK_OTHER:
		nothing_here(&v);
		break;
	}
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	struct gate *g = owner;
	struct who who = { .address = address };
	const char *text = knock_noise(what);
	CLEANUP(mem_free_ptr) char *limit = NULL;
	struct record *r;

	if (!text)
		return;
	r = door_record(g->door, &who, RECORD_NOISE, LEVEL_WARN, text);
	if (what != FRONT_BODY_TOO_LARGE)
		return;
	limit = mem_printf("its body was above %lld bytes; --picture-max "
			   "allows more",
			   (long long)g->door->server->config.picture_max);
	record_hint(r, limit);
}

/* Each may become a device, and has its descriptor (server.c). */
static size_t heads_max(void *owner)
{
	const struct gate *g = owner;
	const struct server *s = g->door->server;
	int64_t left = s->config.devices_max - (int64_t)s->registry.count;

	return HEADS_SPARE + (left > 0 ? (size_t)left : 0);
}

static const struct front_events front_events = {
	.http = on_http,
	.upgrade = door_upgrade,
	.noise = on_noise,
	.heads_max = heads_max,
};

/* ---- the end ---- */

static void door_free(struct door *d)
{
	for (size_t i = 0; i < d->gates; i++)
		mem_free(d->gate[i].host);
	mem_free(d->gate);
	mem_free(d->advertised_ws);
	mem_free(d->advertised_ota);
	memory_done(&d->memory);
	mem_free(d);
}

static void on_front_closed(void *owner)
{
	struct gate *g = owner;
	struct door *d = g->door;
	void (*closed)(void *owner) = d->closed;

	owner = d->owner;
	if (--d->open > 0)
		return;
	door_free(d);
	if (closed)
		closed(owner);
}

void door_close(struct door *d, void (*closed)(void *owner), void *owner)
{
	if (!d || d->closing)
		return;
	d->closing = true;
	d->closed = closed;
	d->owner = owner;
	/* First: an answer after the front was closed would have no request. */
	door_vision_abandon(d);
	for (size_t i = 0; i < d->gates; i++)
		d->front_table->close(d->gate[i].front, on_front_closed);
}

/* ---- opening ---- */

static int open_gate(struct door *d, const char *where, struct error *err)
{
	const struct serve_config *c = &d->server->config;
	struct gate *g = &d->gate[d->gates];
	CLEANUP(mem_free_ptr) char *host = NULL;
	struct front_config config = { .port = DEFAULT_PORT,
				       .body_max = (size_t)c->picture_max,
				       .head_timeout = c->handshake,
				       .connections_max = CONNECTIONS_MAX };

	if (where && endpoint_parse_listen(where, &host, &config.port, err))
		return error_prefix(err, "--listen");
	config.host = host;
	g->door = d;
	g->front = d->front_table->open(d->server->loop, &config, &front_events,
					g, err);
	if (!g->front) {
		if (!where)
			error_hint(err, "end that program, or take another "
					"port: --listen 8001");
		return -1;
	}
	g->host = TAKE(host);
	g->port = d->front_table->port(g->front);
	d->gates++;
	d->open++;
	return 0;
}

static int open_gates(struct door *d, struct error *err)
{
	const struct words *listen = d->server->config.listen;
	size_t count = listen ? listen->count : 0;

	/* Never moved: each front knows its gate. */
	d->gate = mem_zalloc((count ? count : 1) * sizeof(*d->gate));
	if (count == 0)
		return open_gate(d, NULL, err);
	for (size_t i = 0; i < count; i++) {
		if (open_gate(d, listen->word[i], err))
			return -1;
	}
	return 0;
}

static int take_advertise(struct door *d, uint16_t port, struct error *err)
{
	const struct serve_config *c = &d->server->config;
	const char *path = c->path ? c->path : DEVICE_PATH;

	mem_free(TAKE(d->advertised_ws));
	mem_free(TAKE(d->advertised_ota));
	if (!c->advertise)
		return 0;
	d->behind_proxy = strstr(c->advertise, "://") != NULL;
	return ota_advertise(c->advertise, port, path, &d->advertised_ws,
			     &d->advertised_ota, err);
}

/* What would make every OTA reply fail is said at once. */
static int check_reply(struct door *d, struct error *err)
{
	CLEANUP(mem_free_ptr) char *url = door_device_url(d, "127.0.0.1:65535");
	const struct tokens *tokens = &d->server->tokens;
	struct buf reply = { 0 };
	int result = ota_reply_encode(&reply, NULL, url, NULL, NULL, err);

	for (size_t i = 0; i < tokens->count && !result; i++) {
		buf_reset(&reply);
		result = ota_reply_encode(&reply, NULL, url,
					  tokens->item[i].token, NULL, err);
	}
	buf_done(&reply);
	return result;
}

int door_open(struct door **out, struct server *s, struct error *err)
{
	struct door *d = mem_zalloc(sizeof(*d));
	const char *folder = s->config.save_images;

	d->server = s;
	d->exec_limit = EXEC_LIMIT_MS;
	if (port_parts_load(&d->front_table, &d->ws_table, err) ||
	    take_advertise(d, DEFAULT_PORT, err) || check_reply(d, err) ||
	    (folder && upload_folder(folder, err)) || open_gates(d, err)) {
		if (d->gates)
			door_close(d, NULL, NULL);
		else
			door_free(d);
		return -1;
	}
	/* Now that the port is known; what was right stays right. */
	take_advertise(d, d->gate[0].port, err);
	*out = d;
	return 0;
}

/* ---- addresses ---- */

uint16_t door_port(const struct door *d)
{
	return d->gates ? d->gate[0].port : 0;
}

static void list_addresses(const struct door *d, struct words *out)
{
	if (d->advertised_ota)
		words_add(out, d->advertised_ota);
	for (size_t i = 0; i < d->gates && !d->advertised_ota; i++)
		ota_addresses(out, d->gate[i].host, d->gate[i].port);
}

void door_addresses(const struct door *d, struct buf *out)
{
	struct words found = { 0 };

	list_addresses(d, &found);
	buf_char(out, '[');
	for (size_t i = 0; i < found.count; i++) {
		if (i)
			buf_char(out, ',');
		buf_json_string(out, found.word[i], strlen(found.word[i]));
	}
	buf_char(out, ']');
	words_done(&found);
}

static void describe_ports(const struct door *d, struct buf *out)
{
	buf_printf(out, "listening on port%s", d->gates > 1 ? "s" : "");
	for (size_t i = 0; i < d->gates; i++) {
		buf_text(out, i ? ", " : " ");
		if (d->gate[i].host)
			authority_print(out, d->gate[i].host, d->gate[i].port);
		else
			buf_printf(out, "%u", (unsigned)d->gate[i].port);
	}
	buf_text(out, "\nOTA address to set on the board:\n");
}

static void describe_addresses(const struct door *d, struct buf *out)
{
	struct words found = { 0 };

	list_addresses(d, &found);
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "  %s\n", found.word[i]);
	if (!d->advertised_ota && d->gate[0].host &&
	    text_starts(found.word[0], "http://127."))
		buf_text(out, "  (only this machine reaches that one: for "
			      "boards, leave the host of --listen out)\n");
	if (d->behind_proxy) {
		words_done(&found);
		found = (struct words){ 0 };
		ota_addresses(&found, d->gate[0].host, d->gate[0].port);
		buf_printf(out, "  (passed on to %s)\n", found.word[0]);
	}
	words_done(&found);
}

static void describe_broker(const struct door *d, struct buf *out)
{
	if (!d->server->rack)
		return;
	buf_text(out, "MQTT:\n  ");
	rack_describe(d->server->rack, out);
	buf_char(out, '\n');
}

void door_describe(struct door *d)
{
	struct buf text = { 0 }, detail = { 0 };
	const struct who nobody = { 0 };
	struct record *r;

	describe_ports(d, &text);
	describe_addresses(d, &text);
	describe_broker(d, &text);
	buf_text(&text, "open the same address in a browser: it shows who is "
			"connected;\nno page means a firewall");
	r = door_record(d, &nobody, RECORD_LISTENING, LEVEL_GOOD,
			buf_string(&text));
	record_hint(r, "'mcpctl help board' tells how to set it on the board; "
		       "then reboot the board");
	buf_printf(&detail, "\"port\":%u,\"ota\":", (unsigned)door_port(d));
	door_addresses(d, &detail);
	record_detail(r, &detail);
	buf_done(&text);
}

char *door_device_url(const struct door *d, const char *host)
{
	const char *path = d->server->config.path;

	if (d->advertised_ws)
		return mem_strdup(d->advertised_ws);
	return mem_printf("ws://%s%s", host, path ? path : DEVICE_PATH);
}

/* Where the device is known under one of its names. */
static const struct told *recall(const struct door *d,
				 const struct device *device)
{
	const struct told *t = memory_find(&d->memory, device->device_id);

	return t ? t : memory_find_given(&d->memory, device->client_id);
}

/* Too many ways to name us are known already: the first address will do. */
static char *any_vision_url(const struct door *d)
{
	struct words found = { 0 };
	char *url = NULL;

	list_addresses(d, &found);
	if (found.count)
		url = mem_printf(
			"%.*s" VISION_PATH,
			(int)(strlen(found.word[0]) - strlen(OTA_PATH)),
			found.word[0]);
	words_done(&found);
	return url;
}

/*
 * A board that was at the broker before serve was started: it did not ask OTA,
 * and never reached this port. By the way that we would reach it.
 */
static char *vision_url_towards(const struct door *d,
				const struct device *device)
{
	CLEANUP(buf_done) struct buf at = { 0 };
	char own[64];

	if (!local_address_towards(device->address, own, sizeof(own)))
		return any_vision_url(d);
	for (size_t i = 0; i < d->gates; i++) {
		const struct gate *g = &d->gate[i];

		if (g->host && strcmp(g->host, own) != 0 &&
		    strcmp(g->host, "0.0.0.0") != 0 &&
		    strcmp(g->host, "::") != 0)
			continue;
		authority_print(&at, own, g->port);
		return mem_printf("http://%s" VISION_PATH, buf_string(&at));
	}
	return any_vision_url(d);
}

char *door_vision_url(const struct door *d, const struct device *device)
{
	const char *ota = d->advertised_ota, *host = device->reached;
	const struct told *t = recall(d, device);

	if (ota)
		return mem_printf("%.*s" VISION_PATH,
				  (int)(strlen(ota) - strlen(OTA_PATH)), ota);
	if (!host && t)
		host = t->host;
	if (host)
		return mem_printf("http://%s" VISION_PATH, host);
	return device->mqtt && device->address ? vision_url_towards(d, device) :
						 any_vision_url(d);
}

const struct ota_request *door_asked(const struct door *d,
				     const char *device_id)
{
	const struct told *t = memory_find(&d->memory, device_id);

	return t ? &t->asked : NULL;
}

const struct ota_request *door_asked_client(const struct door *d,
					    const char *client_id)
{
	const struct told *t = memory_find_given(&d->memory, client_id);

	return t ? &t->asked : NULL;
}
