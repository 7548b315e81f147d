/* SPDX-License-Identifier: MIT */
/*
 * serve/broadcast: one request to many devices, a row for each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control_harness.h"

#include "mcp/tools.h"

#define PING "{\"op\":\"fan\",\"method\":\"ping\",\"timeout\":10000}"

static void to_all(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("bb"),
			  *c = fake_board_new("cc");
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, "{\"op\":\"fan\",\"method\":\"tools/call\",\"params\":"
		"{ \"name\" : \"x\"},\"timeout\":10000}");
	expect_json(&k, "\"id\":\"cc\"", "\"kind\":\"connect\"");
	assert_non_null(strstr(k.in.data, "not ready (connected)"));
	assert_non_null(strstr(a->sent.word[0], "{ \"name\" : \"x\"}"));
	assert_int_not_equal(board_asked(a, 0), board_asked(b, 0));
	board_answers(b, board_asked(b, 0), "{\"n\":1.50}");
	expect_json(&k, "{\"op\":\"row\",\"device\":{\"id\":\"bb\"",
		    "\"reply\":{\"jsonrpc\":\"2.0\",\"id\":null,"
		    "\"result\":{\"n\":1.50}}");
	expect_quiet(&k);
	board_answers(a, board_asked(a, 0), "{}");
	expect_json(&k, "\"id\":\"aa\"", "\"took_us\":");
	expect_json(&k, "\"op\":\"end\"", "\"count\":3");
	assert_int_equal(c->sent.count, 0);
	command_done(&k);
	fake_board_free(a);
	fake_board_free(b);
	fake_board_free(c);
}

/* -d calls the tools of a board whose listing failed: so does --all. */
static void to_one_half_listed(void **state)
{
	struct fake_board *a = board_ready("aa");
	struct command k;

	(void)state;
	a->device->state = DEVICE_FAILED;
	command_open(&k);
	ask(&k, PING);
	expect_json(&k, "\"id\":\"aa\"", "not ready (failed)");
	expect_json(&k, "\"op\":\"end\"", "\"count\":1");
	a->device->initialize = mem_strdup("{}");
	ask(&k, PING);
	board_answers(a, board_asked(a, 0), "{}");
	expect_json(&k, "\"id\":\"aa\"", "\"result\":{}");
	expect_json(&k, "\"op\":\"end\"", "\"count\":1");
	command_done(&k);
	fake_board_free(a);
}

static void by_pattern_and_list(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("ab");
	CLEANUP(tool_list_done) struct tool_list list = { 0 };
	CLEANUP(mem_free_ptr) char *question = NULL;
	static const char text[] = "{\"id\":1,\"result\":{\"tools\":"
				   "[{\"name\":\"t\"}]}}";
	struct message page;
	struct command k;

	(void)state;
	message_decode(&page, text, strlen(text), NULL);
	tool_list_add_take(&list, &page, NULL, NULL);
	b->device->tools = tool_lists_hold(&server.tool_lists, &list);
	question =
		mem_printf("{\"op\":\"fan\",\"notify\":\"n\",\"list\":\"%s\","
			   "\"device\":\"a*\"}",
			   b->device->tools->id);
	command_open(&k);
	ask(&k, question);
	expect_json(&k, "\"id\":\"ab\"", "\"reply\":null");
	expect_json(&k, "\"op\":\"end\"", "\"count\":1");
	ask(&k, "{\"op\":\"fan\",\"notify\":\"n\",\"device\":\"none\"}");
	expect_json(&k, "\"op\":\"end\"", "\"count\":0");
	ask(&k, "{\"op\":\"fan\",\"notify\":\"n\",\"device\":\"AA\"}");
	expect_json(&k, "\"id\":\"aa\"", "\"reply\":null");
	expect_json(&k, "\"op\":\"end\"", "\"count\":1");
	assert_int_equal(a->sent.count, 1);
	assert_int_equal(b->sent.count, 1);
	command_done(&k);
	fake_board_free(a);
	fake_board_free(b);
}

static void one_way(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = fake_board_new("bb");
	struct command k;

	(void)state;
	board_says(b, "{\"type\":\"hello\",\"version\":3}");
	command_open(&k);
	ask(&k, "{\"op\":\"fan\",\"message\":{\"type\":\"tts\",\"a\":1.0}}");
	expect_json(&k, "\"id\":\"aa\"", "\"reply\":null");
	expect_json(&k, "\"id\":\"bb\"", "\"reply\":null");
	expect_json(&k, "\"op\":\"end\"", "\"count\":2");
	assert_non_null(strstr(a->sent.word[0], "\"type\":\"tts\",\"a\":1.0}"));
	ask(&k, "{\"op\":\"fan\",\"message\":7}");
	expect_json(&k, "\"op\":\"row\"", "\"usage\"");
	expect_json(&k, "\"op\":\"row\"", "\"usage\"");
	expect_json(&k, "\"op\":\"end\"", NULL);
	ask(&k, "{\"op\":\"fan\",\"notify\":\"notifications/x\"}");
	expect_json(&k, "\"id\":\"aa\"", "\"reply\":null");
	expect_json(&k, "\"id\":\"bb\"", "no-mcp");
	expect_json(&k, "\"op\":\"end\"", NULL);
	assert_non_null(strstr(a->sent.word[1], "notifications/x"));
	command_done(&k);
	fake_board_free(a);
	fake_board_free(b);
}

