/* SPDX-License-Identifier: MIT */
/*
 * When an access point is dialled again, after which end of a connection. Pure.
 */
#ifndef CLIENTS_POINT_PACE_H
#define CLIENTS_POINT_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct error;

#define POINT_WAIT_MS 1000 /* after the first failure; it doubles */
#define POINT_WAIT_MAX_MS 60000
#define POINT_LIFE_MS 60000 /* a connection that lived so long was a good one */
#define POINT_FAILED_MS 30000 /* at least, after a Close 4004 */
#define POINT_REPLACED_MS 60000 /* after another one took the place */

struct point_pace {
	int64_t wait; /* ms, of the last time; 0: none yet */
};

enum point_verdict {
	POINT_AGAIN,
	POINT_TAKEN, /* dialled again, too: but another one has this token */
	POINT_REFUSED /* never again: it does not take the token */
};

/*
 * It ended, or did not come to be, for that reason, and lived so many ms (0: it
 * was never open). chance: any number. *wait: ms until it is dialled again.
 */
enum point_verdict point_pace_next(struct point_pace *p,
				   const struct error *why, int64_t lived,
				   uint32_t chance, int64_t *wait);

#endif
