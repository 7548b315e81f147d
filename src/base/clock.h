/* SPDX-License-Identifier: MIT */
/*
 * The time of day, for people (local, "12:01:02.123") and for programs (UTC,
 * "2026-08-08T12:01:02.123Z").
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/base.h"

struct buf;

#define STAMP_SIZE 40

/* Each returns out, which has STAMP_SIZE bytes. unix_ms: that moment. */
const char *clock_time(char *out);
const char *clock_utc(char *out);
const char *clock_time_at(char *out, int64_t unix_ms);
const char *clock_utc_at(char *out, int64_t unix_ms);
/* With the day in front: "2026-08-08 12:01:02.123", local. */
const char *clock_day_at(char *out, int64_t unix_ms);
/* ,"name":"2026-08-08T12:01:02.123Z" appended, as base/json's json_add_text. */
void clock_add_json(struct buf *out, const char *name, int64_t unix_ms);

#endif
