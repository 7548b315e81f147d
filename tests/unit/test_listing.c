/* SPDX-License-Identifier: MIT */
/* mcp/listing: pages until there is no cursor, and what guards it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/listing.h"
#include "mcp/tools.h"

static int feed(struct listing *l, const char *text, struct error *err)
{
	struct message m;

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	return listing_feed_take(l, &m, err);
}

/* One page with a tool and this nextCursor, as JSON. */
static int feed_page(struct listing *l, const char *cursor, struct error *err)
{
	char *text = mem_printf("{\"id\":1,\"result\":{\"tools\":[{\"name\":"
				"\"t%zu\"}],\"nextCursor\":%s}}",
				l->list->count, cursor);
	int status = feed(l, text, err);

	mem_free(text);
	return status;
}

static void assert_params(const struct listing *l, const char *wanted)
{
	struct buf params = { 0 };

	buf_text(&params, "of before");
	listing_params(l, &params);
	assert_string_equal(buf_string(&params), wanted);
	buf_done(&params);
}

static void backends_view(void **state)
{
	struct tool_list list = { 0 };
	struct listing l;

	(void)state;
	listing_init(&l, &list, false);
	assert_params(&l, "");
	assert_int_equal(feed_page(&l, "\"a \\\"b\\\"\"", NULL), 0);
	assert_false(l.done);
	assert_params(&l, "{\"cursor\":\"a \\\"b\\\"\"}");
	assert_int_equal(
		feed(&l, "{\"id\":2,\"result\":{\"tools\":[7]}}", NULL), 0);
	assert_true(l.done);
	assert_int_equal(l.skipped, 1);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.pages, 2);
	listing_done(&l);
	tool_list_done(&list);
}

static void user_tools_on_every_page(void **state)
{
	struct tool_list list = { 0 };
	struct listing l;

	(void)state;
	listing_init(&l, &list, true);
	assert_params(&l, "{\"withUserTools\":true}");
	assert_int_equal(feed_page(&l, "\"self.b\"", NULL), 0);
	assert_params(&l, "{\"cursor\":\"self.b\",\"withUserTools\":true}");
	/* null is how some servers say that there is none. */
	assert_int_equal(feed_page(&l, "null", NULL), 0);
	assert_true(l.done);
	listing_done(&l);
	tool_list_done(&list);
}

static void an_empty_list_is_a_list(void **state)
{
	struct tool_list list = { 0 };
	struct listing l;

	(void)state;
	listing_init(&l, &list, true);
	assert_int_equal(feed(&l, "{\"id\":1,\"result\":{\"tools\":[]}}", NULL),
			 0);
	assert_true(l.done);
	assert_int_equal(list.count, 0);
	listing_done(&l);
	tool_list_done(&list);
}

/* From 2026-07-28 on an empty cursor is one; but the same twice never ends. */
static void an_empty_cursor(void **state)
{
	struct tool_list list = { 0 };
	struct error err = { 0 };
	struct listing l;

	(void)state;
	listing_init(&l, &list, false);
	l.modern = true;
	assert_int_equal(feed_page(&l, "\"\"", NULL), 0);
	assert_false(l.done);
	assert_params(&l, "{\"cursor\":\"\"}");
	assert_int_equal(feed_page(&l, "\"\"", &err), -1);
	assert_string_equal(
		err.text,
		"tools/list page 2: cursor '' came before, on page 1");
	error_reset(&err);
	listing_done(&l);
	tool_list_done(&list);
}

