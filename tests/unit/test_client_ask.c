/* SPDX-License-Identifier: MIT */
/*
 * What surrounds a request: the guard, tries, a session that the server forgot,
 * cancelling, progress tokens, what is refused before it is sent; and what a
 * server offers.
 */
#include "client_harness.h"
#include "mcp/client_start.h"

#include <signal.h>

#include "mcp/content.h"
#include "mcp/guard.h"
#include "mcp/opening.h"
#include "mcp/tools.h"
#include "net/why.h"
#include "wire/llm.h"

#define GOOD "\"result\":{}"
#define BUSY "\"error\":{\"code\":-32000,\"message\":\"busy\"}"

/* ---- the guard ---- */

static struct {
	unsigned tries_max, tries, admitted, settled;
	int64_t pause;
	bool closed, idempotent;
	int settled_kind; /* -1: good */
	char *asks; /* "method subject" of all admitted */
} guarded;

static int admit(void *owner, const struct guard_ask *ask, struct error *err)
{
	char *before = guarded.asks;

	assert_ptr_equal(owner, &guarded);
	guarded.asks = mem_printf("%s%s:%s ", before ? before : "", ask->method,
				  ask->subject ? ask->subject : "");
	mem_free(before);
	guarded.idempotent = ask->idempotent;
	if (guarded.closed)
		return error_set(err, ERR_CONNECT, "the breaker is open");
	guarded.admitted++;
	return 0;
}

static int64_t again(void *owner, const struct guard_ask *ask, unsigned tries,
		     const struct error *err)
{
	(void)owner;
	assert_non_null(ask->method);
	assert_true(err->kind != ERR_NONE);
	guarded.tries = tries;
	return tries < guarded.tries_max ? guarded.pause : -1;
}

static void settle(void *owner, const struct guard_ask *ask, struct error *err)
{
	(void)owner;
	assert_true(!ask->subject || strlen(ask->subject) < 100);
	guarded.settled++;
	guarded.settled_kind = err ? (int)err->kind : -1;
}

static const struct client_guard guard = {
	.admit = admit, .again = again, .settle = settle, .owner = &guarded
};

static int set_up_guard(void **state)
{
	memset(&guarded, 0, sizeof(guarded));
	guarded.tries_max = 3;
	guarded.pause = 10;
	return set_up_client(state);
}

static int tear_down_guard(void **state)
{
	mem_free(TAKE(guarded.asks));
	return tear_down_client(state);
}

static int request(const char *method, struct error *err)
{
	struct message reply;
	int64_t took;
	int status = client_request(&client, method, NULL, &reply, &took, err);

	message_done(&reply);
	return status;
}

