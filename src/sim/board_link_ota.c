/* SPDX-License-Identifier: MIT */
/*
 * A caller asks OTA and goes where the reply sends it. What a board makes of
 * the reply is ota_judge.c's matter.
 */
#include <string.h>

#include "base/mem.h"
#include "sim/board_link_private.h"
#include "sim/ota_judge.h"

void board_link_take_version(struct board_link *c, int64_t told)
{
	int64_t version = c->plan->frame_version;

	if (!version)
		version = told;
	if (version < 1 || version > 3)
		version = 1;
	pretend_set_version(&c->device, (int)version);
}

/* Whatever was stored before is overwritten; without a broker it stays. */
static int take_reply(struct board_link *c, struct ota_reply *reply,
		      struct error *err)
{
	struct broker_where where;

	if (!reply->mqtt) {
		broker_where_done(&c->where);
		c->next_url = TAKE(reply->websocket_url);
		c->next_token = TAKE(reply->websocket_token);
		board_link_take_version(c, reply->websocket_version);
		return 0;
	}
	if (ota_broker(&where, reply->mqtt, &c->device.watch, err))
		return -1;
	broker_where_done(&c->where);
	c->where = where;
	return 0;
}

static void on_answered(void *owner, const char *body, size_t len)
{
	struct board_link *c = owner;
	struct error err = { 0 };
	struct ota_reply reply;

	if (ota_judge(&reply, body, len, &c->device.watch, &err) ||
	    take_reply(c, &reply, &err))
		board_link_refuse(c, &err);
	ota_reply_done(&reply);
	board_http_close(&c->line.ota);
}

static void on_failed(void *owner, enum http_failure what, const char *why)
{
	struct board_link *c = owner;
	CLEANUP(mem_free_ptr) char *text = mem_printf("OTA: %s", why);

	if (what == HTTP_HUNG)
		hazard_tell(&c->device.watch, HAZARD_OTA_TOO_LONG);
	c->events->step(c, CALLER_REFUSED, text);
	board_http_close(&c->line.ota);
}

static void on_odd(void *owner, enum http_oddity what)
{
	struct board_link *c = owner;

	hazard_tell(&c->device.watch, what == HTTP_NO_LENGTH ?
					      HAZARD_OTA_LENGTH :
					      HAZARD_OTA_CLOSED);
}

static void on_closed(void *owner)
{
	struct board_link *c = owner;
	CLEANUP(mem_free_ptr) char *url = TAKE(c->next_url);
	CLEANUP(mem_free_ptr) char *token = TAKE(c->next_token);

	c->using = LINE_NONE;
	c->asked = true;
	if (c->closing)
		board_link_maybe_closed(c);
	else if (url)
		board_link_dial(c, url,
				c->plan->token ? c->plan->token : token);
	else if (c->where.host) /* told now, or stored before (5.4 item 2) */
		board_link_join(c);
	else
		board_link_again(c);
}

static const struct board_http_events ota_events = {
	.answered = on_answered,
	.failed = on_failed,
	.odd = on_odd,
	.closed = on_closed,
};

static void fill(char *out, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
}

void board_link_ask_ota(struct board_link *c)
{
	const struct profile *p = c->device.config.profile;
	struct ota_request about = p->about;
	CLEANUP(mem_free_ptr)
	char *agent = mem_printf("%s/%s", about.board_name, about.version);
	struct board_ws_url u;
	struct buf request;

	if (board_link_usable(c, c->plan->ota, &u)) {
		board_link_again(c);
		return;
	}
	fill(about.device_id, sizeof(about.device_id), c->device.device_id);
	fill(about.client_id, sizeof(about.client_id), c->device.client_id);
	fill(about.user_agent, sizeof(about.user_agent), agent);
	buf_init(&request, 0);
	board_ws_ota_request(&request, &u, &about);
	c->events->step(c, CALLER_ASKS, c->plan->ota);
	c->using = LINE_OTA;
	board_http_open(&c->line.ota, c->plan->loop, &u, &request, &ota_events,
			c);
	board_ws_url_done(&u);
}
