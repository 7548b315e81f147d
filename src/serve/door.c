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
#include "serve/door_private.h"

#define DEFAULT_PORT 8000
/* All boards together may send so many of the largest pictures. */
#define PICTURES_A_MINUTE 32
/* Of a body, from whom we do not know: twice what a question may have. */
#define STRANGER_BODY_MAX (128ul * 1024)
/* HTTP connections of one port; those beyond wait, when a rack of boards asks at once. */
#define CONNECTIONS_MAX 512
/* Sockets, beside those, whose heads are awaited though all devices are there. */
#define HEADS_SPARE 256
/* Below the 30 s that firmware waits for an answer (device.md 6). */
#define EXEC_LIMIT_MS 25000

/* ---- records and answers ---- */

struct record *door_record(struct door *d, const struct who *who,
			   enum record_kind kind, enum record_level level,
			   const char *text)
{
	struct serve *s = d->server;
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

static struct visit visit_of(struct gate *g, const struct front_head *head)
{
	struct visit v = { .door = g->door, .gate = g, .head = head };

	v.who.device_id = sane_header(head, "Device-Id");
	v.who.client_id = sane_header(head, "Client-Id");
	v.who.address = head->address;
	return v;
}

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	struct visit v = visit_of(owner, head);

	v.rq = rq;
	v.body = body;
	v.len = len;
	if (knock_path_fits(VISION_PATH, head->path)) {
		door_vision(&v);
		return;
	}
	if (knock_path_fits(UPLOAD_PATH, head->path) ||
	    text_starts(head->path, UPLOAD_PATH "/")) {
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

	if (!text || !address)
		return;
	r = door_record(g->door, &who, RECORD_NOISE, LEVEL_WARN, text);
	if (what != FRONT_BODY_TOO_LARGE)
		return;
	limit = mem_printf("its body was above %lld bytes; --picture-max "
			   "allows more",
			   (long long)g->door->server->config.picture_max);
	record_hint(r, limit);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	struct gate *g = owner;
	struct who who = { .address = r->address };
	struct record *record =
		door_record(g->door, &who, RECORD_REFUSED, LEVEL_WARN, r->text);

	record_hint(record, r->hint);
	if (record)
		record->count = r->count;
}

static enum front_standing standing(void *owner, const struct front_head *head)
{
	struct gate *g = owner;
	const struct visit v = visit_of(g, head);
	const struct serve *s = g->door->server;
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(head, "Client-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);

	if (pass_of_known(&v) ||
	    (s->tokens.count &&
	     tokens_judge(&s->tokens, id, client, token) == TOKEN_FITS))
		return FRONT_SHOWN;
	return enrolled_or_listed(&s->enrolled, &s->aliases, id, client) ?
		       FRONT_NAMED :
		       FRONT_STRANGER;
}

/* What is no picture is a question; and a picture is taken from whom we know. */
static size_t body_max(void *owner, const struct front_head *head)
{
	const struct visit v = visit_of(owner, head);

	return pass_is_shown(&v) ? SIZE_MAX : STRANGER_BODY_MAX;
}

size_t door_places(const struct serve *s)
{
	size_t max =
		(size_t)s->config.devices_max + HEADS_SPARE + CONNECTIONS_MAX;

	return s->room && s->room < max ? s->room : max;
}

/* What the other ports have, and the devices. */
static size_t sockets_elsewhere(const struct gate *g)
{
	const struct door *d = g->door;
	size_t count = d->server->sockets;

	for (size_t i = 0; i < d->gates; i++) {
		if (&d->gate[i] != g)
			count += d->front_table->sockets(d->gate[i].front);
	}
	return count;
}

/* Each may become a device, and has its descriptor (serve_files.c). */
static size_t sockets_max(void *owner)
{
	const struct gate *g = owner;
	const struct serve *s = g->door->server;
	int64_t left = s->config.devices_max - (int64_t)s->registry.count;
	size_t max = HEADS_SPARE + CONNECTIONS_MAX;
	size_t elsewhere = sockets_elsewhere(g);
	size_t room = s->room > elsewhere ? s->room - elsewhere : 0;

	if (left > 0)
		max += (size_t)left;
	return s->room && room < max ? room : max;
}

static const struct front_events front_events = {
	.http = on_http,
	.upgrade = door_upgrade,
	.noise = on_noise,
	.refused = on_refused,
	.standing = standing,
	.body_max = body_max,
	.sockets_max = sockets_max,
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
	passes_done(&d->passes);
	if (d->holds_ws)
		d->ws_table->let_go(d->server->loop);
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
				       .admit = { c->allow_hosts,
						  c->allow_origins, c->proxies,
						  c->advertise },
				       .body_max = (size_t)c->picture_max,
				       .head_timeout = c->handshake,
				       .connections_max = CONNECTIONS_MAX,
				       .budget = d->server->budget,
				       .counts_questions = true };

	if (where && endpoint_parse_listen(where, &host, &config.port, err))
		return error_prefix(err, "--listen");
	config.host = host;
	g->door = d;
	g->front = d->front_table->open(d->server->loop, &config, &front_events,
					g, err);
	if (!g->front) {
		if (!where && err->kind == ERR_CONNECT)
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

static int hold_ws(struct door *d, struct error *err)
{
	if (d->ws_table->hold(d->server->loop, err))
		return -1;
	d->holds_ws = true;
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
	CLEANUP(mem_free_ptr)
	char *url = door_device_url(d, "127.0.0.1:65535", 1);
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

int door_open(struct door **out, struct serve *s, struct error *err)
{
	struct door *d = mem_zalloc(sizeof(*d));
	const char *folder = s->config.save_images;

	d->server = s;
	d->exec_limit = EXEC_LIMIT_MS;
	d->space = disk_space;
	budget_set(s->budget, BUDGET_WRITTEN,
		   PICTURES_A_MINUTE * (uint64_t)s->config.picture_max);
	if (port_parts_load(&d->front_table, &d->ws_table, err) ||
	    take_advertise(d, DEFAULT_PORT, err) || check_reply(d, err) ||
	    (folder && upload_folder(folder, err)) || hold_ws(d, err) ||
	    open_gates(d, err)) {
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
