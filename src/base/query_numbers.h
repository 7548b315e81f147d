/* SPDX-License-Identifier: MIT */
/*
 * Numbers that a double does not hold, as libjq 1.6 reads all of them: found in
 * the JSON that goes in, put back into what comes out.
 */
#ifndef BASE_QUERY_NUMBERS_H
#define BASE_QUERY_NUMBERS_H

#include "base/buf.h"
#include "base/json.h"

#define QUERY_NUMBERS_MAX 256

struct query_numbers {
	struct query_number {
		double value; /* what jq makes of it */
		struct span text; /* lent */
		bool shared; /* another one becomes the same */
	} item[QUERY_NUMBERS_MAX];
	size_t count;
	bool more; /* there are others */
};

/* Of one more text; json: checked, lent as long as n is used. n begins as zeroes. */
void query_numbers_add(struct query_numbers *n, struct span json);

/*
 * JSON of jq's, each of those numbers as it stood in the input. False: one in
 * it may not be what it was, as two of the input became the same.
 */
bool query_numbers_restore(const struct query_numbers *n, struct span json,
			   struct buf *out);

#endif
