/* SPDX-License-Identifier: MIT */
/*
 * A profile for sim (mcpctl-profile(5)) of one device of a conversation: what it
 * said of itself, and what it answered to what, byte for byte, with its delays.
 * Pure.
 */
#ifndef CAPTURE_CLONE_H
#define CAPTURE_CLONE_H

#include "capture/steps.h"

/*
 * The profile of device number n of s; from: where it comes from, in words. What
 * could not be told stands in its member "notes". Yours. NULL (ERR_UNMET): that
 * device answered nothing.
 */
cJSON *clone_device(const struct steps *s, unsigned n, const char *from,
		    struct error *err);

#endif
