/* SPDX-License-Identifier: MIT */
/*
 * Whole numbers and durations, from text and to it. No locale.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define DURATION_MAX_MS (INT64_C(10) * 24 * 60 * 60 * 1000)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int text_integer(const char *text, int64_t min, int64_t max, int64_t *out)
{
	bool negative = *text == '-';
	int64_t value = 0;

	text += negative;
	if (!*text)
		return -1;
	for (; *text; text++) {
		int digit = *text - '0';

		/* Downwards if negative: INT64_MIN has no positive twin. */
		if (!is_digit(*text) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, negative ? -digit : digit,
					   &value))
			return -1;
	}
	if (value < min || value > max)
		return -1;
	*out = value;
	return 0;
}

static int64_t unit_ms(const char *unit)
{
	if (!*unit || strcmp(unit, "s") == 0)
		return 1000;
	if (strcmp(unit, "ms") == 0)
		return 1;
	if (strcmp(unit, "m") == 0)
		return 60000;
	if (strcmp(unit, "h") == 0)
		return 3600000;
	return 0;
}

/* Thousandths of a number, rounded up; moves *text behind it. -1: none. */
static int64_t thousandths(const char **text)
{
	const char *p = *text;
	int64_t value = 0, scale = 100;

	if (!is_digit(*p) && !(*p == '.' && is_digit(p[1])))
		return -1;
	for (; is_digit(*p); p++) {
		/* Stay above the limit once there: more digits only add. */
		if (value <= DURATION_MAX_MS)
			value = value * 10 + (*p - '0');
	}
	value *= 1000;
	if (*p == '.' && !is_digit(p[1]))
		return -1;
	if (*p == '.') {
		bool rest = false;

		for (p++; is_digit(*p); p++, scale /= 10) {
			value += (*p - '0') * scale;
			rest |= scale == 0 && *p != '0';
		}
		value += rest;
	}
	*text = p;
	return value;
}

int text_duration(const char *text, int64_t *out_ms, struct error *err)
{
	const char *unit = text;
	int64_t value = thousandths(&unit), factor = unit_ms(unit), ms;

	if (value < 0 || !factor) {
		error_set(err, ERR_USAGE, "'%s' is not a duration", text);
		return error_hint(err, "write 250ms, 10s, 2m or 1h; a number "
				       "without a unit is seconds");
	}
	if (__builtin_mul_overflow(value, factor, &ms) ||
	    ms > DURATION_MAX_MS * 1000) {
		error_set(err, ERR_USAGE, "the duration '%s' is too long",
			  text);
		return error_hint(err, "the longest is 10 days (240h)");
	}
	/* Up, so that a short time does not become none. */
	*out_ms = (ms + 999) / 1000;
	return 0;
}

const char *text_milliseconds(int64_t ms, char *out, size_t size)
{
	long long tenths = (ms + 50) / 100, seconds = (ms + 500) / 1000;
	long long minutes = (ms + 30000) / 60000;

	if (ms < 1000)
		snprintf(out, size, "%lld ms", (long long)ms);
	else if (tenths < 600 && tenths % 10)
		snprintf(out, size, "%lld.%lld s", tenths / 10, tenths % 10);
	else if (tenths < 600)
		snprintf(out, size, "%lld s", tenths / 10);
	else if (seconds < 3600 && seconds % 60)
		snprintf(out, size, "%lld min %lld s", seconds / 60,
			 seconds % 60);
	else if (seconds < 3600)
		snprintf(out, size, "%lld min", seconds / 60);
	else if (minutes % 60)
		snprintf(out, size, "%lld h %lld min", minutes / 60,
			 minutes % 60);
	else
		snprintf(out, size, "%lld h", minutes / 60);
	return out;
}
