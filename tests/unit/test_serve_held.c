/* SPDX-License-Identifier: MIT */
/*
 * MCP servers that serve keeps open: their keepers and the commands that share
 * them are bare sockets, all in one thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control_harness.h"

#define HOLD \
	"{\"op\":\"hold\",\"name\":\"Thing\",\"key\":\"k1\",\"transport\":\"stdio\"}"
#define UP(capabilities)                                                      \
	"{\"op\":\"up\",\"address\":\"./thing\",\"initialize\":{\"jsonrpc\":" \
	"\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\","    \
	"\"capabilities\":{" capabilities "},\"serverInfo\":{\"name\":"       \
	"\"thing\",\"version\":\"1.2\"}}}}"
#define ATTACH "{\"op\":\"attach\",\"device\":\"thing\"}"
#define DOWN \
	"{\"op\":\"down\",\"error\":{\"kind\":\"connect\",\"text\":\"it crashed\"}}"

/* A hold with a name and a key of so many letters, and members behind them. */
static void hold_as(struct command *k, size_t name, size_t key,
		    const char *rest)
{
	CLEANUP(buf_done) struct buf question = { 0 };

	buf_text(&question, "{\"op\":\"hold\",\"name\":\"");
	for (size_t i = 0; i < name; i++)
		buf_char(&question, 'n');
	buf_text(&question, "\",\"key\":\"");
	for (size_t i = 0; i < key; i++)
		buf_char(&question, 'k');
	buf_printf(&question, "\"%s}", rest);
	command_open(k);
	ask(k, buf_string(&question));
}

/* The server is up, without tools. */
static void keeper_open(struct command *k)
{
	command_open(k);
	ask(k, HOLD);
	assert_string_equal(hear(k, CONTROL_JSON),
			    "{\"op\":\"holding\",\"id\":\"thing\"}");
	ask(k, UP(""));
}

/* Its end is told from the loop. */
static void keeper_done(struct command *k)
{
	command_done(k);
	while (server.registry.first)
		serve_runs();
}

static void said_by(struct command *c, const char *text)
{
	say(c, CONTROL_TEXT, text);
}

static void hears_error(struct command *c, const char *text)
{
	expect_json(c, "\"op\":\"error\"", text);
}

/* ---- its life ---- */

static void is_kept(void **state)
{
	struct command k, c, d;

	(void)state;
	command_open(&k);
	command_open(&c);
	ask(&k, HOLD);
	assert_string_equal(hear(&k, CONTROL_JSON),
			    "{\"op\":\"holding\",\"id\":\"thing\"}");
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"id\":\"thing\",\"client_id\":null",
		    "\"state\":\"opening\"");
	expect_json(&c, "\"count\":1", NULL);
	ask(&k, UP(""));
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(
		&c,
		"\"board\":\"thing\",\"version\":\"1.2\",\"transport\":\"stdio\",\"address\":\"./thing\"",
		"\"state\":\"ready\"");
	expect_json(&c, "\"count\":1", NULL);
	/* Up is up. */
	ask(&k, "{\"op\":\"up\"}");
	ask(&c, "{\"op\":\"devices\",\"device\":\"held:k1\"}");
	expect_json(&c, "\"tools\":0,\"user_tools\":0",
		    ",\"held\":{\"name\":\"Thing\",\"pid\":");
	expect_json(&c, "\"count\":1", NULL);
	ask(&c, "{\"op\":\"devices\",\"device\":\"held:k2\"}");
	expect_json(&c, "\"count\":0", NULL);
	/* Whoever is attached is told how it went. */
	command_open(&d);
	ask(&d, ATTACH);
	expect_json(&d, ",\"initialize\":{\"jsonrpc\":\"2.0\",\"id\":1,",
		    ",\"plain\":true,\"tool_side\":false,");
	keeper_done(&k);
	expect_json(&d, "\"op\":\"gone\"", "its keeper ended");
	expect_end(&d);
	command_done(&d);
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "{\"op\":\"end\",\"count\":0", NULL);
	command_done(&c);
}

/* As devices has it, of the only one. */
static void is_held_as(const char *rest, const char *part)
{
	struct command k, c;

	hold_as(&k, 1, 1, rest);
	expect_json(&k, "\"op\":\"holding\"", NULL);
	command_open(&c);
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"id\":\"n\"", part);
	expect_json(&c, "\"count\":1", NULL);
	command_done(&c);
	keeper_done(&k);
}

