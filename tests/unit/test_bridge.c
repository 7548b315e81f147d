/* SPDX-License-Identifier: MIT */
/* A bridge as its options say, with boards that were there before and no serve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/announced_port.h"
#include "bridge/boards_file.h"
#include "bridge/bridge.h"
#include "bridge/host_config.h"
#include "bridge/own_answers.h"
#include "cli/app.h"
#include "fake_serve.h"
#include "folder.h"

#define SEEN INT64_C(3600000) /* ms ago */

static struct app app;
static struct bridge bridge;
static struct bridge_options options;
static char *socket_path;

static int set_up(void **state)
{
	(void)state;
	setenv("HOME", folder, 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CACHE_HOME");
	app_init(&app);
	options = (struct bridge_options){ 0 };
	socket_path = folder_path("none.sock");
	app.config.socket = socket_path;
	return 0;
}

/* Of what was not opened. */
static int forget(void **state)
{
	(void)state;
	words_done(&app.config.targets);
	words_done(&app.config.devices);
	app_done(&app);
	mem_free(socket_path);
	return 0;
}

static int tear_down(void **state)
{
	bridge_close(&bridge);
	return forget(state);
}

static void begin(void)
{
	struct error err = { 0 };

	if (bridge_open(&bridge, &app, &options, &err))
		fail_msg("%s", err.text);
}

/* Boards that a bridge of before wrote down. */
static void keep_boards(void)
{
	static const char text[] = "{\"name\":\"self.a\"}";
	CLEANUP(mem_free_ptr) char *path = boards_file_path(socket_path);
	struct tool_list tools = { 0 };
	struct bridge_list *l;
	const int64_t seen = unix_now_ms() - SEEN;

	assert_int_equal(tool_list_add_text(&tools, text, strlen(text), NULL),
			 0);
	l = bridge_list_new("list", &tools);
	const struct kept_board kept[] = {
		{ "02:00:00:00:00:01", "kitchen", "esp 1", "MQTT", seen, l },
		{ "02:00:00:00:00:02", "hall", NULL, "WebSocket", seen, l },
		{ "02:00:00:00:00:03", "kiosk", NULL, "pigeon", seen, l },
	};
	assert_int_equal(boards_file_write(path, kept, 3, NULL), 0);
	bridge_list_release(l);
}

/* So many, by their numbers. */
static void keep_so_many(size_t count)
{
	CLEANUP(mem_free_ptr) char *path = boards_file_path(socket_path);
	struct kept_board *kept = mem_zalloc(count * sizeof(*kept));
	char(*id)[32] = mem_zalloc(count * sizeof(*id));
	struct tool_list none = { 0 };
	struct bridge_list *l = bridge_list_new("list", &none);

	for (size_t i = 0; i < count; i++) {
		snprintf(id[i], sizeof(id[i]), "%zu", i);
		kept[i] = (struct kept_board){ .id = id[i],
					       .prefix = id[i],
					       .seen = unix_now_ms(),
					       .list = l };
	}
	assert_int_equal(boards_file_write(path, kept, count, NULL), 0);
	bridge_list_release(l);
	mem_free(kept);
	mem_free(id);
}

/* The names of those behind it, a blank between. */
static void assert_peers(const char *expected)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; i < bridge.count; i++)
		buf_printf(&names, "%s%s", i ? " " : "",
			   bridge.peer[i]->prefix);
	assert_string_equal(buf_string(&names), expected);
}

