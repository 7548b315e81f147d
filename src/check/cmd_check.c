/* SPDX-License-Identifier: MIT */
/*
 * check: ask the questions that bring faults to light, and tell what was found
 * with proof, whom it hits and what to do.
 */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/reports.h"
#include "cli/commands.h"
#include "cli/judged.h"
#include "net/endpoint.h"

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
	{ .name = "call",
	  .word = "TOOL[=JSON]",
	  .type = OPTION_LIST,
	  .offset = PLACE(calls),
	  .brief =
		  "at the end call this tool, whatever it does, with JSON as its arguments; may be given many times" },
	{ .name = "power-cycle",
	  .type = OPTION_FLAG,
	  .offset = PLACE(power_cycle),
	  .brief =
		  "a board of serve, with --risk odd or args: at the end switch its power off and on (serve --power-cmd), and wait 2 min, or --timeout, until it is back, which over WebSocket a stock board is when woken; not back: status 7" },
	{ .name = "against",
	  .word = "BACKEND,...",
	  .type = OPTION_TEXT,
	  .offset = PLACE(against),
	  .brief =
		  "what these backends would make of the list (py, gw, …; all)" },
	{ .name = "kept",
	  .type = OPTION_FLAG,
	  .offset = PLACE(kept),
	  .brief = "check tools: the list as it was kept, nothing is asked" },
	{ .name = "plan",
	  .type = OPTION_FLAG,
	  .offset = PLACE(plan),
	  .brief = "print what would be sent, and send nothing" },
	{ .name = "report",
	  .word = "KIND:FILE",
	  .type = OPTION_LIST,
	  .offset = PLACE(reports),
	  .brief =
		  "tap:, junit:, sarif:, json: or md:FILE; - is stdout, and the text goes to stderr then; may be given many times" },
	{ .name = "for",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = PLACE(quiet),
	  .fallback = "3s",
	  .min = 1,
	  .brief = "backend: it is over once nothing came for that long" },
	{ .name = "say",
	  .word = "TEXT",
	  .type = OPTION_TEXT,
	  .offset = PLACE(say),
	  .brief =
		  "backend: say TEXT as a user does and tell what comes of it; may cost tokens" },
	{ .name = "device-id",
	  .word = "ID",
	  .type = OPTION_TEXT,
	  .offset = PLACE(device_id),
	  .fallback = "that of sim",
	  .brief =
		  "ota, vision, backend: Device-Id of the board that is played" },
	{ .name = "client-id",
	  .word = "ID",
	  .type = OPTION_TEXT,
	  .offset = PLACE(client_id),
	  .fallback = "that of sim",
	  .brief = "ota, vision, backend: its Client-Id" },
	{ .name = "photo",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = PLACE(photo),
	  .fallback = "a small built-in one",
	  .brief = "vision: the JPEG that is uploaded" },
	{ .name = NULL }
};

/* What is checked; each is a file. */
static const struct subject {
	const char
		*name; /* the first operand; NULL: a device, as -t names it */
	enum { URL_NONE, URL_NEEDED, FILE_OR_NOT, FILE_ITSELF } takes;
	const char *heeds; /* options that only some heed, a space between */
	int (*check)(struct checkup *k, const char *url, struct error *err);
	int (*plan)(struct checkup *k, struct error *err);
} subjects[] = {
	{ NULL, URL_NONE, "plan call against power-cycle", check_device,
	  check_plan },
	{ "tools", FILE_OR_NOT, "plan against kept", check_tools,
	  check_tools_plan },
	{ "here", URL_NONE, "plan", check_here, check_here_plan },
	{ "broker", URL_NEEDED, "plan", check_broker, check_broker_plan },
	{ "backend", URL_NEEDED, "plan device-id client-id for say",
	  check_backend, check_backend_plan },
	{ "ota", URL_NEEDED, "plan device-id client-id", check_ota,
	  check_ota_plan },
	{ "vision", URL_NEEDED, "plan device-id client-id photo", check_vision,
	  check_vision_plan },
	{ "FILE", FILE_ITSELF, "", check_file, NULL },
};

