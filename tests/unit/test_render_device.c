/* SPDX-License-Identifier: MIT */
/*
 * Devices of a running serve and rows of --all, as text and JSON.
 */
#include "base/utf8.h"
#include "out/text_device.h"
#include "rendered.h"

#define DEVICE                                                            \
	"{\"id\": \"aa:01\",\"alias\":null,\"board\":\"esp\\u001b-box\"," \
	"\"version\":\"2.4.2\",\"transport\":\"mqtt\",\"address\":null,"  \
	"\"since\":\"2020-01-01T00:00:00.500Z\",\"seen\":\"yesterday\","  \
	"\"state\":\"ready\",\"reason\":null,\"tools\":12,\"user_tools\":7}"
#define WEBSOCKET                                                 \
	"{\"id\":\"aa:03\",\"board\":\"esp-box-3-lite\","         \
	"\"version\":\"2.4.2\",\"transport\":\"websocket\","      \
	"\"address\":\"[::1]:1\",\"since\":\"long ago, before\"," \
	"\"seen\":\"yesterday\",\"state\":\"ready\",\"tools\":12}"
#define FAILED                                                          \
	"{\"id\":\"aa:02\",\"alias\":\"kitchen\",\"state\":\"failed\"," \
	"\"reason\":\"no answer\\nto initialize\"}"

static struct rendered s;
static struct device_record record;
static cJSON *device;

static void start(enum output_form form, bool terminal, const char *text)
{
	rendered_start(&s, form, terminal);
	record = (struct device_record){ .took_us = -1 };
	device = json_parse(text, strlen(text), NULL);
	assert_non_null(device);
	record.device = device;
	record.device_text = (struct span){ text, strlen(text) };
}

static void end(void)
{
	rendered_end(&s);
	cJSON_Delete(device);
}

static void age(const char *time, int64_t now, const char *expected)
{
	struct buf out = { 0 };

	device_age(&out, time, now);
	assert_string_equal(buf_string(&out), expected);
	buf_done(&out);
}

static void test_ages(void **state)
{
	/* 2026-08-08T12:01:02Z */
	const int64_t then = INT64_C(1786190462000);

	(void)state;
	age("2026-08-08T12:01:02.123Z", then + 900, "now");
	age("2026-08-08T12:01:02Z", then + 999, "now");
	age("2026-08-08T12:01:02Z", then + 1000, "1 s ago");
	age("2026-08-08T12:01:02Z", then + 3999, "3 s ago");
	age("2026-08-08T12:01:02Z", then - 5000, "now");
	age("2026-08-08T12:01:02Z", then + 7260000, "2 h 1 min ago");
	age("2026-08-08 12:01:02Z", then, "2026-08-08 12:01:02Z");
	age("soon\x1b", then, "soon\\x1b");
	age(NULL, then, "-");
}

static void test_line(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, false, DEVICE);
	record.width[0] = 7;
	s.r.ops->device(&s.r, &record);
	assert_non_null(strstr(rendered_out(&s),
			       "aa:01    esp\\x1b-box  2.4.2  mqtt  12 tools"
			       "  "));
	assert_non_null(strstr(rendered_out(&s), " ago  yesterday  -\n"));
	end();
}

static void state(const char *members, const char *expected)
{
	char text[256];

	snprintf(text, sizeof(text), "{\"id\":\"aa:01\"%s}", members);
	start(OUTPUT_TEXT, false, text);
	s.r.ops->device(&s.r, &record);
	if (!strstr(rendered_out(&s), expected))
		fail_msg("%s", rendered_out(&s));
	end();
}

/* Notes are harmless, and one is told as any other number. */
static void test_states(void **ignored)
{
	(void)ignored;
	state("", "  -  -  -\n");
	state(",\"state\":\"ready\",\"tools\":1", "  1 tool  ");
	state(",\"state\":\"ready\",\"tools\":0,\"enrolled\":\"now\"",
	      "  0 tools, enrolled  ");
	state(",\"state\":\"failed\",\"tools\":3,\"lease\":{\"by\":\"ci\\u001b\"}",
	      "  failed, leased by ci\\x1b  ");
	state(",\"state\":\"ready\",\"findings\":{\"error\":1,\"warning\":2,\"note\":3}",
	      "  ready, 1 error, 2 warnings  ");
	state(",\"state\":\"ready\",\"findings\":{\"error\":0,\"warning\":1}",
	      "  ready, 1 warning  ");
}

