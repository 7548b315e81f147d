/* SPDX-License-Identifier: MIT */
/*
 * Joins a device to its connection. What is said is the device's matter, how
 * it is framed dial's, when it starts and what is counted fleet's.
 */
#include "sim/board_link.h"

#include <string.h>

#include "base/mem.h"
#include "sim/board_link_private.h"

/* The device's events. */

static void device_text_out(void *owner, const char *text, size_t len)
{
	struct board_link *c = owner;

	if (c->using == LINE_DIAL)
		board_ws_text(&c->line.dial, text, len);
	else if (c->using == LINE_MQTT)
		broker_line_text(&c->line.mqtt, text, len);
}

static void device_binary_out(void *owner, const void *data, size_t len)
{
	struct board_link *c = owner;

	if (c->using == LINE_MQTT) {
		board_link_sound(c, data, len);
		return;
	}
	if (c->using == LINE_DIAL)
		board_ws_binary(&c->line.dial, data, len);
	c->plan->audio->sent++;
}

void board_link_over(struct board_link *c, const char *why)
{
	if (!c->opened)
		return;
	c->opened = false;
	pretend_hang_up(&c->device);
	c->events->step(c, CALLER_CLOSED, why);
}

static void device_cut_out(void *owner, const char *text, size_t len,
			   bool close_frame)
{
	struct board_link *c = owner;

	if (c->using == LINE_DIAL)
		board_ws_cut(&c->line.dial, text, len, close_frame);
	else
		board_link_mqtt_cut(c, text, len);
	board_link_over(
		c, "ended in the middle of a reply, as the fault wants it");
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

	board_link_over(c, "dropped by the device");
	c->asked = false;
	hang_up(c);
}

static bool device_full(void *owner)
{
	const struct board_link *c = owner;

	return c->using == LINE_DIAL && board_ws_is_full(&c->line.dial);
}

static void device_note_out(void *owner, enum pretend_note what,
			    const char *text)
{
	struct board_link *c = owner;

	c->events->note(c, what, text);
}

static void device_hazard_out(void *owner, enum hazard h)
{
	struct board_link *c = owner;

	c->events->hazard(c, h);
}

static const struct pretend_events device_events = {
	.text = device_text_out,
	.binary = device_binary_out,
	.audio = board_link_audio,
	.cut = device_cut_out,
	.drop = device_drop_out,
	.full = device_full,
	.note = device_note_out,
	.hazard = device_hazard_out,
};

/* The connection's events. */

void board_link_opened(void *owner)
{
	struct board_link *c = owner;

	c->opened = true;
	c->wait_ms = CALLER_AGAIN_MS;
	c->events->step(c, CALLER_OPENED, NULL);
	pretend_open(&c->device);
}

void board_link_text(void *owner, const char *text, size_t len)
{
	struct board_link *c = owner;

	pretend_text(&c->device, text, len);
}

static void on_binary(void *owner, size_t len)
{
	struct board_link *c = owner;

	/* Speech that is not asked for is dropped (1.7). */
	(void)len;
	c->plan->audio->received++;
}

static void on_peer_close(void *owner, int code)
{
	struct board_link *c = owner;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("the backend sent Close%s%.0d", code ? " " : "",
				code);

	c->events->note(c, DEVICE_LINE, text);
	pretend_peer_close(&c->device);
	/* 1.4: the board's next open ends a TCP that the peer left open. */
	if (c->plan->reconnect)
		timer_start(&c->again, DEVICE_LEFT_OPEN_MS + CALLER_AGAIN_MS);
}

void board_link_lost(struct board_link *c, const char *why)
{
	if (c->opened)
		board_link_over(c, why ? why : "closed by the backend");
	else
		c->events->step(c, CALLER_REFUSED, why);
}

static void on_ended(void *owner, const char *why)
{
	struct board_link *c = owner;

	board_link_lost(c, why);
	board_ws_close(&c->line.dial);
}

void board_link_maybe_closed(struct board_link *c)
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

void board_link_line_closed(void *owner)
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
	.ended = on_ended,
	.closed = board_link_line_closed,
};

void board_link_refuse(struct board_link *c, struct error *why)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s%s%s", why->text, *why->hint ? "; " : "",
				why->hint);

	c->events->step(c, CALLER_REFUSED, text);
	error_reset(why);
}

/* An address that this program can dial; -1: refused. */
int board_link_usable(struct board_link *c, const char *text,
		      struct board_ws_url *out)
{
	struct error err = { 0 };

	if (board_ws_url_parse(out, text, &err)) {
		hazard_tell(&c->device.watch, HAZARD_OTA_URL);
		board_link_refuse(c, &err);
		return -1;
	}
	if (!out->tls)
		return 0;
	board_ws_url_done(out);
	error_set(&err, ERR_CONNECT,
		  "address '%.200s': TLS is not spoken by the simulated device",
		  text);
	error_hint(&err, "use ws:// or http://, past the proxy that adds TLS");
	board_link_refuse(c, &err);
	return -1;
}

void board_link_dial(struct board_link *c, const char *url, const char *token)
{
	const struct board_ws_identity who = {
		.device_id = c->device.device_id,
		.client_id = c->device.client_id,
		.token = token,
		.frame_version = c->device.config.frame_version,
	};
	struct board_ws_url u;

	if (board_link_usable(c, url, &u)) {
		board_link_again(c);
		return;
	}
	c->events->step(c, CALLER_DIALS, url);
	pretend_set_mqtt(&c->device, false);
	c->using = LINE_DIAL;
	board_ws_open(&c->line.dial, c->plan->loop, &u, &who, &dial_events, c);
	board_ws_url_done(&u);
}

static void go(struct board_link *c)
{
	c->started = loop_now();
	if (c->plan->ota && !(c->asked && c->where.host))
		board_link_ask_ota(c);
	else if (c->plan->mqtt || c->where.host)
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
	board_link_over(
		c, "left open by the backend after its Close; dials again");
	hang_up(c);
}

void board_link_again(struct board_link *c)
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

void board_link_init(struct board_link *c, const struct board_link_plan *plan,
		     const struct pretend_config *config, const char *device_id,
		     const char *client_id)
{
	struct pretend_config mine = *config;

	c->plan = plan;
	c->wait_ms = CALLER_AGAIN_MS;
	mine.owner = c;
	mine.events = &device_events;
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
	timer_close(&c->again, on_timer_closed);
	pretend_close(&c->device, on_device_closed);
	if (c->using == LINE_OTA)
		board_http_close(&c->line.ota);
	else
		hang_up(c);
}
