/* SPDX-License-Identifier: MIT */
/* What this program says of itself when it opens a session. Sends nothing. */
#include "mcp/initialize.h"

#include <string.h>

#include "mcp/client.h"
#include "mcp/revision.h"

static void add_vision(struct buf *out, const char *url, const char *token)
{
	buf_text(out, "\"vision\":{\"url\":");
	buf_json_string(out, url, strlen(url));
	json_add_text(out, "token", token);
	buf_char(out, '}');
}

/* Members go behind what begins with '{'. */
static void add_member(struct buf *out, const char *text)
{
	if (out->data[out->len - 1] != '{')
		buf_char(out, ',');
	buf_text(out, text);
}

/* An object without members would mean form only, to newer servers too. */
void initialize_answers(struct buf *out, const struct client_answers *a)
{
	if (a->roots)
		add_member(out, "\"roots\":{}");
	if (a->sampling)
		add_member(out, "\"sampling\":{}");
	if (!a->elicit_form && !a->elicit_url)
		return;
	add_member(out, "\"elicitation\":{");
	if (a->elicit_form)
		add_member(out, "\"form\":{}");
	if (a->elicit_url)
		add_member(out, "\"url\":{}");
	buf_char(out, '}');
}

static void add_params(struct buf *out, const char *revision,
		       const struct client_config *config)
{
	buf_printf(out, "{\"protocolVersion\":\"%s\",\"capabilities\":{",
		   revision);
	if (config->vision_url)
		add_vision(out, config->vision_url, config->vision_token);
	initialize_answers(out, &config->answers);
	buf_text(out, "},\"clientInfo\":" CLIENT_INFO "}");
}

void initialize_params(struct buf *out, bool device, const char *vision_url,
		       const char *vision_token)
{
	const struct client_config config = { .vision_url = vision_url,
					      .vision_token = vision_token };

	add_params(out, device ? REVISION_FIRMWARE : REVISION_NEWEST, &config);
}

void initialize_params_plain(struct buf *out, const char *revision,
			     const struct client_config *config)
{
	add_params(out, revision, config);
}
