/* SPDX-License-Identifier: MIT */
/*
 * Joins a device to its connection. What is said is the device's matter, how
 * it is framed dial's, when it starts and what is counted fleet's.
 */
#include "sim/caller.h"

#include <string.h>

#include "base/mem.h"
#include "sim/ota_judge.h"

static void again_or_finish(struct caller *c);

/* The device's events. */

static void device_text_out(void *owner, const char *text, size_t len)
{
	struct caller *c = owner;

	if (c->using == LINE_DIAL)
		dial_text(&c->line.dial, text, len);
}

static void device_binary_out(void *owner, const void *data, size_t len)
{
	struct caller *c = owner;

	if (c->using == LINE_DIAL)
		dial_binary(&c->line.dial, data, len);
}

static void over(struct caller *c, const char *why)
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
	over(c, "ended in the middle of a reply, as the fault wants it");
}

static void device_drop_out(void *owner)
{
	struct caller *c = owner;

	over(c, "dropped by the device");
	if (c->using == LINE_DIAL)
		dial_close(&c->line.dial);
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
	.cut = device_cut_out,
	.drop = device_drop_out,
	.note = device_note_out,
	.hazard = device_hazard_out,
};

/* The connection's events. */

static void on_opened(void *owner)
{
	struct caller *c = owner;

	c->opened = true;
	c->wait_ms = CALLER_AGAIN_MS;
	c->events->step(c, CALLER_OPENED, NULL);
	device_open(&c->device);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct caller *c = owner;

	device_text(&c->device, text, len);
}

static void on_binary(void *owner, size_t len)
{
	/* Speech that is not asked for is dropped (1.7). */
	(void)owner;
	(void)len;
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

static void on_ended(void *owner, const char *why)
{
	struct caller *c = owner;

	if (c->opened)
		over(c, why ? why : "closed by the backend");
	else
		c->events->step(c, CALLER_REFUSED, why);
	dial_close(&c->line.dial);
}

static void maybe_closed(struct caller *c)
{
	if (!c->closing || c->using != LINE_NONE || !c->device_gone ||
	    !c->timer_gone)
		return;
	mem_free(c->next_url);
	mem_free(c->next_token);
	c->next_url = c->next_token = NULL;
	c->events->closed(c);
}

static void on_dial_closed(void *owner)
{
	struct caller *c = owner;

	c->using = LINE_NONE;
	if (c->closing)
		maybe_closed(c);
	else
		again_or_finish(c);
}

static const struct dial_events dial_events = {
	.opened = on_opened,
	.text = on_text,
	.binary = on_binary,
	.peer_close = on_peer_close,
	.ended = on_ended,
	.closed = on_dial_closed,
};

static void refuse(struct caller *c, struct error *why)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s%s%s", why->text, *why->hint ? "; " : "",
				why->hint);

	c->events->step(c, CALLER_REFUSED, text);
	error_reset(why);
}

/* An address that this program can dial; -1: refused. */
static int usable(struct caller *c, const char *text, struct wire_url *out)
{
	struct error err = { 0 };

	if (wire_url_parse(out, text, &err)) {
		hazard_tell(&c->device.watch, HAZARD_OTA_URL);
		refuse(c, &err);
		return -1;
	}
	if (!out->tls)
		return 0;
	wire_url_done(out);
	error_set(&err, ERR_CONNECT,
		  "address '%.200s': TLS is not spoken by the simulated device",
		  text);
	error_hint(&err, "use ws:// or http://, past the proxy that adds TLS");
	refuse(c, &err);
	return -1;
}

static void dial(struct caller *c, const char *url, const char *token)
{
	const struct wire_identity who = {
		.device_id = c->device.device_id,
		.client_id = c->device.client_id,
		.token = token,
		.frame_version = c->device.config.frame_version,
	};
	struct wire_url u;

	if (usable(c, url, &u)) {
		again_or_finish(c);
		return;
	}
	c->events->step(c, CALLER_DIALS, url);
	c->using = LINE_DIAL;
	dial_open(&c->line.dial, c->plan->loop, &u, &who, &dial_events, c);
	wire_url_done(&u);
}

