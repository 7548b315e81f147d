/* SPDX-License-Identifier: MIT */
/* 2026-07-28 as a server: metadata, headers, discover. */
#ifndef SIM_SERVICE_ERA_H
#define SIM_SERVICE_ERA_H

#include "sim/service_state.h"

/* False: refused, and said so. */
bool service_era_begin(struct service_part *p, const char *method);
/* Of enum service_can. */
unsigned service_abilities(const cJSON *capabilities);
void service_discover(struct service_part *p);
void service_add_capabilities(const struct service_part *p, struct buf *out);

/*
 * Whether it is a message without a session (2026-07-28): by these headers, or
 * by its own metadata if they name no revision that has sessions.
 */
bool service_is_modern(const struct service *s, const struct mcp_said *m);
/* Whether the profile serves clients that begin with initialize, too. */
bool service_is_legacy(const struct service *s);

#endif
