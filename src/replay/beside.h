/* SPDX-License-Identifier: MIT */
/* Two captures side by side: capture diff. */
#ifndef REPLAY_BESIDE_H
#define REPLAY_BESIDE_H

#include "capture/compare.h"
#include "out/render.h"

struct beside_order {
	const char *was, *is; /* paths; one of them may be "-" */
	const char *device; /* its Device-Id; NULL: all */
	struct compare_rules rules;
	struct renderer *out;
};

/* Differences to stdout. -1: err (ERR_UNMET: there are some). */
int beside(const struct beside_order *order, struct error *err);

#endif
