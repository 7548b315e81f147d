/* SPDX-License-Identifier: MIT */
/*
 * The stages of a connected peer: each asks, and tells its line. -1: nothing
 * more can be asked (err: why), and the stages behind it are not reached.
 */
#ifndef CHECK_PARTS_H
#define CHECK_PARTS_H

#include "check/check.h"

#define WRONG_WAYS 3 /* none, above, below */

#endif
