/* SPDX-License-Identifier: MIT */
#include "clients/point_pace.h"

#include "base/error.h"
#include "net/why.h"
#include "wire/access_point.h"

#define CLOSE_POLICY 1008

static bool is_close(const struct error *why, int code)
{
	return why_is_close(why) && why->code == code;
}

static bool is_refused(const struct error *why)
{
	return why->kind == ERR_AUTH || is_close(why, CLOSE_POLICY) ||
	       is_close(why, POINT_CLOSE_TOKEN);
}

/* Three quarters to five quarters of it: many that were cut off together. */
static int64_t scatter(int64_t ms, uint32_t chance)
{
	return ms - ms / 4 + (int64_t)(chance % (uint32_t)(ms / 2 + 1));
}

enum point_verdict point_pace_next(struct point_pace *p,
				   const struct error *why, int64_t lived,
				   uint32_t chance, int64_t *wait)
{
	*wait = 0;
	if (is_refused(why))
		return POINT_REFUSED;
	if (lived >= POINT_LIFE_MS)
		p->wait = 0;
	if (why->reason == WHY_TAKEN) {
		*wait = POINT_REPLACED_MS + chance % POINT_WAIT_MS;
		return POINT_TAKEN;
	}
	p->wait = p->wait ? p->wait * 2 : POINT_WAIT_MS;
	if (is_close(why, POINT_CLOSE_FAILED) && p->wait < POINT_FAILED_MS)
		p->wait = POINT_FAILED_MS;
	if (p->wait > POINT_WAIT_MAX_MS)
		p->wait = POINT_WAIT_MAX_MS;
	*wait = scatter(p->wait, chance);
	if (is_close(why, POINT_CLOSE_FAILED) && *wait < POINT_FAILED_MS)
		*wait = POINT_FAILED_MS;
	return POINT_AGAIN;
}
