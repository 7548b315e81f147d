/* SPDX-License-Identifier: MIT */
/* Each fault by its name: what the device does then, and what it leaves alone. */
#include "base/json_scan.h"
#include "sim/sim.h"
#include "sim_harness.h"

#define STATUS                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{" \
	"\"name\":\"self.test.int\"}}"
#define ANSWER(id)                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{" \
	"\"type\":\"text\",\"text\":\"42\"}],\"isError\":false}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}"
#define PONG                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":6,\"error\":{\"message\":\"Method not " \
	"implemented: ping\"}}"
#define LIST(params) \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"" params "}"

/* A welcomed device with that fault. */
static void start(struct harness *h, const char *fault)
{
	harness_start(h, harness_profile("fixtures", NULL), fault, false);
	harness_welcome(h);
}

/* The call's reply; the fault must leave a ping alone. */
static const char *call(struct harness *h)
{
	harness_mcp(h, PING);
	harness_mcp_says(h, PONG);
	harness_mcp(h, STATUS);
	return harness_next(h, 0);
}

static void test_none(void **state)
{
	struct harness h;

	(void)state;
	start(&h, NULL);
	harness_mcp(&h, STATUS);
	harness_mcp_says(&h, ANSWER("5"));
	harness_stop(&h);
}

static void test_late_reply(void **state)
{
	struct harness h;

	(void)state;
	start(&h, "late-reply=60ms");
	assert_null(call(&h));
	harness_mcp(&h, PING); /* others are not held back */
	harness_mcp_says(&h, PONG);
	assert_non_null(harness_next(&h, 1000));
	harness_stop(&h);
}

static void test_no_reply(void **state)
{
	struct harness h;

	(void)state;
	start(&h, "no-reply");
	assert_null(call(&h));
	assert_null(harness_next(&h, 30));
	harness_stop(&h);
}

static void test_two_replies(void **state)
{
	struct harness h;
	const char *first;

	(void)state;
	start(&h, "two-replies");
	first = call(&h);
	assert_non_null(first);
	assert_string_equal(first, harness_next(&h, 0));
	harness_says(&h, NULL);
	harness_stop(&h);
}

static void test_ids(void **state)
{
	struct harness h;

	(void)state;
	start(&h, "wrong-id");
	harness_mcp(&h, STATUS);
	harness_mcp_says(&h, ANSWER("-995"));
	harness_stop(&h);
	start(&h, "string-id");
	harness_mcp(&h, STATUS);
	harness_mcp_says(&h, ANSWER("\"5\""));
	harness_stop(&h);
}

static void test_not_json(void **state)
{
	struct harness h;
	cJSON *json;

	(void)state;
	start(&h, "not-json");
	json = cJSON_Parse(call(&h));
	assert_null(json);
	harness_stop(&h);
}

static void test_cut(void **state)
{
	struct harness h;

	(void)state;
	start(&h, "cut-frame");
	assert_string_equal(call(&h), "<cut>");
	assert_false(h.device.online);
	harness_stop(&h);
	start(&h, "close-mid-reply");
	assert_string_equal(call(&h), "<cut, Close>");
	harness_stop(&h);
}

static void test_huge(void **state)
{
	struct harness h;
	const char *text;

	(void)state;
	start(&h, "huge=100000"); /* the board's own limit does not hold */
	text = call(&h);
	assert_non_null(text);
	assert_true(strlen(text) > 100000);
	harness_stop(&h);
	start(&h, "huge");
	text = call(&h);
	assert_non_null(text);
	assert_true(strlen(text) > 16u << 20);
	harness_stop(&h);
}

static void test_deep(void **state)
{
	struct harness h;
	const char *text;

	(void)state;
	start(&h, "deep");
	text = call(&h);
	assert_non_null(text);
	assert_non_null(strstr(text, "[[[[[[[[[["));
	assert_null(cJSON_Parse(text)); /* deeper than cJSON goes */
	harness_stop(&h);
}

