/* SPDX-License-Identifier: MIT */
/*
 * serve's Unix socket: attached commands and their questions
 * (wire/control_frames.h). control.c has the socket and the questions,
 * control_peer.c one connection, attached.c the relay of one device,
 * broadcast.c one request to many.
 */
#ifndef SERVE_CONTROL_H
#define SERVE_CONTROL_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/loop.h"
#include "serve/board.h"
#include "serve/outbox.h"
#include "serve/serve_state.h"
#include "wire/control_frames.h"

struct control;
struct board;
struct serve;

/*
 * -1: ERR_CONNECT: another serve answers there; the folder is not ours. A
 * socket that nobody answers is removed. Mode 0600.
 */
int control_open(struct control **out, struct serve *s, struct error *err);
/* Only whether that would be refused now: asked before anything else is opened. */
int control_check(struct serve *s, struct error *err);
/* Tell all attached that serve ends, remove the socket, release; closed from the loop. */
void control_close(struct control *c, void (*closed)(void *owner), void *owner);
const char *control_socket(const struct control *c);

/* ---- what boards tell (struct board_events) ---- */

/* State, tools or connection changed: to those who watch, and to those who wait for a device. change: "connected", "ready", "failed", "gone", … */
void control_changed(struct board *d, const char *change);
/* The way to the broker came or went: to those who watch. */
void control_broker(struct serve *s);

#define CONTROL_PEERS_MAX 512

struct attached_call;
struct broadcast;
struct hosting;
struct control_frame;
struct control_peer;

/* What those above one connection do for it; control_peer.c knows none of them. */
struct control_above {
	void (*frame)(struct control_peer *p, const struct control_frame *f);
	void (*step)(struct broadcast *f); /* its next slice */
	/* It reads no more: nothing is to come back to it. */
	void (*leave)(struct control_peer *p);
	/* Its last handle is closed: to be released. */
	void (*closed)(struct control_peer *p);
};

struct control {
	struct serve *server;
	const struct control_above *above;
	char *path;
	struct stat socket; /* the file that is ours */
	int fd;
	uv_poll_t poll;
	struct timer rest; /* no descriptor was left: listen again later */
	unsigned handles; /* not closed yet */
	bool closing;
	struct control_peer *first;
	size_t count;
	void (*closed)(void *owner);
	void *owner;
};

/* One program at the other end. */
struct control_peer {
	struct control *control;
	struct serve *server;
	struct control_peer *previous, *next;
	int fd, pid;
	uv_poll_t poll;
	struct timer timer; /* work that goes on in the next turn; the end */
	int armed; /* what poll waits for */
	unsigned handles;
	struct buf in;
	struct outbox out;
	bool working; /* timer runs for control_peer_later */
	bool finishing; /* nothing is read any more; closes when all is written */
	bool closing;
	int foreign; /* a protocol that is not ours; 0: it is, or was not told */

	bool waiting, watching, tail, pictures, findings, serial, last;
	bool pinging; /* a Ping is open that it asked for */
	bool told[DIAG_CODE_COUNT]; /* of the findings, without tail */
	int64_t timeout; /* ms that it waits for an answer; 0: not told */
	char *pattern; /* of what it waits for */
	char *watched; /* pattern; NULL: all */
	struct board *device; /* attached to it; NULL */
	struct control_peer *next_there, **link_there; /* of its audience */
	struct attached_call *calls;
	size_t calls_count;
	struct broadcast *fan; /* NULL: none runs */
	char tokens[CONTROL_LEASES_MAX]; /* of the leases that it was given */
	bool leasing; /* a lease lasts as long as it stays */
	bool lease_kept; /* what it asks for outlives it */
	int received; /* a descriptor that came with what it sent; -1 */
	struct hosting *hosting; /* what it lets boards fetch; NULL */
	struct held
		*held; /* the server that it keeps open (serve/held.h); NULL */
	size_t ending, ended; /* of those that it had closed */
};

/* What it asked: read, and the bytes. */
struct control_question {
	const cJSON *json;
	struct span text;
};

struct audience {
	struct control_peer *first;
};

#endif