static void options_become_rules(void **state)
{
	(void)state;
	words_add(&app.config.targets, "sim:llm");
	begin();
	assert_int_equal(bridge.timeout, BRIDGE_TIMEOUT_MS);
	assert_int_equal(bridge.wait, BRIDGE_WAIT_MS);
	assert_int_equal(bridge.peer[0]->interval, 100);
	assert_int_equal(bridge.log, -1);
	assert_null(bridge.rules.allow);
	assert_null(bridge.rules.deny);
	assert_null(bridge.boards);
	assert_false(bridge.mend.false_is_error);
	assert_true(bridge.changed);
	bridge_close(&bridge);
	options = (struct bridge_options){ .names = BRIDGE_DOTS,
					   .user_tools = true,
					   .read_only = true,
					   .merge = true,
					   .no_own = true,
					   .generic = true,
					   .awake_only = true,
					   .false_is_error = true,
					   .rate = 4 };
	words_add(&options.allow, "a*");
	words_add(&options.deny, "d*");
	app.config.timeout = 7;
	app.config.wait = 8;
	begin();
	assert_int_equal(bridge.timeout, 7);
	assert_int_equal(bridge.wait, 8);
	assert_int_equal(bridge.peer[0]->interval, 250);
	assert_int_equal(bridge.rules.names, BRIDGE_DOTS);
	assert_true(bridge.rules.user_tools && bridge.rules.read_only);
	assert_true(bridge.rules.merge && bridge.rules.no_own);
	assert_true(bridge.rules.generic && bridge.rules.awake_only);
	assert_ptr_equal(bridge.rules.allow, &options.allow);
	assert_ptr_equal(bridge.rules.deny, &options.deny);
	assert_true(bridge.mend.false_is_error);
	bridge_close(&bridge);
	options.rate = 1001;
	begin();
	assert_int_equal(bridge.peer[0]->interval, 1);
	bridge_close(&bridge);
	options.rate = 1000;
	begin();
	assert_int_equal(bridge.peer[0]->interval, 1);
	words_done(&options.allow);
	words_done(&options.deny);
}

static void who_is_behind_it(void **state)
{
	(void)state;
	keep_boards();
	words_add(&app.config.targets, "sim:llm");
	words_add(&app.config.targets, "attach:");
	words_add(&app.config.targets, "sim:");
	begin();
	assert_peers("kitchen hall kiosk llm sim");
	assert_int_equal(bridge.servers, 2);
	bridge_close(&bridge);
	/* Boards alone, some of them. */
	words_done(&app.config.targets);
	app.config.target = "sim:";
	words_add(&app.config.devices, "id:02:00:00:00:00:02");
	words_add(&app.config.devices, "ki[ot]*");
	begin();
	assert_int_equal(bridge.servers, 0);
	assert_peers("kitchen hall kiosk");
	bridge_close(&bridge);
	words_done(&app.config.devices);
	words_add(&app.config.devices, "id:02:00:00:00:00:0");
	words_add(&app.config.devices, "*:03");
	begin();
	assert_peers("kiosk");
	bridge_close(&bridge);
	/* The target of the environment, as it names nothing else. */
	words_done(&app.config.devices);
	begin();
	assert_peers("sim");
	bridge_close(&bridge);
	app.config.target = NULL;
	app.config.device = "hall";
	begin();
	assert_peers("hall");
	bridge_close(&bridge);
	app.config.device = NULL;
	/* What sleeps is not wanted. */
	options.awake_only = true;
	begin();
	assert_peers("");
}

static void boards_that_were_there(void **state)
{
	const bool never = false;
	const struct bridge_peer *p;
	struct buf out = { 0 };

	(void)state;
	keep_boards();
	begin();
	assert_false(bridge_settled(&bridge));
	p = bridge.peer[0];
	assert_string_equal(p->id, "02:00:00:00:00:01");
	assert_string_equal(p->about, "esp 1");
	assert_string_equal(p->way, "MQTT");
	assert_null(bridge.peer[1]->about);
	assert_string_equal(bridge.peer[1]->way, "WebSocket");
	assert_null(bridge.peer[2]->way);
	assert_in_range(unix_now_ms() - p->seen, SEEN, SEEN + 60000);
	assert_int_equal(p->state, PEER_AWAY);
	assert_true(p->device);
	assert_int_equal(p->list->tools.count, 1);
	assert_ptr_equal(p->list, bridge.peer[2]->list);
	/* Nobody is there who could say more. */
	for (int i = 0; !bridge_settled(&bridge); i++) {
		assert_true(i < 10000);
		bridge_tend(&bridge);
		loop_wait(app.loop, &never, loop_now() + 2, NULL);
	}
	assert_int_equal(p->lacks, LACKS_SERVE);
	assert_non_null(bridge_boards_missing(bridge.boards));
	own_devices(&bridge, &out);
	assert_true(text_starts(
		buf_string(&out),
		"No 'mcpctl serve' is reached, so no board can be awake: "));
	assert_non_null(strstr(buf_string(&out),
			       "\nkitchen: away, esp 1, last seen 20"));
	assert_non_null(strstr(buf_string(&out), " over MQTT\nhall: away, "));
	buf_done(&out);
	bridge.woken = false;
	bridge_refresh(&bridge);
	assert_true(bridge.woken);
}

/* Serve has none of them. */
static void has_nobody(struct fake_peer *p, const struct control_frame *f)
{
	(void)f;
	fake_serve_json(p, "{\"op\":\"end\",\"count\":0}");
}

