/* SPDX-License-Identifier: MIT */
/*
 * Shared by the benchmarks: a clock and percentiles.
 */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int sample_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* "p50 X us, p99 Y us" on one line; sorts. */
static inline void samples_print(double *sample, size_t count)
{
	qsort(sample, count, sizeof(*sample), sample_compare);
	printf("%.1f %.1f\n", sample[count / 2], sample[count * 99 / 100]);
}

#endif
