/* SPDX-License-Identifier: MIT */
/*
 * What boards say, as hosts take it. Pure: JSON in, JSON out.
 */
#ifndef BRIDGE_MEND_H
#define BRIDGE_MEND_H

#include "base/buf.h"
#include "base/error.h"
#include "mcp/types.h"

struct mend_rules {
	bool false_is_error; /* a text that is `false` is a failure */
	size_t most; /* bytes of a result; 0: 1 MB. More is cut, with a note */
};

/* A result of tools/call as the host gets it: JSON of an object, added to out. */
void mend_result(struct buf *out, const cJSON *result,
		 const struct mend_rules *rules);
/*
 * A failed call as a result with isError, in one plain sentence that says what to
 * do; error: the peer's JSON-RPC error, whose code and data go to _meta; NULL.
 */
void mend_failure(struct buf *out, const struct error *why, const cJSON *error);
/* A schema that hosts take; yours. Never NULL. */
cJSON *mend_schema(const cJSON *schema);
/* A description, cleaned and capped; yours to mem_free. */
char *mend_description(const char *text);

#endif
