/* SPDX-License-Identifier: MIT */
/*
 * Invocations: what is target, command, option, operand; what is refused and
 * in which words. It uses the real command table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/split.h"
#include "cli/cmd_serve.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/config.h"
#include "cli/parse.h"

static struct words words;
static struct config config;
static struct parsed parsed;
static struct error err;

static void clear(void)
{
	parsed_done(&parsed);
	config_release(&config);
	config = (struct config){ 0 };
	words_done(&words);
	error_reset(&err);
}

/* As typed, behind "mcpctl". */
static int parse(const char *line)
{
	clear();
	assert_int_equal(words_split(&words, line, NULL), 0);
	return parse_words(&parsed, words.word, words.count, &config, &err);
}

/* As a line of run. */
static int parse_inside(const char *line)
{
	clear();
	assert_int_equal(words_split(&words, line, NULL), 0);
	return parse_words(&parsed, words.word, words.count, NULL, &err);
}

static void good(const char *line)
{
	if (parse(line) != 0)
		fail_msg("'%s': %s", line, err.text);
}

static void bad(const char *line, const char *text, const char *hint)
{
	if (parse(line) == 0)
		fail_msg("'%s' was accepted", line);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, text))
		fail_msg("'%s': '%s' does not say '%s'", line, err.text, text);
	if (!strstr(err.hint, hint))
		fail_msg("'%s': hint '%s' does not say '%s'", line, err.hint,
			 hint);
}

static void operands(size_t count, const char *last)
{
	assert_int_equal(parsed.operands.count, count);
	if (count > 0)
		assert_string_equal(parsed.operands.word[count - 1], last);
}

static void test_order(void **state)
{
	(void)state;
	good("sim: call self.x volume=50");
	assert_ptr_equal(parsed.command, &cmd_call);
	assert_string_equal(config.target, "sim:");
	assert_string_equal(parsed.target_source, "the argument");
	operands(2, "volume=50");

	good("-o json call self.x a:=1 --timeout 2s -v");
	assert_int_equal(config.output, OUTPUT_JSON);
	assert_int_equal(config.timeout, 2000);
	assert_true(config.verbose);
	assert_null(config.target);
	assert_null(parsed.target_source);
	operands(2, "a:=1");

	/* An option of the command, with a value, before the command. */
	good("--expect '{}' sim: call self.x");
	assert_ptr_equal(parsed.command, &cmd_call);
	operands(1, "self.x");

	good("hello");
	assert_ptr_equal(parsed.command, &cmd_info);
	good("");
	assert_null(parsed.command);
	good("-v");
	assert_null(parsed.command);
}

static void test_forms(void **state)
{
	(void)state;
	good("-tsim: tools");
	assert_string_equal(config.target, "sim:");
	assert_string_equal(parsed.target_source, "the option -t");
	good("-t sim: tools");
	assert_string_equal(config.target, "sim:");
	good("--target=sim: tools");
	assert_string_equal(config.target, "sim:");
	good("--target sim: tools");
	assert_string_equal(config.target, "sim:");
	good("-vqtsim: tools");
	assert_true(config.verbose && config.quiet);
	assert_string_equal(config.target, "sim:");
	good("-vqt sim: tools");
	assert_string_equal(config.target, "sim:");
	good("tools --header A:1 --header=B:2");
	assert_int_equal(config.headers.count, 2);
	assert_string_equal(config.headers.word[1], "B:2");
	good("call x -");
	operands(2, "-");
	/* The value may hold '=' and begin with '-'. */
	good("tools --header=a=b --trace -x");
	assert_string_equal(config.headers.word[0], "a=b");
	assert_string_equal(config.trace, "-x");
}

