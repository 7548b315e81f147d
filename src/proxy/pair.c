/* SPDX-License-Identifier: MIT */
/* Ends, and who waits for whom; the contract is in the header. */
#include "proxy/pair.h"

#include <errno.h>

#include "base/mem.h"

static enum side side_of(const struct tcp *t)
{
	const struct pair *p = t->owner;

	return t == &p->end[SIDE_DEVICE].tcp ? SIDE_DEVICE : SIDE_BACKEND;
}

static size_t waits(const struct pair *p, enum side to)
{
	const struct pair_end *e = &p->end[to];

	return (e->used ? tcp_waiting(&e->tcp) : 0) +
	       (to == SIDE_BACKEND ? p->early.len : 0);
}

/* Who writes faster than the other side reads waits. */
static void settle(struct pair *p, enum side from)
{
	struct pair_end *e = &p->end[from];
	size_t waiting = waits(p, OTHER_SIDE(from));
	bool hold = e->stopped || waiting > PAIR_WAITS_MAX ||
		    (e->tcp.held && waiting > PAIR_WAITS_MAX / 2);

	if (e->used)
		tcp_hold(&e->tcp, hold);
}

/* ---- the end ---- */

static void on_closed(struct tcp *t)
{
	struct pair *p = t->owner;

	p->end[side_of(t)].used = false;
	if (p->end[SIDE_DEVICE].used || p->end[SIDE_BACKEND].used || p->told)
		return;
	p->told = true;
	buf_done(&p->early);
	p->events->closed(p->owner);
}

void pair_reset(struct pair *p)
{
	p->closing = true;
	for (int i = 0; i < 2; i++) {
		if (p->end[i].used)
			tcp_reset(&p->end[i].tcp);
	}
}

void pair_leave(struct pair *p)
{
	if (waits(p, SIDE_DEVICE) || waits(p, SIDE_BACKEND))
		pair_reset(p);
	else
		pair_finish(p);
}

void pair_finish(struct pair *p)
{
	p->closing = true;
	for (int i = 0; i < 2; i++) {
		struct pair_end *e = &p->end[i];

		if (e->used && e->up && !e->shut)
			tcp_finish(&e->tcp);
		else if (e->used)
			tcp_close(&e->tcp);
	}
}

/* One side has ended, and the other one was told. */
static bool is_half(const struct pair *p)
{
	return p->end[SIDE_DEVICE].ended || p->end[SIDE_BACKEND].ended;
}

static bool is_done(const struct pair_end *e)
{
	return !e->used || (e->ended && e->shut);
}

/* Both sides have ended, and were told so. */
static void close_if_over(struct pair *p)
{
	if (p->closing || !is_done(&p->end[SIDE_DEVICE]) ||
	    !is_done(&p->end[SIDE_BACKEND]))
		return;
	p->closing = true;
	for (int i = 0; i < 2; i++) {
		if (p->end[i].used)
			tcp_close(&p->end[i].tcp);
	}
}

static void pass_end(struct pair *p, enum side to)
{
	struct pair_end *e = &p->end[to];

	if (!e->used) {
		/* Nobody was dialled yet, and nobody is any more. */
		p->closing = true;
		if (p->end[OTHER_SIDE(to)].used)
			tcp_close(&p->end[OTHER_SIDE(to)].tcp);
		return;
	}
	if (!e->up) {
		/* It is still being dialled, for nobody. */
		pair_finish(p);
		return;
	}
	if (!e->shut) {
		e->shut = true;
		tcp_shut(&e->tcp);
	}
	close_if_over(p);
}

/* Behind what waits: the peer of the side that is gone sent it before. */
static void pass_reset(struct pair *p, enum side to)
{
	struct pair_end *e = &p->end[to];

	if (e->used && e->up && !e->shut && tcp_waiting(&e->tcp) > 0) {
		e->reset = true;
		tcp_close(&p->end[OTHER_SIDE(to)].tcp);
		return;
	}
	pair_reset(p);
}

static enum event_end how_of(const struct error *why)
{
	if (!why)
		return ENDED_FIN;
	if (why->code == ETIMEDOUT || why->code == EHOSTUNREACH)
		return ENDED_TIMEOUT;
	return why->code == ECONNRESET || why->code == EPIPE ? ENDED_RST :
							       ENDED_OTHER;
}

