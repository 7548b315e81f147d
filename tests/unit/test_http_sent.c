/* SPDX-License-Identifier: MIT */
/*
 * HTTP: what is sent with a message and how often, and which answers count as
 * one: at the borders.
 */
#include "base/module.h"
#include "http_server.h"
#include "net/head.h"
#include "net/http.h"
#include "transport_owner.h"

#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}"
#define REPLY(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"

static const struct http_table *http;
static struct web web;
static struct seen seen;

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	http = module_table("http", HTTP_TABLE, &err);
	if (!http)
		fail_msg("%s", err.text);
	seen = (struct seen){ 0 };
	assert_int_equal(loop_new(&seen.loop, &err), 0);
	seen.t = (struct transport){ .loop = seen.loop,
				     .events = &seen_events,
				     .owner = &seen };
	web_open(&web, seen.loop);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (seen.t.impl)
		seen_close(&seen);
	web_close(&web);
	seen_reset(&seen);
	loop_free(seen.loop);
	return 0;
}

static void begin(void (*answer)(struct web_client *c, const char *request))
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("http://127.0.0.1:%u/mcp", (unsigned)web.port);

	web.answer = answer;
	seen_target(&seen, text);
	seen_open(&seen, &http->dial);
}

static void end(void)
{
	seen_close(&seen);
	seen_reset(&seen);
}

static const char *message(size_t index)
{
	return seen_next(&seen, &seen.messages, index);
}

static const char *failure(size_t index)
{
	return seen_next(&seen, &seen.failures, index);
}

/* What is answered to the message that is no initialize. */
static struct {
	int status;
	const char *head, *body;
} told;

static void answer_told(struct web_client *c, const char *rq)
{
	if (strstr(rq, "\"initialize\""))
		web_reply(c, 200, told.head, "application/json", REPLY(1));
	else if (text_starts(rq, "POST"))
		web_reply(c, told.status, "", "application/json", told.body);
	else
		web_reply(c, 200, "", "", "");
}

static void tell(int status, const char *head, const char *body)
{
	told.status = status;
	told.head = head;
	told.body = body;
}

/* ---- sessions ---- */

#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"
#define ODD                                                                   \
	"0: the session id of '127.0.0.1' cannot be sent back: it is not of " \
	"visible ASCII, or above 1024 bytes"

/* Sent back as it came, or not at all; then it is told why. */
static void session_is(const char *id, bool taken)
{
	CLEANUP(mem_free_ptr)
	char *head = mem_printf("Mcp-Session-Id: %s\r\n", id);

	tell(200, head, REPLY(2));
	begin(answer_told);
	seen_send(&seen, INITIALIZE);
	message(0);
	assert_int_equal(http->has_session(&seen.t), taken);
	assert_int_equal(seen.failures.count, !taken);
	if (!taken)
		assert_string_equal(failure(0), ODD);
	seen_send(&seen, LIST);
	message(1);
	web_has(web.requests.word[web.requests.count - 1], "Mcp-Session-Id",
		taken ? id : "");
	end();
}

static void test_sessions(void **state)
{
	char id[1026];

	(void)state;
	session_is("!", true);
	session_is("~", true);
	session_is("a\x7f", false);
	session_is("a\xc3\xa9", false);
	session_is("a b", false);
	memset(id, 'i', sizeof(id) - 1);
	id[1025] = '\0';
	session_is(id, false);
	id[1024] = '\0';
	session_is(id, true);
}

/* ---- how often ---- */

static void answer_at_second(struct web_client *c, const char *rq)
{
	if (strstr(rq, "\"initialize\""))
		web_json(c, REPLY(1));
	else if (web.step++ == 0)
		web_hang_up(c);
	else if (strstr(rq, "\"id\""))
		web_json(c, REPLY(2));
	else
		web_reply(c, 202, "", "", "");
}

/*
 * Its kept connection ends without an answer: it is sent again where it only
 * reads, or may be said twice.
 */
static void is_sent(const char *id, const char *method, bool again)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",%s\"method\":\"%s\"}", id,
				method);

	web.step = 0;
	begin(answer_at_second);
	seen_send(&seen, INITIALIZE);
	message(0);
	seen_send(&seen, text);
	if (!again)
		failure(0);
	else if (*id)
		assert_string_equal(message(1), REPLY(2));
	while (web.step < 1u + again)
		loop_poll(seen.loop);
	assert_int_equal(seen.failures.count, !again);
	assert_int_equal(web.step, 1 + again);
	end();
}

