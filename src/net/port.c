/* SPDX-License-Identifier: MIT */
/*
 * A port that boards knock at: what came, what is answered, and who is let in.
 * Who has a place, and what is shown of all that, is the owner's matter.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/port.h"

#define QUESTION_MAX 65536
#define JSON_TYPE "application/json"

/* ---- what is told, and what is answered ---- */

static void tell(const struct visit *v, enum port_event event, const char *text,
		 const char *hint)
{
	const struct port_news n = {
		.event = event, .who = v->who, .text = text, .hint = hint
	};

	v->port->policy->heard(v->owner, &n);
}

static void visit_answer(const struct visit *v, int status, const char *type,
			 const struct buf *body)
{
	v->port->front->reply(v->rq, status, type, buf_string(body), body->len);
}

void visit_refuse(const struct visit *v, int status, const char *text)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	knock_error(&body, text);
	visit_answer(v, status, JSON_TYPE, &body);
}

static void keep(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text ? text : "");
}

/* Something came: count it, note whether from another machine. */
static void came(struct port *p, const char *address, const char *local)
{
	size_t len = address_host_length(address);

	p->facts.connections++;
	if (strncmp(address, "127.", 4) == 0 ||
	    strncmp(address, "[::1]", 5) == 0)
		return;
	if (local && len == address_host_length(local) &&
	    strncmp(address, local, len) == 0)
		return;
	p->facts.lan = true;
}

/* ---- the OTA question of a board ---- */

static uint16_t port_of(const char *host)
{
	struct authority a;

	if (authority_parse(&a, host, strlen(host), NULL) || !a.has_port)
		return 80;
	return a.port;
}

/*
 * The WebSocket URL for a device that named us so at this port (0: ours); yours.
 * Firmware leaves the port out when it dials (device.md 1.2): where it is not
 * ours, since it is forwarded, it stands in the query too (tells_port).
 */
static char *port_device_url(const struct port *p, const char *host,
			     uint16_t number)
{
	const char *path = p->config.path;
	struct buf url = { 0 };

	if (p->advertised_ws)
		return mem_strdup(p->advertised_ws);
	buf_printf(&url, "ws://%s%s", host, path ? path : DEVICE_PATH);
	if (p->config.tells_port && number && port_of(host) != number)
		buf_printf(&url, "?" REACHED_PORT "=%u",
			   (unsigned)port_of(host));
	return buf_take(&url);
}

static struct ota_clock now(void)
{
	struct ota_clock clock = { .now_ms = unix_now_ms() };
	time_t seconds = (time_t)(clock.now_ms / 1000);
	struct tm local;

	if (localtime_r(&seconds, &local))
		clock.offset = (int)(local.tm_gmtoff / 60);
	return clock;
}

static void note_board(struct port_facts *f, const struct visit *v,
		       const struct ota_request *rq)
{
	struct ota_board board;

	ota_board(&board, rq);
	f->ota++;
	keep(f->ota_id, sizeof(f->ota_id), rq->device_id);
	keep(f->ota_board, sizeof(f->ota_board), board.name);
	keep(f->ota_version, sizeof(f->ota_version), board.version);
	keep(f->ota_address, sizeof(f->ota_address), v->head->address);
}

static void too_large(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"asked OTA with a body of %zu bytes: refused, above %d", v->len,
		QUESTION_MAX);

	visit_refuse(v, 413, "the body is too large for an OTA question");
	tell(v, PORT_TOO_LARGE, text, NULL);
}

/* Remembered, and told. mqtt: NULL where it is sent to us. */
static void answered(const struct visit *v, const struct ota_request *rq,
		     const struct ota_mqtt *mqtt, const char *to)
{
	const char *id = mqtt && mqtt->client_id ? mqtt->client_id : "";
	const struct told_it it = { mqtt ? id : NULL, to };
	CLEANUP(mem_free_ptr)
	char *before = memory_tell(&v->port->memory, rq, v->head->address, &it);
	CLEANUP(mem_free_ptr) char *text = NULL;

	v->port->policy->asked(v, rq, to, mqtt != NULL);
	if (!before)
		return;
	text = mem_printf("it is sent to %s now, and was sent to %s before", to,
			  before);
	tell(v, PORT_TOLD, text, NULL);
}