static void borders(void **state)
{
	struct command k;

	(void)state;
	hold_as(&k, 512, 128, "");
	expect_json(&k, "\"op\":\"holding\"", NULL);
	keeper_done(&k);
	hold_as(&k, 513, 128, "");
	hears_error(&k, "'hold' needs a name and a key");
	command_done(&k);
	hold_as(&k, 512, 129, "");
	hears_error(&k, "'hold' needs a name and a key");
	command_done(&k);
	is_held_as(",\"transport\":\"0123456789abcdef\"",
		   "\"transport\":\"0123456789abcdef\"");
	is_held_as(",\"transport\":\"0123456789abcdefg\"",
		   "\"transport\":\"0123456789abcdef\"");
	is_held_as(",\"for\":86400000000", "\"idle_ms\":86400000000");
	is_held_as(",\"for\":86400000001", "\"idle_ms\":0,");
	is_held_as(",\"for\":1", "\"idle_ms\":1,\"restarts\":0}");
	is_held_as(",\"for\":-1", "\"idle_ms\":0,");
}

/* Who uses it keeps it; then its time begins anew. */
static void ended_when_nobody_uses_it(void **state)
{
	struct command k, c;
	struct record *r;
	struct board *d;
	int64_t end;

	(void)state;
	hold_as(&k, 1, 1, ",\"for\":600000");
	expect_json(&k, "\"op\":\"holding\"", NULL);
	d = server.registry.first;
	assert_true(d->number > 0);
	assert_int_equal(d->number, server.connections);
	assert_int_equal(d->deadline, LOOP_FOREVER);
	assert_false(board_sweep(d, loop_now()));
	ask(&k, UP(""));
	end = d->deadline;
	assert_in_range(end, loop_now() + 599000, loop_now() + 600000);
	assert_true(board_sweep(d, end - 1));
	command_attach(&c, "{\"op\":\"attach\",\"device\":\"n\"}");
	assert_true(board_sweep(d, d->deadline));
	assert_true(d->deadline >= end);
	assert_false(d->closing);
	command_done(&c);
	expect_quiet(&k);
	assert_true(board_sweep(d, d->deadline));
	assert_true(d->closing);
	assert_string_equal(hear(&k, CONTROL_JSON), "{\"op\":\"end\"}");
	/* A keeper that does not end is given up. */
	assert_true(board_sweep(d, d->deadline - 1));
	assert_false(board_sweep(d, d->deadline));
	expect_end(&k);
	keeper_done(&k);
	while ((r = records_take(&server.records)) && r->kind != RECORD_GONE)
		record_free(r);
	assert_non_null(r);
	assert_non_null(strstr(r->text, ": no command used it for 10 min"));
	record_free(r);
}

static void refused(void **state)
{
	static const char *const questions[] = {
		"{\"op\":\"hold\"}",
		"{\"op\":\"hold\",\"name\":\"x\"}",
		"{\"op\":\"hold\",\"name\":\"x\",\"key\":\"\"}",
		"{\"op\":\"hold\",\"name\":\"\",\"key\":\"k\"}",
		"{\"op\":\"hold\",\"key\":\"k\"}",
	};
	struct command k, c, d;

	(void)state;
	command_open(&c);
	for (size_t i = 0; i < COUNT(questions); i++) {
		ask(&c, questions[i]);
		hears_error(&c, "a connection of its own");
	}
	ask(&c, UP(""));
	hears_error(&c, "this connection keeps no server open");
	ask(&c, DOWN);
	hears_error(&c, "this connection keeps no server open");
	ask(&c, "{\"op\":\"failed\",\"id\":1}");
	hears_error(&c, "this connection keeps no server open");
	keeper_open(&k);
	ask(&k, "{\"op\":\"hold\",\"name\":\"x\",\"key\":\"k2\"}");
	hears_error(&k, "a connection of its own");
	ask(&c, HOLD);
	hears_error(&c, "'thing' is open already");
	/* The same word, another server: it has a number. */
	ask(&c, "{\"op\":\"hold\",\"name\":\"thing\",\"key\":\"k2\"}");
	expect_json(&c, "{\"op\":\"holding\",\"id\":\"thing#2\"}", NULL);
	command_open(&d);
	ask(&d, "{\"op\":\"upload\",\"device\":\"held:zz\"}");
	expect_json(&d, "serve does not keep that server open any more",
		    "ask again: it is dialled directly then");
	ask(&d, "{\"op\":\"devices\",\"device\":\"thing#2\"}");
	expect_json(&d, "\"transport\":\"?\"", "\"idle_ms\":0");
	expect_json(&d, "\"count\":1", NULL);
	command_done(&d);
	command_done(&c);
	keeper_done(&k);
}

