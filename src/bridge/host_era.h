/* SPDX-License-Identifier: MIT */
/* What 2026-07-28 wants of requests; discover, subscriptions. */
#ifndef BRIDGE_HOST_ERA_H
#define BRIDGE_HOST_ERA_H

#include "bridge/host_state.h"

/* By its headers, or by its own metadata if they name no revision with sessions. */
bool host_is_modern(const struct headers *headers, const cJSON *message);
/* Whether the request has what each must have; if not, it is over. */
bool host_era_begin(struct host_part *p, const char *method);
void host_listen(struct host_part *p);
/* What tools/list ends with, beside the tools. */
void host_add_caching(struct buf *out, const struct host_part *p);

#endif
