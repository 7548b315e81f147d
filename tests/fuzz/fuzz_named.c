/* SPDX-License-Identifier: MIT */
/*
 * An mcp.json, comments and all: every entry is usable or has a problem, and a
 * file that is none is told as one.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "base/mem.h"
#include "cli/named_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *file;

static void each(void *owner, const struct named_entry *entry)
{
	struct endpoint e;
	struct error err = { 0 };
	bool *named = owner;

	assert(entry->peer && entry->file);
	assert(entry->name || entry->problem);
	if (!entry->name)
		return;
	*named = true;
	if (named_target(&e, entry->name, file, &err) == 0)
		assert(e.text && e.scheme && e.source);
	else
		assert(err.kind == ERR_USAGE && err.text[0]);
	endpoint_done(&e);
	error_reset(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("mcp.json", MFD_CLOEXEC);
	bool named = false;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = path;
	named_targets(path, each, &named);
	close(fd);
	return 0;
}
