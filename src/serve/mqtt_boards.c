/* SPDX-License-Identifier: MIT */
/*
 * What happens at the broker: it comes up and goes down, clients join and are
 * refused. Each that joins becomes a device; what a device says is its own
 * matter. Which clients are devices the plugin decides (wire/broker_topic.h),
 * or the topic at a broker that runs elsewhere.
 */
#include "serve/mqtt_boards.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "serve/board.h"
#include "serve/door.h"
#include "serve/mqtt_boards_private.h"
#include "wire/broker_topic.h"

/* NULL: nobody will see it. */
static struct record *tell(struct mqtt_boards *r, enum record_level level,
			   const char *state, const char *text)
{
	struct record *rec;

	if (r->closing)
		return NULL;
	rec = records_add(&r->server->records, RECORD_BROKER, level, NULL, NULL,
			  "%s", text);
	if (rec)
		rec->detail = mem_printf("\"state\":\"%s\"", state);
	return rec;
}

static void add_hint(struct record *rec, const char *hint)
{
	if (rec && *hint) {
		mem_free(rec->hint);
		rec->hint = mem_strdup(hint);
	}
}

/* ---- our own broker ---- */

static void on_up(void *owner, bool again)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;

	/* Closed because it could not be opened: then the server is gone. */
	if (r->closing)
		return;
	text = mem_printf(
		"mosquitto %s listens on port %u%s", broker_version(r->broker),
		(unsigned)r->server->config.mqtt_port,
		again ? " again: devices come back by themselves" : "");
	tell(r, again ? LEVEL_GOOD : LEVEL_INFO, "up", text);
}

static void on_down(void *owner, const struct error *why, int64_t again_ms)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;
	char wait[32];

	text_milliseconds(again_ms, wait, sizeof(wait));
	text = mem_printf("the broker is down: %s; it is started again in %s",
			  why->text, wait);
	add_hint(tell(r, LEVEL_BAD, "down", text), why->hint);
}

static void on_said(void *owner, bool bad, const char *line)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("mosquitto: %s", line);

	struct record *rec =
		tell(owner, bad ? LEVEL_WARN : LEVEL_DEBUG, "said", text);

	if (strstr(line, "oversize"))
		add_hint(rec, "--message-max allows more");
}

const struct broker_events rack_broker_events = { on_up, on_down, on_said };

/* ---- the connection to the broker ---- */

/* They come back to the broker by themselves, and are silent there. */
static void expect_all(struct mqtt_boards *r)
{
	for (struct board *d = r->server->registry.first; d; d = d->next) {
		if (d->mqtt && d->client_id)
			mqtt_boards_expect(r, d->client_id, d->device_id);
	}
}

static void on_broker(void *owner, const struct error *why)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;
	bool own = r->broker != NULL;

	if (!why) {
		tell(r, LEVEL_GOOD, "joined", "connected to the broker");
		return;
	}
	text = mem_printf("no connection to the broker: %s; it is tried again",
			  why->text);
	/* That our own went down is told already. */
	add_hint(tell(r,
		      own && !broker_pid(r->broker) ? LEVEL_DEBUG : LEVEL_WARN,
		      "lost", text),
		 why->hint);
	expect_all(r);
	if (own && !r->closing && why->code == ETIMEDOUT)
		broker_hung(r->broker);
}

static void on_joined(void *owner, const struct mqtt_joined *who)
{
	struct mqtt_boards *r = owner;
	struct serve *s = r->server;
	struct error err = { 0 };
	struct peer_info peer = {
		.address = who->address,
		.device_id = who->device_id,
		.client_id = who->client_id,
		.envelope = true,
		.standby = true,
	};
	struct board *d;

	if (r->closing || s->closing)
		return;
	mqtt_boards_expect_done(r, who->client_id);
	if (s->door)
		peer.ota = door_asked_client(s->door, who->client_id,
					     who->address);
	if (s->door && !peer.ota && who->device_id)
		peer.ota = door_asked(s->door, who->device_id, who->address);
	/* A Device-Id that is no MAC address does not show in the client id. */
	if (!peer.device_id && peer.ota && peer.ota->device_id[0])
		peer.device_id = peer.ota->device_id;
	d = board_new(s, &peer, true);
	if (!d) {
		/* It comes again by itself, when there may be room. */
		r->mqtt->kick(r->hub, who->client_id);
		return;
	}
	if (r->broker && who->user)
		d->reached = mqtt_boards_reached(who->user);
	if (!r->mqtt->adopt(&d->transport, r->hub, who, &err))
		return;
	records_add(&s->records, RECORD_FAILED, LEVEL_BAD, d->id, d->address,
		    "cannot be served over MQTT: %s", err.text);
	board_discard(d);
	error_reset(&err);
}

