/* SPDX-License-Identifier: MIT */
#include "mcp/relist.h"

#include "base/loop.h"

void relist_begin(struct relist *r, int64_t now)
{
	*r = (struct relist){ .began = { r->began[1], now } };
}

int64_t relist_at(const struct relist *r)
{
	if (!r->stale)
		return LOOP_FOREVER;
	return r->began[0] ? r->began[0] + RELIST_MS : 0;
}
