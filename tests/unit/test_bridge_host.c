/* SPDX-License-Identifier: MIT */
/* The bridge as a server, from literal messages: hosts on one side, a peer that is
 * played on the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/bridge_host.h"
#include "cli/app.h"
#include "net/head.h"

#define META                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* One who hears: what came, how often. */
struct ear {
	struct buf said;
	char told[512]; /* the last message before the reply */
	unsigned done, tells;
	int status;
	void (*on_done)(void);
};

static struct app app;
static struct bridge bridge;
static struct bridge_options options;
static struct bridge_peer peer;
static struct bridge_host *host;
static const struct answerer *a;
static void *client;
static struct bridge_call *started;
static unsigned starts, drops;
static struct ear ear;

static int play_start(void *owner, struct bridge_call *c, int64_t timeout,
		      struct error *err)
{
	(void)owner;
	(void)timeout;
	(void)err;
	started = c;
	starts++;
	return 0;
}

static void play_drop(void *owner, struct bridge_call *c)
{
	(void)owner;
	(void)c;
	drops++;
}

static struct {
	char text[256]; /* what came last: id, result or words */
	unsigned answers;
	char beside[256];
} server;

static void play_answer(void *owner, const char *id, const char *result,
			int code, const char *words)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)owner;
	server.answers++;
	if (result)
		buf_printf(&out, "%s %s", id, result);
	else
		buf_printf(&out, "%s %d %s", id, code, words ? words : "-");
	text_copy(server.text, sizeof(server.text), buf_string(&out));
}

static void play_beside(void *owner, const char *method, const char *params)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("%s %s", method, params);

	(void)owner;
	text_copy(server.beside, sizeof(server.beside), text);
}

static const struct peer_kind played = { .start = play_start,
					 .drop = play_drop,
					 .answer = play_answer,
					 .beside = play_beside };

static void give_tools(const char *tools)
{
	struct tool_list list = { 0 };
	struct bridge_list *l;

	assert_int_equal(tool_list_add_text(&list, tools, strlen(tools), NULL),
			 0);
	l = bridge_list_new("list", &list);
	bridge_peer_list(&peer, l);
	bridge_list_release(l);
}

static int set_up(void **state)
{
	(void)state;
	app_init(&app);
	bridge = (struct bridge){ .app = &app,
				  .options = &options,
				  .timeout = 60000,
				  .wait = 60000,
				  .log = -1,
				  .show_at = LOOP_FOREVER };
	peer = (struct bridge_peer){ .kind = &played,
				     .prefix = mem_strdup("kitchen"),
				     .id = mem_strdup("02:01"),
				     .device = true,
				     .state = PEER_READY,
				     .changed = &bridge.changed,
				     .woken = &bridge.woken };
	bridge.peer = mem_zalloc(sizeof(struct bridge_peer *));
	bridge.peer[bridge.count++] = &peer;
	give_tools("{\"name\":\"self.set\",\"description\":\"Sets it.\","
		   "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":"
		   "{\"type\":\"integer\",\"minimum\":0,\"maximum\":9}},"
		   "\"required\":[\"n\"]}},"
		   "{\"name\":\"self.reboot\",\"description\":\"Restarts.\","
		   "\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}");
	bridge.changed = false;
	host = bridge_host_new(&bridge);
	a = bridge_host_answerer(host);
	client = a->client_new(a->owner);
	started = NULL;
	starts = drops = 0;
	memset(&server, 0, sizeof(server));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (client)
		a->client_free(client);
	bridge_host_free(host);
	bridge_peer_done(&peer);
	shown_tools_done(&bridge.shown);
	given_names_done(&bridge.given);
	given_names_done(&bridge.items);
	words_done(&bridge.lines);
	mem_free(bridge.peer);
	buf_done(&ear.said);
	ear = (struct ear){ 0 };
	app_done(&app);
	return 0;
}

/* ---- heard ---- */

static void on_done(void *owner, const char *reply, size_t len)
{
	struct ear *e = owner;

	e->done++;
	buf_reset(&e->said);
	buf_add(&e->said, reply, len);
	if (e->on_done)
		e->on_done();
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	struct ear *e = owner;

	e->tells++;
	text_copy(e->told, sizeof(e->told), text);
	assert_int_equal(strlen(text), len);
	return true;
}

static void on_status(void *owner, int status)
{
	struct ear *e = owner;

	e->status = status;
}

static const struct mcp_hearer hearer = { .done = on_done,
					  .tell = on_tell,
					  .status = on_status };

