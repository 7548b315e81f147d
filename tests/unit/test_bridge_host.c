/* SPDX-License-Identifier: MIT */
/* The bridge as a server, from literal messages: hosts on one side, a peer that is
 * played on the other. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/bridge_host.h"
#include "bridge/host_reply.h"
#include "bridge/host_state.h"
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
	const void *whose; /* owner of the peer that got it */
	unsigned answers;
	char beside[256];
} server;

static void play_answer(void *owner, const char *id, const char *result,
			int code, const char *words)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	server.whose = owner;
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
	options = (struct bridge_options){ 0 };
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

/* What it does not answer it is asked again, under the same key; each time anew. */
static void modern_rounds_answered_in_part(void **state)
{
	char known[33], next[33];
	CLEANUP(mem_free_ptr) char *again = NULL;
	const char *at;

	(void)state;
	call_asks(known);
	again = mem_printf(
		CALL_SET(
			"2",
			"\"requestState\":\"%s\",\"inputResponses\":{\"ask-9\":{}},"),
		known);
	assert_non_null(hear(again));
	bridge_host_tend(host);
	assert_int_equal(server.answers, 0);
	assert_int_equal(ear.done, 1);
	assert_non_null(strstr(
		buf_string(&ear.said),
		"\"id\":2,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"ask-1\":{\"method\":\"elicitation/create\","));
	at = strstr(buf_string(&ear.said), "requestState\":\"");
	assert_non_null(at);
	text_copy(next, sizeof(next), at + strlen("requestState\":\""));
	assert_string_not_equal(next, known);
	mem_free(again);
	again = mem_printf(
		CALL_SET(
			"3",
			"\"requestState\":\"%s\",\"inputResponses\":{\"ask-1\":7},"),
		next);
	assert_non_null(hear(again));
	bridge_host_tend(host);
	assert_string_equal(server.text,
			    "7 -32603 the host's answer is no object");
	ear.done = 0;
	peer_answers("{\"content\":[]}");
	assert_int_equal(ear.done, 1);
	bridge_host_tend(host);
}

/* By another call, or by who shows another token, none is gone on with. */
static void modern_rounds_of_others(void **state)
{
	char known[33];
	CLEANUP(mem_free_ptr) char *again = NULL;
	CLEANUP(mem_free_ptr) char *other = NULL;
	struct headers h = { 0 };

	(void)state;
	call_asks(known);
	other = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"set\",\"arguments\":{\"n\":2},\"requestState\":\"%s\"," CAN_META
		"}}",
		known);
	says(other, "-32602,\"message\":\"Invalid params: no call waits");
	again = mem_printf(CALL_SET("2", "\"requestState\":\"%s\","), known);
	headers_add(&h, "MCP-Protocol-Version", "2026-07-28");
	headers_add(&h, "Mcp-Method", "tools/call");
	headers_add(&h, "Mcp-Name", "set");
	headers_add(&h, "Authorization", "Bearer other");
	assert_null(hear_with(again, &h));
	assert_non_null(strstr(buf_string(&ear.said), "no call waits"));
	headers_done(&h);
	/* Answers without a state are of no call. */
	says(CALL_SET("3", "\"inputResponses\":{\"ask-1\":{}},"),
	     "no call waits");
	assert_int_equal(server.answers, 0);
	assert_non_null(hear(again));
	peer_answers("{\"content\":[]}");
	bridge_host_tend(host);
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

/* ---- the log ---- */

/* The line that came last is "TIME" and this; of a time that it took, %. */
static void logged(const char *expected)
{
	const char *line, *at = expected;

	assert_true(bridge.lines.count > 0);
	line = bridge.lines.word[bridge.lines.count - 1];
	line = strchr(line, ' ');
	assert_non_null(line);
	for (line++; *at && *line; at++) {
		if (*at != '%' && *at != *line)
			break;
		line += *at == '%' ? strcspn(line, " ") : 1;
		if (*at == '%') /* "1.2 ms" */
			line += strcspn(line + 1, " ") + 1;
	}
	if (*at || *line)
		fail_msg("not '%s' but '%s'", expected,
			 bridge.lines.word[bridge.lines.count - 1]);
}

static void each_call_is_logged(void **state)
{
	void *question;

	(void)state;
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}",
	     "\"code\":-32602");
	logged("unknown - nope {} % failed: unknown tool");
	initialize("2025-06-18");
	hear(CALL("1", "3"));
	bridge_peer_tend(&peer);
	answer(good);
	logged("n/1 kitchen self.set {\"n\":3} % ok");
	hear(CALL("1", "3"));
	bridge_peer_tend(&peer);
	answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}");
	assert_non_null(strstr(buf_string(&ear.said),
			       "the board told an error without words"));
	logged("n/1 kitchen self.set {\"n\":3} % failed: the board told an error without words");
	hear(CALL("1", "3"));
	bridge_peer_tend(&peer);
	answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"isError\":true}}");
	logged("n/1 kitchen self.set {\"n\":3} % failed: the tool says so");
	question = hear(CALL("1", "3"));
	a->abandon(question);
	logged("n/1 kitchen self.set {\"n\":3} % failed: the host gave it up");
	says(CALL("1", "10"), "argument 'n'");
	assert_non_null(strstr(bridge.lines.word[bridge.lines.count - 1],
			       " failed: argument 'n': "));
	hear(CALL("1", "1"));
	bridge_peer_tend(&peer);
	error_set(&started->why, ERR_CONNECT, "its power went");
	TAKE(started)->end = CALL_LOST;
	bridge_peer_tend(&peer);
	assert_non_null(strstr(buf_string(&ear.said),
			       "kitchen went away in the midst of the call"));
	assert_non_null(strstr(buf_string(&ear.said), "\"isError\":true"));
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"devices\"}}",
	     "\"isError\":false");
	logged("n/1 - devices {} % ok");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"refresh\",\"arguments\":{\"device\":\"x\"}}}",
	     "\"isError\":true");
	logged("n/1 - refresh {\"device\":\"x\"} % failed: no board is called 'x': the tool 'devices' lists them");
}

/* Why a call failed may repeat what was to be hidden. */
static void a_secret_that_is_refused(void **state)
{
	(void)state;
	give_tools("{\"name\":\"join\",\"inputSchema\":{\"type\":\"object\","
		   "\"properties\":{\"wifi\":{\"type\":\"object\","
		   "\"properties\":{\"password\":{\"type\":\"string\","
		   "\"minLength\":8}}}}}}");
	initialize("2025-11-25");
#define JOIN(wifi)                                                             \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" \
	"\"name\":\"join\",\"arguments\":{\"wifi\":" wifi "}}}"
	says(JOIN("{\"password\":\"geheim\"}"),
	     "argument 'wifi.password': *** is shorter than 8 characters");
	logged("n/1 kitchen join {\"wifi\":{\"password\":\"***\"}} % failed: argument 'wifi.password': *** is shorter than 8 characters");
	hear(JOIN("{\"password\":\"geheimgeheim\"}"));
	bridge_peer_tend(&peer);
	answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no net at ?password=geheim\"}}");
	logged("n/1 kitchen join {\"wifi\":{\"password\":\"***\"}} % failed: no net at ?password=***");
}

static void a_line_of_the_log(void **state)
{
	char arguments[1000], host_name[200];
	struct bridge_deed d = { .host = host_name,
				 .arguments = arguments,
				 .took_us = 12000,
				 .ok = true,
				 .why = "not told" };
	const char *line;

	(void)state;
	memset(host_name, 'h', sizeof(host_name));
	host_name[199] = '\0';
	memset(arguments, 'a', sizeof(arguments));
	arguments[999] = '\0';
	bridge_log(&bridge, &d);
	line = strchr(bridge.lines.word[0], ' ') + 1;
	assert_true(strspn(line, "h") <= 80);
	assert_true(strspn(line, "h") >= 77);
	line = strchr(line, ' ');
	assert_true(text_starts(line, " - - aaaaaaa"));
	assert_true(strspn(line + 5, "a") <= 400);
	assert_true(strspn(line + 5, "a") >= 397);
	assert_non_null(strstr(line, " 12 ms ok"));
	assert_null(strstr(line, "not told"));
	/* What is secret, or no text for a terminal, does not stand there. */
	d = (struct bridge_deed){ .host = "a\nb",
				  .peer = "p",
				  .tool = "t",
				  .arguments = "{\"password\":\"hush\"}" };
	bridge_log(&bridge, &d);
	line = bridge.lines.word[1];
	assert_null(strstr(line, "hush"));
	assert_null(strchr(line, '\n'));
	assert_non_null(strstr(line, " p t {\"password\":\""));
	assert_non_null(strstr(line, " failed"));
	assert_null(strstr(line, "failed:"));
}

