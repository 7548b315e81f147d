/* SPDX-License-Identifier: MIT */
/*
 * --all, devices, kick, and what `mcpctl` alone adds, against a fake serve:
 * what is asked, which rows are shown, which status it ends with.
 */
#include "fake_serve.h"

#include "cli/cmd_tools.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "rendered.h"

#define DEVICE(id, state, list)                 \
	"{\"id\":\"" id "\",\"state\":\"" state \
	"\",\"reason\":null,\"list\":" list "}"
#define A DEVICE("a", "ready", "\"1\"")
#define B DEVICE("b", "ready", "\"2\"")
#define C DEVICE("c", "ready", "\"1\"")
#define D DEVICE("d", "no-mcp", "null")

#define VOLUME(most)                                                          \
	"{\"name\":\"vol\",\"inputSchema\":{\"type\":\"object\",\"properties" \
	"\":{\"v\":{\"type\":\"integer\",\"maximum\":" most                   \
	"}},\"required\":[\"v\"]}}"

static struct app app;
static struct connection connection;
static struct fake_serve serve;
static struct rendered shown;
static struct error err;
static struct buf asked; /* the fans that came */
static const char *devices; /* objects, parted by newlines */
static int came; /* devices since the start */
static const char *devices_then; /* the same once they were listed; NULL */

/* ---- what serve says ---- */

static void say(struct fake_peer *p, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(struct fake_peer *p, const char *format, ...)
{
	struct buf json = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&json, format, args);
	va_end(args);
	fake_serve_json(p, buf_string(&json));
	buf_done(&json);
}

static void each_device(struct fake_peer *p, const char *op, const char *list,
			const char *rest)
{
	const char *at = devices;

	while (*at) {
		size_t len = strcspn(at, "\n");
		char *one = mem_strndup(at, len);

		if (!list || strstr(one, list))
			say(p, "{\"op\":\"%s\",\"device\":%s%s}", op, one,
			    rest);
		mem_free(one);
		at += len + (at[len] == '\n');
	}
}

static void say_tool(struct fake_peer *p, const cJSON *question)
{
	const char *name = json_string(question, "name");
	const char *list = json_string(question, "list");
	bool slow = strcmp(name, "slow") == 0;

	if (slow && strcmp(list, "1") == 0)
		return;
	/* What was asked before is answered now. */
	if (slow)
		say(p,
		    "{\"op\":\"tool\",\"tool\":" VOLUME("100") ",\"tools\":1}");
	if (strcmp(name, "vol") != 0 && !slow)
		say(p, "{\"op\":\"tool\",\"nearest\":\"vol\",\"tools\":1}");
	else if (strcmp(list, "1") == 0)
		say(p,
		    "{\"op\":\"tool\",\"tool\":" VOLUME("100") ",\"tools\":1}");
	else
		say(p,
		    "{\"op\":\"tool\",\"tool\":" VOLUME("10") ",\"tools\":1}");
}

static const char *page_of(const cJSON *question)
{
	const char *cursor =
		json_string(json_object(question, "params"), "cursor");

	if (cursor)
		return ",\"took_us\":1000,\"reply\":{\"id\":null,\"result\":"
		       "{\"tools\":[{\"name\":\"two\"}]}}";
	return ",\"took_us\":2000,\"reply\":{\"id\":null,\"result\":{\"tools\":"
	       "[{\"name\":\"one\"}],\"nextCursor\":\"n\"}}";
}

/* By the tool's name. */
static const char *result_of(const cJSON *question)
{
	const char *name = json_string(json_object(question, "params"), "name");

	if (strcmp(name, "self.reboot") == 0)
		return ",\"took_us\":2000,\"error\":{\"kind\":\"connect\","
		       "\"text\":\"it went\",\"hint\":\"\"}";
	if (strcmp(name, "wrong") == 0)
		return ",\"took_us\":2000,\"reply\":{\"id\":null,\"result\":{"
		       "\"isError\":true,\"content\":[{\"type\":\"text\","
		       "\"text\":\"broke\"}]}}";
	return ",\"took_us\":2000,\"reply\":{\"id\":null,\"result\":{"
	       "\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}";
}

