/* SPDX-License-Identifier: MIT */
/*
 * The queue of records: order, bound, what is counted when it was full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/record.h"

static void assert_next(struct records *r, const char *text)
{
	struct record *first = records_take(r);

	assert_non_null(first);
	assert_string_equal(first->text, text);
	assert_null(first->next);
	record_free(first);
}

static void test_order(void **state)
{
	struct records r;
	bool wake = false;
	struct record *added;

	(void)state;
	records_init(&r, &wake);
	assert_null(records_take(&r));
	added = records_add(&r, RECORD_OTA, LEVEL_INFO, "aa:bb", "10.0.0.1:5",
			    "asked %s", "OTA");
	assert_non_null(added);
	assert_true(wake);
	assert_int_equal(added->kind, RECORD_OTA);
	assert_string_equal(added->device, "aa:bb");
	assert_string_equal(added->address, "10.0.0.1:5");
	assert_true(added->at_ms > 1500000000000);
	assert_non_null(
		records_add(&r, RECORD_GONE, LEVEL_WARN, NULL, NULL, "two"));
	assert_next(&r, "asked OTA");
	assert_next(&r, "two");
	assert_null(records_take(&r));
	assert_non_null(
		records_add(&r, RECORD_GONE, LEVEL_WARN, NULL, NULL, "three"));
	records_done(&r);
	assert_null(records_take(&r));
}

static void test_debug_only_if_verbose(void **state)
{
	struct records r;
	bool wake = false;

	(void)state;
	records_init(&r, &wake);
	assert_null(records_add(&r, RECORD_ATTACHED, LEVEL_DEBUG, NULL, NULL,
				"one"));
	assert_false(wake);
	r.verbose = true;
	assert_non_null(records_add(&r, RECORD_ATTACHED, LEVEL_DEBUG, NULL,
				    NULL, "one"));
	records_done(&r);
}

static void fill(struct records *r, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records_add(r, RECORD_NOISE, LEVEL_INFO, NULL, NULL, "%zu", i);
}

static void test_flood(void **state)
{
	struct records r;
	struct record *last;

	(void)state;
	records_init(&r, NULL);
	fill(&r, RECORDS_MAX + 7);
	assert_int_equal(r.count, RECORDS_MAX);
	assert_next(&r, "0");
	assert_next(&r, "1");
	/* There is room again: what was lost stands before what comes. */
	records_add(&r, RECORD_GONE, LEVEL_INFO, NULL, NULL, "after");
	for (size_t i = 2; i < RECORDS_MAX; i++)
		record_free(records_take(&r));
	last = records_take(&r);
	assert_int_equal(last->kind, RECORD_DROPPED);
	assert_int_equal(last->level, LEVEL_WARN);
	assert_int_equal(last->count, 7);
	assert_string_equal(
		last->text,
		"7 records were lost: more came than could be shown");
	record_free(last);
	assert_next(&r, "after");
	assert_null(records_take(&r));
	/* Nothing came after: told at the end. */
	fill(&r, RECORDS_MAX + 1);
	for (size_t i = 0; i < RECORDS_MAX; i++)
		record_free(records_take(&r));
	last = records_take(&r);
	assert_int_equal(last->kind, RECORD_DROPPED);
	assert_int_equal(last->count, 1);
	assert_string_equal(last->text,
			    "1 record was lost: more came than could be shown");
	record_free(last);
	assert_null(records_take(&r));
	records_done(&r);
}

static void test_long_text(void **state)
{
	CLEANUP(mem_free_ptr) char *text = mem_zalloc(100001);
	struct records r;
	struct record *added;

	(void)state;
	/* Two bytes each: the cut must not split one. */
	for (size_t i = 0; i < 99999; i += 2)
		memcpy(text + 1 + i, "\xc3\xa9", 2);
	text[0] = 'x';
	text[100000] = '\0';
	records_init(&r, NULL);
	added = records_add(&r, RECORD_ODD, LEVEL_WARN, NULL, NULL, "%s", text);
	assert_true(strlen(added->text) < 8200);
	assert_string_equal(added->text + strlen(added->text) - 5,
			    "\xc3\xa9\xe2\x80\xa6");
	records_done(&r);
}

static void test_names(void **state)
{
	static const char *const kinds[] = {
		"listening",	"ota",	    "activate", "browser",   "vision",
		"upload",	"noise",    "refused",	"connected", "hello",
		"ready",	"failed",   "gone",	"replaced",  "message",
		"notification", "request",  "audio",	"utterance", "odd",
		"finding",	"attached", "detached", "broker",    "exec",
		"reload",	"breaker",  "enrolled", "told",	     "claim",
		"missing",	"fences",   "lease",	"power",     "serial",
		"stopping",	"dropped",  "more"
	};
	static const char *const levels[] = { "debug", "info", "good", "warn",
					      "bad" };

	(void)state;
	assert_int_equal(COUNT(kinds), RECORD_MORE + 1);
	for (size_t i = 0; i < COUNT(kinds); i++)
		assert_string_equal(record_kind_name((enum record_kind)i),
				    kinds[i]);
	for (size_t i = 0; i < COUNT(levels); i++)
		assert_string_equal(record_level_name((enum record_level)i),
				    levels[i]);
	for (int i = RECORD_LISTENING; i <= RECORD_DROPPED; i++)
		assert_non_null(record_kind_name((enum record_kind)i));
	assert_string_equal(record_kind_name(RECORD_READY), "ready");
	assert_string_equal(record_level_name(LEVEL_BAD), "bad");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_debug_only_if_verbose),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
