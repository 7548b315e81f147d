/* SPDX-License-Identifier: MIT */
/*
 * mcp/client over a fake transport that answers by method: initialize in
 * every dialect, listing, calls, ping. What surrounds a request is in
 * test_client_ask.c.
 */
#include "client_harness.h"

#include <signal.h>

#include "mcp/content.h"
#include "mcp/opening.h"
#include "mcp/tools.h"

/* initialize */

static void initialize_device(void **state)
{
	static const struct client_config vision = {
		.vision_url = "http://h/x",
		.vision_token = "t\"k",
		.answers = { .roots = true, .elicit_form = true },
	};
	struct error err = { 0 };

	(void)state;
	script_add("initialize", INITIALIZED);
	fake.on_send = answer;
	open_up(DIALECT_DEVICE);
	assert_int_equal(client_open(&client, session, &vision, &err), 0);
	assert_part(fake.sent[1],
		    "\"method\":\"initialize\",\"params\":{"
		    "\"protocolVersion\":\"2024-11-05\",\"capabilities\":{"
		    "\"vision\":{\"url\":\"http://h/x\",\"token\":\"t\\\"k\"}}"
		    ",\"clientInfo\":{\"name\":\"mcpctl\",\"version\":\"");
	assert_part(fake.sent[2], "\"method\":\"notifications/initialized\"");
	assert_int_equal(fake.sent_count, 3);
	assert_true(client.device);
	assert_string_equal(client.server_name, "board");
	assert_string_equal(client.server_version, "2.4.2");
	assert_string_equal(client.revision, "2024-11-05");
	assert_non_null(json_object(client.capabilities, "tools"));
	assert_null(client.instructions);
	assert_true(client.initialize_us > 0);
}

static const struct relay_info relay = { .session_id = "S" };
static struct peer_kept kept = { .id = "x", .device = "{}" };

static void open_kept(const char *initialize)
{
	kept.initialize = initialize;
	kept.initialize_len = strlen(initialize);
	fake.peer.relay = &relay;
	fake.peer.kept = &kept;
	fake.on_send = answer;
}

/* A serve did it when the device came. */
static void initialize_kept(void **state)
{
	(void)state;
	open_kept("{\"jsonrpc\":\"2.0\",\"id\":1," INITIALIZED "}");
	open_client(DIALECT_DEVICE);
	assert_int_equal(fake.sent_count, 0);
	assert_string_equal(client.server_name, "board");
	assert_string_equal(client.revision, "2024-11-05");
	assert_true(client.device);
	assert_int_equal(client.initialize_us, -1);
}

static void initialize_kept_broken(void **state)
{
	(void)state;
	open_kept("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}");
	open_client(DIALECT_DEVICE);
	assert_sent("\"method\":\"initialize\"");
	assert_string_equal(client.server_name, "board");
}

/* A vision service of our own is told all the same. */
static void initialize_kept_vision(void **state)
{
	static const struct client_config vision = { .vision_url =
							     "http://h/x" };
	struct error err = { 0 };

	(void)state;
	open_kept("{\"jsonrpc\":\"2.0\",\"id\":1," INITIALIZED "}");
	script_add("initialize", INITIALIZED);
	open_up(DIALECT_DEVICE);
	assert_int_equal(client_open(&client, session, &vision, &err), 0);
	assert_sent("\"vision\":{\"url\":\"http://h/x\"}");
}

static void initialize_plain(void **state)
{
	(void)state;
	open_client(DIALECT_PLAIN);
	assert_false(client.device);
	assert_part(fake.sent[0], "\"capabilities\":{},");
	assert_int_equal(fake.sent[0][0], '{');
	assert_null(strstr(fake.sent[0], "payload"));
}

/* What is answered is declared, and nothing else. */
static void initialize_declares(void **state)
{
	static const struct client_config all = {
		.vision_url = "u",
		.answers = { .roots = true,
			     .sampling = true,
			     .elicit_form = true,
			     .elicit_url = true },
	};
	static const struct client_config some = {
		.answers = { .elicit_form = true },
	};
	struct error err = { 0 };

	(void)state;
	script_add("initialize", INITIALIZED);
	script_add("initialize", INITIALIZED);
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	assert_int_equal(client_open(&client, session, &all, &err), 0);
	assert_part(fake.sent[0],
		    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
		    "\"vision\":{\"url\":\"u\"},\"roots\":{},\"sampling\":"
		    "{},\"elicitation\":{\"form\":{},\"url\":{}}},"
		    "\"clientInfo\"");
	client_done(&client);
	assert_int_equal(client_open(&client, session, &some, &err), 0);
	assert_sent("\"capabilities\":{\"elicitation\":{\"form\":{}}},");
}