static void tend(void)
{
	const bool never = false;

	bridge_tend(&bridge);
	loop_wait(app.loop, &never, loop_now() + 2, NULL);
}

/* Not seen for 30 days, while the bridge runs: hosts are shown it no more. */
static void boards_that_are_forgotten(void **state)
{
	const int64_t days = INT64_C(31) * 24 * 3600 * 1000;
	struct fake_serve serve;
	size_t source;

	(void)state;
	assert_int_equal(app_open_loop(&app, NULL), 0);
	fake_serve_open(&serve, app.loop, has_nobody);
	mem_free(socket_path);
	app.config.socket = socket_path = mem_strdup(serve.path);
	keep_boards();
	begin();
	assert_non_null(bridge_find(&bridge, "kitchen__a", &source));
	bridge.peer[0]->seen -= days;
	for (int i = 0; bridge.count == 3; i++) {
		assert_true(i < 10000);
		tend();
	}
	assert_peers("hall kiosk");
	assert_int_equal(bridge_shown(&bridge)->count, 2);
	assert_null(bridge_find(&bridge, "kitchen__a", &source));
	assert_non_null(bridge_find(&bridge, "hall__a", &source));
	bridge_close(&bridge);
	fake_serve_close(&serve);
}

static void has_another(struct fake_peer *p, const struct control_frame *f)
{
	fake_serve_json(
		p,
		"{\"op\":\"device\",\"device\":{\"id\":\"other\",\"state\":\"away\"}}");
	has_nobody(p, f);
}

/* Of too many the one that was away longest is forgotten for the next. */
static void too_many_boards(void **state)
{
	struct fake_serve serve;
	struct bridge_peer *last = NULL;
	const int64_t end = loop_now() + 60000;

	(void)state;
	assert_int_equal(app_open_loop(&app, NULL), 0);
	fake_serve_open(&serve, app.loop, has_another);
	mem_free(socket_path);
	app.config.socket = socket_path = mem_strdup(serve.path);
	keep_so_many(BOARDS_FILE_MOST);
	begin();
	assert_int_equal(bridge.count, BOARDS_FILE_MOST);
	bridge.peer[7]->seen -= SEEN;
	while (bridge.count == BOARDS_FILE_MOST) {
		assert_true(loop_now() < end);
		tend();
	}
	assert_int_equal(bridge.count, BOARDS_FILE_MOST - 1);
	assert_string_equal(bridge.peer[7]->id, "8");
	while (bridge.count < BOARDS_FILE_MOST) {
		assert_true(loop_now() < end);
		bridge_refresh(&bridge);
		tend();
	}
	last = bridge.peer[bridge.count - 1];
	assert_string_equal(last->id, "other");
	bridge_close(&bridge);
	fake_serve_close(&serve);
}

static void a_log_that_cannot_be(void **state)
{
	struct error err = { 0 };

	(void)state;
	options.log = "/no/such/folder/log";
	assert_int_equal(bridge_open(&bridge, &app, &options, &err), -1);
	assert_int_equal(bridge.log, -1);
	assert_non_null(strstr(err.text, "/no/such/folder/log"));
	error_reset(&err);
}

/* Lines wait to be shown, but not without end. */
static void lines_have_an_end(void **state)
{
	(void)state;
	words_add(&app.config.targets, "sim:");
	begin();
	bridge.woken = false;
	for (int i = 0; i < 101; i++)
		bridge_tell(&bridge, "x");
	assert_true(bridge.woken);
	assert_int_equal(bridge.lines.count, 100);
	words_done(&bridge.lines);
}

