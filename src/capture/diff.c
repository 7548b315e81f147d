/* SPDX-License-Identifier: MIT */
#include "capture/diff.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct comparing {
	const struct steps *was, *is;
	size_t *other; /* by step of was: the one of is beside it; NO_STEP */
	bool *taken; /* by step of is */
	unsigned *device; /* by device of is: which one of was; NO_DEVICE */
	const struct compare_rules *rules;
	enum event_from side;
	void (*found)(void *owner, const struct difference *d);
	void *owner;
	size_t count;
	const struct step *pair[2]; /* that are compared now */
};

static void tell(struct comparing *c, const struct difference *d)
{
	c->count++;
	if (c->found)
		c->found(c->owner, d);
}

static bool is_compared(const struct comparing *c, const struct step *s)
{
	return c->side == FROM_NOBODY || s->from == c->side;
}

/* Which device of was that one of is: by its id, or else by its place. */
static unsigned device_of(const struct comparing *c, size_t i)
{
	const unsigned same = steps_device(c->was, c->is->device[i]);

	if (same != NO_DEVICE)
		return same;
	return i < c->was->devices ? (unsigned)i : NO_DEVICE;
}

static uint64_t hash_of(const struct step *s, unsigned device)
{
	return map_hash_text(s->key) ^ ((uint64_t)device << 8) ^
	       ((uint64_t)s->leg << 4) ^ ((uint64_t)s->from << 2) ^ s->kind;
}

static bool same_step(const struct comparing *c, const struct step *was,
		      const struct step *is)
{
	return was->leg == is->leg && was->from == is->from &&
	       was->kind == is->kind && was->device == c->device[is->device] &&
	       strcmp(was->key, is->key) == 0;
}

/* A step that waits for one like it. */
struct waiting {
	uint64_t hash;
	size_t step;
};

static int by_hash(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static void put_beside(struct comparing *c, const struct waiting *from,
		       const struct waiting *end, const struct waiting *is)
{
	for (; from < end && from->hash == is->hash; from++)
		if (c->other[from->step] == NO_STEP &&
		    same_step(c, &c->was->item[from->step],
			      &c->is->item[is->step])) {
			c->other[from->step] = is->step;
			c->taken[is->step] = true;
			return;
		}
}

/* All steps, by their hash; then as they came. Yours. */
static struct waiting *sorted(const struct comparing *c, const struct steps *of)
{
	struct waiting *w = mem_alloc((of->count + 1) * sizeof(*w));

	for (size_t i = 0; i < of->count; i++) {
		const struct step *s = &of->item[i];

		w[i].hash = hash_of(s, of == c->is ? c->device[s->device] :
						     s->device);
		w[i].step = i;
	}
	qsort(w, of->count, sizeof(*w), by_hash);
	return w;
}

/* The first of a key with the first, the second with the second, and so on. */
static void align(struct comparing *c)
{
	struct waiting *was = sorted(c, c->was), *is = sorted(c, c->is);
	size_t from = 0, end = c->was->count;

	for (size_t i = 0; i < c->is->count; i++) {
		while (from < end && (was[from].hash < is[i].hash ||
				      c->other[was[from].step] != NO_STEP))
			from++;
		put_beside(c, was + from, was + end, &is[i]);
	}
	mem_free(was);
	mem_free(is);
}

/*
 * Of the steps that both have, the longest row that stands in the same order in
 * both stays; what is not in it has moved. best[n] is the last step of the best
 * row of n+1 steps so far.
 */
static void mark_moved(const struct comparing *c, bool *moved)
{
	size_t n = c->was->count, rows = 0;
	size_t *best = mem_alloc((n + 1) * sizeof(*best));
	size_t *before = mem_alloc((n + 1) * sizeof(*before));

	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = rows;

		moved[i] = c->other[i] != NO_STEP &&
			   is_compared(c, &c->was->item[i]);
		if (!moved[i])
			continue;
		while (low < high) {
			size_t mid = (low + high) / 2;

			if (c->other[best[mid]] < c->other[i])
				low = mid + 1;
			else
				high = mid;
		}
		before[i] = low ? best[low - 1] : NO_STEP;
		best[low] = i;
		rows += low == rows;
	}
	for (size_t i = rows ? best[rows - 1] : NO_STEP; i != NO_STEP;
	     i = before[i])
		moved[i] = false;
	mem_free(best);
	mem_free(before);
}

