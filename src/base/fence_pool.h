/* SPDX-License-Identifier: MIT */
/*
 * Landlock is of a thread, and of those that it starts later. libuv's threads
 * are there already where a name was looked up before the fences went up.
 */
#ifndef BASE_FENCE_POOL_H
#define BASE_FENCE_POOL_H

#include "base/fence.h"
#include "base/loop.h"

/* Put the rest of the threads behind these rules, too, as soon as each is free. */
void fence_pool(struct loop *l, const struct words *rules);

#endif
