/* SPDX-License-Identifier: MIT */
/*
 * serve/attached: which device a command gets, requests and replies with their
 * own ids, what a device says unasked, the end of either side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include <errno.h>

#include "control_harness.h"
#include "serve/attached.h"

#define ATTACH "{\"op\":\"attach\"}"
#define REPLY(id, result)                                     \
	"{\"session_id\":\"s\",\"type\":\"mcp\",\"payload\":" \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}}"

/* ---- which device ---- */

static void waits_for_any(void **state)
{
	struct command c;
	struct fake_board *b;

	(void)state;
	command_open(&c);
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"waiting\",\"devices\":0",
		    "no device is there yet");
	b = fake_board_new("AA");
	expect_json(&c, "\"op\":\"waiting\",\"devices\":1",
		    "'aa' is not ready yet");
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	board_says(b, HELLO);
	expect_json(&c, "\"op\":\"attached\"", "\"hello\":" HELLO);
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	expect_quiet(&c);
	command_done(&c);
	fake_board_free(b);
}

static void waits_for_one(void **state)
{
	struct fake_board *a = board_ready("aa"), *b;
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"attach\",\"device\":\"B*\"}");
	expect_json(&c, "\"op\":\"waiting\"",
		    "no device fits 'B*' yet (there: aa)");
	fake_board_free(a);
	a = board_ready("aa");
	expect_quiet(&c);
	b = fake_board_new("bb");
	expect_json(&c, "\"op\":\"waiting\"", "'bb'");
	fake_board_free(b);
	expect_json(&c, "\"op\":\"waiting\"", "no device fits");
	b = board_ready("bb");
	/* Connected, and then ready. */
	expect_json(&c, "\"op\":\"waiting\"", "'bb'");
	expect_json(&c, "\"op\":\"attached\"", "\"id\":\"bb\"");
	command_done(&c);
	fake_board_free(a);
	fake_board_free(b);
}

static void many(void **state)
{
	struct fake_board *a = board_ready("aa"), *b = board_ready("ab");
	struct command c;

	(void)state;
	a->device->alias = "kitchen";
	command_open(&c);
	ask(&c, ATTACH);
	expect_json(&c, "{\"op\":\"error\",\"error\":{\"kind\":\"usage\"",
		    "\"detail\":\"aa (kitchen)\\nab\"");
	ask(&c, "{\"op\":\"attach\",\"device\":\"a?\"}");
	expect_json(&c, "2 devices fit 'a?'", "-d");
	ask(&c, "{\"op\":\"attach\",\"device\":\"Kitchen\"}");
	expect_json(&c, "\"op\":\"attached\"", "\"id\":\"aa\"");
	command_done(&c);
	fake_board_free(a);
	fake_board_free(b);
}

/* Two come while a command waits for one: it is not left to chance. */
static void two_come(void **state)
{
	struct fake_board *a, *b;
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"waiting\"", NULL);
	a = fake_board_new("aa");
	b = fake_board_new("bb");
	expect_json(&c, "\"op\":\"waiting\"", "'aa'");
	expect_json(&c, "\"op\":\"error\"", "\"usage\"");
	fake_board_free(a);
	fake_board_free(b);
	expect_quiet(&c);
	command_done(&c);
}

static void without_mcp(void **state)
{
	struct fake_board *b = fake_board_new("aa");
	struct command c;

	(void)state;
	board_says(b, "{\"type\":\"hello\",\"version\":3,\"transport\":"
		      "\"websocket\",\"features\":{}}");
	command_open(&c);
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"attached\"", "\"state\":\"no-mcp\"");
	command_done(&c);
	fake_board_free(b);
}

/* As deep as JSON may be: inside our object it would be too deep. */
static void deep_hello(void **state)
{
	CLEANUP(buf_done) struct buf hello = { 0 };
	struct fake_board *b = fake_board_new("aa");
	const char *text;
	struct command c;

	(void)state;
	buf_text(&hello, "{\"type\":\"hello\",\"features\":{\"mcp\":true},"
			 "\"a\":");
	for (int i = 0; i < 199; i++)
		buf_char(&hello, '[');
	for (int i = 0; i < 199; i++)
		buf_char(&hello, ']');
	buf_char(&hello, '}');
	board_says(b, buf_string(&hello));
	command_open(&c);
	ask(&c, ATTACH);
	text = hear(&c, CONTROL_JSON);
	assert_non_null(strstr(text, "\"op\":\"attached\""));
	assert_null(strstr(text, "\"hello\""));
	command_done(&c);
	fake_board_free(b);
}

