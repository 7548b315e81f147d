/* SPDX-License-Identifier: MIT */
/*
 * A broker as a way to the bridge, by MCP over MQTT: each board is a server of
 * its own there (board_presence.h), since a client chooses among servers.
 */
#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "bridge/board_presence.h"
#include "cli/app.h"
#include "cli/setup.h"
#include "net/address.h"
#include "net/mqtt.h"

struct front_mqtt {
	const struct front_order *order;
	struct endpoint broker;
	struct presence_place place;
	struct board_presence **board;
	size_t count, capacity, closed;
	bool all_closed;
	bool missing; /* that the broker is not there was told */
	unsigned refused; /* kinds of topics of which that was told */
};

static bool is_wanted(const struct bridge_options *o)
{
	return o->mcp_mqtt != NULL;
}

static void tell(const struct front_mqtt *f, const char *format, ...)
	PRINTF_LIKE(2, 3);
static void tell(const struct front_mqtt *f, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	f->order->told(f->order->owner, text);
}

/* A broker that goes takes all with it: that is one line. */
static void on_told(void *owner, struct board_presence *p,
		    const struct error *why)
{
	struct front_mqtt *f = owner;

	if (why && !f->missing)
		tell(f, "%s%s%s; it is tried again", why->text,
		     *why->hint ? ": " : "", why->hint);
	else if (!why)
		tell(f, "at the broker '%s' as %s", f->broker.host,
		     board_presence_server(p));
	/* Its rules may be others when it is back. */
	if (!why && f->missing)
		f->refused = 0;
	f->missing = why != NULL;
	*f->order->woken = true;
}

/* With many boards, and many clients, one rule refuses as often. */
static void on_refused(void *owner, unsigned kind, const struct error *why)
{
	struct front_mqtt *f = owner;

	if (!(f->refused & kind))
		tell(f, "%s%s%s; other topics of that kind are not told",
		     why->text, *why->hint ? ": " : "", why->hint);
	f->refused |= kind;
	*f->order->woken = true;
}

/* ---- which broker ---- */

static int wrong_broker(const char *text, struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(text);

	error_prefix(err, "option '--mcp-mqtt': '%.100s'", shown);
	return error_hint(
		err, "expected mqtt://[USER@]HOST[:PORT][/PREFIX], or mqtts");
}

/* MCP's own target, but for the name of the scheme; its path is the prefix. */
static int read_broker(struct front_mqtt *f, struct error *err)
{
	const char *text = f->order->options->mcp_mqtt;
	const struct config *c = &f->order->app->config;
	CLEANUP(mem_free_ptr) char *target = mem_printf("mcp+%s", text);

	if (!text_starts(text, "mqtt://") && !text_starts(text, "mqtts://")) {
		error_set(err, ERR_USAGE, "it is no broker");
		return wrong_broker(text, err);
	}
	if (endpoint_read(&f->broker, target, "--mcp-mqtt", err))
		return wrong_broker(text, err);
	if (strpbrk(f->broker.path, "+#")) {
		error_set(err, ERR_USAGE, "a prefix has neither + nor #");
		return wrong_broker(text, err);
	}
	f->broker.cacert = mem_strdup(c->cacert);
	f->broker.insecure = c->insecure;
	if (!f->broker.user)
		return 0;
	return secret_read(&f->broker.password, c->mqtt_password_file,
			   "MCPCTL_MQTT_PASSWORD", err);
}

/* What boards say and are told goes over the network as it is. */
static void warn_plain(const struct front_mqtt *f)
{
	if (endpoint_has(&f->broker, SCHEME_TLS) ||
	    address_is_here(f->broker.host) ||
	    address_is_private(f->broker.host))
		return;
	tell(f,
	     "mqtt:// to '%s' is not encrypted: who is between reads and calls, too (mqtts:// is)",
	     f->broker.host);
}

static void close_mqtt(void *front);

/* It may be too new to have a place here. */
static void on_lost(void *owner, const struct bridge_peer *peer)
{
	struct front_mqtt *f = owner;

	for (size_t i = 0; i < f->count; i++) {
		if (!board_presence_is_of(f->board[i], peer))
			continue;
		board_presence_forget(f->board[i]);
		memmove(f->board + i, f->board + i + 1,
			(--f->count - i) * sizeof(struct board_presence *));
		return;
	}
}

static int open_mqtt(void **front, const struct front_order *order,
		     struct error *err)
{
	struct front_mqtt *f = mem_zalloc(sizeof(*f));

	f->order = order;
	f->place = (struct presence_place){
		.mqtt = module_table("mqtt", MQTT_TABLE, err),
		.broker = &f->broker,
		.bridge = order->bridge,
		.keep_asleep = order->options->keep_asleep,
		.told = on_told,
		.refused = on_refused,
		.owner = f,
	};
	if (!f->place.mqtt || read_broker(f, err)) {
		close_mqtt(f);
		return -1;
	}
	warn_plain(f);
	order->bridge->lost = on_lost;
	order->bridge->lost_owner = f;
	*front = f;
	return 0;
}

/* ---- which boards ---- */

static void take_peers(struct front_mqtt *f)
{
	const struct bridge *b = f->order->bridge;

	while (f->count < b->count) {
		f->board = mem_grow(f->board, &f->capacity, f->count,
				    sizeof(struct board_presence *));
		f->board[f->count] =
			board_presence_new(&f->place, b->peer[f->count]);
		f->count++;
	}
}

static int step(void *front, int64_t *next, struct error *err)
{
	struct front_mqtt *f = front;

	(void)err;
	take_peers(f);
	for (size_t i = 0; i < f->count; i++) {
		int64_t due = board_presence_tend(f->board[i]);

		if (due < *next)
			*next = due;
	}
	return 0;
}

static void on_closed(void *owner)
{
	struct front_mqtt *f = owner;

	f->all_closed = ++f->closed == f->count;
}

static void close_mqtt(void *front)
{
	struct front_mqtt *f = front;

	f->order->bridge->lost = NULL;
	for (size_t i = 0; i < f->count; i++)
		board_presence_close(f->board[i], on_closed, f);
	/* Connections take at most a second for what is to be said. */
	while (f->count && !f->all_closed &&
	       loop_wait(f->order->app->loop, &f->all_closed, LOOP_FOREVER,
			 NULL))
		;
	mem_free(f->board);
	endpoint_done(&f->broker);
	mem_free(f);
}

const struct bridge_front bridge_front_mqtt = {
	.name = "mcp-mqtt",
	.wanted = is_wanted,
	.open = open_mqtt,
	.step = step,
	.close = close_mqtt,
};