static void on_refused(void *owner, const char *client_id, const char *address,
		       const char *text, const char *hint)
{
	struct mqtt_boards *r = owner;
	char mac[18];
	struct record *rec;

	if (r->closing)
		return;
	rec = records_add(&r->server->records, RECORD_REFUSED, LEVEL_WARN,
			  client_id_mac(client_id, mac) ? mac : client_id,
			  address, "refused by the broker: %s", text);
	add_hint(rec, hint ? hint :
			     "a board gets fitting ones when it asks OTA here; "
			     "without --mqtt-key-file nothing is checked");
}

const struct mqtt_hub_events rack_hub_events = {
	.broker = on_broker,
	.joined = on_joined,
	.refused = on_refused,
};

/* ---- life ---- */

static void mqtt_boards_free(struct mqtt_boards *r)
{
	mqtt_boards_expect_none(r);
	endpoint_done(&r->where);
	secret_wipe(&r->key);
	mem_free(r->host);
	mem_free(r->advertised);
	buf_done(&r->endpoint);
	buf_done(&r->client_id);
	buf_done(&r->user);
	buf_done(&r->password);
	buf_done(&r->topic);
	mem_free(r);
}

int mqtt_boards_open(struct mqtt_boards **out, struct serve *s,
		     struct error *err)
{
	struct mqtt_boards *r = mem_zalloc(sizeof(*r));

	*out = NULL;
	r->server = s;
	timer_open(&r->timer, s->loop, mqtt_boards_expect_turn, r);
	if (mqtt_boards_prepare(r, err) || mqtt_boards_join(r, err)) {
		mqtt_boards_close(r, NULL, NULL);
		return -1;
	}
	*out = r;
	return 0;
}

static void on_timer_closed(void *owner)
{
	struct mqtt_boards *r = owner;
	void (*closed)(void *owner) = r->closed;

	owner = r->owner;
	mqtt_boards_free(r);
	if (closed)
		closed(owner);
}

static void on_broker_closed(void *owner)
{
	struct mqtt_boards *r = owner;

	timer_close(&r->timer, on_timer_closed);
}

static void on_audio_closed(void *owner)
{
	struct mqtt_boards *r = owner;

	if (r->broker)
		broker_close(r->broker, on_broker_closed, r);
	else
		on_broker_closed(r);
}

static void on_hub_closed(void *owner)
{
	struct mqtt_boards *r = owner;

	if (r->audio)
		r->mqtt->audio_close(r->audio, on_audio_closed, r);
	else
		on_audio_closed(r);
}

void mqtt_boards_close(struct mqtt_boards *r, void (*closed)(void *owner),
		       void *owner)
{
	r->closing = true;
	r->closed = closed;
	r->owner = owner;
	if (r->hub)
		r->mqtt->hub_close(r->hub, on_hub_closed);
	else
		on_hub_closed(r);
}

int mqtt_boards_reload(struct mqtt_boards *r)
{
	const char *file = r->server->config.mqtt_key_file;
	struct error err = { 0 };
	struct buf fresh;

	if (r->broker && !file)
		broker_reload(r->broker);
	if (!file)
		return 0;
	if (secret_file_read(&fresh, "key file", file, &err)) {
		struct record *rec = records_add(
			&r->server->records, RECORD_RELOAD, LEVEL_BAD, NULL,
			NULL, "%s; the key that was read before stays",
			err.text);

		add_hint(rec, err.hint);
		error_reset(&err);
		return -1;
	}
	secret_wipe(&r->key);
	r->key = fresh;
	if (r->broker)
		broker_reload(r->broker);
	return 0;
}

bool mqtt_boards_audio(const struct board *d, struct audio_counts *out)
{
	const struct mqtt_boards *r = d->server->rack;

	return d->mqtt && r && r->mqtt->audio_counts(&d->transport, out);
}

void mqtt_boards_kick(struct mqtt_boards *r, const struct board *d)
{
	if (!d->client_id || r->closing)
		return;
	r->mqtt->kick(r->hub, d->client_id);
	/* Elsewhere it cannot be thrown out: it will be greeted anew. */
	mqtt_boards_expect(r, d->client_id, d->device_id);
}