static void the_log_in_a_file(void **state)
{
	char path[] = "/tmp/mcpctl-log-XXXXXX", text[256];
	const struct bridge_deed d = { .host = "h", .tool = "t", .ok = true };
	struct bridge part;
	ssize_t got;

	(void)state;
	bridge.log = mkstemp(path);
	assert_true(bridge.log >= 0);
	bridge_part_open(&part, &bridge, &peer);
	bridge_log(&part, &d);
	bridge_close(&part);
	assert_int_equal(bridge.lines.count, 0);
	got = pread(bridge.log, text, sizeof(text) - 1, 0);
	assert_true(got > 0);
	text[got] = '\0';
	assert_int_equal(text[got - 1], '\n');
	/* 2026-08-08T12:00:00.000Z */
	assert_int_equal(strcspn(text, " "), 24);
	assert_int_equal(text[23], 'Z');
	assert_true(text_starts(text + 24, " h - t {} "));
	close(bridge.log);
	bridge.log = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	bridge_log(&bridge, &d);
	assert_int_equal(bridge.log, -1);
	assert_int_equal(bridge.lines.count, 2);
	assert_string_equal(
		bridge.lines.word[0],
		"the log cannot be written any more; calls stand here from now on");
	assert_non_null(strstr(bridge.lines.word[1], " h - t {} "));
}

/* One of them alone, as it is at a broker: its names, and nothing of ours. */
static void a_part_of_it(void **state)
{
	struct bridge part;
	const struct bridge_catalogue *c;

	(void)state;
	bridge.rules = (struct bridge_rules){ .names = BRIDGE_FLAT,
					      .merge = true,
					      .generic = true,
					      .read_only = false,
					      .awake_only = true,
					      .most = 1 };
	bridge.mend.false_is_error = true;
	bridge_part_open(&part, &bridge, &peer);
	assert_true(part.changed);
	assert_int_equal(part.log, -1);
	assert_int_equal(part.count, 1);
	assert_ptr_equal(part.peer[0], &peer);
	assert_int_equal(part.timeout, bridge.timeout);
	assert_int_equal(part.wait, bridge.wait);
	assert_true(part.mend.false_is_error);
	assert_true(part.rules.awake_only);
	assert_false(part.rules.merge);
	assert_ptr_equal(part.options, &options);
	c = &bridge_shown(&part)->catalogue;
	assert_int_equal(c->count, 2);
	assert_int_equal(c->shown, 1);
	assert_non_null(bridge_catalogue_find(c, "self.set"));
	assert_null(bridge_catalogue_find(c, "devices"));
	assert_null(bridge_catalogue_find(c, "call_device_tool"));
	bridge_close(&part);
	bridge.mend.false_is_error = false;
}

/* ---- the bridge's own tools ---- */

static struct bridge_peer second;

/* "hall", with the tool `set` and one of its own. */
static void add_second(void)
{
	static const char tools[] =
		"{\"name\":\"self.set\",\"description\":\"Sets it.\","
		"\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":"
		"{\"type\":\"integer\",\"minimum\":0,\"maximum\":9}},"
		"\"required\":[\"n\"]}},{\"name\":\"self.get_volume\"}";
	struct tool_list list = { 0 };
	struct bridge_list *l;

	second = (struct bridge_peer){ .kind = &played,
				       .prefix = mem_strdup("hall"),
				       .id = mem_strdup("02:02"),
				       .device = true,
				       .state = PEER_READY,
				       .changed = &bridge.changed,
				       .woken = &bridge.woken };
	assert_int_equal(tool_list_add_text(&list, tools, strlen(tools), NULL),
			 0);
	l = bridge_list_new("other", &list);
	bridge_peer_list(&second, l);
	bridge_list_release(l);
	bridge.peer =
		mem_realloc(bridge.peer, 2 * sizeof(struct bridge_peer *));
	bridge.peer[bridge.count++] = &second;
	bridge.changed = false;
}

static int tear_down_second(void **state)
{
	tear_down(state);
	bridge_peer_done(&second);
	second = (struct bridge_peer){ 0 };
	return 0;
}

#define OWN(name, arguments)                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" \
	"{\"name\":\"" name "\",\"arguments\":" arguments "}}"

static void boards_in_words(void **state)
{
	static const struct {
		enum peer_state state;
		enum peer_lacks lacks;
		bool server;
		const char *about, *reason, *way;
		int64_t seen;
		const char *says;
	} rows[] = {
		{ PEER_READY, LACKS_WAKING, false, "esp 1", "not told", "MQTT",
		  1, "\"kitchen: awake\\nhall: awake, esp 1\\n\"" },
		{ PEER_READY, LACKS_WAKING, true, NULL, NULL, NULL, 0,
		  "\\nhall: connected\\n\"" },
		{ PEER_COMING, LACKS_START, true, NULL, "a \x1b[1mreason", NULL,
		  0, "\\nhall: connecting (a [1mreason)\\n\"" },
		{ PEER_AWAY, LACKS_WAKING, false, NULL, NULL, NULL, 0,
		  "\\nhall: asleep, not seen yet\\n\"" },
		{ PEER_AWAY, LACKS_START, true, NULL, "gone", NULL,
		  1786190400000,
		  "\\nhall: not connected (gone), last seen 2026-08-08T12:00:00.000Z\\n\"" },
		{ PEER_AWAY, LACKS_ITSELF, false, NULL, NULL, "MQTT",
		  1786190400000,
		  "\\nhall: away, last seen 2026-08-08T12:00:00.000Z over MQTT\\n\"" },
	};

	(void)state;
	add_second();
	for (size_t i = 0; i < COUNT(rows); i++) {
		second.state = rows[i].state;
		second.lacks = rows[i].lacks;
		second.device = !rows[i].server;
		mem_free(second.about);
		mem_free(second.reason);
		second.about = mem_strdup(rows[i].about);
		second.reason = mem_strdup(rows[i].reason);
		second.way = rows[i].way;
		second.seen = rows[i].seen;
		says(OWN("devices", "{}"), rows[i].says);
	}
	bridge_list_release(TAKE(second.list));
	says(OWN("devices", "null"),
	     "over MQTT, its tools are not known yet\\n\"");
	says(OWN("refresh", "{\"device\":\"hall\"}"),
	     "list the tools again in a moment. Known now:\\nkitchen: awake\\nhall: away");
	bridge.count = 0;
	bridge.changed = true;
	bridge.show_at = 0;
	bridge_tend(&bridge);
	says(OWN("devices", "{}"), "\"No board is known yet.\\n\"");
	assert_int_equal(starts, 0);
}

static void any_tool_of_any_board(void **state)
{
	(void)state;
	add_second();
	says(OWN("call_device_tool", "{\"device\":\"hall\",\"tool\":\"x\"}"),
	     "Unknown tool: 'call_device_tool'");
	bridge.rules.generic = true;
	bridge.show_at = 0;
	bridge_tend(&bridge);
	initialize("2025-06-18");
	says(OWN("call_device_tool", "{\"device\":\"hall\"}"),
	     "'call_device_tool' needs 'device' and 'tool'");
	says(OWN("call_device_tool", "{\"tool\":\"self.set\"}"),
	     "'call_device_tool' needs 'device' and 'tool'");
	says(OWN("call_device_tool",
		 "{\"device\":\"attic\",\"tool\":\"self.set\"}"),
	     "no board is called 'attic'; there are: kitchen, hall\"");
	says(OWN("call_device_tool",
		 "{\"device\":\"hall\",\"tool\":\"self.reboot\"}"),
	     "'hall' has no tool 'self.reboot'");
	/* What is hidden cannot be called so either. */
	says(OWN("call_device_tool",
		 "{\"device\":\"kitchen\",\"tool\":\"self.reboot\"}"),
	     "'kitchen' has no tool 'self.reboot'");
	/* Whoever was asked for it saw one of two boards. */
	says(OWN("call_device_tool",
		 "{\"device\":\"hall\",\"device\":\"kitchen\",\"tool\":\"self.set\",\"arguments\":{\"n\":4}}"),
	     "argument 'device': it stands twice");
	assert_int_equal(second.waiting + peer.waiting, 0);
	assert_non_null(hear(OWN(
		"call_device_tool",
		"{\"device\":\"hall\",\"tool\":\"self.set\",\"arguments\":{\"n\":4}}")));
	bridge_peer_tend(&second);
	assert_ptr_equal(started->peer, &second);
	assert_string_equal(started->params,
			    "{\"name\":\"self.set\",\"arguments\":{\"n\":4}}");
	assert_false(started->camera);
	assert_false(started->repeatable);
	answer(good);
	bridge_peer_tend(&second);
	says(OWN("call_device_tool",
		 "{\"device\":\"hall\",\"tool\":\"self.get_volume\",\"arguments\":7}"),
	     "argument 'arguments': it must be an object");
	says(OWN("call_device_tool",
		 "{\"device\":\"hall\",\"tool\":\"self.set\",\"arguments\":\"{\\\"n\\\":4}\"}"),
	     "argument 'arguments': it must be an object");
	assert_non_null(hear(OWN(
		"call_device_tool",
		"{\"device\":\"hall\",\"tool\":\"self.get_volume\",\"arguments\":null}")));
	bridge_peer_tend(&second);
	assert_string_equal(started->params,
			    "{\"name\":\"self.get_volume\",\"arguments\":{}}");
	assert_true(started->repeatable);
	started->end = CALL_ANSWERED;
	bridge_peer_tend(&second);
}

