/* SPDX-License-Identifier: MIT */
/*
 * How a pretend board gets to its backend: OTA, then WebSocket or MQTT, again
 * and again.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/why.h"
#include "sim/board_link.h"
#include "sim/board_ota.h"
#include "sim/identity.h"
#include "sim/pretend_say.h"
#include "wire/board_text.h"
#include "wire/broker_topic.h"
#include "wire/refusal.h"

#define SHOWN 200 /* bytes of a peer's text */

static void board_link_again(struct board_link *c);
static void board_link_join(struct board_link *c);
static void board_link_audio(void *owner, const struct udp_offer *offer);
static void board_link_sound(struct board_link *c, const void *data,
			     size_t len);
static void board_link_mqtt_cut(struct board_link *c, const char *text,
				size_t len);
static void board_link_take_version(struct board_link *c, int64_t told);
static void board_link_ask_ota(struct board_link *c);
static int no_url(const struct board_link *c, struct error *err);

static const struct error by_fin = { .kind = ERR_CONNECT, .reason = WHY_FIN };

/*
 * Joins a device to its connection. What is said is the device's matter, how
 * it is framed dial's, when it starts and what is counted fleet's.
 */

static void http_on(struct board_link *c, const char *leg, struct trace *t)
{
	t->leg = leg;
	c->events->frame(c, t);
}

static void frame(struct board_link *c, bool outgoing, const char *kind,
		  const void *data, size_t len)
{
	const struct trace t = {
		.outgoing = outgoing,
		.kind = kind,
		.data = data,
		.len = len,
		.leg = c->using != LINE_MQTT	   ? "ws" :
		       strcmp(kind, "binary") == 0 ? "udp" :
						     "mqtt",
	};

	c->events->frame(c, &t);
}

/* What no frame of the conversation shows. */
PRINTF_LIKE(3, 4)
static void found(struct board_link *c, enum diag_code code, const char *format,
		  ...)
{
	CLEANUP(mem_free_ptr) char *detail = NULL;
	va_list args;

	va_start(args, format);
	detail = mem_vprintf(format, args);
	va_end(args);
	diag_found(&c->device.talk.diag, code, (struct span){ 0 }, "%s",
		   detail);
}

/* The device's events. */

static void device_text_out(void *owner, const char *text, size_t len)
{
	struct board_link *c = owner;

	if (!c->device.unheard)
		frame(c, true, "text", text, len);
	if (c->using == LINE_DIAL)
		board_ws_text(&c->line.dial, text, len);
	else if (c->using == LINE_MQTT)
		broker_line_text(&c->line.mqtt, text, len);
}

static void device_binary_out(void *owner, const void *data, size_t len)
{
	struct board_link *c = owner;

	frame(c, true, "binary", data, len);
	if (c->using == LINE_MQTT) {
		board_link_sound(c, data, len);
		return;
	}
	if (c->using == LINE_DIAL)
		board_ws_binary(&c->line.dial, data, len);
	c->plan->audio->sent++;
}

/* An open connection is over. how: who ended it, and how. */
static void board_link_over(struct board_link *c, const char *words, bool ours,
			    const struct error *how)
{
	const struct trace t = {
		.outgoing = ours,
		.kind = "closed",
		.data = words,
		.len = strlen(words),
		.leg = c->using == LINE_MQTT ? "mqtt" : "ws",
		.why = how,
	};

	if (!c->opened)
		return;
	c->opened = false;
	c->events->frame(c, &t);
	pretend_hang_up(&c->device);
	c->events->step(c, CALLER_CLOSED, words);
}

static void device_cut_out(void *owner, const char *text, size_t len,
			   bool close_frame)
{
	struct board_link *c = owner;

	frame(c, true, "text", text, len / 2);
	if (c->using == LINE_DIAL)
		board_ws_cut(&c->line.dial, text, len, close_frame);
	else
		board_link_mqtt_cut(c, text, len);
	board_link_over(c,
			"ended in the middle of a reply, as the fault wants it",
			true, NULL);
}

static void hang_up(struct board_link *c)
{
	if (c->using == LINE_DIAL)
		board_ws_close(&c->line.dial);
	else if (c->using == LINE_MQTT)
		broker_line_close(&c->line.mqtt);
}

