/* SPDX-License-Identifier: MIT */
/*
 * What --breaker says.
 */
#ifndef CLI_GUARDS_OPTION_H
#define CLI_GUARDS_OPTION_H

#include "base/error.h"

struct guards_option {
	bool on;
	bool lasts; /* in the state folder */
	int64_t limit, pause_ms; /* 0: the breaker's own */
};

/* text NULL: the option was not given. "", "on", "off", "N" or "N,DURATION". -1 (ERR_USAGE). */
int guards_option_parse(struct guards_option *out, const char *text,
			struct error *err);

#endif