static void equal_tools_as_one(void **state)
{
	(void)state;
	add_second();
	bridge.rules.merge = true;
	initialize("2025-06-18");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	     "\"enum\":[\"hall\",\"kitchen\"]");
	says(OWN("set", "{\"n\":1}"),
	     "argument 'device' is missing: which board is meant? The tool 'devices' lists them");
	says(OWN("set", "{\"n\":1,\"device\":\"attic\"}"),
	     "no board is called 'attic'; there are: kitchen, hall\"");
	says(OWN("set", "{\"n\":1,\"device\":\"hall\",\"device\":\"kitchen\"}"),
	     "-32602,\"message\":\"Invalid params: argument 'device': it stands twice");
	assert_int_equal(second.waiting + peer.waiting, 0);
	assert_non_null(hear(OWN("set", "{\"n\":1,\"device\":\"hall\"}")));
	bridge_peer_tend(&second);
	assert_string_equal(started->params,
			    "{\"name\":\"self.set\",\"arguments\":{\"n\":1}}");
	started->end = CALL_ANSWERED;
	bridge_peer_tend(&second);
	bridge.rules.merge = false;
}

/* What is checked is what is sent: not one of two, of which a board takes either. */
static void one_argument_by_two_names(void **state)
{
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(mem_free_ptr) char *text = NULL;
	const char *key;

	(void)state;
	give_tools(
		"{\"name\":\"self.put\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n m\":{\"type\":\"integer\",\"maximum\":9}}}}");
	bridge.show_at = 0;
	bridge_tend(&bridge);
	initialize("2025-06-18");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	     "\"name\":\"put\"");
	tree = json_parse(ear.said.data, ear.said.len, NULL);
	key = json_object(
		      cJSON_GetArrayItem(
			      json_array(json_object(tree, "result"), "tools"),
			      0),
		      "inputSchema")
		      ->child->next->child->string;
	assert_string_not_equal(key, "n m");
	text = mem_printf(OWN("put", "{\"n m\":1,\"%s\":99}"), key);
	says(text, "argument 'n m': it stands twice");
	assert_int_equal(peer.waiting, 0);
}

/* A host that listed once goes on calling the board that it meant. */
static void names_of_before(void **state)
{
	(void)state;
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	     "\"name\":\"set\"");
	add_second();
	bridge.show_at = 0;
	bridge_tend(&bridge);
	assert_int_equal(bridge.show_at, LOOP_FOREVER);
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	     "\"name\":\"hall__set\"");
	assert_null(strstr(buf_string(&ear.said), "\"name\":\"set\""));
	assert_non_null(hear(CALL("1", "3")));
	assert_int_equal(second.waiting, 0);
	assert_int_equal(peer.waiting, 1);
}

/* ---- calls ---- */

static void calls_that_are_none(void **state)
{
	(void)state;
	initialize("2025-06-18");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
	     "-32602,\"message\":\"Invalid params: 'name' must be a string\"");
	says(OWN("set", "[1]"),
	     "-32602,\"message\":\"Invalid params: 'arguments' must be an object\"");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[1]}",
	     "'params' must be an object");
	says(OWN("set", "{\"n\":1,\"n\":2}"), "argument 'n': it stands twice");
	says(OWN("set", "null"), "-32602,\"message\":\"Invalid params: ");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing/of/this\"}",
	     "-32601,\"message\":\"Method not found: 'nothing/of/this'\"");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
	     "-32601");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
	     "-32602,\"message\":\"Invalid params: there is no such cursor\"");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":null}}",
	     "\"tools\":[");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}",
	     "'protocolVersion' must be a string");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"1999-01-01\"}}",
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":\"mcpctl\",\"version\":\"");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "-32600");
	says("{", "\"id\":null,\"error\":{\"code\":-32700,");
	initialize("2025-03-26");
	says("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}}]",
	     "initialize must not be part of a batch");
	assert_int_equal(starts + peer.waiting, 0);
	for (int i = 0; i < PEER_QUEUE_MAX + 1; i++)
		assert_non_null(hear(CALL("1", "1")));
	bridge_peer_tend(&peer);
	assert_null(hear(CALL("1", "1")));
	assert_non_null(strstr(
		buf_string(&ear.said),
		"kitchen is busy: 8 calls wait for it already; try again later"));
}

/* mcp-c-sdk wants every argument that it declares. */
static void arguments_that_are_left_out(void **state)
{
	(void)state;
	peer.wants_all = true;
	give_tools(
		"{\"name\":\"self.set\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"default\":5},\"b\":{\"type\":\"integer\",\"default\":\"no\"},\"c\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\",\"default\":2}}}}");
	assert_non_null(hear(CALL("1", "3")));
	bridge_peer_tend(&peer);
	assert_string_equal(
		started->params,
		"{\"name\":\"self.set\",\"arguments\":{\"n\":3,\"a\":5}}");
}

#define WITH_TOKEN                                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":\"tools/call\"," \
	"\"params\":{\"name\":\"set\",\"arguments\":{\"n\":1},"        \
	"\"_meta\":{\"progressToken\":\"t\"}}}"
#define PROGRESS                                                      \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"," \
	"\"params\":{\"progressToken\":\"t\",\"progress\":"

static void progress(const char *params)
{
	cJSON *json = json_parse(params, strlen(params), NULL);

	started->progress(started->owner, json);
	cJSON_Delete(json);
}

static void signs_of_life(void **state)
{
	struct host_question *q;
	int64_t next;

	(void)state;
	host->list_at = 0;
	initialize("2025-06-18");
	q = hear(CALL("\"x\"", "1"));
	bridge_peer_tend(&peer);
	assert_null(started->progress);
	answer(good);
	q = hear(WITH_TOKEN);
	/* Not at once, but every five seconds. */
	next = bridge_host_tend(host);
	assert_in_range(next, loop_now() + 4000, loop_now() + 5000);
	assert_int_equal(ear.tells, 0);
	peer.state = PEER_AWAY;
	q->part->tell_at = q->part->began = loop_now() - 3000;
	next = bridge_host_tend(host);
	assert_in_range(next, loop_now() + 4000, loop_now() + 5000);
	assert_string_equal(
		ear.told, PROGRESS
		"3,\"message\":\"kitchen is asleep: waiting for it\"}}");
	peer.state = PEER_COMING;
	q->part->tell_at = 0;
	bridge_host_tend(host);
	assert_non_null(strstr(ear.told, "\"kitchen is getting ready\"}}"));
	peer.state = PEER_READY;
	q->part->tell_at = 0;
	bridge_host_tend(host);
	assert_non_null(strstr(ear.told, "\"kitchen has other calls first\"}"));
	bridge_peer_tend(&peer);
	q->part->tell_at = 0;
	bridge_host_tend(host);
	assert_non_null(strstr(ear.told, "\"kitchen is at it\"}}"));
	assert_int_equal(ear.tells, 4);
	/* It says so itself, and then alone. */
	progress("{\"progress\":\"1\"}");
	assert_int_equal(ear.tells, 4);
	progress("{\"progress\":1.5}");
	assert_string_equal(ear.told, PROGRESS "1.5}}");
	progress(
		"{\"progress\":2,\"total\":4,\"message\":\"half \\u001b[1m\"}");
	assert_string_equal(ear.told, PROGRESS
			    "2,\"total\":4,\"message\":\"half [1m\"}}");
	assert_int_equal(ear.tells, 6);
	bridge_host_tend(host);
	assert_int_equal(ear.tells, 6);
	answer(good);
}