static void says(void *owner, const struct compare_difference *d)
{
	struct comparing *c = owner;
	struct difference told = { .kind = DIFFERS_SAYS,
				   .was = c->pair[0],
				   .is = c->pair[1],
				   .says = *d };

	tell(c, &told);
}

static int64_t waited(const struct steps *s, const struct step *reply)
{
	return reply->asked == NO_STEP ?
		       -1 :
		       reply->at_us - s->item[reply->asked].at_us;
}

static void compare_number(struct comparing *c, const char *name, int was,
			   int is)
{
	CLEANUP(mem_free_ptr) char *old = mem_printf("%d", was);
	CLEANUP(mem_free_ptr) char *new = mem_printf("%d", is);

	if (was != is)
		says(c, &(struct compare_difference){ name, old, new });
}

static void compare_pair(struct comparing *c, const struct step *was,
			 const struct step *is, bool moved)
{
	struct difference d = { .was = was, .is = is };

	c->pair[0] = was;
	c->pair[1] = is;
	if (moved) {
		d.kind = DIFFERS_ORDER;
		tell(c, &d);
	}
	compare_number(c, "status", was->status, is->status);
	compare_number(c, "code", was->code, is->code);
	/* Who dials, and in which words a connection ends, is another each time. */
	if (was->kind != CAPTURED_OPEN && was->kind != CAPTURED_END &&
	    !was->cut && !is->cut)
		compare_messages(was->message, is->message, c->rules, says, c);
	d.kind = DIFFERS_SLOWER;
	d.was_us = waited(c->was, was);
	d.is_us = waited(c->is, is);
	if (d.was_us >= 0 && d.is_us >= d.was_us * SLOWER_TIMES &&
	    d.is_us - d.was_us >= SLOWER_US)
		tell(c, &d);
}

static void walk(struct comparing *c, const bool *moved)
{
	for (size_t i = 0; i < c->was->count; i++) {
		const struct step *was = &c->was->item[i];
		struct difference d = { .kind = DIFFERS_MISSING, .was = was };

		if (!is_compared(c, was))
			continue;
		if (c->other[i] == NO_STEP)
			tell(c, &d);
		else
			compare_pair(c, was, &c->is->item[c->other[i]],
				     moved[i]);
	}
	for (size_t i = 0; i < c->is->count; i++) {
		struct difference d = { .kind = DIFFERS_MORE,
					.is = &c->is->item[i] };

		if (!c->taken[i] && is_compared(c, d.is))
			tell(c, &d);
	}
}

size_t
conversations_compare(const struct steps *was, const struct steps *is,
		      const struct compare_rules *rules, enum event_from side,
		      void (*found)(void *owner, const struct difference *d),
		      void *owner)
{
	struct comparing c = { .was = was,
			       .is = is,
			       .rules = rules,
			       .side = side,
			       .found = found,
			       .owner = owner };
	bool *moved = mem_zalloc((was->count + 1) * sizeof(*moved));

	c.other = mem_alloc((was->count + 1) * sizeof(*c.other));
	c.taken = mem_zalloc((is->count + 1) * sizeof(*c.taken));
	c.device = mem_alloc((is->devices + 1) * sizeof(*c.device));
	for (size_t i = 0; i < was->count; i++)
		c.other[i] = NO_STEP;
	for (size_t i = 0; i < is->devices; i++)
		c.device[i] = device_of(&c, i);
	align(&c);
	mark_moved(&c, moved);
	walk(&c, moved);
	mem_free(moved);
	mem_free(c.other);
	mem_free(c.taken);
	mem_free(c.device);
	return c.count;
}
