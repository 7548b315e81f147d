/* SPDX-License-Identifier: MIT */
/*
 * The port of serve (net/port.h): who may come in as what, what OTA offers,
 * the page, the addresses that boards are given; and whose the pictures are
 * that boards send to it (net/pictures.h).
 */
#ifndef SERVE_DOOR_H
#define SERVE_DOOR_H

#include "net/downloads.h"
#include "net/pictures.h"
#include "net/port.h"
#include "serve/serve_state.h"

struct board;
struct buf;

/* All of config.listen, or none. -1 as front open. */
int door_open(struct door **out, struct serve *s, struct error *err);
/* RECORD_LISTENING: addresses, what to set on the board, the page. */
void door_describe(struct door *d);
/* Stop listening; then released, and closed(owner). */
void door_close(struct door *d, void (*closed)(void *owner), void *owner);

/* Sockets that all ports together may have, of devices too. */
size_t door_places(const struct serve *s);
/* The first port, for others to build addresses with. */
uint16_t door_port(const struct door *d);
/* The addresses for `status`: "http://192.168.1.2:8000/xiaozhi/ota/" … as JSON texts in an array, appended. */
void door_addresses(const struct door *d, struct buf *out);

/* The OTA address to set, as this browser reached us, and what to do then; HTML, appended. */
void door_address_words(const struct visit *v, struct buf *out);

/*
 * The vision URL for a device: --advertise; else as its own connection reached
 * us (the Host of its upgrade, our end of its socket); else as we reach it;
 * yours. NULL: no address is known. Nobody else has a say in it. That it is
 * another one than the last time is recorded.
 */
char *door_vision_url(struct door *d, const struct board *device);

/*
 * An address that this device may upload one picture to, within 10 minutes;
 * yours. It holds a secret. NULL as above.
 */
char *door_upload_url(struct door *d, const struct board *device);

/* What it told when it asked OTA, lent; NULL. */
const struct told *door_told(const struct door *d, const struct board *device);

/* "http://HOST:PORT" of ours, as that device reaches us; yours. NULL as above. */
char *door_base(const struct door *d, const struct board *device);

/* What browsers are shown beside the page of the port: serve/pages.h. */
struct door_pages {
	/* True: the request is its matter. */
	bool (*http)(void *web, const struct visit *v);
	/* Whether this head shows that it may see all. */
	bool (*shown)(void *web, const struct front_head *head);
	/* Who may see what is here, for who may not; HTML. */
	const char *(*missing)(void *web, const struct visit *v);
	/* A picture was kept. */
	void (*picture)(void *web, const struct picture_news *n);
};

struct door {
	struct serve *server;
	struct port *port;
	struct downloads downloads; /* emptied by who hosts */
	struct pictures pictures;
	struct seldom no_room; /* pictures that were refused */
	const struct door_pages *pages; /* NULL: none */
	void *web; /* theirs */
	bool closing;
	void (*closed)(void *owner);
	void *owner;
};

static inline struct door *door_of(const struct visit *v)
{
	return v->owner;
}

#endif
