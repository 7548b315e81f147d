/* SPDX-License-Identifier: MIT */
/*
 * What boards are told by OTA: their addresses, and what is remembered of each.
 */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/listen.h"
#include "net/port.h"
#include "serve/board.h"
#include "serve/door.h"
#include "serve/mqtt_boards.h"

/*
 * The OTA question of a board: answered with the WebSocket or the broker that
 * it shall use, and the time (device.md 5).
 */

#define QUESTION_MAX 65536

static struct ota_clock now(void)
{
	struct ota_clock clock;
	struct tm local;
	time_t seconds;

	clock.now_ms = unix_now_ms();
	clock.offset = 0;
	seconds = (time_t)(clock.now_ms / 1000);
	if (localtime_r(&seconds, &local))
		clock.offset = (int)(local.tm_gmtoff / 60);
	return clock;
}

static bool offers_mqtt(const struct serve *s)
{
	return s->rack && s->config.offer != OFFER_WEBSOCKET;
}

/* The host alone, by which the board reached us: the broker has a port of its own. */
static char *bare_host(const struct visit *v)
{
	const struct door *d = v->door;
	const char *text = knock_host(v->head);
	struct authority a;
	size_t len;

	if (d->advertised_ota) {
		text = strstr(d->advertised_ota, "//") + 2;
		len = strlen(text) - strlen(OTA_PATH);
	} else {
		len = strlen(text);
	}
	if (authority_parse(&a, text, len, NULL))
		return mem_strndup(text, len);
	return mem_strdup(a.host);
}

/* Somebody asks for a board that is connected from elsewhere. */
static const struct board *held_elsewhere(const struct visit *v,
					  const struct ota_request *asked)
{
	const struct board *d = registry_find_written(
		&v->door->server->registry, asked->device_id);

	if (!d || !d->address || memory_same_peer(d->address, v->head->address))
		return NULL;
	return d;
}

static void hint_ota(struct record *r, const struct ota_request *asked,
		     const struct board *elsewhere, bool mqtt)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!asked->device_id[0]) {
		record_hint(
			r,
			"a stock board sends the header Device-Id: without it no server knows who asks");
	} else if (elsewhere) {
		text = mem_printf(
			"the board with this Device-Id is connected from %s: unless it was restarted, somebody else asks; for the board that is there this changes nothing",
			elsewhere->address);
		record_hint(r, text);
	} else {
		record_hint(r, mqtt ? "it connects by itself over MQTT" :
				      "now wake it: wake word or button");
	}
}

/* What the record says: who, what it was sent to, what to do next. */
static void tell(const struct visit *v, const struct ota_request *asked,
		 const char *to, bool mqtt)
{
	const struct board *elsewhere = held_elsewhere(v, asked);
	bool warn = !asked->device_id[0] || elsewhere;
	CLEANUP(buf_done) struct buf text = { 0 }, detail = { 0 };
	struct ota_board board;
	struct record *r;

	ota_board(&board, asked);
	if (!asked->device_id[0])
		buf_text(&text, "a board without a Device-Id ");
	ota_describe(&text, asked);
	buf_printf(&text, "; it was sent to %s", to);
	r = door_record(v->door, &v->who, RECORD_OTA,
			warn ? LEVEL_WARN : LEVEL_INFO, buf_string(&text));
	hint_ota(r, asked, elsewhere, mqtt);
	door_member(&detail, "sent_to", to);
	door_member(&detail, "transport", mqtt ? "mqtt" : "websocket");
	door_member(&detail, "board", board.name);
	door_member(&detail, "version", board.version);
	door_member(&detail, "client_id", asked->client_id);
	record_detail(r, &detail);
}

/* The question is answered: remembered, and shown. */
static void answered(const struct visit *v, const struct ota_request *asked,
		     const char *to, const char *given)
{
	const struct told_it it = { given, to };
	CLEANUP(mem_free_ptr)
	char *before =
		memory_tell(&v->door->memory, asked, v->head->address, &it);
	CLEANUP(mem_free_ptr) char *text = NULL;

	tell(v, asked, to, given != NULL);
	if (!before)
		return;
	text = mem_printf("it is sent to %s now, and was sent to %s before", to,
			  before);
	door_record(v->door, &v->who, RECORD_TOLD, LEVEL_WARN, text);
}

/* Where its connection to the broker will not tell how it reached us. */
static const char *reached(const struct visit *v)
{
	const char *host = knock_host(v->head);

	return v->door->advertised_ota || text_same(host, v->head->local) ?
		       NULL :
		       host;
}

