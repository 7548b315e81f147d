/* SPDX-License-Identifier: MIT */
/*
 * How long who is asked in vain is left alone: ever longer, and never for ever.
 */
#ifndef BASE_PAUSE_H
#define BASE_PAUSE_H

#include <stdint.h>

/*
 * The pause behind that one, of any unit: first behind 0, then twice as long each
 * time, up to most.
 */
static inline int64_t pause_longer(int64_t pause, int64_t first, int64_t most)
{
	const int64_t longer = pause ? pause * 2 : first;

	return longer < most ? longer : most;
}

#endif