/* Many hosts list once: soon after the start they wait until all are known. */
static void lists_wait_at_first(void **state)
{
	struct bridge_host *young;

	(void)state;
	bridge.changed = true;
	assert_non_null(hear(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"));
	assert_true(bridge_host_tend(host) <= loop_now() + 3000);
	assert_int_equal(ear.done, 0);
	bridge.changed = false;
	bridge_host_tend(host);
	assert_int_equal(ear.done, 1);
	assert_non_null(strstr(buf_string(&ear.said),
			       "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
			       "{\"tools\":[{\"name\":\"set\","));
	/* A call of what is not known yet, too; of what is, not. */
	bridge.changed = true;
	assert_non_null(hear(OWN("other", "{\"n\":1}")));
	assert_non_null(hear(CALL("2", "1")));
	assert_int_equal(peer.waiting, 1);
	bridge.changed = false;
	bridge_host_tend(host);
	assert_int_equal(ear.done, 1);
	assert_non_null(strstr(buf_string(&ear.said), "Unknown tool: 'other'"));
	logged("unknown - other {\"n\":1} % failed: unknown tool");
	/* Given up while it waits. */
	bridge.changed = true;
	a->abandon(hear(OWN("other", "{}")));
	logged("unknown - other {} % failed: the host gave it up");
	/* Not for long. */
	young = host;
	young->list_at = loop_now();
	bridge_host_tend(host);
	assert_int_equal(young->list_at, 0);
	says(OWN("other", "{}"), "Unknown tool: 'other'");
}

static void modern_faults(void **state)
{
	static const struct {
		const char *meta, *says;
	} rows[] = {
		{ "\"x\":1",
		  "'_meta' needs 'io.modelcontextprotocol/protocolVersion', a string" },
		{ "\"io.modelcontextprotocol/protocolVersion\":7",
		  "'_meta' needs 'io.modelcontextprotocol/protocolVersion', a string" },
		{ "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"",
		  "'_meta' needs 'io.modelcontextprotocol/clientCapabilities', an object" },
		{ "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},\"io.modelcontextprotocol/logLevel\":\"loud\"",
		  "'io.modelcontextprotocol/logLevel' must be one of debug, info" },
	};
	struct headers h = { 0 };

	(void)state;
	headers_add(&h, "MCP-Protocol-Version", "2026-07-28");
	headers_add(&h, "Mcp-Method", "tools/list");
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{%s}}}",
			rows[i].meta);

		assert_null(hear_with(text, &h));
		if (!strstr(buf_string(&ear.said), rows[i].says))
			fail_msg("%s", buf_string(&ear.said));
		assert_non_null(strstr(buf_string(&ear.said), "-32602"));
		assert_int_equal(ear.status, 400);
	}
	assert_null(hear_with(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
		&h));
	assert_non_null(strstr(buf_string(&ear.said), "'_meta' is missing"));
	assert_null(hear_with(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" META
		"}}",
		&h));
	assert_non_null(
		strstr(buf_string(&ear.said),
		       "'Mcp-Method' is not what stands in the message"));
	headers_done(&h);
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" META
	     "}}",
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":0,\"cacheScope\":\"private\",\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"mcpctl\",");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
	     "}}",
	     "],\"ttlMs\":0,\"cacheScope\":\"private\",\"resultType\":\"complete\",");
	/* Wrong arguments are a result of this era; who calls stands beside. */
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"set\",\"arguments\":{\"n\":10},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},\"io.modelcontextprotocol/clientInfo\":{\"name\":\"m\",\"version\":\"2\"}}}}",
	     "\"isError\":true");
	assert_non_null(strstr(bridge.lines.word[bridge.lines.count - 1],
			       " m/2 kitchen self.set {\"n\":10} "));
}

/* ---- what servers have beside tools ---- */

#define ASK(id, method, params)                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method \
	"\",\"params\":" params "}"

/* Two servers that have all that there is. */
static void two_servers(void)
{
	add_second();
	bridge.servers = 1;
	host->list_at = 0; /* nothing waits for them */
	peer.device = second.device = false;
	peer.offers = second.offers = OFFERS_RESOURCES | OFFERS_PROMPTS |
				      OFFERS_COMPLETION | OFFERS_UPDATES;
	initialize("2025-11-25");
	a->reach(client, on_tell, &ear);
}

static int tear_down_servers(void **state)
{
	bridge.servers = 0;
	return tear_down_second(state);
}

/* It has this question now, and answers so. */
static void its_turn(struct bridge_peer *p, const char *method,
		     const char *params, const char *reply)
{
	struct bridge_call *c;

	bridge_peer_tend(p);
	assert_non_null(started);
	c = TAKE(started);
	assert_ptr_equal(c->peer, p);
	assert_string_equal(c->method, method);
	assert_string_equal(c->params, params);
	assert_int_equal(message_decode(&c->reply, reply, strlen(reply), NULL),
			 0);
	c->end = CALL_ANSWERED;
	bridge_peer_tend(p);
}

#define RESULT(text) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" text "}"
#define ERROR(code, text)                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" code \
	",\"message\":\"" text "\"}}"

static void said(const char *expected)
{
	assert_int_equal(ear.done, 1);
	assert_string_equal(buf_string(&ear.said), expected);
}

static void list_resources(void)
{
	assert_non_null(hear(ASK("1", "resources/list", "{}")));
	its_turn(
		&peer, "resources/list", "{}",
		RESULT("{\"resources\":[{\"uri\":\"a:1\",\"name\":\"x\"},{\"name\":\"none\"}],\"nextCursor\":\"n\"}"));
	its_turn(&peer, "resources/list", "{\"cursor\":\"n\"}",
		 RESULT("{\"resources\":[{\"uri\":\"a:2\"}]}"));
	assert_int_equal(ear.done, 0);
	its_turn(&second, "resources/list", "{}",
		 RESULT("{\"resources\":[{\"uri\":\"a:1\"}]}"));
	said(RESULT(
		"{\"resources\":[{\"uri\":\"a:1\",\"name\":\"x\"},{\"uri\":\"a:2\"},{\"uri\":\"mcpctl://hall/a:1\"}]}"));
}

static void lists_of_all_servers(void **state)
{
	(void)state;
	two_servers();
	says(ASK("1", "initialize", "{\"protocolVersion\":\"2025-11-25\"}"),
	     "{\"tools\":{\"listChanged\":true},\"prompts\":{\"listChanged\":true},\"completions\":{},\"resources\":{\"listChanged\":true,\"subscribe\":true},\"logging\":{}}");
	list_resources();
	/* The same again: the same names. */
	list_resources();
	assert_non_null(hear(ASK("2", "prompts/list", "{}")));
	its_turn(&second, "prompts/list", "{}",
		 RESULT("{\"prompts\":[{\"name\":\"p\"}]}"));
	its_turn(&peer, "prompts/list", "{}",
		 RESULT("{\"prompts\":[{\"name\":\"p\",\"title\":\"t\"}]}"));
	assert_string_equal(
		buf_string(&ear.said),
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"prompts\":[{\"name\":\"p\"},{\"name\":\"kitchen__p\",\"title\":\"t\"}]}}");
	assert_non_null(hear(ASK("1", "prompts/get",
				 "{\"name\":\"kitchen__p\",\"_meta\":{}}")));
	its_turn(&peer, "prompts/get", "{\"name\":\"p\"}",
		 RESULT("{\"messages\":[1]}"));
	said(RESULT("{\"messages\":[1]}"));
	assert_non_null(hear(ASK("1", "completion/complete",
				 "{\"ref\":{\"type\":\"ref/prompt\",\"name\":"
				 "\"kitchen__p\"},\"name\":\"p\"}")));
	its_turn(
		&peer, "completion/complete",
		"{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"name\":\"p\"}",
		RESULT("{}"));
	said(RESULT("{}"));
	/* Of one that is away, and of one that fails, there is nothing. */
	peer.state = PEER_AWAY;
	assert_non_null(hear(ASK("1", "resources/templates/list", "{}")));
	its_turn(&second, "resources/templates/list", "{}", ERROR("-1", "no"));
	said(RESULT("{\"resourceTemplates\":[]}"));
	second.offers = OFFERS_PROMPTS;
	says(ASK("1", "resources/list", "{}"),
	     "\"result\":{\"resources\":[]}}");
}

/* What has no room is left out, and that is told, once for each kind of list. */
static void lists_that_are_too_long(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	two_servers();
	second.offers = 0;
	buf_text(&text,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":["
		 "{\"uri\":\"a:1\",\"name\":\"");
	for (size_t i = 0; i < (size_t)4 << 20; i++)
		buf_char(&text, 'x');
	buf_text(&text, "\"},{\"uri\":\"a:2\"}]}}");
	for (int i = 0; i < 2; i++) {
		assert_non_null(hear(ASK("1", "resources/list", "{}")));
		its_turn(&peer, "resources/list", "{}", buf_string(&text));
		said(RESULT("{\"resources\":[{\"uri\":\"a:2\"}]}"));
	}
	assert_int_equal(bridge.lines.count, 1);
	assert_string_equal(
		bridge.lines.word[0],
		"kitchen: 1 of its 'resources' is left out: the list of all servers has 4 MB at most");
	words_done(&bridge.lines);
}

/* The address at that place of the list that was said; yours. */
static char *address_of(int place)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(ear.said.data, ear.said.len, NULL);
	const cJSON *all = json_array(json_object(tree, "result"), "resources");

	return mem_strdup(json_string(cJSON_GetArrayItem(all, place), "uri"));
}