/* Written as serve does, for a moment that long ago. */
static void stamp(char out[32], int64_t ago_s)
{
	time_t at = (time_t)(unix_now_ms() / 1000 - ago_s);
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%S.000Z", &tm);
}

/* What was asked is open, and nothing came: that is no "last seen" like any. */
static void stale(int64_t asked_s, bool worded, const char *expected)
{
	char text[256], seen[32], asked[32];

	stamp(seen, 7200);
	stamp(asked, asked_s);
	snprintf(text, sizeof(text),
		 "{\"id\":\"aa:01\",\"state\":\"ready\",\"tools\":12,"
		 "\"seen\":\"%s\",\"asked\":\"%s\"}",
		 seen, asked);
	start(OUTPUT_TEXT, false, text);
	record.worded = worded;
	s.r.ops->device(&s.r, &record);
	if (!strstr(rendered_out(&s), expected))
		fail_msg("%s", rendered_out(&s));
	end();
}

static void test_stale(void **state)
{
	(void)state;
	stale(60, false, "  12 tools  -  stale 2 h");
	stale(60, true, "  12 tools  -  stale 2 h");
	stale(0, false, "  12 tools  -  2 h ");
	stale(0, true, "  12 tools  -  heard 2 h ");
}

static void test_worded(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, false, DEVICE);
	record.worded = true;
	s.r.ops->device(&s.r, &record);
	assert_non_null(strstr(rendered_out(&s), "  came "));
	assert_non_null(strstr(rendered_out(&s), " ago  heard yesterday  -"));
	end();
}

static void test_failed(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, false, FAILED);
	s.r.ops->device(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "kitchen  -  -  -  failed  -  -  -\n"
			    "  no answer\\nto initialize\n");
	end();
	/* What is empty is not known, and no reason is no line. */
	start(OUTPUT_TEXT, false,
	      "{\"id\":\"a\",\"board\":\"\",\"state\":\"opening\",\"reason\":\"\"}");
	s.r.ops->device(&s.r, &record);
	assert_string_equal(rendered_out(&s), "a  -  -  -  opening  -  -  -\n");
	end();
}

static void test_heading(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, true, FAILED);
	render_widen(&record);
	record.device = NULL;
	render_widen(&record);
	assert_int_equal(record.width[0], 7);
	s.r.width = 80;
	s.r.ops->device(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "device   board  version  by  state   since  "
			    "last seen  address\n");
	end();
	/* a program does not want it */
	start(OUTPUT_TEXT, false, FAILED);
	record.device = NULL;
	s.r.ops->device(&s.r, &record);
	assert_string_equal(rendered_out(&s), "");
	end();
}

/*
 * What does not fit into a line of a terminal is left out, and stands below the
 * name where not even the state fits; a pipe gets all.
 */
static void test_narrow(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, true, WEBSOCKET);
	record.device = NULL;
	render_widen(&record);
	record.device = device;
	render_widen(&record);
	s.r.width = 76;
	s.r.ops->device(&s.r, &record);
	assert_non_null(strstr(rendered_out(&s), "  ws  12 tools  "));
	assert_non_null(strstr(rendered_out(&s), "yesterday\n"));
	end();
	start(OUTPUT_TEXT, true, WEBSOCKET);
	render_widen(&record);
	s.r.width = 30;
	s.r.ops->device(&s.r, &record);
	for (const char *at = rendered_out(&s); *at;
	     at += strcspn(at, "\n") + 1)
		if (text_width(at, strcspn(at, "\n")) > 30)
			fail_msg("%s", rendered_out(&s));
	assert_non_null(strstr(rendered_out(&s), "\n  "));
	assert_non_null(strstr(rendered_out(&s), "2.4.2, ws,"));
	assert_non_null(strstr(rendered_out(&s), "heard"));
	end();
	start(OUTPUT_TEXT, false, WEBSOCKET);
	s.r.width = 20;
	s.r.ops->device(&s.r, &record);
	assert_non_null(strstr(rendered_out(&s), "  [::1]:1\n"));
	end();
	start(OUTPUT_TEXT, false, WEBSOCKET);
	render_widen(&record);
	record.width[1] = 5;
	s.r.width = 20;
	s.r.ops->device(&s.r, &record);
	assert_non_null(strstr(rendered_out(&s), "  esp-box-3-lite  2.4.2  "));
	assert_non_null(strstr(rendered_out(&s), "  [::1]:1\n"));
	end();
}

