/* SPDX-License-Identifier: MIT */
/*
 * Error replies. Results are each command's own matter.
 */
#include <string.h>

#include "cli/expect.h"
#include "cli/save.h"
#include "cli/show.h"
#include "mcp/client_start.h"
#include "mcp/content.h"

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

/*
 * Answers that are no tool's: asked for, shown, saved.
 */

int answer_show(struct app *app, const struct answer_record *a,
		const char *save, struct error *err)
{
	struct renderer *r = &app->out;
	bool texts = a->kind == ANSWER_CONTENTS;
	bool to_stdout = save && strcmp(save, "-") == 0;
	bool silent = save && texts && r->form == OUTPUT_TEXT;
	struct render_place place = { 0 };

	if (to_stdout)
		place = render_divert(r);
	if (!silent && r->ops->answer)
		r->ops->answer(r, a);
	if (to_stdout)
		render_restore(r, &place);
	return save ? save_result(app, a->contents, save, texts, err) : 0;
}

/*
 * The nearest URI that is listed; a template may fit all the same. Newer
 * servers say -32602 (mcp.md 2026-07-28).
 */
static int hint_nearest(struct connection *c, const char *uri,
			struct error *err)
{
	CLEANUP(page_list_done) struct page_list list = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };
	const char *nearest;

	if (err->kind != ERR_PEER || *err->hint ||
	    (err->code != MCP_RESOURCE_NOT_FOUND &&
	     err->code != JSONRPC_INVALID_PARAMS) ||
	    !client_offers(&c->client, "resources"))
		return -1;
	client_list(&c->client, LIST_RESOURCES, &list, &ignored);
	nearest = page_list_nearest(&list, uri);
	if (nearest && strcmp(nearest, uri) != 0)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(err,
			  "'resources' and 'templates' list what can be read");
}

int answer_read(struct connection *c, const char *uri, const char *save,
		const struct expectation *expected, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };
	CLEANUP(result_done) struct result contents = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct answer_record record = { .kind = ANSWER_CONTENTS, .of = uri };

	json_add_object(&params, "uri", uri);
	if (client_request(&c->client, "resources/read", buf_string(&params),
			   &reply, &record.took_us, err)) {
		show_error_reply(&c->app->out, &reply, err);
		return hint_nearest(c, uri, err);
	}
	if (contents_decode_take(&contents, &reply, err))
		return -1;
	record.reply = &contents.message;
	record.contents = &contents;
	if (answer_show(c->app, &record, save, err))
		return -1;
	return expected ? expectation_check_reply(expected, record.reply, err) :
			  0;
}