static void odd_replies(void **state)
{
	struct fake_board *b = board_ready("aa");
	CLEANUP(mem_free_ptr) char *frame = NULL, *cut = NULL;
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, PING);
	frame = mem_printf("{\"type\":\"mcp\",\"payload\":{\"id\":%ld,"
			   "\"error\":{\"message\":\"a \"b\"\"}}}",
			   board_asked(b, 0));
	board_says(b, frame);
	expect_json(&k, "\"reply\":{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":",
		    "{\"message\":\"a \\\"b\\\"\"}");
	expect_json(&k, "\"op\":\"end\"", NULL);
	ask(&k, PING);
	cut = mem_printf("{\"type\":\"mcp\",\"payload\":{\"id\":%ld,\"res",
			 board_asked(b, 1));
	board_says(b, cut);
	expect_json(&k, "\"kind\":\"protocol\"", "\"detail\":\"{");
	expect_json(&k, "\"op\":\"end\"", NULL);
	command_done(&k);
	fake_board_free(b);
}

static void time_over(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, "{\"op\":\"fan\",\"method\":\"ping\",\"timeout\":20}");
	expect_json(&k, "\"id\":\"aa\"", "\"kind\":\"timeout\"");
	expect_json(&k, "\"op\":\"end\"", "\"count\":1");
	command_done(&k);
	fake_board_free(b);
}

/* Who only looks disturbs no call, and is not counted as one. */
static void idle_only(void **state)
{
	static const char call[] = "{\"op\":\"fan\",\"method\":\"tools/call\"}";
	static const char look[] = "{\"op\":\"fan\",\"method\":"
				   "\"tools/call\",\"idle\":true}";
	struct fake_board *b = board_ready("aa");
	struct command one, other;

	(void)state;
	command_open(&one);
	command_open(&other);
	ask(&one, call);
	ask(&other, look);
	expect_json(&other, "\"calls\":0,\"p50_us\":null",
		    "asked something else now");
	expect_json(&other, "\"op\":\"end\"", NULL);
	assert_int_equal(b->sent.count, 1);
	board_answers(b, board_asked(b, 0), "{}");
	expect_json(&one, "\"calls\":1,\"p50_us\":", "\"reply\"");
	expect_json(&one, "\"op\":\"end\"", NULL);
	ask(&other, look);
	board_answers(b, board_asked(b, 1), "{}");
	expect_json(&other, "\"calls\":1,", "\"reply\"");
	expect_json(&other, "\"op\":\"end\"", NULL);
	ask(&one, PING);
	board_answers(b, board_asked(b, 2), "{}");
	expect_json(&one, "\"calls\":1,", "\"reply\"");
	command_done(&one);
	command_done(&other);
	fake_board_free(b);
}

static void device_goes(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("bb");
	struct command k;

	(void)state;
	b->full = true;
	command_open(&k);
	ask(&k, PING);
	expect_json(&k, "\"id\":\"bb\"", "the queue is full");
	fake_board_free(a);
	expect_json(&k, "\"id\":\"aa\"", "\"kind\":\"connect\"");
	expect_json(&k, "\"op\":\"end\"", "\"count\":2");
	command_done(&k);
	fake_board_free(b);
}

static void command_goes(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("bb");
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, PING);
	assert_int_equal(server.relays.by_id.count, 2);
	board_answers(a, board_asked(a, 0), "{}");
	command_done(&k);
	assert_int_equal(server.relays.by_id.count, 0);
	board_answers(b, board_asked(b, 0), "{}");
	fake_board_free(a);
	fake_board_free(b);
}

/* What is asked meanwhile is answered behind it. */
static void one_after_the_other(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, PING);
	ask(&k, "{\"op\":\"status\"}");
	ask(&k, PING);
	expect_quiet(&k);
	assert_int_equal(b->sent.count, 1);
	board_answers(b, board_asked(b, 0), "1");
	expect_json(&k, "\"op\":\"row\"", "\"result\":1");
	expect_json(&k, "\"op\":\"end\"", NULL);
	expect_json(&k, "\"op\":\"status\"", NULL);
	assert_int_equal(b->sent.count, 2);
	board_answers(b, board_asked(b, 1), "2");
	expect_json(&k, "\"op\":\"row\"", "\"result\":2");
	expect_json(&k, "\"op\":\"end\"", NULL);
	command_done(&k);
	fake_board_free(b);
}

static void serve_ends(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, PING);
	close_control();
	expect_json(&k, "\"op\":\"error\"", "serve was stopped");
	expect_end(&k);
	command_done(&k);
	fake_board_free(b);
}

/* ---- many ---- */

enum { BOARDS = 3000 };