static void device_drop_out(void *owner)
{
	struct board_link *c = owner;

	/* Firmware ends TCP without a Close (device.md 1.4). */
	board_link_over(c, "dropped by the device", true, &by_fin);
	c->asked = false;
	hang_up(c);
}

static bool device_full(void *owner)
{
	const struct board_link *c = owner;

	return c->using == LINE_DIAL && board_ws_is_full(&c->line.dial);
}

/* It was let in by the same token before (backends.md 2.1). */
static void judge_refusal(struct board_link *c, const char *words)
{
	if (c->using == LINE_DIAL && c->token_taken)
		found(c, B206, "%s", words);
}

/* Words for a token, or for who has none. */
static bool is_of_tokens(const char *words)
{
	static const char *const known[] = { "认证", "auth", "token" };

	for (size_t i = 0; i < COUNT(known); i++) {
		if (text_find(words, known[i]))
			return true;
	}
	return false;
}

static void device_note_out(void *owner, enum pretend_note what,
			    const char *text)
{
	struct board_link *c = owner;

	if (what == DEVICE_WELCOMED && c->using == LINE_DIAL)
		c->token_taken = c->sent_token != NULL;
	if (what == DEVICE_REFUSED && is_of_tokens(text))
		judge_refusal(c, text);
	c->events->note(c, what, text);
}

static void device_finding_out(void *owner, const struct finding *f,
			       const char *detail)
{
	struct board_link *c = owner;

	c->events->finding(c, f, detail);
}

static void device_died_out(void *owner, enum diag_code of)
{
	struct board_link *c = owner;

	c->events->died(c, of);
}

static void device_deaf(void *owner)
{
	struct board_link *c = owner;

	if (c->using == LINE_DIAL)
		board_ws_deafen(&c->line.dial);
}

static void device_lost(void *owner)
{
	struct board_link *c = owner;

	if (c->using == LINE_DIAL && !board_ws_lose(&c->line.dial))
		c->events->note(
			c, DEVICE_LINE,
			"this kernel lets only root drop packets: what comes is acknowledged all the same");
}

#define DIES_AT 60 /* per cent */
#define LOOPS 4

static void device_upload_out(void *owner, struct trace *t)
{
	http_on(owner, "vision", t);
}

static void device_upgrade(void *owner, const char *url);
static void device_assets(void *owner, const char *url);

static const struct pretend_events device_events = {
	.text = device_text_out,
	.binary = device_binary_out,
	.audio = board_link_audio,
	.cut = device_cut_out,
	.deaf = device_deaf,
	.lost = device_lost,
	.drop = device_drop_out,
	.full = device_full,
	.note = device_note_out,
	.finding = device_finding_out,
	.upload = device_upload_out,
	.upgrade = device_upgrade,
	.assets = device_assets,
	.died = device_died_out,
};

/* The connection's events. */

static void tell_open(struct board_link *c)
{
	struct trace t;

	if (c->using != LINE_DIAL) {
		frame(c, false, "ready", NULL, 0);
		return;
	}
	board_http_trace_request(&t, &c->line.dial.request, false);
	t.kind = "ready";
	t.size = 0;
	http_on(c, "ws", &t);
}

/* A line's events, whichever it is. (board_link.c) */
static void board_link_opened(void *owner)
{
	struct board_link *c = owner;

	c->opened = true;
	c->close_code = 0;
	c->wait_ms = CALLER_AGAIN_MS;
	tell_open(c);
	c->events->step(c, CALLER_OPENED, NULL);
	pretend_open(&c->device);
}

static void board_link_text(void *owner, const char *text, size_t len)
{
	struct board_link *c = owner;

	frame(c, false, "text", text, len);
	pretend_receive(&c->device, text, len);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	struct board_link *c = owner;
	struct audio_frame audio;

	/*
	 * Speech that is not asked for is dropped (device.md 1.7), after it was
	 * taken apart.
	 */
	frame(c, false, "binary", data, len);
	if (audio_decode(&audio, c->device.config.frame_version, data, len,
			 NULL))
		found(c, B263, "%zu bytes", len);
	c->plan->audio->received++;
}