/* ---- requests and replies ---- */

static void request(struct command *c, const char *id)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%s,"
				"\"method\":\"tools/call\"}",
				id);

	say(c, CONTROL_TEXT, text);
}

static void any_id(void **state)
{
	static const char *const ids[] = {
		"7",
		"\"abc\"",
		"1.5",
		"null",
		"-1",
		"12345678901234567890",
		"\"\\u0041\\\"\"",
		"[1]",
		"0",
	};
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	for (size_t i = 0; i < COUNT(ids); i++) {
		CLEANUP(mem_free_ptr)
		char *expected = mem_printf(REPLY("%s", "{\"id\":1}"), ids[i]);
		long id;

		request(&c, ids[i]);
		assert_int_equal(b->sent.count, i + 1);
		id = board_asked(b, i);
		assert_true(id > 0);
		assert_non_null(strstr(b->sent.word[i], "\"type\":\"mcp\""));
		assert_non_null(strstr(b->sent.word[i], "tools/call"));
		board_answers(b, id, "{\"id\":1}");
		expect_text(&c, expected);
	}
	command_done(&c);
	fake_board_free(b);
}

/* The device dialect, with an envelope of the command's own. */
static void enveloped(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	say(&c, CONTROL_TEXT,
	    "{\"id\":5,\"session_id\":\"mine\",\"type\":\"mcp\",\"payload\":"
	    "{\"method\":\"a\",\"params\":{\"id\":3}, \"id\" : 4 }}");
	assert_int_equal(b->sent.count, 1);
	assert_null(strstr(b->sent.word[0], "mine"));
	assert_non_null(strstr(b->sent.word[0], "{\"id\":3}"));
	board_answers(
		b, strtol(strstr(b->sent.word[0], "\"id\" : ") + 7, NULL, 10),
		"{}");
	expect_text(&c, REPLY("4", "{}"));
	command_done(&c);
	fake_board_free(b);
}

static void same_ids(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command one, two;

	(void)state;
	command_attach(&one, ATTACH);
	command_attach(&two, ATTACH);
	request(&one, "1");
	request(&two, "1");
	request(&one, "2");
	request(&two, "2");
	assert_int_equal(b->sent.count, 4);
	board_answers(b, board_asked(b, 3), "\"two 2\"");
	board_answers(b, board_asked(b, 0), "\"one 1\"");
	board_answers(b, board_asked(b, 2), "\"one 2\"");
	board_answers(b, board_asked(b, 1), "\"two 1\"");
	expect_text(&one, REPLY("1", "\"one 1\""));
	expect_text(&one, REPLY("2", "\"one 2\""));
	expect_text(&two, REPLY("2", "\"two 2\""));
	expect_text(&two, REPLY("1", "\"two 1\""));
	expect_quiet(&one);
	expect_quiet(&two);
	command_done(&one);
	command_done(&two);
	fake_board_free(b);
}

static void dies_in_the_middle(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command one, two;

	(void)state;
	command_attach(&one, ATTACH);
	command_attach(&two, ATTACH);
	request(&one, "1");
	request(&two, "1");
	command_done(&one);
	assert_int_equal(server.relays.by_id.count, 1);
	board_answers(b, board_asked(b, 0), "\"late\"");
	expect_json(&two, "\"op\":\"odd\"", "tools/call, late by ");
	board_answers(b, board_asked(b, 1), "\"mine\"");
	expect_text(&two, REPLY("1", "\"mine\""));
	expect_quiet(&two);
	command_done(&two);
	assert_null(b->device->audience);
	fake_board_free(b);
}

/* As firmware writes it: a quote is not escaped. */
static void broken_reply(void **state)
{
	struct fake_board *b = board_ready("aa");
	CLEANUP(mem_free_ptr) char *frame = NULL;
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	request(&c, "\"x\"");
	frame = mem_printf("{\"type\":\"mcp\",\"payload\":{\"id\":%ld,"
			   "\"error\":{\"message\":\"a \"b\"\"}}}",
			   board_asked(b, 0));
	board_says(b, frame);
	expect_text(&c, "{\"type\":\"mcp\",\"payload\":{\"id\":\"x\","
			"\"error\":{\"message\":\"a \"b\"\"}}}");
	command_done(&c);
	fake_board_free(b);
}