static void *hear_with(const char *text, const struct headers *headers)
{
	const struct mcp_said said = { text, strlen(text), headers };

	ear.done = 0;
	ear.status = 0;
	buf_reset(&ear.said);
	return a->hear(client, &said, &hearer, &ear);
}

static void *hear(const char *text)
{
	return hear_with(text, NULL);
}

/* Answered at once, with that somewhere in it. */
static void says(const char *text, const char *expected)
{
	assert_null(hear(text));
	assert_int_equal(ear.done, 1);
	if (!strstr(buf_string(&ear.said), expected))
		fail_msg("%s: not '%s' but '%s'", text, expected,
			 buf_string(&ear.said));
}

static void is_silent(const char *text)
{
	assert_null(hear(text));
	assert_int_equal(ear.done, 1);
	assert_int_equal(ear.said.len, 0);
}

static void initialize(const char *revision)
{
	char *text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\",\"clientInfo\":{\"name\":\"n\",\"version\":\"1\"}}}",
		revision);
	char *expected = mem_printf("\"protocolVersion\":\"%s\"", revision);

	says(text, expected);
	assert_string_equal(a->revision(client), revision);
	mem_free(text);
	mem_free(expected);
}

#define CALL(id, n)                                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
	"\"params\":{\"name\":\"set\",\"arguments\":{\"n\":" n "}}}"

/* What the peer says to the call that is with it. */
static void answer(const char *reply)
{
	struct bridge_call *c = TAKE(started);

	assert_int_equal(message_decode(&c->reply, reply, strlen(reply), NULL),
			 0);
	c->end = CALL_ANSWERED;
	bridge_peer_tend(&peer);
}

static const char good[] =
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
	"\"text\",\"text\":\"true\"}],\"isError\":false}}";

/* ---- tests ---- */

static void ids_as_they_came(void **state)
{
	static const char *const ids[] = { "0",	       "-0",
					   "1e2",      "12345678901234567890",
					   "\"\"",     "\"\\u0061\"",
					   "\"a\\/b\"" };

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		char *text = mem_printf(
			" { \"jsonrpc\" : \"2.0\", \"id\" : %s , \"method\":\"ping\"} ",
			ids[i]);
		char *reply = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}",
			ids[i]);

		says(text, reply);
		mem_free(text);
		mem_free(reply);
	}
}

static void a_call_there_and_back(void **state)
{
	void *question;

	(void)state;
	initialize("2025-06-18");
	question = hear(CALL("\"c\"", "3"));
	assert_non_null(question);
	assert_int_equal(ear.done, 0);
	bridge_peer_tend(&peer);
	assert_string_equal(started->params,
			    "{\"name\":\"self.set\",\"arguments\":{\"n\":3}}");
	answer(good);
	assert_int_equal(ear.done, 1);
	assert_non_null(
		strstr(buf_string(&ear.said), "\"id\":\"c\",\"result\""));
	assert_non_null(strstr(buf_string(&ear.said), "\"text\":\"true\""));
}

/* Firmware's errors may have no code; models read results, not errors. */
static void an_error_of_the_peer_is_a_result(void **state)
{
	(void)state;
	initialize("2025-06-18");
	hear(CALL("1", "3"));
	bridge_peer_tend(&peer);
	answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"Too hot\"}}");
	assert_non_null(strstr(buf_string(&ear.said), "\"isError\":true"));
	assert_non_null(strstr(buf_string(&ear.said), "Too hot"));
}

static void arguments_are_checked_first(void **state)
{
	(void)state;
	initialize("2025-06-18");
	says(CALL("1", "10"), "\"code\":-32602");
	assert_non_null(strstr(buf_string(&ear.said), "argument 'n'"));
	initialize("2025-11-25");
	says(CALL("1", "10"), "\"isError\":true");
	assert_non_null(strstr(buf_string(&ear.said), "argument 'n'"));
	assert_int_equal(starts, 0);
}

static void what_is_hidden_is_unknown(void **state)
{
	(void)state;
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"reboot\"}}",
	     "Unknown tool: 'reboot'");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"self.reboot\"}}",
	     "Unknown tool");
	assert_int_equal(starts, 0);
}

static void cancelled_calls_are_not_answered(void **state)
{
	(void)state;
	initialize("2025-06-18");
	assert_non_null(hear(CALL("7", "1")));
	is_silent(
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"7\"}}");
	/* Another type is another id. */
	assert_int_equal(peer.waiting, 1);
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
	/* The notification is over, and so is the call, with nothing to say. */
	assert_int_equal(ear.done, 2);
	assert_int_equal(ear.said.len, 0);
	assert_int_equal(peer.waiting, 0);
}

