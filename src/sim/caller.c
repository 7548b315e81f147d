/* SPDX-License-Identifier: MIT */
/*
 * Joins a device to its connection. What is said is the device's matter, how
 * it is framed dial's, when it starts and what is counted fleet's.
 */
#include "sim/caller.h"

#include <string.h>

#include "base/mem.h"
#include "sim/caller_private.h"

/* The device's events. */

static void device_text_out(void *owner, const char *text, size_t len)
{
	struct caller *c = owner;

	if (c->using == LINE_DIAL)
		dial_text(&c->line.dial, text, len);
	else if (c->using == LINE_MQTT)
		broker_line_text(&c->line.mqtt, text, len);
}

static void device_binary_out(void *owner, const void *data, size_t len)
{
	struct caller *c = owner;

	if (c->using == LINE_MQTT) {
		caller_sound(c, data, len);
		return;
	}
	if (c->using == LINE_DIAL)
		dial_binary(&c->line.dial, data, len);
	c->plan->audio->sent++;
}

void caller_over(struct caller *c, const char *why)
{
	if (!c->opened)
		return;
	c->opened = false;
	device_hang_up(&c->device);
	c->events->step(c, CALLER_CLOSED, why);
}

static void device_cut_out(void *owner, const char *text, size_t len,
			   bool close_frame)
{
	struct caller *c = owner;

	if (c->using == LINE_DIAL)
		dial_cut(&c->line.dial, text, len, close_frame);
	else
		caller_mqtt_cut(c, text, len);
	caller_over(c, "ended in the middle of a reply, as the fault wants it");
}

static void hang_up(struct caller *c)
{
	if (c->using == LINE_DIAL)
		dial_close(&c->line.dial);
	else if (c->using == LINE_MQTT)
		broker_line_close(&c->line.mqtt);
}

static void device_drop_out(void *owner)
{
	struct caller *c = owner;

	caller_over(c, "dropped by the device");
	c->asked = false;
	hang_up(c);
}

static bool device_full(void *owner)
{
	const struct caller *c = owner;

	return c->using == LINE_DIAL && dial_is_full(&c->line.dial);
}

static void device_note_out(void *owner, enum device_note what,
			    const char *text)
{
	struct caller *c = owner;

	c->events->note(c, what, text);
}

static void device_hazard_out(void *owner, enum hazard h)
{
	struct caller *c = owner;

	c->events->hazard(c, h);
}

static const struct device_events device_events = {
	.text = device_text_out,
	.binary = device_binary_out,
	.audio = caller_audio,
	.cut = device_cut_out,
	.drop = device_drop_out,
	.full = device_full,
	.note = device_note_out,
	.hazard = device_hazard_out,
};

/* The connection's events. */

void caller_opened(void *owner)
{
	struct caller *c = owner;

	c->opened = true;
	c->wait_ms = CALLER_AGAIN_MS;
	c->events->step(c, CALLER_OPENED, NULL);
	device_open(&c->device);
}

void caller_text(void *owner, const char *text, size_t len)
{
	struct caller *c = owner;

	device_text(&c->device, text, len);
}

static void on_binary(void *owner, size_t len)
{
	struct caller *c = owner;

	/* Speech that is not asked for is dropped (1.7). */
	(void)len;
	c->plan->audio->received++;
}

static void on_peer_close(void *owner, int code)
{
	struct caller *c = owner;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("the backend sent Close%s%.0d", code ? " " : "",
				code);

	c->events->note(c, DEVICE_LINE, text);
	device_peer_close(&c->device);
	/* 1.4: the board's next open ends a TCP that the peer left open. */
	if (c->plan->reconnect)
		timer_start(&c->again, DEVICE_LEFT_OPEN_MS + CALLER_AGAIN_MS);
}

void caller_lost(struct caller *c, const char *why)
{
	if (c->opened)
		caller_over(c, why ? why : "closed by the backend");
	else
		c->events->step(c, CALLER_REFUSED, why);
}

static void on_ended(void *owner, const char *why)
{
	struct caller *c = owner;

	caller_lost(c, why);
	dial_close(&c->line.dial);
}

