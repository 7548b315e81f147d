/* SPDX-License-Identifier: MIT */
/*
 * Tools and results as access points take them: names of letters, digits and '_',
 * not too many, results not too large. Pure.
 */
#ifndef CLIENTS_POINT_TOOLS_H
#define CLIENTS_POINT_TOOLS_H

#include "base/buf.h"
#include "base/json.h"
#include "base/split.h"

#define POINT_TOOLS_MAX 32 /* that backends keep (backends.md 1.1) */
#define POINT_RESULT_MAX 8192 /* bytes of a message (backends.md 3) */

/* What they are called there, and by who answers. */
struct point_names {
	struct words shown, own; /* of the same index */
	struct words left; /* tools that were left out: their own names */
};
void point_names_done(struct point_names *n);

/*
 * The list, a member "tools" of it, as it goes out; n (which is made anew) says
 * what was done to it.
 */
void point_names_make(struct point_names *n, cJSON *tools, size_t most);
/* The own name of that one; itself where it is not known. Lent. */
const char *point_names_own(const struct point_names *n, const char *shown);

/*
 * A reply to tools/call that is larger than most, made smaller: its longest text
 * is cut, or of many the last ones go, and a note says so; what is no text is
 * replaced by one. False: it fits as it is, or is no such reply; out is empty
 * then.
 */
bool point_reply_fit(struct buf *out, const char *reply, size_t len,
		     size_t most);

#endif
