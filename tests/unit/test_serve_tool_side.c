/* SPDX-License-Identifier: MIT */
/* Who dials in at serve and says nothing: a tool side, or a board that is slow. */
#include "serve/board_tell.h"
#include "serve_harness.h"

#define SIDE                                                               \
	"{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":" \
	"{}},\"serverInfo\":{\"name\":\"My Calc!\",\"version\":\"1\"}}"

static struct end *dial_unsure(const char *address, bool at_point)
{
	struct peer_info peer = { .address = address,
				  .path = "/mcp",
				  .unsure = true,
				  .at_point = at_point };
	struct end *e = knock_with(&peer, false);

	is_ready(e, &peer);
	return e;
}

static void replies(struct end *e, const char *result)
{
	CLEANUP(mem_free_ptr)
	char *text =
		mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}",
			   last_id(e), result);

	says(e, text);
}

static void lists(struct end *e)
{
	assert_sent(e, 1, "notifications/initialized");
	assert_sent(e, 2, "\"method\":\"tools/list\"");
	replies(e, "{\"tools\":[" TOOL("add") "]}");
	assert_int_equal(e->device->state, DEVICE_READY);
}

/* The sweep comes once it is due. */
static void silence(struct end *e)
{
	board_sweep(e->device, e->device->ask_at);
}

static void asked_at_the_point(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", true);

	(void)state;
	assert_int_equal(e->sent.count, 1);
	assert_int_equal(
		strncmp(e->sent.word[0], "{\"jsonrpc\":\"2.0\",\"id\":", 22),
		0);
	assert_sent(e, 0, "\"method\":\"initialize\"");
	assert_sent(e, 0, "2024-11-05");
	assert_null(strstr(e->sent.word[0], "vision"));
	replies(e, SIDE);
	lists(e);
	assert_string_equal(e->device->id, "my-calc");
	assert_int_equal(e->device->link.dialect, DIALECT_PLAIN);
	assert_int_equal(e->device->deadline, LOOP_FOREVER);
	/* No board's questions. */
	assert_null(strstr(e->sent.word[2], "withUserTools"));
}

static void asked_after_silence(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", false);

	(void)state;
	assert_int_equal(e->sent.count, 0);
	assert_in_range(e->device->ask_at - loop_now(), 1, 2000);
	board_sweep(e->device, loop_now());
	assert_int_equal(e->sent.count, 0);
	silence(e);
	assert_int_equal(e->sent.count, 1);
	replies(e, SIDE);
	lists(e);
}

/* Its hello comes after all: what it was asked as another does not count. */
static void slow_board(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", false);

	(void)state;
	silence(e);
	says(e, HELLO);
	assert_int_equal(e->device->link.dialect, DIALECT_DEVICE);
	assert_sent(e, 1, "\"type\":\"hello\"");
	assert_sent(e, 2, "\"type\":\"mcp\"");
	assert_sent(e, 2, "\"method\":\"initialize\"");
	answers(e, INITIALIZED);
	answers(e, "{\"tools\":[" TOOL("self.a") "]}");
	assert_int_equal(e->device->state, DEVICE_READY);
	assert_string_equal(e->device->id, "10.0.0.7:1");
	take_records();
	assert_null(find_record(RECORD_FINDING, 0));
	assert_null(find_record(RECORD_FAILED, 0));
}

/* A board with a Device-Id is never asked before its hello. */
static void named_board(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	assert_int_equal(e->device->ask_at, LOOP_FOREVER);
	board_sweep(e->device, loop_now() + 3000);
	assert_int_equal(e->sent.count, 0);
	becomes_ready(e);
}

/* It speaks first, and without an envelope. */
static void speaks_first(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", false);

	(void)state;
	says(e,
	     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}");
	assert_int_equal(e->sent.count, 1);
	replies(e, SIDE);
	lists(e);
}

static void says_nothing(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", true);

	(void)state;
	board_sweep(e->device, e->device->deadline);
	the_record(RECORD_REFUSED, 0, "and did not answer initialize");
	assert_true(e->closing);
}

static void refuses(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", true);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-1,\"message\":\"no\"}}",
		last_id(e));

	(void)state;
	says(e, text);
	assert_int_equal(e->device->state, DEVICE_FAILED);
	the_record(RECORD_FAILED, 0, "initialize: no");
	/* It answered: no hello is missed. */
	assert_false(board_sweep(e->device, loop_now() + 60000));
	assert_false(e->closing);
}

