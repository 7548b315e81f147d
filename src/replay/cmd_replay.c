/* SPDX-License-Identifier: MIT */
/* replay: one side of a capture said again, the other one compared. */
#include <stdlib.h>
#include <string.h>

#include "check/reports.h"
#include "cli/commands.h"
#include "out/told.h"
#include "replay/replay.h"

#define PLACE(member) offsetof(struct replay_options, member)
static const struct option_row replay_options[] = {
	{ .name = "as",
	  .word = "SIDE",
	  .type = OPTION_CHOICE,
	  .offset = PLACE(as),
	  .choices = "backend device",
	  .fallback = "backend",
	  .brief = "which side is said again: backend or device" },
	{ .name = "speed",
	  .word = "FACTOR|max",
	  .type = OPTION_TEXT,
	  .offset = PLACE(speed),
	  .fallback = "1",
	  .brief =
		  "as backend: so many times as fast as it was; max: as fast as it goes" },
	{ .name = "ignore",
	  .word = "POINTER",
	  .type = OPTION_LIST,
	  .offset = PLACE(ignore),
	  .brief =
		  "JSON Pointer into a message that is not compared, * is any one member; may be given many times" },
	{ .name = "of",
	  .word = "DEVICE",
	  .type = OPTION_TEXT,
	  .offset = PLACE(device),
	  .fallback = "the first one",
	  .brief = "the device of the capture, of many" },
	{ .name = "device-id",
	  .word = "ID",
	  .type = OPTION_TEXT,
	  .offset = PLACE(device_id),
	  .fallback = "the recorded one",
	  .brief = "as device: its Device-Id" },
	{ .name = "client-id",
	  .word = "ID",
	  .type = OPTION_TEXT,
	  .offset = PLACE(client_id),
	  .fallback = "that of sim",
	  .brief = "as device: its Client-Id" },
	{ .name = "report",
	  .word = "KIND:FILE",
	  .type = OPTION_LIST,
	  .offset = PLACE(reports),
	  .brief =
		  "tap:, junit:, json: or md:FILE, a case for each step; - is stdout; may be given many times" },
	{ .name = NULL }
};

/* ---- before anything is said ---- */

static int read_speed(struct replay *r, struct error *err)
{
	const char *text = r->o->speed;
	char *end = NULL;

	r->speed = 1;
	if (!text)
		return 0;
	if (strcmp(text, "max") == 0) {
		r->speed = 0;
		return 0;
	}
	r->speed = strtod(text, &end);
	if (end != text && !*end && r->speed >= 0.001 && r->speed <= 1e6)
		return 0;
	return error_set(
		err, ERR_USAGE,
		"--speed '%.40s': a number as 0.5 or 10, or max, is expected",
		text);
}

static int fit(const struct replay *r, struct error *err)
{
	const struct invocation *in = r->in;

	for (size_t i = 0; i < r->o->ignore.count; i++)
		if (compare_pointer_check(r->o->ignore.word[i], err))
			return -1;
	if (r->o->as == 1 && in->argc != 2)
		return error_set(
			err, ERR_USAGE,
			"replay --as device needs the address of a backend: ws://, mqtt://, or that of its OTA");
	if (r->o->as == 0 && in->argc == 2)
		return error_set(
			err, ERR_USAGE,
			"replay --as backend takes no address: the device is the target, which stands before 'replay' (if there is none, the board of serve, or listen:)");
	return 0;
}

/* The first connection on which the side that is said again says something. */
static const struct step *conversation(const struct replay *r)
{
	enum event_from from = r->o->as == 0 ? FROM_BACKEND : FROM_DEVICE;

	for (size_t i = 0; i < r->was.count; i++) {
		const struct step *s = &r->was.item[i];

		if (s->kind == CAPTURED_TEXT && s->from == from &&
		    (s->leg == LEG_WS || s->leg == LEG_MQTT ||
		     s->leg == LEG_LOCAL))
			return s;
	}
	return NULL;
}

static int load(struct replay *r, struct error *err)
{
	struct capture_reader *file = capture_open(r->path, err);
	const struct step *first;
	int status;

	if (!file)
		return -1;
	told_unmasked(&r->in->app->out, file, r->path);
	status = steps_load(&r->was, file, r->o->device, err);
	told_cut(&r->in->app->out, file, r->path);
	capture_reader_free(file);
	if (status < 0)
		return -1;
	first = conversation(r);
	if (!first)
		return error_set(err, ERR_UNMET,
				 "'%s' has nothing that a %s said%s%s", r->path,
				 r->o->as == 0 ? "backend" : "board",
				 r->o->device ? " to or for " : "",
				 r->o->device ? r->o->device : "");
	r->left_out = steps_only(&r->was, first->device, first->conn);
	return 0;
}