static const char *row_of(const cJSON *question)
{
	const char *method = json_string(question, "method");

	if (!method)
		return ",\"took_us\":0";
	if (strcmp(method, "tools/list") == 0)
		return page_of(question);
	if (strcmp(method, "tools/call") == 0)
		return result_of(question);
	if (strcmp(method, "x/untimed") == 0)
		return ",\"reply\":{\"id\":null,\"result\":{}}";
	if (strcmp(method, "x/late") == 0)
		return ",\"took_us\":9,\"error\":{\"kind\":\"timeout\","
		       "\"text\":\"no reply\",\"hint\":\"\"}";
	return ",\"took_us\":3000,\"reply\":{\"id\":null,\"error\":{\"code\":"
	       "-32601,\"message\":\"no\"}}";
}

static void say_rows(struct fake_peer *p, const cJSON *question,
		     const char *text, size_t len)
{
	const char *list = json_string(question, "list");
	char *member = list ? mem_printf("\"list\":\"%s\"", list) : NULL;

	buf_printf(&asked, "%.*s\n", (int)len, text);
	each_device(p, "row", member, row_of(question));
	say(p, "{\"op\":\"end\"}");
	mem_free(member);
}

static void on_frame(struct fake_peer *p, const struct control_frame *f)
{
	cJSON *question = json_parse(f->data, f->len, NULL);
	const char *op = json_string(question, "op");

	if (strcmp(op, "devices") == 0) {
		each_device(p, "device", NULL, "");
		say(p, "{\"op\":\"end\"}");
		if (devices_then)
			devices = devices_then;
		devices_then = NULL;
	} else if (strcmp(op, "tool") == 0) {
		say_tool(p, question);
	} else if (strcmp(op, "fan") == 0) {
		say_rows(p, question, f->data, f->len);
	} else if (strcmp(op, "kick") == 0) {
		say(p, "{\"op\":\"kicked\",\"count\":%d}",
		    strcmp(json_string(question, "device"), "a") == 0);
	} else if (strcmp(op, "status") == 0) {
		say(p,
		    "{\"op\":\"status\",\"pid\":7,\"devices\":%d,\"came\":%d,"
		    "\"hint\":\"wake the board\","
		    "\"addresses\":[\"http://h:1/xiaozhi/ota/\"]}",
		    *devices ? 6 : 0, came);
	} else {
		say(p, "{\"op\":\"stopping\"}");
		fake_serve_drop(p);
	}
	cJSON_Delete(question);
}

/* ---- the program ---- */

static int set_up(void **state)
{
	(void)state;
	app_init(&app);
	connection = (struct connection){ .app = &app };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	assert_int_equal(app_open_loop(&app, &err), 0);
	fake_serve_open(&serve, app.loop, on_frame);
	app.config.socket = serve.path;
	devices = A "\n" B "\n" C;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_serve_close(&serve);
	connection_done(&connection);
	app_done(&app);
	rendered_end(&shown);
	buf_done(&asked);
	error_reset(&err);
	return 0;
}

static int run(const char *line)
{
	struct words words;
	int status;

	error_reset(&err);
	buf_reset(&asked);
	assert_int_equal(words_split(&words, line, NULL), 0);
	status = command_run(&connection, words.word, words.count, &err);
	words_done(&words);
	assert_int_equal(status != 0, err.kind != ERR_NONE);
	return error_status(&err);
}

static int all(const char *line)
{
	app.config.all = true;
	return run(line);
}

static void assert_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

static void ping(void **state)
{
	(void)state;
	assert_int_equal(all("ping"), 0);
	assert_string_equal(rendered_out(&shown),
			    "a  ok         3 ms  alive\n"
			    "b  ok         3 ms  alive\n"
			    "c  ok         3 ms  alive\n");
	assert_string_equal(buf_string(&asked),
			    "{\"op\":\"fan\",\"timeout\":10000,\"method\":"
			    "\"ping\"}\n");
}

