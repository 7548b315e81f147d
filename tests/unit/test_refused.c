/* SPDX-License-Identifier: MIT */
/*
 * Options and operands that a command refuses by itself, before anything is
 * opened: which of them the error names, and what it advises. From the words on,
 * as main has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/split.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/output.h"
#include "cli/parse.h"

struct refused_line {
	const char *line, *text, *hint; /* the whole text; a part of the hint */
};

static int run_words(const struct words *words, struct error *err)
{
	CLEANUP(parsed_done) struct parsed p = { 0 };
	struct app app;
	struct connection connection = { .app = &app };
	int status;

	app_init(&app);
	status = parse_words(&p, words->word, words->count, &app.config, err);
	app_configure(&app);
	app.target_source = p.target_source;
	if (status == 0)
		status = output_open(&app, p.command, err);
	if (status == 0)
		status = command_execute(&connection, &p, err);
	connection_close(&connection);
	connection_done(&connection);
	app_done(&app);
	return status;
}

static void refused(const struct refused_line *row)
{
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	assert_int_equal(words_split(&words, row->line, NULL), 0);
	if (run_words(&words, &err) == 0)
		fail_msg("'%s' was accepted", row->line);
	if (err.kind != ERR_USAGE || strcmp(err.text, row->text) != 0)
		fail_msg("'%s': kind %d, '%s', not '%s'", row->line, err.kind,
			 err.text, row->text);
	if (!row->hint && *err.hint)
		fail_msg("'%s' advises '%s'", row->line, err.hint);
	if (row->hint && !strstr(err.hint, row->hint))
		fail_msg("'%s': hint '%s' does not say '%s'", row->line,
			 err.hint, row->hint);
}

static void all_refused(const struct refused_line *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refused(&rows[i]);
}