/* For completion. */
static const struct operand_word subject_words[] = {
	{ "backend", "a server, by playing the board",
	  "ws:// wss:// mqtt:// mqtts:// http:// https://", false },
	{ "broker", "what a broker does for a board", "mqtt:// mqtts://",
	  false },
	{ "here", "this machine", "", false },
	{ "ota", "an OTA address, as a board asks it", "http:// https://",
	  false },
	{ "tools", "the list of tools alone", "", true },
	{ "vision", "a vision address, by uploading a picture",
	  "http:// https://", false },
	{ NULL, NULL, NULL, false }
};

/* What has a slash or a dot is a file, there or not; but no target is. */
static bool is_file(const char *word)
{
	size_t scheme = strcspn(word, ":");

	if (strcmp(word, "-") == 0 || access(word, F_OK) == 0)
		return true;
	return strpbrk(word, "./") &&
	       !(word[scheme] == ':' && scheme_find(word, scheme));
}

static const struct subject *subject_of(const char *word)
{
	for (size_t i = 0; i < COUNT(subjects); i++) {
		const char *name = subjects[i].name;

		if (name && word ? strcmp(name, word) == 0 : name == word)
			return &subjects[i];
	}
	return word && is_file(word) ? &subjects[COUNT(subjects) - 1] : NULL;
}

static int not_there(const char *word, struct error *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(word);

	for (size_t i = 0; i < COUNT(subjects); i++) {
		if (subjects[i].name)
			buf_printf(&names, "%s%s", names.len ? ", " : "",
				   subjects[i].name);
	}
	error_set(err, ERR_USAGE, "'%.60s' is nothing that can be checked",
		  shown);
	return error_hint(
		err,
		"there is: %s (a capture or a serial log); without a word the device or server itself is checked, which stands before 'check': mcpctl TARGET check",
		buf_string(&names));
}

static int find_subject(const struct invocation *in, const struct subject **out,
			struct error *err)
{
	const char *word = in->argc > 0 ? in->argv[0] : NULL;
	const struct subject *s = subject_of(word);

	*out = s;
	if (!s)
		return not_there(word, err);
	if (s->takes == FILE_OR_NOT ||
	    (s->takes == FILE_ITSELF && in->argc == 1) ||
	    (s->takes == URL_NEEDED) == (in->argc == 2))
		return 0;
	return error_set(err, ERR_USAGE, "check %s %s", word ? word : "",
			 s->takes == URL_NEEDED ? "needs an address" :
						  "takes no address");
}

static void whose_option(const char *option, struct buf *out)
{
	for (size_t i = 0; i < COUNT(subjects); i++) {
		const struct subject *s = &subjects[i];

		if (option_choice(s->heeds, option) >= 0)
			buf_printf(out, "%s%s%s", out->len ? ", " : "",
				   s->name ? "check " : "a device or server",
				   s->name ? s->name : "");
	}
}

/* What only some subjects heed. */
static int fit_options(const struct subject *s, const struct check_options *o,
		       struct error *err)
{
	const struct {
		const char *name;
		bool given;
	} some[] = {
		{ "plan", o->plan },
		{ "call", o->calls.count > 0 },
		{ "against", o->against },
		{ "power-cycle", o->power_cycle },
		{ "kept", o->kept },
		{ "device-id", o->device_id },
		{ "client-id", o->client_id },
		{ "photo", o->photo },
		{ "for", o->quiet > 0 },
		{ "say", o->say },
	};

	for (size_t i = 0; i < COUNT(some); i++) {
		CLEANUP(buf_done) struct buf whose = { 0 };

		if (!some[i].given ||
		    option_choice(s->heeds, some[i].name) >= 0)
			continue;
		whose_option(some[i].name, &whose);
		return error_set(err, ERR_USAGE, "option '--%s' is for %s",
				 some[i].name, buf_string(&whose));
	}
	return 0;
}

