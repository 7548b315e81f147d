/* SPDX-License-Identifier: MIT */
/*
 * Debug lines on stderr. Not a log for users.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

void log_debug(const char *format, ...)
{
	static int enabled = -1;
	char line[1024];
	va_list args;

	if (enabled < 0) {
		const char *value = getenv("MCPCTL_DEBUG");

		enabled = value && *value;
	}
	if (!enabled)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* One call, so that lines of several processes do not mix. */
	fprintf(stderr, "mcpctl: debug: %lld us: %s\n",
		(long long)(uv_hrtime() / 1000), line);
}