/* As the door does. */
static void shows_token(struct end *e)
{
	e->device->token_name = mem_strdup("token-12345678");
	board_name_tool_side(e->device);
}

/* By a token the newer one takes the place; by what it calls itself, nobody does. */
static void one_token(void **state)
{
	struct end *a = dial_unsure("10.0.0.7:1", true), *b, *c;

	(void)state;
	shows_token(a);
	replies(a, SIDE);
	lists(a);
	b = dial_unsure("10.0.0.8:1", true);
	shows_token(b);
	assert_true(a->closing);
	assert_string_equal(a->transport->last_words, "新连接替换");
	assert_false(b->closing);
	replies(b, SIDE);
	lists(b);
	assert_string_equal(b->device->id, "token-12345678");
	/* The first comes back: there are two. P718 */
	turn();
	a = dial_unsure("10.0.0.7:2", true);
	shows_token(a);
	the_record(RECORD_FINDING, 0, "P718");
	replies(a, SIDE);
	c = dial_unsure("10.0.0.9:1", true);
	replies(c, SIDE);
	assert_string_equal(c->device->id, "my-calc");
	c = dial_unsure("10.0.0.9:2", true);
	replies(c, SIDE);
	assert_string_equal(c->device->id, "my-calc-2");
}

static struct end *dial_as(const char *agent)
{
	struct peer_info peer = { .address = "10.0.0.6:1",
				  .path = "/mcp",
				  .client_id = agent,
				  .unsure = true,
				  .at_point = true };
	struct end *e = knock_with(&peer, false);

	is_ready(e, &peer);
	return e;
}

static bool may_be(const char *agent)
{
	const struct peer_info peer = { .address = "10.0.0.6:1",
					.client_id = agent,
					.unsure = true };
	struct board *d = board_new(server, &peer, false);

	if (d)
		board_discard(d);
	return d != NULL;
}

/* What is another's is no name for it; what one took by its URL, a second takes. */
static void takes_no_place(void **state)
{
	char texts[][20] = { "kitchen", MAC, "calc", "bob" };
	struct alias listed[] = { { texts[0], texts[1] },
				  { texts[2], texts[3] } };
	struct end *board = dial(MAC), *e;

	(void)state;
	becomes_ready(board);
	server->aliases = (struct aliases){ listed, 2 };
	assert_false(may_be(MAC));
	assert_false(may_be("KITCHEN"));
	assert_false(may_be("AA:bb:cc:dd:ee:99"));
	assert_false(may_be("calc"));
	assert_true(may_be("bob"));
	e = dial_as("bob");
	assert_string_equal(e->device->alias, "calc");
	assert_true(may_be("BOB"));
	e = dial_unsure("10.0.0.7:1", true);
	replies(e, SIDE);
	assert_string_equal(e->device->id, "my-calc");
	assert_false(may_be("my-calc"));
	/* Nor does a server take an alias by what it says of itself. */
	e = dial_unsure("10.0.0.8:1", true);
	replies(e,
		"{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"serverInfo\":{\"name\":\"Kitchen\",\"version\":\"1\"}}");
	assert_string_equal(e->device->id, "kitchen-2");
	assert_false(board->closing);
	server->aliases = (struct aliases){ 0 };
}

/* Not to be asked (--no-init): its path tells what it is. */
static void not_asked(void **state)
{
	struct end *e, *other;

	(void)state;
	server->config.no_init = true;
	e = dial_unsure("10.0.0.7:1", true);
	assert_int_equal(e->sent.count, 0);
	assert_int_equal(e->device->state, DEVICE_READY);
	assert_int_equal(e->device->link.dialect, DIALECT_PLAIN);
	other = dial_unsure("10.0.0.7:2", false);
	assert_int_equal(other->device->ask_at, LOOP_FOREVER);
	assert_int_equal(other->device->state, DEVICE_CONNECTED);
}

/* Nothing of a board is sent to it. */
static void no_board(void **state)
{
	struct end *e = dial_unsure("10.0.0.7:1", true);
	struct error err = { 0 };

	(void)state;
	replies(e, SIDE);
	lists(e);
	assert_int_equal(board_speak(e->device, e, "x", 1, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(e->sent.count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(asked_at_the_point),
		TEST(asked_after_silence),
		TEST(slow_board),
		TEST(named_board),
		TEST(speaks_first),
		TEST(says_nothing),
		TEST(refuses),
		TEST(one_token),
		TEST(takes_no_place),
		TEST(no_board),
		TEST(not_asked),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
