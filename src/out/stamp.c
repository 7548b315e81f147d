/* SPDX-License-Identifier: MIT */
/*
 * The wall clock as text. Durations are measured elsewhere (base/loop).
 */
#include "out/stamp.h"

#include <stdio.h>
#include <time.h>

static int milliseconds(const struct timespec *now)
{
	return (int)(now->tv_nsec / 1000000) % 1000;
}

const char *stamp_clock(char *out)
{
	struct timespec now = { 0 };
	struct tm tm = { 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	size_t len = strftime(out, STAMP_SIZE, "%H:%M:%S", &tm);
	snprintf(out + len, STAMP_SIZE - len, ".%03d", milliseconds(&now));
	return out;
}

const char *stamp_utc(char *out)
{
	struct timespec now = { 0 };
	struct tm tm = { 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	size_t len = strftime(out, STAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, STAMP_SIZE - len, ".%03dZ", milliseconds(&now));
	return out;
}
