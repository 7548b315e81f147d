/* SPDX-License-Identifier: MIT */
/*
 * As text: lines of serve's log, events, what is known of a peer, and the rows
 * that no other test has: neighbours, logins, tasks, upgrades; names that look
 * alike; what --jq makes of lines.
 */
#include "rendered.h"

#include <time.h>

#include "base/query.h"
#include "net/head.h"
#include "out/alike.h"
#include "out/queried.h"
#include "out/render_json.h"
#include "out/text_device.h"
#include "serve/record.h"

/* 2026-08-08T12:01:02.123Z */
#define THEN INT64_C(1786190462123)

static struct rendered s;

static int in_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static void start(bool terminal)
{
	rendered_start(&s, OUTPUT_TEXT, terminal);
}

static void shows(const char *expected)
{
	assert_string_equal(rendered_out(&s), expected);
	rendered_end(&s);
}

/* ---- serve's log ---- */

static void test_records(void **state)
{
	struct record r = { .kind = RECORD_READY,
			    .level = LEVEL_GOOD,
			    .at_ms = THEN,
			    .text = (char[]){ "12 tools, token=hush \x1b" } };

	(void)state;
	start(false);
	s.r.ops->record(&s.r, &r);
	r.address = (char[]){ "10.0.0.7:5000" };
	s.r.ops->record(&s.r, &r);
	r.device = (char[]){ "aa:01\x1b" };
	s.r.ops->record(&s.r, &r);
	r.is_id = true;
	s.r.ops->record(&s.r, &r);
	r.is_id = false;
	r.alias = (char[]){ "kitchen" };
	r.hint = (char[]){ "look at it, password=hush" };
	s.r.ops->record(&s.r, &r);
	s.r.dated = true;
	r.hint = (char[]){ "" };
	s.r.ops->record(&s.r, &r);
	shows("12:01:02.123  ready  12 tools, token=*** \\x1b\n"
	      "12:01:02.123  10.0.0.7:5000  12 tools, token=*** \\x1b\n"
	      "12:01:02.123  aa:01\\x1b  12 tools, token=*** \\x1b\n"
	      "12:01:02.123  id:aa:01\\x1b  12 tools, token=*** \\x1b\n"
	      "12:01:02.123  kitchen  12 tools, token=*** \\x1b\n"
	      "              look at it, password=***\n"
	      "2026-08-08 12:01:02.123  kitchen  12 tools, token=*** \\x1b\n");
}

/* On a terminal names stand in a column, and the rest is wrapped beside it. */
static void test_records_on_a_terminal(void **state)
{
	struct record r = {
		.kind = RECORD_GONE,
		.at_ms = THEN,
		.alias = (char[]){ "k" },
		.text =
			(char[]){
				"one two three four five six seven eight nine ten" },
		.hint =
			(char[]){
				"one two three four five six seven eight nine ten" }
	};

	(void)state;
	start(true);
	s.r.ops->record(&s.r, &r);
	r.alias = (char[]){ "kitchen lamp" };
	r.hint = NULL;
	s.r.ops->record(&s.r, &r);
	r.alias = (char[]){ "a name of more than thirty-two columns" };
	r.text = (char[]){ "x" };
	s.r.ops->record(&s.r, &r);
	r.alias = (char[]){ "k" };
	s.r.ops->record(&s.r, &r);
	shows("12:01:02.123  k         one two three four five six seven\n"
	      "              eight nine ten\n"
	      "              one two three four five six seven eight nine\n"
	      "              ten\n"
	      "12:01:02.123  kitchen lamp  one two three four five six\n"
	      "              seven eight nine ten\n"
	      "12:01:02.123  a name of more than thirty-two columns  x\n"
	      "12:01:02.123  k             x\n");
}

