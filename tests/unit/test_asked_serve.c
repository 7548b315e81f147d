/* SPDX-License-Identifier: MIT */
/*
 * Commands for a running serve, against a fake one that says what stands here:
 * what they ask, what they show of the answers, how they end.
 */
#include "fake_serve.h"

#include "cli/cmd_tools.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/parse.h"
#include "rendered.h"

struct said {
	const char *op; /* of the question */
	const char *lines; /* the answer: a newline between; "." closes */
};

struct asked_line {
	const char *line;
	struct said says[4];
	const char *asks; /* the last question; NULL: none is of interest */
	const char *out, *notes; /* all of it; NULL: nothing */
	int status; /* what the program ends with */
	const char *text, *hint; /* of the error; NULL: there is none */
};

static struct app app;
static struct connection connection;
static struct fake_serve serve;
static struct rendered shown;
static const struct asked_line *now;

static void on_frame(struct fake_peer *p, const struct control_frame *f)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(f->data, f->len, NULL);
	CLEANUP(mem_free_ptr) char *lines = NULL;
	const char *op = json_string(json, "op");
	char *rest, *one;

	for (size_t i = 0; i < COUNT(now->says) && !lines; i++) {
		if (now->says[i].op && strcmp(now->says[i].op, op) == 0)
			lines = mem_strdup(now->says[i].lines);
	}
	rest = lines;
	while ((one = strsep(&rest, "\n"))) {
		if (strcmp(one, ".") == 0)
			fake_serve_drop(p);
		else
			fake_serve_json(p, one);
	}
}

static int run_words(char *const *words, size_t count, struct error *err)
{
	CLEANUP(parsed_done) struct parsed p = { 0 };

	if (parse_words(&p, words, count, &app.config, err))
		return -1;
	app.out.form = (enum output_form)app.config.output;
	app.out.ops = app.out.form == OUTPUT_JSON ? &render_json : &render_text;
	app.config.socket = serve.path;
	return command_execute(&connection, &p, err);
}

static void same(const char *what, const char *is, const char *should)
{
	if (strcmp(is, should ? should : "") != 0)
		fail_msg("'%s', %s: '%s', not '%s'", now->line, what, is,
			 should ? should : "");
}

static void run(const struct asked_line *row)
{
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	int status;

	now = row;
	app_init(&app);
	connection = (struct connection){ .app = &app };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	assert_int_equal(app_open_loop(&app, &err), 0);
	fake_serve_open(&serve, app.loop, on_frame);
	assert_int_equal(words_split(&words, row->line, NULL), 0);
	app.config.socket = serve.path;
	/* `mcpctl` alone. */
	if (!words.count)
		brief_devices(&app);
	status = words.count ? run_words(words.word, words.count, &err) : 0;
	assert_int_equal(status != 0, err.kind != ERR_NONE);
	same("error", err.text, row->text);
	same("hint", err.hint, row->hint);
	same("stdout", rendered_out(&shown), row->out);
	same("stderr", rendered_err(&shown), row->notes);
	if (row->asks)
		same("asks", serve.asked ? serve.asked : "", row->asks);
	if ((err.kind ? error_status(&err) : app.status) != row->status)
		fail_msg("'%s' ends with %d", row->line,
			 err.kind ? error_status(&err) : app.status);
	fake_serve_close(&serve);
	connection_done(&connection);
	app_done(&app);
	rendered_end(&shown);
}

static void run_all(const struct asked_line *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run(&rows[i]);
}

#define COUNTED(op, n)                                    \
	{                                                 \
		op, "{\"op\":\"" op "\",\"count\":" n "}" \
	}