static void on_ended(struct tcp *t, const struct error *why)
{
	struct pair *p = t->owner;
	enum side from = side_of(t);
	struct pair_end *e = &p->end[from];
	enum event_end how = how_of(why);

	if (p->closing)
		return;
	if (from == SIDE_BACKEND && !e->up) {
		p->events->failed(p->owner, why);
		return;
	}
	e->ended = true;
	p->events->ended(p->owner, from, how);
	if (p->closing)
		return;
	if (how == ENDED_FIN) {
		if (p->end[SIDE_DEVICE].used)
			tcp_deadline(&p->end[SIDE_DEVICE].tcp, PAIR_HALF_MS);
		pass_end(p, OTHER_SIDE(from));
	} else {
		pass_reset(p, OTHER_SIDE(from));
	}
}

/* ---- bytes ---- */

/* False: it holds more than it gets. */
static bool counts(struct pair *p)
{
	return !p->share ||
	       share_hold(p->share, waits(p, SIDE_DEVICE) +
					    waits(p, SIDE_BACKEND) +
					    p->events->kept(p->owner));
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	struct pair *p = t->owner;

	if (p->closing)
		return;
	p->events->came(p->owner, side_of(t), data, len);
	if (!p->closing && is_half(p))
		tcp_deadline(&p->end[SIDE_DEVICE].tcp, PAIR_HALF_MS);
	if (p->closing || counts(p))
		return;
	p->events->crowded(p->owner);
	pair_reset(p);
}

static void on_drained(struct tcp *t)
{
	struct pair *p = t->owner;
	enum side to = side_of(t);

	if (p->end[to].reset && tcp_waiting(t) == 0)
		pair_reset(p);
	else if (!p->closing) {
		settle(p, OTHER_SIDE(to));
		counts(p); /* it is less */
	}
}

static void on_connected(struct tcp *t)
{
	struct pair *p = t->owner;

	tcp_deadline(t, 0);
	p->end[SIDE_BACKEND].up = true;
	p->events->up(p->owner);
	if (p->closing)
		return;
	if (p->early.len)
		tcp_write(t, p->early.data, p->early.len);
	buf_done(&p->early);
	settle(p, SIDE_DEVICE);
}

static void on_deadline(struct tcp *t)
{
	pair_finish(t->owner);
}

void pair_write(struct pair *p, enum side to, const void *data, size_t len)
{
	struct pair_end *e = &p->end[to];

	if (p->closing || e->shut || e->reset)
		return;
	if (e->up)
		tcp_write(&e->tcp, data, len);
	else if (to == SIDE_BACKEND)
		buf_add(&p->early, data, len);
	settle(p, OTHER_SIDE(to));
}

void pair_stop(struct pair *p, enum side from, bool stop)
{
	p->end[from].stopped = stop;
	if (!p->closing)
		settle(p, from);
}

/* ---- opening ---- */

static const struct tcp_events tcp_events = {
	.connected = on_connected,
	.data = on_data,
	.ended = on_ended,
	.deadline = on_deadline,
	.drained = on_drained,
	.closed = on_closed,
};

void pair_open(struct pair *p, struct loop *l, int fd,
	       const struct pair_events *events, void *owner)
{
	const struct tcp_order o = { .loop = l,
				     .events = &tcp_events,
				     .owner = p };

	p->loop = l;
	p->events = events;
	p->owner = owner;
	p->end[SIDE_DEVICE].used = p->end[SIDE_DEVICE].up = true;
	tcp_adopt(&p->end[SIDE_DEVICE].tcp, &o, fd);
}

void pair_dial(struct pair *p, const char *host, uint16_t port,
	       const struct tls_trust *trust)
{
	const struct tcp_order o = { .loop = p->loop,
				     .host = host,
				     .port = port,
				     .any_family = true,
				     .trust = trust,
				     .events = &tcp_events,
				     .owner = p };

	if (p->closing)
		return;
	p->end[SIDE_BACKEND].used = true;
	tcp_open(&p->end[SIDE_BACKEND].tcp, &o);
}

bool pair_is_up(const struct pair *p)
{
	return p->end[SIDE_BACKEND].up;
}

bool pair_tls(const struct pair *p, struct tls_facts *out)
{
	return p->end[SIDE_BACKEND].up && p->end[SIDE_BACKEND].tcp.tls_table &&
	       tcp_tls_facts(&p->end[SIDE_BACKEND].tcp, out);
}
