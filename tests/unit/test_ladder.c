/* SPDX-License-Identifier: MIT */
/* Which layer is silent, and what that means: from facts to the verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/split.h"
#include "base/text.h"
#include "diag/facts.h"
#include "diag/ladder.h"

/* A board over WebSocket whose tool did not answer within 10 s. */
static struct ladder board(enum rung pong, enum rung loop)
{
	return (struct ladder){
		.board = true,
		.tool = true,
		.waited_ms = 10000,
		.layers = { .tcp = true,
			    .ping = true,
			    .rtt_us = 400,
			    .pong_us = -1 },
		.pong = pong,
		.pong_us = 4000,
		.loop = loop,
		.loop_us = 8000,
		.asked_ms = 1000,
	};
}

/* Each line fits, and there are at most 4 beside the error and its hint. */
static void check_lines(const struct ladder *l, const struct verdict *v)
{
	CLEANUP(buf_done) struct buf lines = { 0 };
	const char *at;
	int count = 0;

	ladder_lines(&lines, l, v);
	for (at = buf_string(&lines); *at; count++) {
		size_t len = strcspn(at, "\n");

		if (len + 2 > 80)
			fail_msg("too wide: %s", at);
		at += len + (at[len] == '\n');
	}
	assert_in_range(count, 1, 4);
	if (strlen(v->next) + strlen("hint: ") > 80)
		fail_msg("too wide: %s", v->next);
}

static void is(const struct ladder *l, int code, const char *words)
{
	struct verdict v;

	assert_true(ladder_judge(l, &v));
	if (!text_find(v.words, words))
		fail_msg("'%s' is not in '%s'", words, v.words);
	assert_int_equal(v.code, code);
	assert_true(*v.next);
	check_lines(l, &v);
}

static void test_verdicts(void **state)
{
	struct ladder l = board(RUNG_ANSWERED, RUNG_SILENT);

	(void)state;
	is(&l, D132, "still running");
	l = board(RUNG_ANSWERED, RUNG_ANSWERED);
	is(&l, D121, "65535");
	l = board(RUNG_SILENT, RUNG_SILENT);
	is(&l, D133, "network task");
	l.layers.unacked = 174;
	l.layers.unacked_ms = 10000;
	l.layers.retransmits = 5;
	is(&l, N120, "gone");
	/* It answers after all, however slowly. */
	l.pong = RUNG_ANSWERED;
	is(&l, D132, "still running");
	l = board(RUNG_ANSWERED, RUNG_ANSWERED);
	l.odd = true;
	is(&l, D143, "no message");
	/* A server has no other main loop to ask. */
	l = (struct ladder){ .pong = RUNG_ANSWERED, .odd = true };
	is(&l, D143, "no message");
	l = board(RUNG_ANSWERED, RUNG_ANSWERED);
	l.stray = "the id 61800180.5";
	is(&l, D116, "no call has");
}

/* What cannot be known is no finding. */
static void test_not_known(void **state)
{
	struct ladder l = board(RUNG_SILENT, RUNG_SILENT);
	struct verdict v;

	(void)state;
	l.layers.unacked = 174;
	l.layers.unacked_ms = 2999;
	l.layers.retransmits = 3;
	is(&l, -1, "too early");
	/* Sent this moment: that it is not acknowledged says nothing. */
	l.layers.retransmits = 0;
	is(&l, D133, "network task");
	l = board(RUNG_NONE, RUNG_SILENT);
	l.layers.broker = true;
	is(&l, -1, "gone or busy");
	l.layers.tcp = false;
	is(&l, -1, "main loop is silent");
	l = board(RUNG_NONE, RUNG_ANSWERED);
	l.layers.broker = true;
	is(&l, -1, "broker");
	l.layers.broker = false;
	l.threads = true;
	is(&l, -1, "still runs");
	l = board(RUNG_ANSWERED, RUNG_SILENT);
	l.tool = false;
	is(&l, -1, "called before");
	/* What firmware leaves without an answer is no fault of it. */
	l.loop = RUNG_ANSWERED;
	is(&l, -1, "gave this no answer");
	l.owed = true;
	is(&l, D145, "gave this no answer");
	l.loop = RUNG_SILENT;
	l.late_us = 400000;
	is(&l, -1, "the reply came 400 ms after");
	l.late_us = 0;
	l.ended = "the device closed the connection";
	is(&l, -1, "ended meanwhile");
	/* Servers work on several requests at once. */
	l = board(RUNG_ANSWERED, RUNG_ANSWERED);
	l.board = false;
	is(&l, -1, "works on this, or");
	/* No board: nothing was asked of a loop. */
	l = board(RUNG_SILENT, RUNG_NONE);
	l.board = false;
	is(&l, -1, "the server hangs, or");
	l.pong = RUNG_ANSWERED;
	is(&l, -1, "the server is there");
	l.pong = RUNG_NONE;
	is(&l, -1, "has the request");
	l.layers.tcp = false;
	assert_false(ladder_judge(&l, &v));
}

