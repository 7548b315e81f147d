/* SPDX-License-Identifier: MIT */
/*
 * Loaded parts: what needs a heavy library is a shared object of ours
 * (mcpctl-ws.so, mcpctl-front.so) beside the program, or in the library
 * folder, loaded when first named and never unloaded. Each exports one
 * constant table of functions.
 */
#ifndef BASE_MODULE_H
#define BASE_MODULE_H

#include "base/error.h"

/*
 * The table that module exports under symbol, loading it if needed. NULL
 * (ERR_CONNECT): not installed, or its library is missing; the hint names the
 * package.
 * The search: the folder of the running program, ../lib/mcpctl from there,
 * then the library folder. Whether the table's size and version fit is the
 * caller's matter.
 */
const void *module_table(const char *module, const char *symbol,
			 struct error *err);

/* The same for a table that begins with its size; another one: NULL (ERR_CONNECT). */
const void *module_sized(const char *module, const char *symbol, size_t size,
			 struct error *err);

/*
 * The file of a part that another program loads ("broker": mosquitto), found
 * the same way; yours. NULL (ERR_CONNECT): not installed.
 */
char *module_file(const char *module, struct error *err);

#endif