static void test_record_colors(void **state)
{
	static const char *const texts[] = {
		[LEVEL_DEBUG] = "\033[2mx\033[0m",
		[LEVEL_INFO] = "x",
		[LEVEL_GOOD] = "\033[32mx\033[0m",
		[LEVEL_WARN] = "\033[33mx\033[0m",
		[LEVEL_BAD] = "\033[1;31mx\033[0m",
	};

	(void)state;
	for (int i = LEVEL_DEBUG; i <= LEVEL_BAD; i++) {
		const struct record r = { .kind = RECORD_GONE,
					  .level = (enum record_level)i,
					  .at_ms = THEN,
					  .alias = (char[]){ "k" },
					  .text = (char[]){ "x" },
					  .hint = (char[]){ "y" } };
		CLEANUP(mem_free_ptr)
		char *expected = mem_printf(
			"\033[2m12:01:02.123\033[0m  \033[1mk\033[0m  %s\n"
			"              \033[2my\033[0m\n",
			texts[i]);

		start(false);
		s.r.out_color = true;
		s.r.ops->record(&s.r, &r);
		shows(expected);
	}
}

/* The addresses to set are for people; a file of the log has them, too. */
static void test_listening(void **state)
{
	const struct record r = {
		.kind = RECORD_LISTENING,
		.at_ms = THEN,
		.text = (char[]){ "set:\n  http://a/ota/\n  on the board  " },
		.hint = (char[]){ "or dial" }
	};

	(void)state;
	start(false);
	s.r.ops->record(&s.r, &r);
	assert_true(s.r.waiting);
	assert_string_equal(rendered_err(&s), "set:\n  http://a/ota/\n"
					      "  on the board  \nor dial\n");
	shows("");
	start(false);
	s.r.dated = true;
	s.r.err_color = true;
	s.r.ops->record(&s.r, &r);
	assert_string_equal(rendered_err(&s),
			    "set:\n\033[1m  http://a/ota/\033[0m\n"
			    "\033[1m  on the board  \033[0m\nor dial\n");
	assert_string_equal(rendered_out(&s),
			    "2026-08-08 12:01:02.123  listening  set:\n"
			    "                           http://a/ota/\n"
			    "                           on the board  \n"
			    "                         or dial\n");
	rendered_end(&s);
}

/* ---- events ---- */

static void event(struct event e, const char *expected)
{
	e.len = e.text ? strlen(e.text) : 0;
	start(false);
	s.r.ops->event(&s.r, &e);
	assert_string_equal(rendered_out(&s) + strlen("12:01:02.123"),
			    expected);
	rendered_end(&s);
}

#define LOG "notifications/message"
#define SAYS(text) "{\"method\":\"" LOG "\",\"params\":" text "}"

/* What a server logs is read as a log, if it is one. */
static void test_logs(void **state)
{
	struct event e = { .kind = EVENT_NOTIFICATION,
			   .name = (char[]){ LOG } };

	(void)state;
	e.text = (char[]){
		SAYS("{\"level\":\"warning\",\"logger\":\"disk\",\"data\":\"full\\n\\u00e9\"}")
	};
	event(e, "  " LOG "  warning (disk): full\\n\xc3\xa9\n");
	e.text = (char[]){ SAYS("{\"level\":\"info\",\"data\":{\"a\": 1}}") };
	event(e, "  " LOG "  info: {\"a\":1}\n");
	e.text = (char[]){ SAYS("{\"data\":\"x\"}") };
	event(e, "  " LOG "  {\"data\":\"x\"}\n");
	e.text = (char[]){ SAYS("{\"level\":\"info\"}") };
	event(e, "  " LOG "  {\"level\":\"info\"}\n");
	e.name = (char[]){ "notifications/x" };
	e.text = (char[]){ SAYS("{\"level\":\"info\",\"data\":\"x\"}") };
	event(e, "  notifications/x  {\"level\":\"info\",\"data\":\"x\"}\n");
}