static void batches_where_they_are(void **state)
{
	(void)state;
	initialize("2025-03-26");
	assert_non_null(hear("[" CALL(
		"1",
		"1") ",{\"jsonrpc\":\"2.0\",\"method\":\"x\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]"));
	bridge_peer_tend(&peer);
	answer(good);
	assert_int_equal(*buf_string(&ear.said), '[');
	assert_non_null(
		strstr(buf_string(&ear.said), "\"id\":2,\"result\":{}"));
	is_silent("[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]");
	initialize("2025-06-18");
	says("[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]",
	     "has no batches");
}

static void abandoned_questions(void **state)
{
	void *question;

	(void)state;
	question = hear(CALL("1", "1"));
	bridge_peer_tend(&peer);
	a->abandon(question);
	answer(good);
	assert_int_equal(ear.done, 0);
	/* A client that goes takes its questions with it. */
	hear(CALL("1", "1"));
	hear(CALL("2", "1"));
	a->client_free(TAKE(client));
	assert_int_equal(peer.waiting, 0);
	assert_int_equal(ear.done, 0);
}

static void free_client(void)
{
	a->client_free(TAKE(client));
}

/* As a port does with one that came for one request. */
static void a_client_may_end_with_its_reply(void **state)
{
	(void)state;
	hear(CALL("1", "1"));
	hear(CALL("2", "1"));
	bridge_peer_tend(&peer);
	ear.on_done = free_client;
	answer(good);
	assert_int_equal(ear.done, 1);
	assert_int_equal(peer.waiting, 0);
	client = a->client_new(a->owner);
	assert_null(hear("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
	assert_null(client);
}

/* ---- 2026-07-28 ---- */

static void modern_metadata(void **state)
{
	(void)state;
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" META
	     "}}",
	     "\"resultType\":\"complete\"");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" META
	     "}}",
	     "\"code\":-32601");
	assert_int_equal(ear.status, 404);
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
	     "\"code\":-32602");
	assert_int_equal(ear.status, 400);
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2030-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
	     "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"2030-01-01\"}");
	assert_null(a->revision(client));
}

static void modern_headers_must_fit(void **state)
{
	static const char list[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
		"}}";
	struct headers h = { 0 };

	(void)state;
	headers_add(&h, "MCP-Protocol-Version", "2026-07-28");
	assert_null(hear_with(list, &h));
	assert_non_null(strstr(buf_string(&ear.said), "-32020"));
	assert_int_equal(ear.status, 400);
	headers_add(&h, "Mcp-Method", "tools/list");
	assert_null(hear_with(list, &h));
	assert_non_null(strstr(buf_string(&ear.said), "\"tools\":["));
	assert_int_equal(ear.status, 0);
	headers_done(&h);
}

static void changes_are_told(void **state)
{
	(void)state;
	initialize("2025-06-18");
	a->reach(client, on_tell, &ear);
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	     "\"set\"");
	bridge.on_change(bridge.owner);
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	assert_int_equal(ear.tells, 1);
}

static void changes_are_told_to_who_listens(void **state)
{
	void *question;

	(void)state;
	question = hear(
		"{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true}," META
		"}}");
	assert_non_null(question);
	assert_non_null(strstr(ear.told, "subscriptions/acknowledged"));
	assert_non_null(strstr(ear.told, "subscriptionId\":\"s\""));
	bridge.on_change(bridge.owner);
	assert_non_null(strstr(ear.told, "tools/list_changed"));
	assert_non_null(strstr(ear.told, "subscriptionId\":\"s\""));
	a->abandon(question);
	bridge.on_change(bridge.owner);
	assert_int_equal(ear.tells, 2);
}

/* ---- what servers ask and tell ---- */

#define ANSWERS(capabilities)                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{" \
	"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{" capabilities   \
	"},\"clientInfo\":{\"name\":\"n\",\"version\":\"1\"}}}"

static const char *peer_asks(const char *id, const char *method,
			     const char *params)
{
	const struct peer_question q = { id,
					 method,
					 { params, strlen(params) } };

	return bridge.hearer.ask(bridge.owner, &peer, &q);
}

