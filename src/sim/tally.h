/* SPDX-License-Identifier: MIT */
/* What a fleet saw, counted while it runs and summed up at the end. Pure. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "sim/hazard.h"
#include "sim/sim.h"

/* Times in milliseconds, to be sorted at the end. */
struct samples {
	int32_t *ms;
	size_t count, capacity;
};

struct tally {
	struct sim_summary sum; /* its latencies and hazards only at the end */
	uint64_t hazard[HAZARD_COUNT];
	struct samples welcome, first_call;
};

void tally_hazard(struct tally *t, enum hazard h);
void samples_add(struct samples *s, int64_t ms);
/* The value that p percent do not pass; -1 if there is none. Sorts. */
int64_t samples_percentile(struct samples *s, unsigned p);

/* Hand the sum over and release the rest. */
void tally_finish(struct tally *t, struct sim_summary *out);

#endif
