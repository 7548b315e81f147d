/* SPDX-License-Identifier: MIT */
/*
 * What a sketch with the Arduino library says, in literal bytes. Run from the
 * project's root.
 */
#include "service_harness.h"
#include "sim/arduino.h"

static struct bench bench;
static struct arduino *sketch;
static struct words said, told;

static void on_text(void *owner, const char *text, size_t len)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(text, len);

	(void)owner;
	words_add(&said, copy);
}

static void on_line(void *owner, const char *text)
{
	(void)owner;
	words_add(&told, text);
}

static int set_up(void **state)
{
	static const struct arduino_events events = { .text = on_text,
						      .line = on_line };

	(void)state;
	bench_open(&bench, "src/sim/profiles/arduino.json", NULL);
	sketch = arduino_new(bench.service, &events, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arduino_free(sketch);
	bench_close(&bench);
	words_done(&said);
	words_done(&told);
	return 0;
}

/* text is heard; what is said to it, NULL: nothing. */
static void hears(const char *text, const char *answer)
{
	words_done(&said);
	arduino_hear(sketch, text, strlen(text));
	if (answer)
		assert_string_equal(said.count ? said.word[0] : "", answer);
	assert_int_equal(said.count, answer != NULL);
}

#define PING(id) "{\"jsonrpc\":\"2.0\"" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"

static void ids_as_text(void **state)
{
	(void)state;
	hears(PING(",\"id\":7"), PONG("7"));
	hears(PING(",\"id\":0"), PONG("0"));
	hears(PING(",\"id\":\"7\""), PONG("7"));
	/* That is no JSON. */
	hears(PING(",\"id\":\"a-b_n_1\""), PONG("a-b_n_1"));
	hears(PING(",\"id\":null"), PONG("null"));
	hears(PING(""), PONG("null"));
}

#define CALL(id)                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"led_blink\"," \
	"\"arguments\":{\"state\":\"on\"}}}"
#define CALLED(id)                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                 \
	",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{"       \
	"\\\"success\\\":true,\\\"state\\\":\\\"on\\\"}\"}],\"isError\":" \
	"false}}"

static void ids_as_numbers(void **state)
{
	(void)state;
	hears(CALL("7"), CALLED("7"));
	hears(CALL("\"7\""), CALLED("7"));
	hears(CALL("\"a_n_1\""), CALLED("0"));
	hears(CALL("3000000000"), CALLED("0"));
}

static void begins(void **state)
{
	static const char text[] =
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}";

	(void)state;
	arduino_hear(sketch, text, strlen(text));
	assert_int_equal(said.count, 2);
	assert_non_null(strstr(
		said.word[0],
		"\"id\":0,\"result\":{\"protocolVersion\":\"2024-11-05\""));
	assert_non_null(strstr(
		said.word[0],
		"\"serverInfo\":{\"name\":\"ESP-HA\",\"version\":\"1.0.0\"}"));
	assert_string_equal(
		said.word[1],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void says_nothing(void **state)
{
	(void)state;
	hears("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}",
	      NULL);
	hears("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
	      NULL);
	hears("{\"jsonrpc\":\"2.0\",\"id\":1}", NULL);
	hears("[]", NULL);
	hears("no", NULL);
	assert_string_equal(told.word[told.count - 1],
			    "a message is dropped: it is no JSON");
}

static void wrong_tool(void **state)
{
	static const char text[] =
		"{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"no\"}}";

	(void)state;
	arduino_hear(sketch, text, strlen(text));
	assert_int_equal(said.count, 1);
	assert_non_null(strstr(said.word[0], "\"id\":3,"));
	assert_non_null(strstr(said.word[0], "\"isError\":true"));
}

/* A text of len letters as argument of the tool that gives it four times. */
static void reads_log(size_t len)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_text(
		&text,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_log\",\"arguments\":{\"text\":\"");
	for (size_t i = 0; i < len; i++)
		buf_char(&text, 'x');
	buf_text(&text, "\"}}}");
	words_done(&said);
	arduino_hear(sketch, buf_string(&text), text.len);
}

/* 1,914 bytes of a result fit; a request of some 840 in its text does. */
static void small_documents(void **state)
{
	(void)state;
	reads_log(478);
	assert_int_equal(said.count, 1);
	assert_null(strstr(said.word[0], "\"text\":null"));
	reads_log(479);
	assert_non_null(strstr(said.word[0], "\"text\":null"));
	assert_non_null(
		strstr(told.word[told.count - 1], "its document has 2048"));
	reads_log(700);
	assert_int_equal(said.count, 1);
	reads_log(1000);
	assert_int_equal(said.count, 0);
	assert_non_null(
		strstr(told.word[told.count - 1], "its document has 1024"));
}

#define LIST(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/list\"}"

/* Each tool with its schema, and nothing else of it. */
static void lists(void **state)
{
	(void)state;
	hears(LIST("\"l-1\""),
	      "{\"jsonrpc\":\"2.0\",\"id\":l-1,\"result\":{\"tools\":[{\"name\":"
	      "\"led_blink\",\"description\":\"Switches the LED of the board: "
	      "on, off or blink.\",\"inputSchema\":{\"type\":\"object\","
	      "\"properties\":{\"state\":{\"type\":\"string\",\"enum\":[\"on\","
	      "\"off\",\"blink\"]}},\"required\":[\"state\"]}},{\"name\":"
	      "\"system_info\",\"description\":\"Tells chip, free memory and "
	      "uptime of the board.\",\"inputSchema\":{\"type\":\"object\","
	      "\"properties\":{}}},{\"name\":\"read_log\",\"description\":"
	      "\"Reads as many bytes of the board's log as it is asked for.\","
	      "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{"
	      "\"type\":\"string\"}},\"required\":[\"text\"]}}]}}");
	assert_string_equal(told.word[told.count - 1], "listed 3 tools");
}

static void hear(const char *text)
{
	arduino_hear(sketch, text, strlen(text));
}

/* What a person sees of it. */
static void tells(void **state)
{
	(void)state;
	hears(CALL("1"), CALLED("1"));
	assert_string_equal(told.word[told.count - 1], "called led_blink");
	hear("{\"id\":1,\"method\":\"tools/call\"}");
	assert_string_equal(told.word[told.count - 1], "called null: an error");
	assert_non_null(strstr(said.word[1], "{\\\"error\\\":\\\""));
	hear("{\"id\":1,\"method\":\"initialize\"}");
	assert_string_equal(told.word[told.count - 1], "asked to initialize");
	/* without arguments it is called with none */
	hears("{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
	      "\"system_info\"}}",
	      "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":"
	      "\"text\",\"text\":\"{\\\"success\\\":true,\\\"model\\\":"
	      "\\\"ESP32-S3\\\",\\\"freeHeap\\\":231452,\\\"uptime\\\":4711}\""
	      "}],\"isError\":false}}");
	hear("{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
	     "\"read_log\",\"arguments\":{}}}");
	assert_string_equal(told.word[told.count - 1],
			    "called read_log: an error");
}

/* Those at work have a bound, and no other is answered beyond it. */
static void too_many(void **state)
{
	static const struct arduino_events events = { .text = on_text,
						      .line = on_line };
	static const char slow[] =
		"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
		"\"slow\"}}";
	struct arduino *other;
	struct bench b;

	(void)state;
	bench_open(
		&b,
		"{\"kind\":\"service\",\"name\":\"s\",\"tools\":[{\"name\":"
		"\"slow\",\"result\":{\"text\":\"\",\"delay_ms\":1000000}}]}",
		NULL);
	other = arduino_new(b.service, &events, NULL);
	words_done(&said);
	words_done(&told);
	for (int i = 0; i < 16; i++)
		arduino_hear(other, slow, strlen(slow));
	assert_int_equal(told.count, 0);
	arduino_hear(other, slow, strlen(slow));
	assert_int_equal(told.count, 1);
	assert_string_equal(told.word[0],
			    "a message is dropped: too many calls are at work");
	arduino_hear(other, LIST("1"), strlen(LIST("1")));
	assert_int_equal(told.count, 2);
	assert_int_equal(said.count, 0);
	arduino_hear(other, PING(""), strlen(PING("")));
	assert_int_equal(said.count, 1);
	arduino_free(other);
	arduino_free(NULL);
	assert_int_equal(b.service->calls, 0);
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ids_as_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ids_as_numbers, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(begins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(wrong_tool, set_up, tear_down),
		cmocka_unit_test_setup_teardown(small_documents, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lists, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tells, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many, set_up, tear_down),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
