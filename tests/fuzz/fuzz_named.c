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
#include "cli/named.h"
#include "cli/named_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct named_search search;

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
	if (named_target(&e, entry->name, &search, NULL, &err) == 0)
		assert(e.text && e.scheme && e.source);
	else
		assert(err.kind == ERR_USAGE && err.text[0]);
	endpoint_done(&e);
	error_reset(&err);
}

/* What is shown before it is trusted: lines, and nothing that moves a cursor. */
static void check_lines(const struct buf *text)
{
	for (size_t i = 0; i < text->len; i++)
		assert(text->data[i] == '\n' ||
		       ((unsigned char)text->data[i] >= 0x20 &&
			text->data[i] != 0x7f));
	assert(!text->len || text->data[text->len - 1] == '\n');
}

/* The input as what was trusted, half of it as what is there now. */
static void describe(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf text = { 0 }, out = { 0 }, same = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL, *half = NULL;
	const cJSON *servers;

	buf_add(&text, data, size);
	servers = named_file_parse(&json, &text, "x", NULL);
	if (!servers)
		return;
	named_describe(&out, servers);
	check_lines(&out);
	named_describe_change(&same, servers, servers);
	assert(!same.len);
	buf_reset(&out);
	half = cJSON_Duplicate(servers, true);
	for (int i = 0; i < cJSON_GetArraySize(half); i++)
		cJSON_DeleteItemFromArray(half, i);
	named_describe_change(&out, servers, half);
	check_lines(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("mcp.json", MFD_CLOEXEC);
	bool named = false;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	search.config_file = path;
	named_targets(&search, each, &named);
	describe(data, size);
	close(fd);
	return 0;
}