static bool on_ping(void *owner)
{
	struct board_link *c = owner;
	struct diag *diag = &c->device.talk.diag;

	diag_ping(diag);
	if (fault_has(&c->device.config.faults, FAULT_NO_PONG))
		return false;
	diag_pong(diag);
	return true;
}

static void on_peer_close(void *owner, int code, struct span words)
{
	struct board_link *c = owner;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("the backend sent Close%s%.0d", code ? " " : "",
				code);

	c->close_code = code ? code : 1005; /* RFC 6455, 7.1.5 */
	c->events->note(c, DEVICE_LINE, text);
	diag_close(&c->device.talk.diag, code, words);
	pretend_peer_close(&c->device);
	/* 1.4: the board's next open ends a TCP that the peer left open. */
	if (c->plan->reconnect)
		timer_start(&c->again, DEVICE_LEFT_OPEN_MS + CALLER_AGAIN_MS);
}

/* It failed, or is over: why (NULL: an open one was closed). */
static void board_link_lost(struct board_link *c, const struct error *why)
{
	CLEANUP(mem_free_ptr) char *text = why ? error_line(why) : NULL;

	if (c->opened) {
		struct error how = why ? *why : by_fin;

		if (c->close_code) {
			how.code = c->close_code;
			how.reason = WHY_CLOSE;
		}
		board_link_over(c, why ? text : "closed by the backend", false,
				&how);
		return;
	}
	if (why && why->reason == WHY_STATUS && why->code == 401)
		judge_refusal(c, why->text);
	c->events->refused(c, why);
}

static void on_ended(void *owner, const struct error *why)
{
	struct board_link *c = owner;

	board_link_lost(c, why);
	board_ws_close(&c->line.dial);
}

static void board_link_maybe_closed(struct board_link *c)
{
	if (!c->closing || c->using != LINE_NONE || !c->device_gone ||
	    !c->timer_gone)
		return;
	mem_free(c->stored_url);
	mem_free(c->stored_token);
	mem_free(c->sent_token);
	mem_free(c->offered);
	mem_free(c->assets);
	c->stored_url = c->stored_token = c->sent_token = NULL;
	c->offered = c->assets = NULL;
	broker_where_done(&c->where);
	c->events->closed(c);
}

static void board_link_line_closed(void *owner)
{
	struct board_link *c = owner;

	c->using = LINE_NONE;
	if (c->closing)
		board_link_maybe_closed(c);
	else
		board_link_again(c);
}

static const struct board_ws_events dial_events = {
	.opened = board_link_opened,
	.text = board_link_text,
	.binary = on_binary,
	.peer_close = on_peer_close,
	.ping = on_ping,
	.ended = on_ended,
	.closed = board_link_line_closed,
};

/* Tell why not; takes the error. */
static void board_link_refuse(struct board_link *c, struct error *why)
{
	c->events->refused(c, why);
	error_reset(why);
}

/* An address that the board cannot dial; what it does then. Takes the error. */
static void unreadable(struct board_link *c, struct error *why)
{
	if (why->kind == ERR_UNMET) {
		pretend_died(&c->device, O309);
		error_prefix(why, "a real device restarts here");
	}
	board_link_refuse(c, why);
}

/* What this program can dial; -1: refused. */
static int board_link_usable(struct board_link *c, const char *text,
			     const char *token, struct board_ws_url *out)
{
	struct error err = { 0 };

	if (board_token_check(token, &err) ||
	    board_ws_url_parse(out, text, &err)) {
		unreadable(c, &err);
		return -1;
	}
	out->trust = &c->plan->trust;
	return 0;
}

static void keep_token(struct board_link *c, const char *token)
{
	if (c->sent_token && token && strcmp(c->sent_token, token) == 0)
		return;
	mem_free(c->sent_token);
	c->sent_token = token && *token ? mem_strdup(token) : NULL;
	c->token_taken = false;
}

