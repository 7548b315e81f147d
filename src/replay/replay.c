/* SPDX-License-Identifier: MIT */
#include "replay/replay.h"
#include "base/mem.h"

#include <string.h>

void replay_heard(struct replay *r, enum event_from from, enum diag_leg leg,
		  int64_t at_us, struct span text)
{
	const struct capture_event e = {
		.n = r->is.count + 1,
		.at_us = at_us,
		.conn = 1,
		.leg = leg,
		.kind = CAPTURED_TEXT,
		.from = from,
		.device = r->was.device[r->was.item[0].device],
		.data = text,
		.size = text.len,
	};

	steps_add(&r->is, &e);
}

static void found(void *owner, const struct difference *d)
{
	struct replay *r = owner;
	const struct step *before = r->shown.step;

	render_difference(&r->in->app->out, d, &r->shown);
	r->different[d->kind]++;
	if (before != r->shown.step)
		r->unlike++;
}

static const char *case_text(enum difference_kind kind)
{
	static const char *const words[] = { "missing", "more than there was",
					     "in another order",
					     "says another thing", "slower" };

	return words[kind];
}

/* Which side is compared: the other one said what it was told to. */
static enum event_from other_side(const struct replay *r)
{
	return r->o->as == 0 ? FROM_DEVICE : FROM_BACKEND;
}

#define SAME (DIFFERS_SLOWER + 1u)

struct sorting {
	struct replay *r;
	unsigned *worst; /* enum difference_kind by step of was, or SAME */
};

static void sort(void *owner, const struct difference *d)
{
	struct sorting *s = owner;

	if (!d->was)
		check_case(&s->r->k, d->is->key, STAGE_FAIL, 0,
			   case_text(DIFFERS_MORE));
	else if (d->kind < s->worst[d->was - s->r->was.item])
		s->worst[d->was - s->r->was.item] = d->kind;
	found(s->r, d);
}

/* A case for each step of the other side, for reports. */
static size_t add_cases(struct replay *r, const unsigned *worst)
{
	size_t count = 0;

	for (size_t i = 0; i < r->was.count; i++) {
		const struct step *s = &r->was.item[i];
		bool same = worst[i] == SAME;

		if (s->from != other_side(r))
			continue;
		count++;
		check_case(&r->k, s->key, same ? STAGE_OK : STAGE_FAIL, 0,
			   same ? "" :
				  case_text((enum difference_kind)worst[i]));
	}
	return count;
}

static void add_counts(const struct replay *r, struct buf *out)
{
	static const char *const words[] = { "missing", "more", "moved",
					     "other", "slower" };

	for (int i = 0; i <= DIFFERS_SLOWER; i++)
		if (r->different[i])
			buf_printf(out, ", %zu %s", r->different[i], words[i]);
}

int replay_compare(struct replay *r, struct error *err)
{
	const struct compare_rules rules = {
		(const char *const *)r->o->ignore.word, r->o->ignore.count
	};
	struct sorting s = { .r = r };
	CLEANUP(buf_done) struct buf counts = { 0 };
	size_t steps;

	s.worst = mem_alloc((r->was.count + 1) * sizeof(*s.worst));
	for (size_t i = 0; i < r->was.count; i++)
		s.worst[i] = SAME;
	conversations_compare(&r->was, &r->is, &rules, other_side(r), sort, &s);
	render_differences_end(&r->in->app->out, &r->shown);
	steps = add_cases(r, s.worst);
	mem_free(s.worst);
	add_counts(r, &counts);
	check_stage(&r->k, "same", r->unlike ? STAGE_FAIL : STAGE_OK,
		    "%zu step%s of the %s compared%s", steps,
		    steps == 1 ? "" : "s", r->o->as == 0 ? "device" : "backend",
		    counts.len ? buf_string(&counts) : ", all as they were");
	if (!r->unlike)
		return 0;
	return error_set(err, ERR_UNMET, "%zu step%s not as recorded",
			 r->unlike, r->unlike == 1 ? " is" : "s are");
}