static void test_bytes(void **state)
{
	struct harness h;
	const char *text;
	cJSON *json;

	(void)state;
	start(&h, "bad-utf8");
	text = call(&h);
	assert_non_null(text);
	assert_int_equal(json_check(text, strlen(text), NULL), -1);
	harness_stop(&h);
	start(&h, "control-characters");
	text = call(&h);
	assert_non_null(text);
	json = json_parse(text, strlen(text), NULL);
	assert_non_null(json); /* valid JSON, dangerous text */
	assert_non_null(strstr(text, "\\u001b]0;"));
	cJSON_Delete(json);
	harness_stop(&h);
}

/* Every page names its own first tool as the next one. */
static void test_loop_cursor(void **state)
{
	struct harness h;
	const char *page;

	(void)state;
	start(&h, "loop-cursor");
	harness_mcp(&h, LIST(""));
	page = harness_next(&h, 0);
	assert_non_null(strstr(page, "],\"nextCursor\":"
				     "\"self.get_device_status\"}}}"));
	assert_non_null(strstr(page, "self.test.throw"));
	harness_mcp(&h, LIST(",\"params\":{\"cursor\":"
			     "\"self.get_device_status\"}"));
	assert_string_equal(harness_next(&h, 0), page);
	harness_stop(&h);
}

static void test_loop_cursor_on_many_pages(void **state)
{
	struct harness h;
	const char *page;

	(void)state;
	harness_start(&h, harness_profile("large", NULL), "loop-cursor", false);
	harness_welcome(&h);
	harness_mcp(&h, LIST(""));
	page = harness_next(&h, 0);
	assert_null(strstr(strstr(page, "nextCursor") + 5, "nextCursor"));
	assert_non_null(strstr(page, "\"nextCursor\":"
				     "\"self.get_device_status\"}}}"));
	harness_stop(&h);
}

static void test_pages(void **state)
{
	struct harness h;
	const char *page, *again;

	(void)state;
	start(&h, "empty-page");
	harness_mcp(&h, LIST(""));
	harness_mcp_says(&h, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{"
			     "\"tools\":[],\"nextCursor\":"
			     "\"self.get_device_status\"}}");
	harness_stop(&h);
	start(&h, "duplicate-tool");
	harness_mcp(&h, LIST(""));
	page = strstr(harness_next(&h, 0), "{\"name\":\"self.get_device_st");
	again = strstr(page + 1, "{\"name\":\"self.get_device_st");
	assert_non_null(again);
	assert_memory_equal(page, again, (size_t)(again - page) - 1);
	assert_null(strstr(page, "nextCursor"));
	harness_stop(&h);
}

static void test_hello(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("fixtures", NULL), "no-features",
		      false);
	harness_says(&h, "{\"type\":\"hello\",\"version\":1,\"transport\":"
			 "\"websocket\",\"audio_params\":{\"format\":\"opus\","
			 "\"sample_rate\":16000,\"channels\":1,"
			 "\"frame_duration\":60}}");
	harness_stop(&h);
	harness_start(&h, harness_profile("fixtures", NULL), "no-hello", false);
	assert_null(harness_next(&h, 30));
	harness_stop(&h);
	harness_start(&h, harness_profile("fixtures", NULL), "late-hello=40ms",
		      false);
	harness_says(&h, NULL);
	assert_non_null(strstr(harness_next(&h, 1000), "\"type\":\"hello\""));
	harness_stop(&h);
}

static void test_notify_storm(void **state)
{
	struct harness h;
	size_t i;

	(void)state;
	start(&h, "notify-storm=3");
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			"\"initialize\"}");
	assert_non_null(strstr(harness_next(&h, 0), "serverInfo"));
	for (i = 0; i < 3; i++)
		assert_non_null(strstr(harness_next(&h, 0),
				       "\"method\":\"notifications/"));
	harness_says(&h, NULL);
	harness_stop(&h);
}

/* It fits a queue of events, and the reader has its turn in between. */
static void test_a_long_storm_comes_in_slices(void **state)
{
	struct harness h;
	size_t before;

	(void)state;
	start(&h, "notify-storm=5000");
	before = h.said.count;
	harness_mcp(&h, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			"\"initialize\"}");
	assert_in_range(h.said.count - before, 2, 4000);
	for (size_t i = 0; i < 5001; i++)
		assert_non_null(harness_next(&h, 10000));
	harness_says(&h, NULL);
	harness_stop(&h);
}

