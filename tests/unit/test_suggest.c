/* SPDX-License-Identifier: MIT */
/*
 * What is proposed for a wrong word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "cli/commands.h"
#include "cli/suggest.h"

static const char *const pairs[][2] = {
	{ "list", "tools" },	   { "ls", "tools" },
	{ "ps", "devices" },	   { "LS", "tools" },
	{ "lst", "tools" },	   { "lit", "tools" },
	{ "tool", "tools" },	   { "toosl", "tools" },
	{ "logs", "tail" },	   { "listen", "tail" },
	{ "watch", "tail" },	   { "follow", "tail" },
	{ "mock", "sim" },	   { "device", "sim" },
	{ "fake", "sim" },	   { "repl", "shell" },
	{ "source", "run" },	   { "console", "shell" },
	{ "exec", "call" },	   { "invoke", "call" },
	{ "cal", "call" },	   { "man", "help" },
	{ "status", "info" },	   { "inof", "info" },
	{ "inspect", "describe" }, { "desc", "describe" },
	{ "pign", "ping" },	   { "completions", "completion" },
	{ "ps", "devices" },	   { "alow", "trust" },
	{ "helo", "hello" },	   { "functons", "tools" }
};

static void test_nearest(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const char *near = command_nearest(pairs[i][0]);

		if (!near || strcmp(near, pairs[i][1]) != 0)
			fail_msg("'%s': '%s', not '%s'", pairs[i][0],
				 near ? near : "nothing", pairs[i][1]);
	}
	assert_null(command_nearest("xylophone"));
	assert_null(command_nearest(""));
	/* Of two letters one is too much, of three it is not. */
	assert_null(command_nearest("qs"));
	assert_string_equal(command_nearest("rpx"), "request");
	/* The hidden command is not proposed. */
	const char *near = command_nearest("generat");
	assert_true(!near || strcmp(near, "generate") != 0);
}

/* Every proposal is a command. */
static void test_targets_exist(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++)
		assert_non_null(command_find(pairs[i][1]));
	assert_ptr_equal(command_find("hello"), &cmd_info);
	assert_null(command_find("hell"));
	assert_null(command_find(""));
}

static struct error err;

static void says(int status, const char *text, const char *hint)
{
	assert_int_equal(status, -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
	error_reset(&err);
}

static void test_commands(void **state)
{
	(void)state;
	says(suggest_command("listen", false, &err), "unknown command 'listen'",
	     "did you mean 'listen:'? (a target: mcpctl listen: info) or the command 'tail'?");
	says(suggest_command("stdio", false, &err), "unknown command 'stdio'",
	     "did you mean 'stdio:COMMAND LINE'? (a target: mcpctl stdio:COMMAND LINE info)");
	/* A target cannot stand on a line of run. */
	says(suggest_command("listen", true, &err), "unknown command 'listen'",
	     "did you mean 'tail'? (mcpctl help lists the commands)");
	says(suggest_command("backend", false, &err),
	     "unknown command 'backend'",
	     "did you mean 'serve'? (mcpctl help lists the commands)");
	says(suggest_command("zzzzzz", false, &err), "unknown command 'zzzzzz'",
	     "mcpctl help lists the commands; 'call zzzzzz' calls a tool");
}

static void test_second_target(void **state)
{
	(void)state;
	says(suggest_command("sim:", true, &err), "unknown command 'sim:'",
	     "in the shell 'use sim:' changes the target; a script has one, before the word run: mcpctl sim: run …");
	says(suggest_command("sim:", false, &err), "unknown command 'sim:'",
	     "one target is enough; the command comes next (mcpctl help)");
}

static void test_topics(void **state)
{
	(void)state;
	says(suggest_topic("targt", &err),
	     "no command and no help topic is called 'targt'",
	     "did you mean: mcpctl help targets");
	says(suggest_topic("ls", &err),
	     "no command and no help topic is called 'ls'",
	     "did you mean: mcpctl help tools");
	says(suggest_topic("zzzzzz", &err),
	     "no command and no help topic is called 'zzzzzz'",
	     "mcpctl help lists both");
	/* What is a topic alone, too. */
	says(suggest_topic("enviroment", &err),
	     "no command and no help topic is called 'enviroment'",
	     "did you mean: mcpctl help environment");
	says(suggest_topic("jsn", &err),
	     "no command and no help topic is called 'jsn'",
	     "did you mean: mcpctl help json");
	/* Other names of commands are near, too. */
	says(suggest_topic("helo", &err),
	     "no command and no help topic is called 'helo'",
	     "did you mean: mcpctl help hello");
}

static void test_targets(void **state)
{
	(void)state;
	says(suggest_target("LISTEN", "MCPCTL_TARGET", &err),
	     "target 'LISTEN' (from MCPCTL_TARGET) has no ':'",
	     "did you mean 'listen:'?");
	says(suggest_target("sim", "the option -t", &err),
	     "target 'sim' (from the option -t) has no ':'",
	     "did you mean 'sim:'?");
	says(suggest_target("lamp", "the option -t", &err),
	     "target 'lamp' (from the option -t) has no ':'",
	     "mcpctl help targets shows what can stand there");
	assert_string_equal(target_nearest("sse"), "http://HOST:PORT/PATH");
	assert_string_equal(target_nearest("ws"), "ws://HOST:PORT/PATH");
	assert_null(target_nearest("w"));
	assert_null(target_nearest(""));
}

static void test_options(void **state)
{
	(void)state;
	says(suggest_option(&cmd_call, "--expct", &err),
	     "unknown option '--expct' of 'call'", "did you mean '--expect'?");
	says(suggest_option(&cmd_call, "--timout", &err),
	     "unknown option '--timout' of 'call'",
	     "did you mean '--timeout'?");
	says(suggest_option(&cmd_tools, "--expect", &err),
	     "unknown option '--expect' of 'tools'",
	     "it is an option of 'call'");
	says(suggest_option(NULL, "--bearer", &err),
	     "unknown option '--bearer'",
	     "secrets are not taken from the command line, where others see them: --token-file or MCPCTL_TOKEN");
	says(suggest_option(&cmd_call, "--json", &err),
	     "unknown option '--json' of 'call'", "for JSON: -o json");
	says(suggest_option(NULL, "-p", &err), "unknown option '-p'",
	     "to wait for a board: the target listen:PORT, or serve --listen PORT");
	says(suggest_option(NULL, "-Z", &err), "unknown option '-Z'",
	     "mcpctl help --all lists the options");
	says(suggest_option(&cmd_tools, "-Z", &err),
	     "unknown option '-Z' of 'tools'",
	     "mcpctl help tools lists the options");
	says(suggest_option(&cmd_tools, "--zzzzzzzz", &err),
	     "unknown option '--zzzzzzzz' of 'tools'",
	     "mcpctl help tools lists the options");
	says(suggest_option(NULL, "--erra", &err), "unknown option '--erra'",
	     "did you mean '--era'?");
	says(suggest_option(NULL, "--verbos", &err),
	     "unknown option '--verbos'", "did you mean '--verbose'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_targets_exist),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_second_target),
		cmocka_unit_test(test_topics),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