static void requests(void **state)
{
	(void)state;
	app.config.device = "x*";
	app.config.timeout = 250;
	assert_int_equal(all("request x/y '{\"k\":1}'"), ERR_PEER);
	assert_string_equal(err.text, "3 of 3 devices failed");
	assert_string_equal(buf_string(&asked),
			    "{\"op\":\"fan\",\"timeout\":250,\"device\":\"x*\","
			    "\"method\":\"x/y\",\"params\":{\"k\":1}}\n");
	assert_part(rendered_out(&shown),
		    "a  error      3 ms  method not found (-32601): no\n");
	assert_int_equal(all("request x/late"), ERR_TIMEOUT);
	assert_part(rendered_out(&shown), "c  error   0.00 ms  no reply\n");
	assert_int_equal(all("request x/y '{'"), ERR_USAGE);
	assert_int_equal(asked.len, 0);
}

static void unanswered(void **state)
{
	(void)state;
	assert_int_equal(all("notify n/x"), 0);
	assert_part(buf_string(&asked), ",\"notify\":\"n/x\"}");
	assert_part(rendered_out(&shown), "b  ok               sent\n");
	assert_int_equal(all("send '{\"type\":\"tts\"}'"), 0);
	assert_part(buf_string(&asked), ",\"message\":{\"type\":\"tts\"}}");
	assert_int_equal(all("send '{\"no\":\"type\"}'"), ERR_USAGE);
	assert_int_equal(asked.len, 0);
}

/* Each list of tools has its own limits; a device without one is told. */
static void calls(void **state)
{
	(void)state;
	devices = A "\n" B "\n" C "\n" D;
	assert_int_equal(all("call vol v=50"), ERR_CONNECT);
	assert_string_equal(err.text, "2 of 4 devices failed");
	assert_part(buf_string(&asked),
		    ",\"list\":\"1\",\"method\":\"tools/call\",\"params\":{"
		    "\"name\":\"vol\",\"arguments\":{\"v\":50}}}\n");
	assert_null(strstr(buf_string(&asked), "\"list\":\"2\""));
	assert_string_equal(
		rendered_out(&shown),
		"b  error            argument 'v': 50 is above the maximum of "
		"10\n"
		"a  ok         2 ms  done\n"
		"c  ok         2 ms  done\n"
		"d  error            its tools are not listed: it is no-mcp\n");
}

/* Listed while it was on its way to ready, and called then: one row, not two. */
static void call_of_a_late_one(void **state)
{
	(void)state;
	devices = A "\n" DEVICE("late", "initializing", "null");
	devices_then = A "\n" DEVICE("late", "ready", "\"1\"");
	assert_int_equal(all("call vol v=50"), 0);
	assert_string_equal(rendered_out(&shown),
			    "a     ok         2 ms  done\n"
			    "late  ok         2 ms  "
			    "done\n");
}

static void calls_fail(void **state)
{
	(void)state;
	assert_int_equal(all("call vol v=500"), ERR_USAGE);
	assert_int_equal(asked.len, 0);
	assert_int_equal(all("call vo v=1"), ERR_USAGE);
	assert_part(rendered_out(&shown), "no tool 'vo': did you mean 'vol'?");
	assert_int_equal(asked.len, 0);
	assert_int_equal(all("call vol v=5 --expect '\"other\"'"), ERR_UNMET);
	assert_part(rendered_out(&shown), "not as expected");
	assert_int_equal(all("call vol v=5 --expect '\"done\"'"), 0);
	assert_int_equal(all("call vol v=5 --save x"), ERR_USAGE);
	app.config.timeout = 50;
	assert_int_equal(all("call slow v=50"), ERR_TIMEOUT);
	assert_int_equal(asked.len, 0);
}

