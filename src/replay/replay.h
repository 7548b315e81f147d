/* SPDX-License-Identifier: MIT */
/*
 * One side of a recorded conversation said again: to a device, as its backend
 * did; to a backend, as its device did. What the other side says now is put
 * beside what it said then (capture/diff.h).
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "capture/diff.h"
#include "check/check.h"
#include "out/difference.h"

struct replay_options {
	int as; /* 0: backend, 1: device */
	const char *speed; /* "2", "0.5", "max"; NULL: as it was */
	const char *device; /* of the capture; NULL: the first */
	const char *device_id, *client_id; /* whom we play; NULL: as recorded */
	struct words ignore, reports;
};

struct replay {
	const struct invocation *in;
	const struct replay_options *o;
	const char *path;
	double speed; /* 0: as fast as it goes */
	struct checkup k; /* stages and cases, for reports */
	struct steps was, is;
	size_t left_out; /* steps of other conversations */
	size_t different[DIFFERS_SLOWER + 1], unlike; /* differences; steps */
	struct differences_shown shown;
};

/* Say it, and hear: is is filled. -1: err. */
int replay_as_backend(struct replay *r, struct error *err);
int replay_as_device(struct replay *r, struct error *err);

/* What is not the same, and the last line. -1 (ERR_UNMET): something, or there was nothing to compare. */
int replay_compare(struct replay *r, struct error *err);

#endif
