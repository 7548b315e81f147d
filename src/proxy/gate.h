/* SPDX-License-Identifier: MIT */
/*
 * A listening socket whose connections are handed on as they are: for what is
 * no HTTP of ours.
 */
#ifndef PROXY_GATE_H
#define PROXY_GATE_H

#include <sys/socket.h>

#include "base/loop.h"

struct gate_events { /* from the loop only */
	/* fd is yours; from is lent. */
	void (*came)(void *owner, int fd, const struct sockaddr *from);
	/* No descriptor is left for who comes: told once a minute. */
	void (*full)(void *owner, const char *why);
	void (*closed)(void *owner); /* after gate_close */
};

struct gate { /* zeroed at first, but for loop, events and owner: set them */
	uv_poll_t uv;
	struct timer retry; /* there was no descriptor */
	int64_t told_at; /* loop_now() ms, that it is full */
	struct loop *loop;
	int fd;
	uint16_t port;
	const struct gate_events *events;
	void *owner;
	bool open;
};

/* host NULL: all addresses; port 0: any. -1: err as of bind_tcp; nothing is open then. */
int gate_open(struct gate *g, const char *host, uint16_t port,
	      struct error *err);
/* closed follows, once. Only of an open one. */
void gate_close(struct gate *g);

struct words;
/* The host of --listen (NULL or empty: not given); yours. NULL: all. */
char *gate_host(const struct words *listen);

#endif
