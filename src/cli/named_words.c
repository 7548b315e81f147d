/* SPDX-License-Identifier: MIT */
/*
 * Which words name a target on a command line.
 */
#include "cli/named_words.h"

#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "cli/schema_cache.h"

static void add_option(struct buf *out, const char *option, const char *value)
{
	buf_printf(out, "%s ", option);
	words_quote(out, value);
	buf_char(out, ' ');
}

static void add_name(struct buf *out, const char *name, const char *config_file)
{
	if (config_file)
		add_option(out, "--config", config_file);
	add_option(out, "-t", name);
}

/* The key of its list is the target without its secrets. */
static void add_address(struct buf *out, const char *target)
{
	CLEANUP(mem_free_ptr) char *shown = schema_cache_key(target, NULL);

	words_quote(out, shown);
	buf_char(out, ' ');
}

void named_words(struct buf *out, const char *target, const char *config_file)
{
	if (!target || !*target)
		return;
	if (strchr(target, ':'))
		add_address(out, target);
	else
		add_name(out, target, config_file);
}
