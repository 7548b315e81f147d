/* SPDX-License-Identifier: MIT */
/*
 * What is said of an invocation before anything is opened: too few operands,
 * too many, a target in the wrong place, --all where there is none.
 */
#include "rendered.h"

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/parse.h"

static struct app app;
static struct parsed parsed;
static struct error err;
static struct rendered shown;

static int ran(const struct invocation *in, struct error *e)
{
	(void)in;
	return error_set(e, ERR_PEER, "it ran");
}

static const struct option_row optional[] = { { .name = "port",
						.word = "PORT",
						.type = OPTION_OPTIONAL,
						.min = 1,
						.max = 9 },
					      { .name = NULL } };

/* Names of counts of operands: of none, of one, … */
static const struct command
	none = { .name = "none", .run = ran },
	ports = { .name = "ports",
		  .options = optional,
		  .options_size = 8,
		  .run = ran },
	one = { .name = "one", .args = "FILE", .min = 1, .max = 1, .run = ran },
	two = { .name = "two",
		.args = "FILE [OTHER]",
		.min = 1,
		.max = 2,
		.run = ran },
	pair = { .name = "pair",
		 .args = "FROM TO...",
		 .min = 2,
		 .max = -1,
		 .run = ran },
	nameless = { .name = "nameless", .min = 1, .max = 1, .run = ran };

static void forget(void)
{
	words_done(&parsed.operands);
	error_reset(&err);
}

static int begin(void **state)
{
	(void)state;
	forget();
	app = (struct app){ 0 };
	parsed = (struct parsed){ 0 };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	return 0;
}

static int end(void **state)
{
	(void)state;
	forget();
	rendered_end(&shown);
	return 0;
}

static int execute(const struct command *c, const char *line)
{
	struct connection connection = { .app = &app };

	forget();
	parsed = (struct parsed){ .command = c };
	assert_int_equal(words_split(&parsed.operands, line, NULL), 0);
	return command_execute(&connection, &parsed, &err);
}

static void runs(const struct command *c, const char *line)
{
	assert_int_equal(execute(c, line), -1);
	assert_string_equal(err.text, "it ran");
}