static void expect_refusal(struct command *c, const char *id, const char *code)
{
	const char *text = hear(c, CONTROL_TEXT);

	assert_non_null(text);
	assert_non_null(strstr(text, id));
	assert_non_null(strstr(text, code));
}

static void refusals(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	say(&c, CONTROL_TEXT, HELLO);
	expect_refusal(&c, "\"id\":null", "-32600");
	say(&c, CONTROL_TEXT, "[{\"id\":1,\"method\":\"a\"}]");
	expect_refusal(&c, "\"id\":null", "-32600");
	say(&c, CONTROL_TEXT, "{\"id\":1,");
	expect_refusal(&c, "\"id\":null", "-32700");
	assert_int_equal(b->sent.count, 0);
	b->full = true;
	request(&c, "\"q\"");
	expect_refusal(&c, "\"id\":\"q\"", "-32050");
	say(&c, CONTROL_TEXT, "{\"type\":\"tts\"}");
	expect_refusal(&c, "\"id\":null", "-32050");
	assert_int_equal(server.relays.by_id.count, 0);
	command_done(&c);
	fake_board_free(b);
}

static void too_many_calls(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	for (int i = 0; i < 1000; i++)
		request(&c, "1");
	request(&c, "\"last\"");
	expect_refusal(&c, "\"id\":\"last\"", "-32050");
	assert_int_equal(server.relays.by_id.count, 1000);
	board_answers(b, board_asked(b, 500), "{}");
	expect_text(&c, REPLY("1", "{}"));
	request(&c, "\"last\"");
	assert_int_equal(server.relays.by_id.count, 1000);
	command_done(&c);
	assert_int_equal(server.relays.by_id.count, 0);
	fake_board_free(b);
}

