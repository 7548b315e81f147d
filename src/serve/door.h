/* SPDX-License-Identifier: MIT */
/*
 * The port of serve (net/port.h): who may come in as what, what OTA offers,
 * the page, the addresses that boards are given; and pictures, which boards
 * send to it. Files: door.c, vision.c (pictures), passes.c (who may send one).
 */
#ifndef SERVE_DOOR_H
#define SERVE_DOOR_H

#include "net/port.h"
#include "serve/passes.h"
#include "serve/serve_state.h"

struct board;
struct buf;
struct vision;

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

#define VISION_PATH "/vision/explain"
#define UPLOAD_PATH "/upload"

/* Of the file system of a folder, in bytes. */
struct disk_space {
	uint64_t all, left; /* for a user without privileges */
};

struct door {
	struct serve *server;
	struct port *port;
	struct passes passes;
	struct seldom no_room; /* pictures that were refused */
	int (*space)(const char *folder,
		     struct disk_space *out); /* disk_space */
	struct vision *jobs; /* pictures whose answer is a command's matter */
	size_t job_count;
	int64_t exec_limit; /* ms */
	unsigned picture_number;
	bool closing;
	void (*closed)(void *owner);
	void *owner;
};

static inline struct door *door_of(const struct visit *v)
{
	return v->owner;
}

/* ---- vision.c ---- */

void door_vision(const struct visit *v);
void door_upload(const struct visit *v);
/* The door closes: end what still runs; nobody is answered. */
void door_vision_abandon(struct door *d);
/* 0, or errno. */
int disk_space(const char *folder, struct disk_space *out);

/* --save-images: the folder is there and can be written to. -1: not. */
int upload_folder(const char *folder, struct error *err);

#endif