static void test_ends(void **state)
{
	static const struct asked_line rows[] = {
		{ .line = "kick x",
		  .says = { COUNTED("kick", "2") },
		  .asks = "{\"op\":\"kick\",\"device\":\"x\"}",
		  .notes = "ended 2 connections\n" },
		{ .line = "-d y kick",
		  .says = { COUNTED("kick", "1") },
		  .asks = "{\"op\":\"kick\",\"device\":\"y\"}",
		  .notes = "ended 1 connection\n" },
		{ .line = "kick x",
		  .says = { COUNTED("kick", "0") },
		  .status = 3,
		  .text = "no device of the running serve fits 'x'",
		  .hint = "'mcpctl devices' shows who is there" },
		{ .line = "close a b",
		  .says = { COUNTED("close", "2") },
		  .asks = "{\"op\":\"close\",\"device\":\"b\"}",
		  .notes = "closed 4 servers\n" },
		{ .line = "close a",
		  .says = { COUNTED("close", "1") },
		  .notes = "closed 1 server\n" },
		{ .line = "stop",
		  .says = { { "stop", "{\"op\":\"stopping\"}\n." } },
		  .asks = "{\"op\":\"stop\"}",
		  .notes = "the running serve has ended\n" },
		/* Told while it ends. */
		{ .line = "stop",
		  .says = { { "stop",
			      "{\"op\":\"stopping\"}\n{\"op\":\"x\"}\n." } },
		  .notes = "the running serve has ended\n" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

static void test_power(void **state)
{
	static const struct asked_line rows[] = {
		{ .line = "power kitchen on",
		  .says = { { "power", "{\"op\":\"powered\",\"status\":0,"
				       "\"output\":\"quiet\"}" } },
		  .asks = "{\"op\":\"power\",\"device\":\"kitchen\","
			  "\"action\":\"on\"}",
		  .notes =
			  "the power command for 'kitchen' (on) ended well\n" },
		{ .line = "-d kitchen power cycle",
		  .says = { { "power", "{\"op\":\"powered\",\"status\":5,"
				       "\"output\":\"one\\ntwo\\n\"}" } },
		  .asks = "{\"op\":\"power\",\"device\":\"kitchen\","
			  "\"action\":\"cycle\"}",
		  .notes =
			  "| one\n| two\n"
			  "the power command for 'kitchen' (cycle) ended with status 5\n",
		  .status = 5 },
		/* What is no status of a program of ours. */
		{ .line = "power kitchen off",
		  .says = { { "power",
			      "{\"op\":\"powered\",\"status\":256}" } },
		  .notes =
			  "the power command for 'kitchen' (off) ended with status 256\n",
		  .status = 1 },
		{ .line = "power kitchen off",
		  .says = { { "power", "{\"op\":\"powered\",\"status\":-1}" } },
		  .notes =
			  "the power command for 'kitchen' (off) ended with status -1\n",
		  .status = 1 },
		{ .line = "power kitchen off",
		  .says = { { "power",
			      "{\"op\":\"powered\",\"status\":255}" } },
		  .notes =
			  "the power command for 'kitchen' (off) ended with status 255\n",
		  .status = 255 },
		{ .line = "power kitchen on",
		  .says = { { "power", "{\"op\":\"powered\",\"status\":0,"
				       "\"over\":true,\"output\":\"last\"}" } },
		  .notes = "| last\n",
		  .status = 4,
		  .text = "the power command for 'kitchen' (on) took longer than 30 s and is being ended" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

#define ROW(id) "{\"op\":\"device\",\"device\":{\"id\":\"" id "\"}}\n"
#define CHANGE(id, change)                                                     \
	"{\"op\":\"device\",\"device\":{\"id\":\"" id "\"},\"change\":" change \
	"}\n"
#define END "{\"op\":\"end\"}"

static void test_devices(void **state)
{
	static const struct asked_line rows[] = {
		{ .line = "devices",
		  .says = { { "devices", ROW("a") ROW("long") END } },
		  .asks = "{\"op\":\"devices\"}",
		  .out = "a     -  -  -  -  -  -  -\n"
			 "long  -  -  -  -  -  -  -\n" },
		{ .line = "devices 'z*'",
		  .says = { { "devices", END } },
		  .asks = "{\"op\":\"devices\",\"device\":\"z*\"}",
		  .status = 7,
		  .text = "no device fits 'z*'",
		  .hint = "'mcpctl devices' lists all" },
		{ .line = "-d z devices --enrolled",
		  .says = { { "devices", END } },
		  .asks = "{\"op\":\"devices\",\"device\":\"z\","
			  "\"enrolled\":true}",
		  .status = 7,
		  .text = "no board that is enrolled fits 'z'" },
		{ .line = "devices --enrolled",
		  .says = { { "devices", END } },
		  .notes = "no board is enrolled\n" },
		/* The next step, by what serve knows. */
		{ .line = "devices",
		  .says = { { "devices", END },
			    { "status",
			      "{\"op\":\"status\",\"addresses\":[]}" } },
		  .asks = "{\"op\":\"status\"}",
		  .notes =
			  "nothing is kept open now, and this serve has no port for boards; 'mcpctl open' keeps a server open\n" },
		{ .line = "devices",
		  .says = { { "devices", END },
			    { "status", "{\"op\":\"status\",\"addresses\":"
					"[\"http://h/ota/\"],\"came\":1}" } },
		  .notes = "no device is connected now\n" },
		{ .line = "devices",
		  .says = { { "devices", END },
			    { "status", "{\"op\":\"status\",\"addresses\":"
					"[\"http://h/ota/\"],\"came\":1,"
					"\"hint\":\"wake it\"}" } },
		  .notes = "no device is connected now: wake it\n" },
		{ .line = "devices",
		  .says = { { "devices", END },
			    { "status", "{\"op\":\"status\",\"addresses\":"
					"[\"http://h/ota/\",\"http://i/\"],"
					"\"came\":0,\"hint\":\"wait\"}" } },
		  .notes =
			  "no device is connected yet: set http://h/ota/ as the OTA address of a board and restart it; wait\n" },
		{ .line = "devices",
		  .says = { { "devices", END },
			    { "status", "{\"op\":\"status\"}" } },
		  .notes =
			  "no device is connected yet: set the address that serve shows as the OTA address of a board and restart it; 'mcpctl help board' tells what to set on it\n" },
		/* From now on, until serve ends. */
		{ .line = "-o json devices --watch",
		  .says = { { "devices", ROW("a") END
			      "\n" CHANGE("b", "\"ready\"") "{\"op\":\"other\"}\n" CHANGE(
				      "c", "null") "." } },
		  .asks = "{\"op\":\"devices\",\"watch\":true}",
		  .out = "{\"change\":\"present\",\"device\":{\"id\":\"a\"}}\n"
			 "{\"change\":\"ready\",\"device\":{\"id\":\"b\"}}\n"
			 "{\"change\":\"changed\",\"device\":{\"id\":\"c\"}}\n",
		  .status = 3,
		  .text = "the running serve ended the connection" },
		{ .line = "devices --watch",
		  .says = { { "devices", END "\n." } },
		  .notes = "no device is connected now; what comes is shown\n",
		  .status = 3,
		  .text = "the running serve ended the connection" },
		{ .line = "devices 'z*' --watch",
		  .says = { { "devices", END "\n." } },
		  .notes = "no device fits 'z*' now; what comes is shown\n",
		  .status = 3,
		  .text = "the running serve ended the connection" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

#define LEASED(here)                                                          \
	"{\"op\":\"leased\",\"token\":\"0a1f\",\"lease\":{\"for\":60},"       \
	"\"devices\":[{\"id\":\"aa:01\",\"alias\":\"kitchen\",\"here\":" here \
	"}]}"

static void test_lease(void **state)
{
	static const struct asked_line rows[] = {
		{ .line = "lease kitchen 'r\"*' --for 1m --as me",
		  .says = { { "lease", LEASED("true") } },
		  .asks = "{\"op\":\"lease\",\"for\":60000,\"by\":\"me\","
			  "\"devices\":[\"kitchen\",\"r\\\"*\"],\"keep\":true}",
		  .out = "export MCPCTL_LEASE=0a1f\n" },
		{ .line = "lease kitchen --for 1m --as me",
		  .says = { { "lease",
			      "{\"op\":\"queued\",\"text\":\"'kitchen' is leased by one\"}\n" LEASED(
				      "false") } },
		  .out = "export MCPCTL_LEASE=0a1f\n",
		  .notes =
			  "waiting: 'kitchen' is leased by one\n"
			  "'kitchen' is not here now; it is held for you when it comes\n" },
		{ .line = "-o json lease kitchen --for 1m",
		  .says = { { "lease", LEASED("true") } },
		  .out = "{\"leases\":\"0a1f\",\"lease\":{\"for\":60},\"devices\":"
			 "[{\"id\":\"aa:01\",\"alias\":\"kitchen\",\"here\":true}]}\n" },
		{ .line = "lease --release --as me kitchen",
		  .says = { { "release",
			      "{\"op\":\"released\",\"count\":2}" } },
		  .asks = "{\"op\":\"release\",\"by\":\"me\","
			  "\"devices\":[\"kitchen\"]}",
		  .notes = "gave back 2 leases\n" },
		{ .line = "lease --release",
		  .says = { { "release",
			      "{\"op\":\"released\",\"count\":1}" } },
		  .asks = "{\"op\":\"release\",\"devices\":[]}",
		  .notes = "gave back 1 lease\n" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

/* Beside those that the process was given. */
static void test_lease_more(void **state)
{
	static const struct asked_line more = {
		.line = "lease kitchen --for 1m",
		.says = { { "lease", LEASED("true") } },
		.out = "export MCPCTL_LEASE=b7,0a1f\n"
	};
	static const struct asked_line alone = {
		.line = "lease kitchen --for 1m",
		.says = { { "lease", LEASED("true") } },
		.out = "export MCPCTL_LEASE=0a1f\n"
	};
	/* It must not come into a shell; what nobody got is given back. */
	static const struct asked_line odd = {
		.line = "lease kitchen --for 1m",
		.says = { { "lease", LEASED("true") },
			  { "release", "{\"op\":\"released\"}" } },
		.asks = "{\"op\":\"release\",\"devices\":[\"id:aa:01\"]}",
		.status = 2,
		.text = "MCPCTL_LEASE holds something else than leases: unset it"
	};
	struct asked_line many = {
		.line = "lease kitchen --for 1m",
		.says = { { "lease",
			    "{\"op\":\"leased\",\"token\":\"0a1f0\"}" },
			  { "release", "{\"op\":\"released\"}" } },
		.status = 2,
		.text = "MCPCTL_LEASE holds too many leases",
		.hint = "unset it: those that are over are of no use"
	};
	/* With a comma and a token of four as long as serve takes. */
	char given[1019], *out;

	(void)state;
	setenv("MCPCTL_LEASE", "b7", 1);
	run(&more);
	setenv("MCPCTL_LEASE", "", 1);
	run(&alone);
	setenv("MCPCTL_LEASE", "$(x)", 1);
	run(&odd);
	memset(given, 'a', sizeof(given));
	given[1018] = '\0';
	setenv("MCPCTL_LEASE", given, 1);
	run(&many);
	out = mem_printf("export MCPCTL_LEASE=%s,0a1f\n", given);
	many = more;
	many.out = out;
	run(&many);
	mem_free(out);
	unsetenv("MCPCTL_LEASE");
}

/* The job of a CI system is who holds it; what is not plain is not sent. */
static void test_lease_by(void **state)
{
	static const struct {
		const char *name, *run, *job, *number, *by;
	} rows[] = {
		{ "GITHUB_JOB", "GITHUB_RUN_ID", "smoke", "17", "smoke 17" },
		{ "CI_JOB_NAME", "CI_JOB_ID", "a\tb\x7f", "2", "a?b? 2" },
		{ "JOB_NAME", "BUILD_NUMBER", " x", "3", " x 3" },
		{ "JOB_NAME", "BUILD_NUMBER",
		  "0123456789012345678901234567890123456789012345678901234567890",
		  "345",
		  "0123456789012345678901234567890123456789012345678901234567890 34" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *asks = mem_printf("{\"op\":\"lease\",\"for\":1000,"
					"\"by\":\"%s\",\"devices\":[\"k\"],"
					"\"keep\":true}",
					rows[i].by);
		struct asked_line row = { .line = "lease k --for 1s",
					  .says = { { "lease",
						      LEASED("true") } },
					  .asks = asks,
					  .out = "export MCPCTL_LEASE=0a1f\n" };

		setenv(rows[i].name, rows[i].job, 1);
		setenv(rows[i].run, rows[i].number, 1);
		run(&row);
		unsetenv(rows[i].name);
		unsetenv(rows[i].run);
		mem_free(asks);
	}
}

#define RUNS(devices)                                                         \
	{                                                                     \
		"status", "{\"op\":\"status\",\"pid\":7,\"devices\":" devices \
			  "}"                                                 \
	}
#define NAMED(name, rest)                                               \
	"{\"op\":\"device\",\"device\":{\"id\":\"i\",\"alias\":\"" name \
	"\"" rest "}}\n"

static void test_brief(void **state)
{
	static const struct asked_line rows[] = {
		{ .line = "",
		  .says = { RUNS("0") },
		  .out = "\nA serve is running (pid 7), with no device now: 'mcpctl devices' tells the next step\n" },
		{ .line = "",
		  .says = { RUNS("51") },
		  .out = "\nA serve is running (pid 7), with 51 devices: mcpctl devices\n" },
		{ .line = "",
		  .says = { RUNS("50"),
			    { "devices",
			      NAMED("a",
				    ",\"board\":\"esp\",\"version\":\"2\",\"state\":\"ready\"")
				      END } },
		  .asks = "{\"op\":\"devices\"}",
		  .out = "\nA serve is running (pid 7), with 50 devices:\n"
			 "  a  esp  2  ready\n" },
		/* Four have a line; a long name shifts its own. */
		{ .line = "",
		  .says = { RUNS("5"),
			    { "devices",
			      NAMED("a", ",\"state\":\"x\"") NAMED(
				      "0123456789012345678901234567890123456",
				      ",\"state\":\"y\"")
				      NAMED("b",
					    ",\"board\":\"\",\"state\":\"z\"")
					      NAMED("c", ",\"state\":\"x\"")
						      NAMED("longer", "")
							      END } },
		  .out = "\nA serve is running (pid 7), with 5 devices:\n"
			 "  a                                     x\n"
			 "  0123456789012345678901234567890123456  y\n"
			 "  b                                     z\n"
			 "  c                                     x\n"
			 "  and 1 more: mcpctl devices\n" },
		{ .line = "",
		  .says = { RUNS("1"),
			    { "devices",
			      NAMED("a", "") NAMED("b", "") NAMED("c", "")
				      NAMED("d", "") END } },
		  .out = "\nA serve is running (pid 7), with 1 device:\n"
			 "  a\n  b\n  c\n  d\n" },
	};

	(void)state;
	run_all(rows, COUNT(rows));
}

static int prepare(void **state)
{
	static const char *const unset[] = { "GITHUB_JOB",    "GITHUB_RUN_ID",
					     "CI_JOB_NAME",   "CI_JOB_ID",
					     "JOB_NAME",      "BUILD_NUMBER",
					     "MCPCTL_LEASE",  "MCPCTL_TARGET",
					     "MCPCTL_DEVICE", "MCPCTL_SOCKET" };

	(void)state;
	for (size_t i = 0; i < COUNT(unset); i++)
		unsetenv(unset[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_lease),
		cmocka_unit_test(test_lease_more),
		cmocka_unit_test(test_lease_by),
		cmocka_unit_test(test_brief),
	};

	mem_init();
	return cmocka_run_group_tests_name("asked serve", tests, prepare, NULL);
}