/* Three have one resource, and two of them one name. */
static void addresses_of_servers_of_one_name(void **state)
{
	static const char one[] = RESULT("{\"resources\":[{\"uri\":\"a:1\"}]}");
	struct bridge_peer third;
	struct bridge_peer *const whose[] = { &peer, &second, &third };
	char *uri[3];

	(void)state;
	two_servers();
	third = (struct bridge_peer){ .kind = &played,
				      .prefix = mem_strdup("hall"),
				      .id = mem_strdup("02:03"),
				      .offers = OFFERS_RESOURCES,
				      .state = PEER_READY,
				      .changed = &bridge.changed,
				      .woken = &bridge.woken };
	bridge.peer =
		mem_realloc(bridge.peer, 3 * sizeof(struct bridge_peer *));
	bridge.peer[bridge.count++] = &third;
	assert_non_null(hear(ASK("1", "resources/list", "{}")));
	its_turn(&peer, "resources/list", "{}", one);
	its_turn(&second, "resources/list", "{}", one);
	its_turn(&third, "resources/list", "{}", one);
	for (int i = 0; i < 3; i++)
		uri[i] = address_of(i);
	for (int i = 0; i < 3; i++) {
		CLEANUP(mem_free_ptr)
		char *asks = mem_printf(
			ASK("1", "resources/read", "{\"uri\":\"%s\"}"), uri[i]);

		assert_non_null(hear(asks));
		its_turn(whose[i], "resources/read", "{\"uri\":\"a:1\"}",
			 RESULT("{}"));
		mem_free(uri[i]);
	}
	bridge.count--;
	bridge_peer_done(&third);
}

static void one_of_some_server(void **state)
{
	(void)state;
	two_servers();
	list_resources();
	assert_non_null(hear(
		ASK("1", "resources/read", "{\"uri\":\"mcpctl://hall/a:1\"}")));
	assert_int_equal(peer.waiting, 0);
	its_turn(&second, "resources/read", "{\"uri\":\"a:1\"}",
		 RESULT("{\"contents\":[]}"));
	said(RESULT("{\"contents\":[]}"));
	/* Nobody listed it: who knows it? */
	assert_non_null(hear(ASK("1", "resources/read", "{\"uri\":\"b:1\"}")));
	its_turn(&peer, "resources/read", "{\"uri\":\"b:1\"}",
		 ERROR("-32002", "not here"));
	its_turn(&second, "resources/read", "{\"uri\":\"b:1\"}",
		 ERROR("-32003", "nor here"));
	said(ERROR("-32003", "nor here"));
	assert_non_null(hear(ASK("1", "resources/read", "{\"uri\":\"a:2\"}")));
	its_turn(
		&peer, "resources/read", "{\"uri\":\"a:2\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"m\"}}");
	said(ERROR("-32603", "m"));
	assert_non_null(hear(ASK("1", "resources/read", "{\"uri\":\"a:2\"}")));
	bridge_peer_tend(&peer);
	assert_true(started->repeatable);
	error_set(&started->why, ERR_PROTOCOL, "it stutters");
	TAKE(started)->end = CALL_LOST;
	bridge_peer_tend(&peer);
	assert_non_null(strstr(buf_string(&ear.said),
			       "\"error\":{\"code\":-32603,\"message\":"
			       "\"kitchen did not answer as it should: "));
	/* MCP has objects alone, and hosts of 2026-07-28 get members added. */
	assert_non_null(hear(ASK("1", "resources/read", "{\"uri\":\"a:2\"}")));
	its_turn(&peer, "resources/read", "{\"uri\":\"a:2\"}", RESULT("null"));
	said(ERROR("-32603", "kitchen answered with no object"));
	says(ASK("1", "resources/read", "{}"),
	     "-32602,\"message\":\"no name is given: 'resources/read'\"");
	second.offers = 0;
	peer.offers = OFFERS_COMPLETION;
	says(ASK("1", "resources/read", "{\"uri\":\"b:1\"}"),
	     "-32602,\"message\":\"no server has it: 'b:1'\"");
	/* Given up: nobody waits for it. */
	peer.offers = OFFERS_RESOURCES;
	a->abandon(hear(ASK("1", "resources/read", "{\"uri\":\"a:2\"}")));
	assert_int_equal(peer.waiting, 0);
	for (int i = 0; i < PEER_QUEUE_MAX + 1; i++)
		assert_non_null(
			hear(ASK("1", "resources/read", "{\"uri\":\"a:2\"}")));
	says(ASK("1", "resources/read", "{\"uri\":\"a:2\"}"),
	     "too much is asked of its server already: 'a:2'");
}

/* Nobody listed it, and the first server is away: the other one may have it. */
static void one_while_a_server_is_away(void **state)
{
	(void)state;
	two_servers();
	bridge_peer_away(&peer, LACKS_START, NULL);
	assert_non_null(hear(ASK("1", "resources/read", "{\"uri\":\"b:1\"}")));
	its_turn(&second, "resources/read", "{\"uri\":\"b:1\"}",
		 RESULT("{\"contents\":[]}"));
	said(RESULT("{\"contents\":[]}"));
}

/* The first server asks, and has it not; the next one asks, too. */
static void answers_go_to_who_asked(void **state)
{
	const struct peer_question q = { "6",
					 "elicitation/create",
					 { "{\"mode\":\"url\"}",
					   strlen("{\"mode\":\"url\"}") } };
	CLEANUP(mem_free_ptr) char *again = NULL;
	const char *at;

	(void)state;
	two_servers();
	a->client_free(client);
	client = a->client_new(a->owner);
	peer.owner = &peer;
	second.owner = &second;
	assert_non_null(hear(
		ASK("1", "resources/read", "{\"uri\":\"b:1\"," CAN_META "}")));
	bridge_peer_tend(&peer);
	assert_null(peer_asks("5", "elicitation/create", "{\"mode\":\"url\"}"));
	its_turn(&peer, "resources/read", "{\"uri\":\"b:1\"}",
		 ERROR("-32002", "not here"));
	bridge_peer_tend(&second);
	assert_null(bridge.hearer.ask(bridge.owner, &second, &q));
	bridge_host_tend(host);
	at = strstr(buf_string(&ear.said), "requestState\":\"");
	assert_non_null(at);
	again = mem_printf(
		ASK("2", "resources/read",
		    "{\"uri\":\"b:1\",\"requestState\":\"%.32s\",\"inputResponses\":{\"ask-2\":{\"pin\":1}}," CAN_META
		    "}"),
		at + strlen("requestState\":\""));
	assert_non_null(hear(again));
	bridge_host_tend(host);
	assert_string_equal(server.text, "6 {\"pin\":1}");
	assert_ptr_equal(server.whose, &second);
	/* Nor does one take back what the other asks. */
	bridge.hearer.withdrawn(bridge.owner, &second, (struct span){ "5", 1 });
	assert_int_equal(server.answers, 1);
	bridge.hearer.withdrawn(bridge.owner, &peer, (struct span){ "5", 1 });
	assert_int_equal(server.answers, 2);
	assert_ptr_equal(server.whose, &peer);
}

/* Whose it is is known: no other one is asked, though that one could answer. */
static void one_of_a_server_that_cannot(void **state)
{
	(void)state;
	two_servers();
	list_resources();
	second.offers = OFFERS_RESOURCES;
	says(ASK("1", "resources/subscribe", "{\"uri\":\"mcpctl://hall/a:1\"}"),
	     "-32602,\"message\":\"no server has it: 'mcpctl://hall/a:1'\"");
	says(ASK("1", "completion/complete",
		 "{\"ref\":{\"type\":\"ref/resource\",\"uri\":"
		 "\"mcpctl://hall/a:1\"},\"argument\":{}}"),
	     "-32602,\"message\":\"no server has it: 'mcpctl://hall/a:1'\"");
	assert_int_equal(peer.waiting + second.waiting, 0);
}

static void second_says(const char *method, const char *params)
{
	cJSON *json = json_parse(params, strlen(params), NULL);

	bridge.hearer.said(bridge.owner, &second, method, json);
	cJSON_Delete(json);
}