static void questions_go_to_the_only_host(void **state)
{
	void *other;

	(void)state;
	assert_null(bridge.hearer.answers(bridge.owner));
	assert_non_null(strstr(peer_asks("7", "roots/list", "{}"), "no host"));
	says(ANSWERS("\"elicitation\":{},\"sampling\":{}"), "2025-11-25");
	assert_true(bridge.hearer.answers(bridge.owner)->sampling);
	assert_true(bridge.hearer.answers(bridge.owner)->elicit_form);
	assert_false(bridge.hearer.answers(bridge.owner)->elicit_url);
	assert_non_null(strstr(peer_asks("7", "sampling/createMessage", "{}"),
			       "no way"));
	a->reach(client, on_tell, &ear);
	assert_non_null(
		strstr(peer_asks("7", "roots/list", "{}"), "does not answer"));
	assert_non_null(strstr(
		peer_asks("7", "elicitation/create", "{\"mode\":\"url\"}"),
		"does not answer"));
	assert_null(peer_asks("\"x\"", "elicitation/create", "{\"a\":1}"));
	assert_non_null(strstr(ear.told, "\"id\":2,"));
	assert_non_null(strstr(
		ear.told,
		"\"method\":\"elicitation/create\",\"params\":{\"a\":1}}"));
	/* An answer to nothing, one of a wrong kind, then the one; once. */
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}");
	bridge_host_tend(host);
	assert_int_equal(server.answers, 0);
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"b\":2}}");
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"b\":3}}");
	bridge_host_tend(host);
	assert_string_equal(server.text, "\"x\" {\"b\":2}");
	assert_int_equal(server.answers, 1);
	other = client;
	client = a->client_new(a->owner);
	says(ANSWERS("\"elicitation\":{}"), "2025-11-25");
	assert_non_null(strstr(peer_asks("8", "elicitation/create", "{}"),
			       "more than one"));
	assert_false(bridge.hearer.answers(bridge.owner)->elicit_form);
	a->client_free(other);
}

static void questions_that_end_otherwise(void **state)
{
	(void)state;
	says(ANSWERS("\"roots\":{}"), "2025-11-25");
	a->reach(client, on_tell, &ear);
	assert_null(peer_asks("1", "roots/list", "{}"));
	is_silent(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-5,\"message\":\"no\"}}");
	bridge_host_tend(host);
	assert_string_equal(server.text, "1 -5 no");
	assert_null(peer_asks("2", "roots/list", "{}"));
	bridge.hearer.withdrawn(bridge.owner, &peer, (struct span){ "2", 1 });
	assert_non_null(strstr(ear.told, "\"requestId\":2,"));
	assert_string_equal(server.text, "2 0 -");
	assert_null(peer_asks("3", "roots/list", "{}"));
	bridge.hearer.withdrawn(bridge.owner, &peer, (struct span){ NULL, 0 });
	assert_non_null(strstr(ear.told, "\"requestId\":3,"));
	assert_int_equal(server.answers, 2);
	assert_null(peer_asks("4", "roots/list", "{}"));
	a->client_free(TAKE(client));
	bridge_host_tend(host);
	assert_string_equal(server.text, "4 -32603 the host went away");
}

#define CAN_META                                                                 \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":"       \
	"{\"url\":{}}}}"
#define CALL_SET(id, more)                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\","       \
	"\"params\":{\"name\":\"set\",\"arguments\":{\"n\":1}," more CAN_META \
	"}}"

static void peer_answers(const char *result)
{
	started->reply.result = json_parse(result, strlen(result), NULL);
	started->reply.kind = MESSAGE_RESULT;
	started->end = CALL_ANSWERED;
	bridge_peer_tend(&peer);
}

static void modern_results_of_modern_servers(void **state)
{
	(void)state;
	peer.offers = OFFERS_PROMPTS;
	assert_non_null(hear(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"," META
		"}}"));
	bridge_peer_tend(&peer);
	peer_answers(
		"{\"resultType\":\"complete\",\"_meta\":{\"a\":1},\"messages\":[]}");
	assert_string_equal(
		buf_string(&ear.said),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"_meta\":{\"a\":1},\"messages\":[]}}");
}

/* The host's call asks; *state: by what it goes on. */
static void call_asks(char state[33])
{
	const char *at;

	assert_non_null(hear(CALL_SET("1", "")));
	bridge_peer_tend(&peer);
	assert_true(started->answers.elicit_url);
	assert_non_null(
		strstr(peer_asks("7", "elicitation/create", "{\"a\":1}"),
		       "does not answer"));
	assert_null(peer_asks(
		"7", "elicitation/create",
		"{\"mode\":\"url\",\"url\":\"https://e/\",\"elicitationId\":\"e\"}"));
	assert_int_equal(ear.done, 0);
	bridge_host_tend(host);
	assert_int_equal(ear.done, 1);
	assert_non_null(strstr(
		buf_string(&ear.said),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"ask-1\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"url\":\"https://e/\"}}},\"requestState\":\""));
	at = strstr(buf_string(&ear.said), "requestState\":\"");
	assert_non_null(at);
	text_copy(state, 33, at + strlen("requestState\":\""));
}