static void other_messages(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	say(&c, CONTROL_TEXT,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	/* A command may have attached before the session began. */
	say(&c, CONTROL_TEXT, "{\"type\":\"tts\",\"state\":\"start\"}");
	say(&c, CONTROL_TEXT, "{\"type\":\"mcp\",\"payload\":\"text\"}");
	assert_int_equal(b->sent.count, 3);
	assert_non_null(strstr(b->sent.word[0],
			       "\"type\":\"mcp\",\"payload\":{\"jsonrpc\":"
			       "\"2.0\",\"method\":"));
	assert_memory_equal(b->sent.word[1], "{\"session_id\":\"mcpctl-", 22);
	assert_non_null(strstr(b->sent.word[1],
			       "\",\"type\":\"tts\",\"state\":\"start\"}"));
	assert_string_equal(b->sent.word[2],
			    "{\"type\":\"mcp\",\"payload\":\"text\"}");
	expect_quiet(&c);
	command_done(&c);
	fake_board_free(b);
}

static void initialize_is_kept(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c, later;

	(void)state;
	command_attach(&c, ATTACH);
	say(&c, CONTROL_TEXT,
	    "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"initialize\"}");
	board_answers(b, board_asked(b, 0),
		      "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
		      "\"serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}");
	hear(&c, CONTROL_TEXT);
	command_open(&later);
	ask(&later, ATTACH);
	expect_json(&later, "\"op\":\"attached\"",
		    "\"initialize\":{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":");
	command_done(&c);
	command_done(&later);
	fake_board_free(b);
}

/* ---- what the device says ---- */

static void order(void **state)
{
	static const char event[] = "{\"type\":\"listen\",\"state\":\"start\"}";
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	request(&c, "1");
	board_says(b, event);
	board_answers(b, board_asked(b, 0), "{}");
	board_says(b, event);
	expect_text(&c, event);
	expect_text(&c, REPLY("1", "{}"));
	expect_text(&c, event);
	command_done(&c);
	fake_board_free(b);
}

static void audio_to_tail(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command plain, tail;

	(void)state;
	command_attach(&plain, ATTACH);
	command_attach(&tail, "{\"op\":\"attach\",\"tail\":true}");
	control_audio(b->device, "opus", 4);
	board_says(b, "{\"type\":\"abort\"}");
	assert_string_equal(hear(&tail, CONTROL_BINARY), "opus");
	expect_text(&tail, "{\"type\":\"abort\"}");
	expect_text(&plain, "{\"type\":\"abort\"}");
	command_done(&plain);
	control_audio(b->device, "opus", 4);
	assert_string_equal(hear(&tail, CONTROL_BINARY), "opus");
	command_done(&tail);
	control_audio(b->device, "opus", 4);
	fake_board_free(b);
}

/* What it did not read in time is counted; no reply is missing. */
static void deaf_tail(void **state)
{
	enum { EVENTS = 100000 };
	struct fake_board *b = board_ready("aa");
	uint64_t heard = 0, lost = 0, count;
	const char *text;
	struct command c;
	int replies = 0;

	(void)state;
	command_attach(&c, "{\"op\":\"attach\",\"tail\":true}");
	for (int i = 0; i < 100; i++)
		request(&c, "5");
	for (int i = 0; i < EVENTS; i++) {
		CLEANUP(mem_free_ptr)
		char *event = mem_printf("{\"type\":\"iot\",\"n\":%d}", i);

		control_text(b->device, event, strlen(event));
		if (i % 1000 == 0)
			board_answers(b, board_asked(b, (size_t)i / 1000),
				      "{}");
	}
	buf_consume(&c.in, take_size(&c.taken));
	while (heard + lost < EVENTS || replies < 100) {
		struct control_frame f = { .kind = CONTROL_JSON };

		while (!control_decode(&f, buf_string(&c.in), c.in.len, NULL))
			read_bytes(&c);
		text = f.kind == CONTROL_JSON ? f.data : NULL;
		if (text && sscanf(text, "{\"op\":\"lost\",\"count\":%" SCNu64,
				   &count) == 1)
			lost += count;
		else if (strstr(f.data, "\"type\":\"mcp\""))
			replies++;
		else
			heard++;
		buf_consume(&c.in, f.size);
	}
	assert_int_equal(heard + lost, EVENTS);
	assert_int_equal(replies, 100);
	assert_true(lost > 0 && heard > 1000);
	board_says(b, "{\"type\":\"abort\"}");
	expect_text(&c, "{\"type\":\"abort\"}");
	command_done(&c);
	fake_board_free(b);
}

/* Replies are never dropped: then it is the command that goes. */
static void deaf_caller(void **state)
{
	CLEANUP(mem_free_ptr) char *large = mem_alloc(1000003);
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	memset(large, 'a', 1000002);
	large[0] = large[1000001] = '"';
	large[1000002] = '\0';
	command_attach(&c, ATTACH);
	for (int i = 0; i < 40; i++)
		request(&c, "5");
	for (size_t i = 0; i < 40; i++)
		board_answers(b, board_asked(b, i), large);
	for (int i = 0; i < 10; i++)
		loop_poll(loop);
	assert_null(b->device->audience);
	assert_int_equal(server.relays.by_id.count, 0);
	command_done(&c);
	fake_board_free(b);
}

/* ---- the end ---- */

static void device_goes(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command one, two;

	(void)state;
	command_attach(&one, ATTACH);
	command_attach(&two, ATTACH);
	request(&one, "1");
	b->transport->ops->close(b->transport);
	expect_json(&one, "\"op\":\"gone\"", "\"connect\"");
	expect_end(&one);
	expect_json(&two, "\"op\":\"gone\"", "\"connect\"");
	expect_end(&two);
	assert_int_equal(server.relays.by_id.count, 0);
	command_done(&one);
	command_done(&two);
	fake_board_free(b);
}

/* An answer came: who asked is told so, and that it is none. */
static void stray_reply(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	request(&c, "1");
	expect_quiet(&c);
	board_answers(b, 12345, "{}");
	expect_json(&c, "\"op\":\"odd\"", ": id 12345, while tools/call waits");
	command_done(&c);
	fake_board_free(b);
}

/* By its own id to who asked; to another command in words, without an id. */
static void second_reply(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command one, two;

	(void)state;
	command_attach(&one, ATTACH);
	command_attach(&two, ATTACH);
	request(&one, "7");
	board_answers(b, board_asked(b, 0), "1");
	expect_text(&one, REPLY("7", "1"));
	board_answers(b, board_asked(b, 0), "2");
	expect_json(&one, "\"op\":\"odd\"", "\\\"id\\\":7,");
	expect_json(&two, "\"op\":\"odd\"",
		    "a second reply to one request: tools/call, ");
	command_done(&one);
	board_answers(b, board_asked(b, 0), "3");
	expect_json(&two, "\"op\":\"odd\"", "\"a second reply to ");
	command_done(&two);
	fake_board_free(b);
}

static void goes(struct fake_board *b, const char *text)
{
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "%s", text);
	if (!strstr(text, "hung up"))
		error_code(&why, ECONNRESET);
	b->transport->events->closed(b->transport->owner, &why);
	timer_close(&b->closing, NULL);
	words_done(&b->sent);
	loop_poll(loop);
	mem_free(b);
}

static void wants(const char *pattern, const char *hint)
{
	struct command c;

	command_open(&c);
	ask(&c, pattern);
	expect_json(&c, "\"op\":\"waiting\"", hint);
	command_done(&c);
}

/* Waking is for a board that sleeps: others need something else. */
static void what_to_do(void **state)
{
	struct fake_board *b;

	(void)state;
	wants(ATTACH, "wake the board (wake word or button); 'mcpctl help");
	b = fake_board_new("aa");
	wants(ATTACH, "said no hello: its own log");
	goes(b, "reset");
	wants(ATTACH, "'aa' went just now: reset; wake it");
	goes(fake_board_new("aa"), "reset");
	goes(fake_board_new("aa"), "it was reset");
	wants(ATTACH, "it was reset; it came 3 times, each for less than a "
		      "minute, and never hung up: does it crash");
	/* As firmware does after a talk, and what kick does: no crash. */
	goes(fake_board_new("aa"), "it hung up");
	wants(ATTACH, "it hung up; wake it (wake word or button)");
	wants("{\"op\":\"attach\",\"device\":\"a*\"}",
	      "it hung up; wake it (wake word or button)");
	wants("{\"op\":\"attach\",\"device\":\"bb:bb\"}",
	      "\"hint\":\"wake the board (wake word or button)\"");
	server.departed.short_stays = 1;
	server.departed.mqtt = true;
	wants(ATTACH, "comes again by itself: has it power");
	b = board_ready("cc");
	wants("{\"op\":\"attach\",\"device\":\"aa:aa\"}",
	      "; 'mcpctl devices' shows who is there");
	fake_board_free(b);
}

static void device_comes_again(void **state)
{
	struct fake_board *b = board_ready("aa"), *again;
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	again = board_ready("aa");
	expect_json(&c, "\"op\":\"gone\"", NULL);
	expect_end(&c);
	command_done(&c);
	command_attach(&c, ATTACH);
	request(&c, "1");
	assert_int_equal(again->sent.count, 1);
	assert_int_equal(b->sent.count, 0);
	command_done(&c);
	fake_board_free(b);
	fake_board_free(again);
}

/* No device that comes later is meant by it: it is not waited for. */
static void unknown_word(void **state)
{
	static const char *const may_come[] = {
		"b*",
		"id:x",
		"02:00:00:00:00:01",
		"02-00-00-00-00-01",
		"020000000001",
		"GID_x@@@02_00_00_00_00_01",
		"9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e"
	};
	struct fake_board *b = board_ready("kitchen");
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"attach\",\"device\":\"kitchem\"}");
	expect_json(&c, "\"op\":\"error\"", "did you mean 'kitchen'?");
	command_done(&c);
	command_open(&c);
	ask(&c, "{\"op\":\"attach\",\"device\":\"020000000\"}");
	expect_json(&c, "\"op\":\"error\"", "these are here: kitchen");
	command_done(&c);
	for (size_t i = 0; i < COUNT(may_come); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{\"op\":\"attach\",\"device\":\"%s\"}",
					may_come[i]);

		command_open(&c);
		ask(&c, text);
		expect_json(&c, "\"op\":\"waiting\"", "(there: kitchen)");
		command_done(&c);
	}
	fake_board_free(b);
}

