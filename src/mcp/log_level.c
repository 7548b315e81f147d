/* SPDX-License-Identifier: MIT */
#include "mcp/log_level.h"

#include <stddef.h>
#include <string.h>

const char *const log_levels[9] = { "debug",   "info",	    "notice",
				    "warning", "error",	    "critical",
				    "alert",   "emergency", NULL };

int log_level_rank(const char *level)
{
	for (int i = 0; level && log_levels[i]; i++)
		if (strcmp(log_levels[i], level) == 0)
			return i + 1;
	return 0;
}
