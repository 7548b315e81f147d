/* SPDX-License-Identifier: MIT */
/*
 * Two conversations compared: what one has and the other has not, what came in
 * another order, what says another thing, what got slower. Steps are put side
 * by side by what they are (capture/steps.h), the second call of a tool with the
 * second. Pure.
 */
#ifndef CAPTURE_DIFF_H
#define CAPTURE_DIFF_H

#include "capture/compare.h"
#include "capture/steps.h"

/* An answer is slower: this many times, and so much. */
#define SLOWER_TIMES 2
#define SLOWER_US 100000

enum difference_kind {
	DIFFERS_MISSING, /* was, and is not */
	DIFFERS_MORE, /* is, and was not */
	DIFFERS_ORDER,
	DIFFERS_SAYS,
	DIFFERS_SLOWER
};

/* All lent by the two conversations, texts for the call. */
struct difference {
	enum difference_kind kind;
	const struct step *was, *is; /* NULL: there is none */
	struct compare_difference says; /* DIFFERS_SAYS */
	int64_t was_us, is_us; /* DIFFERS_SLOWER: how long the answer took */
};

/*
 * side: only what that one says is compared; FROM_NOBODY: what both say, and who
 * came first. Devices are those of the same id, or else the first with the first. In the
 * order of was, then what is more. Returns how many; found may be NULL.
 */
size_t
conversations_compare(const struct steps *was, const struct steps *is,
		      const struct compare_rules *rules, enum event_from side,
		      void (*found)(void *owner, const struct difference *d),
		      void *owner);

#endif