/* A value that may be left out stands only behind '='. */
static void test_optional(void **state)
{
	const struct serve_arguments *a;

	(void)state;
	good("serve");
	a = parsed.options;
	assert_int_equal(a->mqtt, 0);
	good("serve --mqtt --once");
	a = parsed.options;
	assert_int_equal(a->mqtt, OPTION_BARE);
	assert_true(a->once);
	good("--mqtt=1884 serve");
	a = parsed.options;
	assert_int_equal(a->mqtt, 1884);
	good("serve --mqtt 1884");
	operands(1, "1884");
	bad("serve --mqtt=", "needs PORT", "");
	bad("serve --mqtt=65536", "from 1 to 65535", "");
}

static void test_target(void **state)
{
	(void)state;
	/* Behind the command a colon means nothing. */
	good("sim: call x a:=1 http://y");
	assert_string_equal(config.target, "sim:");
	operands(3, "http://y");
	bad("-t sim: ws://h tools", "two targets", "");
	bad("sim: ws://h tools", "unknown command 'ws://h'", "one target");
	bad("listen tools", "unknown command 'listen'", "'listen:'");
	bad("stdio:node x.js tools", "unknown command 'x.js'", "-- node x.js");
	bad("files tools", "unknown command 'files'", "mcpctl -t files tools");
	bad("sdk info", "unknown command 'sdk'", "mcpctl -t sdk info");
	bad("simm info", "unknown command 'simm'", "did you mean 'sim'?");
	bad("sim tools", "'sim' without ':'", "mcpctl sim: tools");
	setenv("MCPCTL_TARGET", "listen:9", 1);
	good("tools");
	assert_string_equal(config.target, "listen:9");
	assert_string_equal(parsed.target_source, "MCPCTL_TARGET");
	good("sim: tools");
	assert_string_equal(config.target, "sim:");
	unsetenv("MCPCTL_TARGET");
}

static void test_execute(void **state)
{
	(void)state;
	good("sim: -e info --execute 'call x'");
	assert_ptr_equal(parsed.command, &cmd_run);
	assert_int_equal(config.commands.count, 2);
	assert_string_equal(config.commands.word[1], "call x");
	good("sim: run -e info");
	assert_ptr_equal(parsed.command, &cmd_run);
	bad("sim: -e info tools", "-e and the command 'tools'", "its own -e");
	bad("sim: -e", "option '-e' needs COMMAND", "");
}

static void test_wrong(void **state)
{
	(void)state;
	bad("lst", "unknown command 'lst'", "'tools'");
	bad("tools --no-usr", "unknown option '--no-usr' of 'tools'",
	    "'--no-user'");
	bad("tools --verbos", "'--verbos'", "'--verbose'");
	bad("tools --expect 1", "unknown option '--expect' of 'tools'",
	    "option of 'call'");
	bad("--expect 1", "belongs to 'call'", "");
	bad("--token x tools", "unknown option '--token'", "--token-file");
	bad("tools -Z", "unknown option '-Z'", "mcpctl help tools");
	bad("tools --timeout", "option '--timeout' needs DURATION", "");
	bad("tools --timeout --verbose", "needs DURATION",
	    "--timeout=--verbose");
	bad("tools --timeout=", "needs DURATION", "");
	bad("tools --quiet=1", "takes no value", "");
}

/* Behind "--" nothing is ours, whatever it looks like. */
static void test_child(void **state)
{
	(void)state;
	good("tools --no-user -o json -- node server.js --verbose -o x: --");
	assert_ptr_equal(parsed.command, &cmd_tools);
	operands(0, NULL);
	assert_int_equal(config.output, OUTPUT_JSON);
	assert_false(config.verbose);
	assert_int_equal(config.child.count, 6);
	assert_string_equal(config.child.word[5], "--");
	assert_string_equal(config.target, "stdio:node server.js --verbose -o "
					   "x: --");
	assert_string_equal(parsed.target_source, "the command line behind --");

	/* It can be pasted back. */
	good("call a b=c -- 'my server' '' \"it's\" '#1'");
	operands(2, "b=c");
	assert_string_equal(config.target, "stdio:'my server' '' "
					   "'it'\\''s' '#1'");
	good("-e tools -e info -- server");
	assert_ptr_equal(parsed.command, &cmd_run);
	good("run -- server");
	good("-- server");
	assert_null(parsed.command);
	assert_string_equal(config.target, "stdio:server");

	/* A variable gives way, another target does not. */
	setenv("MCPCTL_TARGET", "listen:9", 1);
	good("tools -- server");
	assert_string_equal(config.target, "stdio:server");
	unsetenv("MCPCTL_TARGET");
	bad("sim: tools -- x",
	    "two targets: 'sim:' and what stands behind "
	    "'--'",
	    "");
	bad("-t ws://h tools -- x", "two targets: 'ws://h' and", "");
	bad("tools --", "behind '--' a program is missing", "mcpctl tools --");
	bad("tools --timeout -- x", "needs DURATION", "");
	bad("serve -- x", "'serve' asks no target", "mcpctl help serve");
	bad("version -- x", "'version' asks no target", "");
}