static void tell_capture(struct replay *r)
{
	const char *device = r->was.device[r->was.item[0].device];

	check_stage(&r->k, "capture", STAGE_OK, "%zu message%s%s%s",
		    r->was.count, r->was.count == 1 ? "" : "s",
		    *device ? " of " : "", device);
	if (r->left_out)
		check_stage(&r->k, "left", STAGE_SKIPPED,
			    "out: %zu events of other conversations, and ends",
			    r->left_out);
}

/* ---- */

static int converse(struct replay *r, struct error *err)
{
	int status;

	tell_capture(r);
	status = r->o->as == 0 ? replay_as_backend(r, err) :
				 replay_as_device(r, err);
	if (status)
		return -1;
	return replay_compare(r, err);
}

static int with_reports(struct replay *r, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct check_reports reports = { 0 };
	struct render_place place = { 0 };
	struct renderer *out = &r->in->app->out;
	int status;

	if (reports_open(&reports, &r->o->reports, r->in, err)) {
		reports_drop(&reports);
		return -1;
	}
	if (reports.on_stdout)
		place = render_divert(out);
	status = converse(r, err);
	if (reports.on_stdout)
		render_restore(out, &place);
	if (reports_write(&reports, &r->k, status ? err : NULL, &why) == 0)
		return status;
	if (status)
		render_error(out, &why);
	else
		error_copy(err, &why);
	return -1;
}

static int replay_run(const struct invocation *in, struct error *err)
{
	const struct check_options none = { .fail_on = SEVERITY_ERROR };
	struct replay r = { .in = in, .o = in->options, .path = in->argv[0] };
	int status = -1;

	if (read_speed(&r, err) || fit(&r, err))
		return -1;
	check_begin(&r.k, in, &none, &in->connection->diag);
	r.k.peer = NULL;
	if (load(&r, err) == 0)
		status = with_reports(&r, err);
	check_done(&r.k);
	steps_done(&r.was);
	steps_done(&r.is);
	return status;
}

static const struct example replay_examples[] = {
	{ "listen: replay board.jsonl --speed max", NULL, EXAMPLE_GOES_ON },
	{ "replay board.jsonl --as device ws://127.0.0.1:8000/xiaozhi/v1/",
	  NULL, EXAMPLE_GOES_ON },
	{ "replay board.jsonl --ignore /result/content/0/text --report junit:replay.xml",
	  NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_replay = {
	.name = "replay",
	.args = "FILE [URL]",
	.min = 1,
	.max = 2,
	.operand = OPERAND_FILE,
	.brief = "say one side of a capture again, compare the other",
	.text = "FILE is a capture, as --trace writes it (mcpctl-capture(5)). As backend, the device of the target (without one, the board of a running serve, or else who dials in) is told what its backend told it: each message once what was answered before it is answered now, and as long behind it as it was then. As device, a simulated board dials URL, a ws:// or mqtt:// address or that of an OTA, and answers each request as the same request was answered in the capture; what was never asked then is told, and answered as by a board that does not know it.\n"
		"\n"
		"What the other side says is compared with what it said: what is missing, what is more, what came in another order, what says another thing, what took twice as long and 0.1 s more. Not compared: ids, session_id, times, uuid, nonce, key, and secrets, which a capture has by a name only; more by --ignore. A text that is JSON is compared as what it says: /result/content/0/text/battery.\n"
		"\n"
		"So a capture in a repository is a test of firmware without a server, and one of a backend without a board. Only the first conversation of the device is said again; audio, OTA and pictures are not. An answer is waited for as long as --timeout says (10 s), or twice as long as it took then, once; as device it is over when nothing came for 3 s, or for --wait. Tokens come from OTA, from MCPCTL_SIM_TOKEN, or from --token-file.\n"
		"\n"
		"The status is 0 where all is as it was, 7 where something is not, and that of the failure where the other side could not be reached.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_STREAM | CMD_TARGET | CMD_MINOR,
	.options = replay_options,
	.options_size = sizeof(struct replay_options),
	.examples = replay_examples,
	.run = replay_run
};