static void refused(const struct command *c, const char *line, const char *text,
		    const char *hint)
{
	assert_int_equal(execute(c, line), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
}

static void test_counts(void **state)
{
	(void)state;
	runs(&none, "");
	runs(&one, "a");
	runs(&two, "a");
	runs(&two, "a b");
	runs(&pair, "a b");
	runs(&pair, "a b c d e f");
	refused(&none, "x y", "'none' takes no operands, but got 'x'", "");
	refused(&one, "", "'one' needs FILE", "");
	refused(&one, "a b",
		"'one' takes at most 1 operand, 'b' is one too many", "");
	refused(&two, "a b c d",
		"'two' takes at most 2 operands, 'c' is one too many", "");
	refused(&nameless, "", "'nameless' needs an operand", "");
	refused(&pair, "", "'pair' needs FROM", "");
	refused(&pair, "a", "'pair' needs TO", "");
	assert_string_equal(err.detail,
			    "usage: mcpctl [OPTION]... pair FROM TO...");
}

/* "--port 5" looks right, and is an operand. */
static void test_value_apart(void **state)
{
	(void)state;
	refused(&ports, "5", "'ports' takes no operands, but got '5'",
		"the value of '--port' stands behind '=': --port=5");
	refused(&ports, "9", "'ports' takes no operands, but got '9'",
		"the value of '--port' stands behind '=': --port=9");
	refused(&ports, "10", "'ports' takes no operands, but got '10'", "");
	refused(&ports, "0", "'ports' takes no operands, but got '0'", "");
	refused(&ports, "x", "'ports' takes no operands, but got 'x'", "");
}

static void test_target_behind(void **state)
{
	static const struct command opens = { .name = "opens",
					      .flags = CMD_SESSION,
					      .run = ran };

	(void)state;
	refused(&opens, "a sim:x",
		"no target: 'sim:x' stands behind the command",
		"did you mean: mcpctl sim:x opens");
	refused(&opens, "nosuch:x a",
		"'opens' takes no operands, but got 'nosuch:x'", "");
	refused(&opens, "sim", "'opens' takes no operands, but got 'sim'", "");
	app.config.target = "sim:";
	refused(&opens, "sim:x", "'opens' takes no operands, but got 'sim:x'",
		"");
	app.config.target = NULL;
	refused(&none, "sim:x", "'none' takes no operands, but got 'sim:x'",
		"");
}

static int ran_all(const struct invocation *in, struct error *e)
{
	return error_set(e, ERR_PEER, "%s, %d of all",
			 in->argv[in->argc] ? "no end" : in->command->name,
			 in->argc);
}

static void test_all(void **state)
{
	static const struct command many = { .name = "many",
					     .flags = CMD_SESSION,
					     .max = -1,
					     .run = ran,
					     .all = ran_all };
	static const char can[] =
		"these can: tools, call, run, send, upgrade, assets, notify, info, ping, tail, request";

	(void)state;
	app.config.all = true;
	refused(&none, "", "'none' cannot be done with --all", can);
	assert_int_equal(execute(&many, "a b"), -1);
	assert_string_equal(err.text, "many, 2 of all");
	assert_int_equal(execute(&many, ""), -1);
	assert_string_equal(err.text, "many, 0 of all");
}

static void test_lines(void **state)
{
	char name[] = "version", option[] = "--frob",
	     *words[] = { name, option };
	struct connection connection = { .app = &app };

	(void)state;
	assert_int_equal(command_run(&connection, NULL, 0, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "no command on this line");
	assert_int_equal(command_run(&connection, words, 2, &err), -1);
	assert_string_equal(err.text, "unknown option '--frob' of 'version'");
	assert_string_equal(rendered_out(&shown), "");
	memcpy(option, "--help", sizeof(option));
	assert_int_equal(command_run(&connection, words, 2, &err), 0);
	assert_ptr_equal(strstr(rendered_out(&shown),
				"usage: mcpctl [OPTION]... version\n\n"),
			 rendered_out(&shown));
	rendered_end(&shown);
	begin(NULL);
	memcpy(name, "help", sizeof("help"));
	assert_int_equal(command_run(&connection, words, 1, &err), 0);
	assert_non_null(strstr(rendered_out(&shown), "\nStart here:\n"));
}

static const char *help_of(const struct command *c, const char *line)
{
	struct connection connection = { .app = &app };

	forget();
	parsed = (struct parsed){ .command = c, .help = true };
	assert_int_equal(words_split(&parsed.operands, line, NULL), 0);
	assert_int_equal(command_execute(&connection, &parsed, &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
	return rendered_out(&shown);
}

/* Help is given whatever else is wrong, and without a peer. */
static void test_help(void **state)
{
	static const char of_two[] =
		"usage: mcpctl [OPTION]... two FILE [OTHER]\n\nOf two.\n\n"
		"Options that every command has: mcpctl help --all\n";
	struct command call = two;

	(void)state;
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	call.brief = "of two";
	assert_string_equal(help_of(&call, "a b c d"), of_two);
	rendered_end(&shown);
	begin(NULL);
	call.operand = OPERAND_TOOL_CALL;
	assert_string_equal(help_of(&call, "self.x"), of_two);
	rendered_end(&shown);
	begin(NULL);
	app.config.target = "nosuch:";
	assert_string_equal(help_of(&call, ""), of_two);
}

/* What a run is told of its command. */
static void test_told(void **state)
{
	static const struct command stream = { .name = "stream",
					       .flags = CMD_STREAM | CMD_NO_MCP,
					       .max = -1,
					       .run = ran };
	struct connection connection = { .app = &app };

	(void)state;
	app.config.no_init = true;
	parsed.command = &stream;
	command_execute(&connection, &parsed, &err);
	assert_true(app.out.query_at_once);
	assert_true(connection.any_device);
	parsed.command = &none;
	command_execute(&connection, &parsed, &err);
	assert_false(app.out.query_at_once);
	assert_false(connection.any_device);
	app.config.no_init = false;
	parsed.command = &stream;
	command_execute(&connection, &parsed, &err);
	assert_false(connection.any_device);
}

static void test_tools(void **state)
{
	static const char *const tools[] = { "self.x", "a1.b", "a..", "你.好" };
	static const char *const others[] = { "self",	"",	    ".a",
					      "1a.b",	"10.0.0.1", "self.x:1",
					      "./a.sh", "a@h.x" };

	(void)state;
	for (size_t i = 0; i < COUNT(tools); i++)
		assert_true(command_is_tool(tools[i]));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(command_is_tool(others[i]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_counts),	  TEST(test_value_apart),
		TEST(test_target_behind), TEST(test_all),
		TEST(test_lines),	  TEST(test_help),
		TEST(test_told),	  TEST(test_tools),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
