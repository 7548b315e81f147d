/* SPDX-License-Identifier: MIT */
/*
 * ${VAR} and ${VAR:-default} in the texts of an mcp.json, from the
 * environment. Pure, but for that.
 */
#ifndef CLI_NAMED_EXPAND_H
#define CLI_NAMED_EXPAND_H

#include "base/error.h"
#include "base/split.h"

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
