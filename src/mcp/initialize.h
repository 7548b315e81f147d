/* SPDX-License-Identifier: MIT */
/*
 * The params of initialize, the same from a client and from serve. Pure.
 */
#ifndef MCP_INITIALIZE_H
#define MCP_INITIALIZE_H

#include "base/json.h"

struct client_config;

/* What is asked for first, of a server that is no device. */
#define REVISION_NEWEST "2025-11-25"
/* That of firmware, whatever it is asked for (device.md 3.4). */
#define REVISION_FIRMWARE "2024-11-05"
/* All that mcpctl speaks, in words. */
#define REVISIONS "2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25"

/* The same text, static; NULL: it is not known. */
const char *revision_known(const char *revision);
/* The newest known one of an array of texts; NULL. Static. */
const char *revision_choose(const cJSON *supported);

/*
 * Append them. device: the peer speaks the device dialect, and is asked for the
 * firmware's revision. vision_url, vision_token: into capabilities.vision; NULL:
 * left out.
 */
void initialize_params(struct buf *out, bool device, const char *vision_url,
		       const char *vision_token);

/*
 * The same for a server that is no device: the revision, and what
 * config->answers says is declared.
 */
void initialize_params_plain(struct buf *out, const char *revision,
			     const struct client_config *config);

#endif