static void guard_tries_again(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("x", BUSY);
	script_add("x", BUSY);
	script_add("x", GOOD);
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	assert_int_equal(request("x", &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
	assert_int_equal(guarded.admitted, 1);
	assert_int_equal(guarded.tries, 2);
	assert_int_equal(guarded.settled, 1);
	assert_int_equal(guarded.settled_kind, -1);
	assert_true(guarded.idempotent);
	/* each has an id of its own */
	assert_sent("\"id\":2,\"method\":\"x\"");
	assert_sent("\"id\":4,\"method\":\"x\"");
	assert_int_equal(seen_count, 0);
}

static void guard_gives_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		script_add("x", BUSY);
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	assert_int_equal(request("x", &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_string_equal(err.text, "error -32000: busy");
	assert_int_equal(guarded.tries, 3);
	assert_int_equal(guarded.settled, 1);
	assert_int_equal(guarded.settled_kind, ERR_PEER);
	assert_int_equal(fake.sent_count, 5);
	error_reset(&err);
}

static void guard_lets_nothing_out(void **state)
{
	struct error err = { 0 };

	(void)state;
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	guarded.closed = true;
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "the breaker is open");
	assert_int_equal(guarded.settled, 0);
	assert_int_equal(fake.sent_count, 2);
	error_reset(&err);
}

/* One connection, one session. */
static void guard_and_the_end(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("x", "drop");
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	assert_int_equal(request("x", &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(guarded.tries, 0);
	assert_int_equal(guarded.settled_kind, ERR_CONNECT);
	error_reset(&err);
}

static void guard_and_a_restart(void **state)
{
	struct result r;
	struct error err = { 0 };

	(void)state;
	script_add("tools/call", "drop");
	open_client(DIALECT_DEVICE);
	client.guard = &guard;
	assert_int_equal(
		client_call_tool(&client, "self.reboot", NULL, &r, &err), 0);
	assert_int_equal(guarded.settled_kind, -1);
	result_done(&r);
}

static void ctrl_c(void *owner)
{
	(void)owner;
	raise(SIGINT);
}

static void interrupted_between_tries(void **state)
{
	struct error err = { 0 };
	static struct timer timer;

	(void)state;
	script_add("x", BUSY);
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	guarded.pause = 60000;
	timer_open(&timer, loop, ctrl_c, NULL);
	timer_start(&timer, 50);
	assert_int_equal(request("x", &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(guarded.tries, 1);
	assert_int_equal(guarded.settled_kind, ERR_INTERRUPTED);
	timer_close(&timer, NULL);
	loop_poll(loop);
	error_reset(&err);
}

/* The connection ends meanwhile: the reason of the last try is told. */
static void lost_between_tries(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("x", BUSY);
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	guarded.pause = 60000;
	fake_push(FAKE_CLOSED, NULL, 100);
	assert_int_equal(request("x", &err), -1);
	assert_int_equal(err.kind, ERR_PEER);
	assert_int_equal(guarded.settled, 1);
	error_reset(&err);
}

#define ASKS_MORE \
	"\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\"}"

/* A server that asks nothing and has no result is left some time: it goes. */
static void lost_between_rounds(void **state)
{
	struct result r;
	struct error err = { 0 };

	(void)state;
	script_add("tools/call", ASKS_MORE);
	script_add("tools/call", ASKS_MORE);
	open_client(DIALECT_PLAIN);
	client.modern = true;
	client.era.revision = "2026-07-28";
	fake_push(FAKE_CLOSED, NULL, 50);
	assert_int_equal(client_call_tool(&client, "t", NULL, &r, &err), -1);
	assert_sent("\"requestState\":\"s\"");
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "connection closed");
	result_done(&r);
	error_reset(&err);
}

#define TOOL(name, more) "{\"name\":\"" name "\"" more "}"

static void call_as(const char *name, bool idempotent)
{
	struct result r;
	struct error err = { 0 };

	script_add("tools/call", GOOD);
	guarded.idempotent = !idempotent;
	assert_int_equal(client_call_tool(&client, name, NULL, &r, &err), 0);
	assert_int_equal(guarded.idempotent, idempotent);
	result_done(&r);
}

static void hints_of_tools(void **state)
{
	struct tool_list list;
	struct result r;
	struct error err = { 0 };

	(void)state;
	script_add(
		"tools/list",
		"\"result\":{\"tools\":[" TOOL("a", ",\"annotations\":{\"idempotentHint\":true}") "," TOOL("b", ",\"annotations\":{\"readOnlyHint\":true}") "," TOOL("c", ",\"annotations\":{\"readOnlyHint\":\"true\"}") "," TOOL(
			"d",
			",\"execution\":{\"taskSupport\":\"required\"}") "," TOOL("e",
										  ",\"execution\":{\"taskSupport\":\"optional\"}") "," TOOL("c",
																	    ",\"annotations\":{\"readOnlyHint\":true}") "]}");
	open_client(DIALECT_PLAIN);
	client.guard = &guard;
	call_as("a", false);
	assert_int_equal(client_list_tools(&client, false, &list, &err), 0);
	tool_list_done(&list);
	call_as("a", true);
	call_as("b", true);
	call_as("c", false);
	call_as("e", false);
	assert_string_equal(guarded.asks,
			    "tools/call:a tools/list: tools/call:a "
			    "tools/call:b tools/call:c tools/call:e ");
	/* tasks are not spoken */
	assert_int_equal(client_call_tool(&client, "d", NULL, &r, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_part(err.text, "'d' can only be called as a task");
	assert_int_equal(guarded.admitted, 6);
	result_done(&r);
	error_reset(&err);
}

/* ---- a session that the server forgot ---- */

static void forget_session(void)
{
	error_set(&fake.failed_why, ERR_CONNECT, "no such session");
	error_code(&fake.failed_why, 404);
	error_reason(&fake.failed_why, WHY_SESSION_FORGOTTEN);
}

#define INITIALIZED_AGAIN                                                  \
	"\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":" \
	"{\"prompts\":{}},\"serverInfo\":{\"name\":\"again\"}}"

static void starts_over(void **state)
{
	static const struct client_config vision = { .vision_url = "u" };
	struct error err = { 0 };

	(void)state;
	script_add("initialize", INITIALIZED);
	script_add("initialize", INITIALIZED_AGAIN);
	script_add("x", "fail");
	script_add("x", GOOD);
	forget_session();
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	assert_int_equal(client_open(&client, session, &vision, &err), 0);
	client.guard = &guard;
	assert_int_equal(request("x", &err), 0);
	assert_int_equal(fake.sent_count, 6);
	assert_part(fake.sent[3], "\"id\":3,\"method\":\"initialize\"");
	assert_part(fake.sent[3], "\"vision\":{\"url\":\"u\"}");
	assert_part(fake.sent[4], "notifications/initialized");
	assert_part(fake.sent[5], "\"id\":4,\"method\":\"x\"");
	assert_string_equal(client.server_name, "again");
	assert_string_equal(fake.negotiated, "2025-06-18");
	assert_true(client_offers(&client, "prompts"));
	assert_ptr_equal(client.guard, &guard);
	/* it was no try of its own */
	assert_int_equal(guarded.tries, 0);
}

static void starts_over_once(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("x", "fail");
	script_add("x", "fail");
	script_add("initialize", INITIALIZED_AGAIN);
	forget_session();
	open_client(DIALECT_PLAIN);
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "no such session");
	assert_int_equal(fake.sent_count, 6);
	/* and if that fails, what there was stays */
	script_add("x", "fail");
	script_add("initialize", "\"error\":{\"message\":\"no\"}");
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text,
			    "the server forgot the session (404), and could "
			    "not be started over: 'initialize' was refused: "
			    "no");
	assert_string_equal(client.server_name, "board");
	assert_non_null(client.config);
	error_reset(&err);
	/* One that has no sessions forgot none. */
	script_add("x", "fail");
	script_add("initialize", "\"error\":{\"message\":\"no\"}");
	error_reason(&fake.failed_why, WHY_SERVER_GONE);
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "no such session");
	error_reset(&err);
}

/* 404 of something that was never initialized is just that. */
static void nothing_to_start_over(void **state)
{
	struct error err = { 0 };

	(void)state;
	forget_session();
	script_add("x", "fail");
	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	client.session = session;
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "no such session");
	assert_int_equal(fake.sent_count, 1);
	error_reset(&err);
}

/* ---- what is sent ---- */

static void assert_params(const char *method, const char *params,
			  const char *sent)
{
	struct message reply;
	struct error err = { 0 };
	int64_t took;

	script_add(method, GOOD);
	assert_int_equal(
		client_request(&client, method, params, &reply, &took, &err),
		0);
	assert_sent(sent);
	message_done(&reply);
}

static void progress_tokens(void **state)
{
	struct result r;
	struct error err = { 0 };

	(void)state;
	script_add("tools/call", GOOD);
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_call_tool(&client, "t", "{\"a\":1}", &r, &err),
			 0);
	assert_sent("\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
		    "\"t\",\"arguments\":{\"a\":1},\"_meta\":{"
		    "\"progressToken\":2}}}");
	result_done(&r);
	assert_params("resources/read", "{\"uri\":\"a:b\"}",
		      "\"params\":{\"uri\":\"a:b\",\"_meta\":{"
		      "\"progressToken\":3}}}");
	assert_params("prompts/get", " { } ",
		      "\"params\":{\"_meta\":{\"progressToken\":4}}}");
	/* what has one, is none, or is somebody's own */
	assert_params("prompts/get", "{\"_meta\":{}}",
		      "\"params\":{\"_meta\":{}}}");
	assert_params("resources/read", "[1]", "\"params\":[1]}");
	assert_params("prompts/get", "\"{}\"", "\"params\":\"{}\"}");
	assert_params("tools/call", "{\"name\":\"u\"}",
		      "\"params\":{\"name\":\"u\"}}");
	assert_params("x/y", "{\"b\":1}", "\"params\":{\"b\":1}}");
}

static void no_tokens_for_devices(void **state)
{
	struct result r;
	struct error err = { 0 };

	(void)state;
	script_add("tools/call", GOOD);
	open_client(DIALECT_DEVICE);
	assert_int_equal(client_call_tool(&client, "t", NULL, &r, &err), 0);
	assert_sent("\"params\":{\"name\":\"t\",\"arguments\":{}}}");
	result_done(&r);
}

/* ---- what is said of a failure ---- */

static void urls_are_listed(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("x", "\"error\":{\"code\":-32042,\"message\":\"first\","
			"\"data\":{\"elicitations\":[{\"mode\":\"url\","
			"\"url\":\"https://h/1\",\"message\":\"log in\"},7,"
			"{\"url\":\"https://h/2\"},{\"url\":3}]}}");
	script_add("x", "\"error\":{\"code\":-32042,\"message\":\"first\","
			"\"data\":{\"elicitations\":{}}}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text,
			    "URL elicitation required (-32042): first");
	assert_string_equal(err.detail, "https://h/1  (log in)\nhttps://h/2");
	assert_part(err.hint, "browser");
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.detail, "{\"elicitations\":{}}");
	assert_string_equal(err.hint, "");
	error_reset(&err);
}

static void names_of_the_llm_service(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("initialize",
		   "\"result\":{\"protocolVersion\":\"2025-11-25\","
		   "\"serverInfo\":{\"name\":\"llm-service\"}}");
	script_add("x", "\"error\":{\"code\":-32000,\"message\":\"m\","
			"\"data\":{\"retry_after\":5}}");
	script_add("x", "\"error\":{\"code\":-32001,\"message\":\"m\"}");
	script_add("x", "\"error\":{\"code\":-32002,\"message\":\"m\"}");
	open_client(DIALECT_PLAIN);
	assert_true(llm_is_service(client.server_name));
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "LLM timeout (-32000): m");
	assert_int_equal(err.retry_after, 5000);
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "LLM unavailable (-32001): m");
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "not found (-32002): m");
	error_reset(&err);
}

