/* SPDX-License-Identifier: MIT */
/*
 * Files that the user trusted, each with the content that was seen then: a
 * private copy in mcpctl/trust of the state folder, one file each, mode 0600,
 * replaced as a whole. It holds all bytes, not a sum of them: so what changed
 * can be shown, and nothing but the same bytes is the same.
 */
#ifndef CLI_TRUST_STORE_H
#define CLI_TRUST_STORE_H

#include "base/buf.h"
#include "base/error.h"

#define TRUST_TEXT_MAX (1u << 20) /* bytes of one file */
#define TRUST_FILES_MAX 500 /* that are kept */

enum trust_state {
	TRUST_NONE, /* it never was, or what is kept cannot be believed */
	TRUST_SAME,
	TRUST_CHANGED
};

/*
 * Whether the file at path, which holds these bytes, is trusted. path: a real
 * one, as it is kept; nothing is opened there. kept: what was trusted, added;
 * may be NULL.
 */
enum trust_state trust_store_look(const char *path, const char *text,
				  size_t len, struct buf *kept);

/* -1: ERR_USAGE (no state folder, too many) or ERR_OUTPUT. */
int trust_store_keep(const char *path, const char *text, size_t len,
		     struct error *err);
/* -1: ERR_UNMET (it is not there) or ERR_OUTPUT. */
int trust_store_drop(const char *path, struct error *err);

/* Each path that is kept, sorted, with what was trusted; lent. */
void trust_store_each(void (*each)(void *owner, const char *path,
				   const struct buf *text),
		      void *owner);

#endif
