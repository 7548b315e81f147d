/* SPDX-License-Identifier: MIT */
/*
 * What its connections share: heads on their way up, where we are, what was not
 * reached.
 */
#ifndef PROXY_WEB_LEG_H
#define PROXY_WEB_LEG_H

#include "proxy/web.h"

/* The pair of l is opened on fd, and it is among the legs, until all is given back. */
void web_leg_open(struct web_leg *l, struct web_place *at, int fd,
		  const struct front_head *head);
/* Ends its talk; again is fine. */
void web_leg_end(struct web_leg *l, enum event_from from, enum event_end how,
		 int code);
/* Of its upstream, for net/why. */
struct why_facts web_leg_facts(const struct web_leg *l);
/* The host of "HOST:PORT"; yours. */
char *web_host_of(const char *address);
/*
 * l->up is dialled when its turn has come. device: who it says it is, NULL;
 * shown: by a secret of ours.
 */
void web_leg_dial(struct web_leg *l, const char *device, bool shown);
/* Whether it goes before strangers; device as above. */
bool web_is_known(const struct web *w, const char *device, const char *from);

/*
 * The head of a request, for its upstream: another Host (with a port as the
 * board writes it), no compression, no Upgrade but to a WebSocket; target NULL:
 * as it was. Appended; *struck: what of compression was left out, or NULL.
 */
void web_request_head(struct buf *out, struct span head,
		      const struct upstream *up, const char *target,
		      const char **struck);

/*
 * What a host, or a board, is told that is refused; appended. Where that is since
 * it asks too often, with when it may again.
 */
void web_refusal(struct buf *out, const struct proxy *p, int status,
		 const char *why);

/* "http://HOST:PORT" or what --advertise says, for a board that reached us so; yours. ws: ws or wss. */
char *web_base(const struct web *w, const char *reached, bool ws);
/*
 * The text with an address of ours in place of that for pictures, appended, and
 * told; false: it is no initialize that has one, or it is to stay.
 */
bool web_move_vision(struct talk *t, struct span text, const char *reached,
		     struct buf *out);
/* A URL that web_vision_url gave out: the real one; NULL. Lent. */
const char *web_vision_of(const struct web *w, const char *path);

/* Closing: gone with its last leg and place. */
void web_maybe_closed(struct web *w);

#endif