static int send_it(const struct visit *v, const struct ota_request *rq,
		   const struct ota_mqtt *mqtt, struct buf *reply,
		   struct error *err)
{
	struct port *p = v->port;
	const struct ota_clock clock = now();
	struct ota_firmware firmware;
	const struct ota_besides besides = {
		.clock = p->config.tells_time ? &clock : NULL,
		.firmware = p->policy->firmware && p->policy->firmware(
							   v, rq, &firmware) ?
				    &firmware :
				    NULL
	};
	const char *token = mqtt ? NULL : p->policy->token_for(v->owner, rq);
	CLEANUP(mem_free_ptr) char *to = NULL;

	if (mqtt)
		to = mem_printf("mqtt://%s as %s", mqtt->endpoint,
				mqtt->client_id ? mqtt->client_id : "");
	else
		to = port_device_url(p, knock_host(v->head), v->place->number);
	if (ota_reply_encode(reply, mqtt, to, token, &besides, err))
		return -1;
	answered(v, rq, mqtt, to);
	return 0;
}

/*
 * Every board is answered, also one that sends no Device-Id or no JSON: it
 * would go on with whatever it has stored (device.md 5.4 item 2).
 */
static void answer_ota(const struct visit *v)
{
	struct port *p = v->port;
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf reply = { 0 };
	enum port_offer offer = PORT_OFFER_HERE;
	struct ota_mqtt mqtt = { 0 };
	struct ota_request rq;

	if (v->len > QUESTION_MAX) {
		too_large(v);
		return;
	}
	ota_read(&rq, v->head, v->body, v->len, &err);
	error_reset(&err);
	note_board(&p->facts, v, &rq);
	if (p->policy->offer)
		offer = p->policy->offer(v, &rq, &mqtt);
	if (offer == PORT_OFFER_NONE)
		return;
	if (send_it(v, &rq, offer == PORT_OFFER_BROKER ? &mqtt : NULL, &reply,
		    &err)) {
		visit_refuse(v, 500, err.text);
		tell(v, PORT_FAILED, err.text, err.hint);
	} else {
		visit_answer(v, 200, JSON_TYPE, &reply);
	}
}

/* ---- what else comes over HTTP ---- */

/* Empty is no body to firmware: it would wait for the end (device.md 5.4 item 7). */
static void activate(const struct visit *v)
{
	CLEANUP(buf_done) struct buf done = { 0 };

	buf_text(&done, "{}");
	visit_answer(v, 200, JSON_TYPE, &done);
	tell(v, PORT_ACTIVATE, "asked for activation: it needs none here",
	     NULL);
}

void visit_by_browser(const struct visit *v)
{
	v->port->facts.browser++;
	tell(v, PORT_BROWSER, "the page was opened: network and port are fine",
	     NULL);
}

static void show_page(const struct visit *v)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	page_start(&page);
	v->port->policy->page(v, &page);
	page_end(&page);
	visit_answer(v, 200, "text/html; charset=utf-8", &page);
	visit_by_browser(v);
}

static void note_path(struct port_facts *f, const char *path)
{
	f->wrong_path++;
	keep(f->wrong_path_text, sizeof(f->wrong_path_text), path);
}

static void nothing_here(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%.16s '%.120s': there is nothing",
				v->head->method, v->head->path);

	visit_refuse(v, 404, "nothing at this path; the OTA path is " OTA_PATH);
	if (v->who.device_id)
		note_path(&v->port->facts, v->head->path);
	else
		v->port->facts.browser++;
	tell(v, PORT_NOTHING, text, "the OTA path is " OTA_PATH);
}