static void other_services_have_none(void **state)
{
	struct error err = { 0 };

	(void)state;
	script_add("x", "\"error\":{\"code\":-32001,\"message\":\"m\"}");
	open_client(DIALECT_PLAIN);
	assert_false(llm_is_service(client.server_name));
	assert_int_equal(request("x", &err), -1);
	assert_string_equal(err.text, "error -32001: m");
	error_reset(&err);
}

/* ---- what a server offers ---- */

static void open_offering(const char *revision, const char *capabilities)
{
	char *text = mem_printf("\"result\":{\"protocolVersion\":\"%s\","
				"\"capabilities\":%s,\"serverInfo\":{\"name\":"
				"\"srv\"}}",
				revision, capabilities);

	script_add("initialize", text);
	open_client(DIALECT_PLAIN);
	mem_free(text);
}

static void offers(void **state)
{
	struct error err = { 0 };

	(void)state;
	open_offering("2025-06-18",
		      "{\"tools\":{},\"resources\":{\"subscribe\":true,"
		      "\"listChanged\":false},\"prompts\":null}");
	assert_true(client_offers(&client, "tools"));
	assert_false(client_offers(&client, "prompts"));
	assert_false(client_offers(&client, "completions"));
	assert_int_equal(client_require(&client, "resources", &err), 0);
	assert_int_equal(
		client_require_part(&client, "resources", "subscribe", &err),
		0);
	assert_int_equal(client_require(&client, "logging", &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(err.text, "the server 'srv' offers no logging");
	assert_string_equal(err.hint, "it offers: tools, resources");
	assert_int_equal(
		client_require_part(&client, "resources", "listChanged", &err),
		-1);
	assert_string_equal(
		err.text,
		"the server 'srv' offers resources without 'listChanged'");
	assert_int_equal(
		client_require_part(&client, "prompts", "listChanged", &err),
		-1);
	assert_string_equal(err.text, "the server 'srv' offers no prompts");
	error_reset(&err);
}

/* The first revision has completion without a word for it. */
static void offers_nothing(void **state)
{
	struct error err = { 0 };

	(void)state;
	open_offering("2024-11-05", "{}");
	assert_true(client_offers(&client, "completions"));
	assert_int_equal(client_require(&client, "tools", &err), -1);
	assert_part(err.hint, "nothing at all");
	error_reset(&err);
}

static void offers_what_is_not_known(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_true(client_offers(&client, "prompts"));
	open_client(DIALECT_DEVICE);
	assert_true(client_offers(&client, "prompts"));
	assert_int_equal(
		client_require_part(&client, "resources", "subscribe", &err),
		0);
}

/* ---- the output schema ---- */

static int check_output(const char *tool, const char *result, struct error *err)
{
	struct tool_list list = { 0 };
	struct result r;
	struct message m, page;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"id\":1,\"result\":{\"tools\":[%s]}}", tool);
	int status;

	message_decode(&page, text, strlen(text), NULL);
	assert_int_equal(tool_list_add_take(&list, &page, NULL, NULL), 0);
	message_decode(&m, result, strlen(result), NULL);
	result_decode_take(&r, &m);
	status = client_check_output(&list.tool[0], &r, err);
	result_done(&r);
	tool_list_done(&list);
	return status;
}

#define WITH_SCHEMA                                                    \
	"{\"name\":\"t\",\"outputSchema\":{\"type\":\"object\","       \
	"\"properties\":{\"n\":{\"type\":\"integer\",\"maximum\":9}}," \
	"\"required\":[\"n\"]}}"
#define RESULT(more) "{\"id\":1,\"result\":{\"content\":[]" more "}}"

static void output_fits(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		check_output(WITH_SCHEMA,
			     RESULT(",\"structuredContent\":{\"n\":9}"), &err),
		0);
	assert_int_equal(
		check_output(WITH_SCHEMA, RESULT(",\"isError\":true"), &err),
		0);
	assert_int_equal(check_output("{\"name\":\"t\"}", RESULT(""), &err), 0);
	assert_int_equal(check_output("{\"name\":\"t\",\"outputSchema\":null}",
				      RESULT(""), &err),
			 0);
	assert_int_equal(client_check_output(NULL, &(struct result){ 0 }, &err),
			 0);
}

