/* SPDX-License-Identifier: MIT */
#include "serve/board_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void board_calls_add(struct board_calls **calls, int64_t took_us)
{
	struct board_calls *c = *calls;

	if (!c)
		c = *calls = mem_zalloc(sizeof(*c));
	if (took_us < 0)
		took_us = 0;
	if (took_us > UINT32_MAX)
		took_us = UINT32_MAX;
	c->took_us[c->count++ % BOARD_CALLS_KEPT] = (uint32_t)took_us;
}

uint64_t board_calls_count(const struct board_calls *calls)
{
	return calls ? calls->count : 0;
}

static int by_time(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

int64_t board_calls_median(const struct board_calls *calls)
{
	uint32_t sorted[BOARD_CALLS_KEPT];
	size_t count = (size_t)board_calls_count(calls);

	if (!count)
		return -1;
	if (count > BOARD_CALLS_KEPT)
		count = BOARD_CALLS_KEPT;
	memcpy(sorted, calls->took_us, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_time);
	return sorted[(count - 1) / 2];
}