static void calls_blindly(void **state)
{
	(void)state;
	devices = A "\n" D;
	assert_int_equal(all("call other --no-validate a=1"), 0);
	assert_string_equal(buf_string(&asked),
			    "{\"op\":\"fan\",\"timeout\":10000,\"method\":"
			    "\"tools/call\",\"params\":{\"name\":\"other\","
			    "\"arguments\":{\"a\":1}}}\n");
}

/* The second page is asked of those alike, all at once. */
static void lists(void **state)
{
	(void)state;
	devices = A "\n" C "\n" B;
	assert_int_equal(all("tools"), 0);
	assert_string_equal(rendered_out(&shown),
			    "a  ok         3 ms  2 tools\n"
			    "c  ok         3 ms  2 tools\n"
			    "b  ok         3 ms  2 tools\n");
	assert_string_equal(
		buf_string(&asked),
		"{\"op\":\"fan\",\"timeout\":10000,\"method\":\"tools/list\","
		"\"params\":{\"withUserTools\":true}}\n"
		"{\"op\":\"fan\",\"timeout\":10000,\"list\":\"1\",\"method\":"
		"\"tools/list\",\"params\":{\"cursor\":\"n\","
		"\"withUserTools\":true}}\n"
		"{\"op\":\"fan\",\"timeout\":10000,\"list\":\"2\",\"method\":"
		"\"tools/list\",\"params\":{\"cursor\":\"n\","
		"\"withUserTools\":true}}\n");
	assert_int_equal(all("tools wo"), 0);
	assert_part(rendered_out(&shown), "b  ok         3 ms  two\n");
	assert_int_equal(all("tools zork"), ERR_UNMET);
	assert_part(rendered_out(&shown), "none of 2 tools\n");
}

/* What firmware never answers, what was to fail, what is not known. */
static void calls_end_oddly(void **state)
{
	(void)state;
	devices = A "\n" D;
	assert_int_equal(all("call self.reboot --no-validate"), 0);
	assert_part(rendered_out(&shown),
		    "a  ok               the device restarts\n");
	assert_int_equal(all("call wrong --no-validate"), ERR_PEER);
	assert_part(rendered_out(&shown), "a  error      2 ms  broke\n");
	assert_int_equal(
		all("call wrong --no-validate --expect '{\"isError\":true}'"),
		0);
	assert_int_equal(all("request x/untimed"), 0);
	assert_part(rendered_out(&shown), "a  ok               ");
}

/* One that was not listed tells its row all the same. */
static void a_new_one(void **state)
{
	(void)state;
	devices = A;
	devices_then = A "\n" B;
	assert_int_equal(all("ping"), 0);
	assert_string_equal(rendered_out(&shown),
			    "a  ok         3 ms  alive\n"
			    "b  ok         3 ms  alive\n");
	/* And one that is gone by then is told so. */
	devices = A "\n" D;
	devices_then = A;
	assert_int_equal(all("tools"), ERR_CONNECT);
	assert_part(rendered_out(&shown), "a  ok         3 ms  2 tools\n");
	assert_part(rendered_out(&shown), "the device went meanwhile\n");
	devices = A "\n" D;
	devices_then = A;
	assert_int_equal(all("ping"), ERR_CONNECT);
	assert_part(rendered_out(&shown), "it went meanwhile");
	devices = A "\n" D;
	devices_then = A;
	assert_int_equal(all("call vol v=5"), ERR_CONNECT);
	assert_part(rendered_out(&shown), "it went meanwhile");
	assert_string_equal(err.text, "1 of 2 devices failed");
}

