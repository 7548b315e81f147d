/* SPDX-License-Identifier: MIT */
/* What one file of a profile says: the board and its tools. */
#ifndef SIM_PROFILE_TOOLS_H
#define SIM_PROFILE_TOOLS_H

#include "sim/profile.h"

/* Apply one file's members to a profile, its tools among them. -1: r->err. */
int profile_apply(struct profile *p, struct reader *r, const cJSON *tree);
/* Add `count` tools from a generator: {"name":"self.x${n:3}",…}. */
int profile_generate(struct profile *p, struct reader *r,
		     const cJSON *generator, int64_t count);

#endif