static void no_more_than_so_many(void **state)
{
	struct command k[HELD_MAX], above;

	(void)state;
	for (size_t i = 0; i < COUNT(k); i++) {
		CLEANUP(mem_free_ptr)
		char *hold = mem_printf(
			"{\"op\":\"hold\",\"name\":\"n\",\"key\":\"%zu\"}", i);

		command_open(&k[i]);
		ask(&k[i], hold);
		expect_json(&k[i], "\"op\":\"holding\"", NULL);
	}
	command_open(&above);
	ask(&above, HOLD);
	expect_json(&above, "serve keeps 32 servers open, which is the most",
		    "'mcpctl close' ends one");
	command_done(&above);
	for (size_t i = 1; i < COUNT(k); i++)
		command_done(&k[i]);
	keeper_done(&k[0]);
}

/* It ended: the next command has it opened again, and is told so once. */
static void opened_again(void **state)
{
	struct command k, c, d;

	(void)state;
	keeper_open(&k);
	command_attach(&c, ATTACH);
	ask(&k, DOWN);
	expect_json(&c, "\"op\":\"gone\"", "it crashed");
	command_done(&c);
	ask(&k, DOWN);
	command_open(&c);
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"state\":\"ended\"", "\"restarts\":0");
	expect_json(&c, "\"count\":1", NULL);
	/* --all opens nothing, and says what it is. */
	ask(&c, "{\"op\":\"fan\",\"method\":\"ping\",\"timeout\":1000}");
	expect_json(&c, "\"op\":\"row\"", "is not ready (ended)");
	expect_json(&c, "\"op\":\"end\"", NULL);
	expect_quiet(&k);
	ask(&c, ATTACH);
	assert_string_equal(hear(&k, CONTROL_JSON), "{\"op\":\"reopen\"}");
	expect_json(&c, "\"op\":\"waiting\"", NULL);
	ask(&k, UP(""));
	expect_json(&c, "\"op\":\"attached\"",
		    "'thing' had ended (it crashed), and was started again");
	command_attach(&d, ATTACH);
	command_done(&d);
	command_open(&d);
	ask(&d, "{\"op\":\"devices\"}");
	expect_json(&d, "\"state\":\"ready\"", "\"restarts\":1");
	command_done(&d);
	command_done(&c);
	keeper_done(&k);
}

/* Who waits for one that does not come is told why. */
static void not_opened(void **state)
{
	struct command k, c, other, any;

	(void)state;
	command_open(&k);
	ask(&k, HOLD);
	expect_json(&k, "\"op\":\"holding\"", NULL);
	command_open(&c);
	command_open(&other);
	command_open(&any);
	ask(&other, "{\"op\":\"attach\",\"device\":\"a*\"}");
	expect_json(&other, "\"op\":\"waiting\"", NULL);
	/* Without a name it waits for a board. */
	ask(&any, "{\"op\":\"attach\"}");
	expect_json(&any, "\"op\":\"waiting\"", NULL);
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"waiting\"", NULL);
	ask(&k, DOWN);
	hears_error(&c, "it crashed");
	expect_quiet(&other);
	expect_json(&any, "\"op\":\"waiting\"", "no device is there yet");
	expect_quiet(&any);
	/* It may be asked for anew. */
	ask(&c, ATTACH);
	assert_string_equal(hear(&k, CONTROL_JSON), "{\"op\":\"reopen\"}");
	command_done(&any);
	command_done(&other);
	command_done(&c);
	keeper_done(&k);
}

/* What it said to initialize is no JSON-RPC: it is of no use. */
static void odd_greeting(void **state)
{
	struct command k, c;

	(void)state;
	command_open(&k);
	ask(&k, HOLD);
	expect_json(&k, "\"op\":\"holding\"", NULL);
	ask(&k, "{\"op\":\"up\",\"initialize\":7}");
	command_open(&c);
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"state\":\"failed\"", "\"reason\":\"");
	command_done(&c);
	keeper_done(&k);
}

