/* SPDX-License-Identifier: MIT */
/*
 * Resources, templates and prompts of the connected peer, kept in the app once
 * they were listed: for names, and for completion in the shell. The commands
 * that list them always ask anew.
 */
#ifndef CLI_CMD_ITEMS_H
#define CLI_CMD_ITEMS_H

#include "cli/connection.h"

/*
 * The item of that key or name, lent until the next refresh or drop; asked
 * for if it is not in the list that is kept. -1: as items_cache_refresh, or
 * ERR_USAGE: there is none; the nearest is proposed.
 */
int items_cache_find(struct connection *c, enum list_kind kind, const char *key,
		     const struct list_item **out, struct error *err);

/* The key of the kept list of a target in cli/catalog_file.h; yours. */
char *items_cache_key(const char *target, enum list_kind kind);

/* Forget all: connection_close calls this. Twice is fine. */
void items_cache_drop(struct connection *c);

#endif
