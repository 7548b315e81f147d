/* SPDX-License-Identifier: MIT */
/*
 * The wall clock as text. Durations are measured elsewhere (base/loop).
 */
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/loop.h"

const char *clock_day_at(char *out, int64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm tm = { 0 };
	localtime_r(&seconds, &tm);
	size_t len = strftime(out, STAMP_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(out + len, STAMP_SIZE - len, ".%03d", (int)(unix_ms % 1000));
	return out;
}

const char *clock_time_at(char *out, int64_t unix_ms)
{
	const char *time = strchr(clock_day_at(out, unix_ms), ' ') + 1;
	memmove(out, time, strlen(time) + 1);
	return out;
}

const char *clock_utc_at(char *out, int64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm tm = { 0 };
	gmtime_r(&seconds, &tm);
	size_t len = strftime(out, STAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, STAMP_SIZE - len, ".%03dZ", (int)(unix_ms % 1000));
	return out;
}

const char *clock_time(char *out)
{
	return clock_time_at(out, unix_now_ms());
}

const char *clock_utc(char *out)
{
	return clock_utc_at(out, unix_now_ms());
}

void clock_add_json(struct buf *out, const char *name, int64_t unix_ms)
{
	char stamp[STAMP_SIZE];

	json_add_text(out, name, clock_utc_at(stamp, unix_ms));
}