static void closed(void **state)
{
	struct command k, l, c;

	(void)state;
	keeper_open(&k);
	command_open(&l);
	ask(&l, "{\"op\":\"hold\",\"name\":\"other\",\"key\":\"k2\"}");
	expect_json(&l, "\"op\":\"holding\"", NULL);
	command_open(&c);
	ask(&c, "{\"op\":\"close\",\"device\":\"none\"}");
	expect_json(&c, "no server that is kept open fits 'none'",
		    "'mcpctl devices' shows which there are");
	ask(&c, "{\"op\":\"close\"}");
	hears_error(&c, "fits ''");
	ask(&c, "{\"op\":\"close\",\"key\":\"k1\"}");
	assert_string_equal(hear(&k, CONTROL_JSON), "{\"op\":\"end\"}");
	expect_quiet(&l);
	expect_quiet(&c);
	command_done(&k);
	expect_json(&c, "{\"op\":\"closed\",\"count\":1}", NULL);
	/* By its name as it was written, and by what globs fit. */
	keeper_open(&k);
	ask(&c, "{\"op\":\"close\",\"device\":\"*t*\"}");
	expect_json(&k, "{\"op\":\"end\"}", NULL);
	expect_json(&l, "{\"op\":\"end\"}", NULL);
	command_done(&l);
	expect_quiet(&c);
	command_done(&k);
	expect_json(&c, "{\"op\":\"closed\",\"count\":2}", NULL);
	/* Who asked for it may go before; who is attached is told. */
	keeper_open(&k);
	command_attach(&l, ATTACH);
	ask(&c, "{\"op\":\"close\",\"device\":\"Thing\"}");
	expect_json(&k, "{\"op\":\"end\"}", NULL);
	command_done(&c);
	keeper_done(&k);
	expect_json(&l, "\"op\":\"gone\"", "it was closed by 'mcpctl close'");
	command_done(&l);
}

/* ---- what passes ---- */

#define PING "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}"

/* Each command is greeted by serve: the server was initialized once. */
static void greeted_by_serve(void **state)
{
	struct command k, c;

	(void)state;
	keeper_open(&k);
	command_attach(&c, ATTACH);
	said_by(&c,
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"initialize\",\"params\":{}}");
	assert_string_equal(
		hear(&c, CONTROL_TEXT),
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"thing\",\"version\":\"1.2\"}}}");
	said_by(&c,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	expect_quiet(&k);
	said_by(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\"}");
	expect_text(&k,
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\"}");
	said_by(&c, PING);
	hear(&k, CONTROL_TEXT);
	expect_quiet(&c);
	command_done(&c);
	keeper_done(&k);
}

/* The id of the frame that the keeper hears. */
static long heard_id(struct command *k)
{
	const char *id = strstr(hear(k, CONTROL_TEXT), "\"id\":");

	assert_non_null(id);
	return strtol(id + 5, NULL, 10);
}

static void replies(void **state)
{
	CLEANUP(mem_free_ptr) char *reply = NULL;
	CLEANUP(mem_free_ptr) char *failed = NULL;
	struct command k, c;
	long id;

	(void)state;
	keeper_open(&k);
	command_attach(&c, ATTACH);
	said_by(&c, PING);
	id = heard_id(&k);
	reply = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}",
			   id);
	said_by(&k, reply);
	expect_text(&c, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
	/* It could not be sent there: who asked is told why, once. */
	said_by(&c, PING);
	id = heard_id(&k);
	failed = mem_printf(
		"{\"op\":\"failed\",\"id\":%ld,\"error\":{\"kind\":\"connect\",\"text\":\"no way there\"}}",
		id);
	ask(&k, "{\"op\":\"failed\",\"error\":{\"kind\":\"connect\"}}");
	ask(&k, failed);
	expect_json(&c, "\"op\":\"failed\"", "no way there");
	ask(&k, failed);
	expect_quiet(&c);
	command_done(&c);
	keeper_done(&k);
}

#define ROOTS(id) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"roots/list\"}"
#define ANSWER(id) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"roots\":[]}}"