static void output_does_not_fit(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		check_output(WITH_SCHEMA,
			     RESULT(",\"structuredContent\":{\"n\":10}"), &err),
		-1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text,
			    "structuredContent of 't' does not fit its "
			    "outputSchema: 'n': 10 is above the maximum of 9");
	assert_int_equal(check_output(WITH_SCHEMA,
				      RESULT(",\"structuredContent\":[]"),
				      &err),
			 -1);
	assert_part(err.text, "outputSchema: ");
	assert_int_equal(check_output(WITH_SCHEMA,
				      RESULT(",\"structuredContent\":{}"),
				      &err),
			 -1);
	assert_part(err.text, "'n': ");
	assert_int_equal(check_output(WITH_SCHEMA, RESULT(""), &err), -1);
	assert_part(err.text, "'t' has no structuredContent");
	error_reset(&err);
}

#define ASK_TEST(name) \
	cmocka_unit_test_setup_teardown(name, set_up_guard, tear_down_guard)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASK_TEST(guard_tries_again),
		ASK_TEST(guard_gives_up),
		ASK_TEST(guard_lets_nothing_out),
		ASK_TEST(guard_and_the_end),
		ASK_TEST(guard_and_a_restart),
		ASK_TEST(interrupted_between_tries),
		ASK_TEST(lost_between_tries),
		ASK_TEST(lost_between_rounds),
		ASK_TEST(hints_of_tools),
		ASK_TEST(starts_over),
		ASK_TEST(starts_over_once),
		ASK_TEST(nothing_to_start_over),
		ASK_TEST(progress_tokens),
		ASK_TEST(no_tokens_for_devices),
		ASK_TEST(urls_are_listed),
		ASK_TEST(names_of_the_llm_service),
		ASK_TEST(other_services_have_none),
		ASK_TEST(offers),
		ASK_TEST(offers_nothing),
		ASK_TEST(offers_what_is_not_known),
		ASK_TEST(output_fits),
		ASK_TEST(output_does_not_fit),
	};

	mem_init();
	return cmocka_run_group_tests_name("client ask", tests, NULL, NULL);
}