static void nobody(void **state)
{
	(void)state;
	devices = "";
	assert_int_equal(all("ping"), ERR_CONNECT);
	assert_part(err.text, "no device is connected");
	app.config.device = "z";
	assert_int_equal(all("ping"), ERR_CONNECT);
	assert_part(err.text, "fits 'z'");
	assert_int_equal(all("describe x"), ERR_USAGE);
	assert_part(err.hint, "these can: tools, call, ");
	assert_part(err.hint, "info, ");
	assert_int_equal(all("info"), ERR_CONNECT);
	assert_part(err.text, "fits 'z'");
	assert_int_equal(all("tail"), ERR_CONNECT);
	app.config.target = "sim:";
	app.target_source = "the argument";
	assert_int_equal(all("ping"), ERR_USAGE);
	assert_part(err.text, "the target is 'sim:' (from the argument)");
}

static void other_commands(void **state)
{
	(void)state;
	assert_int_equal(run("devices"), 0);
	assert_string_equal(rendered_out(&shown),
			    "a  -  -  -  ready  -  -  -\n"
			    "b  -  -  -  ready  -  -  -\n"
			    "c  -  -  -  ready  -  -  -\n");
	assert_int_equal(run("kick a"), 0);
	assert_part(rendered_err(&shown), "ended 1 connection");
	assert_int_equal(run("kick b"), ERR_CONNECT);
	assert_part(err.text, "fits 'b'");
	assert_int_equal(run("stop"), 0);
	assert_part(rendered_err(&shown), "has ended");
	devices = "";
	assert_int_equal(run("devices"), 0);
	assert_part(rendered_err(&shown), "set http://h:1/xiaozhi/ota/ as");
	came = 2;
	assert_int_equal(run("devices"), 0);
	assert_part(rendered_err(&shown), "wake the board");
	came = 0;
	assert_int_equal(run("devices 'x*'"), ERR_UNMET);
	assert_part(err.text, "no device fits 'x*'");
}

/* How many operands there are to be, and where the target stands. */
static void operands(void **state)
{
	static const struct {
		const char *line, *text, *hint;
	} rows[] = {
		{ "request", "'request' needs METHOD", "" },
		{ "call", "'call' needs TOOL", "" },
		{ "complete x", "'complete' needs ARG=PREFIX", "" },
		{ "stop x", "'stop' takes no operands, but got 'x'", "" },
		{ "serve --mqtt 1884",
		  "'serve' takes no operands, but got '1884'",
		  "the value of '--mqtt' stands behind '=': --mqtt=1884" },
		{ "kick a b",
		  "'kick' takes at most 1 operand, 'b' is one too many", "" },
		{ "request a b c",
		  "'request' takes at most 2 operands, 'c' is one too many",
		  "" },
		{ "tools sim:", "no target: 'sim:' stands behind the command",
		  "did you mean: mcpctl sim: tools" },
		{ "call x http://h/",
		  "no target: 'http://h/' stands behind the command",
		  "did you mean: mcpctl http://h/ call" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(run(rows[i].line), ERR_USAGE);
		assert_string_equal(err.text, rows[i].text);
		assert_part(err.hint, rows[i].hint);
		if (!strstr(rows[i].text, "target"))
			assert_part(err.detail, "usage: mcpctl [OPTION]... ");
	}
}

static void brief(void **state)
{
	(void)state;
	devices = A "\n" B "\n" C "\n" D "\n" A "\n" B;
	brief_devices(&app);
	assert_string_equal(rendered_out(&shown),
			    "\nA serve is running (pid 7), with 6 devices:\n"
			    "  a  ready\n  b  ready\n  c  ready\n  d  no-mcp\n"
			    "  and 2 more: mcpctl devices\n");
	app.config.socket = "/nonexistent/s";
	brief_devices(&app);
	assert_null(strstr(rendered_out(&shown) + 10, "A serve"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ping),
		TEST(requests),
		TEST(unanswered),
		TEST(calls),
		TEST(calls_fail),
		TEST(calls_blindly),
		TEST(calls_end_oddly),
		TEST(a_new_one),
		TEST(call_of_a_late_one),
		TEST(lists),
		TEST(nobody),
		TEST(other_commands),
		TEST(operands),
		TEST(brief),
	};

	mem_init();
	return cmocka_run_group_tests_name("all", tests, NULL, NULL);
}
