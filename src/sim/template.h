/* SPDX-License-Identifier: MIT */
/*
 * Text with places to fill in: ${NAME} is replaced by what the source gives
 * for NAME, as raw text; ${NAME?YES:NO} by one of two words; ${NAME:3} by a
 * number padded with zeros to 3 digits; $${ is a plain ${. Pure.
 */
#ifndef SIM_TEMPLATE_H
#define SIM_TEMPLATE_H

#include "base/buf.h"
#include "base/error.h"

#define TEMPLATE_NAME_MAX 64

struct template_source {
	/*
	 * Append the text that stands for name. -1: there is no such name.
	 * With out NULL: only whether there is one.
	 */
	int (*get)(void *owner, const char *name, struct buf *out);
	void *owner;
};

/*
 * Append text with its places filled in. -1 (ERR_USAGE): a place is not
 * closed, its name is empty, longer than TEMPLATE_NAME_MAX or unknown.
 */
int template_expand(const char *text, const struct template_source *source,
		    struct buf *out, struct error *err);
/* The same checks, nothing is written. */
int template_check(const char *text, const struct template_source *source,
		   struct error *err);

#endif