static void board_link_dial(struct board_link *c, const char *url,
			    const char *token)
{
	const struct board_ws_identity who = {
		.device_id = c->device.device_id,
		.client_id = c->device.client_id,
		.token = token,
		.frame_version = c->device.config.frame_version,
	};
	struct board_ws_url u;

	if (board_link_usable(c, url, token, &u)) {
		board_link_again(c);
		return;
	}
	c->events->step(c, CALLER_DIALS, url);
	keep_token(c, token);
	pretend_set_mqtt(&c->device, false);
	c->device.unheard = false;
	c->using = LINE_DIAL;
	board_ws_open(&c->line.dial, c->plan->loop, &u, &who, &dial_events, c);
	board_ws_url_done(&u);
}

static bool fetch_assets(struct board_link *c);

static void go(struct board_link *c)
{
	c->started = loop_now();
	if (fetch_assets(c))
		return;
	if (c->plan->ota && !(c->asked && c->where.host))
		board_link_ask_ota(c);
	else if (c->plan->mqtt || c->plan->broker || c->where.host)
		board_link_join(c);
	else
		board_link_dial(c, c->plan->connect, c->plan->token);
}

static void on_again(void *owner)
{
	struct board_link *c = owner;

	if (c->closing)
		return;
	if (c->using == LINE_NONE) {
		go(c);
		return;
	}
	board_link_over(c,
			"left open by the backend after its Close; dials again",
			true, &by_fin);
	hang_up(c);
}

/* Later once more, or it is finished. */
static void board_link_again(struct board_link *c)
{
	/* It restarts when that is over. */
	if (c->fetch)
		return;
	if (!c->plan->reconnect || c->hung) {
		c->events->finished(c);
		return;
	}
	if (c->where.host) {
		timer_start(&c->again, CALLER_AGAIN_MQTT_MS);
		return;
	}
	timer_start(&c->again, c->wait_ms);
	c->wait_ms *= 2;
	if (c->wait_ms > CALLER_AGAIN_MAX_MS)
		c->wait_ms = CALLER_AGAIN_MAX_MS;
}

/* What is in memory is gone, and OTA is asked anew. */
static void restart(struct board_link *c)
{
	c->wait_ms = CALLER_AGAIN_MS;
	pretend_restart(&c->device);
	if (c->using != LINE_NONE)
		device_drop_out(c);
	else
		board_link_again(c);
	c->asked = false;
}

static void go_on(struct board_link *c);

/* A board that cannot fetch what OTA offered goes where it is sent. */
static void on_fetched(void *owner, const struct esp_image *image,
		       const char *why)
{
	struct board_link *c = owner;
	const struct fault_set *f = &c->device.config.faults;
	const bool survives = c->installs && !fault_has(f, FAULT_UPGRADE_DIES);

	c->fetch = NULL;
	c->installs = false;
	if (c->closing)
		return;
	if (!image)
		c->events->note(c, DEVICE_LINE, why);
	else if (!fault_has(f, FAULT_UPGRADE_BACK))
		pretend_install(&c->device, image->version);
	if (image && fault_has(f, FAULT_UPGRADE_LOOPS))
		c->loops = LOOPS;
	if (!image && survives)
		go_on(c);
	else
		restart(c);
}

/* False: nothing is fetched, and what there is to say of it was said. */
static bool begin_fetch(struct board_link *c, const char *url, bool assets,
			fetch_ended *ended)
{
	const struct fault_set *f = &c->device.config.faults;
	const struct fetch_order order = {
		.url = url,
		.trust = &c->plan->trust,
		.percent = fault_has(f, FAULT_UPGRADE_DIES) ? DIES_AT : 100,
		.assets = assets
	};
	CLEANUP(error_reset) struct error why = { 0 };

	if (c->fetch || fault_has(f, FAULT_UPGRADE_NEVER))
		return false;
	c->fetch = fetch_start(c->plan->loop, &order, ended, c, &why);
	if (!c->fetch)
		c->events->note(c, DEVICE_LINE, why.text);
	return c->fetch != NULL;
}

/* From the device: from that address. */
static void device_upgrade(void *owner, const char *url)
{
	begin_fetch(owner, url, false, on_fetched);
}

