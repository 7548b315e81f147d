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
	{ "pign", "ping" },	   { "completions", "completion" }
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

static void says(const struct error *err, const char *text, const char *hint)
{
	assert_int_equal(err->kind, ERR_USAGE);
	if (!strstr(err->text, text) || !strstr(err->hint, hint))
		fail_msg("'%s' / '%s' does not say '%s' / '%s'", err->text,
			 err->hint, text, hint);
}

static void test_words(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(suggest_command("listen", false, &err), -1);
	says(&err, "unknown command 'listen'", "'listen:'");
	says(&err, "", "'tail'");
	suggest_command("accept", false, &err);
	says(&err, "'accept'", "listen:");
	suggest_command("backend", false, &err);
	says(&err, "'backend'", "'serve'");
	suggest_command("sim:", true, &err);
	says(&err, "'sim:'", "before the word run");
	suggest_command("zzzzzz", false, &err);
	says(&err, "'zzzzzz'", "mcpctl help");
	suggest_topic("targt", &err);
	says(&err, "'targt'", "mcpctl help targets");
	suggest_topic("ls", &err);
	says(&err, "'ls'", "mcpctl help tools");
	suggest_target("listen", "MCPCTL_TARGET", &err);
	says(&err, "'listen' (from MCPCTL_TARGET)", "did you mean 'listen:'?");
	suggest_target("sim", "the option -t", &err);
	says(&err, "'sim'", "did you mean 'sim:'?");
	suggest_target("lamp", "the option -t", &err);
	says(&err, "'lamp'", "help targets");
	error_reset(&err);
}

static void test_options(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(suggest_option(&cmd_call, "--expct", &err), -1);
	says(&err, "unknown option '--expct' of 'call'", "'--expect'");
	suggest_option(&cmd_call, "--timout", &err);
	says(&err, "'--timout'", "'--timeout'");
	suggest_option(&cmd_tools, "--expect", &err);
	says(&err, "of 'tools'", "option of 'call'");
	suggest_option(NULL, "--token", &err);
	says(&err, "'--token'", "--token-file or MCPCTL_TOKEN");
	suggest_option(NULL, "--json", &err);
	says(&err, "'--json'", "-o json");
	suggest_option(NULL, "-Z", &err);
	says(&err, "'-Z'", "mcpctl help");
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_targets_exist),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
