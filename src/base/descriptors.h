/* SPDX-License-Identifier: MIT */
/*
 * How many descriptors this process may still have: for what must not begin
 * when they do not suffice, and for what must leave some to others.
 */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include "base/base.h"

/* As many as the soft limit allows (RLIMIT_NOFILE). */
size_t descriptors_limit(void);
/*
 * Sets that limit to so many, as far as the hard one allows. Returns what it is
 * then.
 */
size_t descriptors_raise(size_t wanted);
/* How many of those are open. */
size_t descriptors_open(void);
/*
 * Whether so many more can be had at this moment, of the process and of the
 * system: tried, by doubling fd, which is open.
 */
bool descriptors_spare(int fd, size_t wanted);

#endif