/* The first failure is told; of both the check's. */
static int finish(struct checkup *k, struct check_reports *reports, int status,
		  struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (status)
		check_end_early(k);
	/* It answered, and wrongly: that is what a check finds. */
	if (status && (err->kind == ERR_PROTOCOL || err->kind == ERR_PEER))
		err->kind = ERR_UNMET;
	if (reports_write(reports, k, status ? err : NULL, &why) == 0)
		return status;
	if (status)
		render_error(&k->in->app->out, &why);
	else
		error_copy(err, &why);
	return -1;
}

static const char *operand_of(const struct subject *s,
			      const struct invocation *in)
{
	if (s->takes == FILE_ITSELF)
		return in->argv[0];
	return in->argc == 2 ? in->argv[1] : NULL;
}

static int check_with(struct checkup *k, const struct subject *subject,
		      struct error *err)
{
	const struct invocation *in = k->in;
	struct renderer *r = &in->app->out;
	struct check_reports reports = { 0 };
	struct render_place place = { 0 };
	int status;

	if (reports_open(&reports, &k->options->reports, in, err)) {
		reports_drop(&reports);
		return -1;
	}
	if (reports.on_stdout)
		place = render_divert(r);
	status = subject->check(k, operand_of(subject, in), err);
	if (reports.on_stdout)
		render_restore(r, &place);
	return finish(k, &reports, status, err);
}

/* A word that fits no code would hide all, or nothing. */
static int check_codes(const char *option, const struct words *codes,
		       struct error *err)
{
	for (size_t i = 0; i < codes->count; i++) {
		const char *word = codes->word[i];
		const char *near = finding_nearest(word);
		int code = 0;

		while (code < DIAG_CODE_COUNT &&
		       !text_glob(word,
				  finding_row((enum diag_code)code)->code))
			code++;
		if (code < DIAG_CODE_COUNT)
			continue;
		error_set(err, ERR_USAGE, "%s: no finding is called '%s'",
			  option, word);
		return near ? error_hint(err, "did you mean %s?", near) :
			      error_hint(err, "'mcpctl explain' lists them");
	}
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
	const struct subject *subject = NULL;
	struct checkup k;
	int status;

	options.risk = (int)risks[options.risk];
	options.fail_on = (int)severities[options.fail_on];
	if (check_codes("--only", &options.only, err) ||
	    check_codes("--skip", &options.skip, err) ||
	    find_subject(in, &subject, err) ||
	    fit_options(subject, &options, err) ||
	    (!options.plan && findings_open(in->app, err)))
		return -1;
	check_begin(&k, in, &options, &in->connection->diag);
	in->connection->checks = in->app->direct = true;
	status = options.plan ? subject->plan(&k, err) :
				check_with(&k, subject, err);
	diag_leave(k.diag);
	in->connection->checks = in->app->direct = false;
	check_done(&k);
	return status;
}

