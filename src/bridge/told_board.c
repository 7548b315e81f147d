/* SPDX-License-Identifier: MIT */
#include "bridge/told_board.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { TAIL = 6 }; /* of an id, where it has no name */

enum peer_state told_board_state(const cJSON *device, char **reason)
{
	const char *state = json_string(device, "state");
	const char *why = json_string(device, "reason");

	*reason = NULL;
	if (!state || strcmp(state, "away") == 0)
		return PEER_AWAY;
	if (strcmp(state, "ready") == 0)
		return PEER_READY;
	*reason = why ? mem_printf("%s: %s", state, why) : mem_strdup(state);
	return PEER_COMING;
}

char *told_board_about(const cJSON *device)
{
	const char *board = json_string(device, "board");
	const char *version = json_string(device, "version");

	if (!board && !version)
		return NULL;
	return mem_printf("%s%s%s", board ? board : "",
			  board && version ? " " : "", version ? version : "");
}

/* The last letters and digits of an id, small. */
static char *short_name(const char *id)
{
	char out[TAIL + 1];
	size_t at = TAIL, len = strlen(id);

	out[TAIL] = '\0';
	while (len > 0 && at > 0) {
		char c = id[--len];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z'))
			out[--at] = (char)text_lower(c);
	}
	return mem_strdup(at == TAIL ? "board" : out + at);
}

char *told_board_prefix(const cJSON *device, const char *id)
{
	const char *alias = json_string(device, "alias");
	const char *held = json_string(json_object(device, "held"), "name");

	if (alias)
		return mem_strdup(alias);
	return held ? bridge_peer_prefix(held) : short_name(id);
}
