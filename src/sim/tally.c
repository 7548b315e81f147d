/* SPDX-License-Identifier: MIT */
/* Counters become a summary. */
#include "sim/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sim_summary_done(struct sim_summary *s)
{
	words_done(&s->hazards);
	mem_free(s->hazard_times);
	memset(s, 0, sizeof(*s));
}

void tally_hazard(struct tally *t, enum hazard h)
{
	t->hazard[h]++;
}

void samples_add(struct samples *s, int64_t ms)
{
	s->ms = mem_grow(s->ms, &s->capacity, s->count, sizeof(*s->ms));
	s->ms[s->count++] = ms > INT32_MAX ? INT32_MAX : (int32_t)ms;
}

static int by_size(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

int64_t samples_percentile(struct samples *s, unsigned p)
{
	size_t rank;

	if (!s->count)
		return -1;
	qsort(s->ms, s->count, sizeof(*s->ms), by_size);
	/* nearest rank: the smallest value that p percent do not pass */
	rank = (s->count * p + 99) / 100;
	return s->ms[rank ? rank - 1 : 0];
}

void tally_finish(struct tally *t, struct sim_summary *out)
{
	size_t i;

	*out = t->sum;
	out->welcome_p50 = samples_percentile(&t->welcome, 50);
	out->welcome_p99 = samples_percentile(&t->welcome, 99);
	out->first_call_p50 = samples_percentile(&t->first_call, 50);
	out->first_call_p99 = samples_percentile(&t->first_call, 99);
	out->hazard_times = mem_zalloc(HAZARD_COUNT * sizeof(uint64_t));
	for (i = 0; i < HAZARD_COUNT; i++) {
		if (!t->hazard[i])
			continue;
		out->hazard_times[out->hazards.count] = t->hazard[i];
		words_add(&out->hazards, hazard_text((enum hazard)i));
	}
	mem_free(t->welcome.ms);
	mem_free(t->first_call.ms);
	memset(t, 0, sizeof(*t));
}