static struct fake_board **many_boards(void)
{
	struct fake_board **board =
		mem_zalloc(BOARDS * sizeof(struct fake_board *));

	for (size_t i = 0; i < BOARDS; i++) {
		char id[32];

		snprintf(id, sizeof(id), "device-%zu", i);
		board[i] = board_ready(id);
	}
	return board;
}

static void free_boards(struct fake_board **board)
{
	for (size_t i = 0; i < BOARDS; i++)
		fake_board_free(board[i]);
	mem_free(board);
}

/* Those that were asked and did not answer yet. */
static size_t answer_all(struct fake_board **board, const char *result)
{
	size_t count = 0;

	for (size_t i = 0; i < BOARDS; i++) {
		if (!board[i]->sent.count)
			continue;
		board_answers(board[i], board_asked(board[i], 0), result);
		words_done(&board[i]->sent);
		count++;
	}
	return count;
}

static void many(void **state)
{
	struct fake_board **board = many_boards();
	size_t answered = 0, rows = 0;
	struct command k;

	(void)state;
	command_open(&k);
	ask(&k, PING);
	for (int turns = 0; answered < BOARDS && turns < BOARDS; turns++) {
		size_t now;

		assert_true(server.relays.by_id.count <= 500);
		now = answer_all(board, "{}");
		answered += now;
		for (; now; now--, rows++)
			expect_json(&k, "\"op\":\"row\"", "\"result\":{}");
		loop_poll(loop);
	}
	assert_int_equal(rows, BOARDS);
	expect_json(&k, "\"op\":\"end\"", "\"count\":3000");
	command_done(&k);
	free_boards(board);
}

/* Rows that are not read stop it; it goes on when they are. */
static void slow_reader(void **state)
{
	CLEANUP(mem_free_ptr) char *large = mem_alloc(20001);
	struct fake_board **board = many_boards();
	size_t answered = 0, rows = 0;
	struct command k;

	(void)state;
	memset(large, '1', 20000);
	large[0] = large[19999] = '"';
	large[20000] = '\0';
	command_open(&k);
	ask(&k, PING);
	for (int i = 0; i < 50; i++) {
		answered += answer_all(board, large);
		loop_poll(loop);
	}
	assert_true(answered >= 500 && answered <= 1000);
	assert_non_null(server.control->first);
	assert_true(server.control->first->out.bytes < 32 << 20);
	for (; rows < BOARDS; rows++) {
		answered += answer_all(board, "{}");
		loop_poll(loop);
		expect_json(&k, "\"op\":\"row\"", "\"reply\":{");
	}
	expect_json(&k, "\"op\":\"end\"", "\"count\":3000");
	assert_int_equal(answered, BOARDS);
	command_done(&k);
	free_boards(board);
}

/* Every device refuses at once: still in slices, and all rows come. */
static void all_full(void **state)
{
	struct fake_board **board = many_boards();
	struct command k;

	(void)state;
	for (size_t i = 0; i < BOARDS; i++)
		board[i]->full = true;
	command_open(&k);
	ask(&k, PING);
	for (size_t i = 0; i < BOARDS; i++)
		expect_json(&k, "\"op\":\"row\"", "the queue is full");
	expect_json(&k, "\"op\":\"end\"", "\"count\":3000");
	command_done(&k);
	free_boards(board);
}

/* So many are asked at once; who went meanwhile is told of as gone. */
static void goes_meanwhile(void **state)
{
	static struct fake_board *board[501];
	struct command k;

	(void)state;
	for (size_t i = 0; i < COUNT(board); i++) {
		char id[16];

		snprintf(id, sizeof(id), "b-%zu", i);
		board[i] = board_ready(id);
	}
	command_open(&k);
	ask(&k, PING);
	for (int i = 0; i < 100; i++)
		loop_poll(loop);
	assert_int_equal(board[499]->sent.count, 1);
	assert_int_equal(board[500]->sent.count, 0);
	fake_board_free(board[500]);
	board_answers(board[7], board_asked(board[7], 0), "{}");
	expect_json(&k, "{\"op\":\"row\",\"device\":{\"id\":\"b-7\"", NULL);
	assert_string_equal(
		hear(&k, CONTROL_JSON),
		"{\"op\":\"row\",\"device\":{\"id\":\"b-500\"},\"took_us\":0,\"error\":{\"kind\":\"connect\",\"text\":\"the device went away\",\"hint\":\"\"}}");
	expect_quiet(&k);
	command_done(&k);
	for (size_t i = 0; i < 500; i++)
		fake_board_free(board[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serve_start, serve_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(goes_meanwhile),
		TEST(to_all),
		TEST(to_one_half_listed),
		TEST(by_pattern_and_list),
		TEST(one_way),
		TEST(odd_replies),
		TEST(time_over),
		TEST(device_goes),
		TEST(command_goes),
		TEST(one_after_the_other),
		TEST(serve_ends),
		TEST(many),
		TEST(slow_reader),
		TEST(all_full),
		TEST(idle_only),
	};

	return cmocka_run_group_tests(tests, harness_make, harness_remove);
}
