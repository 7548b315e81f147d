/* SPDX-License-Identifier: MIT */
/*
 * What a line of the shell means: builtins, commands, tools,
 * pipes; the last result; on the simulator, without a terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/connection.h"
#include "shell/shell.h"
#include "shell/shell_peer.h"
#include "shell/shell_run.h"

static struct app app;
static struct connection connection;
static struct shell shell;
static struct error err;
static char *out, *errors;
static size_t out_len, errors_len;
static FILE *out_file, *errors_file;

/* An editor that shows nothing: with it the lines count as typed. */
static void nothing(void)
{
}
static void no_text(const char *text)
{
	(void)text;
}
static const struct edit_table typed = { .start = no_text,
					 .stop = nothing,
					 .prompt = no_text,
					 .hide = nothing,
					 .show = nothing,
					 .clear = nothing,
					 .remember = no_text,
					 .close = nothing };

static int prepare(void **state)
{
	(void)state;
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	app_init(&app);
	connection = (struct connection){ .app = &app };
	app.config.target = "sim:";
	app_configure(&app);
	app.out.out = out_file = open_memstream(&out, &out_len);
	app.out.err = errors_file = open_memstream(&errors, &errors_len);
	app.out.out_terminal = app.out.err_terminal = false;
	app.out.out_color = app.out.err_color = app.out.err_moves = false;
	shell = (struct shell){ .app = &app, .connection = &connection };
	shell_dress(&shell);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	connection_close(&connection);
	shell_list_stop(&shell);
	shell_last_done(&shell.last);
	mem_free(shell.target);
	mem_free(shell.device);
	mem_free(shell.name);
	mem_free(shell.told);
	fclose(out_file);
	fclose(errors_file);
	free(out);
	free(errors);
	app.out.out = stdout;
	app.out.err = stderr;
	connection_done(&connection);
	app_done(&app);
	error_reset(&err);
	return 0;
}

/* At a terminal, but for the terminal. */
static void as_typed(void)
{
	shell.edit = &typed;
	shell_dress(&shell);
}

/* What the line printed; valid until the next. */
static const char *runs(const char *line)
{
	static char last[65536];
	size_t before;

	fflush(app.out.out);
	before = out_len;
	if (shell_run_line(&shell, line, &err) != 0)
		fail_msg("'%s': %s", line, err.text);
	fflush(app.out.out);
	snprintf(last, sizeof(last), "%s", out + before);
	return last;
}

static void fails(const char *line, enum error_kind kind, const char *says)
{
	error_reset(&err);
	assert_int_equal(shell_run_line(&shell, line, &err), -1);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, says))
		fail_msg("'%s': '%s' does not say '%s'", line, err.text, says);
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void commands_and_tools(void **state)
{
	(void)state;
	says(runs("ping"), "alive");
	says(runs("self.get_device_status"), "\"volume\":70");
	says(runs("call self.get_device_status"), "\"volume\":70");
	says(runs("hello"), "pretend-esp32s3");
	assert_string_equal(runs(""), "");
	assert_string_equal(runs("# a comment"), "");
	says(runs("ping\n\nself.audio_speaker.set_volume volume=3\n"), "true");
	fails("ping\nnope\nping", ERR_USAGE, "unknown command 'nope'");
	fails("serve", ERR_USAGE, "makes no sense");
	fails("sim: ping", ERR_USAGE, "unknown command 'sim:'");
	fails("ping 1", ERR_USAGE, "takes no operands");
	fails("self.audio_speaker.set_volume volume=999", ERR_USAGE, "volume");
}

/* Not at a terminal either: a slip runs nothing, and asks nobody. */
static void no_beginnings(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		fails("pin", ERR_USAGE, "unknown command 'pin'");
		says(err.hint, "did you mean 'ping'?");
		fails("re", ERR_USAGE, "unknown command 're'");
		fails("zzz", ERR_USAGE, "unknown command 'zzz'");
		as_typed();
	}
	assert_false(connection.connected);
	fails("self.reb", ERR_USAGE, "no tool 'self.reb'");
	fails("self.audio_speaker", ERR_USAGE, "no tool");
	/* "help" is a builtin and a command: one thing. */
	says(runs("help"), "Of the shell:");
}