static void send_to_broker(const struct visit *v,
			   const struct ota_request *asked, struct buf *reply,
			   struct error *err)
{
	CLEANUP(mem_free_ptr) char *host = bare_host(v);
	CLEANUP(mem_free_ptr) char *to = NULL;
	const struct mqtt_boards_asker asker = { .address = v->head->address,
						 .host = host,
						 .reached = reached(v) };
	struct ota_clock clock = now();
	struct ota_mqtt mqtt = { 0 };

	mqtt_boards_offer(v->door->server->rack, asked, &asker, &mqtt);
	if (ota_reply_encode(reply, &mqtt, NULL, NULL, &clock, err))
		return;
	to = mem_printf("mqtt://%s as %s", mqtt.endpoint,
			mqtt.client_id ? mqtt.client_id : "");
	answered(v, asked, to, mqtt.client_id ? mqtt.client_id : "");
}

static void send_to_us(const struct visit *v, const struct ota_request *asked,
		       struct buf *reply, struct error *err)
{
	const char *host = knock_host(v->head);
	CLEANUP(mem_free_ptr)
	char *url = door_device_url(v->door, host, v->gate->port);
	const char *token = tokens_for(&v->door->server->tokens,
				       asked->device_id, asked->client_id);
	struct ota_clock clock = now();

	if (!ota_reply_encode(reply, NULL, url, token, &clock, err))
		answered(v, asked, url, NULL);
}

static void too_large(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"asked OTA with a body of %zu bytes: refused, above %d", v->len,
		QUESTION_MAX);

	visit_refuse(v, 413, "the body is too large for an OTA question");
	door_record(v->door, &v->who, RECORD_REFUSED, LEVEL_WARN, text);
}

/*
 * Every board is answered, also one that sends no Device-Id or no JSON: it
 * would go on with whatever it has stored (device.md 5.4 item 2).
 */
void door_ota(const struct visit *v)
{
	struct ota_request asked;
	struct error err = { 0 };
	CLEANUP(buf_done) struct buf reply = { 0 };

	if (v->len > QUESTION_MAX) {
		too_large(v);
		return;
	}
	ota_read(&asked, v->head, v->body, v->len, &err);
	error_reset(&err);
	if (offers_mqtt(v->door->server) && !door_knows(v, &asked))
		return;
	if (offers_mqtt(v->door->server))
		send_to_broker(v, &asked, &reply, &err);
	else
		send_to_us(v, &asked, &reply, &err);
	if (err.kind) {
		visit_refuse(v, 500, err.text);
		record_hint(door_record(v->door, &v->who, RECORD_REFUSED,
					LEVEL_BAD, err.text),
			    err.hint);
	} else {
		visit_answer(v, 200, "application/json", &reply);
	}
	error_reset(&err);
}

/*
 * Where the ports of serve are reached: what is told to the user, and the URLs
 * that devices are given.
 */

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
		buf_text(
			out,
			"  (only this machine reaches that one: for boards, leave the host of --listen out)\n");
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
	mqtt_boards_describe(d->server->rack, out);
	buf_char(out, '\n');
}

void door_describe(struct door *d)
{
	CLEANUP(buf_done) struct buf text = { 0 }, detail = { 0 };
	const struct who nobody = { 0 };
	struct record *r;

	describe_ports(d, &text);
	describe_addresses(d, &text);
	describe_broker(d, &text);
	buf_text(
		&text,
		"open the same address in a browser: it shows who is connected;\nno page means a firewall");
	r = door_record(d, &nobody, RECORD_LISTENING, LEVEL_GOOD,
			buf_string(&text));
	record_hint(
		r,
		"'mcpctl help board' tells how to set it on the board; then reboot the board");
	buf_printf(&detail, "\"port\":%u,\"ota\":", (unsigned)door_port(d));
	door_addresses(d, &detail);
	record_detail(r, &detail);
}

static uint16_t port_of(const char *host)
{
	struct authority a;

	if (authority_parse(&a, host, strlen(host), NULL) || !a.has_port)
		return 80;
	return a.port;
}

char *door_device_url(const struct door *d, const char *host, uint16_t port)
{
	const char *path = d->server->config.path;
	struct buf url = { 0 };

	if (d->advertised_ws)
		return mem_strdup(d->advertised_ws);
	buf_printf(&url, "ws://%s%s", host, path ? path : DEVICE_PATH);
	if (port && port_of(host) != port)
		buf_printf(&url, "?" REACHED_PORT "=%u",
			   (unsigned)port_of(host));
	return buf_take(&url);
}

