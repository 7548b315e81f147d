/* SPDX-License-Identifier: MIT */
/*
 * Finding a name: into e, or err.
 */
#ifndef TESTS_NAMED_HARNESS_H
#define TESTS_NAMED_HARNESS_H

#include <string.h>

#include "cli/named.h"

static struct endpoint e;
static struct error err;

static inline int clean(void **state)
{
	(void)state;
	endpoint_done(&e);
	error_reset(&err);
	return 0;
}

/* Into e, by that file, or by those that are found. */
static inline int find(const char *name, const char *config_file)
{
	const struct named_search search = { .config_file = config_file };

	return named_target(&e, name, &search, NULL, &err);
}

static inline void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

#endif