/* Two good pages, then one that breaks a rule: what came before stays. */
static void assert_guarded(const char *third, const char *text, size_t tools)
{
	struct tool_list list = { 0 };
	struct error err = { 0 };
	struct listing l;

	listing_init(&l, &list, false);
	assert_int_equal(feed_page(&l, "\"one\"", NULL), 0);
	assert_int_equal(feed_page(&l, "\"two\"", NULL), 0);
	assert_int_equal(feed(&l, third, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text, text);
	assert_false(l.done);
	assert_int_equal(list.count, tools);
	error_reset(&err);
	listing_done(&l);
	tool_list_done(&list);
}

static void guards(void **state)
{
	(void)state;
	assert_guarded("{\"id\":1,\"result\":{\"tools\":[{}],\"nextCursor\":"
		       "\"one\"}}",
		       "tools/list page 3: cursor 'one' came before, on page 1",
		       3);
	assert_guarded("{\"id\":1,\"result\":{\"tools\":[{}],\"nextCursor\":"
		       "\"\"}}",
		       "tools/list page 3: nextCursor is an empty text", 3);
	assert_guarded("{\"id\":1,\"result\":{\"tools\":[],\"nextCursor\":"
		       "\"three\"}}",
		       "tools/list page 3: no tools, but a nextCursor", 2);
	assert_guarded(
		"{\"id\":1,\"result\":{\"tools\":[{}],\"nextCursor\":3}}",
		"tools/list page 3: nextCursor is no string, but of "
		"type integer",
		3);
	assert_guarded("{\"id\":1,\"result\":{}}",
		       "page 3: the answer to tools/list has no array 'tools'",
		       2);
}

static void pages_have_an_end(void **state)
{
	struct tool_list list = { 0 };
	struct error err = { 0 };
	struct listing l;
	int status = 0;

	(void)state;
	listing_init(&l, &list, false);
	while (status == 0) {
		char cursor[32];

		snprintf(cursor, sizeof(cursor), "\"c%zu\"", list.pages);
		status = feed_page(&l, cursor, &err);
	}
	assert_int_equal(list.pages, LISTING_PAGES_MAX);
	assert_int_equal(list.count, LISTING_PAGES_MAX);
	assert_string_equal(err.text,
			    "tools/list: not at an end after 10000 pages");
	error_reset(&err);
	listing_done(&l);
	tool_list_done(&list);
}

static void bytes_have_an_end(void **state)
{
	struct tool_list list = { 0 };
	struct error err = { 0 };
	struct listing l;

	(void)state;
	listing_init(&l, &list, false);
	assert_int_equal(feed_page(&l, "\"a\"", &err), 0);
	/* The result, its tools with one that has a name, and the cursor. */
	assert_in_range(l.bytes, 5 * sizeof(cJSON) + 50,
			5 * sizeof(cJSON) + 100);
	l.bytes = LISTING_BYTES_MAX;
	assert_int_equal(feed_page(&l, "\"b\"", &err), -1);
	assert_string_equal(
		err.text,
		"tools/list page 2: more than 64 MB of memory in all");
	listing_done(&l);
	tool_list_done(&list);
}

static void failures_are_explained(void **state)
{
	struct tool_list list = { 0 };
	struct error err = { 0 };
	struct listing l;

	(void)state;
	listing_init(&l, &list, true);
	error_set(&err, ERR_PEER, "time over");
	assert_int_equal(listing_failed(&l, &err), -1);
	assert_string_equal(err.text, "time over");
	assert_string_equal(err.hint, "");
	assert_int_equal(feed_page(&l, "\"self.x\"", NULL), 0);
	error_set(&err, ERR_PEER,
		  "Failed to add tool  because of payload size limit");
	assert_int_equal(listing_failed(&l, &err), -1);
	assert_string_equal(err.text, "page 2: Failed to add tool  because of "
				      "payload size limit");
	assert_non_null(strstr(err.hint, "'self.x'"));
	error_set(&err, ERR_PEER,
		  "Failed to add tool self.x because of payload size limit");
	listing_failed(&l, &err);
	assert_non_null(strstr(err.hint, "7959"));
	listing_done(&l);
	tool_list_done(&list);
}

/* The recorded pages of firmware: 29 and 21 tools, then 31 and 26 (device.md 9). */
static void recorded_pages(void **state)
{
	FILE *in = fopen("tests/fixtures/firmware-2.4.2-paging.jsonl", "r");
	struct tool_list list = { 0 };
	struct listing l;
	char *line = NULL;
	size_t size = 0;
	size_t lists = 0;

	(void)state;
	assert_non_null(in);
	listing_init(&l, &list, false);
	while (getline(&line, &size, in) > 0) {
		cJSON *one = json_parse(line, strlen(line), NULL);
		const cJSON *got = json_array(one, "recv");

		if (strstr(line, "tools/list") && got && got->child &&
		    strstr(got->child->valuestring, "\"tools\":[") &&
		    feed(&l, got->child->valuestring, NULL) == 0 && l.done) {
			assert_true(list.count == 50 || list.count == 57);
			assert_int_equal(list.pages, 2);
			assert_int_equal(list.user_only,
					 list.count == 57 ? 7 : 0);
			lists++;
			listing_done(&l);
			tool_list_done(&list);
			listing_init(&l, &list, false);
		}
		cJSON_Delete(one);
	}
	assert_true(lists > 0);
	free(line);
	fclose(in);
	listing_done(&l);
	tool_list_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backends_view),
		cmocka_unit_test(user_tools_on_every_page),
		cmocka_unit_test(an_empty_list_is_a_list),
		cmocka_unit_test(an_empty_cursor),
		cmocka_unit_test(guards),
		cmocka_unit_test(pages_have_an_end),
		cmocka_unit_test(bytes_have_an_end),
		cmocka_unit_test(failures_are_explained),
		cmocka_unit_test(recorded_pages),
	};

	mem_init();
	return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