static void test_other_events(void **state)
{
	(void)state;
	event((struct event){ .kind = EVENT_REQUEST,
			      .name = (char[]){ "roots/list" },
			      .answered = true },
	      "  roots/list  a request\n");
	event((struct event){ .kind = EVENT_DROPPED, .count = 1 },
	      "  dropped  1 event was lost\n");
	event((struct event){ .kind = EVENT_AUDIO,
			      .count = 1,
			      .bytes = 2,
			      .note = (char[]){ "opus" } },
	      "  audio  1 frame, 2 bytes so far, opus\n");
	event((struct event){ .kind = EVENT_ODD,
			      .code = "D125",
			      .note = (char[]){ "no UTF-8" },
			      .text = (char[]){ "{ \"a\" : 1 }" } },
	      "  odd  D125 no UTF-8: {\"a\":1}\n");
	event((struct event){ .kind = EVENT_SERIAL,
			      .text = (char[]){ "{ \"a\" : 1 }" } },
	      "  serial  { \"a\" : 1 }\n");
	event((struct event){ .kind = EVENT_HELLO,
			      .name = (char[]){ "" },
			      .text = (char[]){ "[ 1 ]" } },
	      "  hello  [1]\n");
	event((struct
	       event){ .kind = EVENT_DEVICE,
		       .name = (char[]){ "goodbye" },
		       .text =
			       (char[]){
				       "{\"type\":\"goodbye\",\"session_id\":\"1\",\"sessionId\":\"1\",\"jsonrpc\":\"2.0\",\"method\":\"m\"}" } },
	      "  goodbye\n");
}

/* The clock's times on stdout: all zero. */
static void hide_times(void)
{
	rendered_out(&s);
	for (char *c = s.out; (c = strchr(c, ':')); c++) {
		if (c[3] != ':' || c[6] != '.')
			continue;
		memcpy(c - 2, "00:00:00.000", 12);
		c += 9;
	}
}

static void test_event_of_a_device(void **state)
{
	static const char json[] = "{\"id\":\"aa:01\",\"alias\":\"hall\"}";
	CLEANUP(json_free_ptr)
	cJSON *device = json_parse(json, strlen(json), NULL);
	const struct device_record whose = { .device = device, .width = { 6 } };
	struct event e = {
		.kind = EVENT_NOTIFICATION,
		.name = (char[]){ "n/x" },
		.text =
			(char[]){
				"{\"params\":[\"one two three four five six seven eight\"]}" }
	};

	(void)state;
	e.len = strlen(e.text);
	start(true);
	s.r.whose = &whose;
	s.r.out_color = true;
	s.r.ops->event(&s.r, &e);
	e.kind = EVENT_ODD;
	e.len = 0;
	e.text = NULL;
	s.r.ops->event(&s.r, &e);
	e.kind = EVENT_AUDIO;
	s.r.ops->event(&s.r, &e);
	hide_times();
#define WHOSE "\033[2m00:00:00.000\033[0m  \033[1mhall\033[0m    "
	shows(WHOSE "\033[1mn/x\033[0m       [\"one two three four five\n"
		    "  six seven eight\"]\n" WHOSE "\033[33mn/x\033[0m\n" WHOSE
		    "\033[2mn/x\033[0m       0 frames, 0 bytes so far\n");
}

/* Beside another command: on stderr, cut where it is a terminal. */
static void test_asides(void **state)
{
	struct event e = { .kind = EVENT_ODD,
			   .name = (char[]){ "odd" },
			   .note = (char[]){ "late, token=hush" } };
	struct event notice = { .kind = EVENT_NOTICE,
				.notice = NOTICE_REFUSED,
				.text = (char[]){ "from 10.0.0.7" },
				.note = (char[]){ "10.0.0.7" } };

	(void)state;
	start(false);
	s.r.about = "hall";
	s.r.ops->aside(&s.r, &e);
	e.kind = EVENT_DEVICE;
	s.r.ops->aside(&s.r, &e);
	e.note = NULL;
	s.r.ops->aside(&s.r, &e);
	/* Who it came from is said once. */
	s.r.ops->aside(&s.r, &notice);
	assert_non_null(strstr(rendered_err(&s), "  hall: late, token=***\n"));
	assert_non_null(strstr(s.err, "  hall: odd  late, token=***\n"));
	assert_non_null(strstr(s.err, "  hall: odd\n"));
	assert_non_null(strstr(s.err, "  hall: from 10.0.0.7\n"));
	rendered_end(&s);
	start(true);
	s.r.width = 30;
	s.r.err_color = true;
	e.note = (char[]){ "one two three four" };
	s.r.ops->aside(&s.r, &e);
	assert_memory_equal(rendered_err(&s), "\033[2m", 4);
	assert_string_equal(s.err + 4 + strlen("12:01:02.123"),
			    "  odd  one two th…\033[0m\n");
	rendered_end(&s);
}

