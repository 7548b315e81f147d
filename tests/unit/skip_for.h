/* SPDX-License-Identifier: MIT */
/* Skip the test that runs, and say why: tests/run names both at its end. */
#ifndef SKIP_FOR_H
#define SKIP_FOR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static inline void skip_for(const char *why)
{
	print_message("skipped: %s\n", why);
	skip();
}

/* tests/run root finds the programs that call this. */
static inline void needs_root(void)
{
	if (geteuid() != 0)
		skip_for("needs root: only root can be another user");
}

#endif
