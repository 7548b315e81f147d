/* SPDX-License-Identifier: MIT */
#include "base/assertion.h"

#include <assert.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *file; /* NULL: nothing is guarded */
	int result;
	jmp_buf back;
} guarded;

int assertion_guard(const char *file, int (*call)(void *arg), void *arg,
		    int failed)
{
	guarded.file = file;
	guarded.result = failed;
	if (!setjmp(guarded.back))
		guarded.result = call(arg);
	guarded.file = NULL;
	return guarded.result;
}

static bool is_guarded(const char *file)
{
	size_t len = strlen(file),
	       end = guarded.file ? strlen(guarded.file) : 0;

	return end && end <= len && strcmp(file + len - end, guarded.file) == 0;
}

/* In the place of libc's, for the libraries too. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): names of libc's own */
void __assert_fail(const char *said, const char *file, unsigned int line,
		   const char *function)
{
	if (is_guarded(file))
		longjmp(guarded.back, 1);
	fprintf(stderr, "mcpctl: %s:%u: %s: Assertion `%s' failed.\n", file,
		line, function, said);
	abort();
}