static void test_serve(void **state)
{
	static const struct refused_line rows[] = {
		{ "ws://h:1/ serve",
		  "'serve' takes no target, but got 'ws://h:1/'",
		  "where it listens is --listen [HOST:]PORT" },
		{ "-d kitchen serve",
		  "option '--device' is for the commands that attach to serve",
		  "serve holds every device that comes" },
		{ "serve --mqtt --mqtt-broker mqtt://h",
		  "options '--mqtt' and '--mqtt-broker' exclude each other",
		  NULL },
		{ "serve --offer mqtt",
		  "option '--offer mqtt' needs --mqtt or --mqtt-broker", NULL },
		{ "serve --topic-up t",
		  "option '--topic-up' needs --mqtt-broker", NULL },
		{ "serve --mqtt --topic-up t",
		  "option '--topic-up' needs --mqtt-broker", NULL },
		{ "serve --topic-down t",
		  "option '--topic-down' needs --mqtt-broker", NULL },
		{ "serve --mqtt-key-file k",
		  "option '--mqtt-key-file' needs --mqtt", NULL },
		{ "serve --mqtt-broker mqtt://h --mqtt-key-file k",
		  "option '--mqtt-key-file' needs --mqtt", NULL },
		{ "serve --enroll", "option '--enroll' needs --mqtt-key-file",
		  NULL },
		{ "serve --mqtt --mqtt-key-file k --enroll=soon",
		  "option '--enroll': 'soon' is not a duration",
		  "write 250ms, 10s, 2m or 1h" },
		{ "serve --mqtt --mqtt-key-file k --enroll=0",
		  "option '--enroll': '0' is too short", NULL },
		{ "serve --mqtt-operator-file f",
		  "option '--mqtt-operator-file' needs --mqtt", NULL },
		{ "serve --udp-port 9",
		  "option '--udp-port' needs --mqtt or --mqtt-broker", NULL },
		{ "serve --silence",
		  "option '--silence' needs --mqtt or --mqtt-broker", NULL },
		{ "serve --mcp-allow a",
		  "option '--mcp-allow' needs --mcp-mqtt", NULL },
		{ "serve --mcp-deny a", "option '--mcp-deny' needs --mcp-mqtt",
		  NULL },
		{ "serve --mcp-user-tools",
		  "option '--mcp-user-tools' needs --mcp-mqtt", NULL },
		{ "serve --mcp-read-only",
		  "option '--mcp-read-only' needs --mcp-mqtt", NULL },
		{ "serve --mcp-keep-asleep",
		  "option '--mcp-keep-asleep' needs --mcp-mqtt", NULL },
		{ "serve --once", "option '--once' needs --exec", NULL },
		{ "serve --mqtt --offer mqtt --udp-port 9 --silence --once",
		  "option '--once' needs --exec", NULL },
		{ "serve --mqtt-broker mqtt://h --topic-up t --topic-down u --udp-port 9 --once",
		  "option '--once' needs --exec", NULL },
		{ "serve --power-cmd 'rack on'",
		  "option '--power-cmd': 'rack on' does not say which board it switches",
		  "{device} stands for its id" },
		{ "serve --power-cmd 'rack {device}' --daemon --path x",
		  "option '--path': 'x' does not begin with '/'", NULL },
		{ "serve --exec true --once --path x",
		  "option '--path': 'x' does not begin with '/'", NULL },
		{ "serve --exec true --once --daemon",
		  "options '--once' and '--daemon' exclude each other", NULL },
		{ "serve --no-listen --listen 1",
		  "options '--no-listen' and '--listen' exclude each other",
		  NULL },
		{ "serve --no-listen --mcp-endpoint /x",
		  "options '--no-listen' and '--mcp-endpoint' exclude each other",
		  NULL },
		{ "serve --no-listen --mqtt",
		  "options '--no-listen' and '--mqtt' exclude each other",
		  NULL },
		{ "serve --no-listen --mqtt-broker mqtt://h",
		  "options '--no-listen' and '--mqtt-broker' exclude each other",
		  NULL },
		{ "serve --no-listen --web",
		  "options '--no-listen' and '--web' exclude each other",
		  NULL },
		{ "serve --no-listen --web-token-file f",
		  "options '--no-listen' and '--web' exclude each other",
		  NULL },
		{ "serve --no-listen --exec true",
		  "options '--no-listen' and '--exec' exclude each other",
		  NULL },
		{ "serve --vision-exec true --vision-text seen",
		  "options '--vision-exec' and '--vision-text' exclude each other",
		  NULL },
		{ "serve --path x",
		  "option '--path': 'x' does not begin with '/'", NULL },
		{ "serve --mcp-endpoint y",
		  "option '--mcp-endpoint': 'y' does not begin with '/'",
		  NULL },
		{ "serve --vision-token-file f",
		  "option '--vision-token-file' needs --vision-url", NULL },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

/* A target of the environment is for the commands that attach. */
static void test_serve_outside(void **state)
{
	static const struct refused_line rows[] = {
		{ "serve --once", "option '--once' needs --exec", NULL },
		{ "ws://h:1/ serve",
		  "'serve' takes no target, but got 'ws://h:1/'", "--listen" },
	};

	(void)state;
	setenv("MCPCTL_TARGET", "ws://h:2/", 1);
	all_refused(rows, COUNT(rows));
	unsetenv("MCPCTL_TARGET");
}

static void test_sim(void **state)
{
	static const char service[] =
		"a service waits for clients: mcpctl sim llm [--listen [HOST:]PORT]";
	static const char leave[] = "leave it out; mcpctl help sim";
	static const char sketch[] =
		"mcpctl sim arduino --connect ws://127.0.0.1:8000/mcp [--reconnect] [--for DURATION]";
	static const struct refused_line rows[] = {
#define SERVICE(option, name)                                                  \
	{ "sim llm " option,                                                   \
	  "option '--" name "' is for devices: 'llm' is a service", service }, \
		{ "sim arduino --connect ws://h/ " option,                     \
		  "option '--" name                                            \
		  "' is not for 'arduino', which dials an access point",       \
		  sketch }
		SERVICE("--ota http://h/ota/", "ota"),
		SERVICE("--devices 2", "devices"),
		SERVICE("--device-id x", "device-id"),
		SERVICE("--client-id x", "client-id"),
		SERVICE("--token-file x", "token-file"),
		SERVICE("--rate 1/s", "rate"),
		SERVICE("--fill 1", "fill"),
		SERVICE("--firmware next", "firmware"),
		SERVICE("--install", "install"),
		SERVICE("--audio", "audio"),
		SERVICE("--wake word", "wake"),
		SERVICE("--subscribe", "subscribe"),
		SERVICE("--photo x", "photo"),
		SERVICE("--fault no-reply", "fault"),
		SERVICE("--frame-version 2", "frame-version"),
		SERVICE("--expect-calls 1", "expect-calls"),
		SERVICE("--expect-listed", "expect-listed"),
		SERVICE("--expect-no-hazards", "expect-no-hazards"),
		SERVICE("--fail-on note", "fail-on"),
#undef SERVICE
		{ "sim llm --connect ws://h/",
		  "option '--connect' is for devices: 'llm' is a service",
		  service },
		{ "sim llm --reconnect",
		  "option '--reconnect' is for devices: 'llm' is a service",
		  service },
		{ "sim arduino --connect ws://h/ --listen 1",
		  "option '--listen' is not for 'arduino', which dials an access point",
		  sketch },
		{ "sim arduino",
		  "where to? 'arduino' dials an access point: --connect",
		  sketch },
		{ "sim --listen 1 --rate 1/s",
		  "option '--rate' is for devices that dial", leave },
		{ "sim --listen 1 --reconnect",
		  "option '--reconnect' is for devices that dial", leave },
		{ "sim --connect ws://h/ --install",
		  "option '--install' is for devices with --ota", leave },
		{ "sim --listen 1 --audio",
		  "option '--audio' is for devices that dial", leave },
		{ "sim --listen 1 --wake word",
		  "option '--wake' is for devices that dial", leave },
		{ "sim --listen 1 --token-file x",
		  "option '--token-file' is for devices that dial", leave },
		{ "sim --listen 1 --frame-version 2",
		  "option '--frame-version' is for devices that dial", leave },
		{ "sim --connect ws://h/ --mqtt-password-file x",
		  "option '--mqtt-password-file' is for devices at a broker",
		  leave },
		{ "sim --connect ws://h/ --allow-origin http://h",
		  "option '--allow-origin' is for devices with --listen",
		  leave },
		{ "sim --connect ws://h/ --allow-host h",
		  "option '--allow-host' is for devices with --listen", leave },
		{ "sim --connect ws://h/ --trusted-proxy 10.0.0.1",
		  "option '--trusted-proxy' is for devices with --listen",
		  leave },
		{ "sim --connect ws://h/ --rate fast",
		  "option '--rate': 'fast' is no rate",
		  "write it as in 50/s or 30/m" },
		{ "sim --connect ws://h/ --rate 0/s",
		  "option '--rate': '0/s' is no rate", "50/s" },
		{ "sim --connect ws://h/ --rate 5/h",
		  "option '--rate': '5/h' is no rate", "50/s" },
		{ "sim --connect ws://h/ --rate /s",
		  "option '--rate': '/s' is no rate", "50/s" },
		{ "sim --connect ws://h/ --rate 1000001",
		  "option '--rate': '1000001' is no rate", "50/s" },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

static void test_proxy(void **state)
{
	static const struct refused_line rows[] = {
		{ "proxy", "proxy needs the address of the real one",
		  "an MCP server (mcp https://…, stdio:, -- COMMAND)" },
		{ "proxy both http://h/",
		  "'both' is no kind of upstream: ota or mcp, or none", NULL },
		{ "proxy mcp ws://h/",
		  "'mcp' stands before http:// and https:// only", NULL },
		{ "proxy ws://h/ --rewrite ota,all",
		  "option '--rewrite': 'all' is none of ota, ws, mqtt, udp, vision, none",
		  NULL },
		{ "proxy mcp http://h/ --serial /dev/null",
		  "option '--serial' is for boards, and 'http://h/' is an MCP server",
		  NULL },
		{ "-o json proxy -- true",
		  "option '-o json': stdout is the server's here",
		  "record with --trace FILE, or look with -v, on stderr" },
		{ "--jq . proxy stdio:true",
		  "option '--jq': stdout is the server's here", "--trace" },
		{ "proxy ws://h/ --audio",
		  "option '--audio' needs --trace, or -o json", NULL },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

/* Lists, and calls of tools. */
static void test_tools(void **state)
{
	static const struct refused_line rows[] = {
		{ "sim: tools --cached --no-user",
		  "option '--no-user' asks the peer, and '--cached' does not",
		  "leave out one of them" },
		{ "sim: tools --tree --diff f",
		  "options '--tree' and '--diff' do not go together", NULL },
		{ "sim: -o table tools --diff f",
		  "option '--diff' and '-o table' do not go together", NULL },
		{ "sim: -o json tools --tree", "option '--tree' is for text",
		  "leave out '-o'" },
		{ "--all tools --cached",
		  "option '--cached' is for one device, and '--all' is not",
		  "name one with -d/--device" },
		{ "--all tools --tree",
		  "option '--tree' is for one device, and '--all' is not",
		  "name one with -d/--device" },
		{ "--all tools --diff f",
		  "option '--diff' is for one device, and '--all' is not",
		  "name one with -d/--device" },
		{ "tools --all-targets --cached",
		  "options '--cached' and '--all-targets' do not go together",
		  NULL },
		{ "tools --all-targets --tree",
		  "options '--tree' and '--all-targets' do not go together",
		  NULL },
		{ "tools --all-targets --diff f",
		  "options '--diff' and '--all-targets' do not go together",
		  NULL },
		{ "--all tools --all-targets",
		  "options '--all' and '--all-targets' do not go together",
		  NULL },
		{ "sim: tools --all-targets",
		  "option '--all-targets' asks all, and one target was given: 'sim:' (from the argument)",
		  NULL },
		{ "sim: call t --detach --expect 1",
		  "option '--detach': --expect, --expect-jq, --save and --repeat want a result",
		  NULL },
		{ "sim: call t --detach --expect-jq 1",
		  "option '--detach': --expect, --expect-jq, --save and --repeat want a result",
		  NULL },
		{ "sim: call t --detach --save f",
		  "option '--detach': --expect, --expect-jq, --save and --repeat want a result",
		  NULL },
		{ "sim: call t --detach --repeat 1",
		  "option '--detach': --expect, --expect-jq, --save and --repeat want a result",
		  NULL },
		{ "sim: call t --fill-defaults --no-validate",
		  "option '--fill-defaults': with --no-validate nothing is known of the schema",
		  NULL },
		{ "sim: call t --repeat 2 --save f",
		  "option '--repeat': --save and --upload are for one call",
		  NULL },
		{ "sim: call t --repeat 2 --upload a",
		  "option '--repeat': --save and --upload are for one call",
		  NULL },
		{ "--all call t --task", "option '--task' is for one server",
		  NULL },
		{ "--all call t --detach",
		  "option '--detach' is for one server", NULL },
		{ "--all call t --upload a",
		  "option '--upload' is for one device",
		  "each address is for one picture of one device" },
		{ "--all call t --repeat 1",
		  "option '--repeat' is for one device", NULL },
		{ "--all call t --save f", "option '--save' is for one device",
		  "with --all, '-o json' has the bytes of each" },
		{ "--all call t --fill-defaults --no-validate",
		  "option '--fill-defaults': with --no-validate nothing is known of the schema",
		  NULL },
		{ "sim: watch t --load 1 --jq .",
		  "option '--load' measures times: --jq, --until, --every and --unit are for values",
		  NULL },
		{ "sim: watch t --load 1 --until .",
		  "option '--load' measures times: --jq, --until, --every and --unit are for values",
		  NULL },
		{ "sim: watch t --load 1 --every 1s",
		  "option '--load' measures times: --jq, --until, --every and --unit are for values",
		  NULL },
		{ "sim: watch t --load 1 --unit dBm",
		  "option '--load' measures times: --jq, --until, --every and --unit are for values",
		  NULL },
		{ "--all ping --count 2", "option '--count' is for one device",
		  "pick it with -d" },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

static void test_servers(void **state)
{
	static const char tasks[] =
		"'fetch' is nothing that 'task' does: list, get, wait, answer, cancel";
	static const char waits[] =
		"--save, --expect and --expect-jq are for 'task wait'";
	static const struct refused_line rows[] = {
		{ "sim:tasks task fetch 7", tasks, NULL },
		{ "sim:tasks task gett 7",
		  "'gett' is nothing that 'task' does: list, get, wait, answer, cancel",
		  "did you mean 'get'?" },
		{ "sim:tasks task list 7", "'task list' takes no id", NULL },
		{ "sim:tasks task get", "'task get' needs an id", NULL },
		{ "sim:tasks task wait", "'task wait' needs an id", NULL },
		{ "sim:tasks task get 7 --save f", waits, NULL },
		{ "sim:tasks task list --expect 1", waits, NULL },
		{ "sim:tasks task answer 7 --expect-jq .", waits, NULL },
		{ "sim:llm complete p city", "'city' is not ARG=PREFIX",
		  "for any value of it: city=;" },
		{ "sim:llm complete p =x", "'=x' is not ARG=PREFIX", NULL },
		{ "sim:llm complete p a=x b", "'b' is not ARG=VALUE", "b=;" },
		{ "sim: loglevel loud", "'loud' is no level",
		  "levels are debug, info, notice, warning, error, critical, alert, emergency" },
		{ "sim: loglevel eror", "'eror' is no level",
		  "did you mean 'error'?" },
		{ "login --list sim:",
		  "option '--list' shows all, and takes no TARGET nor --no-browser",
		  NULL },
		{ "login --list --no-browser",
		  "option '--list' shows all, and takes no TARGET nor --no-browser",
		  NULL },
		{ "--trust trust f",
		  "option '--trust' is for the command that uses a name, and keeps nothing",
		  "to keep it: mcpctl trust FILE" },
		{ "trust --list f",
		  "option '--list' shows all, and takes no FILE nor --revoke",
		  NULL },
		{ "trust --list --revoke",
		  "option '--list' shows all, and takes no FILE nor --revoke",
		  NULL },
		{ "trust --revoke",
		  "option '--revoke' needs the FILE that is not trusted any more",
		  NULL },
		{ "open", "'open' needs NAME or TARGET",
		  "'mcpctl targets' lists names; a program: mcpctl open -- PROGRAM" },
		{ "sim: open sim:llm",
		  "targets in front of 'open' and behind it: 'sim:' and 'sim:llm'",
		  NULL },
		{ "open sim:llm --idle soon",
		  "option '--idle': 'soon' is not a duration",
		  "write 250ms, 10s, 2m or 1h" },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

static void test_targets(void **state)
{
	static const struct refused_line rows[] = {
		{ "targets --scan --ping",
		  "options '--scan' and '--ping' do not go together", NULL },
		{ "targets mqtt://h",
		  "'mqtt://h' is a word too many: a broker can stand there, with '--scan'",
		  NULL },
		{ "targets --interface lo",
		  "option '--interface' is for '--scan'", NULL },
		{ "targets --for 1s", "option '--for' is for '--scan'", NULL },
		{ "targets --count 1", "option '--count' is for '--scan'",
		  NULL },
		{ "targets --probe h", "option '--probe' is for '--scan'",
		  NULL },
		{ "targets --watch", "option '--watch' is for '--scan'", NULL },
		{ "targets --scan --watch --count 1",
		  "options '--watch' and '--count' do not go together", NULL },
		{ "targets --scan --watch --probe h",
		  "options '--watch' and '--probe' do not go together", NULL },
		{ "targets --scan mcp+mqtt://h --interface lo",
		  "option '--interface' is for a network, and 'mcp+mqtt://h' is a broker",
		  NULL },
		{ "targets --scan mcp+mqtt://h --for 1s",
		  "option '--for' is for a network, and 'mcp+mqtt://h' is a broker",
		  NULL },
		{ "targets --scan mcp+mqtt://h --count 1",
		  "option '--count' is for a network, and 'mcp+mqtt://h' is a broker",
		  NULL },
		{ "targets --scan mcp+mqtt://h --probe h",
		  "option '--probe' is for a network, and 'mcp+mqtt://h' is a broker",
		  NULL },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

/* Boards: of serve, at a broker, in their Wi-Fi setup. */
static void test_boards(void **state)
{
	static const struct refused_line rows[] = {
		{ "devices --watch --enrolled",
		  "options '--watch' and '--enrolled' exclude each other",
		  NULL },
		{ "-o table devices --watch",
		  "option '--watch' has no end, and so no table", NULL },
		{ "-d a kick b", "two devices: 'b' and 'a' (option --device)",
		  NULL },
		{ "kick", "'kick' needs DEVICE",
		  "'mcpctl devices' shows who is there" },
		{ "-d a power b on",
		  "two devices: 'b' and 'a' (option --device)", NULL },
		{ "power on", "'power' needs DEVICE and on, off or cycle",
		  "'mcpctl devices' shows who is there" },
		{ "lease", "'lease' needs DEVICE",
		  "'mcpctl devices' shows who is there" },
		{ "lease a", "'lease' needs an end: -- COMMAND, or --for",
		  "mcpctl lease a -- make test, or eval \"$(mcpctl lease a --for 30m)\"" },
		{ "lease --release a --for 1m",
		  "option '--release' takes neither --for nor a command",
		  NULL },
		{ "lease --release a -- true",
		  "option '--release' takes neither --for nor a command",
		  NULL },
		{ "lease --release --as me",
		  "option '--as' with --release needs DEVICE", NULL },
		{ "upgrade f --power-cycle",
		  "option '--power-cycle' is for '--by ota', which waits for a restart",
		  NULL },
		{ "mcp+mqtt://h/x upgrade http://h/f --by ota",
		  "option '--by' is for the boards of a running serve, and the target is a broker",
		  NULL },
		{ "mcp+mqtt://h/x upgrade http://h/f --force",
		  "option '--force' is for the boards of a running serve, and the target is a broker",
		  NULL },
		{ "mcp+mqtt://h/x upgrade http://h/f --settle 1s",
		  "option '--settle' is for the boards of a running serve, and the target is a broker",
		  NULL },
		{ "mcp+mqtt://h/x upgrade f.bin",
		  "'f.bin' is no address: at a broker nobody hosts a file for its boards",
		  "put it on a server that they reach" },
		{ "adopt --list --restore",
		  "option '--list' asks no board, and takes no other", NULL },
		{ "adopt --list --ota http://h/",
		  "option '--list' asks no board, and takes no other", NULL },
		{ "adopt --list --force",
		  "option '--list' asks no board, and takes no other", NULL },
		{ "adopt --list --portal http://h/",
		  "option '--list' asks no board, and takes no other", NULL },
		{ "adopt --restore --ota http://h/",
		  "option '--restore' puts back what was kept: --ota and --force are for adopt without it",
		  NULL },
		{ "adopt --restore --force",
		  "option '--restore' puts back what was kept: --ota and --force are for adopt without it",
		  NULL },
		{ "adopt --force", "option '--force' is for --ota URL",
		  "what is chosen without --ota can be reached" },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

/* What is read without anybody to ask. */
static void test_alone(void **state)
{
	static const struct refused_line rows[] = {
		{ "run", "run: nothing to run",
		  "name a script, - for stdin, or give commands: -e info -e 'call TOOL'" },
		{ "run -e '# nothing'", "run: '-e' has no command", NULL },
		{ "run /dev/null", "run: '/dev/null' has no command", NULL },
		{ "--all run -e ping --fail-on note",
		  "run: --fail-on is for one device, not --all", NULL },
		{ "run -e ping --report tap:- --report junit:-",
		  "--report: only one can go to stdout", NULL },
		{ "explain Z999", "there is no finding 'Z999'",
		  "mcpctl explain lists them all" },
		{ "explain B21", "there is no finding 'B21'",
		  "did you mean B201, initialize came before the server hello?" },
		{ "completion csh", "no completion is made for 'csh'",
		  "give one of: bash, zsh, fish" },
		{ "generate man mcpctl-nothing",
		  "'man' has no page 'mcpctl-nothing'",
		  "'mcpctl generate man' lists the pages" },
		{ "generate cakes", "nothing is generated as 'cakes'", NULL },
	};

	(void)state;
	all_refused(rows, COUNT(rows));
}

static int prepare(void **state)
{
	(void)state;
	setenv("HOME", "/nonexistent", 1);
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	setenv("XDG_STATE_HOME", "/nonexistent", 1);
	unsetenv("MCPCTL_TARGET");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serve),
		cmocka_unit_test(test_serve_outside),
		cmocka_unit_test(test_sim),
		cmocka_unit_test(test_proxy),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_servers),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_boards),
		cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
