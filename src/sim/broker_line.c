/* SPDX-License-Identifier: MIT */
/* A connection of the mqtt module, with the board's own limits of time. */
#include "sim/broker_line.h"

#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/why.h"

void broker_where_done(struct broker_where *w)
{
	mem_free(w->host);
	mem_free(w->user);
	mem_free(w->password);
	mem_free(w->client_id);
	mem_free(w->up);
	mem_free(w->down);
	*w = (struct broker_where){ 0 };
}

static void end(struct broker_line *d, const struct error *why)
{
	if (d->ended)
		return;
	d->ended = true;
	d->events->ended(d->owner, why);
}

static void on_connected(void *owner)
{
	struct broker_line *d = owner;
	struct error err = { 0 };

	if (d->ended || d->open)
		return;
	if (d->down && d->table->subscribe(d->client, d->down, &err)) {
		end(d, &err);
		error_reset(&err);
		return;
	}
	timer_stop(&d->timer);
	d->open = true;
	d->events->opened(d->owner);
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct broker_line *d = owner;

	(void)topic; /* 2.2: firmware never looks at it */
	if (d->open && !d->ended)
		d->events->text(d->owner, data, len);
}

static void on_lost(void *owner, const struct error *why)
{
	end(owner, why);
}

static const struct mqtt_client_events client_events = {
	.connected = on_connected,
	.message = on_message,
	.lost = on_lost,
};

static void on_timer(void *owner)
{
	struct broker_line *d = owner;

	if (!d->why.kind) {
		error_set(
			&d->why, ERR_CONNECT,
			"the broker did not accept the connection within 10 s");
		error_reason(&d->why, WHY_SILENT);
	}
	end(d, &d->why);
}

int broker_line_open(struct broker_line *d,
		     const struct broker_line_order *order, struct error *err)
{
	const struct broker_where *to = order->where;
	const struct mqtt_options options = {
		.host = to->host,
		.port = to->port,
		.tls = to->tls,
		.insecure = order->insecure,
		.cacert = order->cacert,
		.user = to->user,
		.password = to->password,
		.client_id = to->client_id,
		.keepalive = (int)to->keepalive,
		.retained = true, /* firmware does not look at the flag */
	};

	*d = (struct broker_line){ 0 };
	d->events = order->events;
	d->owner = order->owner;
	d->table = module_table("mqtt", MQTT_TABLE, err);
	if (!d->table)
		return -1;
	d->client = d->table->client_open(order->loop, &options, &client_events,
					  d, err);
	if (!d->client)
		return -1;
	d->up = mem_strdup(to->up);
	d->down = mem_strdup(to->down);
	timer_open(&d->timer, order->loop, on_timer, d);
	timer_start(&d->timer, MQTT_CONNECT_MS);
	return 0;
}

void broker_line_text(struct broker_line *d, const char *text, size_t len)
{
	if (!d->open || d->ended || !d->up)
		return;
	if (!d->table->publish(d->client, d->up, text, len, &d->why))
		return;
	timer_start(&d->timer, 0); /* told from the loop */
}

static void maybe_closed(struct broker_line *d)
{
	if (!d->client_gone || !d->timer_gone)
		return;
	mem_free(d->up);
	mem_free(d->down);
	error_reset(&d->why);
	d->up = d->down = NULL;
	d->events->closed(d->owner);
}

static void on_client_closed(void *owner)
{
	struct broker_line *d = owner;

	d->client_gone = true;
	maybe_closed(d);
}

static void on_timer_closed(void *owner)
{
	struct broker_line *d = owner;

	d->timer_gone = true;
	maybe_closed(d);
}

void broker_line_close(struct broker_line *d)
{
	if (d->closing)
		return;
	d->closing = d->ended = true;
	timer_close(&d->timer, on_timer_closed);
	d->table->client_close(d->client, on_client_closed);
}