static void resources_that_change(void **state)
{
	(void)state;
	two_servers();
	list_resources();
	assert_non_null(hear(ASK("1", "resources/subscribe",
				 "{\"uri\":\"mcpctl://hall/a:1\"}")));
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 0);
	its_turn(&second, "resources/subscribe", "{\"uri\":\"a:1\"}",
		 RESULT("{}"));
	said(RESULT("{}"));
	peer_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	second_says("notifications/resources/updated", "{\"uri\":\"a:2\"}");
	second_says("notifications/resources/updated", "{}");
	assert_int_equal(ear.tells, 0);
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"mcpctl://hall/a:1\"}}");
	assert_int_equal(ear.tells, 1);
	/* Twice is as once. */
	assert_non_null(hear(ASK("1", "resources/subscribe",
				 "{\"uri\":\"mcpctl://hall/a:1\"}")));
	its_turn(&second, "resources/subscribe", "{\"uri\":\"a:1\"}",
		 RESULT("{}"));
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 2);
	/* One that comes anew knows nothing of it. */
	bridge.hearer.came(bridge.owner, &peer);
	assert_string_equal(server.beside, "");
	bridge.hearer.came(bridge.owner, &second);
	assert_string_equal(server.beside,
			    "resources/subscribe {\"uri\":\"a:1\"}");
	says(ASK("1", "resources/unsubscribe", "{}"), "'uri' must be a string");
	says(ASK("1", "resources/unsubscribe", "{\"uri\":\"a:1\"}"),
	     "\"result\":{}");
	assert_string_equal(server.beside,
			    "resources/subscribe {\"uri\":\"a:1\"}");
	says(ASK("1", "resources/unsubscribe",
		 "{\"uri\":\"mcpctl://hall/a:1\"}"),
	     "\"result\":{}");
	assert_string_equal(server.beside,
			    "resources/unsubscribe {\"uri\":\"a:1\"}");
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 2);
	/* One that was refused is not watched. */
	assert_non_null(hear(ASK("1", "resources/subscribe",
				 "{\"uri\":\"mcpctl://hall/a:1\"}")));
	its_turn(&second, "resources/subscribe", "{\"uri\":\"a:1\"}",
		 ERROR("-1", "no"));
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 2);
	bridge.servers = 0;
	says(ASK("1", "resources/subscribe", "{\"uri\":\"a:1\"}"),
	     "-32601,\"message\":\"no server is behind the bridge\"");
}

static void lists_that_change(void **state)
{
	(void)state;
	two_servers();
	assert_int_equal(bridge_host_tend(host), LOOP_FOREVER);
	peer_says("notifications/prompts/list_changed", "{}");
	peer_says("notifications/prompts/list_changed", "{}");
	/* What comes soon after it is one with it. */
	assert_in_range(bridge_host_tend(host), loop_now() + 400,
			loop_now() + 500);
	assert_int_equal(ear.tells, 0);
	host->changed_at = loop_now();
	bridge_host_tend(host);
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\"}");
	assert_int_equal(ear.tells, 1);
	second.offers = OFFERS_RESOURCES;
	bridge.hearer.came(bridge.owner, &second);
	host->changed_at = loop_now();
	bridge_host_tend(host);
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}");
	assert_int_equal(ear.tells, 2);
	bridge_host_tend(host);
	assert_int_equal(ear.tells, 2);
	peer_says("notifications/elicitation/complete",
		  "{\"elicitationId\":\"e\"}");
	assert_int_equal(ear.tells, 2);
	says(ANSWERS("\"elicitation\":{\"url\":{}}"), "2025-11-25");
	peer_says("notifications/elicitation/complete", "{}");
	assert_int_equal(ear.tells, 2);
	peer_says("notifications/elicitation/complete",
		  "{\"elicitationId\":\"e\"}");
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/complete\",\"params\":{\"elicitationId\":\"e\"}}");
}

#define LISTEN(what)                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":"                 \
	"\"subscriptions/listen\",\"params\":{\"notifications\":{" what \
	"}," META "}}"
#define ACKNOWLEDGED(what)                                          \
	"{\"jsonrpc\":\"2.0\",\"method\":"                          \
	"\"notifications/subscriptions/acknowledged\",\"params\":{" \
	"\"notifications\":{" what "},\"_meta\":{"                  \
	"\"io.modelcontextprotocol/subscriptionId\":\"s\"}}}"

static void what_is_listened_to(void **state)
{
	void *question;

	(void)state;
	add_second();
	bridge.servers = 1;
	host->list_at = 0;
	second.device = false;
	second.offers = OFFERS_UPDATES;
	question = hear(LISTEN("\"resourceSubscriptions\":[\"a:1\",7],"
			       "\"promptsListChanged\":true,"
			       "\"toolsListChanged\":false"));
	assert_string_equal(
		ear.told, ACKNOWLEDGED("\"promptsListChanged\":true,"
				       "\"resourceSubscriptions\":[\"a:1\"]"));
	assert_string_equal(server.beside,
			    "resources/subscribe {\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 1);
	bridge.on_change(bridge.owner);
	assert_int_equal(ear.tells, 1);
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"a:1\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"s\"}}}");
	a->abandon(question);
	assert_string_equal(server.beside,
			    "resources/unsubscribe {\"uri\":\"a:1\"}");
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 2);
	/* One that is named twice is one. */
	question = hear(LISTEN("\"resourceSubscriptions\":[\"a:1\",\"a:1\"]"));
	assert_string_equal(
		ear.told, ACKNOWLEDGED("\"resourceSubscriptions\":[\"a:1\"]"));
	second_says("notifications/resources/updated", "{\"uri\":\"a:1\"}");
	assert_int_equal(ear.tells, 4);
	a->abandon(question);
	/* Nobody would tell of it. */
	second.offers = OFFERS_RESOURCES;
	question = hear(LISTEN("\"resourceSubscriptions\":[\"a:1\"]"));
	assert_string_equal(ear.told, ACKNOWLEDGED(""));
	a->abandon(question);
	/* What is not there may yet say that it does. */
	second.state = PEER_AWAY;
	question = hear(LISTEN("\"resourceSubscriptions\":[\"a:1\",\"a:2\"]"));
	assert_string_equal(
		ear.told,
		ACKNOWLEDGED("\"resourceSubscriptions\":[\"a:1\",\"a:2\"]"));
	a->abandon(question);
}

/* By its headers, or by its own metadata if they name no revision with sessions. */
static void of_which_era(void **state)
{
	static const char with[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" META
		"}}";
	static const char without[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{}}}";
	static const struct {
		const char *revision;
		bool with, without;
	} rows[] = {
		{ NULL, true, false },		{ "2026-07-28", true, true },
		{ "2026-07-29", true, true },	{ "2030-01-01", true, true },
		{ "2026-07-27", true, false },	{ "2026-07-281", true, false },
		{ "2026-07-2x", true, false },	{ "2025-11-25", false, false },
		{ "2024-11-05", false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct headers h = { 0 };
		const struct mcp_said a_with = { with, strlen(with), &h };
		const struct mcp_said a_without = { without, strlen(without),
						    &h };

		if (rows[i].revision)
			headers_add(&h, "MCP-Protocol-Version",
				    rows[i].revision);
		if (a->is_modern(a->owner, &a_with) != rows[i].with ||
		    a->is_modern(a->owner, &a_without) != rows[i].without)
			fail_msg("row %zu", i);
		headers_done(&h);
	}
}

/* What it asked for is told in part, and as what it was asked for. */
static void a_version_of_any_length(void **state)
{
	(void)state;
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1234567890123456789012345678901234567890123456789012345678901\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
	     "\"error\":{\"code\":-32022,\"message\":\"Unsupported protocol version: '123456789012345678901234567890123456789012345678901234567890'\",\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"123456789012345678901234567890123456789012345678901234567890\"}}}");
	assert_int_equal(ear.status, 400);
}

/* Which lists it is told of, and of which it is not. */
static void lists_that_are_listened_to(void **state)
{
	void *question;

	(void)state;
	host->list_at = 0;
	peer.offers = OFFERS_RESOURCES | OFFERS_PROMPTS;
	question = hear(LISTEN("\"resourcesListChanged\":true,"
			       "\"toolsListChanged\":true,"
			       "\"promptsListChanged\":7,\"other\":true"));
	assert_string_equal(ear.told,
			    ACKNOWLEDGED("\"toolsListChanged\":true,"
					 "\"resourcesListChanged\":true"));
	bridge.hearer.came(bridge.owner, &peer);
	host->changed_at = loop_now();
	bridge_host_tend(host);
	assert_int_equal(ear.tells, 2);
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"s\"}}}");
	a->abandon(question);
}

/* Of a subscription so many, each of so many bytes. */
static void so_many_that_are_listened_to(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t watched = 0;
	void *question;

	(void)state;
	two_servers();
	a->client_free(client);
	client = a->client_new(a->owner);
	buf_text(&text,
		 "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":"
		 "\"subscriptions/listen\",\"params\":{\"notifications\":{"
		 "\"resourceSubscriptions\":[\"");
	for (int i = 0; i < 4097; i++)
		buf_char(&text, 'x');
	for (int i = 0; i < 257; i++)
		buf_printf(&text, "\",\"a:%d", i);
	buf_text(&text, "\"]}," META "}}");
	question = hear(buf_string(&text));
	assert_non_null(question);
	assert_string_equal(server.beside,
			    "resources/subscribe {\"uri\":\"a:255\"}");
	peer_says("notifications/resources/updated", "{\"uri\":\"a:256\"}");
	assert_int_equal(ear.tells, 1);
	for (int i = 0; i < 257; i++) {
		CLEANUP(mem_free_ptr)
		char *params = mem_printf("{\"uri\":\"a:%d\"}", i);
		const unsigned before = ear.tells;

		peer_says("notifications/resources/updated", params);
		watched += ear.tells - before;
	}
	assert_int_equal(watched, 256);
	a->abandon(question);
}

