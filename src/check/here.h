/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with this machine (check/host.h), a stage a row. Pure.
 */
#ifndef CHECK_HERE_H
#define CHECK_HERE_H

#include "check/host.h"
#include "diag/diag.h"
#include "out/render.h"

struct here_stage {
	const char *name;
	/* Its words are added; what is wrong is found. */
	enum stage_verdict (*judge)(const struct host *h, struct diag *d,
				    struct buf *words);
};

/* A row without name ends them. */
extern const struct here_stage here_stages[];

#endif