static void serve_ends(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command attached, waiting;

	(void)state;
	command_attach(&attached, ATTACH);
	command_open(&waiting);
	ask(&waiting, "{\"op\":\"attach\",\"device\":\"b*\"}");
	expect_json(&waiting, "\"op\":\"waiting\"", NULL);
	request(&attached, "1");
	close_control();
	expect_json(&attached, "\"op\":\"gone\"", "serve was stopped");
	expect_end(&attached);
	expect_json(&waiting, "\"op\":\"error\"", "serve was stopped");
	expect_end(&waiting);
	assert_null(b->device->audience);
	command_done(&attached);
	command_done(&waiting);
	fake_board_free(b);
}

static void board_sounds(struct fake_board *b, const char *packet, size_t len)
{
	b->transport->events->message(b->transport->owner, FRAME_BINARY, packet,
				      len);
}

/* As its hello says: the packet alone, or behind a head of 4 bytes. */
static void sound_of_a_board(void **state)
{
	struct fake_board *b = board_ready("aa"), *c = fake_board_new("bb");
	struct command tail, other;

	(void)state;
	command_attach(&tail,
		       "{\"op\":\"attach\",\"device\":\"aa\",\"tail\":true}");
	board_sounds(b, "\x58op", 3);
	assert_string_equal(hear(&tail, CONTROL_BINARY), "\x58op");
	board_says(
		c,
		"{\"type\":\"hello\",\"version\":3,\"features\":{\"mcp\":true},\"transport\":\"websocket\"}");
	command_attach(&other,
		       "{\"op\":\"attach\",\"device\":\"bb\",\"tail\":true}");
	c->device->link.frame_version = 3;
	board_sounds(c, "\0\0\0\x02hi", 6);
	assert_string_equal(hear(&other, CONTROL_BINARY), "hi");
	/* One that is broken is none. */
	board_sounds(c, "\0\0\0\x09hi", 6);
	command_done(&tail);
	command_done(&other);
	fake_board_free(b);
	fake_board_free(c);
}