/* The least that anybody wants is what servers are told. */
static void levels_of_two_hosts(void **state)
{
	void *other;

	(void)state;
	two_servers();
	peer.offers |= OFFERS_LOGGING;
	says(ASK("1", "logging/setLevel", "{\"level\":\"warning\"}"), "{}");
	other = client;
	client = a->client_new(a->owner);
	initialize("2025-11-25");
	says(ASK("1", "logging/setLevel", "{\"level\":\"error\"}"), "{}");
	assert_string_equal(server.beside,
			    "logging/setLevel {\"level\":\"warning\"}");
	says(ASK("1", "logging/setLevel", "{\"level\":\"debug\"}"), "{}");
	assert_string_equal(server.beside,
			    "logging/setLevel {\"level\":\"debug\"}");
	a->client_free(other);
	/* One that comes is told; one that does not log is not. */
	server.beside[0] = '\0';
	bridge.hearer.came(bridge.owner, &second);
	assert_string_equal(server.beside, "");
	bridge.hearer.came(bridge.owner, &peer);
	assert_string_equal(server.beside,
			    "logging/setLevel {\"level\":\"debug\"}");
}

/* However long a name its logger has, and whatever that is. */
static void what_is_cut_of_a_log(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *at;

	(void)state;
	two_servers();
	says(ASK("1", "logging/setLevel", "{\"level\":\"debug\"}"), "{}");
	buf_text(&text, "{\"level\":\"info\",\"logger\":\"");
	for (int i = 0; i < 100; i++)
		buf_char(&text, 'l');
	buf_text(&text, "\",\"data\":null}");
	peer_says("notifications/message", buf_string(&text));
	at = strstr(ear.told, "kitchen/l");
	assert_non_null(at);
	assert_true(strspn(at + 8, "l") <= 80);
	assert_true(strspn(at + 8, "l") >= 77);
	assert_non_null(strstr(ear.told, "\",\"data\":null}}"));
}

/* ---- who is behind it ---- */

/* Targets, boards, the environment's target, --socket; and what that means. */
static void which_serve_is_asked(void **state)
{
	static char attach[] = "attach:", named[] = "attach:/run/a.sock",
		    llm[] = "sim:llm", board[] = "kitchen";
	static const struct {
		const char *target, *device, *of_environment, *socket;
		bool boards;
		const char *path;
	} rows[] = {
		{ NULL, NULL, NULL, NULL, true, NULL },
		{ NULL, NULL, NULL, "/run/s.sock", true, "/run/s.sock" },
		{ NULL, NULL, "attach:", "/run/s.sock", true, "/run/s.sock" },
		{ NULL, NULL, "attach:/run/e.sock", NULL, true, "/run/e.sock" },
		{ NULL, NULL, "sim:", NULL, false, NULL },
		{ NULL, board, "sim:", NULL, true, NULL },
		{ llm, NULL, "attach:", NULL, false, NULL },
		{ llm, NULL, "attach:/run/e.sock", NULL, false, NULL },
		{ llm, board, NULL, NULL, true, NULL },
		{ attach, NULL, "sim:", "/run/s.sock", true, "/run/s.sock" },
		{ named, NULL, NULL, "/run/s.sock", true, "/run/a.sock" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct config c = { .target = rows[i].of_environment,
				    .socket = rows[i].socket };
		const char *path;

		if (rows[i].target)
			words_add(&c.targets, rows[i].target);
		if (rows[i].device)
			words_add(&c.devices, rows[i].device);
		if (bridge_wants_boards(&c) != rows[i].boards)
			fail_msg("row %zu", i);
		path = bridge_socket(&c);
		if (rows[i].path)
			assert_string_equal(path, rows[i].path);
		else
			assert_null(path);
		words_done(&c.targets);
		words_done(&c.devices);
	}
}

/* What hosts see is made anew half a second after it changed, all as one. */
static void when_it_is_shown(void **state)
{
	int64_t at;

	(void)state;
	bridge.changed = true;
	at = bridge_tend(&bridge);
	assert_in_range(at, loop_now() + 20, loop_now() + 50);
	assert_false(bridge_settled(&bridge));
	assert_null(bridge.shown.source);
	bridge_shown(&bridge);
	assert_true(bridge_settled(&bridge));
	assert_int_equal(bridge_tend(&bridge), LOOP_FOREVER);
	bridge.changed = true;
	assert_false(bridge_settled(&bridge));
	at = bridge_tend(&bridge);
	assert_in_range(at, loop_now() + 400, loop_now() + 500);
	bridge.changed = true;
	assert_int_equal(bridge_tend(&bridge), at);
	a->reach(client, on_tell, &ear);
	initialize("2025-06-18");
	bridge.show_at = loop_now();
	assert_int_equal(bridge_tend(&bridge), LOOP_FOREVER);
	/* It is the same as before: nobody is told. */
	assert_int_equal(ear.tells, 0);
	give_tools("{\"name\":\"self.other\"}");
	bridge.show_at = loop_now();
	bridge_tend(&bridge);
	assert_int_equal(ear.tells, 1);
	assert_true(bridge_settled(&bridge));
}

/* ---- pictures, and what is said amid a call ---- */

static void pictures_are_asked_for(void **state)
{
	static const char shot[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";

	(void)state;
	give_tools("{\"name\":\"self.camera.take_photo\"},"
		   "{\"name\":\"self.camera.flip\"}");
	hear(OWN("camera_take_photo", "{}"));
	bridge_peer_tend(&peer);
	assert_int_equal(started->photos, 0);
	assert_true(started->camera);
	answer(shot);
	assert_null(strstr(buf_string(&ear.said), "no picture"));
	options.photos = true;
	hear(OWN("camera_take_photo", "{}"));
	bridge_peer_tend(&peer);
	assert_true(started->photos > 0);
	answer(shot);
	assert_non_null(strstr(
		buf_string(&ear.said),
		"[mcpctl: no picture: --photos has those of serve's boards alone]"));
	hear(OWN("camera_take_photo", "{}"));
	bridge_peer_tend(&peer);
	started->no_photo = mem_strdup("it was dark");
	answer(shot);
	assert_non_null(strstr(buf_string(&ear.said),
			       "[mcpctl: no picture: it was dark]"));
	hear(OWN("camera_flip", "{}"));
	bridge_peer_tend(&peer);
	assert_false(started->camera);
	started->no_photo = mem_strdup("not told");
	answer(shot);
	assert_null(strstr(buf_string(&ear.said), "no picture"));
	logged("unknown kitchen self.camera.flip {} % ok");
	says(OWN("devices", "null"), "kitchen: awake");
	logged("unknown - devices {} % ok");
}

/* Its server is told, and the host need not answer any more. */
static void a_call_given_up_amid_a_question(void **state)
{
	(void)state;
	says(ANSWERS("\"roots\":{}"), "2025-11-25");
	a->reach(client, on_tell, &ear);
	assert_non_null(hear(CALL("7", "1")));
	assert_non_null(hear(CALL("8", "1")));
	bridge_peer_tend(&peer);
	assert_true(started->answers.roots);
	assert_null(peer_asks("5", "roots/list", "{}"));
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\",\"params\":{}}");
	assert_string_equal(bridge.lines.word[bridge.lines.count - 1],
			    "kitchen asks roots/list: passed on to n/1");
	/* Another call is not the one. */
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}");
	bridge_host_tend(host);
	assert_int_equal(server.answers, 0);
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
	bridge_host_tend(host);
	assert_string_equal(server.text, "5 -32603 the host gave up the call");
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1,\"reason\":\"its call was given up\"}}");
	started->end = CALL_LOST;
	bridge_peer_tend(&peer);
}

static void a_prompt_given_up_amid_a_question(void **state)
{
	(void)state;
	two_servers();
	says(ANSWERS("\"roots\":{}"), "2025-11-25");
	assert_non_null(hear(ASK("7", "prompts/get", "{\"name\":\"x\"}")));
	bridge_peer_tend(&peer);
	assert_null(peer_asks("5", "roots/list", "{}"));
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
	bridge_host_tend(host);
	assert_string_equal(server.text, "5 -32603 the host gave up the call");
	assert_non_null(strstr(ear.told, "\"its call was given up\""));
	started->end = CALL_LOST;
	bridge_peer_tend(&peer);
}

/* Where too many are open no more are taken; what makes them fewer is. */
static void too_many_questions(void **state)
{
	static const char refused[] = "too many questions are open";

	(void)state;
	says(ANSWERS("\"roots\":{}"), "2025-11-25");
	a->reach(client, on_tell, &ear);
	assert_null(peer_asks("1", "roots/list", "{}"));
	assert_null(peer_asks("2", "roots/list", "{}"));
	assert_non_null(hear(CALL("7", "1")));
	host->open += HOST_OPEN_MAX - 2;
	says("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}",
	     "\"result\":{}");
	host->open++;
	says("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}", refused);
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	is_silent(
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-1,\"message\":\"no\"}}");
	bridge_host_tend(host);
	assert_int_equal(server.answers, 2);
	assert_int_equal(peer.waiting, 1);
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
	assert_null(strstr(buf_string(&ear.said), refused));
	assert_int_equal(peer.waiting, 0);
	host->open -= HOST_OPEN_MAX - 1;
	assert_int_equal(host->open, 0);
}