/* In the board's store: it stays until a restart. */
static void device_assets(void *owner, const char *url)
{
	struct board_link *c = owner;

	mem_free(c->assets);
	c->assets = mem_strdup(url);
	c->restarts = c->device.restarts;
}

static void on_assets(void *owner, const struct esp_image *image,
		      const char *why)
{
	struct board_link *c = owner;

	(void)image;
	c->fetch = NULL;
	if (c->closing)
		return;
	c->events->note(c, DEVICE_LINE, why ? why : "has its assets");
	if (why && fault_has(&c->device.config.faults, FAULT_UPGRADE_DIES))
		restart(c);
	else
		go(c);
}

/* At a start, before it asks OTA; it is told once (Application::CheckAssetsVersion). */
static bool fetch_assets(struct board_link *c)
{
	CLEANUP(mem_free_ptr) char *url = NULL;

	if (!c->assets || c->restarts == c->device.restarts)
		return false;
	url = TAKE(c->assets);
	return begin_fetch(c, url, true, on_assets);
}

void board_link_init(struct board_link *c, const struct board_link_plan *plan,
		     const struct pretend_config *config, const char *device_id,
		     const char *client_id)
{
	struct pretend_config mine = *config;

	c->plan = plan;
	c->wait_ms = CALLER_AGAIN_MS;
	mine.owner = c;
	mine.events = &device_events;
	mine.asked = plan->ota ? plan->ota : plan->connect;
	pretend_init(&c->device, &mine, device_id, client_id);
	board_link_take_version(c, 0);
	timer_open(&c->again, plan->loop, on_again, c);
}

void board_link_start(struct board_link *c)
{
	go(c);
}

static void on_device_closed(void *owner)
{
	struct board_link *c = owner;

	c->device_gone = true;
	board_link_maybe_closed(c);
}

static void on_timer_closed(void *owner)
{
	struct board_link *c = owner;

	c->timer_gone = true;
	board_link_maybe_closed(c);
}

void board_link_close(struct board_link *c)
{
	if (c->closing)
		return;
	c->closing = true;
	if (c->opened) {
		pretend_end_session(&c->device);
		pretend_hang_up(&c->device);
	}
	c->opened = false;
	fetch_abandon(TAKE(c->fetch));
	timer_close(&c->again, on_timer_closed);
	pretend_close(&c->device, on_device_closed);
	if (c->using == LINE_OTA)
		board_http_close(&c->line.ota);
	else
		hang_up(c);
}

/*
 * A caller at a broker: where it joins, as whom, and its sound over UDP, which
 * begins and ends with a voice session.
 */

static void on_ended_mqtt(void *owner, const struct error *why)
{
	struct board_link *c = owner;

	board_link_lost(c, why);
	broker_line_close(&c->line.mqtt);
}

static const struct broker_line_events mqtt_events = {
	.opened = board_link_opened,
	.text = board_link_text,
	.ended = on_ended_mqtt,
	.closed = board_link_line_closed,
};

static char *filled(const char *pattern, const struct board_link *c)
{
	struct buf topic;

	buf_init(&topic, 0);
	topic_fill(&topic, pattern, c->where.client_id, c->device.device_id);
	return buf_take(&topic);
}

static void take_endpoint(struct board_link *c)
{
	const struct endpoint *e = c->plan->mqtt;
	struct broker_where *w = &c->where;

	w->host = mem_strdup(e->host);
	w->port = e->port;
	w->tls = endpoint_has(e, SCHEME_TLS);
	w->keepalive = MQTT_KEEPALIVE;
	w->user = mem_strdup(e->user);
	w->password = mem_strdup(c->plan->password);
	/* The target's is the first device's; the others count on from it. */
	w->client_id =
		identity_mqtt(e->path + (e->path[0] == '/'), c->number - 1);
	w->up = filled(e->topic_up ? e->topic_up : MQTT_TOPIC, c);
	if (e->topic_down)
		w->down = filled(e->topic_down, c);
}

static int take_where(struct board_link *c, struct error *err)
{
	struct ota_fate fate = { .diag = &c->device.talk.diag };

	if (c->plan->broker)
		return ota_broker(&c->where, c->plan->broker, &fate, err);
	take_endpoint(c);
	return 0;
}

