/* SPDX-License-Identifier: MIT */
/*
 * cli/upgrade_board: what is seen of a board, and the verdict; and the ranges
 * of net/downloads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/upgrade_board.h"
#include "net/downloads.h"

#define SUM "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OTHER "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define SIZE 1000

static const struct upgrade_times times = {
	.start = 600000, .begin = 30000, .restart = 120000, .settle = 5000
};
static struct esp_image image;
static struct upgrade_board b;

static int start(void **state)
{
	(void)state;
	image = (struct esp_image){ .chip_name = "esp32s3",
				    .version = "2.5.0",
				    .elf_sha256 = SUM };
	b = (struct upgrade_board){ .image = &image,
				    .times = &times,
				    .size = SIZE,
				    .was = { .told = true,
					     .version = "2.4.2" } };
	return 0;
}

static int stop(void **state)
{
	(void)state;
	upgrade_board_done(&b);
	return 0;
}

static void assert_verdict(enum upgrade_verdict v, const char *word)
{
	if (b.verdict != v)
		fail_msg("'%s' (%s), not '%s'", upgrade_verdict_name(b.verdict),
			 b.why.text, upgrade_verdict_name(v));
	if (word && !strstr(b.why.text, word))
		fail_msg("'%s' does not say '%s'", b.why.text, word);
}

static void fetch(size_t bytes)
{
	upgrade_begin(&b, 0);
	upgrade_fetched(&b, bytes / 2, 1, 1, 10);
	upgrade_fetched(&b, bytes, 1, 0, 20);
}

static void test_done(void **state)
{
	(void)state;
	fetch(SIZE);
	upgrade_back(&b, "2.5.0", "", true, 1000);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, 5999);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, 6000);
	assert_verdict(UPGRADE_DONE, NULL);
	assert_string_equal(b.now, "2.5.0");
	assert_int_equal(b.why.kind, ERR_NONE);
	/* What comes later changes nothing. */
	upgrade_back(&b, "2.4.2", "", true, 7000);
	upgrade_answered(&b, false, "true", 7000);
	assert_verdict(UPGRADE_DONE, NULL);
}

static void test_falls_back_while_it_settles(void **state)
{
	(void)state;
	fetch(SIZE);
	upgrade_back(&b, "2.5.0", SUM, true, 1000);
	upgrade_back(&b, "2.4.2", "", true, 2000);
	assert_verdict(UPGRADE_OLD, "instead of 2.5.0");
	assert_int_equal(b.why.kind, ERR_UNMET);
}

static void test_loop(void **state)
{
	(void)state;
	fetch(SIZE);
	for (int i = 1; i <= 3; i++) {
		assert_verdict(UPGRADE_OPEN, NULL);
		upgrade_back(&b, "2.5.0", SUM, true, i * 1000);
	}
	assert_verdict(UPGRADE_LOOP, "3 times");
}

/* The sum decides where it is told: a version may lie. */
static void test_sum(void **state)
{
	(void)state;
	fetch(SIZE);
	upgrade_back(&b, "2.5.0", OTHER, true, 1000);
	assert_verdict(UPGRADE_UNSEEN, NULL);
	start(NULL);
	memcpy(b.was.version, "2.5.0", 6);
	fetch(SIZE);
	upgrade_back(&b, "2.5.0", SUM, true, 1000);
	upgrade_tick(&b, 6000);
	assert_verdict(UPGRADE_DONE, NULL);
}

static void test_never(void **state)
{
	(void)state;
	upgrade_begin(&b, 0);
	memcpy(b.said, "the device went", 16);
	upgrade_tick(&b, 29999);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, 30000);
	assert_verdict(UPGRADE_NEVER, "the device went");
	start(NULL);
	upgrade_begin(&b, 0);
	upgrade_back(&b, "2.4.2", "", true, 1000);
	assert_verdict(UPGRADE_NEVER, "fetched nothing");
}

static void test_part(void **state)
{
	(void)state;
	fetch(600);
	upgrade_tick(&b, 15019);
	assert_verdict(UPGRADE_OPEN, NULL);
	/* It goes on by another request. */
	upgrade_fetched(&b, 700, 2, 1, 15020);
	upgrade_tick(&b, 16000);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, 75020);
	assert_verdict(UPGRADE_PART, "700 of 1000");
	start(NULL);
	fetch(600);
	upgrade_back(&b, "2.4.2", "", true, 1000);
	assert_verdict(UPGRADE_PART, "back with version 2.4.2");
}

/* A slow board is not given up while bytes come. */
static void test_slow(void **state)
{
	(void)state;
	upgrade_begin(&b, 0);
	for (int i = 1; i < 100; i++) {
		upgrade_fetched(&b, (size_t)i * 10, 1, 1, i * 50000);
		upgrade_tick(&b, i * 50000 + 49999);
		assert_verdict(UPGRADE_OPEN, NULL);
	}
	upgrade_tick(&b, 99 * 50000 + 60000);
	assert_verdict(UPGRADE_PART, "990");
}

