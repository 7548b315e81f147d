/* SPDX-License-Identifier: MIT */
/*
 * The devices that are there, in order of arrival, found by id, client id,
 * alias or glob.
 */
#ifndef SERVE_REGISTRY_H
#define SERVE_REGISTRY_H

#include "base/base.h"

struct device;

struct registry {
	struct device *first, *last;
	struct device **slot; /* by id */
	size_t slots, count;
};

void registry_done(struct registry *r);
void registry_add(struct registry *r, struct device *d);
void registry_remove(struct registry *r, struct device *d);
/* By id, which is lower case; NULL. */
struct device *registry_find(const struct registry *r, const char *id);

/* pattern NULL: all fit. Without case; id, Device-Id, client id and alias are compared, as globs too. */
bool device_fits(const struct device *d, const char *pattern);
/* The next that fits after `from` (NULL: from the start), without those that are being closed. */
struct device *registry_next(const struct registry *r, struct device *from,
			     const char *pattern);

#endif
