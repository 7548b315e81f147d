/* SPDX-License-Identifier: MIT */
/*
 * Error replies. Results are each command's own matter.
 */
#include "cli/show.h"

#include <string.h>

/* device.md 3.7: the session keeps the broken frame as the error's detail. */
static bool is_broken(const struct message *reply, const struct error *why)
{
	return !reply->text && why->detail &&
	       (why->kind == ERR_PEER || why->kind == ERR_PROTOCOL);
}

bool show_error_reply(struct renderer *r, const struct message *reply,
		      const struct error *why)
{
	struct message frame = { 0 };
	if (r->form == OUTPUT_RAW && is_broken(reply, why)) {
		frame.text = why->detail;
		frame.len = strlen(why->detail);
		r->ops->reply(r, &frame);
		return true;
	}
	if (reply->kind != MESSAGE_ERROR || !reply->text)
		return false;
	render_keep_peer_error(r, reply);
	if (r->form == OUTPUT_RAW)
		r->ops->reply(r, reply);
	return true;
}
