/* SPDX-License-Identifier: MIT */
/* Eight steps for each doubling, from 128 ns on. */
#include "proxy/latency.h"

#define FIRST_BITS 7 /* below 128 ns nothing is told apart */

static unsigned step_of(uint64_t ns)
{
	unsigned bits = 63 - (unsigned)__builtin_clzll(ns | 1), step;

	if (bits < FIRST_BITS)
		return 0;
	step = (bits - FIRST_BITS) * 8 + (unsigned)(ns >> (bits - 3) & 7) + 1;
	return step < LATENCY_STEPS ? step : LATENCY_STEPS - 1;
}

static int64_t end_of(unsigned step)
{
	unsigned bits = (step - 1) / 8 + FIRST_BITS;

	if (step == 0)
		return 1 << FIRST_BITS;
	return (int64_t)(((uint64_t)(step - 1) % 8 + 9) << (bits - 3));
}

void latency_add(struct latency *l, int64_t ns)
{
	l->count++;
	l->step[step_of(ns > 0 ? (uint64_t)ns : 0)]++;
}

int64_t latency_at(const struct latency *l, unsigned percent)
{
	uint64_t wanted = (l->count * percent + 99) / 100, seen = 0;

	for (unsigned i = 0; i < LATENCY_STEPS && l->count; i++) {
		seen += l->step[i];
		if (seen >= wanted)
			return end_of(i);
	}
	return -1;
}
