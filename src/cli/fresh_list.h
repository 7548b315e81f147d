/* SPDX-License-Identifier: MIT */
/*
 * A list of tools that a server said may be kept (ttlMs, cacheScope; modern.md
 * 12), beside the file of cli/catalog_file: until when, and, where it is
 * private, for whose credentials, by a hash of them.
 */
#ifndef CLI_FRESH_LIST_H
#define CLI_FRESH_LIST_H

#include "cli/connection.h"

#define FRESH_MOST_MS ((int64_t)24 * 60 * 60 * 1000) /* whatever it said */

/* c->tools came just now, and stands under key: until when it may be used. */
void fresh_list_keep(const struct connection *c, const char *key);

/* True: c->tools is taken from there, and may be used without asking. */
bool fresh_list_take(struct connection *c, const char *key);

/* It has changed, or proved wrong: it is to be asked for. */
void fresh_list_drop(const struct connection *c);

#endif