static void test_plan(void **state)
{
	struct fault_plan plan = { .count = 0 };
	struct error err = { 0 };
	struct fault_set set;

	(void)state;
	assert_int_equal(fault_plan_add(&plan,
					"no-reply,3:deep,2:late-reply=2s", 3,
					&err),
			 0);
	fault_plan_for(&plan, 1, &set);
	assert_int_equal(set.bits, 1u << FAULT_NO_REPLY);
	fault_plan_for(&plan, 2, &set);
	assert_int_equal(set.bits,
			 1u << FAULT_NO_REPLY | 1u << FAULT_LATE_REPLY);
	assert_int_equal(set.reply_late_ms, 2000);
	fault_plan_for(&plan, 3, &set);
	assert_true(fault_has(&set, FAULT_DEEP));
	assert_int_equal(set.reply_late_ms, 11000);
	fault_plan_done(&plan);
}

/* What an amount becomes, of the fault that takes it, and of no other. */
static void test_amounts(void **state)
{
	static const struct {
		const char *text;
		int64_t reply, hello, busy, storm, huge;
	} rows[] = {
		{ "deep", 11000, 5000, 60000, 5000, 17825792 },
		{ "late-reply,late-hello,busy-loop,notify-storm,huge", 11000,
		  5000, 60000, 5000, 17825792 },
		{ "late-reply=0ms", 0, 5000, 60000, 5000, 17825792 },
		{ "late-hello=2s", 11000, 2000, 60000, 5000, 17825792 },
		{ "busy-loop=1ms", 11000, 5000, 1, 5000, 17825792 },
		{ "notify-storm=0", 11000, 5000, 60000, 0, 17825792 },
		{ "huge=0", 11000, 5000, 60000, 5000, 0 },
		{ "huge=268435456", 11000, 5000, 60000, 5000, 268435456 },
		{ "1:huge=7,huge", 11000, 5000, 60000, 5000, 7 },
		{ "2:huge=7,1:busy-loop=9ms,3:late-reply=1s", 11000, 5000, 9,
		  5000, 17825792 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fault_plan plan = { .count = 0 };
		struct fault_set set;

		assert_int_equal(fault_plan_add(&plan, rows[i].text, 3, NULL),
				 0);
		fault_plan_for(&plan, 1, &set);
		assert_int_equal(set.reply_late_ms, rows[i].reply);
		assert_int_equal(set.hello_late_ms, rows[i].hello);
		assert_int_equal(set.busy_ms, rows[i].busy);
		assert_int_equal(set.storm, rows[i].storm);
		assert_int_equal(set.huge, rows[i].huge);
		fault_plan_done(&plan);
		assert_int_equal(plan.count, 0);
	}
}

/* While a tool takes its time, so many answers wait, and no more. */
static void test_overrun(void **state)
{
	struct harness h;
	size_t asked = 0;

	(void)state;
	start(&h, "busy-loop=1h");
	harness_mcp(&h, STATUS);
	while (h.device.online && asked < 20000) {
		harness_mcp(&h, LIST(""));
		asked++;
	}
	assert_false(h.device.online);
	assert_true(asked > 5000);
	assert_int_equal(h.device.held, 0);
	harness_says(&h, "<drop>");
	assert_string_equal(
		h.notes.word[h.notes.count - 1],
		"line ends the connection: more than 64 MB of answers wait for the tool that is at work");
	harness_stop(&h);
}

/* What does nothing beside recorded answers is no silent success. */
static void test_beside_records(void **state)
{
	struct fault_plan plan = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(fault_plan_add(&plan, "no-reply,no-features", 1, NULL),
			 0);
	assert_int_equal(fault_plan_check(&plan, true, false, &err), 0);
	assert_int_equal(fault_plan_check(&plan, true, true, &err), -1);
	assert_int_equal(fault_plan_add(&plan, "deep", 1, NULL), 0);
	assert_int_equal(fault_plan_check(&plan, false, false, &err), 0);
	assert_int_equal(fault_plan_check(&plan, true, false, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(
		err.text,
		"fault 'deep' cannot be shown: what was recorded is said as it was");
	error_reset(&err);
	fault_plan_done(&plan);
}

static void bad_fault(const char *text, const char *why)
{
	CLEANUP(fault_plan_done) struct fault_plan plan = { .count = 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	assert_int_equal(fault_plan_add(&plan, text, 3, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, why);
}

static void test_bad_faults(void **state)
{
	static const char *const rows[][2] = {
		{ "no-replay",
		  "there is no fault 'no-replay' (did you mean 'no-reply'?)" },
		{ "", "there is no fault ''" },
		{ "deep,", "there is no fault ''" },
		{ "1:qqqq=7", "there is no fault 'qqqq'" },
		{ "Deep", "there is no fault 'Deep' (did you mean 'deep'?)" },
		{ "x:deep",
		  "fault 'x:deep': in front of the ':' stands the number of a device, as in 3:no-reply" },
		{ "0:deep=1",
		  "fault '0:deep=1': in front of the ':' stands the number of a device, as in 3:no-reply" },
		{ "2147483648:deep",
		  "fault '2147483648:deep': in front of the ':' stands the number of a device, as in 3:no-reply" },
		{ "3:deep,4:deep", "fault '4:deep': there is no device 4" },
		{ "deep=3", "fault 'deep' takes no value" },
		{ "2:no-reply=", "fault 'no-reply' takes no value" },
		{ "huge=lots",
		  "fault 'huge' takes a whole number, not 'lots'" },
		{ "huge=-1", "fault 'huge' takes a whole number, not '-1'" },
		{ "huge=268435457",
		  "fault 'huge' takes a whole number, not '268435457'" },
		{ "notify-storm=",
		  "fault 'notify-storm' takes a whole number, not ''" },
	};
	struct fault_plan plan = { .count = 0 };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		bad_fault(rows[i][0], rows[i][1]);
	assert_int_equal(fault_plan_add(&plan, "late-reply=soon", 1, &err), -1);
	assert_memory_equal(err.text, "fault 'late-reply': ", 20);
	error_reset(&err);
	/* All of them are shown. */
	assert_int_equal(fault_plan_add(&plan, "x", 1, &err), -1);
	assert_string_equal(err.hint, "'mcpctl help faults' lists them");
	assert_memory_equal(err.detail, "faults:\n  late-reply          a call",
			    36);
	assert_non_null(strstr(err.detail, "\n  upgrade-loops       with new"));
	error_reset(&err);
	fault_plan_done(&plan);
}

/* A reply of that method, bent by one fault. */
static void bent(enum fault fault, const struct firmware_reply *r,
		 const char *expected)
{
	const struct fault_set set = { .bits = 1u << fault, .huge = 5 };
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "<");
	fault_encode(&set, r, SERVER_2_5_0, &out);
	assert_string_equal(buf_string(&out) + 1, expected);
}

#define BENT(id, body) "{\"jsonrpc\":\"2.0\",\"id\":" id "," body "}"

static void test_bent_calls(void **state)
{
	const struct firmware_reply r = {
		.method = SERVER_CALL, .id = 5, .body = "{}", .len = 2
	};
	struct firmware_reply other = r;

	(void)state;
	bent(FAULT_NO_REPLY, &r, BENT("5", "\"result\":{}"));
	bent(FAULT_WRONG_ID, &r, BENT("-995", "\"result\":{}"));
	bent(FAULT_STRING_ID, &r, BENT("\"5\"", "\"result\":{}"));
	bent(FAULT_HUGE, &r,
	     BENT("5",
		  "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"xxxxx\"}],\"isError\":false}"));
	bent(FAULT_BAD_UTF8, &r,
	     BENT("5",
		  "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9 \xff\xfe \xc0\xaf\"}],\"isError\":false}"));
	bent(FAULT_DUPLICATE_TOOL, &r, BENT("5", "\"result\":{}"));
	other.id = 0;
	bent(FAULT_WRONG_ID, &other, BENT("1000", "\"result\":{}"));
	other.id = 1;
	bent(FAULT_WRONG_ID, &other, BENT("-999", "\"result\":{}"));
	other.id = -1;
	bent(FAULT_WRONG_ID, &other, BENT("999", "\"result\":{}"));
	/* What failed does not fail then. */
	other.is_error = true;
	bent(FAULT_NO_REPLY, &other,
	     BENT("-1", "\"error\":{\"code\":0,\"message\":\"{}\"}"));
	bent(FAULT_HUGE, &other,
	     BENT("-1",
		  "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"xxxxx\"}],\"isError\":false}"));
	/* Of another method nothing is bent. */
	other = r;
	other.method = SERVER_LIST;
	bent(FAULT_WRONG_ID, &other, BENT("5", "\"result\":{}"));
	bent(FAULT_STRING_ID, &other, BENT("5", "\"result\":{}"));
	bent(FAULT_HUGE, &other, BENT("5", "\"result\":{}"));
	bent(FAULT_LOOP_CURSOR, &other, BENT("5", "\"result\":{}"));
}

static void test_bent_pages(void **state)
{
	static const char last[] = "{\"tools\":[{1},{2}]}";
	static const char page[] = "{\"tools\":[{1},{2}],\"nextCursor\":\"c\"}";
	const struct firmware_tool first = { .name = (char[]){ "a" },
					     .json = (char[]){ "{1}" },
					     .json_len = 3 };
	struct firmware_reply r = { .method = SERVER_LIST,
				    .id = 5,
				    .body = page,
				    .len = strlen(page),
				    .first = &first };

	(void)state;
	bent(FAULT_HUGE, &r,
	     BENT("5",
		  "\"result\":{\"tools\":[{1},{2}],\"nextCursor\":\"c\"}"));
	bent(FAULT_LOOP_CURSOR, &r,
	     BENT("5",
		  "\"result\":{\"tools\":[{1},{2}],\"nextCursor\":\"a\"}"));
	bent(FAULT_EMPTY_PAGE, &r,
	     BENT("5", "\"result\":{\"tools\":[],\"nextCursor\":\"a\"}"));
	bent(FAULT_DUPLICATE_TOOL, &r,
	     BENT("5",
		  "\"result\":{\"tools\":[{1},{1},{2}],\"nextCursor\":\"c\"}"));
	r.body = last;
	r.len = strlen(last);
	bent(FAULT_LOOP_CURSOR, &r,
	     BENT("5",
		  "\"result\":{\"tools\":[{1},{2}],\"nextCursor\":\"a\"}"));
	bent(FAULT_EMPTY_PAGE, &r,
	     BENT("5", "\"result\":{\"tools\":[],\"nextCursor\":\"a\"}"));
	bent(FAULT_DUPLICATE_TOOL, &r,
	     BENT("5", "\"result\":{\"tools\":[{1},{1},{2}]}"));
	r.is_error = true;
	bent(FAULT_DUPLICATE_TOOL, &r,
	     BENT("5",
		  "\"error\":{\"code\":0,\"message\":\"{\"tools\":[{1},{2}]}\"}"));
}

/* The order of the enum is that of the rows. */
static void test_rows(void **state)
{
	(void)state;
	assert_string_equal(sim_fault_rows[FAULT_LATE_REPLY].name,
			    "late-reply");
	assert_string_equal(sim_fault_rows[FAULT_DEEP].name, "deep");
	assert_string_equal(sim_fault_rows[FAULT_NOTIFY_STORM].name,
			    "notify-storm");
	assert_string_equal(sim_fault_rows[FAULT_HALF_OPEN].name, "half-open");
	assert_null(sim_fault_rows[FAULT_COUNT].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_late_reply),
		cmocka_unit_test(test_no_reply),
		cmocka_unit_test(test_two_replies),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_not_json),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_loop_cursor),
		cmocka_unit_test(test_loop_cursor_on_many_pages),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_notify_storm),
		cmocka_unit_test(test_a_long_storm_comes_in_slices),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_beside_records),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_amounts),
		cmocka_unit_test(test_bad_faults),
		cmocka_unit_test(test_bent_calls),
		cmocka_unit_test(test_bent_pages),
		cmocka_unit_test(test_rows),
	};

	mem_init();
	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
