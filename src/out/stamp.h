/* SPDX-License-Identifier: MIT */
/*
 * The time of day, for people (local, "12:01:02.123") and for programs (UTC,
 * "2026-08-08T12:01:02.123Z").
 */
#ifndef OUT_STAMP_H
#define OUT_STAMP_H

#include "base/base.h"

#define STAMP_SIZE 40

/* Each returns out, which has STAMP_SIZE bytes. unix_ms: that moment. */
const char *stamp_clock(char *out);
const char *stamp_utc(char *out);
const char *stamp_clock_at(char *out, int64_t unix_ms);
const char *stamp_utc_at(char *out, int64_t unix_ms);
/* With the day in front: "2026-08-08 12:01:02.123", local. */
const char *stamp_day_at(char *out, int64_t unix_ms);

#endif