/* What is announced must be reached by others, at an address. */
static void what_can_be_announced(void **state)
{
	static const struct {
		const char *listen, *interface;
		const char *says, *hint; /* NULL: it can */
	} rows[] = {
		{ "0.0.0.0:8080", NULL, NULL, NULL },
		{ "192.168.1.7:8080", NULL, NULL, NULL },
		{ "[::]:8080", NULL, NULL, NULL },
		{ "127.0.0.1:8080", "lo", NULL, NULL },
		{ "localhost:8080", "lo", NULL, NULL },
		{ "8080", "lo", NULL, NULL },
		{ "8080", NULL,
		  "option '--announce': nobody but this machine reaches '127.0.0.1'",
		  "--interface lo" },
		{ "localhost:8080", NULL,
		  "option '--announce': nobody but this machine reaches '127.0.0.1'",
		  "--listen 0.0.0.0:PORT --token-file FILE" },
		{ "lab.example:8080", NULL,
		  "option '--announce' needs an IPv4 address in --listen, which 'lab.example' is not",
		  "192.168.1.7 one of them" },
		{ "0.0.0.0:x", NULL, "option '--listen': ", "" },
	};

	(void)state;
	words_add(&app.config.allow_hosts, "door.example");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct front_order order = { .app = &app,
						   .options = &options };
		struct announced_port p = { 0 };
		struct error err = { 0 };
		int status;

		options.listen = rows[i].listen;
		if (rows[i].interface)
			words_add(&options.interfaces, rows[i].interface);
		status = announced_port_check(&p, &order, &err);
		if (status != (rows[i].says ? -1 : 0))
			fail_msg("%s: %s", rows[i].listen, err.text);
		if (rows[i].says) {
			assert_int_equal(err.kind, ERR_USAGE);
			assert_true(text_starts(err.text, rows[i].says));
			assert_non_null(strstr(err.hint, rows[i].hint));
			assert_int_equal(p.names.count, 0);
		} else {
			/* "mcpctl-1f03a2b4", that of nobody else. */
			assert_true(text_starts(p.host, "mcpctl-"));
			assert_int_equal(strlen(p.host), 15);
			assert_int_equal(p.names.count, 2);
			assert_string_equal(p.names.word[0], "door.example");
			assert_int_equal(strncmp(p.names.word[1], p.host, 15),
					 0);
			assert_string_equal(p.names.word[1] + 15, ".local");
		}
		announced_port_close(&p);
		words_done(&options.interfaces);
		error_reset(&err);
	}
	words_done(&app.config.allow_hosts);
	options.listen = NULL;
	words_add(&app.config.targets, "sim:");
	begin();
}

/* What a host is to start, as words of codex' settings. */
static void assert_words(const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *where = NULL, *args;

	assert_int_equal(
		host_config_print(&out, &where, "codex", &app, &options, NULL),
		0);
	assert_string_equal(where, "~/.codex/config.toml");
	assert_true(
		text_starts(out.data, "[mcp_servers.boards]\ncommand = \"/"));
	args = strstr(out.data, "\nargs = ");
	assert_non_null(args);
	assert_string_equal(args + strlen("\nargs = "), expected);
}

/* Each option again as it was given, with paths from anywhere. */
static void what_a_host_starts(void **state)
{
	char at[4096], token[] = "t", config[] = "/c/d";
	CLEANUP(mem_free_ptr) char *expected = NULL;

	(void)state;
	app.config.socket = NULL;
	words_add(&app.config.targets, "sim:");
	assert_words("[\"bridge\", \"--target=sim:\"]\n");
	words_add(&app.config.targets, "ws://h/");
	options = (struct bridge_options){ .names = BRIDGE_RAW };
	assert_words("[\"bridge\", \"--target=sim:\", \"--target=ws://h/\", "
		     "\"--names=raw\"]\n");
	words_done(&app.config.targets);
	app.config.target = "sim:llm";
	app.config.device = "a b";
	app.config.socket = "/s";
	options.names = BRIDGE_FLAT;
	assert_words("[\"bridge\", \"--target=sim:llm\", \"--device=a b\", "
		     "\"--socket=/s\"]\n");
	words_add(&app.config.devices, "x");
	words_add(&app.config.devices, "y*");
	app.config.config_file = config;
	app.config.token_file = token;
	app.config.timeout = 1500;
	app.config.wait = 1;
	options = (struct bridge_options){ .names = BRIDGE_DOTS,
					   .user_tools = true,
					   .read_only = true,
					   .merge = true,
					   .awake_only = true,
					   .no_own = true,
					   .generic = true,
					   .false_is_error = true,
					   .photos = true,
					   .rate = 3,
					   .ask_timeout = 9,
					   .log = "/l" };
	words_add(&options.allow, "a*");
	words_add(&options.allow, "b");
	words_add(&options.deny, "d");
	assert_non_null(getcwd(at, sizeof(at)));
	expected = mem_printf(
		"[\"bridge\", \"--target=sim:llm\", \"--device=x\", "
		"\"--device=y*\", \"--socket=/s\", \"--config=/c/d\", "
		"\"--token-file=%s/t\", \"--timeout=1500ms\", "
		"\"--wait=1ms\", \"--names=dots\", \"--user-tools\", "
		"\"--read-only\", \"--allow=a*\", \"--allow=b\", "
		"\"--deny=d\", \"--one-tool-a-name\", \"--only-awake\", "
		"\"--no-own-tools\", \"--generic\", \"--false-is-error\", "
		"\"--photos\", \"--rate=3\", \"--ask-timeout=9ms\", "
		"\"--log=/l\"]\n",
		at);
	assert_words(expected);
	words_done(&options.allow);
	words_done(&options.deny);
	options = (struct bridge_options){ 0 };
	app.config.config_file = app.config.token_file = NULL;
	app.config.target = app.config.device = NULL;
}

