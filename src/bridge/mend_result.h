/* SPDX-License-Identifier: MIT */
/*
 * Results of boards as hosts take them: of the shape that MCP wants, without
 * what is not seen, and no longer than somebody can take. Pure.
 */
#ifndef BRIDGE_MEND_RESULT_H
#define BRIDGE_MEND_RESULT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

#define MEND_RESULT_MAX (1u << 20) /* bytes of a result, without a rule */
#define MEND_RESULT_LEAST 512 /* what a rule cannot go below */

struct mend_rules {
	bool false_is_error; /* a text that is `false` is a failure */
	size_t most; /* bytes of a result; 0: MEND_RESULT_MAX. More is cut, with a note */
	/* The host reads a first text that is JSON as structuredContent, which must
	   be an object: of others ("true") one is made, {"result":true}. */
	bool reads_json;
};

/* The picture that a call took, which is not in its result. */
struct mend_photo {
	const char *data; /* base64; NULL: there is none */
	const char *why; /* then, in words; NULL: nothing is said of it */
};

/* Bytes of a result that such a picture leaves to the rest. */
#define MEND_PHOTO_LEAVES 16384
/* Bytes that it may have, so that it has room in a result. */
#define MEND_PHOTO_MAX ((MEND_RESULT_MAX - MEND_PHOTO_LEAVES) / 4 * 3)

/*
 * A result of tools/call as the host gets it: JSON of an object, added to out.
 * photo: an item behind the others, if its bytes are those of a JPEG or PNG, else
 * a text that says why not; NULL: none was wanted.
 */
void mend_result(struct buf *out, const cJSON *result,
		 const struct mend_rules *rules,
		 const struct mend_photo *photo);
/*
 * A failed call as a result with isError, in one plain sentence that says what to
 * do; error: the peer's JSON-RPC error, whose code and data go to _meta; NULL.
 */
void mend_failure(struct buf *out, const struct error *why, const cJSON *error);

#endif
