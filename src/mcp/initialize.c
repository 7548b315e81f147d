/* SPDX-License-Identifier: MIT */
/*
 * What this program says of itself when it opens a session. Sends nothing.
 */
#include "mcp/initialize.h"

#include <string.h>

#include "base/json.h"

/*
 * Firmware ignores the revision; its own is the first. Servers answer with what
 * they speak.
 */
static const char revision_device[] = "2024-11-05";
static const char revision_plain[] = "2025-11-25";

static void add_vision(struct buf *out, const char *url, const char *token)
{
	buf_text(out, "\"vision\":{\"url\":");
	buf_json_string(out, url, strlen(url));
	json_add_text(out, "token", token);
	buf_char(out, '}');
}

void initialize_params(struct buf *out, bool device, const char *vision_url,
		       const char *vision_token)
{
	buf_printf(out, "{\"protocolVersion\":\"%s\",\"capabilities\":{",
		   device ? revision_device : revision_plain);
	if (vision_url)
		add_vision(out, vision_url, vision_token);
	buf_text(out, "},\"clientInfo\":{\"name\":\"mcpctl\","
		      "\"version\":\"" MCPCTL_VERSION "\"}}");
}