#define SAYS(revision)                                      \
	"\"result\":{\"protocolVersion\":\"" revision "\"," \
	"\"capabilities\":{},\"serverInfo\":{\"name\":\"s\"}}"

static void revision_is_told(void **state)
{
	(void)state;
	script_add("initialize", SAYS("2025-06-18"));
	open_client(DIALECT_PLAIN);
	assert_string_equal(fake.negotiated, "2025-06-18");
	assert_string_equal(client.revision, "2025-06-18");
}

/* Which capabilities are for messages that nobody asked for. */
static void speaking_is_told(void **state)
{
	static const struct {
		const char *capabilities;
		bool speaks;
	} rows[] = {
		{ "{}", false },
		{ "{\"tools\":{},\"completions\":{\"x\":1}}", false },
		{ "{\"experimental\":{},\"tools\":{\"listChanged\":false},"
		  "\"resources\":{\"subscribe\":false}}",
		  false },
		{ "{\"logging\":null,\"tools\":true}", false },
		{ "{\"tools\":{},\"logging\":{}}", true },
		{ "{\"prompts\":{\"listChanged\":true}}", true },
		{ "{\"resources\":{\"subscribe\":true}}", true },
		{ "{\"tasks\":{\"list\":{}}}", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *reply = mem_printf(
			"\"result\":{\"protocolVersion\":\"2025-06-18\","
			"\"capabilities\":%s,\"serverInfo\":{}}",
			rows[i].capabilities);

		script_add("initialize", reply);
		if (i == 0)
			open_client(DIALECT_PLAIN);
		else
			assert_int_equal(
				client_open(&client, session, NULL, NULL), 0);
		assert_int_equal(fake.speaks, rows[i].speaks);
		client_done(&client);
		script_drop("initialize");
		mem_free(reply);
	}
}

static void revision_unknown(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("initialize", SAYS("2026-07-28"));
	script_add("initialize", SAYS("1999-01-01"));
	script_add("initialize", "\"result\":{}");
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text,
			    "the server answered 'initialize' with revision "
			    "'2026-07-28', which is not known here "
			    "('2025-11-25' was asked for)");
	assert_part(err.hint, "2025-06-18");
	assert_int_equal(fake.sent_count, 1);
	assert_string_equal(fake.negotiated, "");
	error_reset(&err);
	/* a device may say what it will */
	session_settle(session, DIALECT_DEVICE);
	assert_int_equal(client_open(&client, session, NULL, &err), 0);
	assert_string_equal(client.revision, "1999-01-01");
	assert_string_equal(fake.negotiated, "");
	client_done(&client);
	/* none at all is passed over */
	session_settle(session, DIALECT_PLAIN);
	assert_int_equal(client_open(&client, session, NULL, &err), 0);
	assert_null(client.revision);
	assert_string_equal(fake.negotiated, "");
}

#define SUPPORTED(list)                                                  \
	"\"error\":{\"code\":-32602,\"message\":\"Unsupported protocol " \
	"version\",\"data\":{\"supported\":[" list                       \
	"],\"requested\":\"2025-11-25\"}}"

static void revision_refused(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("initialize",
		   SUPPORTED("5,\"2024-11-05\",\"2025-03-26\",\"2099\""));
	script_add("initialize", SAYS("2025-03-26"));
	open_client(DIALECT_PLAIN);
	assert_part(fake.sent[1], "\"protocolVersion\":\"2025-03-26\"");
	assert_string_equal(fake.negotiated, "2025-03-26");
	client_done(&client);
	/* once only; and not if there is none in common */
	script_drop("initialize");
	script_add("initialize", SUPPORTED("\"2024-11-05\""));
	script_add("initialize", SUPPORTED("\"2025-06-18\""));
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_part(err.text, "'initialize' was refused");
	script_add("initialize", SUPPORTED("\"2099-01-01\""));
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_part(err.text, "'initialize' was refused");
	error_reset(&err);
}

