/* SPDX-License-Identifier: MIT */
/*
 * Whole lines of words on the simulator, as main runs them: what is shown, and
 * how they end. (With real peers: tests/cli.)
 */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/output.h"
#include "cli/parse.h"
#include "rendered.h"

struct shown_line {
	const char *line;
	const char *out; /* all of stdout; NULL: it is not compared */
	const char *says, *notes; /* a part of stdout, of stderr; NULL */
	const char *parts[12]; /* of stdout, in that order; until NULL */
	int status; /* what the program ends with */
	const char *text, *hint; /* of the error: all, a part; NULL */
};

static struct app app;
static struct connection connection;

/* As app_configure has it, but for where it goes. */
static void capture(struct rendered *to)
{
	FILE *out = to->r.out, *err = to->r.err;

	app_configure(&app);
	app.out.out = out;
	app.out.err = err;
	app.out.out_terminal = app.out.err_terminal = false;
	app.out.foreign = false;
	app.out.out_color = app.out.err_color = app.out.err_moves = false;
}

static int run_words(const struct words *words, struct rendered *to,
		     struct error *err)
{
	CLEANUP(parsed_done) struct parsed p = { 0 };
	int status =
		parse_words(&p, words->word, words->count, &app.config, err);

	if (status == 0)
		status = output_open(&app, p.command, err);
	capture(to);
	app.target_source = p.target_source;
	if (status == 0)
		status = command_execute(&connection, &p, err);
	connection_close(&connection);
	return status;
}

static void part(const char *line, const char *what, const char *text,
		 const char *of)
{
	if (of && !strstr(text, of))
		fail_msg("'%s', %s: '%s' has no '%s'", line, what, text, of);
}

static void in_order(const char *line, const char *text,
		     const char *const *parts)
{
	const char *at = text;

	for (; *parts; parts++) {
		at = strstr(at, *parts);
		if (!at)
			fail_msg("'%s': no '%s' there in '%s'", line, *parts,
				 text);
		at += strlen(*parts);
	}
}

static void run(const struct shown_line *row)
{
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct rendered shown;
	int status;

	app_init(&app);
	connection = (struct connection){ .app = &app };
	rendered_start(&shown, OUTPUT_TEXT, false);
	assert_int_equal(words_split(&words, row->line, NULL), 0);
	status = run_words(&words, &shown, &err);
	assert_int_equal(status != 0, err.kind != ERR_NONE);
	if (strcmp(err.text, row->text ? row->text : "") != 0)
		fail_msg("'%s': '%s', not '%s'", row->line, err.text,
			 row->text ? row->text : "");
	part(row->line, "hint", err.hint, row->hint);
	if (row->out && strcmp(rendered_out(&shown), row->out) != 0)
		fail_msg("'%s' shows '%s', not '%s'", row->line, shown.out,
			 row->out);
	part(row->line, "stdout", rendered_out(&shown), row->says);
	in_order(row->line, shown.out, row->parts);
	part(row->line, "stderr", rendered_err(&shown), row->notes);
	status = err.kind ? error_status(&err) : app.status;
	if (status != row->status)
		fail_msg("'%s' ends with %d", row->line, status);
	connection_done(&connection);
	app.out.out = stdout;
	app.out.err = stderr;
	app_done(&app);
	rendered_end(&shown);
}

static void run_all(const struct shown_line *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run(&rows[i]);
}

#define VOLUME "sim: call self.audio_speaker.set_volume "

static void test_call(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = VOLUME "volume=9", .out = "true\n" },
		{ .line = VOLUME "volume=9 --expect false",
		  .out = "true\n",
		  .status = 7,
		  .text = "the result is not as expected" },
		{ .line = VOLUME "volume=9 --repeat 2",
		  .out = "true\ntrue\n",
		  .notes = "2 calls" },
		{ .line = "-v " VOLUME "volume=9", .notes = "took " },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