/* What cannot be said to it: who speaks is told why. */
static void sound_to_a_board(void **state)
{
	static char large[4098];
	struct fake_board *b = board_ready("aa");
	struct command c, other;

	(void)state;
	command_attach(&c, ATTACH);
	command_attach(&other, ATTACH);
	say(&c, CONTROL_BINARY, "");
	expect_json(&c, "\"op\":\"error\"", "a packet of 0 bytes");
	memset(large, 'x', sizeof(large) - 1);
	say(&c, CONTROL_BINARY, large);
	expect_json(&c, "\"op\":\"error\"", "a packet of 4097 bytes");
	large[4096] = '\0';
	say(&c, CONTROL_BINARY, large);
	expect_json(&c, "\"op\":\"error\"", "no sound can be sent");
	say(&c, CONTROL_BINARY, "abc");
	expect_json(&c, "\"op\":\"error\"",
		    "no sound can be sent over 'board'");
	say(&other, CONTROL_BINARY, "abc");
	expect_json(&other, "\"op\":\"error\"",
		    "another command speaks to the device");
	command_done(&c);
	/* Its place is free; the board is told that it is silent. */
	assert_non_null(strstr(b->sent.word[b->sent.count - 1],
			       "\"type\":\"tts\",\"state\":\"stop\""));
	say(&other, CONTROL_BINARY, "abc");
	expect_json(&other, "\"op\":\"error\"", "no sound can be sent");
	command_done(&other);
	fake_board_free(b);
}

static void layers(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_open(&c);
	ask(&c, "{\"op\":\"layers\"}");
	expect_json(&c, "\"usage\"", "'layers' needs a device");
	ask(&c, ATTACH);
	expect_json(&c, "\"op\":\"attached\"", NULL);
	ask(&c, "{\"op\":\"layers\"}");
	expect_json(&c, "\"op\":\"layers\"", NULL);
	command_done(&c);
	fake_board_free(b);
}

static struct buf sounded; /* what boards heard */

static int take_sound(struct transport *t, const void *packet, size_t len,
		      struct error *err)
{
	(void)t;
	(void)err;
	buf_add(&sounded, packet, len);
	return 0;
}

/* Speech begins at 0, each packet is of 60 ms, and a new text begins anew. */
static void speech(void **state)
{
	static const char packets[] = "\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\1x"
				      "\0\x02\0\0\0\0\0\0\0\0\0\x3c\0\0\0\1y"
				      "\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\1z"
				      "\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\1w";
	struct fake_board *b = fake_board_new("aa");
	struct transport_ops ops = board_ops;
	struct command c, other;

	(void)state;
	ops.send_sound = take_sound;
	b->transport->ops = &ops;
	board_says(
		b,
		"{\"type\":\"hello\",\"version\":2,\"features\":{\"mcp\":true},\"transport\":\"websocket\"}");
	b->device->link.frame_version = 2;
	command_attach(&c, ATTACH);
	command_attach(&other, ATTACH);
	say(&c, CONTROL_BINARY, "x");
	say(&c, CONTROL_BINARY, "y");
	say(&c, CONTROL_TEXT,
	    "{\"type\":\"tts\",\"state\":\"sentence_start\"}");
	say(&other, CONTROL_TEXT, "{\"type\":\"tts\",\"state\":\"stop\"}");
	say(&other, CONTROL_BINARY, "no");
	expect_json(&other, "\"op\":\"error\"", "another command speaks");
	say(&c, CONTROL_TEXT, "{\"type\":\"tts\",\"state\":\"stop\"}");
	say(&other, CONTROL_BINARY, "z");
	command_done(&other);
	say(&c, CONTROL_BINARY, "w");
	assert_int_equal(sounded.len, sizeof(packets) - 1);
	assert_memory_equal(sounded.data, packets, sizeof(packets) - 1);
	expect_quiet(&c);
	command_done(&c);
	buf_done(&sounded);
	fake_board_free(b);
}