static void test_lines(void **state)
{
	struct ladder l = board(RUNG_SILENT, RUNG_SILENT);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct verdict v;

	(void)state;
	l.layers.unacked = 174;
	l.layers.unacked_ms = 10000;
	l.layers.retransmits = 5;
	ladder_judge(&l, &v);
	ladder_lines(&out, &l, &v);
	assert_string_equal(
		buf_string(&out),
		"tcp   174 B unacknowledged for 10 s, 5 retransmissions\n"
		"ws    silent for 1 s\n"
		"loop  silent for 1 s\n"
		"N120  the board or its Wi-Fi is gone, TCP was never closed");
	buf_reset(&out);
	l = board(RUNG_ANSWERED, RUNG_ANSWERED);
	ladder_proof(&out, &l);
	assert_string_equal(buf_string(&out),
			    "tcp acknowledged, round trip 0.40 ms; "
			    "ws pong after 4 ms; loop answers after 8 ms");
	buf_reset(&out);
	ladder_judge(&l, &v);
	ladder_json(&out, &l, &v);
	assert_string_equal(
		buf_string(&out),
		"{\"waited_ms\":10000,\"tcp\":{\"broker\":false,\"unacked\":0,"
		"\"unsent\":0,\"retransmits\":0,\"unacked_ms\":0,\"rtt_us\":400},"
		"\"ping\":true,\"ws\":{\"pong_us\":4000},"
		"\"loop\":{\"took_us\":8000},\"verdict\":\"D121\",\"words\":"
		"\"its answer seems lost: above 65535 B, or building it failed\"}");
}

static void proves(const struct ladder *l, const char *words)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	ladder_proof(&out, l);
	assert_string_equal(buf_string(&out), words);
}

/* Each layer that there is, and whose it is. */
static void test_layers_in_words(void **state)
{
	struct ladder l = board(RUNG_NONE, RUNG_NONE);

	(void)state;
	proves(&l, "tcp acknowledged, round trip 0.40 ms");
	l.serve = true;
	proves(&l, "tcp acknowledged, round trip 0.40 ms (serve's connection)");
	l.layers.broker = true;
	proves(&l,
	       "tcp acknowledged, round trip 0.40 ms (the broker, not the board)");
	l = board(RUNG_NONE, RUNG_SILENT);
	l.layers.unsent = 7;
	proves(&l,
	       "tcp acknowledges, and takes no more: 7 B wait; loop silent for 1 s");
	l.layers.unacked = 1;
	l.layers.unacked_ms = 1500;
	l.layers.retransmits = 1;
	proves(&l,
	       "tcp 1 B unacknowledged for 1.5 s, 1 retransmission; loop silent for 1 s");
	l.layers.tcp = false;
	proves(&l, "loop silent for 1 s");
	l.pong = RUNG_ANSWERED;
	proves(&l, "ws pong after 4 ms; loop silent for 1 s");
	l.loop = RUNG_NONE;
	proves(&l, "ws pong after 4 ms");
}

/* A verdict without a code, and rungs that nobody asked or that are silent. */
static void test_silent_json(void **state)
{
	struct ladder l = board(RUNG_SILENT, RUNG_NONE);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct verdict v;

	(void)state;
	l.layers = (struct layers){ .pong_us = 9 };
	l.board = false;
	l.stray = "id 7";
	assert_true(ladder_judge(&l, &v));
	ladder_json(&out, &l, &v);
	assert_non_null(strstr(
		buf_string(&out),
		"\"ws\":{\"pong_us\":null},\"loop\":null,\"stray\":\"id 7\",\"verdict\":\"D116\""));
	buf_reset(&out);
	l = board(RUNG_NONE, RUNG_SILENT);
	l.layers.broker = true;
	assert_true(ladder_judge(&l, &v));
	ladder_json(&out, &l, &v);
	assert_non_null(strstr(
		buf_string(&out),
		"\"ping\":false,\"ws\":null,\"loop\":{\"took_us\":null},\"words\":"));
	buf_reset(&out);
	ladder_lines(&out, &l, &v);
	assert_string_equal(
		buf_string(&out),
		"tcp   acknowledged, round trip 0.40 ms (the broker, not the board)\n"
		"loop  silent for 1 s\n"
		"so    the board is gone or busy with a tool, or the broker passes nothing on");
	buf_reset(&out);
	l.layers.tcp = false;
	l.loop = RUNG_NONE;
	ladder_lines(&out, &l, &v);
	assert_string_equal(
		buf_string(&out),
		"so    the board is gone or busy with a tool, or the broker passes nothing on");
}