static void parts_of_names(void **state)
{
	(void)state;
	says(runs("audio_speaker.set_volume volume=5"), "true");
	says(runs("call set_volume volume=6"), "true");
	fails("set_volume volume=7", ERR_USAGE, "unknown command");
	says(err.hint, "a tool? call set_volume");
	fails("call reboot", ERR_USAGE, "is short for 'self.reboot'");
	says(err.hint, "its whole name is 'self.reboot'");
}

static void settings(void **state)
{
	(void)state;
	says(runs("set"), "timeout   10s");
	runs("set timeout 1500ms");
	says(runs("set"), "timeout   1500ms");
	assert_int_equal(app.config.timeout, 1500);
	runs("set quiet");
	says(runs("set"), "quiet     on");
	runs("set quiet off");
	runs("set output json");
	says(runs("set"), "\"output\":\"json\"");
	says(runs("ping"), "{\"alive\":true");
	fails("set color pink", ERR_USAGE, "set color: 'pink' is none of");
	fails("set timeout", ERR_USAGE, "'set timeout' needs DURATION");
	fails("set trace x", ERR_USAGE, "no setting 'trace'");
	fails("set a b c", ERR_USAGE, "'set' takes");
}

/* All of them, in both forms, and what is wrong with one. */
static void all_settings(void **state)
{
	(void)state;
	assert_string_equal(runs("set"), "timeout   10s\n"
					 "wait      60s\n"
					 "output    text\n"
					 "verbose   off\n"
					 "quiet     off\n"
					 "color     auto\n");
	runs("set wait 2500ms");
	runs("set verbose on");
	runs("set color never");
	runs("set output json");
	assert_string_equal(
		runs("set"),
		"{\"timeout\":\"10s\",\"wait\":\"2500ms\",\"output\":\"json\",\"verbose\":\"on\",\"quiet\":\"off\",\"color\":\"never\"}\n");
	runs("set color always");
	says(runs("set"), "\"color\":\"always\"");
	fails("set tiemout 1", ERR_USAGE, "there is no setting 'tiemout'");
	assert_string_equal(err.hint,
			    "did you mean 'timeout'? 'set' shows all");
	fails("set zzzzzz 1", ERR_USAGE, "there is no setting 'zzzzzz'");
	assert_string_equal(err.hint, "'set' shows all of them");
	fails("set wait", ERR_USAGE, "'set wait' needs DURATION");
	assert_string_equal(err.hint, "'set' shows what it is now");
}

/* A wrong use of each word of the shell asks nobody, and says what is wrong. */
static void wrong_words(void **state)
{
	(void)state;
	fails("use --", ERR_USAGE, "behind '--' a program is missing");
	fails("use sim: x", ERR_USAGE,
	      "'use' takes one word, or '--' and a program");
	fails("run -x y", ERR_USAGE, "'run' does not know '-x'");
	fails("run", ERR_USAGE, "'run' ");
	fails("run /nonexistent/file", ERR_USAGE, "/nonexistent/file");
	fails("last -x", ERR_USAGE, "");
	fails("last --output", ERR_USAGE, "");
	fails("reconnect now", ERR_USAGE, "'reconnect' takes no");
	fails("quit now", ERR_USAGE, "'quit' takes no");
	assert_false(shell.quit);
	assert_false(connection.connected);
}