/* No browser and no board sends these with anything else. */
static bool lost_upgrade(const struct front_head *head)
{
	return strcmp(head->method, "GET") == 0 &&
	       headers_get(head->headers, "Sec-WebSocket-Key");
}

static void refuse_lost_upgrade(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"a WebSocket request for '%.120s' came without 'Upgrade'",
		v->head->path);

	v->port->facts.no_upgrade++;
	visit_refuse(
		v, 426,
		"this WebSocket request has no 'Upgrade': a proxy took it away");
	tell(v, PORT_NOTHING, text,
	     "a proxy in front took it away, and must pass it on (nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection upgrade)");
}

/* NULL too if it is empty, or too long to be a name. */
static const char *sane_header(const struct front_head *head, const char *name)
{
	const char *value = headers_get(head->headers, name);

	return value && *value && strlen(value) <= ID_MAX ? value : NULL;
}

static struct visit visit_of(void *place, const struct front_head *head)
{
	const struct port_place *at = place;

	return (struct visit){ .port = at->port,
			       .owner = at->port->owner,
			       .place = at,
			       .head = head,
			       .who = { sane_header(head, "Device-Id"),
					sane_header(head, "Client-Id"),
					head->address } };
}

static void on_http(void *place, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	struct visit v = visit_of(place, head);

	v.rq = rq;
	v.body = body;
	v.len = len;
	came(v.port, head->address, head->local);
	if (lost_upgrade(head)) {
		refuse_lost_upgrade(&v);
		return;
	}
	if (v.port->policy->http && v.port->policy->http(&v))
		return;
	switch (knock_wish(head)) {
	case KNOCK_METHOD:
		visit_refuse(&v, 405, "only GET and POST are answered");
		break;
	case KNOCK_OTA:
		answer_ota(&v);
		break;
	case KNOCK_ACTIVATE:
		activate(&v);
		break;
	case KNOCK_PAGE:
		show_page(&v);
		break;
	case KNOCK_ICON:
		visit_refuse(&v, 404, "there is no icon");
		break;
	case KNOCK_OTHER:
		nothing_here(&v);
		break;
	}
}

/* ---- a WebSocket ---- */

static int refuse_name(struct visit *v, const char **reason)
{
	v->who.device_id = v->who.client_id = NULL;
	tell(v, PORT_NAME, "its Device-Id or Client-Id has more than 127 bytes",
	     NULL);
	*reason = "Device-Id and Client-Id have 127 characters at most";
	return 403;
}

static int refuse_path(const struct visit *v, const char **reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("it dialled '%.120s', not '%.120s'",
				v->head->path, v->port->config.path);

	note_path(&v->port->facts, v->head->path);
	tell(v, PORT_PATH, text, NULL);
	*reason = "no WebSocket at this path";
	return 404;
}

static int refuse_token(const struct visit *v, enum token_verdict verdict,
			const char **reason)
{
	static const char *const texts[] = {
		[TOKEN_MISSING] = "it gave no token",
		[TOKEN_WRONG] = "its token is wrong",
		[TOKEN_OF_ANOTHER] =
			"its token is another board's, and this Device-Id has not got it",
	};
	struct port_news n = { .event = PORT_TOKEN,
			       .who = v->who,
			       .text = texts[verdict],
			       .verdict = verdict };

	if (verdict == TOKEN_OF_ANOTHER && !v->who.device_id)
		n.text = "its token is of another name";

	v->port->facts.wrong_token++;
	v->port->policy->heard(v->owner, &n);
	/* What it guessed right is not told to it. */
	*reason = verdict == TOKEN_MISSING ? "a token is needed" :
					     "the token is wrong";
	return 401;
}

static bool at_point(const struct visit *v)
{
	const char *point = v->port->config.point;

	return point && knock_path_fits(point, v->head->path);
}