static void test_run(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "sim: run -e ping", .says = "alive" },
		{ .line = "sim: run -e 'describe nothing' -e ping",
		  .out = "",
		  .status = 2,
		  .text = "command 1: no tool 'nothing'" },
		{ .line = "sim: run -k -e 'describe nothing' -e 'describe none' -e ping",
		  .notes = "error: command 2: no tool 'none'\n",
		  .status = 2,
		  .text = "2 of 3 commands failed",
		  .hint = "the first was 'describe nothing'; the exit status is its own" },
		{ .line = "sim: run -k -e 'describe nothing' -e ping",
		  .status = 2,
		  .text = "1 of 2 commands failed" },
		{ .line = "sim: run -e ping --report tap:/dev/full",
		  .status = 8,
		  .text = "the report '/dev/full' could not be written" },
		{ .line = "sim: run -e 'describe nothing' --report tap:/dev/full",
		  .notes =
			  "error: the report '/dev/full' could not be written\n",
		  .status = 2,
		  .text = "command 1: no tool 'nothing'" },
		{ .line = "sim: run -e ping --report tap:/dev/full --report junit:/dev/full",
		  .notes =
			  "error: the report '/dev/full' could not be written\n",
		  .status = 8,
		  .text = "the report '/dev/full' could not be written" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

static void test_lists(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "sim: tools zork",
		  .out = "",
		  .status = 7,
		  .text = "no tool matches 'zork'",
		  .hint = "names, descriptions and arguments were searched; with * ? or [ only whole names" },
		{ .line = "sim: tools self.audio_speaker.set_volum",
		  .says = "self.audio_speaker.set_volume" },
		{ .line = "sim: tools self.audio_speaker.set_volumes",
		  .out = "",
		  .status = 7,
		  .text = "no tool matches 'self.audio_speaker.set_volumes'",
		  .hint = "did you mean 'self.audio_speaker.set_volume'?" },
		{ .line = "tools --all-targets",
		  .out = "",
		  .status = 7,
		  .text = "no file names a server that can be dialled",
		  .hint = "'mcpctl targets' says which there are, and why" },
		{ .line = "targets --ping",
		  .out = "",
		  .status = 7,
		  .text = "there was no target to dial",
		  .hint = "mcpctl targets --help says which files are read" },
		{ .line = "targets",
		  .out = "",
		  .notes = "no mcp.json names a server" },
		{ .line = "login --list",
		  .out = "",
		  .notes = "no login is kept\n" },
		{ .line = "trust",
		  .out = "",
		  .notes = "no folder's file applies here" },
		{ .line = "sim:tasks task list",
		  .out = "",
		  .notes = "no tasks\n" },
		{ .line = "sim:llm resources zork",
		  .status = 7,
		  .text = "no resource matches 'zork'",
		  .hint = "names and descriptions were searched" },
		{ .line = "sim:llm prompts entity_extraction_promt",
		  .status = 7,
		  .text = "no prompt matches 'entity_extraction_promt'",
		  .hint = "did you mean 'entity_extraction_prompt'?" },
		{ .line = "sim:llm templates",
		  .out = "",
		  .notes = "the peer lists no templates\n" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

#define WATCH "sim: watch self.get_device_status "

static void test_watch(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "sim: watch self.get_device_status --jq .audio_speaker.volume --every 1ms --count 2",
		  .says = ",70\n",
		  .notes = "2 calls" },
		{ .line = "sim: watch self.get_device_status --until error --every 1ms --count 2",
		  .notes = "2 calls in ",
		  .status = 7,
		  .text = "--until was not true within that many calls" },
		{ .line = "sim: watch self.get_device_status --until .no --every 1ms --count 2",
		  .status = 7,
		  .text = "--until was not true within that many calls" },
		/* Several outputs are an array, none is no value. */
		{ .line = WATCH
		  "--jq .audio_speaker.volume,.battery.level --count 1",
		  .says = "Z,\"[70,86]\"\n",
		  .notes = "1 call in " },
		{ .line = WATCH "--jq .network.ssid,.network.ssid --count 1",
		  .says = "Z,\"[\"\"pretend\"\",\"\"pretend\"\"]\"\n" },
		{ .line = WATCH "--jq empty --count 1",
		  .out = "",
		  .notes = "1 call in " },
		/* The last output counts. */
		{ .line = WATCH
		  "--until false,.audio_speaker.volume==70 --count 3",
		  .notes = "1 call in " },
		{ .line = WATCH "--until true,false --count 2 --every 1ms",
		  .notes = "2 calls in ",
		  .status = 7,
		  .text = "--until was not true within that many calls" },
		{ .line = WATCH "--until empty --every 1ms --for 1ms",
		  .status = 4,
		  .text = "--until was not true within that time" },
		{ .line = WATCH "--jq error --count 1",
		  .out = "",
		  .notes = "--jq: {\"audio_speaker\":",
		  .status = 7,
		  .text = "1 of 1 call failed" },
		{ .line = "sim: watch set_volume volume=1 --count 1",
		  .status = 2,
		  .text = "'self.audio_speaker.set_volume' acts, and would be called again and again",
		  .hint = "if that is meant, give its whole name" },
		{ .line = "sim: watch nothing --count 1",
		  .status = 2,
		  .text = "no tool 'nothing'" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

/* What asks nobody. */
static void test_alone(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "explain D106 B201",
		  .says = "loop-cursor\' tools\n\nerror B201  initialize came before the server hello\n" },
		{ .line = "--all explain D106", .says = "D106" },
		{ .line = "--all help call", .says = "usage: mcpctl" },
		{ .line = "-v version", .says = "\nlibuv " },
		{ .line = "generate man mcpctl-call.1",
		  .says = ".Dt MCPCTL-CALL 1" },
		{ .line = "completion /usr/bin/fish",
		  .says = "complete -c mcpctl" },
		{ .line = "sim: ping --count 2 --interval 1ms",
		  .says = "2 sent, 0 lost" },
		{ .line = "sim: send '{\"type\":\"tts\"}'", .notes = "sent {" },
		{ .line = "sim: notify n/x",
		  .notes = "sent 'n/x'; a notification is not answered\n" },
		{ .line = "sim:llm loglevel error",
		  .notes = "the server logs from 'error' on\n" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

/* The hello comes by itself: it counts for who asks for it. */
static void test_tail(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "sim: tail --filter hello -n 1",
		  .says = "  hello  {\"version\":1," },
		{ .line = "sim: tail --filter 'he*o' -n 1",
		  .says = "  hello  {\"version\":1," },
		{ .line = "sim: tail -n 1",
		  .says = "  listen  {\"state\":\"start\"" },
		{ .line = "sim: tail --filter zork -n 2 --for 1ms",
		  .out = "",
		  .status = 4,
		  .text = "0 of 2 messages came within 1 ms",
		  .hint = "only those that pass --filter count" },
		{ .line = "sim: tail --filter zork --for 1ms", .out = "" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

/* The first of the three that is set, as POSIX has it; --lang goes before. */
static void test_language(void **state)
{
	static const struct {
		const char *all, *messages, *lang;
		struct shown_line shown;
	} rows[] = {
#define ENGLISH .says = "error D106  paging never ends\n"
#define CHINESE .says = "\xe9\x94\x99\xe8\xaf\xaf D106  "
		{ "", "", "", { .line = "explain D106", ENGLISH } },
		{ "zh_CN.UTF-8",
		  "C",
		  "C",
		  { .line = "explain D106", CHINESE } },
		{ "C", "zh_CN", "zh_CN", { .line = "explain D106", ENGLISH } },
		{ "", "zh", "C", { .line = "explain D106", CHINESE } },
		{ "", "de", "zh", { .line = "explain D106", ENGLISH } },
		{ "", "", "zh_TW", { .line = "explain D106", CHINESE } },
		{ "zh", "", "", { .line = "explain --lang en D106", ENGLISH } },
		{ "C", "", "", { .line = "explain --lang zh D106", CHINESE } },
		{ "zh",
		  "",
		  "",
		  { .line = "explain --lang auto D106", CHINESE } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setenv("LC_ALL", rows[i].all, 1);
		setenv("LC_MESSAGES", rows[i].messages, 1);
		setenv("LANG", rows[i].lang, 1);
		run(&rows[i].shown);
	}
	setenv("LC_ALL", "C", 1);
}

#define CHECK_HEAD                                                         \
	"way      ok    02:00:00:00:00:01 at sim:esp32, connected after ", \
		"\nhello    ok    version 1, websocket, mcp, ",            \
		" after the connection\n"                                  \
		"init     ok    pretend-esp32s3 2.4.2, 2024-11-05, "
#define CHECK_LIST "\nlist     ok    12 tools (7 user-only), 1 page, "
#define CHECK_ASKED                                                                 \
	"\nasked    ok    unknown method, unknown cursor, unknown tool, id 0, id\n" \
	"               2147483647, a second list\n"
#define CHECK_NOT_CALLED                                                            \
	"calls    -     not made (--risk read would call: self.get_device_status\n" \
	"               self.get_system_info self.screen.get_info)\n"

/* By what it may ask. */
static void test_check(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "sim: check --risk look",
		  .parts = { CHECK_HEAD, CHECK_LIST,
			     "\nasked    -     nothing (--risk ask asks 6 questions)\n" CHECK_NOT_CALLED
			     "\n0 errors, 0 warnings, 0 notes in ",
			     "; 0 asked\n3 more with --risk read, 7 with odd, 6 with args\n" } },
		{ .line = "sim: check --call self.get_device_status",
		  .parts = { " of 10)\nnote    D140 ", CHECK_LIST,
			     CHECK_ASKED CHECK_NOT_CALLED
			     "called   ok    self.get_device_status ",
			     "\n0 errors, 0 warnings, 1 note in ",
			     "; 17 asked\n3 more with --risk read, 7 with odd, 6 with args\nmcpctl explain D140\n" } },
		{ .line = "sim: check --call nope --call ping",
		  .parts = { CHECK_NOT_CALLED
			     "called   fail  no tool 'nope'\n\n0 errors" },
		  .status = 2,
		  .text = "no tool 'nope'",
		  .hint = "the peer has 12 tools" },
		{ .line = "sim: check --risk args",
		  .parts = { CHECK_ASKED
			     "calls    ok    self.get_device_status ",
			     ", self.get_system_info ", "self.screen.get_info ",
			     "\nodd      ok    quotes in a name, string id, float id, params null, batch, deep\n"
			     "               JSON, 200 kB frame\nerror   D124 ",
			     "\nargs     ok    6 calls of 2 tools with arguments that do not fit\n",
			     "\n1 error, 0 warnings, 1 note in ",
			     "; 32 asked\nmcpctl explain D124\n" },
		  .status = 7,
		  .text = "the check found errors" },
		{ .line = "sim:llm check --risk args",
		  .parts = { "way      ok    sim:llm, connected after ",
			     "; mcp ",
			     "\ninit     ok    llm-service 1.0.0, 2025-11-25, ",
			     "\nlist     ok    1 tool, 1 page, 1561 B; 3 resources; 0 templates; 3 prompts" CHECK_ASKED
			     "calls    -     no tool that is known to read only\n"
			     "odd      ok    quotes in a name, string id, float id, params null, deep JSON,\n"
			     "               200 kB frame\n"
			     "args     -     no tool that needs an integer and cannot destroy\n\n",
			     "; 22 asked\n" } },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

/* Where it breaks off, and what is asked all the same. */
static void test_check_faults(void **state)
{
	static const struct shown_line rows[] = {
		{ .line = "sim:?fault=cut-frame check",
		  .parts = { CHECK_HEAD,
			     "\nasked    fail  unknown method, unknown cursor, unknown tool; no answer to:\n               unknown tool\nerror   D134 ",
			     "\nstopped  calls: not reached, the connection ended at 'unknown tool'\n\n1 error" },
		  .status = 7,
		  .text = "the check found errors" },
		{ .line = "sim:?fault=duplicate-tool check --risk read --fail-on note",
		  .parts = { "\nlist     ok    13 tools (7 user-only), ",
			     "note    D112   two tools have one name: self.get_device_status: stands",
			     CHECK_ASKED, "\n0 errors, 0 warnings, 2 notes" },
		  .status = 7,
		  .text = "the check found notes" },
		{ .line = "sim:?fault=loop-cursor check --skip D140",
		  .parts = { CHECK_HEAD,
			     "\nlist     fail  24 tools (14 user-only), 2 pages, ",
			     " B: tools/list page 2:\n               cursor 'self.get_device_status' came before, on page 1\nerror   D106   paging never ends: nextCursor",
			     "\nasked    odd   unknown method, ",
			     "\n1 error, 0 warnings, 0 notes" },
		  .status = 7,
		  .text = "the check found errors" },
		{ .line = "sim:?fault=no-features check",
		  .parts = { "way      ok    connected\n"
			     "error   D101   the device does not offer MCP: hello has no features\n",
			     "\nhello    fail  the device offers no MCP: its hello has no features.mcp\n"
			     "stopped  init, list, asked, calls: not reached\n\n1 error" },
		  .status = 3,
		  .text = "the device offers no MCP: its hello has no features.mcp" },
		{ .line = "sim:?fault=string-id check",
		  .parts = { CHECK_ASKED "warning D114 ",
			     "\n0 errors, 1 warning, 1 note" } },
		{ .line = "sim:?fault=none check",
		  .parts = { "way      fail  there is no fault 'none'\n"
			     "stopped  init, list, asked, calls: not reached\n\n0 errors" },
		  .status = 2,
		  .text = "there is no fault 'none'" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

static int prepare(void **state)
{
	static const char *const homes[] = { "HOME", "XDG_RUNTIME_DIR",
					     "XDG_CONFIG_HOME",
					     "XDG_CACHE_HOME",
					     "XDG_STATE_HOME" };

	(void)state;
	for (size_t i = 0; i < COUNT(homes); i++)
		setenv(homes[i], "/nonexistent", 1);
	unsetenv("MCPCTL_TARGET");
	unsetenv("MCPCTL_DEVICE");
	return chdir("/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_language),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_check_faults),
	};

	mem_init();
	return cmocka_run_group_tests_name("on sim", tests, prepare, NULL);
}