/* What nobody named. */
static void complete(struct board_link *c)
{
	struct broker_where *w = &c->where;

	if (!w->client_id)
		w->client_id = identity_library(c->device.device_id);
	/*
	 * Gateways write the word null where there is no topic (device.md 2.1).
	 */
	if (!c->plan->subscribe || (w->down && strcmp(w->down, "null") == 0)) {
		mem_free(w->down);
		w->down = NULL;
	}
	if (c->plan->subscribe && !w->down)
		w->down = filled("devices/p2p/{mac}", c);
}

static void tell(struct board_link *c)
{
	const struct broker_where *w = &c->where;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s://%s:%u as %s", w->tls ? "mqtts" : "mqtt",
				w->host, (unsigned)w->port, w->client_id);

	c->events->step(c, CALLER_DIALS, text);
}

/* Join the broker: the plan's, or where OTA sent it. */
static void board_link_join(struct board_link *c)
{
	struct error err = { 0 };
	struct broker_line_order order = {
		.loop = c->plan->loop,
		.where = &c->where,
		.cacert = c->plan->trust.cacert,
		.insecure = c->plan->trust.insecure,
		.events = &mqtt_events,
		.owner = c,
	};

	if (!c->where.host && take_where(c, &err)) {
		board_link_refuse(c, &err);
		board_link_again(c);
		return;
	}
	complete(c);
	tell(c);
	pretend_set_mqtt(&c->device, true);
	c->device.unheard = !c->where.up;
	if (broker_line_open(&c->line.mqtt, &order, &err)) {
		board_link_refuse(c, &err);
		board_link_again(c);
		return;
	}
	c->using = LINE_MQTT;
}

static void on_found(void *owner, enum diag_code code, const char *detail)
{
	found(owner, code, "%s", detail);
}

static void on_heard(void *owner, const void *data, size_t len)
{
	frame(owner, false, "binary", data, len);
}

/* The device's event. */
static void board_link_audio(void *owner, const struct udp_offer *offer)
{
	struct board_link *c = owner;
	const struct sound_order order = {
		.loop = c->plan->loop,
		.table = c->line.mqtt.table,
		.counts = c->plan->audio,
		.found = on_found,
		.heard = on_heard,
		.owner = c,
	};

	sound_close(TAKE(c->sound));
	if (offer)
		c->sound = sound_open(&order, offer);
}

/* One packet of sound. */
static void board_link_sound(struct board_link *c, const void *data, size_t len)
{
	/* Without echo cancelling by the server a board's timestamps are 0. */
	bool timed = c->device.config.profile->hello.aec;

	if (c->sound)
		sound_send(c->sound, timed ? c->device.audio_ms : 0, data, len);
}

/* Half of a message, then the end. */
static void board_link_mqtt_cut(struct board_link *c, const char *text,
				size_t len)
{
	if (c->using != LINE_MQTT)
		return;
	broker_line_text(&c->line.mqtt, text, len / 2);
	broker_line_close(&c->line.mqtt);
}

/*
 * A caller asks OTA and goes where the reply sends it. What a board makes of
 * the reply is judged below.
 */

/* The version of frames; told: what OTA says, 0 if nothing. */
static void board_link_take_version(struct board_link *c, int64_t told)
{
	int64_t version = c->plan->frame_version;

	if (!version)
		version = told;
	if (version < 1 || version > 3)
		version = 1;
	pretend_set_version(&c->device, (int)version);
}

static void store(char **place, char **told)
{
	if (!*told)
		return;
	mem_free(*place);
	*place = TAKE(*told);
}

/*
 * What a reply names is kept, what it does not name stays as it was stored
 * (device.md 5.4 items 3, 10, 11).
 */
static void store_websocket(struct board_link *c, struct ota_reply *reply)
{
	store(&c->stored_url, &reply->websocket_url);
	store(&c->stored_token, &reply->websocket_token);
	if (reply->has_version)
		c->stored_version = reply->websocket_version;
	board_link_take_version(c, c->stored_version);
}

/* Where to from here; -1: nowhere, and why. */
static int take_reply(struct board_link *c, struct ota_reply *reply,
		      struct ota_fate *fate, struct error *err)
{
	struct broker_where where;

