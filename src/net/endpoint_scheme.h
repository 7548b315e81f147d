/* SPDX-License-Identifier: MIT */
/* The schemes of targets, for endpoint.c. */
#ifndef NET_ENDPOINT_SCHEME_H
#define NET_ENDPOINT_SCHEME_H

#include "net/endpoint.h"

struct scheme {
	const char *name;
	uint16_t port; /* unless the target names one; 0: it has none */
	const char *syntax;
	/* What stands behind the colon, into e. -1 (ERR_USAGE). */
	int (*parse)(struct endpoint *e, const char *rest, struct error *err);
};
/* Case does not matter. NULL: there is none. */
const struct scheme *scheme_find(const char *name);
/* That which was probably meant; NULL. */
const struct scheme *scheme_nearest(const char *name);

#endif
