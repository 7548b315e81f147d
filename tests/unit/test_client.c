/* SPDX-License-Identifier: MIT */
/*
 * mcp/client over a fake transport that answers by method: initialize in
 * every dialect, listing, calls, ping.
 */
#include "session_harness.h"

#include <signal.h>

#include "mcp/client.h"

/* What the peer does with the next request of that method; one use each. */
struct answer {
	const char *method;
	const char *rest; /* behind the id; NULL: say nothing; "drop": close */
	int64_t delay;
	bool bare, used;
};

static struct answer script[16];
static size_t script_count;
static bool deaf_to_plain;
static struct client client;

static void script_add(const char *method, const char *rest)
{
	script[script_count++] =
		(struct answer){ .method = method, .rest = rest };
}

static struct answer *script_next(const char *method)
{
	for (size_t i = 0; i < script_count; i++) {
		if (!script[i].used && strcmp(script[i].method, method) == 0)
			return &script[i];
	}
	return NULL;
}

static void send_answer(const struct answer *a, int64_t id, bool enveloped)
{
	CLEANUP(mem_free_ptr)
	char *text =
		mem_printf("%s{\"jsonrpc\":\"2.0\",\"id\":%lld,%s}%s",
			   enveloped ? "{\"session_id\":\"S\",\"type\":\"mcp\","
				       "\"payload\":" :
				       "",
			   (long long)id, a->rest, enveloped ? "}" : "");

	if (strcmp(a->rest, "drop") == 0)
		fake_push(FAKE_CLOSED, NULL, a->delay);
	else
		fake_push(FAKE_TEXT, text, a->delay);
}

static void answer(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(text, len, NULL);
	const cJSON *payload = json_object(json, "payload");
	const cJSON *rpc = payload ? payload : json;
	const char *method = json_string(rpc, "method");
	struct answer *a = method ? script_next(method) : NULL;
	int64_t id;

	if (!a || json_integer(rpc, "id", &id) || (deaf_to_plain && !payload))
		return;
	a->used = true;
	if (a->rest)
		send_answer(a, id, payload && !a->bare);
}

static int set_up_client(void **state)
{
	memset(script, 0, sizeof(script));
	script_count = 0;
	deaf_to_plain = false;
	return set_up(state);
}

static int tear_down_client(void **state)
{
	client_done(&client);
	return tear_down(state);
}

#define INITIALIZED                                                        \
	"\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":" \
	"{\"tools\":{}},\"serverInfo\":{\"name\":\"board\",\"version\":"   \
	"\"2.4.2\"}}"

static void open_client(enum dialect dialect)
{
	struct error err = { 0 };

	script_add("initialize", INITIALIZED);
	fake.on_send = answer;
	open_up(dialect);
	if (client_open(&client, session, NULL, &err))
		fail_msg("client_open: %s", err.text);
}

static void assert_sent(const char *part)
{
	for (size_t i = 0; i < fake.sent_count; i++) {
		if (strstr(fake.sent[i], part))
			return;
	}
	fail_msg("'%s' was not sent", part);
}

/* initialize */

static void initialize_device(void **state)
{
	static const struct client_config vision = { "http://h/x", "t\"k" };
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

static struct relay_info kept = { .session_id = "S", .id = "x" };

static void open_kept(const char *initialize)
{
	kept.initialize = initialize;
	kept.initialize_len = strlen(initialize);
	fake.peer.relay = &kept;
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
	static const struct client_config vision = { "http://h/x", NULL };
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

/* listing */

#define PAGE(name, more) \
	"\"result\":{\"tools\":[{\"name\":\"" name "\"}]" more "}"

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

static void upgrade_is_not_known(void **state)
{
	(void)state;
	drops_in_call("self.upgrade_firmware", DIALECT_DEVICE, false);
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

#define CLIENT_TEST(name) \
	cmocka_unit_test_setup_teardown(name, set_up_client, tear_down_client)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLIENT_TEST(initialize_device),
		CLIENT_TEST(initialize_kept),
		CLIENT_TEST(initialize_kept_broken),
		CLIENT_TEST(initialize_kept_vision),
		CLIENT_TEST(initialize_plain),
		CLIENT_TEST(initialize_refused),
		CLIENT_TEST(finds_plain),
		CLIENT_TEST(finds_device_by_hello),
		CLIENT_TEST(finds_device_without_mcp),
		CLIENT_TEST(finds_device_by_silence),
		CLIENT_TEST(finds_slow_plain),
		CLIENT_TEST(finds_nothing),
		CLIENT_TEST(lists_pages),
		CLIENT_TEST(keeps_what_came),
		CLIENT_TEST(calls),
		CLIENT_TEST(reboot_is_good),
		CLIENT_TEST(reboot_of_a_dialled_board),
		CLIENT_TEST(other_calls_are_lost),
		CLIENT_TEST(upgrade_is_not_known),
		CLIENT_TEST(pings),
		CLIENT_TEST(requests),
		CLIENT_TEST(opens_in_steps),
		CLIENT_TEST(opening_is_dropped),
		CLIENT_TEST(cancels),
		CLIENT_TEST(cannot_cancel),
	};

	mem_init();
	return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
