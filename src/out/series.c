/* SPDX-License-Identifier: MIT */
#include "out/series.h"

#include "base/mem.h"

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static void join(struct series_point *into, const struct series_point *next)
{
	into->least = lesser(into->least, next->least);
	into->greatest = greater(into->greatest, next->greatest);
	into->last = next->last;
}

/* Half as many, each of twice as many values. */
static void halve(struct series *s)
{
	for (size_t i = 0; i < s->count / 2; i++) {
		s->point[i] = s->point[2 * i];
		join(&s->point[i], &s->point[2 * i + 1]);
	}
	s->count /= 2;
	s->merged *= 2;
	s->pending = s->merged;
}

void series_add(struct series *s, int64_t at, double value)
{
	const struct series_point point = { at, value, value, value };

	if (s->values == 0) {
		s->merged = 1;
		s->least = s->greatest = value;
	}
	s->least = lesser(s->least, value);
	s->greatest = greater(s->greatest, value);
	s->sum += value;
	s->last = value;
	s->values++;
	if (s->count && s->pending < s->merged) {
		join(&s->point[s->count - 1], &point);
		s->pending++;
		return;
	}
	if (s->count == SERIES_MAX)
		halve(s);
	s->point =
		mem_grow(s->point, &s->capacity, s->count, sizeof(*s->point));
	s->point[s->count++] = point;
	s->pending = 1;
}

void series_done(struct series *s)
{
	mem_free(s->point);
	*s = (struct series){ 0 };
}
