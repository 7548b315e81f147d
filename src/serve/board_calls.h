/* SPDX-License-Identifier: MIT */
/*
 * The calls of tools that commands had answered by one board: how many, and
 * what the last of them took. Made at the first: most boards of many are never
 * called.
 */
#ifndef SERVE_BOARD_CALLS_H
#define SERVE_BOARD_CALLS_H

#include "base/base.h"

#define BOARD_CALLS_KEPT 32

struct board_calls {
	uint64_t count; /* since it connected */
	uint32_t took_us[BOARD_CALLS_KEPT]; /* a ring; longer ones are cut */
};

/* One was answered. *calls NULL: it was the first; owned by who holds it. */
void board_calls_add(struct board_calls **calls, int64_t took_us);
/* NULL: none. */
uint64_t board_calls_count(const struct board_calls *calls);
/* The median of those kept, of two in the middle the lower; -1: there is none. */
int64_t board_calls_median(const struct board_calls *calls);

#endif