/* ---- what is known of a peer ---- */

static void test_info(void **state)
{
	static const char json[] =
		"{\"features\":{\"mcp\":true,\"aec\":false,\"n\":7}}";
	struct client c = { 0 };
	struct link link;
	struct session_times times = { -1, -1, 3, -1 };
	struct session_peer peer = { .address = (char[]){ "10.0.0.7:5000" },
				     .path = (char[]){ "/v1/" },
				     .tls = (char[]){ "TLS 1.3" },
				     .device_id = (char[]){ "aa:01" },
				     .client_id = (char[]){ "c-1" },
				     .protocol_version = 2,
				     .ota_answer = (char[]){ "ws://h/" },
				     .has_ota = true };
	const struct info_record i = { .target = "t",
				       .client = &c,
				       .link = &link,
				       .peer = &peer,
				       .times = &times,
				       .spoken = "HTTP/2",
				       .another = true };

	(void)state;
	link_init(&link, DIALECT_PLAIN, 1);
	link.has_hello = true;
	link.hellos = 2;
	link.hello.version = 3;
	link.hello.has_features = true;
	strcpy(link.hello.transport, "udp");
	strcpy(link.hello.audio.format, "opus");
	link.hello.audio.sample_rate = 16000;
	link.hello.audio.channels = 1;
	link.hello.audio.frame_duration = 60;
	link.hello.json = json_parse(json, strlen(json), NULL);
	link.audio_frames = 1;
	link.audio_bytes = 1204;
	strcpy(link.session_id, "s-1");
	c.initialize = message_from(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"capabilities\":{},\"serverInfo\":{\"title\":\"T\",\"websiteUrl\":\"http://w/\"}}}");
	c.capabilities = json_object(c.initialize.result, "capabilities");
	c.server_info = json_object(c.initialize.result, "serverInfo");
	c.revision = "2025-06-18";
	c.instructions = "be kind \n\t ";
	c.kwargs = true;
	c.modern = true;
	c.era = (struct era_known){ .era = ERA_MODERN, .how = ERA_BY_OPTION };
	c.initialize_us = 2000;
	headers_add(&peer.headers, "Authorization", "Bearer ***");
	headers_add(&peer.headers, "User-Agent", "agent/1");
	headers_add(&peer.headers, "MCP-RBAC", "admin");
	headers_add(&peer.headers, "MCP-SERVER-NAME-FILTERS", "a/#");
	strcpy(peer.ota.board_name, "bread");
	strcpy(peer.ota.board_type, "compact");
	strcpy(peer.ota.chip, "esp32s3");
	strcpy(peer.ota.idf_version, "5.4");
	strcpy(peer.ota.ssid, "home");
	strcpy(peer.ota.language, "en-US");
	strcpy(peer.ota.serial, "n7");
	strcpy(peer.ota.user_agent, "not shown");
	peer.ota.flash_size = 16 << 20;
	peer.ota.rssi = -48;
	start(false);
	s.r.ops->info(&s.r, &i);
	shows("\n"
	      "target         t\n"
	      "server         (no name)\n"
	      "title          T\n"
	      "website        http://w/\n"
	      "protocol       MCP 2025-06-18\n"
	      "era            modern (as the configuration says)\n"
	      "capabilities   none\n"
	      "sdk            takes arguments in 'kwargs'; it keeps each client that came until it restarts: one long connection (shell, bridge) is kinder than many\n"
	      "instructions   be kind\n"
	      "firmware       IDF 5.4\n"
	      "board          bread, type compact\n"
	      "chip           esp32s3, 16 MB flash\n"
	      "network        Wi-Fi home, -48 dBm\n"
	      "sent to        ws://h/\n"
	      "language       en-US\n"
	      "serial         n7\n"
	      "address        10.0.0.7:5000, path /v1/, TLS 1.3\n"
	      "device id      aa:01\n"
	      "client id      c-1\n"
	      "framing        version 2\n"
	      "authorization  Bearer ***\n"
	      "user agent     agent/1\n"
	      "roles          admin\n"
	      "may be asked   a/#\n"
	      "dialect        plain JSON-RPC\n"
	      "transport      HTTP/2\n"
	      "session        s-1\n"
	      "hello          version 3, transport udp, said 2 times\n"
	      "features       mcp, no aec, n=7\n"
	      "audio          opus, 16000 Hz, 1 channel, 60 ms a frame\n"
	      "audio so far   1 frame, 1,204 bytes\n"
	      "timing         hello after 3 ms, server/discover took 2 ms\n");
	/* Less is known, or it is a board. */
	headers_done(&peer.headers);
	peer = (struct session_peer){ .has_ota = true };
	strcpy(peer.ota.user_agent, "board/2");
	link_done(&link);
	link_init(&link, DIALECT_UNKNOWN, 1);
	link.has_hello = true;
	link.hellos = 1;
	link.hello.audio.channels = 2;
	c.device = true;
	c.modern = c.kwargs = false;
	c.initialize_us = -1;
	c.instructions = "";
	times = (struct session_times){ -1, -1, -1, -1 };
	start(false);
	s.r.ops->info(&s.r, &i);
	shows("\n"
	      "target         t\n"
	      "server         (no name)\n"
	      "title          T\n"
	      "website        http://w/\n"
	      "protocol       MCP 2025-06-18\n"
	      "capabilities   none\n"
	      "user agent     board/2\n"
	      "transport      HTTP/2\n"
	      "hello          version not told\n"
	      "features       none (firmware up to 1.6.2)\n"
	      "audio          2 channels\n");
	link_done(&link);
	message_done(&c.initialize);
}