static const struct example check_examples[] = {
	{ "sim: check", "0 errors", 0 },
	{ "sim: check --risk read", "self.get_device_status", 0 },
	{ "check backend ws://127.0.0.1:1/", "not reached", 3 },
	{ "check backend mqtt://127.0.0.1:1", "N102", 3 },
	{ "check backend ws://127.0.0.1:1/ --plan --say hello", "\"detect\"",
	  0 },
	{ "sim: check --fail-on warning --only D110", "0 errors", 0 },
	{ "check here --skip 'H*'", "0 errors", 0 },
	{ "check broker mqtt://127.0.0.1:1", "M401", 3 },
	{ "sim: check --plan", "mcpctl/unknown", 0 },
	{ "check ota http://127.0.0.1:1/ --plan", "mac_address", 0 },
	{ "sim: check tools --against py,gw", "keeps 5 of 5", 0 },
	{ "sim: check --report tap:-", "ok 1 - ", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_check = {
	.name = "check",
	.args = "[FILE|SUBJECT [URL]]",
	.max = 2,
	.brief = "ask a device or server what brings faults to light",
	.text = "Asks from the least risky question on, a line for each stage, with what was found below it: its code, the bytes that show it, whom it hits, what to do. 'mcpctl explain CODE' tells the rest. The subject is the target, a device or any MCP server (of both eras: as one of initialize, unless --era modern); 'check tools' looks at the list of tools alone: that of the target, with --kept as it was kept, or of FILE, as 'mcpctl -o json tools' writes it (- is stdin).\n"
		"\n"
		"Nothing that acts is called, unless --call names it. Each level of --risk asks what those before it do, too:\n"
		"  look  nothing beyond initialize and the lists\n"
		"  ask   (the default) what nobody should mind: an unknown method, cursor and tool, the ids 0 and 2147483647, the list a second time; before them ten round trips, with a WebSocket Ping where there is one\n"
		"  read  calls the tools that are known to read only, each once, and then three times for its time\n"
		"  odd   quotes in a name, an id that is a text or no whole number, params null, a batch, JSON 100 lists deep, a message of 200 kB, one in three frames of a WebSocket; behind each a plain question, to see whether it still answers\n"
		"  args  missing arguments, and integers out of range, to tools that need one and are not known to destroy\n"
		"Old firmware may not survive the last two: 1.6.6 to 1.7.2 restarts at an integer out of range, and a device of other make may act on what it does not check. Where the connection does not survive, D134 or the line stopped names the question. Through serve, which numbers what it passes on, ids of our own are not asked.\n"
		"\n"
		"--against names backends (py, gw, java, go-a, go-h, rust, or all): which tools each would keep and lose, what it would rename, which it could not call.\n"
		"\n"
		"--report writes the same for programs and people: cases for questions and findings (tap, junit), rules for codes (sarif), all that is known (json), or at most 80 lines for an issue, secrets masked (md).\n"
		"\n"
		"Subjects besides the device or server of -t:\n"
		"\n"
		"  here        this machine: addresses that boards reach, ports, signs of a\n"
		"              firewall, clock, mosquitto, limits\n"
		"  broker URL  what a broker does for a board, which never subscribes;\n"
		"              URL: mqtt://HOST[:PORT][/ID][?up=TOPIC&down=TOPIC]\n"
		"  backend URL a server, by playing the board; URL: ws:// or wss://, mqtt://\n"
		"              or mqtts://HOST[:PORT][/ID][?up=TOPIC], or that of OTA\n"
		"  FILE        a capture, as --trace writes it, or a saved serial log; - is stdin\n"
		"\n"
		"check here sends nothing and needs no root. check broker connects as a board, says hello and sends three test messages; a second client reads along. Without ID a made-up one is used; a board that is connected by the ID given loses its connection.\n"
		"\n"
		"check backend offers a list that shows what is lost (sim's profile canary): 41 tools on 2 pages, two names that become one behind some servers, one tool for users only, odd answers. It ends once nothing came for --for. MCPCTL_SIM_TOKEN or --token-file is its token.\n"
		"\n"
		"At a broker it never subscribes; without ID one is made of the board's. Once nothing came for 1.5 s it begins a voice session, without sound. With the address of OTA it goes where the answer sends a board; a code that is to be entered ends it, with status 6.\n"
		"\n"
		"No word is said that makes a model work, but that of --say, once it was quiet (listen, detect): what was heard, called and said is told. It waits 20 s, or --timeout, for each message.\n"
		"\n"
		"'check ota URL' asks an OTA address as a board does at each start, with TLS as a board sees it, and follows the answer as a board would: to the WebSocket, as far as hello and initialize, or to the broker, as far as CONNACK. 'check vision URL' uploads a small picture as a board does (the token is that of MCPCTL_VISION_TOKEN or --vision-token-file), and shows the text that the model would get; --risk odd sends the picture before the question, too.\n"
		"\n"
		"The status is 7 where something at or above --fail-on was found, or a call of --call failed, and that of the failure where the check could not be made to its end (3, 4, 6); the stages that were not reached are named.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_STREAM | CMD_SHELL | CMD_TARGET,
	.operand = OPERAND_SUBJECT,
	.words = subject_words,
	.options = check_options,
	.options_size = sizeof(struct check_options),
	.examples = check_examples,
	.run = check_run
};
