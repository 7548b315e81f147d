/* SPDX-License-Identifier: MIT */
/*
 * The wall clock as text. Durations are measured elsewhere (base/loop).
 */
#include "out/clock.h"

#include <stdio.h>
#include <time.h>

#include "base/loop.h"

static void local_of(struct tm *out, int64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	localtime_r(&seconds, out);
}

static void add_milliseconds(char *out, int64_t unix_ms, size_t len)
{
	snprintf(out + len, STAMP_SIZE - len, ".%03d", (int)(unix_ms % 1000));
}

const char *clock_time_at(char *out, int64_t unix_ms)
{
	struct tm tm = { 0 };
	local_of(&tm, unix_ms);
	add_milliseconds(out, unix_ms,
			 strftime(out, STAMP_SIZE, "%H:%M:%S", &tm));
	return out;
}

const char *clock_day_at(char *out, int64_t unix_ms)
{
	struct tm tm = { 0 };
	local_of(&tm, unix_ms);
	add_milliseconds(out, unix_ms,
			 strftime(out, STAMP_SIZE, "%Y-%m-%d %H:%M:%S", &tm));
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
