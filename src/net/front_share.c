/* SPDX-License-Identifier: MIT */
/*
 * What strangers hold at this port: where a connection begins to count, and
 * who it counts for.
 */
#include "net/front_private.h"

void front_share_begin(struct front *f, struct share *s,
		       const struct sockaddr *peer)
{
	share_close(s);
	if (!forwarded_is_proxy(&f->admit.proxies, peer))
		share_open(s, f->budget, budget_key_address(peer));
}

void front_share_whose(struct front *f, struct share *s,
		       const struct sockaddr_storage *peer,
		       const struct headers *h, char *address)
{
	struct sockaddr_storage from = *peer;
	uint64_t bytes = s->bytes;

	if (forwarded_peer(&f->admit.proxies, h, &from)) {
		address_print((struct sockaddr *)&from, address,
			      ADDRESS_TEXT_MAX);
		share_close(s);
	}
	if (!s->budget)
		share_open(s, f->budget,
			   budget_key_address((struct sockaddr *)&from));
	share_hold(s, bytes);
	share_ask(s);
}

enum front_standing front_standing(const struct front *f,
				   const struct front_head *head)
{
	return f->events.standing && !f->closing ?
		       f->events.standing(f->owner, head) :
		       FRONT_STRANGER;
}