static void named(const char *members, const char *expected)
{
	start(OUTPUT_TEXT, false, members);
	assert_string_equal(render_device_name(device), expected);
	end();
}

static void test_names(void **state)
{
	(void)state;
	named("{\"id\":\"a\",\"pick\":\"id:a\",\"alias\":\"k\"}", "k");
	named("{\"id\":\"a\",\"pick\":\"id:a\",\"alias\":\"\"}", "id:a");
	named("{\"id\":\"a\",\"pick\":\"\"}", "a");
	named("{\"id\":\"\"}", "?");
	named("{}", "?");
}

static void painted(const char *text, bool heads, const char *expected)
{
	start(OUTPUT_TEXT, true, text);
	s.r.out_color = true;
	s.r.width = 200;
	if (heads)
		record.device = NULL;
	s.r.ops->device(&s.r, &record);
	if (!strstr(rendered_out(&s), expected))
		fail_msg("%s", rendered_out(&s));
	end();
}

/* The name stands out; its state and why say whether it can be used. */
static void test_device_colors(void **state)
{
	(void)state;
	painted("{\"id\":\"a\"}", true, "\033[2mdevice\033[0m  \033[2mboard");
	painted("{\"id\":\"a\",\"state\":\"ready\",\"tools\":1}", false,
		"\033[1ma\033[0m  -  -  -  \033[32m1 tool\033[0m  -  -  -");
	painted("{\"id\":\"a\",\"state\":\"opening\"}", false,
		"\033[1ma\033[0m  -  -  -  opening  -");
	painted("{\"id\":\"a\",\"state\":\"no-mcp\"}", false,
		"  -  \033[1;31mno-mcp\033[0m  -");
	painted("{\"id\":\"a\",\"state\":\"failed\",\"reason\":\"why\"}", false,
		"  -  \033[1;31mfailed\033[0m  -  -  -\n  \033[33mwhy\033[0m\n");
}

/* One long name does not push the columns of all others away. */
static void test_long_name(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, true,
	      "{\"id\":\"0123456789012345678901234567890123456789\"}");
	render_widen(&record);
	assert_true(record.width[0] < 40);
	s.r.ops->device(&s.r, &record);
	assert_non_null(strstr(rendered_out(&s), "0123456789  -  -  "));
	end();
}

static void test_change(void **state)
{
	(void)state;
	start(OUTPUT_TEXT, false, FAILED);
	record.change = "gone";
	s.r.ops->device(&s.r, &record);
	/* The time is first. */
	assert_ptr_equal(strstr(rendered_out(&s), "  gone       kitchen  "),
			 s.out + strlen("12:00:00.000"));
	end();
	start(OUTPUT_JSON, false, FAILED);
	record.change = "gone";
	s.r.ops->device(&s.r, &record);
	assert_string_equal(rendered_out(&s), "{\"change\":\"gone\","
					      "\"device\":" FAILED "}\n");
	end();
}

static void test_json(void **state)
{
	(void)state;
	start(OUTPUT_JSON, false, "{\"id\": 12345678901234567890}");
	s.r.ops->device(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "{\"id\":12345678901234567890}\n");
	end();
}

/* ---- --all ---- */

