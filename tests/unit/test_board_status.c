/* SPDX-License-Identifier: MIT */
/* What boards say of themselves, read from results and shown in cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/board_status.h"

/* Of a result with this text, into s; known as it says. */
static bool reads(struct board_status *s, const char *text)
{
	CLEANUP(json_free_ptr) cJSON *result = cJSON_CreateObject();
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "text", text);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "content"), item);
	return board_status_read(s, result);
}

static void shows(const struct board_status *s, const char *battery,
		  const char *signal, const char *heap)
{
	struct buf out = { 0 };

	board_status_battery(&out, s);
	assert_string_equal(buf_string(&out), battery);
	buf_reset(&out);
	board_status_signal(&out, s);
	assert_string_equal(buf_string(&out), signal);
	buf_reset(&out);
	board_status_heap(&out, s);
	assert_string_equal(buf_string(&out), heap);
	buf_done(&out);
}

static void each_of_it(void **state)
{
	static const struct {
		const char *text;
		bool known;
		const char *battery, *signal, *heap;
	} rows[] = {
		{ "{\"battery\":{\"level\":85,\"charging\":true}}", true,
		  "85%+", "", "" },
		{ "{\"battery\":{\"level\":0,\"charging\":false}}", true, "0%",
		  "", "" },
		{ "{\"battery\":{\"level\":100}}", true, "100%", "", "" },
		{ "{\"battery\":{\"level\":101}}", false, "", "", "" },
		{ "{\"battery\":{\"level\":-1}}", false, "", "", "" },
		{ "{\"network\":{\"signal\":\"strong\"}}", true, "", "strong",
		  "" },
		{ "{\"network\":{\"signal\":7}}", false, "", "", "" },
		{ "{\"minimum_free_heap_size\":\"999\"}", true, "", "",
		  "999 B" },
		{ "{\"minimum_free_heap_size\":0}", true, "", "", "0 B" },
		{ "{\"minimum_free_heap_size\":\"much\"}", false, "", "", "" },
		{ "{\"minimum_free_heap_size\":-1}", false, "", "", "" },
		{ "{\"board\":{\"rssi\":-55}}", true, "", "-55 dBm", "" },
		{ "{\"board\":{\"rssi\":-200}}", true, "", "-200 dBm", "" },
		{ "{\"board\":{\"rssi\":-201}}", false, "", "", "" },
		{ "{\"board\":{\"rssi\":0}}", false, "", "", "" },
		{ "{\"battery\":{\"level\":1},\"network\":{\"signal\":\"s\"},"
		  "\"minimum_free_heap_size\":\"1\",\"board\":{\"rssi\":-1}}",
		  true, "1%", "-1 dBm", "1 B" },
		{ "{}", false, "", "", "" },
		{ "", false, "", "", "" },
		{ "true", false, "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct board_status s = { 0 };

		board_status_forget(&s);
		shows(&s, "", "", "");
		if (reads(&s, rows[i].text) != rows[i].known)
			fail_msg("%s", rows[i].text);
		shows(&s, rows[i].battery, rows[i].signal, rows[i].heap);
	}
}

/* What an answer does not tell stays as it was. */
static void told_in_two_answers(void **state)
{
	struct board_status s;

	(void)state;
	board_status_forget(&s);
	assert_true(reads(&s, "{\"battery\":{\"level\":7,\"charging\":true}}"));
	assert_true(reads(&s, "{\"minimum_free_heap_size\":\"1500\"}"));
	shows(&s, "7%+", "", "1.5 kB");
	assert_true(reads(&s, "{\"battery\":{\"level\":6}}"));
	shows(&s, "6%", "", "1.5 kB");
	assert_true(reads(&s, "{\"network\":{\"signal\":\"strong\"}}"));
	assert_true(reads(&s, "{\"network\":{\"signal\":\"weak\"}}"));
	shows(&s, "6%", "weak", "1.5 kB");
	board_status_forget(&s);
	shows(&s, "", "", "");
}

static void signals_are_cut(void **state)
{
	struct board_status s;
	struct buf text = { 0 };

	(void)state;
	board_status_forget(&s);
	buf_text(&text, "{\"network\":{\"signal\":\"");
	for (int i = 0; i < 100; i++)
		buf_text(&text, "音");
	buf_text(&text, "\"}}");
	assert_true(reads(&s, buf_string(&text)));
	/* Whole characters, as many as there is room for. */
	assert_int_equal(strlen(s.signal), (sizeof(s.signal) - 1) / 3 * 3);
	buf_done(&text);
}

static void sizes(void **state)
{
	static const struct {
		int64_t bytes;
		const char *words;
	} rows[] = {
		{ 1, "1 B" },
		{ 999, "999 B" },
		{ 1000, "1.0 kB" },
		{ 99900, "99.9 kB" },
		{ 99960, "100 kB" },
		{ 123456, "123 kB" },
		{ 999400, "999 kB" },
		{ 999500, "1.0 MB" },
		{ 2500000000, "2.5 GB" },
		{ 7000000000000, "7.0 TB" },
		{ 1234000000000000, "1234 TB" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct board_status s;
		struct buf out = { 0 };

		board_status_forget(&s);
		s.heap = rows[i].bytes;
		board_status_heap(&out, &s);
		assert_string_equal(buf_string(&out), rows[i].words);
		buf_done(&out);
	}
}

static void results_that_are_none(void **state)
{
	static const char *const rows[] = {
		"{}",
		"{\"content\":[]}",
		"{\"content\":[{\"text\":7}]}",
		"{\"content\":[{\"text\":\"{\\\"battery\\\":{\\\"level\\\":1}}\"}],\"isError\":true}",
		"{\"content\":[{\"type\":\"image\"},{\"text\":\"{\\\"battery\\\":{\\\"level\\\":1}}\"}]}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr)
		cJSON *result = json_parse(rows[i], strlen(rows[i]), NULL);
		struct board_status s;

		board_status_forget(&s);
		assert_non_null(result);
		assert_false(board_status_read(&s, result));
		shows(&s, "", "", "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_it),
		cmocka_unit_test(told_in_two_answers),
		cmocka_unit_test(signals_are_cut),
		cmocka_unit_test(sizes),
		cmocka_unit_test(results_that_are_none),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
