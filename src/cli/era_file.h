/* SPDX-License-Identifier: MIT */
/*
 * The era of a server, kept from one command to the next: a file for each
 * server, named by a hash of its URL without the query, or of its command line,
 * folder and names of variables; no secret stands in it.
 */
#ifndef CLI_ERA_FILE_H
#define CLI_ERA_FILE_H

#include "cli/connection.h"

/*
 * What is known of the era of the open target's peer: the option, the file, or
 * that its kind is never asked. Lent by the connection until it is closed.
 */
void era_file_config(struct era_config *out, struct connection *c);

/* The path of that file, with suffix: for what else is kept of it. NULL; yours. */
char *era_file_path(const struct endpoint *e, const char *suffix);

/*
 * Opening it failed. True: that may be since the file is wrong, which is then
 * forgotten, or since the server could not bear to be asked; the next
 * era_file_config says otherwise, so it is worth another try.
 */
bool era_file_failed(struct connection *c, const struct error *err);

#endif
