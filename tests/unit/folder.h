/* SPDX-License-Identifier: MIT */
/*
 * A temporary folder of a test's own, and files in it.
 */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftw.h>

#include "base/mem.h"

static char folder[] = "/tmp/mcpctl-test-XXXXXX";

static int folder_make(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_drop(const char *path, const struct stat *st, int flag,
		       struct FTW *where)
{
	(void)st;
	(void)flag;
	(void)where;
	return remove(path);
}

static int folder_remove(void **state)
{
	(void)state;
	return nftw(folder, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* Yours. */
static inline char *folder_path(const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

/* Yours. */
static inline char *folder_write(const char *name, const char *text, size_t len)
{
	char *path = folder_path(name);
	FILE *f = fopen(path, "we");

	if (!f || fwrite(text, 1, len, f) != len)
		abort();
	fclose(f);
	return path;
}

#endif
