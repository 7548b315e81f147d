/* SPDX-License-Identifier: MIT */
/*
 * The port for boards that ask OTA, dial a WebSocket, send a picture. Who may
 * come in is judged by net/front; the bytes are relayed here as they came.
 * Files: web.c (the port), web_leg.c (what they share), web_ws.c, web_http.c,
 * web_ota.c.
 */
#ifndef PROXY_WEB_H
#define PROXY_WEB_H

#include "base/random.h"
#include "net/front.h"
#include "net/why.h"
#include "proxy/edits.h"
#include "proxy/lull.h"
#include "proxy/pair.h"
#include "proxy/talk.h"
#include "proxy/turn.h"
#include "proxy/upstream.h"

#define VISION_PATH "/mcpctl-proxy/vision/"
#define VISION_KEPT 1024 /* addresses of pictures */
#define VISION_URL_MAX 2048 /* bytes; a longer one stays as it is */

struct web_place {
	struct web *web;
	struct front *front;
	char *host; /* NULL: all addresses */
	uint16_t number;
};

struct web {
	struct proxy *proxy;
	const struct front_table *front;
	struct web_place *place;
	size_t places, open;
	char *advertised_ws, *advertised_ota; /* by --advertise; NULL */
	struct upstream up; /* that of the command line */
	bool ota; /* it is one; else a WebSocket */
	struct told_urls told; /* WebSockets, by board */
	/* URLs, a ring; each is given out under a name that nobody guesses. */
	struct vision {
		char *url;
		char name[RANDOM_HEX_SIZE];
	} vision[VISION_KEPT];
	uint64_t visions;
	struct web_leg *legs; /* those that are open */
	bool closing;
};

#define BUSY_TURN "busy: too many wait to be passed on"

struct web_leg;
/* What differs between a WebSocket and a request; from the loop. */
struct web_leg_kind {
	void (*came)(struct web_leg *l, enum side from, const char *data,
		     size_t len);
	/* It ends for a reason of ours, or of its upstream, which is told behind this. */
	void (*failed)(struct web_leg *l);
	/* It waited for its turn too long: answered so, it ends. */
	void (*late)(struct web_leg *l);
	/* See pair_events.kept. */
	size_t (*kept)(const struct web_leg *l);
	void (*ended)(struct web_leg *l, enum side from, enum event_end how);
	void (*free)(struct web_leg *l); /* all of it */
};

/* A connection of a board, of either kind. */
struct web_leg {
	const struct web_leg_kind *kind;
	struct web *web;
	struct web_leg *next, *previous;
	struct pair pair;
	struct talk *talk; /* NULL: over */
	struct share share;
	struct turn turn;
	struct lull lull; /* its peer is to speak */
	struct upstream up;
	char *reached; /* "HOST:PORT" of ours, as the board sees it */
	char *address; /* of the board */
	char *from; /* its host alone */
	struct front *front; /* where it came in */
};

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
 * board writes it), no compression; target NULL: as it was. Appended; *struck:
 * what was left out, or NULL.
 */
void web_request_head(struct buf *out, struct span head,
		      const struct upstream *up, const char *target,
		      const char **struck);

/* The events of the front. */
void web_http(struct web_place *at, int fd, const struct front_head *head);
void web_websocket(struct web_place *at, int fd, const struct front_head *head);

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

/*
 * web_ota.c: what is changed in an answer to OTA, so that the board comes
 * through us. board_version: what it runs; NULL. changes: a line each.
 */
void web_ota_edit(struct web_leg *l, struct span body, const char *device,
		  const char *board_version, struct edits *edits,
		  struct buf *changes);

/* Closing: gone with its last leg and place. */
void web_maybe_closed(struct web *w);

int web_open(struct proxy *p, struct error *err);
void web_addresses(const struct proxy *p, struct words *out);
/* proxy_leg_closed follows. */
void web_close(struct proxy *p);

#endif