/* Who refuses initialize for a revision that has none is asked the other way. */
static void refused_for_newer(void **state)
{
	CLEANUP(message_done) struct message reply = { 0 };
	struct error err = { 0 };
	int64_t took_us;

	(void)state;
	script_add("initialize", SUPPORTED("\"2026-07-28\""));
	script_add(
		"server/discover",
		"\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}");
	open_client(DIALECT_PLAIN);
	assert_true(client.modern);
	assert_int_equal(client.era.how, ERA_BY_REFUSAL);
	assert_string_equal(client.revision, "2026-07-28");
	script_add("tools/call", "\"result\":{\"resultType\":\"surprise\"}");
	assert_int_equal(client_request(&client, "tools/call",
					"{\"name\":\"x\"}", &reply, &took_us,
					&err),
			 -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_part(
		fake.sent[fake.sent_count - 1],
		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"");
	error_reset(&err);
}

#define NEWER(list)                                               \
	"\"error\":{\"code\":-32022,\"message\":\"unsupported\"," \
	"\"data\":{\"supported\":[" list "]}}"

/* What it names counts, although it has no answer to the other question. */
static void refused_and_no_discovery(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("initialize", NEWER("\"2026-07-28\""));
	script_add("server/discover", "\"result\":7");
	script_add("initialize", NEWER("\"2026-07-28\""));
	open_client(DIALECT_PLAIN);
	assert_true(client.modern);
	assert_int_equal(client.era.how, ERA_BY_REFUSAL);
	assert_string_equal(client.era.revision, "2026-07-28");
	assert_null(client.initialize.text);
	client_done(&client);
	/* No revision that is known: but it was understood. */
	script_drop("initialize");
	script_drop("server/discover");
	script_add("initialize", NEWER("\"2026-07-28\""));
	script_add("server/discover", "\"result\":7");
	script_add("initialize", NEWER("\"2099-01-01\""));
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_part(err.text, "'initialize' was refused");
	assert_part(err.hint, "the server says that it speaks 2099-01-01");
	error_reset(&err);
}

static void initialize_refused(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("initialize",
		   "\"error\":{\"code\":-32600,\"message\":\"go away\"}");
	script_add("initialize", "\"result\":7");
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_string_equal(err.text, "'initialize' was refused: invalid "
				      "request (-32600): go away");
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_part(err.detail, "\"result\":7");
	error_reset(&err);
}

/* the dialect is found out */

static void finds_plain(void **state)
{
	(void)state;
	open_client(DIALECT_UNKNOWN);
	assert_false(client.device);
	assert_int_equal(session_link(session)->dialect, DIALECT_PLAIN);
	assert_int_equal(fake.sent_count, 2);
}

static void greet(void)
{
	fake_push(FAKE_TEXT, HELLO, 50);
}

static void finds_device_by_hello(void **state)
{
	(void)state;
	deaf_to_plain = true;
	fake.on_ready = greet;
	open_client(DIALECT_UNKNOWN);
	assert_true(client.device);
	assert_part(fake.sent[0], "\"id\":1,");
	assert_part(fake.sent[1], "\"type\":\"hello\"");
	assert_part(fake.sent[2], "\"payload\":{\"jsonrpc\":\"2.0\",\"id\":2");
	assert_part(fake.sent[3], "notifications/initialized");
	/* it was the hello, not two seconds of silence */
	assert_true(session_times(session)->hello < 1500);
}

static void greet_without_mcp(void)
{
	fake_push(FAKE_TEXT, "{\"type\":\"hello\"}", 10);
}

static void finds_device_without_mcp(void **state)
{
	struct error err = { 0 };

	(void)state;
	fake.on_ready = greet_without_mcp;
	open_up(DIALECT_UNKNOWN);
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_part(err.text, "offers no MCP");
	error_reset(&err);
}

/* A server on a board that hears only envelopes and answers bare. */
static void finds_device_by_silence(void **state)
{
	(void)state;
	deaf_to_plain = true;
	script_add("initialize", INITIALIZED);
	script[0].bare = true;
	fake.on_send = answer;
	open_client(DIALECT_UNKNOWN);
	assert_true(client.device);
	assert_int_equal(client.initialize.number, 2);
	assert_part(fake.sent[1], "{\"type\":\"mcp\",\"payload\":");
	session_drain(session);
	assert_int_equal(seen_count, 0);
}

/* A plain server that needs longer than the silence that is allowed for. */
static void finds_slow_plain(void **state)
{
	(void)state;
	config.timeout = 5000;
	script_add("initialize", INITIALIZED);
	script[0].delay = 2300;
	script_add("initialize", NULL);
	open_client(DIALECT_UNKNOWN);
	assert_false(client.device);
	assert_int_equal(client.initialize.number, 1);
	assert_int_equal(session_link(session)->dialect, DIALECT_PLAIN);
	assert_null(strstr(fake.sent[2], "payload"));
	assert_null(session->calls);
}

static void finds_nothing(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.timeout = 100;
	open_up(DIALECT_UNKNOWN);
	fake_push(FAKE_CLOSED, NULL, 50);
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_part(err.text, "connection lost during 'initialize'");
	session_free(session);
	fake_reset();
	config.timeout = 2200;
	open_up(DIALECT_UNKNOWN);
	assert_int_equal(client_open(&client, session, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_part(err.text, "asked plain and in the envelope: no reply to "
			      "'initialize'");
	assert_null(session->calls);
	error_reset(&err);
}

/* ---- a board at a broker: it may not be there yet ---- */

static size_t count_sent(const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < fake.sent_count; i++)
		count += strstr(fake.sent[i], part) != NULL;
	return count;
}

#define ASKED "\"method\":\"initialize\""

static int open_standby(int64_t wait, struct error *err)
{
	config.dialect = DIALECT_DEVICE;
	config.wait = wait;
	fake.peer.envelope = fake.peer.standby = true;
	fake.on_send = answer;
	open_with(&fake_ops);
	assert_int_equal(session_wait_up(session, err), 0);
	return client_open(&client, session, NULL, err);
}

static void asks_until_it_comes(void **state)
{
	struct error err = { 0 };

	(void)state;
	/* Longer than one answer is waited for. */
	config.timeout = 50;
	script_add("initialize", NULL);
	script_add("initialize", NULL);
	script_add("initialize", INITIALIZED);
	assert_int_equal(open_standby(4000, &err), 0);
	assert_int_equal(count_sent(ASKED), 3);
	assert_true(client.device);
	/* It says hello later: it may be a new start. */
	script_add("initialize", NULL);
	client_greeted(&client);
	assert_int_equal(count_sent(ASKED), 4);
	client_greeted(&client);
	assert_int_equal(count_sent(ASKED), 5);
}

static void nobody_comes(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.timeout = 60000;
	assert_int_equal(open_standby(600, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "nothing came at all");
	assert_in_range(count_sent(ASKED), 2, 6);
	assert_null(session->calls);
	error_reset(&err);
}

/* It is there, and gets the time that any answer gets; not that of waiting. */
static void comes_and_says_nothing_of_it(void **state)
{
	struct error err = { 0 };

	(void)state;
	config.timeout = 150;
	fake_push(FAKE_TEXT, "{\"type\":\"listen\",\"state\":\"stop\"}", 20);
	assert_int_equal(open_standby(1200, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_part(err.text, "no reply to 'initialize' within 150 ms");
	assert_int_equal(count_sent(ASKED), 2);
	error_reset(&err);
}

/* Who dialled in said hello before it was asked. */
static void greeting_of_others(void **state)
{
	(void)state;
	open_client(DIALECT_DEVICE);
	client_greeted(&client);
	assert_int_equal(count_sent(ASKED), 1);
}

/* listing */

#define PAGE(name, more) \
	"\"result\":{\"tools\":[{\"name\":\"" name "\"}]" more "}"

/* ---- the door of a board (device.md 3.11) ---- */

#define COMMON PAGE("self.get_device_status", "")

/* How many lists a plain server is asked for, with and without the member. */
static void assert_asked(bool backend_view, size_t times, size_t with)
{
	size_t before = count_sent("tools/list");
	size_t before_with = count_sent("withUserTools");
	struct error err = { 0 };
	struct tool_list list;

	assert_int_equal(client_list_tools(&client, backend_view, &list, &err),
			 0);
	assert_int_equal(list.pages, 1);
	assert_int_equal(list.count, 1);
	assert_int_equal(count_sent("tools/list") - before, times);
	assert_int_equal(count_sent("withUserTools") - before_with, with);
	tool_list_done(&list);
}

static void a_board_behind_its_own_door(void **state)
{
	(void)state;
	open_client(DIALECT_PLAIN);
	script_add("tools/list", COMMON);
	script_add("tools/list", PAGE("self.reboot", ""));
	assert_asked(false, 2, 1);
	assert_sent("\"tools/list\",\"params\":{\"withUserTools\":true}");
	/* What a backend sees is not more. */
	script_add("tools/list", COMMON);
	assert_asked(true, 1, 0);
	/* Its words are firmware's, its tools are not. */
	script_add("tools/list", PAGE("echo", ""));
	assert_asked(false, 1, 0);
}

/* A server with a tool of that name, and with words of its own. */
static void no_board_for_a_name(void **state)
{
	static const char *const others[] = {
		"\"result\":{\"protocolVersion\":\"2025-06-18\","
		"\"capabilities\":{\"tools\":{}}}",
		"\"result\":{\"protocolVersion\":\"2024-11-05\","
		"\"capabilities\":{\"tools\":{\"listChanged\":true}}}",
		"\"result\":{\"protocolVersion\":\"2024-11-05\","
		"\"capabilities\":{\"tools\":{},\"logging\":{}}}",
		"\"result\":{}",
	};
	struct error err = { 0 };

	(void)state;
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	for (size_t i = 0; i < COUNT(others); i++) {
		script_add("initialize", others[i]);
		assert_int_equal(client_open(&client, session, NULL, &err), 0);
		script_add("tools/list", COMMON);
		assert_asked(false, 1, 0);
		client_done(&client);
	}
	/* --no-init: nothing was asked. */
	client.session = session;
	script_add("tools/list", COMMON);
	script_add("tools/list", COMMON);
	assert_asked(false, 2, 1);
}

static void lists_pages(void **state)
{
	struct tool_list list;
	struct error err = { 0 };

	(void)state;
	script_add("tools/list", PAGE("a", ",\"nextCursor\":\"b\""));
	script_add("tools/list", PAGE("b", ""));
	open_client(DIALECT_DEVICE);
	assert_int_equal(client_list_tools(&client, false, &list, &err), 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.pages, 2);
	assert_string_equal(list.tool[1].name, "b");
	assert_sent("\"tools/list\",\"params\":{\"withUserTools\":true}");
	assert_sent("\"tools/list\",\"params\":{\"cursor\":\"b\","
		    "\"withUserTools\":true}");
	tool_list_done(&list);
	script_add("tools/list", PAGE("a", ""));
	assert_int_equal(client_list_tools(&client, true, &list, &err), 0);
	assert_sent("\"method\":\"tools/list\"}");
	tool_list_done(&list);
}

static void keeps_what_came(void **state)
{
	struct tool_list list;
	struct error err = { 0 };

	(void)state;
	script_add("tools/list", PAGE("a", ",\"nextCursor\":\"big\""));
	script_add("tools/list",
		   "\"error\":{\"message\":\"Failed to add tool big because of "
		   "payload size limit\"}");
	open_client(DIALECT_DEVICE);
	assert_int_equal(client_list_tools(&client, false, &list, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_part(err.hint, "larger than a page");
	assert_int_equal(list.count, 1);
	tool_list_done(&list);
	script_add("tools/list",
		   "\"error\":{\"message\":\"Failed to add tool  because of "
		   "payload size limit\"}");
	assert_int_equal(client_list_tools(&client, false, &list, &err), -1);
	assert_part(err.hint, "a cursor that it does not know");
	tool_list_done(&list);
	error_reset(&err);
}

static void lists_other_things(void **state)
{
	struct page_list list;
	struct error err = { 0 };

	(void)state;
	script_add("resources/list",
		   "\"result\":{\"resources\":[{\"uri\":\"a:1\"}],"
		   "\"nextCursor\":\"n\"}");
	script_add("resources/list",
		   "\"result\":{\"resources\":[{\"uri\":\"a:2\"}]}");
	script_add("prompts/list", "\"result\":{\"prompts\":[{\"name\":\"p\"}],"
				   "\"nextCursor\":\"n\"}");
	script_add("prompts/list", "\"error\":{\"message\":\"broke\"}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_list(&client, LIST_RESOURCES, &list, &err), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.item[1].key, "a:2");
	assert_sent("\"resources/list\"}");
	assert_sent("\"resources/list\",\"params\":{\"cursor\":\"n\"}");
	page_list_done(&list);
	assert_int_equal(client_list(&client, LIST_PROMPTS, &list, &err), -1);
	assert_string_equal(err.text, "page 2: broke");
	assert_int_equal(list.count, 1);
	assert_int_equal(list.kind, LIST_PROMPTS);
	page_list_done(&list);
	error_reset(&err);
}

/* calls */

static void calls(void **state)
{
	struct result r;
	struct error err = { 0 };

	(void)state;
	script_add("tools/call", "\"result\":{\"content\":[{\"type\":\"text\","
				 "\"text\":\"true\"}],\"isError\":false}");
	script_add("tools/call",
		   "\"result\":{\"content\":[{\"type\":\"image\"},"
		   "{\"type\":\"text\",\"text\":\"no lamp\"}],"
		   "\"isError\":true}");
	script_add("tools/call", "\"error\":{\"message\":\"Unknown tool: x\"}");
	open_client(DIALECT_DEVICE);
	assert_int_equal(
		client_call_tool(&client, "self.\"x\"", "{\"v\":1}", &r, &err),
		0);
	assert_sent("\"params\":{\"name\":\"self.\\\"x\\\"\",\"arguments\":"
		    "{\"v\":1}}");
	assert_int_equal(r.count, 1);
	assert_string_equal(r.content[0].text, "true");
	assert_true(r.took_us > 0);
	result_done(&r);
	assert_int_equal(client_call_tool(&client, "x", NULL, &r, &err), -1);
	assert_sent("{\"name\":\"x\",\"arguments\":{}}");
	assert_int_equal(err.kind, ERR_PEER);
	assert_string_equal(err.text, "no lamp");
	assert_int_equal(r.count, 2);
	result_done(&r);
	assert_int_equal(client_call_tool(&client, "x", NULL, &r, &err), -1);
	assert_string_equal(err.text, "Unknown tool: x");
	assert_int_equal(r.message.kind, MESSAGE_ERROR);
	result_done(&r);
	error_reset(&err);
}

static void drops_in_call(const char *tool, enum dialect dialect, bool good)
{
	struct result r;
	struct error err = { 0 };

	script_add("tools/call", "drop");
	open_client(dialect);
	assert_int_equal(client_call_tool(&client, tool, NULL, &r, &err),
			 good ? 0 : -1);
	assert_int_equal(err.kind, good ? ERR_NONE : ERR_CONNECT);
	assert_int_equal(r.note != NULL, good);
	if (!good)
		assert_part(err.text, tool);
	result_done(&r);
	error_reset(&err);
}

static void reboot_is_good(void **state)
{
	(void)state;
	drops_in_call("self.reboot", DIALECT_DEVICE, true);
}

static void reboot_of_a_dialled_board(void **state)
{
	(void)state;
	drops_in_call("self.reboot", DIALECT_PLAIN, true);
}

static void other_calls_are_lost(void **state)
{
	(void)state;
	drops_in_call("self.x", DIALECT_DEVICE, false);
}

static void upgrade_is_good(void **state)
{
	(void)state;
	drops_in_call("self.upgrade_firmware", DIALECT_DEVICE, true);
}

/* device.md 3.9: it is answered only if it failed. */
static void upgrade_answered(enum dialect dialect, const char *text, bool good,
			     bool noted)
{
	CLEANUP(mem_free_ptr)
	char *reply = mem_printf(
		"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"isError\":false}",
		text);
	struct result r;
	struct error err = { 0 };

	script_add("tools/call", reply);
	open_client(dialect);
	assert_int_equal(client_call_tool(&client, "self.upgrade_firmware",
					  NULL, &r, &err),
			 good ? 0 : -1);
	assert_int_equal(err.kind, good ? ERR_NONE : ERR_PEER);
	if (!good)
		assert_part(err.text, "the upgrade failed");
	assert_int_equal(r.note != NULL, noted);
	result_done(&r);
	error_reset(&err);
}

static void upgrade_that_failed(void **state)
{
	(void)state;
	upgrade_answered(DIALECT_DEVICE, "true", false, false);
}

static void upgrade_of_other_software(void **state)
{
	(void)state;
	upgrade_answered(DIALECT_DEVICE, "installed", true, false);
}

static void upgrade_of_a_dialled_board(void **state)
{
	(void)state;
	upgrade_answered(DIALECT_PLAIN, "true", true, true);
}

static void pings(void **state)
{
	int64_t took = 0;
	bool was_error = false;
	struct error err = { 0 };

	(void)state;
	config.timeout = 100;
	script_add("ping", "\"result\":{}");
	script_add("ping", "\"error\":{\"message\":\"Method not implemented: "
			   "ping\"}");
	script_add("ping", "\"error\":{\"message\":\"a\"b\"}");
	script_add("ping", NULL);
	open_client(DIALECT_DEVICE);
	assert_int_equal(client_ping(&client, &took, &was_error, &err), 0);
	assert_false(was_error);
	assert_true(took > 0);
	assert_int_equal(client_ping(&client, &took, &was_error, &err), 0);
	assert_true(was_error);
	assert_int_equal(client_ping(&client, &took, &was_error, &err), 0);
	assert_true(was_error);
	assert_int_equal(err.kind, ERR_NONE);
	assert_int_equal(client_ping(&client, &took, &was_error, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	error_reset(&err);
}

static void requests(void **state)
{
	struct message reply;
	int64_t took;
	struct error err = { 0 };

	(void)state;
	config.timeout = 100;
	script_add("x/y", "\"result\":[1]");
	script_add("x/y", "\"error\":{\"message\":\"no\"}");
	script_add("tools/call", NULL);
	open_client(DIALECT_DEVICE);
	assert_int_equal(
		client_request(&client, "x/y", "{}", &reply, &took, &err), 0);
	assert_int_equal(reply.kind, MESSAGE_RESULT);
	message_done(&reply);
	assert_int_equal(
		client_request(&client, "x/y", NULL, &reply, &took, &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_int_equal(reply.kind, MESSAGE_ERROR);
	message_done(&reply);
	assert_int_equal(client_request(&client, "tools/call",
					"{\"name\":\"self.reboot\"}", &reply,
					&took, &err),
			 -1);
	assert_part(err.text, "no reply to 'tools/call self.reboot'");
	assert_part(err.hint, "never answers 'self.reboot'");
	message_done(&reply);
	error_reset(&err);
}

/* Only firmware drops what it does not like; another peer may be late. */
static void is_silent(enum dialect dialect, bool said)
{
	static const char *const dropped[][2] = {
		{ "notifications/x", "{}" },
		{ "x/y", " [1]" },
	};
	struct message reply;
	int64_t took;

	config.timeout = 100;
	open_client(dialect);
	for (size_t i = 0; i < COUNT(dropped); i++) {
		struct error err = { 0 };

		script_add(dropped[i][0], NULL);
		assert_int_equal(client_request(&client, dropped[i][0],
						dropped[i][1], &reply, &took,
						&err),
				 -1);
		assert_int_equal(err.kind, ERR_TIMEOUT);
		assert_int_equal(strstr(err.hint, "firmware never answers") !=
					 NULL,
				 said);
		message_done(&reply);
		error_reset(&err);
	}
}

static void silent_device(void **state)
{
	(void)state;
	is_silent(DIALECT_DEVICE, true);
}

static void silent_server(void **state)
{
	(void)state;
	is_silent(DIALECT_PLAIN, false);
}

/* in steps */

static void opens_in_steps(void **state)
{
	struct error err = { 0 };
	int status;

	(void)state;
	script_add("initialize", INITIALIZED);
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	assert_int_equal(client_begin(&client, session, NULL, &err), 0);
	assert_int_equal(client_poll(&client, &err), 0);
	assert_true(client_poll_at(&client) == LOOP_FOREVER);
	while ((status = client_poll(&client, &err)) == 0)
		session_step(session, NULL, loop_now() + 5000, &err);
	assert_int_equal(status, 1);
	assert_string_equal(client.server_name, "board");
	assert_int_equal(client_poll(&client, &err), 1);
}

/* Given up on the way: nothing is left in flight. */
static void opening_is_dropped(void **state)
{
	struct error err = { 0 };

	(void)state;
	open_up(DIALECT_UNKNOWN);
	assert_int_equal(client_begin(&client, session, NULL, &err), 0);
	assert_true(client_poll_at(&client) <= loop_now() + 2000);
	assert_int_equal(client_poll(&client, &err), 0);
	client_done(&client);
	assert_null(session->calls);
}

/* Ctrl-C */

static void interrupt(const char *text, size_t len)
{
	(void)len;
	if (strstr(text, "tools/call"))
		raise(SIGINT);
	else
		answer(text, len);
}

static void call_interrupted(enum dialect dialect, struct error *err)
{
	struct result r;

	open_client(dialect);
	fake.on_send = interrupt;
	assert_int_equal(client_call_tool(&client, "a.b", "{}", &r, err), -1);
	assert_int_equal(err->kind, ERR_INTERRUPTED);
	assert_null(session->calls);
	result_done(&r);
}

static void cancels(void **state)
{
	struct error err = { 0 };

	(void)state;
	call_interrupted(DIALECT_PLAIN, &err);
	assert_part(err.hint, "was told");
	assert_part(fake.sent[3], "\"method\":\"notifications/cancelled\","
				  "\"params\":{\"requestId\":2,\"reason\":");
	error_reset(&err);
}

static void cannot_cancel(void **state)
{
	struct error err = { 0 };

	(void)state;
	call_interrupted(DIALECT_DEVICE, &err);
	assert_part(err.hint, "may still be working on 'a.b'");
	assert_null(strstr(fake.sent[fake.sent_count - 1], "cancelled"));
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLIENT_TEST(initialize_device),
		CLIENT_TEST(initialize_kept),
		CLIENT_TEST(initialize_kept_broken),
		CLIENT_TEST(initialize_kept_vision),
		CLIENT_TEST(initialize_plain),
		CLIENT_TEST(initialize_declares),
		CLIENT_TEST(revision_is_told),
		CLIENT_TEST(speaking_is_told),
		TEST(speaking_is_told),
		CLIENT_TEST(revision_unknown),
		CLIENT_TEST(revision_refused),
		CLIENT_TEST(refused_for_newer),
		CLIENT_TEST(refused_and_no_discovery),
		CLIENT_TEST(initialize_refused),
		CLIENT_TEST(finds_plain),
		CLIENT_TEST(finds_device_by_hello),
		CLIENT_TEST(finds_device_without_mcp),
		CLIENT_TEST(finds_device_by_silence),
		CLIENT_TEST(finds_slow_plain),
		CLIENT_TEST(finds_nothing),
		CLIENT_TEST(a_board_behind_its_own_door),
		CLIENT_TEST(no_board_for_a_name),
		CLIENT_TEST(asks_until_it_comes),
		CLIENT_TEST(nobody_comes),
		CLIENT_TEST(comes_and_says_nothing_of_it),
		CLIENT_TEST(greeting_of_others),
		CLIENT_TEST(lists_pages),
		CLIENT_TEST(keeps_what_came),
		CLIENT_TEST(lists_other_things),
		CLIENT_TEST(calls),
		CLIENT_TEST(reboot_is_good),
		CLIENT_TEST(reboot_of_a_dialled_board),
		CLIENT_TEST(other_calls_are_lost),
		CLIENT_TEST(upgrade_is_good),
		CLIENT_TEST(upgrade_that_failed),
		CLIENT_TEST(upgrade_of_other_software),
		CLIENT_TEST(upgrade_of_a_dialled_board),
		CLIENT_TEST(pings),
		CLIENT_TEST(requests),
		CLIENT_TEST(silent_device),
		CLIENT_TEST(silent_server),
		CLIENT_TEST(opens_in_steps),
		CLIENT_TEST(opening_is_dropped),
		CLIENT_TEST(cancels),
		CLIENT_TEST(cannot_cancel),
	};

	mem_init();
	return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
