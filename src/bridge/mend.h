/* SPDX-License-Identifier: MIT */
/*
 * What boards say, as hosts take it. Pure: JSON in, JSON out; what comes out is
 * bounded, valid, and without what a model reads and nobody sees.
 */
#ifndef BRIDGE_MEND_H
#define BRIDGE_MEND_H

#include "base/buf.h"
#include "base/error.h"
#include "mcp/types.h"

#define MEND_TEXT_MAX 1024 /* characters of a description */
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
/*
 * A schema that hosts take; yours. Never NULL. It lets everything through that
 * the device's does, and may let through more: calls are checked against that of
 * the device.
 */
cJSON *mend_schema(const cJSON *schema);
/*
 * Arguments of a call as the device has them, yours: schema is the device's own.
 * Where it calls an argument so that models refuse the whole list ("亮度"), the
 * host has another name for it.
 */
cJSON *mend_arguments(const cJSON *schema, const cJSON *arguments);
/* A description, cleaned and capped; yours to mem_free. */
char *mend_description(const char *text);
/* The same of any prose, up to so many characters; appended. */
void mend_text(struct buf *out, const char *text, size_t characters);

#endif
