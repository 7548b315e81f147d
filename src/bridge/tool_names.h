/* SPDX-License-Identifier: MIT */
/*
 * Names that hosts take, each once, and the same after a restart: they depend on
 * the names of boards and tools, and on nothing else.
 */
#ifndef BRIDGE_TOOL_NAMES_H
#define BRIDGE_TOOL_NAMES_H

#include "bridge/catalogue.h"

#define FLAT_NAME_MAX 48 /* the host's own prefix has room in front */

/*
 * What boards are called, one a source: the prefix, with a hash behind it where
 * two have the same. NULL: the same id is there already. Texts and list yours.
 */
char **source_labels(const struct bridge_source *source, size_t count);

struct wanted_name {
	const char *label; /* stands in front; NULL: nothing does */
	const char *name; /* the device's */
	char *key; /* what tells it from others of that name; the caller's */
	char *out; /* yours; NULL: it cannot be told from another */
};

/* taken: names that stay as they are (up to a NULL), of which none is given. */
void tool_names_find(struct wanted_name *w, size_t count,
		     enum bridge_names names, const char *const *taken);

#endif
