/* SPDX-License-Identifier: MIT */
/* Counters, and series of times that stay small however long they are. */
#include "sim/counts.h"

#include <stdlib.h>

#include "base/mem.h"

/* Every second one goes: what is left is spread as before. */
static void thin_out(struct samples *s)
{
	for (size_t i = 0; i < s->count / 2; i++)
		s->value[i] = s->value[2 * i];
	s->count /= 2;
	s->every *= 2;
}

void samples_add(struct samples *s, int64_t value)
{
	if (!s->every)
		s->every = 1;
	if (s->seen++ % s->every)
		return;
	if (s->count == SAMPLES_MAX)
		thin_out(s);
	s->value =
		mem_grow(s->value, &s->capacity, s->count, sizeof(*s->value));
	s->value[s->count++] = value > INT32_MAX ? INT32_MAX : (int32_t)value;
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
	qsort(s->value, s->count, sizeof(*s->value), by_size);
	/* nearest rank: the smallest value that p percent do not pass */
	rank = (s->count * p + 99) / 100;
	return s->value[rank ? rank - 1 : 0];
}

void samples_done(struct samples *s)
{
	mem_free(s->value);
	*s = (struct samples){ 0 };
}

uint64_t asked_unanswered(const struct asked_counts *a)
{
	return a->came - a->answered - a->refused;
}

void counts_init(struct counts *c, const struct firmware_catalog *catalog)
{
	*c = (struct counts){ .catalog = catalog };
	c->tool = mem_zalloc((catalog->count + 1) * sizeof(*c->tool));
}

void counts_done(struct counts *c)
{
	mem_free(c->tool);
	samples_done(&c->answer_us);
	*c = (struct counts){ 0 };
}

static struct counts_tool *row(struct counts *c, const struct firmware_tool *t)
{
	return c->tool + (t - c->catalog->tool);
}

void counts_came(struct counts *c, const struct counted_request *of)
{
	if (!c)
		return;
	c->requests.came++;
	if (of->is_call)
		c->calls.came++;
	if (of->tool)
		row(c, of->tool)->calls.came++;
}

static void replied(struct asked_counts *a, bool is_error)
{
	if (is_error)
		a->refused++;
	else
		a->answered++;
}

void counts_replied(struct counts *c, const struct counted_request *of,
		    bool is_error, uint64_t now_ns)
{
	if (!c)
		return;
	replied(&c->requests, is_error);
	if (of->is_call)
		replied(&c->calls, is_error);
	if (of->tool)
		replied(&row(c, of->tool)->calls, is_error);
	samples_add(&c->answer_us, (int64_t)((now_ns - of->came_ns) / 1000));
}

void counts_listed(struct counts *c, size_t up_to, bool user_tools)
{
	if (!c)
		return;
	for (size_t i = up_to; i < c->catalog->count; i++) {
		if (user_tools || !c->catalog->tool[i].user_only)
			c->tool[i].unlisted++;
	}
}