/* What it asks goes to one command, whose answer alone counts. */
static void questions(void **state)
{
	struct command k, c, d;

	(void)state;
	keeper_open(&k);
	/* Nobody is there: serve answers. */
	said_by(&k, ROOTS("1"));
	expect_text(&k, ANSWER("1"));
	said_by(&k,
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"odd/one\"}");
	expect_text(
		&k,
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32601,\"message\":\"method not found: odd/one\"}}");
	/* One is there; who only looks on is not asked. */
	command_attach(&c, ATTACH);
	command_attach(
		&d, "{\"op\":\"attach\",\"device\":\"thing\",\"tail\":true}");
	said_by(&k, ROOTS("2"));
	expect_text(&c, ROOTS("2"));
	said_by(&c, ANSWER("9"));
	expect_quiet(&k);
	said_by(&c, ANSWER("2"));
	expect_text(&k, ANSWER("2"));
	said_by(&c, ANSWER("2"));
	expect_quiet(&k);
	/* Its keeper answers a ping. */
	said_by(&k, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
	expect_quiet(&k);
	/* What was withdrawn is not to be answered any more. */
	said_by(&k, ROOTS("4"));
	expect_text(&c, ROOTS("4"));
	said_by(&k,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":4}}");
	hear(&c, CONTROL_TEXT);
	said_by(&c, ANSWER("4"));
	expect_quiet(&k);
	/* Who was asked leaves: serve answers for it, as for nobody. */
	said_by(&k, ROOTS("5"));
	expect_text(&c, ROOTS("5"));
	said_by(&k, ROOTS("6"));
	expect_text(&c, ROOTS("6"));
	command_done(&d);
	expect_quiet(&k);
	command_done(&c);
	expect_text(&k, ANSWER("6"));
	expect_text(&k, ANSWER("5"));
	expect_quiet(&k);
	keeper_done(&k);
}

/* Of two it is the one that has a call on its way, or nobody. */
static void whom_it_asks(void **state)
{
	struct command k, c, d;

	(void)state;
	keeper_open(&k);
	command_attach(&c, ATTACH);
	command_attach(&d, ATTACH);
	said_by(&k, ROOTS("1"));
	expect_text(&k, ANSWER("1"));
	said_by(&c, PING);
	hear(&k, CONTROL_TEXT);
	said_by(&k, ROOTS("2"));
	expect_text(&c, ROOTS("2"));
	expect_quiet(&d);
	/* The answer of another one is none. */
	said_by(&d, ANSWER("2"));
	expect_quiet(&k);
	/* The newest call is of who has no question yet. */
	said_by(&d, PING);
	hear(&k, CONTROL_TEXT);
	said_by(&k, ROOTS("3"));
	expect_text(&d, ROOTS("3"));
	expect_quiet(&c);
	said_by(&d, ANSWER("3"));
	expect_text(&k, ANSWER("3"));
	said_by(&c, ANSWER("2"));
	expect_text(&k, ANSWER("2"));
	command_done(&c);
	command_done(&d);
	keeper_done(&k);
}

/* So many without an answer, and no longer ids. */
static void too_many_questions(void **state)
{
	CLEANUP(buf_done) struct buf id = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct command k, c;

	(void)state;
	keeper_open(&k);
	command_attach(&c, ATTACH);
	for (int i = 0; i < 1100; i++)
		buf_char(&id, '9');
	text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"roots/list\"}",
		buf_string(&id));
	said_by(&k, text);
	assert_non_null(strstr(hear(&k, CONTROL_TEXT), "\"roots\":[]"));
	for (int i = 0; i < HELD_QUESTIONS_MAX; i++) {
		CLEANUP(mem_free_ptr) char *asks = mem_printf(ROOTS("%d"), i);

		said_by(&k, asks);
		expect_text(&c, asks);
	}
	said_by(&k, ROOTS("99"));
	expect_text(&k, ANSWER("99"));
	expect_quiet(&c);
	/* One is answered: there is room for one. */
	said_by(&c, ANSWER("7"));
	expect_text(&k, ANSWER("7"));
	said_by(&k, ROOTS("100"));
	expect_text(&c, ROOTS("100"));
	/* They are forgotten with the server. */
	ask(&k, DOWN);
	expect_json(&c, "\"op\":\"gone\"", NULL);
	command_done(&c);
	expect_quiet(&k);
	keeper_done(&k);
}

static long is_asked_for_list(struct command *k)
{
	const char *text = hear(k, CONTROL_TEXT);

	assert_non_null(strstr(text, "\"method\":\"tools/list\""));
	return strtol(strstr(text, "\"id\":") + 5, NULL, 10);
}

