/* SPDX-License-Identifier: MIT */
/* Who waits, the longest silent one first; the contract is in the header. */
#include "proxy/lull.h"

#include "base/chain.h"
#include "base/loop.h"
#include "proxy/proxy.h"

#define SILENCE_MS 400 /* a lost packet is sent again within that */
#define DRIPS_MS 5000 /* after that what comes of a request does not help it */

static void take_out(struct lull *l)
{
	struct proxy *p = l->proxy;

	CHAIN_LEAVE(p->lulls, p->lulls_last, l);
	l->next = l->previous = NULL;
}

void lull_waits(struct lull *l)
{
	struct proxy *p = l->proxy;
	int64_t now = loop_now();

	if (!l->waits)
		l->begun = now;
	else if (now - l->begun > DRIPS_MS)
		return;
	else
		take_out(l);
	l->waits = true;
	l->heard = now;
	CHAIN_APPEND(p->lulls, p->lulls_last, l);
}

void lull_over(struct lull *l)
{
	if (l->waits)
		take_out(l);
	l->waits = false;
}

static bool end(struct lull *l)
{
	if (!l || l->heard > loop_now() - SILENCE_MS)
		return false;
	lull_over(l);
	l->end(l->owner);
	return true;
}

bool lull_make_room(struct proxy *p)
{
	return end(p->lulls);
}

bool lull_end_passed(struct proxy *p)
{
	struct lull *l = p->lulls;

	while (l && !l->share->upstream)
		l = l->next;
	return end(l);
}