/* A global option with a value that it takes. */
static char *with_value(const struct option_row *row)
{
	static const char *const values[] = {
		[OPTION_TEXT] = "x:",  [OPTION_FILE] = "x",
		[OPTION_NUMBER] = "1", [OPTION_DURATION] = "1s",
		[OPTION_LIST] = "x",
	};

	switch (row->type) {
	case OPTION_FLAG:
	case OPTION_OPTIONAL:
	case OPTION_OPTIONAL_TEXT:
		return mem_printf("--%s", row->name);
	case OPTION_CHOICE:
		return mem_printf("--%s=%.*s", row->name,
				  (int)strcspn(row->choices, " "),
				  row->choices);
	default:
		return mem_printf("--%s=%s", row->name, values[row->type]);
	}
}

/* Who heeds what, beside output, quiet, color, help, version, all, execute. */
static const struct heeds {
	const char *command, *options;
} heeds[] = {
	{ "adopt", " jq socket timeout " },
	{ "assets", " jq device socket timeout " },
	{ "capture", " jq device verbose " },
	{ "close", " socket timeout " },
	{ "completion", "" },
	{ "devices", " device socket timeout jq fields " },
	{ "explain", " jq " },
	{ "help", "" },
	{ "kick", " device socket timeout " },
	{ "lease", " jq socket timeout wait " },
	{ "power", " device socket timeout " },
	{ "proxy",
	  " jq verbose trace audio findings save-audio cacert insecure advertise"
	  " allow-origin allow-host trusted-proxy serial elf reset " },
	{ "serve",
	  " target device verbose trace audio findings timeout wait token-file"
	  " mqtt-password-file socket cacert insecure advertise allow-origin"
	  " allow-host trusted-proxy vision-url vision-token-file"
	  " save-images save-audio picture-max no-init serial elf reset jq " },
	/* token-file is its own, of another meaning */
	{ "sim",
	  " jq verbose trace audio findings token-file mqtt-password-file cacert"
	  " insecure advertise allow-origin allow-host trusted-proxy " },
	{ "stop", " socket timeout " },
	{ "targets",
	  " config trust jq fields device socket timeout wait insecure cacert"
	  " mqtt-password-file " },
	{ "top",
	  " target device socket cacert insecure mqtt-password-file timeout " },
	{ "trust", " trust jq " },
	{ "upgrade", " jq target device socket timeout wait cacert insecure"
		     " mqtt-password-file " },
	{ "version", " jq verbose " },
	{ "bridge",
	  " target device jq verbose quiet timeout wait envelope era"
	  " token-file mqtt-password-file socket header env cwd config"
	  " trust proxy resolve no-oauth oauth-client-id"
	  " oauth-client-secret-file oauth-private-key-file"
	  " oauth-client-metadata-url oauth-grant oauth-idp-token-file"
	  " oauth-idp-token-endpoint oauth-idp-client-id oauth-issuer"
	  " oauth-scope oauth-timeout cacert insecure advertise"
	  " allow-origin allow-host trusted-proxy " },
};

