/* SPDX-License-Identifier: MIT */
/*
 * What to paste into a host's configuration so that it starts this program. Pure.
 */
#ifndef BRIDGE_HOST_SNIPPET_H
#define BRIDGE_HOST_SNIPPET_H

#include "base/buf.h"
#include "base/error.h"

/* What the bridge is called there. */
#define HOST_SNIPPET_SERVER "boards"

/*
 * The text, with its line end, appended; where: the file that it belongs into, in
 * words, static. server: what the bridge is called there. program: its absolute
 * path; words (up to a NULL): its arguments. -1 (ERR_USAGE): a host that is not
 * known, a path that is not absolute, a word that is no UTF-8.
 */
struct host_snippet {
	const char *server, *program;
	const char *const *words;
};
int host_snippet_print(struct buf *out, const char *host,
		       const struct host_snippet *c, const char **where,
		       struct error *err);

#endif
