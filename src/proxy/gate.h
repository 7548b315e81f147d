/* SPDX-License-Identifier: MIT */
/*
 * A listening socket whose connections are handed on as they are: for what is
 * no HTTP of ours (that is net/front's). No address gets more of them than the
 * budget gives it. Where descriptors run out, who comes is refused, and after
 * some of them it looks away for a while.
 */
#ifndef PROXY_GATE_H
#define PROXY_GATE_H

#include <sys/socket.h>

#include "net/budget.h"
#include "net/lacks.h"

struct gate_events { /* from the loop only */
	/*
	 * fd is yours; from is lent; take the share (share_move), which counts
	 * one whose first words are awaited.
	 */
	void (*came)(void *owner, int fd, const struct sockaddr *from,
		     struct share *share);
	/* Somebody was not let in: told once a minute (net/lacks.h). */
	void (*refused)(void *owner, const struct front_refusal *r);
	void (*closed)(void *owner); /* after gate_close */
};

struct gate { /* zeroed at first, but for loop, budget, events and owner: set them */
	uv_poll_t uv;
	struct timer retry; /* there was no descriptor */
	struct lacks lacks;
	struct loop *loop;
	struct budget *budget; /* lent */
	int fd;
	int reserve; /* a descriptor to refuse with when there is no other; -1 */
	uint16_t port;
	const struct gate_events *events;
	void *owner;
	unsigned handles; /* that are not closed */
	bool open;
};

/* host NULL: all addresses; port 0: any. -1: err as of bind_tcp; nothing is open then. */
int gate_open(struct gate *g, const char *host, uint16_t port,
	      struct error *err);
/* Its owner refuses one that came. */
void gate_refuse(struct gate *g, enum lack what, const struct sockaddr *from);
/* closed follows, once. Only of an open one. */
void gate_close(struct gate *g);

struct words;
/* The host of --listen (NULL or empty: not given); yours. NULL: all. */
char *gate_host(const struct words *listen);

#endif
