/* SPDX-License-Identifier: MIT */
/*
 * check: ask the questions that bring faults to light, and tell what was found
 * with proof, whom it hits and what to do.
 */
#include <string.h>

#include "check/check.h"
#include "cli/commands.h"
#include "cli/judged.h"

#define PLACE(member) offsetof(struct check_options, member)
static const struct option_row check_options[] = {
	{ .name = "risk",
	  .word = "LEVEL",
	  .type = OPTION_CHOICE,
	  .offset = PLACE(risk),
	  .choices = "ask look read odd args",
	  .fallback = "ask",
	  .brief =
		  "what may be sent: look, ask, read, odd or args; see below" },
	{ .name = "fail-on",
	  .word = "SEVERITY",
	  .type = OPTION_CHOICE,
	  .offset = PLACE(fail_on),
	  .choices = "error warning note",
	  .fallback = "error",
	  .brief = "from which severity on the status is 7" },
	{ .name = "only",
	  .word = "CODE|GLOB",
	  .type = OPTION_LIST,
	  .offset = PLACE(only),
	  .brief =
		  "tell these findings and no others; may be given many times" },
	{ .name = "skip",
	  .word = "CODE|GLOB",
	  .type = OPTION_LIST,
	  .offset = PLACE(skip),
	  .brief = "do not tell these; may be given many times" },
	{ .name = "device-id",
	  .word = "ID",
	  .type = OPTION_TEXT,
	  .offset = PLACE(device_id),
	  .fallback = "that of sim",
	  .brief = "ota, vision: Device-Id of the board that is played" },
	{ .name = "client-id",
	  .word = "ID",
	  .type = OPTION_TEXT,
	  .offset = PLACE(client_id),
	  .fallback = "that of sim",
	  .brief = "ota, vision: its Client-Id" },
	{ .name = "photo",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = PLACE(photo),
	  .fallback = "a small built-in one",
	  .brief = "vision: the JPEG that is uploaded" },
	{ .name = NULL }
};

enum plays { A_BOARD = 1, A_CAMERA = 2 };

/* What is checked; each is a file. */
static const struct subject {
	const char
		*name; /* the first operand; NULL: a device, as -t names it */
	bool url; /* it takes one */
	unsigned plays; /* of enum plays */
	int (*check)(struct check *k, const char *url, struct error *err);
} subjects[] = {
	{ NULL, false, 0, check_device },
	{ "here", false, 0, check_here },
	{ "broker", true, 0, check_broker },
	{ "ota", true, A_BOARD, check_ota },
	{ "vision", true, A_BOARD | A_CAMERA, check_vision },
};

static int find_subject(const struct invocation *in, const struct subject **out,
			struct error *err)
{
	const char *word = in->argc > 0 ? in->argv[0] : NULL;

	for (size_t i = 0; i < COUNT(subjects); i++) {
		const struct subject *s = &subjects[i];

		if (!word ? s->name != NULL :
			    !s->name || strcmp(s->name, word) != 0)
			continue;
		*out = s;
		if (s->url == (in->argc == 2))
			return 0;
		return error_set(
			err, ERR_USAGE, "check %s %s", word ? word : "",
			s->url ? "needs an address" : "takes no address");
	}
	return error_set(err, ERR_USAGE,
			 "'%.60s' is nothing that can be checked", word);
}

/* Options of some subjects only. */
static int check_played(const struct subject *s, const struct check_options *o,
			struct error *err)
{
	if ((o->device_id || o->client_id) && !(s->plays & A_BOARD))
		return error_set(
			err, ERR_USAGE,
			"--device-id and --client-id are for check ota and check vision");
	if (o->photo && !(s->plays & A_CAMERA))
		return error_set(err, ERR_USAGE, "--photo is for check vision");
	return 0;
}

static int check_run(const struct invocation *in, struct error *err)
{
	static const enum check_risk risks[] = { RISK_ASK, RISK_LOOK, RISK_READ,
						 RISK_ODD, RISK_ARGS };
	static const enum severity severities[] = { SEVERITY_ERROR,
						    SEVERITY_WARNING,
						    SEVERITY_NOTE };
	struct check_options options =
		*(const struct check_options *)in->options;
	const struct subject *subject = subjects;
	struct check k;

	if (find_subject(in, &subject, err) ||
	    check_played(subject, &options, err))
		return -1;
	options.risk = risks[options.risk];
	options.fail_on = severities[options.fail_on];
	check_begin(&k, in, &in->connection->diag);
	k.options = &options;
	in->connection->checks = true;
	return subject->check(&k, in->argc == 2 ? in->argv[1] : NULL, err);
}

static const struct example check_examples[] = {
	{ "sim: check", "0 errors", 0 },
	{ "sim: check --risk read", "self.get_device_status", 0 },
	{ "sim: check --fail-on warning --only D110", "0 errors", 0 },
	{ "check here --skip 'H*'", "0 errors", 0 },
	{ "check broker mqtt://127.0.0.1:1", "M401", 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_check = {
	.name = "check",
	.args = "[SUBJECT [URL]]",
	.max = 2,
	.brief = "ask a device or server what brings faults to light",
	.text = "Asks from the least risky question on, a line for each stage, with what was found below it: its code, the bytes that show it, whom it hits, what to do. 'mcpctl explain CODE' tells the rest.\n"
		"\n"
		"Nothing that acts is called. --risk look sends nothing beyond initialize and the lists; ask (the default) adds questions that nobody should mind: an unknown method, cursor and tool, the list a second time; read calls the tools that are known to read only, each three times.\n"
		"\n"
		"Subjects besides the device or server of -t:\n"
		"\n"
		"  here        this machine: addresses that boards reach, ports, signs of a\n"
		"              firewall, clock, mosquitto, limits\n"
		"  broker URL  what a broker does for a board, which never subscribes;\n"
		"              URL: mqtt://HOST[:PORT][/ID][?up=TOPIC&down=TOPIC]\n"
		"\n"
		"check here sends nothing and needs no root. check broker connects as a board, says hello and sends three test messages; a second client reads along. Without ID a made-up one is used; a board that is connected by the ID given loses its connection.\n"
		"\n"
		"'check ota URL' asks an OTA address as a board does at each start, with TLS as a board sees it, and follows the answer as a board would: to the WebSocket, as far as hello and initialize, or to the broker, as far as CONNACK. 'check vision URL' uploads a small picture as a board does (the token is that of MCPCTL_VISION_TOKEN or --vision-token-file), and shows the text that the model would get; --risk odd sends the picture before the question, too.\n"
		"\n"
		"  mcpctl check ota http://192.168.1.2:8003/xiaozhi/ota/\n"
		"  mcpctl check vision http://192.168.1.2:8003/mcp/vision/explain\n"
		"\n"
		"The status is 7 where something at or above --fail-on was found, and that of the failure where the check could not be made.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_STREAM,
	.options = check_options,
	.options_size = sizeof(struct check_options),
	.examples = check_examples,
	.run = check_run
};