/* It says nothing that boards say: it may be a tool side. */
static bool is_unsure(const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *id = knock_value(v->head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(v->head, "Client-Id");

	return !id && !client && !knock_protocol_version(v->head);
}

/* Takes the descriptor, in any case but a status. */
static int let_in(const struct visit *v, int fd, const char **reason)
{
	struct port *p = v->port;
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *path = knock_safe_path(v->head);
	const struct told *told =
		memory_find(&p->memory, v->who.device_id, v->head->address);
	const bool unsure = is_unsure(v);
	const struct peer_info peer = { .address = v->head->address,
					.headers = v->head->headers,
					.path = path,
					.device_id = v->who.device_id,
					.client_id = v->who.client_id,
					.ota = told ? &told->asked : NULL,
					.ota_answer =
						told ? told->sent_to : NULL,
					.protocol_version =
						knock_protocol_version(v->head),
					.envelope = !unsure,
					.unsure = unsure,
					.at_point = unsure && at_point(v) };
	struct transport *t = p->policy->place(v, &peer, reason);

	if (!t)
		return 503;
	if (p->ws->adopt(t, fd, &peer, p->config.message_max, &err)) {
		p->policy->unplace(v->owner, t);
		tell(v, PORT_FAILED, err.text, NULL);
		return 0;
	}
	t->ops = &p->ws->dial;
	p->facts.upgraded++;
	return 0;
}

static bool too_long(const char *id)
{
	return id && strlen(id) > ID_MAX;
}

static int on_upgrade(void *place, int fd, const struct front_head *head,
		      const char **reason)
{
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(head, "Client-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);
	struct visit v = visit_of(place, head);
	const struct port *p = v.port;
	enum token_verdict verdict;

	/* Of a tool side, which is called so in its URL. */
	if (is_unsure(&v))
		client = head_query_value(head->query, "agent");
	v.who.device_id = id;
	v.who.client_id = client;
	came(v.port, head->address, head->local);
	if (too_long(id) || too_long(client))
		return refuse_name(&v, reason);
	if (p->config.path && !knock_path_fits(p->config.path, head->path) &&
	    !at_point(&v))
		return refuse_path(&v, reason);
	verdict = p->policy->token(v.owner, &v.who, token);
	if (verdict != TOKEN_FITS)
		return refuse_token(&v, verdict, reason);
	return let_in(&v, fd, reason);
}

/* ---- what is no request, and who may hold how much ---- */

static void on_noise(void *place, enum front_noise what, const char *address)
{
	const struct port_place *at = place;
	struct port *p = at->port;
	const struct port_news n = { .event = PORT_NOISE,
				     .who = { .address = address },
				     .text = knock_noise(what),
				     .noise = what };

	if (address)
		came(p, address, NULL);
	else
		p->facts.connections++;
	p->facts.tls += what == FRONT_TLS;
	p->facts.no_upgrade += what == FRONT_HALF_UPGRADE;
	if (n.text && address)
		p->policy->heard(p->owner, &n);
}

static void on_refused(void *place, const struct front_refusal *r)
{
	const struct port_place *at = place;
	struct port *p = at->port;
	struct port_facts *f = &p->facts;
	const struct port_news n = { .event = PORT_REFUSED,
				     .who = { .address = r->address },
				     .text = r->text,
				     .hint = r->hint,
				     .count = r->count };

	p->policy->heard(p->owner, &n);
	if (!r->address)
		return;
	came(p, r->address, NULL);
	f->foreign++;
	keep(f->foreign_text, sizeof(f->foreign_text), r->text);
	keep(f->foreign_hint, sizeof(f->foreign_hint), r->hint);
}

static enum front_standing standing(void *place, const struct front_head *head)
{
	const struct visit v = visit_of(place, head);

	return v.port->policy->standing(&v);
}

static size_t body_max(void *place, const struct front_head *head)
{
	const struct visit v = visit_of(place, head);

	return v.port->policy->body_max(&v);
}

static size_t sockets_max(void *place)
{
	const struct port_place *at = place;

	return at->port->policy->sockets_max(at->port->owner, at);
}

/* ---- the end ---- */

static void port_free(struct port *p)
{
	for (size_t i = 0; i < p->places; i++)
		mem_free(p->place[i].host);
	mem_free(p->advertised_ws);
	mem_free(p->advertised_ota);
	mem_free(p->ota_url);
	memory_done(&p->memory);
	/* Made once that is held. */
	if (p->place)
		p->ws->let_go(p->loop);
	mem_free(p->place);
	mem_free(p);
}

static void on_front_closed(void *place)
{
	const struct port_place *at = place;
	struct port *p = at->port;
	void (*closed)(void *owner) = p->closed;
	void *owner = p->closed_owner;

	if (--p->open > 0)
		return;
	port_free(p);
	if (closed)
		closed(owner);
}

void port_hush(struct port *p)
{
	for (size_t i = 0; i < p->places; i++)
		p->front->hush(p->place[i].front);
}

void port_close(struct port *p, void (*closed)(void *owner), void *owner)
{
	p->closed = closed;
	p->closed_owner = owner;
	for (size_t i = 0; i < p->places; i++)
		p->front->close(p->place[i].front, on_front_closed);
}

/* ---- opening ---- */

static int open_place(struct port *p, const char *where, struct error *err)
{
	const struct port_config *c = &p->config;
	const struct port_policy *policy = p->policy;
	struct port_place *at = &p->place[p->places];
	CLEANUP(mem_free_ptr) char *host = where ? NULL : mem_strdup(c->host);
	struct front_config config = { .port = c->number,
				       .socket = c->socket,
				       .admit = c->admit,
				       .body_max = c->body_max,
				       .head_timeout = c->head_timeout,
				       .connections_max = c->connections_max,
				       .budget = c->budget,
				       .counts_questions = true };
	const struct front_events events = {
		.http = on_http,
		.upgrade = on_upgrade,
		.noise = on_noise,
		.refused = on_refused,
		.standing = standing,
		.body_max = policy->body_max ? body_max : NULL,
		.sockets_max = policy->sockets_max ? sockets_max : NULL,
	};

	if (where && endpoint_parse_listen(where, &host, &config.port, err))
		return error_prefix(err, "--listen");
	config.host = host;
	at->port = p;
	at->front = p->front->open(p->loop, &config, &events, at, err);
	if (!at->front) {
		if (!where && c->taken && err->kind == ERR_CONNECT)
			error_hint(err, "%s", c->taken);
		return -1;
	}
	at->host = TAKE(host);
	at->number = p->front->port(at->front);
	p->places++;
	p->open++;
	return 0;
}

static int open_places(struct port *p, struct error *err)
{
	const struct words *listen = p->config.listen;
	size_t count = listen ? listen->count : 0;

	/* Never moved: each front knows its own. */
	p->place = mem_zalloc((count ? count : 1) * sizeof(*p->place));
	if (count == 0)
		return open_place(p, NULL, err);
	for (size_t i = 0; i < count; i++) {
		if (open_place(p, listen->word[i], err))
			return -1;
	}
	return 0;
}

static int take_advertise(struct port *p, uint16_t number, struct error *err)
{
	const char *text = p->config.admit.advertise;
	const char *path = p->config.path ? p->config.path : DEVICE_PATH;

	mem_free(TAKE(p->advertised_ws));
	mem_free(TAKE(p->advertised_ota));
	if (!text)
		return 0;
	p->behind_proxy = strstr(text, "://") != NULL;
	return ota_advertise(text, number, path, &p->advertised_ws,
			     &p->advertised_ota, err);
}

/* What would make every OTA reply fail is said at once. */
static int check_reply(const struct port *p, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *url = port_device_url(p, "127.0.0.1:65535", 1);
	const char *token = NULL;
	size_t i = 0;

	do {
		CLEANUP(buf_done) struct buf reply = { 0 };

		if (ota_reply_encode(&reply, NULL, url, token, NULL, err))
			return -1;
	} while ((token = p->policy->token_at(p->owner, i++)));
	return 0;
}

/* An address of this machine at each place, and no other is told. */
static bool is_home(const struct port *p)
{
	for (size_t i = 0; i < p->places; i++) {
		if (!p->place[i].host || !address_is_here(p->place[i].host))
			return false;
	}
	return !p->advertised_ota;
}

int port_open(struct port **out, struct loop *l, const struct port_config *c,
	      const struct port_policy *policy, void *owner, struct error *err)
{
	CLEANUP(words_done) struct words found = { 0 };
	struct port *p = mem_zalloc(sizeof(*p));

	p->loop = l;
	p->config = *c;
	p->policy = policy;
	p->owner = owner;
	if (port_parts_load(&p->front, &p->ws, err) ||
	    take_advertise(p, c->number, err) || check_reply(p, err) ||
	    p->ws->hold(p->loop, err) || open_places(p, err)) {
		if (p->places)
			port_close(p, NULL, NULL);
		else
			port_free(p);
		return -1;
	}
	/* Now that the port is known; what was right stays right. */
	take_advertise(p, p->place[0].number, err);
	port_addresses(p, &found);
	p->ota_url = mem_strdup(found.word[0]);
	p->facts.home = is_home(p);
	*out = p;
	return 0;
}

/* ---- where it is ---- */

void port_addresses(const struct port *p, struct words *out)
{
	if (p->advertised_ota)
		words_add(out, p->advertised_ota);
	for (size_t i = 0; i < p->places && !p->advertised_ota; i++)
		ota_addresses(out, p->place[i].host, p->place[i].number);
}

/* What OTA told it beside our name, for it to tell us (port_device_url). */
static uint16_t port_told(const struct port_place *at,
			  const struct front_head *head)
{
	CLEANUP(mem_free_ptr)
	char *text = head_query_value(head->query, REACHED_PORT);
	int64_t port;

	if (!text || text_integer(text, 1, UINT16_MAX, &port))
		return at->number;
	return (uint16_t)port;
}

char *port_reached(const struct port_place *at, const struct front_head *head)
{
	const char *host = knock_host(head);
	struct buf text = { 0 };
	struct authority a;
	uint16_t port;

	if (authority_parse(&a, host, strlen(host), NULL) || a.has_port)
		return mem_strdup(host);
	port = port_told(at, head);
	authority_print(&text, a.host, port == 80 ? 0 : port);
	return buf_take(&text);
}

char *port_base(const struct port *p, const char *reached)
{
	const char *ota = p->advertised_ota ? p->advertised_ota : p->ota_url;

	if (reached && !p->advertised_ota)
		return mem_printf("http://%s", reached);
	return mem_strndup(ota, strlen(ota) - strlen(OTA_PATH));
}

void port_describe(const struct port *p, struct buf *out)
{
	CLEANUP(words_done) struct words found = { 0 }, behind = { 0 };

	port_addresses(p, &found);
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "  %s\n", found.word[i]);
	/* A URL is a proxy's: what it must pass on to is worth a line. */
	if (!p->behind_proxy)
		return;
	ota_addresses(&behind, p->place[0].host, p->place[0].number);
	buf_printf(out, "  (passed on to %s)\n", behind.word[0]);
}

void port_describe_point(const struct port *p, struct buf *out)
{
	CLEANUP(words_done) struct words found = { 0 };

	port_addresses(p, &found);
	/* "http" becomes "ws", and "https" "wss". */
	for (size_t i = 0; i < found.count; i++) {
		const char *ota = found.word[i];
		const size_t len = strlen(ota) - strlen(OTA_PATH);

		buf_printf(out, "  ws%.*s%s\n", (int)len - 4, ota + 4,
			   p->config.point);
	}
}
