/* SPDX-License-Identifier: MIT */
/*
 * The params of initialize, the same from a client and from serve. Pure.
 */
#ifndef MCP_INITIALIZE_H
#define MCP_INITIALIZE_H

#include "base/buf.h"

/*
 * Append them. device: the peer speaks the device dialect, and is asked for the
 * firmware's revision. vision_url, vision_token: into capabilities.vision; NULL:
 * left out.
 */
void initialize_params(struct buf *out, bool device, const char *vision_url,
		       const char *vision_token);

#endif