/* Who is gone: by whose connection it was. */
static void test_who_is_gone(void **state)
{
	struct ladder l = board(RUNG_SILENT, RUNG_SILENT);

	(void)state;
	l.layers.unacked = 174;
	l.layers.retransmits = 1;
	l.layers.unacked_ms = LADDER_GONE_MS - 1;
	is(&l, -1, "too early");
	l.layers.unacked_ms = LADDER_GONE_MS;
	is(&l, N120, "the board or its Wi-Fi is gone");
	l.board = false;
	is(&l, N120, "the peer or its network is gone");
	l.layers.broker = true;
	is(&l, N120, "the broker is gone");
	/* Without TCP nothing is overdue. */
	l.layers.tcp = l.layers.broker = false;
	is(&l, -1, "main loop is silent too");
	/* A server that only has a loop to ask. */
	l = board(RUNG_NONE, RUNG_SILENT);
	l.board = false;
	is(&l, -1, "it is there; whether it works on this");
	/* A board without a loop to ask, and what is odd but no answer. */
	l = board(RUNG_SILENT, RUNG_NONE);
	is(&l, -1, "the server hangs, or");
	l = board(RUNG_ANSWERED, RUNG_SILENT);
	l.odd = true;
	is(&l, D132, "still running");
	l = board(RUNG_SILENT, RUNG_SILENT);
	l.odd = true;
	is(&l, D133, "network task");
	/* Only a board owes an answer. */
	l = board(RUNG_ANSWERED, RUNG_ANSWERED);
	l.tool = l.board = false;
	l.owed = true;
	is(&l, -1, "gave this no answer");
}

/* device.md 3.9 */
static void test_threads(void **state)
{
	static const char *const yes[] = { "1.7.0", "1.8.9", "1.9.1", "2.0.0" };
	static const char *const no[] = { "1.6.6", "1.9.2", "2.0.1", "2.4.2",
					  "3.7.0", "",	    "2.0",   "x" };

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_true(firmware_has_threads(yes[i]));
	for (size_t i = 0; i < COUNT(no); i++)
		assert_false(firmware_has_threads(no[i]));
	assert_false(firmware_has_threads(NULL));
}

/* As serve tells them, and as something else might. */
static void test_layers(void **state)
{
	const struct layers l = { .tcp = true,
				  .unacked = 174,
				  .unsent = 3,
				  .retransmits = 5,
				  .unacked_ms = 9000,
				  .rtt_us = 40,
				  .ping = true,
				  .pong_us = 77 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct layers back;
	cJSON *json;

	(void)state;
	buf_text(&text, "{\"op\":\"layers\"");
	layers_encode(&text, &l);
	buf_char(&text, '}');
	json = json_parse(buf_string(&text), text.len, NULL);
	assert_non_null(json);
	layers_decode(&back, json);
	assert_true(back.tcp && back.ping && !back.broker);
	assert_int_equal(back.unacked, 174);
	assert_int_equal(back.unsent, 3);
	assert_int_equal(back.retransmits, 5);
	assert_int_equal(back.unacked_ms, 9000);
	assert_int_equal(back.rtt_us, 40);
	assert_int_equal(back.pong_us, 77);
	cJSON_Delete(json);
	json = cJSON_Parse("{\"tcp\":{\"unacked\":-1,\"rtt_us\":\"x\"}}");
	layers_decode(&back, json);
	assert_true(back.tcp);
	assert_int_equal(back.unacked, 0);
	assert_int_equal(back.rtt_us, 0);
	assert_int_equal(back.pong_us, -1);
	cJSON_Delete(json);
	layers_decode(&back, NULL);
	assert_false(back.tcp || back.ping);
	assert_false(layers_of_socket(&back, -1));
	assert_int_equal(back.pong_us, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_layers_in_words),
		cmocka_unit_test(test_silent_json),
		cmocka_unit_test(test_who_is_gone),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