static void test_unseen(void **state)
{
	(void)state;
	fetch(SIZE);
	upgrade_tick(&b, 120019);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, 120020);
	assert_verdict(UPGRADE_UNSEEN, "not seen again");
	assert_int_equal(b.why.kind, ERR_TIMEOUT);
}

static void test_answers(void **state)
{
	(void)state;
	fetch(SIZE);
	upgrade_answered(&b, false, "true", 100);
	assert_verdict(UPGRADE_FAILED, "after a failure only");
	start(NULL);
	upgrade_begin(&b, 0);
	upgrade_answered(&b, true, "Unknown tool", 100);
	assert_verdict(UPGRADE_FAILED, "Unknown tool");
	assert_int_equal(b.why.kind, ERR_PEER);
}

static void test_fits(void **state)
{
	(void)state;
	assert_true(upgrade_fits(&b, false, 0));
	memcpy(b.was.chip, "ESP32-S3", 9);
	b.was.room = SIZE;
	assert_true(upgrade_fits(&b, false, 0));
	b.was.room = SIZE - 1;
	assert_false(upgrade_fits(&b, true, 0));
	assert_verdict(UPGRADE_UNFIT, "999");
	start(NULL);
	memcpy(b.was.chip, "esp32c3", 8);
	assert_false(upgrade_fits(&b, true, 0));
	assert_verdict(UPGRADE_UNFIT, "esp32c3");
	start(NULL);
	memcpy(b.was.elf_sha256, SUM, sizeof(SUM));
	assert_true(upgrade_fits(&b, true, 0));
	assert_false(upgrade_fits(&b, false, 0));
	assert_verdict(UPGRADE_SAME, NULL);
}

static void test_facts(void **state)
{
	static const char text[] =
		"{\"chip_model_name\":\"esp32s3\",\"application\":{\"version\":\"2.4.2\",\"elf_sha256\":\"" SUM
		"\"},\"ota\":{\"label\":\"ota_1\"},\"partition_table\":["
		"{\"label\":\"nvs\",\"type\":1,\"subtype\":2,\"size\":5},"
		"{\"label\":\"factory\",\"type\":0,\"subtype\":0,\"size\":6},"
		"{\"label\":\"ota_0\",\"type\":0,\"subtype\":16,\"size\":4128768},"
		"{\"label\":\"ota_1\",\"type\":0,\"subtype\":17,\"size\":7},"
		"{\"size\":-1},7]}";
	struct upgrade_facts f = { 0 };
	struct ota_request rq = { .chip = "esp32c3",
				  .version = "1.0",
				  .app_room = 5 };

	(void)state;
	upgrade_facts_read(&f, "no", 2);
	assert_false(f.told);
	upgrade_facts_read(&f, "[]", 2);
	assert_false(f.told);
	upgrade_facts_read(&f, text, sizeof(text) - 1);
	assert_true(f.told);
	assert_int_equal(f.room, 4128768);
	assert_string_equal(f.chip, "esp32s3");
	assert_string_equal(f.elf_sha256, SUM);
	assert_int_equal(f.assets_room, 0);
	/* Of what it asked earlier only what no upgrade changes. */
	upgrade_facts_asked(&f, &rq, false);
	assert_string_equal(f.chip, "esp32c3");
	assert_int_equal(f.room, 5);
	assert_string_equal(f.version, "2.4.2");
	assert_string_equal(f.elf_sha256, SUM);
	upgrade_facts_asked(&f, &rq, true);
	assert_string_equal(f.version, "1.0");
	assert_string_equal(f.elf_sha256, "");
	/* Where it tells less now, that stays. */
	upgrade_facts_read(&f, "{}", 2);
	assert_false(f.told);
	assert_int_equal(f.room, 5);
}

static void offer(void)
{
	b.way = UPGRADE_BY_OTA;
	upgrade_begin(&b, 0);
	/* Connected still, or again, with what it has: nothing follows. */
	upgrade_back(&b, "2.4.2", "", false, 50);
	upgrade_back(&b, "2.4.2", "", true, 60);
	assert_verdict(UPGRADE_OPEN, NULL);
	assert_int_equal(upgrade_stage(&b), UPGRADE_WAITING);
	upgrade_offered(&b, true, 100);
}

static void test_offered(void **state)
{
	(void)state;
	offer();
	upgrade_fetched(&b, SIZE / 2, 1, 1, 200);
	assert_int_equal(upgrade_stage(&b), UPGRADE_FETCHING);
	/* Another answer to OTA, to whoever asks in its name, changes nothing. */
	upgrade_offered(&b, true, 250);
	upgrade_fetched(&b, SIZE, 1, 0, 300);
	assert_int_equal(upgrade_stage(&b), UPGRADE_FETCHED);
	upgrade_back(&b, "2.5.0", SUM, true, 1000);
	assert_int_equal(upgrade_stage(&b), UPGRADE_BACK);
	upgrade_tick(&b, 6000);
	assert_verdict(UPGRADE_DONE, NULL);
}