/* What is told to who attaches; without what is too deep for one object. */
static void told_at_once(void **state)
{
	CLEANUP(buf_done) struct buf deep = { 0 };
	struct fake_board *b = board_ready("aa");
	const char *text;
	struct command c;

	(void)state;
	b->device->initialize = mem_strdup("{\"a\":1}");
	b->device->path = mem_strdup("/p");
	b->device->headers = mem_strdup("{\"h\":1}");
	b->device->protocol_version = 3;
	command_open(&c);
	ask(&c, ATTACH);
	text = hear(&c, CONTROL_JSON);
	assert_non_null(strstr(text,
			       ",\"hello\":" HELLO
			       ",\"initialize\":{\"a\":1},\"session_id\":\""));
	assert_non_null(strstr(
		text,
		"\",\"path\":\"/p\",\"headers\":{\"h\":1},\"protocol_version\":3,\"hellos\":1,\"frame_version\":1,\"layers\":true}"));
	command_done(&c);
	for (int i = 0; i < 200; i++)
		buf_char(&deep, '[');
	for (int i = 0; i < 200; i++)
		buf_char(&deep, ']');
	mem_free(b->device->hello);
	b->device->hello = mem_strdup(buf_string(&deep));
	command_open(&c);
	ask(&c, ATTACH);
	text = hear(&c, CONTROL_JSON);
	assert_null(strstr(text, "\"hello\""));
	assert_non_null(strstr(text, "\"initialize\":{\"a\":1}"));
	command_done(&c);
	mem_free(b->device->initialize);
	b->device->initialize = mem_strdup(buf_string(&deep));
	command_open(&c);
	ask(&c, ATTACH);
	text = hear(&c, CONTROL_JSON);
	assert_null(strstr(text, "\"hello\""));
	assert_null(strstr(text, "\"initialize\""));
	assert_non_null(strstr(text, "\"layers\":true}"));
	command_done(&c);
	fake_board_free(b);
}

/* Calls of tools that were answered are counted, and nothing else is. */
static void calls_are_counted(void **state)
{
	struct fake_board *b = board_ready("aa");
	struct command c;

	(void)state;
	command_attach(&c, ATTACH);
	request(&c, "1");
	assert_true(board_calls_count(b->device->calls) == 0);
	board_answers(b, board_asked(b, 0), "{}");
	hear(&c, CONTROL_TEXT);
	assert_true(board_calls_count(b->device->calls) == 1);
	say(&c, CONTROL_TEXT,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
	board_answers(b, board_asked(b, 1), "{}");
	hear(&c, CONTROL_TEXT);
	assert_true(board_calls_count(b->device->calls) == 1);
	command_done(&c);
	fake_board_free(b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serve_start, serve_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(waits_for_any),
		TEST(waits_for_one),
		TEST(many),
		TEST(two_come),
		TEST(without_mcp),
		TEST(deep_hello),
		TEST(any_id),
		TEST(enveloped),
		TEST(same_ids),
		TEST(dies_in_the_middle),
		TEST(broken_reply),
		TEST(refusals),
		TEST(too_many_calls),
		TEST(other_messages),
		TEST(initialize_is_kept),
		TEST(order),
		TEST(audio_to_tail),
		TEST(deaf_tail),
		TEST(deaf_caller),
		TEST(device_goes),
		TEST(stray_reply),
		TEST(second_reply),
		TEST(what_to_do),
		TEST(device_comes_again),
		TEST(unknown_word),
		TEST(serve_ends),
		TEST(sound_of_a_board),
		TEST(sound_to_a_board),
		TEST(layers),
		TEST(speech),
		TEST(told_at_once),
		TEST(calls_are_counted),
	};

	return cmocka_run_group_tests(tests, harness_make, harness_remove);
}
