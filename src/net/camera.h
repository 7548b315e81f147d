/* SPDX-License-Identifier: MIT */
/*
 * What takes the pictures of the only board behind a transport: listen:, or
 * sim: (sim/target_camera.h). Kept and answered as serve does (net/pictures.h),
 * and told by notices of the transport.
 */
#ifndef NET_CAMERA_H
#define NET_CAMERA_H

#include "net/pictures.h"
#include "net/transport.h"

struct camera { /* zeroed at first */
	struct transport *transport;
	struct budget *budget;
	struct picture_rules rules;
	struct pictures *pictures; /* NULL: not open */
	/* Of the board that is connected; see camera_meet. */
	char *url; /* where its camera sends to; NULL: nobody is there */
	char token[RANDOM_HEX_SIZE]; /* which it shows then */
	char *base, *id;
};

/* As the options of the endpoint say, which lives longer. -1: as pictures_open. */
int camera_open(struct camera *c, struct transport *t,
		const struct endpoint *to, struct error *err);
/* A board is there, and reaches us at base ("http://HOST:PORT"). id: NULL if it has none. */
void camera_meet(struct camera *c, const char *base, const char *id);
/* An address for one picture of it; yours. It holds a secret. NULL: nobody is there. */
char *camera_address(struct camera *c);
/* Before the port closes; all is released but the struct. Twice is fine. */
void camera_done(struct camera *c);
/* The budget, which the port lends until it is closed. */
void camera_free_budget(struct camera *c);

/* NOTICE_PICTURE: "the board TEXT", and where it is kept (file; NULL: nowhere). */
void camera_tell(const struct transport *t, const char *text, const char *file);

#endif