static void helps(void **state)
{
	const char *help;

	(void)state;
	help = runs("help");
	assert_int_equal(strncmp(help, "Commands:\n", 10), 0);
	says(help, "\n  TOOL [ARG]...             a name with a dot");
	says(help, "\nOf the shell:\n  use [DEVICE|TARGET|");
	says(help, "\n  quit                      leave the shell\n");
	says(help, "\n  LINE | CMD                what LINE prints");
	says(help,
	     "\nMore: help COMMAND, help TOOL, help TOPIC; the topics are\n");
	/* No line is cut by a terminal of the usual width. */
	for (const char *at = help; *at; at += strspn(at, "\n")) {
		assert_in_range(strcspn(at, "\n"), 0, 80);
		at += strcspn(at, "\n");
	}
	/* What is of the shell stands there once, what makes no sense never. */
	assert_null(strstr(help, "\n  help [COMMAND]"));
	assert_null(strstr(help, "\n  serve"));
	help = runs("help quit");
	assert_string_equal(help, "usage: quit\n\nLeave the shell.\n\n"
				  "So does Ctrl-D on an empty line.\n");
	says(runs("help set"), "usage: set [NAME [VALUE]]\n\nShow or change");
	says(runs("help ping"), "usage: mcpctl");
	fails("help zzz", ERR_USAGE, "zzz");
	says(err.hint, "if it is a tool: describe zzz; ");
	/* A name with a dot is one, and is asked for. */
	assert_false(connection.connected);
	says(runs("help self.reboot"), "self.reboot");
	/* Connected, any word may be one. */
	assert_true(connection.connected);
	says(runs("help reboot"), "self.reboot");
	fails("help --zzz", ERR_USAGE, "--zzz");
	assert_null(strstr(err.hint, "if it is a tool"));
}

/* Whether the line behind the one that fails was run. */
static void goes_on(const char *word, const char *path, bool on)
{
	CLEANUP(mem_free_ptr) char *line = mem_printf("run %s%s", word, path);
	size_t from;

	fflush(app.out.out);
	from = out_len;
	error_reset(&err);
	shell_run_line(&shell, line, &err);
	fflush(app.out.out);
	if (!strstr(out + from, "\"volume\":70") == on)
		fail_msg("'%s': '%s'", line, out + from);
}

static void runs_files(void **state)
{
	char path[] = "/tmp/test_shell_run_XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(file);
	fputs("ping 1\nself.get_device_status\n", file);
	fclose(file);
	goes_on("", path, false);
	goes_on("-k ", path, true);
	goes_on("--keep-going ", path, true);
	unlink(path);
}

static void last_again(void **state)
{
	(void)state;
	fails("last", ERR_UNMET, "no result yet");
	runs("self.get_device_status");
	says(runs("last -o json"), "{\"content\":[{\"type\":\"text\"");
	says(runs("last raw"), "\"jsonrpc\":\"2.0\"");
	says(runs("last"), "{\"audio_speaker\"");
	runs("request tools/list");
	says(runs("last -o raw"), "\"jsonrpc\":\"2.0\"");
	runs("tools 'self.audio*'");
	says(runs("last --output=json"), "{\"name\":\"self.audio_speaker");
	says(runs("last --output json"), "{\"name\":\"self.audio_speaker");
	runs("describe self.reboot");
	says(runs("last -ojson"), "{\"tool\":{\"name\":\"self.reboot\"");
	runs("info");
	says(runs("last -o json"), "{\"target\":\"sim:\"");
	runs("ping");
	says(runs("last -o json"), "{\"alive\":true");
	fails("last -o yaml", ERR_USAGE, "'yaml' is none of");
	fails("last -x json", ERR_USAGE, "does not know '-x'");
	/* It is of a connection that is gone. */
	runs("info");
	runs("reconnect");
	fails("last", ERR_UNMET, "of this connection");
}

static void raise_flag(void *owner)
{
	*(bool *)owner = true;
}

/* The lines of a file are waited for, whatever is due at the peer. */
static void waits_for_lines(void **state)
{
	struct timer timer;
	bool done = false;

	(void)state;
	as_typed();
	assert_int_equal(app_open_loop(&app, &err), 0);
	timer_open(&timer, app.loop, raise_flag, &done);
	timer_start(&timer, 10);
	shell.wanted = true;
	shell.depth = 1;
	assert_int_equal(shell_wait(&shell, &done, &err), 0);
	assert_true(done);
	done = false;
	timer_close(&timer, raise_flag);
	while (!done)
		loop_poll(app.loop);
	shell.depth = 0;
	shell.wanted = false;
}

