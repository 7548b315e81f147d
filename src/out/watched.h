/* SPDX-License-Identifier: MIT */
/*
 * What `watch` and `call --repeat` show, in each form: values as they come, the
 * picture of a series, how long calls took.
 */
#ifndef OUT_WATCHED_H
#define OUT_WATCHED_H

#include "out/render.h"
#include "out/series.h"

/* A value that came. Lent. */
struct sample {
	int64_t unix_ms; /* when it was asked for */
	int64_t took_us;
	struct span value; /* JSON */
	bool changed; /* it is not the last one; of the first false */
	bool first;
	bool number; /* value is one that a plot can show: */
	double amount;
	double before; /* amount of the last one, if `difference` */
	bool difference;
	const char *unit; /* NULL */
};

/*
 * On a terminal a line for the first and for each that changed, with the
 * difference of numbers; elsewhere CSV, time and value, under a heading; as
 * JSON an object a line. All at once.
 */
void watched_sample(struct renderer *r, const struct sample *s);

/* On a terminal: a line at its foot, what is there now; series may be empty. */
void watched_now(struct renderer *r, const struct sample *s,
		 const struct series *series);

/* On a terminal: the picture, if there are numbers to be seen. */
void watched_plot(struct renderer *r, const struct series *series,
		  const char *unit);

/* Many calls of one tool. */
struct calls_record {
	uint64_t made, failed;
	int64_t lasted_us; /* all of them together */
	const struct ping_layer *times; /* of those that were answered */
	bool main; /* it is the result: on stdout in each form */
	uint64_t late; /* not made in time, as too many were under way */
};
void watched_calls(struct renderer *r, const struct calls_record *c);

#endif
