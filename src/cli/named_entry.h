/* SPDX-License-Identifier: MIT */
/*
 * One entry of an mcp.json: {"command", "args", "env", "cwd"} or {"url",
 * "headers"}, with "type" stdio, http (streamable-http), sse or ws where that
 * is not plain. Other members are not looked at.
 */
#ifndef CLI_NAMED_ENTRY_H
#define CLI_NAMED_ENTRY_H

#include "base/json.h"
#include "net/endpoint.h"

struct named_place { /* where it stands; lent */
	const char *file;
	const char
		*folder; /* that "cwd" is counted from; NULL: the current one */
};

/*
 * The entry as an endpoint, with its variables. -1 (ERR_USAGE): which member is
 * wrong, and how; *out is empty then. No value of a header, a variable or an
 * argument stands in the error.
 */
int named_entry_endpoint(struct endpoint *out, const cJSON *entry,
			 const struct named_place *place, struct error *err);

/*
 * The entry as a target would be written, its variables by their names,
 * secrets as ***; "" where it is none. Yours.
 */
char *named_entry_shown(const cJSON *entry);
/* A program is run; else, if it is of any use, "url" is opened. */
bool named_entry_is_program(const cJSON *entry);
/* "NAME: VALUE", a secret as *** unless a variable stands in it. Yours. */
char *named_header_shown(const char *name, const char *value);

#endif