/* Nothing tells how it reaches us: the first address will do. */
static char *any_base(const struct door *d)
{
	struct words found = { 0 };
	char *url = NULL;

	list_addresses(d, &found);
	if (found.count)
		url = mem_printf(
			"%.*s", (int)(strlen(found.word[0]) - strlen(OTA_PATH)),
			found.word[0]);
	words_done(&found);
	return url;
}

/*
 * A board that was at the broker before serve was started: it did not ask OTA,
 * and never reached this port. By the way that we would reach it.
 */
static char *base_towards(const struct door *d, const struct board *device)
{
	CLEANUP(buf_done) struct buf at = { 0 };
	char own[64];

	if (!local_address_towards(device->address, own, sizeof(own)))
		return any_base(d);
	for (size_t i = 0; i < d->gates; i++) {
		const struct gate *g = &d->gate[i];

		if (g->host && strcmp(g->host, own) != 0 &&
		    strcmp(g->host, "0.0.0.0") != 0 &&
		    strcmp(g->host, "::") != 0)
			continue;
		authority_print(&at, own, g->port);
		return mem_printf("http://%s", buf_string(&at));
	}
	return any_base(d);
}

/* "http://HOST:PORT" of ours for that device; yours. NULL: none is known. */
static char *base_url(const struct door *d, const struct board *device)
{
	const char *ota = d->advertised_ota;

	if (ota)
		return mem_strndup(ota, strlen(ota) - strlen(OTA_PATH));
	if (device->reached)
		return mem_printf("http://%s", device->reached);
	return device->mqtt && device->address ? base_towards(d, device) :
						 any_base(d);
}

char *door_upload_url(struct door *d, const struct board *device)
{
	CLEANUP(mem_free_ptr) char *base = base_url(d, device);

	if (!base)
		return NULL;
	return mem_printf("%s" UPLOAD_PATH "/%s", base,
			  passes_add(&d->passes, device->id, loop_now()));
}

char *door_vision_url(struct door *d, const struct board *device)
{
	CLEANUP(mem_free_ptr) char *base = base_url(d, device);
	char *url = base ? mem_printf("%s" VISION_PATH, base) : NULL;
	CLEANUP(mem_free_ptr) char *before = NULL;
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct who who = { device->id, device->client_id, device->address };

	if (url && device->id)
		before = memory_sent(&d->memory, device->id, url);
	if (!before)
		return url;
	text = mem_printf("its pictures go to %s from now on, and went to %s",
			  url, before);
	record_hint(
		door_record(d, &who, RECORD_TOLD, LEVEL_WARN, text),
		"that is how its own connection reached serve; --advertise makes it one address for all");
	return url;
}

const struct ota_request *door_asked(const struct door *d,
				     const char *device_id, const char *address)
{
	const struct told *t = memory_find(&d->memory, device_id, address);

	return t ? &t->asked : NULL;
}

bool door_asked_elsewhere(const struct door *d, const char *device_id,
			  const char *address)
{
	const struct told *t = memory_find(&d->memory, device_id, NULL);

	return t && !memory_same_peer(t->from, address);
}

const struct ota_request *door_asked_client(const struct door *d,
					    const char *client_id,
					    const char *address)
{
	const struct told *t =
		memory_find_given(&d->memory, client_id, address);

	return t ? &t->asked : NULL;
}

/*
 * What boards told when they asked OTA, found again by Device-Id or by the
 * client id that they were given, for who comes from the same address; and
 * where each board was sent last. Strangers can fill both, so the oldest go.
 */

/* FNV-1a without case: some boards write their digits otherwise here and there. */
static uint32_t hash(const char *text)
{
	uint32_t sum = 2166136261u;

	for (; text && *text; text++)
		sum = (sum ^ (uint32_t)text_lower(*text)) * 16777619u;
	return sum;
}

static void empty_told(struct told *t)
{
	mem_free(t->given);
	mem_free(t->sent_to);
	*t = (struct told){ 0 };
}

static void empty_sent(struct sent *s)
{
	mem_free(s->id);
	mem_free(s->url);
	*s = (struct sent){ 0 };
}

void memory_done(struct memory *m)
{
	for (size_t i = 0; i < m->count; i++) {
		empty_told(m->item[i]);
		mem_free(m->item[i]);
	}
	for (size_t i = 0; i < m->sent_count; i++)
		empty_sent(&m->sent[i]);
	mem_free(m->sent);
	*m = (struct memory){ 0 };
}