static void modern_rounds(void **state)
{
	char known[33];
	char *again;

	(void)state;
	call_asks(known);
	assert_true(bridge.hearer.answers(bridge.owner)->elicit_url);
	again = mem_printf(
		CALL_SET(
			"\"b\"",
			"\"requestState\":\"%s\",\"inputResponses\":{\"ask-1\":{\"action\": \"accept\"}},"),
		known);
	assert_non_null(hear(again));
	assert_int_equal(server.answers, 0);
	bridge_host_tend(host);
	assert_string_equal(server.text, "7 {\"action\": \"accept\"}");
	says(again, "no call waits");
	ear.done = 0;
	peer_answers("{\"content\":[]}");
	assert_int_equal(ear.done, 1);
	assert_non_null(strstr(buf_string(&ear.said),
			       "\"id\":\"b\",\"result\":{\"content\":[]"));
	mem_free(again);
	bridge_host_tend(host);
}

/* Its result is kept; over HTTP its host comes as another client. */
static void modern_rounds_that_end_meanwhile(void **state)
{
	char known[33];
	char *again;
	void *other;

	(void)state;
	call_asks(known);
	bridge.hearer.withdrawn(bridge.owner, &peer, (struct span){ "7", 1 });
	peer_answers("{\"content\":[]}");
	assert_int_equal(ear.done, 1);
	again = mem_printf(CALL_SET("2", "\"requestState\":\"%s\","), known);
	other = client;
	client = a->client_new(a->owner);
	says(again, "\"id\":2,\"result\":{\"content\":[]");
	mem_free(again);
	a->client_free(other);
	bridge_host_tend(host);
}

static void modern_rounds_given_up(void **state)
{
	char known[33];

	(void)state;
	options.ask_timeout = 1;
	call_asks(known);
	while (!server.answers)
		bridge_host_tend(host);
	options.ask_timeout = 0;
	assert_string_equal(server.text,
			    "7 -32603 the host did not come back in time");
	assert_true(started->abandoned);
	bridge_host_tend(host);
	started->end = CALL_LOST;
	bridge_peer_tend(&peer);
	assert_int_equal(ear.done, 1);
}

static void peer_says(const char *method, const char *params)
{
	cJSON *json = json_parse(params, strlen(params), NULL);

	bridge.hearer.said(bridge.owner, &peer, method, json);
	cJSON_Delete(json);
}

static void logs_from_that_level_on(void **state)
{
	(void)state;
	bridge.servers = 1;
	peer.offers = OFFERS_LOGGING;
	initialize("2025-06-18");
	a->reach(client, on_tell, &ear);
	peer_says("notifications/message",
		  "{\"level\":\"emergency\",\"data\":1}");
	assert_int_equal(ear.tells, 0);
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"error\"}}",
	     "\"result\":{}");
	assert_string_equal(server.beside,
			    "logging/setLevel {\"level\":\"error\"}");
	peer_says("notifications/message",
		  "{\"level\":\"warning\",\"data\":1}");
	peer_says("notifications/message", "{\"level\":\"loud\",\"data\":1}");
	peer_says("notifications/message", "{\"level\":\"alert\"}");
	peer_says("notifications/message", "{\"level\":7,\"data\":1}");
	assert_int_equal(ear.tells, 0);
	peer_says(
		"notifications/message",
		"{\"level\":\"error\",\"logger\":\"db\",\"data\":{\"a\":[1]}}");
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"logger\":\"kitchen/db\",\"data\":{\"a\":[1]}}}");
	bridge.servers = 0;
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"error\"}}",
	     "-32601");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ids_as_they_came, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_call_there_and_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			an_error_of_the_peer_is_a_result, set_up, tear_down),
		cmocka_unit_test_setup_teardown(arguments_are_checked_first,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_hidden_is_unknown,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			cancelled_calls_are_not_answered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(batches_where_they_are, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(abandoned_questions, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_client_may_end_with_its_reply,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(modern_metadata, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(modern_headers_must_fit, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(questions_go_to_the_only_host,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(questions_that_end_otherwise,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			modern_results_of_modern_servers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(modern_rounds, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			modern_rounds_that_end_meanwhile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(modern_rounds_given_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(logs_from_that_level_on, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(changes_are_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(changes_are_told_to_who_listens,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