	if (reply->websocket)
		store_websocket(c, reply);
	if (!reply->mqtt) {
		broker_where_done(&c->where);
		c->told_url = c->stored_url && *c->stored_url;
		return c->told_url ? 0 : no_url(c, err);
	}
	if (ota_broker(&where, reply->mqtt, fate, err))
		return -1;
	broker_where_done(&c->where);
	c->where = where;
	return 0;
}

PRINTF_LIKE(2, 3)
static void say(struct board_link *c, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	c->events->note(c, DEVICE_LINE, text);
}

static void tell_token(struct board_link *c)
{
	if (c->plan->token && *c->plan->token)
		say(c, "sends the token that was given");
	else if (c->stored_token && *c->stored_token)
		say(c, "sends the token of an earlier OTA reply");
	else
		say(c, "sends no token, it has none");
}

/* What this one makes of it; the findings say what a board does. */
static void tell_news(struct board_link *c, const struct ota_reply *reply,
		      uint32_t found)
{
	const char *url = reply->firmware_url;

	if ((found & OTA_BIT(O317)) && url && *url && c->plan->install)
		say(c, "installs the firmware that OTA offers");
	else if ((found & OTA_BIT(O317)) && url && *url)
		say(c, "leaves the firmware at '%.*s' alone", SHOWN, url);
	else if (found & OTA_BIT(O317))
		say(c, "leaves firmware alone, which has an empty url");
	if (found & OTA_BIT(O318))
		tell_token(c);
}

static struct ota_answer answer_of(const struct board_link *c,
				   enum answer_part part)
{
	const struct board_reply *r = &c->line.ota.reply;

	return (struct ota_answer){
		.at_us = loop_now_us(),
		.status = r->status,
		.location = r->location,
		.content_type = r->type,
		.content_encoding = r->coding,
		.has_length = r->has_length,
		.chunked = r->chunked,
		.length = r->length < 0 ? 0 : r->length,
		.body = buf_string(&r->body),
		.len = r->body.len,
		.more = !c->line.ota.whole,
		.part = part,
		.from = { .asked = c->plan->ota },
		.board_version = c->device.config.profile->about.version,
	};
}

/* -1: nowhere to go, and why. */
static int read_reply(struct board_link *c, struct ota_reply *out,
		      struct error *err)
{
	const struct ota_answer answer = answer_of(c, ANSWER_BODY);
	struct ota_fate fate = { .diag = &c->device.talk.diag };
	int bad = ota_judge(out, &answer, &fate, err);

	/* One that is to be activated first looks at firmware before that. */
	if (!bad || err->kind != ERR_UNMET)
		tell_news(c, out, fate.found);
	if (!bad)
		bad = take_reply(c, out, &fate, err);
	if (fate.dead)
		pretend_died(&c->device, fate.of);
	return bad;
}

static void tell_ota_reply(struct board_link *c)
{
	struct trace t;

	if (!c->line.ota.reply.has_head)
		return;
	board_http_trace_reply(&t, &c->line.ota.reply);
	http_on(c, "ota", &t);
}

static bool is_to_install(const struct board_link *c,
			  const struct ota_reply *reply)
{
	const char *own = *c->device.version ?
				  c->device.version :
				  c->device.config.profile->about.version;

	return reply->firmware_version && reply->firmware_url &&
	       *reply->firmware_url &&
	       (reply->firmware_forced ||
		board_version_newer(reply->firmware_version, own));
}

static void on_answered(void *owner, const char *body, size_t len)
{
	struct board_link *c = owner;
	struct error err = { 0 };
	struct ota_reply reply;

	(void)body;
	(void)len;
	c->told_url = c->dead = false;
	c->read_reply = true;
	tell_ota_reply(c);
	if (read_reply(c, &reply, &err)) {
		c->dead = err.kind == ERR_UNMET;
		board_link_refuse(c, &err);
	} else if (c->plan->install && is_to_install(c, &reply)) {
		c->offered = TAKE(reply.firmware_url);
	}
	ota_reply_done(&reply);
	board_http_close(&c->line.ota);
}