/* Each counts where a command takes many, whatever way it is named. */
static void test_many(void **state)
{
	(void)state;
	good("-t a sim: bridge -d x -t b -d y");
	assert_int_equal(config.targets.count, 3);
	assert_string_equal(config.targets.word[0], "a");
	assert_string_equal(config.targets.word[1], "b");
	assert_string_equal(config.targets.word[2], "sim:");
	assert_int_equal(config.devices.count, 2);
	assert_string_equal(config.devices.word[1], "y");
	good("-t a bridge -- server x");
	assert_int_equal(config.targets.count, 2);
	assert_string_equal(config.targets.word[0], "a");
	assert_string_equal(config.targets.word[1], "stdio:server x");
	assert_string_equal(config.target, "a");
	assert_string_equal(parsed.target_source, "the command line");
	setenv("MCPCTL_TARGET", "listen:9", 1);
	good("bridge -- server");
	assert_string_equal(config.target, "stdio:server");
	good("sim: bridge");
	assert_int_equal(config.targets.count, 1);
	assert_string_equal(config.target, "sim:");
	good("bridge");
	assert_string_equal(config.target, "listen:9");
	assert_string_equal(parsed.target_source, "MCPCTL_TARGET");
	assert_int_equal(config.targets.count, 0);
	unsetenv("MCPCTL_TARGET");
	good("bridge");
	assert_int_equal(config.targets.count, 0);
	assert_null(config.target);
	/* Elsewhere the last one counts. */
	good("-t a -t b tools");
	assert_int_equal(config.targets.count, 0);
	assert_string_equal(config.target, "b");
}

static const char *heeded_by(const char *command)
{
	for (size_t i = 0; i < COUNT(heeds); i++) {
		if (!strcmp(heeds[i].command, command))
			return heeds[i].options;
	}
	return NULL;
}

static bool expected(const char *list, const struct option_row *row)
{
	static const char all[] =
		" output quiet color no-pager help version all execute ";
	char name[64];

	snprintf(name, sizeof(name), " %s ", row->name);
	return !list || strstr(all, name) || strstr(list, name);
}

/* No command accepts an option that it does not heed. */
static void test_heeded(void **state)
{
	const struct command *const *c;
	const struct option_row *row;

	(void)state;
	for (c = commands; *c; c++) {
		const char *list = heeded_by((*c)->name);

		/* Without a list it works on a target, or opens one. */
		if (!list &&
		    !((*c)->flags & (CMD_SESSION | CMD_HIDDEN | CMD_TARGET)))
			assert_true(*c == &cmd_run);
		if ((*c)->flags & CMD_SESSION)
			assert_null((*c)->globals);
		for (row = config_options; row->name; row++) {
			char *option = with_value(row);
			char *line = mem_printf("%s %s", (*c)->name, option);

			if (expected(list, row))
				(void)parse(line);
			else
				bad(line, "has no use for option", "leave it");
			if (expected(list, row) && err.kind)
				assert_null(strstr(err.text, "no use for"));
			mem_free(option);
			mem_free(line);
		}
	}
}

/* Who prints JSON takes --jq; these print none, whatever -o says. */
static void test_asked(void **state)
{
	static const char none[] = "close completion help kick power stop top";

	(void)state;
	for (const struct command *const *c = commands; *c; c++) {
		char *line = mem_printf("%s --jq .", (*c)->name);

		if (option_choice(none, (*c)->name) >= 0)
			bad(line, "has no use for option '--jq'", "leave it");
		else
			good(line);
		mem_free(line);
	}
}

static void test_output_of_errors(void **state)
{
	(void)state;
	bad("bogus -o json", "unknown command", "");
	assert_int_equal(config.output, OUTPUT_JSON);
	bad("tools --bogus --output=json", "unknown option", "");
	assert_int_equal(config.output, OUTPUT_JSON);
	bad("-o xml tools", "none of", "");
	assert_int_equal(config.output, OUTPUT_TEXT);
	setenv("MCPCTL_OUTPUT", "json", 1);
	bad("bogus", "unknown command", "");
	assert_int_equal(config.output, OUTPUT_JSON);
	setenv("MCPCTL_OUTPUT", "yaml", 1);
	bad("tools", "MCPCTL_OUTPUT", "");
	/* What is given goes first, also before a wrong variable. */
	good("tools -o raw");
	assert_int_equal(config.output, OUTPUT_RAW);
	unsetenv("MCPCTL_OUTPUT");
}