/* Of many the name comes first; on a terminal what is long is wrapped. */
static void test_info_of_a_device(void **state)
{
	static const char json[] = "{\"id\":\"aa:01\"}";
	CLEANUP(json_free_ptr)
	cJSON *device = json_parse(json, strlen(json), NULL);
	const struct device_record whose = { .device = device };
	const struct info_record i = {
		.target = "one two three four five six seven eight nine ten"
	};

	(void)state;
	start(true);
	s.r.whose = &whose;
	s.r.width = 40;
	s.r.out_color = true;
	s.r.ops->info(&s.r, &i);
	shows("\033[36mdevice\033[0m         aa:01\n"
	      "\033[36mtarget\033[0m         one two three four five\n"
	      "               six seven eight nine ten\n");
}

/* ---- rows ---- */

static void test_neighbours(void **state)
{
	struct neighbour_record n = { .kind = "serve",
				      .name = "lab\x1b",
				      .command = "mcpctl -t lab",
				      .source = "/run/x",
				      .name_width = 9,
				      .command_width = 15 };

	(void)state;
	start(false);
	s.r.ops->neighbour(&s.r, &n);
	n.command = NULL;
	n.problem = "it does not answer";
	s.r.ops->neighbour(&s.r, &n);
	shows("serve    lab\\x1b    mcpctl -t lab    /run/x\n"
	      "serve    lab\\x1b    -                /run/x  it does not answer\n");
	start(false);
	s.r.out_color = true;
	n.change = "gone";
	s.r.ops->neighbour(&s.r, &n);
	n.problem = NULL;
	s.r.ops->neighbour(&s.r, &n);
	hide_times();
#define GONE "\033[2m00:00:00.000\033[0m  gone     \033[2mserve\033[0m    "
	shows(GONE "\033[2mlab\\x1b\033[0m    -                "
		   "\033[2m/run/x\033[0m  "
		   "\033[33mit does not answer\033[0m\n" GONE
		   "\033[1mlab\\x1b\033[0m    -                "
		   "\033[2m/run/x\033[0m\n");
}

static void test_logins(void **state)
{
	struct login_record l = { .server = "https://h/mcp",
				  .issuer = "https://i",
				  .scope = "a b",
				  .state = "logged in",
				  .expires_at = THEN / 1000,
				  .renews = true };

	(void)state;
	start(false);
	s.r.ops->login(&s.r, &l);
	l.renews = false;
	l.scope = NULL;
	s.r.ops->login(&s.r, &l);
	l.renews = true;
	l.expires_at = 0;
	l.issuer = NULL;
	l.state = "over";
	s.r.ops->login(&s.r, &l);
	l.renews = false;
	s.r.out_color = true;
	s.r.ops->login(&s.r, &l);
	shows("https://h/mcp  logged in  https://i  a b  until 2026-08-08 12:01, and renewed then\n"
	      "https://h/mcp  logged in  https://i  until 2026-08-08 12:01\n"
	      "https://h/mcp  over  renewed when over\n"
	      "https://h/mcp  \033[33mover\033[0m\n");
}

