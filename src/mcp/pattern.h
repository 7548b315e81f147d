/* SPDX-License-Identifier: MIT */
/*
 * Patterns of a schema: whether a text fits one, in bounded time.
 */
#ifndef MCP_PATTERN_H
#define MCP_PATTERN_H

#include "base/base.h"

/* The pattern that was compiled last: often the next one is the same. */
struct pattern {
	const char *source;
	void *code, *match, *limits;
	bool anchored;
};

enum pattern_result {
	PATTERN_FITS,
	PATTERN_FITS_NOT,
	PATTERN_UNKNOWN, /* no PCRE2, or no pattern */
	PATTERN_DEAR /* given up: the pattern needs too long for this text */
};

/* pattern must stay where it is until pattern_done. It compares in bounded time. */
enum pattern_result pattern_test(struct pattern *p, const char *pattern,
				 const char *text);
void pattern_done(struct pattern *p);

#endif
