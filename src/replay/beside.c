/* SPDX-License-Identifier: MIT */
#include "replay/beside.h"
#include "capture/diff.h"
#include "capture/reader.h"
#include "out/difference.h"

#include <string.h>

struct beside_shown {
	struct renderer *out;
	struct differences_shown shown;
};

static int load(struct steps *s, const char *path, const char *device,
		struct error *err)
{
	struct capture_reader *file = capture_open(path, err);
	int status;

	if (!file)
		return -1;
	status = steps_load(s, file, device, err);
	capture_reader_free(file);
	if (status == 0 && !s->count)
		return error_set(err, ERR_UNMET, "'%s' has no messages%s%s",
				 path, device ? " of " : "",
				 device ? device : "");
	return status;
}

static void found(void *owner, const struct difference *d)
{
	struct beside_shown *s = owner;

	render_difference(s->out, d, &s->shown);
}

int beside(const struct beside_order *order, struct error *err)
{
	CLEANUP(steps_done) struct steps was = { 0 }, is = { 0 };
	struct beside_shown s = { .out = order->out };
	size_t count;

	if (strcmp(order->was, "-") == 0 && strcmp(order->is, "-") == 0)
		return error_set(err, ERR_USAGE,
				 "only one of the two can be stdin");
	if (load(&was, order->was, order->device, err) ||
	    load(&is, order->is, order->device, err))
		return -1;
	count = conversations_compare(&was, &is, &order->rules, FROM_NOBODY,
				      found, &s);
	render_differences_end(order->out, &s.shown);
	if (!count)
		return 0;
	return error_set(err, ERR_UNMET, "%zu difference%s", count,
			 count == 1 ? "" : "s");
}