static void test_once_or_again(void **state)
{
	static const char *const reads[] = {
		"ping",		  "server/discover",
		"tools/list",	  "resources/templates/list",
		"resources/read", "prompts/get",
		"tasks/get"
	};
	static const char *const acts[] = {
		"tools/call", "resources/subscribe", "tasks/cancel",
		"pings",      "tools/lists",	     "get"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(reads); i++)
		is_sent("\"id\":2,", reads[i], true);
	for (size_t i = 0; i < COUNT(acts); i++)
		is_sent("\"id\":2,", acts[i], false);
	is_sent("", "notifications/x", true);
	is_sent("", "other/x", false);
}

static void answer_elsewhere(struct web_client *c, const char *rq)
{
	if (text_starts(rq, "POST") && ++web.step <= 3)
		web_reply(c, 307, "Location: /b\r\n", "", "");
	else if (text_starts(rq, "POST /b"))
		web_reply(c, told.status, "Location: /c\r\n",
			  "application/json", told.body);
	else
		web_reply(c, 200, "", "", "");
}

/* Three of them are followed. */
static void test_sent_elsewhere(void **state)
{
	(void)state;
	tell(200, "", REPLY(1));
	begin(answer_elsewhere);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(message(0), REPLY(1));
	assert_int_equal(web.step, 4);
	end();
	web.step = 0;
	tell(307, "", "");
	begin(answer_elsewhere);
	seen_send(&seen, INITIALIZE);
	assert_memory_equal(failure(0), "1: ", 3);
	assert_int_equal(web.step, 4);
	end();
}

/* ---- what counts as an answer ---- */

static void answered(int status, const char *body, bool counts)
{
	size_t messages = seen.messages.count, failures = seen.failures.count;

	tell(status, "", body);
	seen_send(&seen, LIST);
	if (counts)
		assert_string_equal(message(messages), body);
	else
		assert_memory_equal(failure(failures), "2: ", 3);
	assert_int_equal(seen.messages.count, messages + counts);
	assert_int_equal(seen.failures.count, failures + !counts);
}

/* A gateway, or who judges tokens, speaks for itself. */
static void test_errors_of_servers(void **state)
{
	static const int servers[] = { 400, 402, 404, 405, 422,
				       428, 430, 500, 501, 505 },
			 others[] = { 401, 403, 429, 502, 503, 504 };
	static const char error[] =
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"m\"}}";

	(void)state;
	begin(answer_told);
	for (size_t i = 0; i < COUNT(servers); i++)
		answered(servers[i], error, true);
	for (size_t i = 0; i < COUNT(others); i++)
		answered(others[i], error, false);
}

static void test_ids_of_others(void **state)
{
	static const char *const bodies[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":\"23\",\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":22,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":2}",
		"{\"jsonrpc\":\"2.0\",\"result\":{}}",
		"[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}]",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}",
	};

	(void)state;
	begin(answer_told);
	for (size_t i = 0; i < COUNT(bodies); i++)
		answered(200, bodies[i], false);
	answered(200, "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}", true);
	answered(
		200,
		"[{\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{}}]",
		true);
}

/* ---- large ones ---- */

static void refused_at(size_t len, const char *hint)
{
	size_t failures = seen.failures.count;
	char *text = mem_zalloc(len + 1);

	memset(text, ' ', len);
	memcpy(text, LIST, strlen(LIST));
	seen_send(&seen, text);
	failure(failures);
	assert_string_equal(seen.last.hint, hint);
	mem_free(text);
}

static void test_too_large(void **state)
{
	CLEANUP(mem_free_ptr) char *usual = NULL;

	(void)state;
	begin(answer_told);
	tell(400, "", "what?");
	refused_at(65536,
		   "the request has 65536 bytes: boards with Espressif's "
		   "mcp-c-sdk take none above 65535");
	seen_send(&seen, LIST);
	failure(1);
	usual = mem_strdup(seen.last.hint);
	assert_null(strstr(usual, "bytes"));
	refused_at(65535, usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_sessions),	   TEST(test_once_or_again),
		TEST(test_sent_elsewhere), TEST(test_errors_of_servers),
		TEST(test_ids_of_others),  TEST(test_too_large),
	};

	mem_init();
	return cmocka_run_group_tests_name("http sent", tests, NULL, NULL);
}