/* The host of "HOST:PORT", or of an address without a port, cut. */
static void host_of(char out[ADDRESS_TEXT_MAX], const char *address)
{
	struct authority a;
	bool whole = authority_parse(&a, address, strlen(address), NULL) ||
		     !a.host[0];

	snprintf(out, ADDRESS_TEXT_MAX, "%.63s", whole ? address : a.host);
}

bool memory_same_peer(const char *a, const char *b)
{
	char host_a[ADDRESS_TEXT_MAX], host_b[ADDRESS_TEXT_MAX];

	if (!a || !b)
		return false;
	host_of(host_a, a);
	host_of(host_b, b);
	return text_same(host_a, host_b);
}

/* from NULL: it is not known; then who asked first. */
static bool is_from(const struct told *t, const char *from)
{
	char host[ADDRESS_TEXT_MAX];

	if (!from)
		return true;
	host_of(host, from);
	return text_same(t->from, host);
}

static struct told *find(const struct memory *m, const char *id,
			 const char *from)
{
	uint32_t wanted = hash(id);

	for (size_t i = 0; id && *id && i < m->count; i++) {
		if (m->item[i]->id_hash == wanted &&
		    text_same(m->item[i]->asked.device_id, id) &&
		    is_from(m->item[i], from))
			return m->item[i];
	}
	return NULL;
}

static struct told *find_given(const struct memory *m, const char *id,
			       const char *from)
{
	uint32_t wanted = hash(id);

	for (size_t i = 0; id && *id && i < m->count; i++) {
		if (m->item[i]->given && m->item[i]->given_hash == wanted &&
		    text_same(m->item[i]->given, id) &&
		    is_from(m->item[i], from))
			return m->item[i];
	}
	return NULL;
}

const struct told *memory_find(const struct memory *m, const char *device_id,
			       const char *from)
{
	return find(m, device_id, from);
}

const struct told *memory_find_given(const struct memory *m,
				     const char *client_id, const char *from)
{
	return find_given(m, client_id, from);
}

static struct told *make_room(struct memory *m)
{
	size_t oldest = 0;

	if (m->count < MEMORY_MAX)
		return m->item[m->count++] = mem_zalloc(sizeof(struct told));
	for (size_t i = 1; i < m->count; i++) {
		if (m->item[i]->at < m->item[oldest]->at)
			oldest = i;
	}
	empty_told(m->item[oldest]);
	return m->item[oldest];
}

char *memory_tell(struct memory *m, const struct ota_request *asked,
		  const char *from, const struct told_it *it)
{
	struct told *t = find(m, asked->device_id, from);
	CLEANUP(mem_free_ptr) char *before = NULL;

	if (!t && !asked->device_id[0]) {
		if (!it->given)
			return NULL;
		t = find_given(m, it->given, from);
	}
	if (!t)
		t = make_room(m);
	before = TAKE(t->sent_to);
	empty_told(t);
	t->asked = *asked;
	t->id_hash = hash(asked->device_id);
	host_of(t->from, from);
	t->given = mem_strdup(it->given);
	t->given_hash = hash(it->given);
	t->sent_to = mem_strdup(it->sent_to);
	t->at = ++m->clock;
	if (!before || text_same(before, it->sent_to))
		return NULL;
	return TAKE(before);
}

/* ---- where a board that is connected was sent ---- */

static struct sent *place_of(struct memory *m, const char *id)
{
	uint32_t wanted = hash(id);
	size_t oldest = 0;

	for (size_t i = 0; i < m->sent_count; i++) {
		if (m->sent[i].hash == wanted && text_same(m->sent[i].id, id))
			return &m->sent[i];
		if (m->sent[i].at < m->sent[oldest].at)
			oldest = i;
	}
	if (m->sent_count == MEMORY_MAX) {
		empty_sent(&m->sent[oldest]);
		return &m->sent[oldest];
	}
	m->sent = mem_grow(m->sent, &m->sent_capacity, m->sent_count,
			   sizeof(*m->sent));
	m->sent[m->sent_count] = (struct sent){ 0 };
	return &m->sent[m->sent_count++];
}

char *memory_sent(struct memory *m, const char *id, const char *url)
{
	struct sent *s = place_of(m, id);
	CLEANUP(mem_free_ptr) char *before = TAKE(s->url);

	empty_sent(s);
	*s = (struct sent){ mem_strdup(id), mem_strdup(url), hash(id),
			    ++m->clock };
	return before && strcmp(before, url) != 0 ? TAKE(before) : NULL;
}
