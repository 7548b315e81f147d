/* SPDX-License-Identifier: MIT */
/*
 * The params of initialize, the same from a client and from serve. Pure.
 */
#ifndef MCP_INITIALIZE_H
#define MCP_INITIALIZE_H

#include "base/json.h"

struct client_answers;
struct client_config;

/* Our name and version, as JSON. */
#define CLIENT_INFO "{\"name\":\"mcpctl\",\"version\":\"" MCPCTL_VERSION "\"}"

/* What is declared of them, as members behind what ends with '{'. */
void initialize_answers(struct buf *out, const struct client_answers *a);

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
