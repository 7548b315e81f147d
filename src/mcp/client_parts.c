/* SPDX-License-Identifier: MIT */
/*
 * What a server said of itself: its parts, and whether it is the LLM service.
 * Asks nothing.
 */
#include <string.h>

#include "mcp/client.h"

/* A device, or no initialize: nothing is known. */
static bool is_silent(const struct client *c)
{
	return c->device || !c->initialize.json;
}

static bool has(const cJSON *object, const char *name)
{
	const cJSON *member = json_member(object, name);

	return member && !cJSON_IsNull(member) && !cJSON_IsFalse(member);
}

bool client_offers(const struct client *c, const char *name)
{
	/* The first revision has completion, but no word for it. */
	if (strcmp(name, "completions") == 0 && c->revision &&
	    strcmp(c->revision, "2024-11-05") == 0)
		return true;
	return is_silent(c) || has(c->capabilities, name);
}

static int hint_at_parts(const cJSON *parts, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, parts) {
		if (!has(parts, each->string) || list.len > 300)
			continue;
		buf_printf(&list, "%s%.60s", list.len ? ", " : "",
			   each->string);
	}
	if (!list.len)
		return error_hint(err, "it offers nothing at all; 'info' shows "
				       "what it said of itself");
	return error_hint(err, "it offers: %s", buf_string(&list));
}

static const char *name_of(const struct client *c)
{
	return c->server_name ? c->server_name : "the peer";
}

int client_require(const struct client *c, const char *name, struct error *err)
{
	if (client_offers(c, name))
		return 0;
	error_set(err, ERR_UNMET, "the server '%.100s' offers no %s",
		  name_of(c), name);
	return hint_at_parts(c->capabilities, err);
}

int client_require_part(const struct client *c, const char *name,
			const char *part, struct error *err)
{
	if (client_require(c, name, err))
		return -1;
	if (is_silent(c) || has(json_object(c->capabilities, name), part))
		return 0;
	error_set(err, ERR_UNMET, "the server '%.100s' offers %s without '%s'",
		  name_of(c), name, part);
	return hint_at_parts(c->capabilities, err);
}

bool client_is_llm_service(const struct client *c)
{
	return c->server_name && strcmp(c->server_name, "llm-service") == 0;
}