static void row(const char *reply, const char *expected)
{
	struct message m = message_from(reply);

	start(OUTPUT_TEXT, false, FAILED);
	record.reply = &m;
	record.took_us = 12345;
	s.r.ops->row(&s.r, &record);
	assert_string_equal(rendered_out(&s), expected);
	end();
	message_done(&m);
}

static void test_rows(void **state)
{
	(void)state;
	row("{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"a\\nb\"},{\"type\":\"image\",\"mimeType\":\"image/png\","
	    "\"data\":\"AAAA\"}]}}",
	    "kitchen  ok        12 ms  a\\nb, image/png, 3 bytes\n");
	row("{\"id\":1,\"result\":{ \"tools\": [] }}",
	    "kitchen  ok        12 ms  {\"tools\":[]}\n");
	row("{\"id\":1,\"result\":null}", "kitchen  ok        12 ms  null\n");
	/* an answer that is good for ping */
	row("{\"id\":1,\"error\":{\"message\":\"no\"}}",
	    "kitchen  ok        12 ms\n");
}

/* What does not fit goes on below itself, and no line is wider than the terminal. */
static void test_wrapped_row(void **state)
{
	struct message m =
		message_from("{\"id\":1,\"result\":{\"content\":[{"
			     "\"type\":\"text\",\"text\":\""
			     "0123456789012345678901234567890123456789"
			     "\"}]}}");

	(void)state;
	start(OUTPUT_TEXT, false, FAILED);
	s.r.out_terminal = true;
	s.r.width = 60;
	record.reply = &m;
	record.took_us = 12345;
	s.r.ops->row(&s.r, &record);
	assert_string_equal(
		rendered_out(&s),
		"kitchen  ok        12 ms  0123456789012345678901234567890123\n"
		"                          456789\n");
	end();
	/* Below the answer also where other names are longer. */
	start(OUTPUT_TEXT, false, FAILED);
	s.r.out_terminal = s.r.out_color = true;
	s.r.width = 60;
	record.width[0] = 9;
	record.reply = &m;
	s.r.ops->row(&s.r, &record);
	assert_string_equal(
		rendered_out(&s),
		"\033[1mkitchen\033[0m    \033[32mok   \033[0m            01234567890123456789012345678901\n"
		"                            23456789\n");
	end();
	message_done(&m);
}

static void test_failed_row(void **state)
{
	struct error why = { 0 };

	(void)state;
	error_set(&why, ERR_TIMEOUT, "time\x1bover");
	start(OUTPUT_TEXT, false, FAILED);
	record.error = &why;
	record.took_us = 900;
	record.width[0] = 9;
	s.r.ops->row(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "kitchen    error   0.90 ms  time\\x1bover\n");
	end();
	start(OUTPUT_JSON, false, FAILED);
	record.error = &why;
	s.r.ops->row(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "{\"device\":" FAILED
			    ",\"took_us\":null,\"error\":{\"kind\":"
			    "\"timeout\",\"status\":4,\"code\":null,"
			    "\"message\":\"time\\u001bover\",\"hint\":null,"
			    "\"detail\":null}}\n");
	end();
}

static void test_other_rows(void **state)
{
	struct message m = message_from("{\"id\": null,\"result\":1.10}");

	(void)state;
	start(OUTPUT_TEXT, false, FAILED);
	record.summary = "sent";
	s.r.ops->row(&s.r, &record);
	assert_string_equal(rendered_out(&s), "kitchen  ok               sent"
					      "\n");
	end();
	start(OUTPUT_RAW, false, FAILED);
	record.reply = &m;
	record.took_us = 7;
	s.r.ops->row(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "{\"device\":" FAILED ",\"took_us\":7,\"reply\":"
			    "{\"id\":null,\"result\":1.10}}\n");
	end();
	message_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_worded),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_heading),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_device_colors),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_wrapped_row),
		cmocka_unit_test(test_failed_row),
		cmocka_unit_test(test_other_rows),
	};

	return cmocka_run_group_tests_name("render_device", tests, NULL, NULL);
}
