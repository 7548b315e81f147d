/* SPDX-License-Identifier: MIT */
/*
 * A number over time, in bounded memory: where there are too many, two that
 * stand beside each other become one with their least and greatest.
 */
#ifndef OUT_SERIES_H
#define OUT_SERIES_H

#include "base/base.h"

#define SERIES_MAX 4096

struct series_point {
	int64_t at; /* ms */
	double least, greatest, last;
};

struct series {
	struct series_point *point; /* owned; by time */
	size_t count, capacity;
	size_t merged; /* values that a new point is made of; 0: one */
	size_t pending; /* values in the last point so far */
	uint64_t values; /* in all */
	double least, greatest, sum, last;
};

/* Zeroed at first. at does not go back. value is finite. */
void series_add(struct series *s, int64_t at, double value);
void series_done(struct series *s);

#endif
