/* SPDX-License-Identifier: MIT */
/*
 * Times, counted in steps of an eighth of their size: percentiles of any number
 * of them in 2 kB.
 */
#ifndef PROXY_LATENCY_H
#define PROXY_LATENCY_H

#include "base/base.h"

#define LATENCY_STEPS 256

struct latency {
	uint64_t count;
	uint64_t step[LATENCY_STEPS];
};

void latency_add(struct latency *l, int64_t ns);
/* In nanoseconds, the upper end of its step; -1: there is none. percent 1-100. */
int64_t latency_at(const struct latency *l, unsigned percent);

#endif
