/* SPDX-License-Identifier: MIT */
/*
 * Looking up names, and what else libuv does by threads. It ends the program
 * when it cannot have them all, at first use: so that is tried before.
 */
#ifndef BASE_LOOKUP_H
#define BASE_LOOKUP_H

#include "base/loop.h"

/*
 * Whether libuv's threads are there, or can be had: 0, or UV_EAGAIN where this
 * user, or its container, may have no more processes.
 */
int lookup_threads(void);

/* uv_getaddrinfo on that loop, or lookup_threads' error. */
int lookup_start(struct loop *l, uv_getaddrinfo_t *rq, uv_getaddrinfo_cb fn,
		 const char *host, const char *service,
		 const struct addrinfo *hints);

#endif
