/* SPDX-License-Identifier: MIT */
/*
 * A reply in each line, fed to a listing until it is done.
 */
#ifndef FEED_LISTING_H
#define FEED_LISTING_H

#include <assert.h>
#include <string.h>

#include "base/json_scan.h"
#include "mcp/listing.h"

static int feed_one(struct listing *l, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct error err = { 0 };
	struct message m;
	int status;

	if (message_decode(&m, text, len, NULL) < 0)
		return 0;
	status = listing_feed_take(l, &m, &err);
	assert((status < 0) == (err.kind == ERR_PROTOCOL));
	error_reset(&err);
	listing_params(l, &params);
	assert(params.len == 0 ||
	       json_check(params.data, params.len, NULL) == 0);
	return status;
}

static void feed_listing(struct listing *l, const char *at, const char *end)
{
	int status = 0;

	while (at < end && !l->done && status == 0) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		const char *stop = line_end ? line_end : end;

		status = feed_one(l, at, (size_t)(stop - at));
		at = stop < end ? stop + 1 : end;
	}
}

#endif
