/* SPDX-License-Identifier: MIT */
/*
 * One entry of an mcp.json: the endpoint that it is, and how it may be shown.
 */
#ifndef CLI_NAMED_ENTRY_H
#define CLI_NAMED_ENTRY_H

#include "base/json.h"
#include "base/split.h"
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

#define NAMED_TEXT_MAX (64u << 10) /* bytes of a text with its variables */

/*
 * The text with its variables, yours; ${env:VAR} is the same as ${VAR}. The
 * default counts where the variable is not set or empty; it is taken as it is,
 * up to the first '}'. NULL (ERR_USAGE): a variable is not set, the braces
 * are not understood, or it becomes too long. No value stands in the error.
 */
char *named_expand(const char *text, struct error *err);

/*
 * The names of its variables, added to out, each once, as long as out has
 * fewer than max. Reads no variable.
 */
void named_expand_names(struct words *out, const char *text, size_t max);

#endif
