/* SPDX-License-Identifier: MIT */
/*
 * The ways of small SDKs, where they are other than the specification's: which
 * of them a pretend service has, and how it refuses then (espressif.md). What
 * is not named in a profile is as ever.
 */
#ifndef SIM_SERVICE_WAYS_H
#define SIM_SERVICE_WAYS_H

#include "sim/service_state.h"

/* The member `ways` of a profile. -1: r->err. */
int service_ways_read(struct service *s, struct reader *r);
/* Whether the method may be asked now; else it is answered. */
bool service_ways_begin(struct service_part *p, const char *method);
/*
 * The arguments of a call as such an SDK sees them; yours. NULL: they are
 * refused, and that was said.
 */
cJSON *service_ways_arguments(struct service_part *p,
			      const struct service_tool *t, const cJSON *given);
/* Whether a result's text is longer than it sends. */
bool service_ways_drops(const struct service *s, size_t len);
/*
 * The page of tools that the cursor in p->params begins, at [*from, *to) of the
 * order in which they are listed; length: the bytes of the tool at that place,
 * 0 if it is hidden. -1: there is no such cursor, and that was said.
 */
int service_ways_page(struct service_part *p,
		      size_t (*length)(const struct service_part *p, size_t at),
		      size_t *from, size_t *to);
/* The tool at that place of the order; NULL behind the last. */
const struct service_tool *service_ways_tool(const struct service *s,
					     size_t at);
/* There is none of that name or URI. False: it is told as ever. */
bool service_ways_missing(struct service_part *p, const char *what);

#endif
