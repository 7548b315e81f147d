/* SPDX-License-Identifier: MIT */
/*
 * Boards that OTA sent to the broker of serve, and that have not come there.
 * Anybody can ask OTA in any name: few are kept, the oldest goes first.
 */
#ifndef SERVE_MISSING_H
#define SERVE_MISSING_H

#include "base/base.h"

#define MISSING_MAX 32
#define MISSING_MS 20000 /* a stock board needs 2 s, and gives up after 10 */

struct missing_board {
	char *device_id, *address; /* owned */
	int64_t asked_at; /* loop_now() ms */
	bool told; /* that it has not come */
};

struct missing { /* zeroed: nobody */
	struct missing_board item[MISSING_MAX];
	size_t count;
};

void missing_done(struct missing *m);
/* It was sent there just now. Again begins anew. */
void missing_sent(struct missing *m, const char *device_id, const char *address,
		  int64_t now);
/* It is here, however it came. NULL is nobody. */
void missing_came(struct missing *m, const char *device_id);
/* The next that is due and was not told; it is, from now on. NULL: none. */
const struct missing_board *missing_due(struct missing *m, int64_t now);
/* When to look again; INT64_MAX: never. */
int64_t missing_deadline(const struct missing *m);
/* The one that was told last; NULL. */
const struct missing_board *missing_last(const struct missing *m);

#endif
