/* SPDX-License-Identifier: MIT */
#include "bridge/board_answer.h"

#include "base/json.h"
#include "base/mem.h"
#include "mcp/modern.h"
#include "wire/control_frames.h"

/* A row with an error that was made before the question went out took no time. */
static enum call_end take_failure(struct bridge_call *c, struct span error,
				  int64_t took)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(error.text, error.len, NULL);

	control_error_decode(&c->why, json);
	if (c->why.kind == ERR_NONE)
		error_set(&c->why, ERR_PROTOCOL, "serve told no reason");
	return took == 0 ? CALL_UNSENT : CALL_LOST;
}

/* True: it asks its user first (2026-07-28), which goes through serve no way. */
static bool asks_more(const struct bridge_call *c, struct error *err)
{
	bool asks = false;

	if (!modern_judge(c->method, c->reply.result, false, &asks, err) &&
	    !asks)
		return false;
	if (asks)
		error_set(
			err, ERR_UNMET,
			"it asks its user first, and nobody here is asked through serve (the bridge has a way where it is a target of its own: -t)");
	return true;
}

static enum call_end take_reply(struct bridge_call *c, struct span reply,
				bool device)
{
	return message_decode(&c->reply, reply.text, reply.len, &c->why) ||
			       (!device && asks_more(c, &c->why)) ?
		       CALL_LOST :
		       CALL_ANSWERED;
}

/* photo.text NULL: serve said nothing of it. */
static void take_photo(struct bridge_call *c, struct span photo)
{
	struct span member;

	if (!c->photos)
		return;
	if (photo.text && json_span_member(photo, "data", &member))
		c->photo = json_span_string(member);
	else if (photo.text && json_span_member(photo, "why", &member))
		c->no_photo = json_span_string(member);
	else
		c->no_photo = mem_strdup(
			"serve is of a version that hands out none: restart it");
}

enum call_end board_answer_take(struct bridge_call *c, struct span row,
				bool device)
{
	static const char *const names[] = { "reply", "error", "took_us",
					     "photo" };
	struct span at[COUNT(names)] = { 0 };
	int64_t took = 0;

	json_span_members(row, names, COUNT(names), at);
	if (at[2].text)
		json_span_integer(at[2], &took);
	if (at[1].text)
		return take_failure(c, at[1], took);
	if (!at[0].text)
		return CALL_OPEN;
	take_photo(c, at[3]);
	return take_reply(c, at[0], device);
}
