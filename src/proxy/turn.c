/* SPDX-License-Identifier: MIT */
/* A line, and who goes next; the contract is in the header. */
#include "proxy/turn.h"

#include "base/chain.h"
#include "base/mem.h"
#include "proxy/lull.h"
#include "proxy/proxy.h"

#define PRESS_MS 20
#define ENDED_AT_ONCE 8

static void leave(struct turn *t)
{
	struct turns *of = t->proxy->turns;

	if (t->at == TURN_WAITS)
		CHAIN_LEAVE(of->waiting, of->waiting_last, t);
	else if (t->at == TURN_UP)
		CHAIN_LEAVE(of->up, of->up_last, t);
	t->next = t->previous = NULL;
	t->at = TURN_NONE;
}

/* Behind what happens now: who goes next may end at once. */
static void look_soon(struct turns *of, int64_t ms)
{
	if (of->open && of->waiting)
		timer_start(&of->timer, ms);
}

static bool go(struct turn *t)
{
	struct turns *of = t->proxy->turns;

	if (!share_pass_on(t->share))
		return false;
	leave(t);
	t->at = TURN_UP;
	CHAIN_APPEND(of->up, of->up_last, t);
	t->go(t->owner);
	return true;
}

/* Who came first of those whose address has fewest. */
static struct turn *next_one(const struct turns *of)
{
	uint64_t fewest = UINT64_MAX;
	struct turn *best = NULL;

	for (struct turn *t = of->waiting; t && fewest; t = t->next) {
		if (share_upstream(t->share) >= fewest)
			continue;
		fewest = share_upstream(t->share);
		best = t;
	}
	return best;
}

/* As many as there is room for. */
static void let_go_on(const struct turns *of)
{
	struct turn *t;

	while ((t = next_one(of)) && go(t))
		;
}

static void on_timer(void *owner)
{
	struct proxy *p = owner;
	struct turns *of = p->turns;
	struct turn *t;

	let_go_on(of);
	while ((t = of->waiting) && loop_now() - t->since > TURN_MS) {
		leave(t);
		t->late(t->owner);
	}
	for (int i = 0; of->waiting && i < ENDED_AT_ONCE; i++) {
		if (!lull_end_passed(p))
			break;
		let_go_on(of);
	}
	look_soon(of, PRESS_MS);
}

/* ---- one of them ---- */

static void unuse(struct turn *t)
{
	if (t->known)
		known_unuse(TAKE(t->known));
}

void turn_take(struct turn *t, const char *name, bool shown)
{
	struct turns *of = t->proxy->turns;

	t->known = known_find(&of->known, name, t->from);
	if (t->known)
		known_use(t->known);
	if (t->known || shown) {
		t->go(t->owner);
		return;
	}
	t->since = loop_now();
	/* Those that wait already go first. */
	if (!of->waiting && go(t))
		return;
	t->at = TURN_WAITS;
	CHAIN_APPEND(of->waiting, of->waiting_last, t);
	if (!uv_is_active((uv_handle_t *)&of->timer.uv))
		look_soon(of, PRESS_MS);
}

void turn_answered(struct turn *t)
{
	if (t->at != TURN_UP)
		return;
	leave(t);
	share_passed(t->share);
	look_soon(t->proxy->turns, 0);
}

void turn_proven(struct turn *t, const char *name)
{
	turn_answered(t);
	if (name && *name)
		known_add(&t->proxy->turns->known, name, t->from);
}

void turn_over(struct turn *t)
{
	if (!t->proxy)
		return;
	unuse(t);
	leave(t);
	share_passed(t->share);
	look_soon(t->proxy->turns, 0);
}

bool turn_make_room(struct proxy *p, bool known)
{
	struct turns *of = p->turns;
	struct turn *t = of->waiting ? of->waiting : of->up;

	if (lull_make_room(p))
		return true;
	if (!known || !t)
		return false;
	turn_over(t);
	t->end(t->owner);
	return true;
}

/* ---- all of them ---- */

void turns_open(struct proxy *p)
{
	p->turns = mem_zalloc(sizeof(*p->turns));
	p->turns->open = true;
	timer_open(&p->turns->timer, p->loop, on_timer, p);
}

void turns_close(struct proxy *p, void (*closed)(void *p))
{
	p->turns->open = false;
	timer_close(&p->turns->timer, closed);
}

void turns_done(struct proxy *p)
{
	if (!p->turns)
		return;
	known_done(&p->turns->known);
	mem_free(TAKE(p->turns));
}
