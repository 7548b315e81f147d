/* SPDX-License-Identifier: MIT */
/*
 * TOML (version 1.0) as JSON, since Debian has no library of C for it: tables,
 * dotted keys, lists of tables, strings of all four kinds, lists, inline
 * tables. Numbers that JSON has are numbers; dates, times, and numbers that
 * are too large or in forms that JSON has not are their text, unchecked. A table may be opened
 * twice.
 */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include <cjson/cJSON.h>

#include "base/error.h"

#define TOML_DEPTH_MAX 50
#define TOML_NODES_MAX 20000

/* Yours. NULL (ERR_USAGE): what is wrong, and in which line. */
cJSON *toml_read(const char *text, size_t len, struct error *err);

#endif