/* OTA's events. */

static void take_version(struct caller *c, int64_t told)
{
	int64_t version = c->plan->frame_version;

	if (!version)
		version = told;
	if (version < 1 || version > 3)
		version = 1;
	device_set_version(&c->device, (int)version);
}

static void on_answered(void *owner, const char *body, size_t len)
{
	struct caller *c = owner;
	struct error err = { 0 };
	struct ota_reply reply;

	if (ota_judge(&reply, body, len, &c->device.watch, &err)) {
		refuse(c, &err);
	} else {
		c->next_url = TAKE(reply.websocket_url);
		c->next_token = TAKE(reply.websocket_token);
		take_version(c, reply.websocket_version);
	}
	ota_reply_done(&reply);
	ota_client_close(&c->line.ota);
}

static void on_failed(void *owner, const char *why)
{
	struct caller *c = owner;
	CLEANUP(mem_free_ptr) char *text = mem_printf("OTA: %s", why);

	c->events->step(c, CALLER_REFUSED, text);
	ota_client_close(&c->line.ota);
}

static void on_ota_hazard(void *owner, enum hazard h)
{
	struct caller *c = owner;

	hazard_tell(&c->device.watch, h);
}

static void on_ota_closed(void *owner)
{
	struct caller *c = owner;
	CLEANUP(mem_free_ptr) char *url = TAKE(c->next_url);
	CLEANUP(mem_free_ptr) char *token = TAKE(c->next_token);

	c->using = LINE_NONE;
	if (c->closing)
		maybe_closed(c);
	else if (url)
		dial(c, url, c->plan->token ? c->plan->token : token);
	else
		again_or_finish(c);
}

static const struct ota_client_events ota_events = {
	.answered = on_answered,
	.failed = on_failed,
	.hazard = on_ota_hazard,
	.closed = on_ota_closed,
};

static void fill(char *out, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
}

static void ask_ota(struct caller *c)
{
	const struct profile *p = c->device.config.profile;
	struct ota_request about = p->about;
	CLEANUP(mem_free_ptr)
	char *agent = mem_printf("%s/%s", about.board_name, about.version);
	struct wire_url u;

	if (usable(c, c->plan->ota, &u)) {
		again_or_finish(c);
		return;
	}
	fill(about.device_id, sizeof(about.device_id), c->device.device_id);
	fill(about.client_id, sizeof(about.client_id), c->device.client_id);
	fill(about.user_agent, sizeof(about.user_agent), agent);
	c->events->step(c, CALLER_ASKS, c->plan->ota);
	c->using = LINE_OTA;
	ota_client_open(&c->line.ota, c->plan->loop, &u, &about, &ota_events,
			c);
	wire_url_done(&u);
}

static void go(struct caller *c)
{
	c->started = loop_now();
	if (c->plan->ota)
		ask_ota(c);
	else
		dial(c, c->plan->connect, c->plan->token);
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
	over(c, "left open by the backend after its Close; dials again");
	if (c->using == LINE_DIAL)
		dial_close(&c->line.dial);
}

static void again_or_finish(struct caller *c)
{
	if (!c->plan->reconnect) {
		c->events->finished(c);
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
	take_version(c, 0);
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
	maybe_closed(c);
}

static void on_timer_closed(void *owner)
{
	struct caller *c = owner;

	c->timer_gone = true;
	maybe_closed(c);
}

void caller_close(struct caller *c)
{
	if (c->closing)
		return;
	c->closing = true;
	if (c->opened)
		device_hang_up(&c->device);
	c->opened = false;
	timer_close(&c->again, on_timer_closed);
	device_close(&c->device, on_device_closed);
	if (c->using == LINE_OTA)
		ota_client_close(&c->line.ota);
	else if (c->using == LINE_DIAL)
		dial_close(&c->line.dial);
}