static void on_failed(void *owner, enum http_failure what,
		      const struct error *why)
{
	struct board_link *c = owner;
	struct error told = { 0 };
	struct ota_answer answer;

	tell_ota_reply(c);
	if (what == HTTP_HUNG || what == HTTP_OTHER_STATUS) {
		answer = answer_of(c, ANSWER_BODY);
		diag_ota(&c->device.talk.diag, &answer);
	}
	if (what == HTTP_HUNG)
		pretend_died(&c->device, O306);
	c->told_url = false;
	c->hung = what == HTTP_HUNG;
	error_copy(&told, why);
	error_prefix(&told, "OTA");
	board_link_refuse(c, &told);
	board_http_close(&c->line.ota);
}

static void on_head(void *owner)
{
	struct board_link *c = owner;
	const struct ota_answer answer = answer_of(c, ANSWER_HEAD);

	diag_ota(&c->device.talk.diag, &answer);
}

/* It restarts instead of going where it was sent. */
static void loop_on(struct board_link *c)
{
	c->loops--;
	c->asked = false;
	timer_start(&c->again, CALLER_AGAIN_MS);
}

/* Where OTA sent it. */
static void go_on(struct board_link *c)
{
	if (c->told_url)
		board_link_dial(c, c->stored_url,
				c->plan->token ? c->plan->token :
						 c->stored_token);
	/* Told now, or stored before (device.md 5.4 item 2). */
	else if (c->where.host && !c->dead && !c->hung)
		board_link_join(c);
	else
		board_link_again(c);
}

/* What OTA offered comes first. */
static bool installs(struct board_link *c)
{
	CLEANUP(mem_free_ptr) char *url = TAKE(c->offered);

	c->installs = url && begin_fetch(c, url, false, on_fetched);
	return c->installs;
}

static void on_closed(void *owner)
{
	struct board_link *c = owner;

	c->using = LINE_NONE;
	c->asked = !c->dead;
	if (c->closing)
		board_link_maybe_closed(c);
	else if (c->loops > 0)
		loop_on(c);
	else if (!installs(c))
		go_on(c);
}

static void on_asks(void *owner, const struct buf *request)
{
	struct trace t;

	board_http_trace_request(&t, request, true);
	http_on(owner, "ota", &t);
}

static const struct board_http_events ota_events = {
	.asks = on_asks,
	.answered = on_answered,
	.failed = on_failed,
	.head = on_head,
	.closed = on_closed,
};

/* Of what was installed it knows no more than that. */
static struct ota_request with_version(const struct board_link *c,
				       const struct ota_request *about)
{
	struct ota_request mine = *about;

	if (*c->device.version)
		text_copy(mine.version, sizeof(mine.version),
			  c->device.version);
	return mine;
}

/* Ask, then go where it says. */
static void board_link_ask_ota(struct board_link *c)
{
	const struct profile *p = c->device.config.profile;
	struct ota_request about = with_version(c, &p->about);
	CLEANUP(mem_free_ptr)
	char *agent = mem_printf("%s/%s", about.board_name, about.version);
	struct board_ws_url u;
	struct buf request;

	if (board_link_usable(c, c->plan->ota, NULL, &u)) {
		board_link_again(c);
		return;
	}
	text_copy(about.device_id, sizeof(about.device_id),
		  c->device.device_id);
	text_copy(about.client_id, sizeof(about.client_id),
		  c->device.client_id);
	text_copy(about.user_agent, sizeof(about.user_agent), agent);
	buf_init(&request, 0);
	board_ws_ota_request(&request, &u, &about);
	c->events->step(c, CALLER_ASKS, c->plan->ota);
	c->using = LINE_OTA;
	board_http_open(&c->line.ota, c->plan->loop, &u, &request, &ota_events,
			c);
	board_ws_url_done(&u);
}

static int no_url(const struct board_link *c, struct error *err)
{
	return ota_no_address(
		c->stored_url ?
			"the OTA reply has a 'websocket' whose url is empty: a real device stores that in place of the address that it had" :
			"the OTA reply has a 'websocket' without a url that is a text: a real device stays on WebSocket with the address that it has stored; this one has none stored",
		err);
}
