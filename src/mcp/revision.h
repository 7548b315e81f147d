/* SPDX-License-Identifier: MIT */
/* The revisions of MCP that this program speaks, by their era. Pure. */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include "base/json.h"
#include "mcp/era.h"

/* What is asked for first, of a server that is no device. */
#define REVISION_NEWEST "2025-11-25"
/* That of firmware, whatever it is asked for (device.md 3.4). */
#define REVISION_FIRMWARE "2024-11-05"
/* All of ERA_LEGACY, in words. */
#define REVISIONS "2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25"
/* What is asked for first in ERA_MODERN. */
#define MODERN_NEWEST "2026-07-28"

/* The same text, static; NULL: it is none of that era, or NULL. */
const char *revision_known(enum era era, const char *revision);
/* The newest known one of an array of texts; NULL. Static. */
const char *revision_choose(enum era era, const cJSON *supported);
/* Of ERA_MODERN, as a result of server/discover says; NULL: it is none. Static. */
const char *revision_discovered(const cJSON *result);

#endif