void caller_maybe_closed(struct caller *c)
{
	if (!c->closing || c->using != LINE_NONE || !c->device_gone ||
	    !c->timer_gone)
		return;
	mem_free(c->next_url);
	mem_free(c->next_token);
	c->next_url = c->next_token = NULL;
	broker_where_done(&c->where);
	c->events->closed(c);
}

void caller_line_closed(void *owner)
{
	struct caller *c = owner;

	c->using = LINE_NONE;
	if (c->closing)
		caller_maybe_closed(c);
	else
		caller_again(c);
}

static const struct dial_events dial_events = {
	.opened = caller_opened,
	.text = caller_text,
	.binary = on_binary,
	.peer_close = on_peer_close,
	.ended = on_ended,
	.closed = caller_line_closed,
};

void caller_refuse(struct caller *c, struct error *why)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s%s%s", why->text, *why->hint ? "; " : "",
				why->hint);

	c->events->step(c, CALLER_REFUSED, text);
	error_reset(why);
}

/* An address that this program can dial; -1: refused. */
int caller_usable(struct caller *c, const char *text, struct wire_url *out)
{
	struct error err = { 0 };

	if (wire_url_parse(out, text, &err)) {
		hazard_tell(&c->device.watch, HAZARD_OTA_URL);
		caller_refuse(c, &err);
		return -1;
	}
	if (!out->tls)
		return 0;
	wire_url_done(out);
	error_set(&err, ERR_CONNECT,
		  "address '%.200s': TLS is not spoken by the simulated device",
		  text);
	error_hint(&err, "use ws:// or http://, past the proxy that adds TLS");
	caller_refuse(c, &err);
	return -1;
}

void caller_dial(struct caller *c, const char *url, const char *token)
{
	const struct wire_identity who = {
		.device_id = c->device.device_id,
		.client_id = c->device.client_id,
		.token = token,
		.frame_version = c->device.config.frame_version,
	};
	struct wire_url u;

	if (caller_usable(c, url, &u)) {
		caller_again(c);
		return;
	}
	c->events->step(c, CALLER_DIALS, url);
	device_set_mqtt(&c->device, false);
	c->using = LINE_DIAL;
	dial_open(&c->line.dial, c->plan->loop, &u, &who, &dial_events, c);
	wire_url_done(&u);
}

static void go(struct caller *c)
{
	c->started = loop_now();
	if (c->plan->ota && !(c->asked && c->where.host))
		caller_ask_ota(c);
	else if (c->plan->mqtt || c->where.host)
		caller_join(c);
	else
		caller_dial(c, c->plan->connect, c->plan->token);
}

static void on_again(void *owner)
{
	struct caller *c = owner;

	if (c->closing)
		return;
	if (c->using == LINE_NONE) {
		go(c);
		return;
	}
	caller_over(c, "left open by the backend after its Close; dials again");
	hang_up(c);
}

void caller_again(struct caller *c)
{
	if (!c->plan->reconnect) {
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

void caller_init(struct caller *c, const struct caller_plan *plan,
		 const struct device_config *config, const char *device_id,
		 const char *client_id)
{
	struct device_config mine = *config;

	c->plan = plan;
	c->wait_ms = CALLER_AGAIN_MS;
	mine.owner = c;
	mine.events = &device_events;
	device_init(&c->device, &mine, device_id, client_id);
	caller_take_version(c, 0);
	timer_open(&c->again, plan->loop, on_again, c);
}

void caller_start(struct caller *c)
{
	go(c);
}

static void on_device_closed(void *owner)
{
	struct caller *c = owner;

	c->device_gone = true;
	caller_maybe_closed(c);
}

static void on_timer_closed(void *owner)
{
	struct caller *c = owner;

	c->timer_gone = true;
	caller_maybe_closed(c);
}

void caller_close(struct caller *c)
{
	if (c->closing)
		return;
	c->closing = true;
	if (c->opened) {
		device_end_session(&c->device);
		device_hang_up(&c->device);
	}
	c->opened = false;
	timer_close(&c->again, on_timer_closed);
	device_close(&c->device, on_device_closed);
	if (c->using == LINE_OTA)
		http_ask_close(&c->line.ota);
	else
		hang_up(c);
}
