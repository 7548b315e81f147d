/* SPDX-License-Identifier: MIT */
#include "clients/point_link.h"

#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/text.h"
#include "clients/point_pace.h"
#include "net/ws.h"

#define MESSAGE_MAX ((size_t)1 << 20)

struct point_link {
	struct point_link_order order;
	const struct point_link_events *events;
	void *owner;
	struct endpoint to;
	struct transport transport;
	struct point_pace pace;
	struct timer timer; /* until it is dialled, or looked at, again */
	int64_t up_at, heard_at; /* loop_now() ms */
	bool up, closing, over;
	bool dead; /* it was silent for too long: the end is ours */
	struct error why; /* of over */
};

static void line(struct point_link *l, const char *format, ...)
	PRINTF_LIKE(2, 3);
static void line(struct point_link *l, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	if (!l->closing)
		l->events->line(l->owner, text);
}

/* ---- its end ---- */

static void on_timer_closed(void *owner)
{
	struct point_link *l = owner;
	void (*closed)(void *owner) = l->events->closed;
	void *up = l->owner;

	endpoint_done(&l->to);
	error_reset(&l->why);
	mem_free(l);
	closed(up);
}

static void perhaps_closed(struct point_link *l)
{
	if (l->closing && !l->transport.impl)
		timer_close(&l->timer, on_timer_closed);
}

void point_link_close(struct point_link *l)
{
	l->closing = true;
	l->up = false;
	timer_stop(&l->timer);
	if (l->transport.impl)
		l->transport.ops->close(&l->transport);
	else
		perhaps_closed(l);
}

static void end(struct point_link *l, const struct error *why)
{
	l->over = true;
	l->events->over(l->owner, why);
}

/* ---- again ---- */

static uint32_t chance(void)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	return bits;
}

static const char *words_of(const struct error *why)
{
	return why->text[0] ? why->text : "it closed the connection";
}

static void wait_again(struct point_link *l, const struct error *why,
		       enum point_verdict verdict, int64_t wait)
{
	char ms[32];

	if (wait >= POINT_WAIT_MS)
		wait = wait / 1000 * 1000;
	text_milliseconds(wait, ms, sizeof(ms));
	if (verdict == POINT_TAKEN)
		line(l,
		     "%s: another tool side came with this token and took the place (does a bridge with it run elsewhere?); dialled again in %s",
		     l->order.shown, ms);
	else
		line(l, "%s: %s; dialled again in %s", l->order.shown,
		     words_of(why), ms);
	timer_start(&l->timer, wait);
}

static void ended(struct point_link *l, const struct error *why, int64_t lived)
{
	enum point_verdict verdict = POINT_AGAIN;
	int64_t wait = l->order.again;

	if (l->order.once) {
		end(l, why);
		return;
	}
	if (!wait)
		verdict =
			point_pace_next(&l->pace, why, lived, chance(), &wait);
	if (verdict != POINT_REFUSED) {
		wait_again(l, why, verdict, wait);
		return;
	}
	error_copy(&l->why, why);
	l->why.kind = ERR_AUTH;
	if (!l->why.hint[0])
		error_hint(
			&l->why,
			"copy the address of the access point anew, with its token");
	end(l, &l->why);
}

/* ---- the connection ---- */

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct point_link *l = owner;

	(void)peer;
	if (l->closing)
		return;
	l->up = true;
	l->up_at = l->heard_at = loop_now();
	timer_start(&l->timer, l->order.ping);
	line(l, "%s: connected", l->order.shown);
	l->events->up(l->owner);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct point_link *l = owner;

	l->heard_at = loop_now();
	if (!l->closing && kind == FRAME_TEXT)
		l->events->message(l->owner, data, len);
}

static void on_pong(void *owner)
{
	struct point_link *l = owner;

	l->heard_at = loop_now();
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)id;
	line(owner, "%s", why->text);
}

static void on_closed(void *owner, const struct error *told)
{
	struct point_link *l = owner;
	const int64_t lived = l->up ? loop_now() - l->up_at : 0;
	struct error silent = { 0 };
	const bool was_up = l->up;

	l->up = false;
	timer_stop(&l->timer);
	if (l->closing) {
		perhaps_closed(l);
		return;
	}
	if (l->dead)
		error_set(&silent, ERR_TIMEOUT,
			  "nothing came for %d s, not even a Pong",
			  POINT_SILENT_MS / 1000);
	l->dead = false;
	if (was_up)
		l->events->down(l->owner);
	ended(l, silent.kind ? &silent : told, lived);
}

static const struct transport_events link_events_ws = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.pong = on_pong,
	.closed = on_closed,
};

static void dial(struct point_link *l)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (l->transport.ops->open(&l->transport, &l->to, &why))
		ended(l, &why, 0);
}

/* While it is up: does it live? */
static void look(struct point_link *l)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	const int64_t now = loop_now();

	if (now - l->heard_at >= POINT_SILENT_MS) {
		l->dead = true;
		l->transport.ops->close(&l->transport);
		return;
	}
	l->transport.ops->ping(&l->transport, &ignored);
	timer_start(&l->timer, l->order.ping);
}

static void on_timer(void *owner)
{
	struct point_link *l = owner;

	if (l->up)
		look(l);
	else if (!l->over && !l->transport.impl)
		dial(l);
}

int point_link_send(struct point_link *l, const char *text, size_t len,
		    struct error *err)
{
	if (!l->up)
		return error_set(err, ERR_CONNECT,
				 "the access point is not connected");
	return l->transport.ops->send(&l->transport, text, len, err);
}

bool point_link_is_up(const struct point_link *l)
{
	return l->up;
}

static void configure(struct point_link *l)
{
	const struct point_link_order *o = &l->order;

	l->to.cacert = mem_strdup(o->cacert);
	l->to.insecure = o->insecure;
	l->to.message_max = o->message_max ? o->message_max : MESSAGE_MAX;
	for (size_t i = 0; o->headers && i < o->headers->count; i++)
		headers_add(&l->to.headers, o->headers->item[i].name,
			    o->headers->item[i].value);
	if (!l->order.ping)
		l->order.ping = POINT_PING_MS;
}

int point_link_open(struct point_link **out, const struct point_link_order *o,
		    const struct point_link_events *events, void *owner,
		    struct error *err)
{
	const struct ws_table *ws = module_table("ws", WS_TABLE, err);
	struct point_link *l;

	if (!ws)
		return -1;
	l = mem_zalloc(sizeof(*l));
	if (endpoint_read(&l->to, o->url, o->shown, err)) {
		mem_free(l);
		return -1;
	}
	l->order = *o;
	l->events = events;
	l->owner = owner;
	configure(l);
	l->transport = (struct transport){ .ops = &ws->dial,
					   .loop = o->loop,
					   .events = &link_events_ws,
					   .owner = l };
	timer_open(&l->timer, o->loop, on_timer, l);
	timer_start(&l->timer, 0);
	*out = l;
	return 0;
}
