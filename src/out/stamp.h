/* SPDX-License-Identifier: MIT */
/*
 * The time of day, for people (local, "12:01:02.123") and for programs (UTC,
 * "2026-08-08T12:01:02.123Z").
 */
#ifndef OUT_STAMP_H
#define OUT_STAMP_H

#include "base/base.h"

#define STAMP_SIZE 40

/* Each returns out, which has STAMP_SIZE bytes. */
const char *stamp_clock(char *out);
const char *stamp_utc(char *out);

#endif