/* What a target is reached by, and the ways beside stdin and stdout. */
static void what_a_host_dials(void **state)
{
	char at[4096], cacert[] = "ca.pem", password[] = "/p";
	CLEANUP(mem_free_ptr) char *expected = NULL;

	(void)state;
	app.config.socket = NULL;
	words_add(&app.config.targets, "https://h/");
	app.config.cacert = cacert;
	app.config.mqtt_password_file = password;
	app.config.envelope = 2;
	app.config.era = 1;
	app.config.insecure = app.config.no_oauth = true;
	app.config.oauth_timeout = 7;
	app.config.oauth_scope = "a b";
	app.config.proxy = "http://p:1";
	words_add(&app.config.resolve, "h:1:::1");
	/* Of secrets it is said that they are left out. */
	words_add(&app.config.headers, "X: s3cret");
	words_add(&app.config.env, "X=s3cret");
	options.mcp_mqtt = "mqtt://b/x";
	options.keep_asleep = true;
	options.mcp_endpoint_file = "/e";
	options.mcp_endpoint_tools = 5;
	assert_non_null(getcwd(at, sizeof(at)));
	expected = mem_printf(
		"[\"bridge\", \"--target=https://h/\", \"--envelope=plain\", "
		"\"--era=modern\", \"--mqtt-password-file=/p\", "
		"\"--proxy=http://p:1\", \"--resolve=h:1:::1\", "
		"\"--no-oauth\", \"--oauth-scope=a b\", "
		"\"--oauth-timeout=7ms\", \"--cacert=%s/ca.pem\", "
		"\"--insecure\", \"--stdio\", \"--mcp-endpoint-file=/e\", "
		"\"--mcp-endpoint-tools=5\", \"--mcp-mqtt=mqtt://b/x\", "
		"\"--keep-asleep\"]\n",
		at);
	assert_words(expected);
	app.config.proxy = "http://u:s3cret@p:1";
	app.config.cacert = app.config.mqtt_password_file = NULL;
	app.config.envelope = app.config.era = 0;
	app.config.insecure = app.config.no_oauth = false;
	app.config.oauth_timeout = 0;
	app.config.oauth_scope = NULL;
	words_done(&app.config.resolve);
	options = (struct bridge_options){ 0 };
	assert_words("[\"bridge\", \"--target=https://h/\"]\n");
	words_done(&app.config.headers);
	words_done(&app.config.env);
	app.config.proxy = NULL;
}

/* A socket that is not where all look for it is named, if boards are wanted. */
static void the_socket_of_a_host(void **state)
{
	(void)state;
	app.config.socket = NULL;
	words_add(&app.config.targets, "attach:/x");
	assert_words("[\"bridge\", \"--target=attach:/x\"]\n");
	words_done(&app.config.targets);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	words_add(&app.config.targets, "sim:");
	assert_words("[\"bridge\", \"--target=sim:\"]\n");
	words_done(&app.config.targets);
	unsetenv("XDG_RUNTIME_DIR");
}

static void no_such_host(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	const char *where;

	(void)state;
	assert_int_equal(
		host_config_print(&out, &where, "x", &app, &options, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text,
			    "no settings are known of host 'x': it is claude, "
			    "cursor, vscode or codex");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(options_become_rules, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(who_is_behind_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(boards_that_were_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(boards_that_are_forgotten,
						set_up, forget),
		cmocka_unit_test_setup_teardown(too_many_boards, set_up,
						forget),
		cmocka_unit_test_setup_teardown(a_log_that_cannot_be, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_can_be_announced, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lines_have_an_end, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_a_host_starts, set_up,
						forget),
		cmocka_unit_test_setup_teardown(what_a_host_dials, set_up,
						forget),
		cmocka_unit_test_setup_teardown(the_socket_of_a_host, set_up,
						forget),
		cmocka_unit_test_setup_teardown(no_such_host, set_up, forget),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
