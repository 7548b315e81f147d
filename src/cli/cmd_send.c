/* SPDX-License-Identifier: MIT */
/*
 * send: a device message beside MCP (device.md 4.2), as a backend sends them.
 */
#include <string.h>

#include "cli/all.h"
#include "cli/all_ask.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/operand.h"

/* device.md 3.2: firmware drops a request whose id is no number. */
static void warn_of_silence(struct renderer *r, const char *text)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(text, strlen(text), NULL);
	const cJSON *payload = json_object(json, "payload");

	if (payload && json_string(payload, "method") &&
	    !cJSON_IsNumber(json_member(payload, "id")) &&
	    json_member(payload, "id"))
		render_note(
			r,
			"no reply will come: firmware drops a request whose id is no number");
}

static int send_run(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	CLEANUP(buf_done) struct buf frame = { 0 };
	struct app *app = in->app;
	if (operand_json(app, in->argv[0], "the message", &json, err) ||
	    link_wrap_device(session_link(in->connection->session),
			     buf_string(&json), &frame, err) ||
	    session_send_device(in->connection->session, buf_string(&json),
				err))
		return -1;
	render_note(&app->out, "sent %s", buf_string(&frame));
	warn_of_silence(&app->out, buf_string(&json));
	return 0;
}

/* Checked here as for one device, before anything is sent. */
static int check_message(const struct buf *json, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	const struct link any = { .dialect = DIALECT_DEVICE };
	return link_wrap_device(&any, buf_string(json), &frame, err);
}

static int send_all(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct all_request rq = { 0 };
	if (operand_json(in->app, in->argv[0], "the message", &json, err) !=
		    0 ||
	    check_message(&json, err))
		return -1;
	rq.message = buf_string(&json);
	warn_of_silence(&in->app->out, rq.message);
	return all_run(in->app, &rq, all_sent, NULL, err);
}

static const struct example send_examples[] = {
	{ "sim: send '{\"type\":\"alert\",\"status\":\"test\",\"message\":\"hello\",\"emotion\":\"happy\"}'",
	  NULL, 0 },
	{ "sim: send '{\"message\":\"has no type\"}'", NULL, 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_send = {
	.name = "send",
	.args = "JSON",
	.brief = "send a device message: alert, system, tts, stt, llm, …",
	.text = "JSON (or @FILE, or - for stdin) is an object with \"type\"; session_id is filled in where it has none, and what was sent is shown on stderr. Firmware answers none of these. Some that it knows:\n"
		"\n"
		"  {\"type\":\"alert\",\"status\":\"S\",\"message\":\"M\",\"emotion\":\"happy\"}\n"
		"  {\"type\":\"notify\",\"audio_url\":\"URL\",\"subtitles\":[]}    (firmware 2.5.0)\n"
		"  {\"type\":\"tts\",\"state\":\"start\"}    (or stop, sentence_start with text)\n"
		"  {\"type\":\"stt\",\"text\":\"what was said\"}\n"
		"  {\"type\":\"llm\",\"emotion\":\"happy\"}\n"
		"  {\"type\":\"system\",\"command\":\"reboot\"}\n"
		"\n"
		"With --no-init it goes to boards without MCP too. "
		"It is for devices: a peer that speaks plain JSON-RPC has no such messages.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_NO_MCP | CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_JSON,
	.examples = send_examples,
	.run = send_run,
	.all = send_all
};