static void test_inside(void **state)
{
	(void)state;
	assert_int_equal(parse_inside("call self.x 'a=b c' --no-validate"), 0);
	assert_ptr_equal(parsed.command, &cmd_call);
	operands(2, "a=b c");
	assert_int_equal(parse_inside("call x:y"), 0);
	assert_int_equal(parse_inside("call x --help"), 0);
	assert_true(parsed.help);
	assert_int_equal(parse_inside("tools --timeout 3s"), -1);
	assert_non_null(strstr(err.text, "holds for the whole run"));
	assert_int_equal(parse_inside("sim: tools"), -1);
	assert_non_null(strstr(err.hint, "before the word run"));
	assert_int_equal(parse_inside("tools -- server"), -1);
	assert_non_null(strstr(err.text, "this line has one already"));
	assert_non_null(strstr(err.hint, "use -- PROGRAM"));
	assert_int_equal(parse_inside(""), 0);
	assert_null(parsed.command);
}

struct refusal {
	const char *line, *text, *hint;
};

static void refuses(const struct refusal *row, int status)
{
	if (status != -1)
		fail_msg("'%s' was accepted", row->line);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, row->text);
	assert_string_equal(err.hint, row->hint);
}

/* What a user reads, whole. */
static void test_messages(void **state)
{
	static const struct refusal rows[] = {
		{ "tools --timeout", "option '--timeout' needs DURATION", "" },
		{ "tools --timeout -v", "option '--timeout' needs DURATION",
		  "'-v' is an option itself; to mean it as the value: --timeout=-v" },
		{ "tools --timeout -- x", "option '--timeout' needs DURATION",
		  "'--' is an option itself; to mean it as the value: --timeout=--" },
		{ "tools -vt", "option '-t' needs TARGET", "" },
		{ "tools -vZq", "unknown option '-Z' of 'tools'",
		  "mcpctl help tools lists the options" },
		{ "--expect 1",
		  "option '--expect' belongs to 'call', and no command was given",
		  "" },
		{ "tools --", "behind '--' a program is missing",
		  "for example: mcpctl tools -- node server.js" },
		{ "--", "behind '--' a program is missing",
		  "for example: mcpctl tools -- node server.js" },
		{ "lease kitchen --", "behind '--' a program is missing",
		  "for example: mcpctl lease kitchen -- make test" },
		{ "sim: tools -- x",
		  "two targets: 'sim:' and what stands behind '--'", "" },
		{ "-t a: tools -- x",
		  "two targets: 'a:' and what stands behind '--'", "" },
		{ "-t sim: ws://h tools",
		  "two targets: 'ws://h' and 'sim:' (option -t)", "" },
		{ "version -- x",
		  "'version' asks no target, so there is nothing to do with the program behind '--'",
		  "mcpctl help version" },
		{ "version --timeout 1s",
		  "'version' has no use for option '--timeout'",
		  "leave it out; mcpctl help version" },
		{ "sim: -e info tools",
		  "option -e and the command 'tools' exclude each other",
		  "give every command by its own -e" },
		{ "sim tools",
		  "'sim' without ':' is the command that plays a device, and 'tools' is no profile",
		  "did you mean: mcpctl sim: tools" },
		{ "STDIO:node x.js tools", "unknown command 'x.js'",
		  "behind 'stdio:' the program and its words are one word, in quotes; or: mcpctl COMMAND -- node x.js …" },
		{ "files tools", "unknown command 'files'",
		  "a server that an mcp.json names is a target behind -t: mcpctl -t files tools" },
		{ "example.org tools", "unknown command 'example.org'",
		  "a server that an mcp.json names is a target behind -t: mcpctl -t example.org tools" },
		{ "simm info", "unknown command 'simm'",
		  "did you mean 'sim'? or, if an mcp.json names a server so: mcpctl -t simm info" },
		{ "files", "unknown command 'files'",
		  "mcpctl help lists the commands; 'call files' calls a tool" },
		{ "files x", "unknown command 'files'",
		  "mcpctl help lists the commands; 'call files' calls a tool" },
		{ "sim: files tools", "unknown command 'files'",
		  "mcpctl help lists the commands; 'call files' calls a tool" },
		{ "stdio tools", "unknown command 'stdio'",
		  "did you mean 'stdio:COMMAND LINE'? (a target: mcpctl stdio:COMMAND LINE info)" },
		{ "sim: ws://h tools", "unknown command 'ws://h'",
		  "one target is enough; the command comes next (mcpctl help)" },
		{ "--nosuchthing x tools", "unknown option '--nosuchthing'",
		  "mcpctl help --all lists the options" },
		{ "-o json -Y x tools", "unknown option '-Y'",
		  "mcpctl help --all lists the options" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		refuses(&rows[i], parse(rows[i].line));
}

static void test_messages_inside(void **state)
{
	static const char *const settings[] = { "output", "timeout", NULL };
	static const struct refusal rows[] = {
		{ "tools --timeout 3s",
		  "option '--timeout' holds for the whole run",
		  "give it on mcpctl's own command line, or by 'set timeout'" },
		{ "tools -v", "option '-v' holds for the whole run",
		  "give it on mcpctl's own command line" },
		{ "-e info", "option '-e' holds for the whole run",
		  "give it on mcpctl's own command line" },
		{ "tools -- x",
		  "'--' starts a child process as the target, and this line has one already",
		  "give it on mcpctl's own command line, or, in the shell, by 'use -- PROGRAM'" },
		{ "files tools", "unknown command 'files'",
		  "mcpctl help lists the commands; 'call files' calls a tool" },
		{ "kick --jq .", "'kick' has no use for option '--jq'",
		  "leave it out; mcpctl help kick" },
	};

	(void)state;
	complete_inside_settings = settings;
	for (size_t i = 0; i < COUNT(rows); i++)
		refuses(&rows[i], parse_inside(rows[i].line));
	complete_inside_settings = NULL;
	assert_int_equal(parse_inside("tools --timeout 3s"), -1);
	assert_string_equal(err.hint, "give it on mcpctl's own command line");
	assert_int_equal(parse_inside("tools -o json"), -1);
	assert_string_equal(err.text, "option '-o' holds for the whole run");
	assert_int_equal(parse_inside("tools --jq .a"), 0);
	assert_string_equal(parsed.jq, ".a");
	assert_null(parsed.target_source);
	good("tools --jq .a");
	assert_null(parsed.jq);
	assert_string_equal(config.jq, ".a");
}

/* A name that is too long for a message is cut in it. */
static void test_long_names(void **state)
{
	(void)state;
	for (int len = 44; len <= 46; len++) {
		char name[64], line[80], text[128];

		memset(name, 'a', sizeof(name));
		name[len] = '\0';
		snprintf(line, sizeof(line), "tools --%s=x", name);
		name[len < 45 ? len : 45] = '\0';
		snprintf(text, sizeof(text), "unknown option '--%s' of 'tools'",
			 name);
		assert_int_equal(parse(line), -1);
		assert_string_equal(err.text, text);
	}
}

/* A word with a dot calls the tool of that name. */
static void test_tool_words(void **state)
{
	(void)state;
	good("sim: self.x a=1");
	assert_ptr_equal(parsed.command, &cmd_call);
	operands(2, "a=1");
	assert_string_equal(parsed.operands.word[0], "self.x");
	good("self.x");
	operands(1, "self.x");
	good("call self.x tools");
	operands(2, "tools");
	assert_int_equal(parse_inside("self.x a=1"), 0);
	assert_ptr_equal(parsed.command, &cmd_call);
	operands(2, "a=1");
}

/* Values that look like options, and options that have none. */
static void test_values(void **state)
{
	(void)state;
	good("tools --trace --nosuch -vd kitchen");
	assert_string_equal(config.trace, "--nosuch");
	assert_true(config.verbose);
	assert_string_equal(config.device, "kitchen");
	good("tools --trace -");
	assert_string_equal(config.trace, "-");
	good("tools --trace -5 -vvqdkitchen");
	assert_string_equal(config.trace, "-5");
	assert_int_equal(config.verbose, 2);
	assert_true(config.quiet);
	assert_string_equal(config.device, "kitchen");
	good("tools -dv");
	assert_string_equal(config.device, "v");
	assert_int_equal(config.verbose, 0);
}

/* The line of a shell is completed, not judged. */
static void test_verbatim(void **state)
{
	(void)state;
	good("_complete -v x: --nosuch");
	assert_ptr_equal(parsed.command, &cmd_complete_words);
	assert_non_null(parsed.options);
	operands(3, "--nosuch");
	assert_string_equal(parsed.operands.word[0], "-v");
	assert_int_equal(config.verbose, 0);
	assert_null(config.target);
}

/* Options may stand before the command, so a name means the same everywhere. */
static void same_arity(const struct command *c, const struct option_row *row)
{
	for (const struct command *const *o = commands; *o; o++) {
		const struct option_row *other = option_by_name(
			(*o)->options, row->name, strlen(row->name));

		if (other &&
		    (other->type == OPTION_FLAG) != (row->type == OPTION_FLAG))
			fail_msg("--%s of %s and of %s", row->name, c->name,
				 (*o)->name);
		other = option_by_letter((*o)->options, row->letter);
		if (row->letter && other && strcmp(other->name, row->name) != 0)
			fail_msg("-%c of %s and of %s", row->letter, c->name,
				 (*o)->name);
	}
}

/* A command may give a global name a meaning of its own, but not another form. */
static void same_as_global(const struct option_row *row)
{
	const struct option_row *global =
		option_by_name(config_options, row->name, strlen(row->name));

	assert_true(!global || (global->type == row->type &&
				global->letter == row->letter));
	global = option_by_letter(config_options, row->letter);
	assert_true(!global || strcmp(global->name, row->name) == 0);
}

static void test_table(void **state)
{
	(void)state;
	for (const struct command *const *c = commands; *c; c++) {
		const struct option_row *row = (*c)->options;

		assert_ptr_equal(command_find((*c)->name), *c);
		assert_non_null((*c)->brief);
		assert_non_null((*c)->run);
		assert_null(strchr((*c)->brief, '\n'));
		assert_true((*c)->max < 0 || (*c)->max >= (*c)->min);
		for (; row && row->name; row++) {
			same_as_global(row);
			assert_true(row->offset < (*c)->options_size);
			assert_non_null(row->brief);
			assert_true((row->type == OPTION_FLAG) == !row->word);
			/* Those of a text are completed, no more. */
			assert_true(row->type == OPTION_CHOICE ?
					    row->choices != NULL :
					    !row->choices ||
						    row->type == OPTION_TEXT);
			same_arity(*c, row);
		}
	}
}

static int done(void **state)
{
	(void)state;
	clear();
	return 0;
}

/* What the usage says: "TOOL [ARG]..." is one, or any number more. */
static void usage_counts(const char *args, int *least, int *most)
{
	bool optional = false;

	*least = *most = 0;
	for (const char *at = args; *at && strncmp(at, "[--", 3) != 0;) {
		size_t len = strcspn(at, " ");

		optional = optional || *at == '[';
		*least += !optional;
		*most += *most >= 0;
		if (len > 4 && (strncmp(at + len - 3, "...", 3) == 0 ||
				strncmp(at + len - 4, "...]", 4) == 0))
			*most = -1;
		optional = optional && !memchr(at, ']', len);
		at += len + (at[len] == ' ');
	}
}

static void test_usage_and_counts(void **state)
{
	(void)state;
	for (const struct command *const *c = commands; *c; c++) {
		int least, most;

		if ((*c)->flags & CMD_HIDDEN)
			continue;
		usage_counts((*c)->args ? (*c)->args : "", &least, &most);
		/* A program behind "--", or an option, stands in its place. */
		if (*c == &cmd_lease || *c == &cmd_proxy)
			least = 0;
		/* How many files are wanted it says itself, by the word. */
		if (*c == &cmd_capture)
			least = 1;
		if ((*c)->min != least || (*c)->max != most)
			fail_msg("%s %s: %d to %d", (*c)->name, (*c)->args,
				 (*c)->min, (*c)->max);
	}
}

/* What numbers and times may be: the last that are taken, and the next. */
static void test_bounds(void **state)
{
	static const struct {
		const char *line, *below, *least, *most, *above;
	} rows[] = {
		{ "call t --repeat", "0", "1", "1000000", "1000001" },
		{ "lease k --for", "0", "1ms", NULL, NULL },
		{ "ping --count", "0", "1", "100000", "100001" },
		{ "ping --interval", "0", "1ms", NULL, NULL },
		{ "proxy ws://h/ --for", "0", "1ms", NULL, NULL },
		{ "serve --mqtt", "0", "1", "65535", "65536" },
		{ "serve --udp-port", "0", "1", "65535", "65536" },
		{ "serve --devices-max", "0", "1", "1000000", "1000001" },
		{ "serve --message-max", "1023", "1024", "16777216",
		  "16777217" },
		{ "serve --handshake", "0", "1ms", NULL, NULL },
		{ "serve --hello-wait", "0", "1ms", NULL, NULL },
		{ "sim --devices", "0", "1", "10000", "10001" },
		{ "sim --fill", "-1", "0", "100000", "100001" },
		{ "sim --frame-version", "0", "1", "3", "4" },
		{ "sim --expect-calls", "0", "1", "2147483647", "2147483648" },
		{ "sim --ollama-timeout", "0", "1ms", NULL, NULL },
		{ "subscribe u --count", "0", "1", "9223372036854775807",
		  NULL },
		{ "subscribe u --for", "0", "1ms", NULL, NULL },
		{ "subscribe u --ping-every", "99ms", "100ms", NULL, NULL },
		{ "tail --count", "0", "1", "9223372036854775807", NULL },
		{ "tail --for", "0", "1ms", NULL, NULL },
		{ "tail --ping-every", "99ms", "100ms", NULL, NULL },
		{ "targets --for", "0", "1ms", NULL, NULL },
		{ "targets --count", "0", "1", NULL, NULL },
		{ "upgrade f --restart", "0", "1ms", NULL, NULL },
		{ "upgrade f --settle", "0", "1ms", NULL, NULL },
		{ "assets f --restart", "0", "1ms", NULL, NULL },
		{ "watch t --every", "0", "1ms", NULL, NULL },
		{ "watch t --for", "0", "1ms", NULL, NULL },
		{ "watch t --count", "0", "1", "1000000000", "1000000001" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *const given[] = { rows[i].least, rows[i].most,
					      rows[i].below, rows[i].above };

		for (size_t w = 0; w < COUNT(given); w++) {
			char line[80];

			snprintf(line, sizeof(line), "%s=%s", rows[i].line,
				 given[w] ? given[w] : "");
			if (given[w] && w < 2)
				good(line);
			else if (given[w])
				bad(line, given[w], "");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_optional),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_execute),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_heeded),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_output_of_errors),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_messages_inside),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_tool_words),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_verbatim),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_usage_and_counts),
		cmocka_unit_test(test_bounds),
	};

	for (const struct option_row *row = config_options; row->name; row++) {
		if (row->env)
			unsetenv(row->env);
	}
	return cmocka_run_group_tests_name("parse", tests, NULL, done);
}