static void answers_that_are_none(void **state)
{
	(void)state;
	says(ANSWERS("\"roots\":{}"), "2025-11-25");
	a->reach(client, on_tell, &ear);
	assert_null(peer_asks("1", "roots/list", "{}"));
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":0}}");
	bridge_host_tend(host);
	assert_string_equal(server.text,
			    "1 -32603 the host told an error without words");
	/* A person may take so long, and no longer. */
	assert_null(peer_asks("2", "roots/list", "{}"));
	host->list_at = 0;
	assert_in_range(bridge_host_tend(host), loop_now() + 590000,
			loop_now() + 600000);
	is_silent("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	bridge_host_tend(host);
	assert_string_equal(server.text, "2 {}");
	options.ask_timeout = 1;
	assert_null(peer_asks("3", "roots/list", "{}"));
	while (server.answers < 3)
		bridge_host_tend(host);
	assert_string_equal(server.text,
			    "3 -32603 the host did not answer in time");
	assert_non_null(strstr(
		ear.told,
		"\"params\":{\"requestId\":3,\"reason\":\"it took too long\"}}"));
	options.ask_timeout = 0;
	is_silent(
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
	assert_string_equal(server.beside, "notifications/roots/list_changed ");
	for (int i = 0; i < 64; i++)
		assert_null(peer_asks("4", "roots/list", "{}"));
	assert_non_null(strstr(peer_asks("4", "roots/list", "{}"),
			       "too many questions are open"));
}

/* What it did not say that it answers is not told to servers. */
static void roots_of_who_has_none(void **state)
{
	(void)state;
	says(ANSWERS("\"sampling\":{}"), "2025-11-25");
	is_silent(
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
	assert_string_equal(server.beside, "");
}

static void logs_amid_a_call(void **state)
{
	CLEANUP(buf_done) struct buf large = { 0 };

	(void)state;
	bridge.servers = 1;
	host->list_at = 0;
	peer.offers = OFFERS_LOGGING;
	assert_non_null(hear(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"set\",\"arguments\":{\"n\":1},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},\"io.modelcontextprotocol/logLevel\":\"info\"}}}"));
	assert_string_equal(server.beside,
			    "logging/setLevel {\"level\":\"info\"}");
	peer_says("notifications/message", "{\"level\":\"info\",\"data\":1}");
	assert_int_equal(ear.tells, 0);
	bridge_peer_tend(&peer);
	assert_string_equal(started->log_level, "info");
	peer_says("notifications/message", "{\"level\":\"debug\",\"data\":1}");
	assert_int_equal(ear.tells, 0);
	peer_says("notifications/message",
		  "{\"level\":\"info\",\"data\":\"a\\u001bb\"}");
	assert_string_equal(
		ear.told,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"logger\":\"kitchen\",\"data\":\"ab\"}}");
	buf_text(&large, "{\"level\":\"info\",\"data\":[\"");
	for (int i = 0; i < 20000; i++)
		buf_char(&large, 'x');
	buf_text(&large, "\"]}");
	peer_says("notifications/message", buf_string(&large));
	assert_non_null(strstr(
		ear.told,
		"\"data\":\"20004 bytes, which is too much to pass on\"}}"));
	answer(good);
	peer_says("notifications/message", "{\"level\":\"info\",\"data\":1}");
	assert_int_equal(ear.tells, 2);
	initialize("2025-06-18");
	says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{}}",
	     "-32602,\"message\":\"Invalid params: 'level' must be one of debug, ");
	bridge.servers = 0;
}

/* Of one client, so many and no more; of others as many. */
static void so_many_resources(void **state)
{
	void *other;

	(void)state;
	two_servers();
	second.offers = 0;
	for (int i = 0; i < 256; i++) {
		CLEANUP(mem_free_ptr)
		char *params = mem_printf("{\"uri\":\"a:%d\"}", i);
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(ASK("1", "resources/subscribe", "%s"),
					params);

		assert_non_null(hear(text));
		its_turn(&peer, "resources/subscribe", params, RESULT("{}"));
		said(RESULT("{}"));
	}
	says(ASK("1", "resources/subscribe", "{\"uri\":\"b:1\"}"),
	     "-32602,\"message\":\"more than 256 resources would be subscribed to\"");
	other = client;
	client = a->client_new(a->owner);
	initialize("2025-11-25");
	assert_non_null(
		hear(ASK("1", "resources/subscribe", "{\"uri\":\"b:1\"}")));
	its_turn(&peer, "resources/subscribe", "{\"uri\":\"b:1\"}",
		 RESULT("{}"));
	a->client_free(other);
}

/* Where nothing can be told, nobody can listen. */
static void a_way_without_notifications(void **state)
{
	static const struct mcp_hearer deaf = { .done = on_done,
						.status = on_status };
	static const char text[] = LISTEN("\"toolsListChanged\":true");
	const struct mcp_said m = { text, sizeof(text) - 1, NULL };

	(void)state;
	ear.done = 0;
	assert_null(a->hear(client, &m, &deaf, &ear));
	assert_int_equal(ear.done, 1);
	assert_non_null(strstr(
		buf_string(&ear.said),
		"-32600,\"message\":\"Invalid Request: this way takes no notifications\""));
}

/* HOST_QUOTED bytes of its name, and half as many of its version. */
static void is_who(const char *name, const char *version, const char *expected)
{
	cJSON *info = cJSON_CreateObject();
	char *who;

	if (name)
		cJSON_AddStringToObject(info, "name", name);
	if (version)
		cJSON_AddStringToObject(info, "version", version);
	who = host_who(info);
	if (expected)
		assert_string_equal(who, expected);
	else
		assert_null(who);
	mem_free(who);
	cJSON_Delete(info);
}

#define THIRTY "123456789012345678901234567890"

static void a_host_is_named(void **state)
{
	(void)state;
	is_who("claude", "1.2", "claude/1.2");
	is_who("claude", NULL, "claude");
	is_who(NULL, "1.2", NULL);
	is_who(THIRTY THIRTY, THIRTY, THIRTY THIRTY "/" THIRTY);
	is_who(THIRTY THIRTY "x", THIRTY "y", THIRTY THIRTY "…/" THIRTY "…");
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
		cmocka_unit_test_setup_teardown(each_call_is_logged, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_secret_that_is_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_line_of_the_log, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_log_in_a_file, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_part_of_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(boards_in_words, set_up,
						tear_down_second),
		cmocka_unit_test_setup_teardown(any_tool_of_any_board, set_up,
						tear_down_second),
		cmocka_unit_test_setup_teardown(equal_tools_as_one, set_up,
						tear_down_second),
		cmocka_unit_test_setup_teardown(one_argument_by_two_names,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_of_before, set_up,
						tear_down_second),
		cmocka_unit_test_setup_teardown(calls_that_are_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(arguments_that_are_left_out,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(signs_of_life, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lists_wait_at_first, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(modern_faults, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lists_of_all_servers, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(lists_that_are_too_long, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(
			addresses_of_servers_of_one_name, set_up,
			tear_down_servers),
		cmocka_unit_test_setup_teardown(one_of_some_server, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(one_of_a_server_that_cannot,
						set_up, tear_down_servers),
		cmocka_unit_test_setup_teardown(resources_that_change, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(lists_that_change, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(what_is_listened_to, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(modern_rounds_answered_in_part,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(modern_rounds_of_others, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(of_which_era, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_version_of_any_length, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lists_that_are_listened_to,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(so_many_that_are_listened_to,
						set_up, tear_down_servers),
		cmocka_unit_test_setup_teardown(levels_of_two_hosts, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(what_is_cut_of_a_log, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(pictures_are_asked_for, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_call_given_up_amid_a_question,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_while_a_server_is_away,
						set_up, tear_down_servers),
		cmocka_unit_test_setup_teardown(answers_go_to_who_asked, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(
			a_prompt_given_up_amid_a_question, set_up,
			tear_down_servers),
		cmocka_unit_test_setup_teardown(too_many_questions, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(answers_that_are_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(roots_of_who_has_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(logs_amid_a_call, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(so_many_resources, set_up,
						tear_down_servers),
		cmocka_unit_test_setup_teardown(a_way_without_notifications,
						set_up, tear_down),
		cmocka_unit_test(a_host_is_named),
		cmocka_unit_test_setup_teardown(which_serve_is_asked, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(when_it_is_shown, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(changes_are_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(changes_are_told_to_who_listens,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
