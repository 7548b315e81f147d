/* SPDX-License-Identifier: MIT */
/*
 * The circuit breaker of a held device: a board that hangs is not asked again
 * and again, and who asks is told at once. The rules are mcp/breaker's.
 */
#include "mcp/breaker.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/board_private.h"

static const char *left_text(const struct board *d, char *out, size_t size)
{
	int64_t left = breaker_left(d->breaker, loop_now());

	return text_milliseconds((left + 999) / 1000 * 1000, out, size);
}

int board_admit(struct board *d, const char *method, struct error *err)
{
	char left[32];

	/* Whether anybody is there may be asked at any time. */
	if (!d->breaker || strcmp(method, "ping") == 0 ||
	    breaker_admit(d->breaker, loop_now(), NULL) == 0)
		return 0;
	return error_set(err, ERR_CONNECT,
			 "not sent: the last %lld calls to the device got no "
			 "answer, so its circuit breaker is open for %s more; "
			 "'ping' passes, and closes it if the device answers",
			 (long long)d->breaker->failures,
			 left_text(d, left, sizeof(left)));
}

void board_answered(struct board *d)
{
	struct breaker *b = TAKE(d->breaker);

	if (b && b->opened_at)
		board_record(d, RECORD_BREAKER, LEVEL_GOOD,
			     "it answers again: the circuit breaker is "
			     "closed");
	mem_free(b);
}

void board_unanswered(struct board *d)
{
	const struct error why = { .kind = ERR_TIMEOUT };
	bool was_open = d->breaker && d->breaker->opened_at;
	struct record *r;
	char left[32];

	if (!d->breaker)
		d->breaker = mem_zalloc(sizeof(*d->breaker));
	breaker_settle(d->breaker, &why, loop_now());
	if (!d->breaker->opened_at || d->gone)
		return;
	left_text(d, left, sizeof(left));
	if (was_open) {
		board_record(d, RECORD_BREAKER, LEVEL_INFO,
			     "still no answer: the circuit breaker is open "
			     "for another %s",
			     left);
		return;
	}
	r = board_record(d, RECORD_BREAKER, LEVEL_WARN,
			 "no answer to %lld calls in a row: the circuit "
			 "breaker is open, calls fail at once for %s",
			 (long long)d->breaker->failures, left);
	if (r)
		r->hint = mem_strdup("is it hung? see its own log; 'mcpctl "
				     "ping' goes through all the same");
}

void board_untold(struct board *d)
{
	if (d->breaker)
		breaker_release(d->breaker);
}