static void outside(void **state)
{
	(void)state;
	runs("! exit 0");
	fails("! exit 4", ERR_UNMET, "'exit 4' ended with status 4");
	runs("self.get_device_status | grep -q volume");
	fails("ping | grep -q nothing", ERR_UNMET, "ended with status 1");
	runs("tools | true");
	fails("nope | cat", ERR_USAGE, "unknown command 'nope'");
	assert_ptr_not_equal(app.out.out, NULL);
	says(runs("ping"), "alive");
	fails("ping || x", ERR_USAGE, "'||'");
	/* At a terminal the user sees it. */
	as_typed();
	runs("! exit 4");
}

static void peers(void **state)
{
	(void)state;
	says(runs("use"), "sim:");
	runs("ping");
	runs("use sim:?fault=late-hello=50ms");
	says(runs("use"), "fault=late-hello");
	fails("use ws://127.0.0.1:1/?token=hunter2", ERR_CONNECT, "refused");
	assert_string_equal(runs("use"), "ws://127.0.0.1:1/?token=***\n");
}

static void wrong_peers(void **state)
{
	(void)state;
	runs("ping");
	fails("use nope", ERR_CONNECT, "");
	says(err.hint, "a target has ':'");
	fails("use listen:x", ERR_USAGE, "listen:x");
	fails("use http:h", ERR_USAGE, "http:h");
	/* The one that was open still is. */
	assert_true(connection.connected);
	assert_string_equal(app.config.target, "sim:");
	fails("use a b", ERR_USAGE, "'use' takes");
}

static void prompts(void **state)
{
	char *prompt;

	(void)state;
	as_typed();
	app.config.target = "sim:";
	shell.wanted = true;
	prompt = shell_peer_prompt(&shell);
	assert_string_equal(prompt, "sim: (waiting)> ");
	mem_free(prompt);
	while (!shell.up) {
		shell_peer_step(&shell);
		if (connection.session)
			session_step(connection.session, NULL, loop_now() + 100,
				     &err);
	}
	prompt = shell_peer_prompt(&shell);
	assert_string_equal(prompt, "pretend-esp32s3> ");
	mem_free(prompt);
	/* The list comes by itself, for completion. */
	for (int i = 0; i < 1000 && !connection.has_tools; i++) {
		session_step(connection.session, NULL, loop_now() + 100, &err);
		shell_peer_step(&shell);
	}
	assert_true(connection.has_tools);
	connection_close(&connection);
	shell_peer_after(&shell, NULL);
	prompt = shell_peer_prompt(&shell);
	assert_string_equal(prompt, "pretend-esp32s3 (lost)> ");
	mem_free(prompt);
}

/* For completion: also where a command opened the target again. */
static void lists_each_peer(void **state)
{
	(void)state;
	as_typed();
	for (int i = 0; i < 2; i++) {
		runs("ping");
		shell_peer_after(&shell, NULL);
		assert_true(shell.list.active);
		connection_close(&connection); /* as connection_open does */
	}
	runs("ping");
	shell_peer_after(&shell, NULL);
	for (int i = 0; i < 1000 && !connection.has_tools; i++) {
		session_step(connection.session, NULL, loop_now() + 100, &err);
		shell_peer_step(&shell);
	}
	assert_true(connection.has_tools);
}

static void quits(void **state)
{
	(void)state;
	runs("quit\nnope");
	assert_true(shell.quit);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(commands_and_tools),
		TEST(no_beginnings),
		TEST(parts_of_names),
		TEST(settings),
		TEST(all_settings),
		TEST(wrong_words),
		TEST(helps),
		TEST(last_again),
		TEST(runs_files),
		TEST(waits_for_lines),
		TEST(outside),
		TEST(peers),
		TEST(wrong_peers),
		TEST(prompts),
		TEST(lists_each_peer),
		TEST(quits),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