static void test_adopted(void **state)
{
	struct adopt_record a = { .portal = "http://p/",
				  .hardware = "",
				  .before = "",
				  .now = "http://o/" };

	(void)state;
	start(false);
	s.r.ops->adopt(&s.r, &a);
	a.at = "2026-08-08";
	a.hardware = "bread";
	a.before = "http://b/";
	s.r.ops->adopt(&s.r, &a);
	shows("portal       http://p/\n"
	      "before       none: the one that the firmware was built with\n"
	      "OTA address  http://o/\n"
	      "at           2026-08-08\n"
	      "portal       http://p/\n"
	      "hardware     bread\n"
	      "before       http://b/\n"
	      "OTA address  http://o/\n");
}

static void test_tasks(void **state)
{
	struct task t = { .id = (char[]){ "t-1" },
			  .status = TASK_WORKING,
			  .word = (char[]){ "working" },
			  .message = (char[]){ "half\x1b" },
			  .created = (char[]){ "c" },
			  .updated = (char[]){ "u" } };
	struct task_record record = { .task = &t, .id_width = 5 };

	(void)state;
	start(false);
	s.r.ops->task(&s.r, &record);
	t.updated = t.message = NULL;
	s.r.ops->task(&s.r, &record);
	t.created = NULL;
	t.status = TASK_FAILED;
	s.r.out_color = true;
	s.r.ops->task(&s.r, &record);
	record.id_only = true;
	s.r.ops->task(&s.r, &record);
	shows("t-1    working         half\\x1b  u\n"
	      "t-1    working         c\n"
	      "t-1    \033[33mworking\033[0m\n"
	      "t-1\n");
}

static void test_upgrades(void **state)
{
	static const char json[] = "{\"id\":\"aa:01\"}";
	CLEANUP(json_free_ptr)
	cJSON *device = json_parse(json, strlen(json), NULL);
	struct upgrade_record u = { .device = device,
				    .before = "2.4.1",
				    .now = "2.4.2",
				    .good = true,
				    .size = 2000,
				    .taken = 1000,
				    .took_ms = 4000 };

	(void)state;
	start(false);
	s.r.ops->upgrade(&s.r, &u);
	u.verdict = "upgraded";
	s.r.ops->upgrade(&s.r, &u);
	u.before = "";
	u.size = 0;
	u.good = false;
	u.words = "it came back\x1b";
	s.r.out_color = true;
	s.r.ops->upgrade(&s.r, &u);
	u.now = "";
	s.r.ops->upgrade(&s.r, &u);
	shows("aa:01  upgraded  2.4.1 -> 2.4.2, 1,000 of 2,000 bytes, 4 s\n"
	      "aa:01  \033[33mupgraded\033[0m  ? -> 2.4.2, 4 s\n"
	      "    it came back\\x1b\n"
	      "aa:01  \033[33mupgraded\033[0m  4 s\n"
	      "    it came back\\x1b\n");
}

/* ---- names that look alike ---- */

static const char *name_at(const void *list, size_t i, bool *shown)
{
	const char *name = ((const char *const *)list)[i];

	*shown = *name != '-';
	return name + !*shown;
}

static void alike(const char *const *names, size_t count, const char *expected)
{
	start(false);
	alike_tell(&s.r, names, count, name_at);
	assert_string_equal(rendered_err(&s), expected);
	rendered_end(&s);
}

