/* SPDX-License-Identifier: MIT */
/*
 * What serve gives up once it listens (base/fence.h), and what its spawner may
 * do for it then (base/spawner.h).
 */
#ifndef CLI_SERVE_FENCE_H
#define CLI_SERVE_FENCE_H

#include "serve/serve.h"

/* Before the fences: exec and log may be NULL. */
void serve_fence_allow(const struct serve_config *c, const char *exec,
		       const char *log);
/*
 * All is open. What is in force is a record of LEVEL_DEBUG, "fences"; what is
 * not stands there too. pidfile may be NULL.
 */
void serve_fence_raise(struct serve *s, struct loop *l, const char *pidfile);

#endif
