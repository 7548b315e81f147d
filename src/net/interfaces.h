/* SPDX-License-Identifier: MIT */
/* The interfaces of this machine on which multicast is spoken: IPv4, up. */
#ifndef NET_INTERFACES_H
#define NET_INTERFACES_H

#include <uv.h>

#include "base/error.h"
#include "base/split.h"

#define INTERFACES_MAX 16

struct interfaces_choice { /* lent */
	const struct words *names; /* none: all but loopback */
	const char *address; /* only where that number is ours; NULL: any */
	const char *purpose; /* "there is no network to ask" */
};

/*
 * Each address of those, at most INTERFACES_MAX. each: whether it is of use, or
 * was left out. -1: ERR_USAGE, there is none of that name (with that address);
 * ERR_CONNECT: none was of use.
 */
int interfaces_each(const struct interfaces_choice *c,
		    bool (*each)(void *owner,
				 const uv_interface_address_t *one),
		    void *owner, struct error *err);

#endif
