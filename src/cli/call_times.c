/* SPDX-License-Identifier: MIT */
#include "cli/call_times.h"

#include <inttypes.h>

#include "base/loop.h"
#include "base/mem.h"

#define KEPT_MAX (1U << 18)

void call_times_begin(struct call_times *t)
{
	t->begun_us = loop_now_us();
	t->step = 1;
}

static void keep(struct call_times *t, int64_t us)
{
	if (t->answered++ % t->step != 0)
		return;
	if (t->count == KEPT_MAX) {
		for (size_t i = 0; i < KEPT_MAX / 2; i++)
			t->us[i] = t->us[2 * i];
		t->count = KEPT_MAX / 2;
		t->step *= 2;
	}
	t->us = mem_grow(t->us, &t->capacity, t->count, sizeof(*t->us));
	t->us[t->count++] = us;
}

void call_times_add(struct call_times *t, int64_t took_us,
		    const struct error *why)
{
	t->made++;
	if (why->kind == ERR_NONE) {
		keep(t, took_us);
		t->longest = took_us > t->longest ? took_us : t->longest;
		return;
	}
	t->failed++;
	if (why->kind > t->worst.kind)
		error_copy(&t->worst, why);
}

void call_times_tell(struct call_times *t, struct renderer *r, bool main)
{
	const struct ping_layer times = { .name = "call",
					  .sent = t->count,
					  .took_us = t->us };
	const struct calls_record record = { .made = t->made,
					     .failed = t->failed,
					     .lasted_us = loop_now_us() -
							  t->begun_us,
					     .times = &times,
					     .main = main,
					     .late = t->late };

	ping_sort(t->us, t->count);
	/* It may not be among those that were kept. */
	if (t->count)
		t->us[t->count - 1] = t->longest;
	watched_calls(r, &record);
}

int call_times_outcome(const struct call_times *t, struct error *err)
{
	if (t->made == 0)
		return error_set(err, ERR_TIMEOUT,
				 "no call was over within that time");
	if (t->failed == 0)
		return 0;
	return error_set(err, t->worst.kind,
			 "%" PRIu64 " of %" PRIu64 " call%s failed", t->failed,
			 t->made, t->made == 1 ? "" : "s");
}

void call_times_done(struct call_times *t)
{
	mem_free(t->us);
	error_reset(&t->worst);
	*t = (struct call_times){ 0 };
}