static void test_offered_and_left(void **state)
{
	(void)state;
	offer();
	upgrade_tick(&b, 100 + times.begin - 1);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, 100 + times.begin);
	assert_verdict(UPGRADE_NEVER, "did not begin to fetch within 30 s");
}

static void test_never_starts(void **state)
{
	(void)state;
	b.way = UPGRADE_BY_OTA;
	upgrade_begin(&b, 0);
	upgrade_tick(&b, times.start - 1);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_tick(&b, times.start);
	assert_verdict(UPGRADE_NEVER, "did not ask OTA here within 10 min: ");
}

static void tell_assets(void)
{
	b.way = UPGRADE_ASSETS;
	b.image = NULL;
	upgrade_begin(&b, 0);
	/* It connects again, before it was told. */
	upgrade_back(&b, "2.4.2", "", true, 10);
	upgrade_answered(&b, false, "true", 20);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_offered(&b, true, 20);
}

static void test_assets(void **state)
{
	(void)state;
	tell_assets();
	upgrade_fetched(&b, SIZE, 1, 0, 100);
	upgrade_tick(&b, 100);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_back(&b, "2.4.2", "", true, 200);
	assert_int_equal(upgrade_stage(&b), UPGRADE_BACK);
	upgrade_tick(&b, 200);
	assert_verdict(UPGRADE_DONE, NULL);
}

/* The end of the fetch is heard behind what the board did next. */
static void test_assets_heard_late(void **state)
{
	(void)state;
	tell_assets();
	upgrade_fetched(&b, SIZE / 2, 1, 1, 100);
	upgrade_back(&b, "2.4.2", "", true, 200);
	upgrade_tick(&b, 201);
	assert_verdict(UPGRADE_OPEN, NULL);
	upgrade_fetched(&b, SIZE, 1, 0, 300);
	upgrade_tick(&b, 300);
	assert_verdict(UPGRADE_DONE, NULL);
}

static void test_assets_that_are_not_fetched(void **state)
{
	(void)state;
	tell_assets();
	upgrade_back(&b, "2.4.2", "", true, 200);
	upgrade_tick(&b, 200);
	assert_verdict(UPGRADE_NEVER, "is there after it was told");
	stop(NULL);
	start(NULL);
	tell_assets();
	upgrade_fetched(&b, SIZE / 2, 1, 0, 100);
	upgrade_back(&b, "2.4.2", "", true, 200);
	upgrade_tick(&b, 200);
	assert_verdict(UPGRADE_PART, "500 of 1000 bytes, and went on");
	stop(NULL);
	start(NULL);
	tell_assets();
	upgrade_answered(&b, true, "no", 30);
	assert_verdict(UPGRADE_FAILED, "refuses: no");
}

static void test_assets_that_do_not_fit(void **state)
{
	(void)state;
	b.way = UPGRADE_ASSETS;
	b.image = NULL;
	b.was.assets_room = SIZE;
	assert_true(upgrade_fits(&b, false, 0));
	b.was.assets_room = SIZE - 1;
	assert_false(upgrade_fits(&b, false, 0));
	assert_verdict(UPGRADE_UNFIT, "the partition for them 999");
}

static void test_ranges(void **state)
{
	static const struct {
		const char *text;
		int status;
		size_t from, count;
	} rows[] = {
		{ NULL, 0, 0, 0 },
		{ "bytes=0-", 1, 0, 100 },
		{ "bytes=10-19", 1, 10, 10 },
		{ "bytes=99-99", 1, 99, 1 },
		{ "bytes=90-1000", 1, 90, 10 },
		{ "bytes=-30", 1, 70, 30 },
		{ "bytes=-300", 1, 0, 100 },
		{ "bytes=100-", -1, 0, 0 },
		{ "bytes=-0", -1, 0, 0 },
		{ "bytes=19-10", 0, 0, 0 },
		{ "bytes=0-1,5-6", 0, 0, 0 },
		{ "bytes=99999999999999999999-", 0, 0, 0 },
		{ "bytes=x", 0, 0, 0 },
		{ "bytes=", 0, 0, 0 },
		{ "lines=1-2", 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t from = 0, count = 0;

		assert_int_equal(range_read(rows[i].text, 100, &from, &count),
				 rows[i].status);
		if (rows[i].status != 1)
			continue;
		assert_int_equal(from, rows[i].from);
		assert_int_equal(count, rows[i].count);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_done),
		TEST(test_falls_back_while_it_settles),
		TEST(test_loop),
		TEST(test_sum),
		TEST(test_never),
		TEST(test_part),
		TEST(test_slow),
		TEST(test_unseen),
		TEST(test_answers),
		TEST(test_fits),
		TEST(test_facts),
		TEST(test_ranges),
		TEST(test_offered),
		TEST(test_ranges),
		TEST(test_offered_and_left),
		TEST(test_ranges),
		TEST(test_never_starts),
		TEST(test_ranges),
		TEST(test_assets),
		TEST(test_ranges),
		TEST(test_assets_heard_late),
		TEST(test_ranges),
		TEST(test_assets_that_are_not_fetched),
		TEST(test_ranges),
		TEST(test_assets_that_do_not_fit),
		TEST(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