static void lists(struct command *k, const char *name)
{
	CLEANUP(mem_free_ptr)
	char *reply = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"tools\":[{\"name\":\"%s\"}]}}",
		is_asked_for_list(k), name);

	said_by(k, reply);
}

static void refuses_list(struct command *k, long id)
{
	CLEANUP(mem_free_ptr)
	char *reply = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32603,\"message\":\"busy\"}}",
		id);

	said_by(k, reply);
}

static void has_tool(struct command *c, const char *name)
{
	CLEANUP(mem_free_ptr)
	char *asks = mem_printf(
		"{\"op\":\"tool\",\"device\":\"thing\",\"name\":\"%s\"}", name);
	CLEANUP(mem_free_ptr)
	char *tool = mem_printf("\"tool\":{\"name\":\"%s\"}", name);

	ask(c, asks);
	expect_json(c, "{\"op\":\"tool\",\"tools\":1,", tool);
}

/* It says when its tools changed: they are listed anew. */
static void tools_change(void **state)
{
	static const char changed[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
	struct command k, c;
	struct board *d;

	(void)state;
	command_open(&k);
	ask(&k, HOLD);
	expect_json(&k, "\"op\":\"holding\"", NULL);
	ask(&k, UP("\"tools\":{}"));
	command_open(&c);
	lists(&k, "one");
	has_tool(&c, "one");
	expect_quiet(&k);
	said_by(&k, changed);
	/* Once more amid that: once more behind it. */
	said_by(&k, changed);
	lists(&k, "two");
	/* Each time it is listed: then it is left alone for a while. */
	has_tool(&c, "two");
	expect_quiet(&k);
	d = server.registry.first;
	assert_true(board_sweep(d, loop_now()));
	expect_quiet(&k);
	assert_in_range(d->ask_at, loop_now(), loop_now() + 1000);
	assert_false(board_sweep(d, d->ask_at));
	said_by(&k, changed);
	lists(&k, "three");
	has_tool(&c, "three");
	/* It says so behind each list, too. */
	said_by(&k, changed);
	expect_quiet(&k);
	/* It is to end: nothing more is asked. */
	assert_true(d->ask_at < LOOP_FOREVER);
	ask(&c, "{\"op\":\"close\",\"device\":\"thing\"}");
	assert_string_equal(hear(&k, CONTROL_JSON), "{\"op\":\"end\"}");
	board_sweep(d, d->ask_at);
	assert_int_equal(d->state, DEVICE_READY);
	expect_quiet(&k);
	command_done(&c);
	keeper_done(&k);
}

/* So it is where they could not be listed, and where that was amid a change. */
static void tools_listed_at_last(void **state)
{
	static const char changed[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
	struct command k, c;
	long id;

	(void)state;
	command_open(&k);
	ask(&k, HOLD);
	expect_json(&k, "\"op\":\"holding\"", NULL);
	ask(&k, UP("\"tools\":{}"));
	command_open(&c);
	refuses_list(&k, is_asked_for_list(&k));
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"state\":\"failed\"", "busy");
	expect_json(&c, "\"count\":1", NULL);
	said_by(&k, changed);
	id = is_asked_for_list(&k);
	said_by(&k, changed);
	refuses_list(&k, id);
	expect_quiet(&k);
	assert_false(board_sweep(server.registry.first,
				 server.registry.first->ask_at));
	lists(&k, "one");
	has_tool(&c, "one");
	ask(&c, "{\"op\":\"devices\"}");
	expect_json(&c, "\"state\":\"ready\"", NULL);
	expect_json(&c, "\"count\":1", NULL);
	command_done(&c);
	keeper_done(&k);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serve_start, serve_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_kept),
		TEST(borders),
		TEST(ended_when_nobody_uses_it),
		TEST(refused),
		TEST(no_more_than_so_many),
		TEST(opened_again),
		TEST(not_opened),
		TEST(odd_greeting),
		TEST(closed),
		TEST(greeted_by_serve),
		TEST(replies),
		TEST(questions),
		TEST(whom_it_asks),
		TEST(too_many_questions),
		TEST(tools_change),
		TEST(tools_listed_at_last),
	};

	return cmocka_run_group_tests(tests, harness_make, harness_remove);
}