static void test_alike(void **state)
{
	static const char *const names[] = {
		"scan",	     "led",	  "sc\u0430n", "scan",	   "sc\u03b1n",
		"\u0455can", "s\u0441an", "\uff53can", "le\u217e", "\u217ced"
	};
	static const char *const hidden[] = { "-a", "-\u0430", "b", "-\uff42" };

	(void)state;
	/* The same twice is no other. */
	alike(names, 2, "");
	alike(names, 4, "'sc\\u0430n' looks like 'scan'\n");
	alike(names, 7,
	      "'sc\\u0430n' looks like 'scan'\n"
	      "'sc\\u03b1n' looks like 'scan'\n"
	      "'\\u0455can' looks like 'scan'\n"
	      "'s\\u0441an' looks like 'scan'\n");
	alike(names, 9,
	      "'sc\\u0430n' looks like 'scan'\n"
	      "'sc\\u03b1n' looks like 'scan'\n"
	      "'\\u0455can' looks like 'scan'\n"
	      "'s\\u0441an' looks like 'scan'\n"
	      "'\\uff53can' looks like 'scan'\n"
	      "1 more name looks like another\n");
	alike(names, 10,
	      "'sc\\u0430n' looks like 'scan'\n"
	      "'sc\\u03b1n' looks like 'scan'\n"
	      "'\\u0455can' looks like 'scan'\n"
	      "'s\\u0441an' looks like 'scan'\n"
	      "'\\uff53can' looks like 'scan'\n"
	      "2 more names look like another\n");
	/* Of two that nobody sees nothing is said. */
	alike(hidden, 4, "'\\uff42' looks like 'b'\n");
	alike(NULL, 0, "");
	start(false);
	s.r.quiet = true;
	alike_tell(&s.r, names, 4, name_at);
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
}

/* ---- --jq in the place of lines ---- */

static void ask(const char *line)
{
	struct buf b = { 0 };

	buf_text(&b, line);
	put_json_line(&s.r, &b, (struct span){ 0 });
	buf_done(&b);
}

static void test_queried(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct query *q;

	(void)state;
	assert_int_equal(query_new(&q, ".a, .b", &err), 0);
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.query = q;
	s.r.query_timeout = 30000;
	ask("{\"a\":\"x\\u001b\",\"b\":[1, \"\u200b\"]}");
	s.r.out_terminal = true;
	ask("{\"a\":\"x\\u001b\\n\",\"b\":[1, \"\u200b\"]}");
	s.r.out_terminal = false;
	assert_int_equal(queried_outcome(&s.r, &err), 0);
	ask("[9007199254740993,9007199254740992]");
	ask("7");
	/* The first failure is told at the end, with how many there were. */
	assert_int_equal(queried_outcome(&s.r, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_int_equal(strncmp(err.text, "--jq: ", 6), 0);
	assert_string_equal(err.hint,
			    "and so for 2 lines in all; that is the first");
	assert_int_equal(queried_outcome(&s.r, &err), 0);
	error_reset(&err);
	ask("7");
	assert_int_equal(queried_outcome(&s.r, &err), -1);
	assert_string_equal(err.hint, "");
	assert_string_equal(rendered_err(&s), "");
	/* Where it goes on, each is told as it comes. */
	s.r.query_at_once = true;
	ask("7");
	assert_int_equal(strncmp(rendered_err(&s), "{\"note\":\"--jq: ", 15),
			 0);
	assert_string_equal(rendered_out(&s), "x\x1b\n[1,\"\u200b\"]\n"
					      "x\\x1b\n\n[1,\"\\u200b\"]\n");
	s.r.query = NULL;
	rendered_end(&s);
	query_free(q);
	assert_int_equal(query_new(&q, ".", &err), 0);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.query = q;
	s.r.query_timeout = 30000;
	ask("[9007199254740993,9007199254740992]");
	ask("[9007199254740993,9007199254740992]");
	assert_string_equal(
		rendered_err(&s),
		"--jq: jq keeps about 17 digits of a number; some here have more, and may be changed\n");
	s.r.query = NULL;
	rendered_end(&s);
	query_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_records_on_a_terminal),
		cmocka_unit_test(test_record_colors),
		cmocka_unit_test(test_listening),
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_other_events),
		cmocka_unit_test(test_event_of_a_device),
		cmocka_unit_test(test_asides),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_info_of_a_device),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_logins),
		cmocka_unit_test(test_adopted),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_upgrades),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_queried),
	};

	return cmocka_run_group_tests_name("render_rows", tests, in_utc, NULL);
}
