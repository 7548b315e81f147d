/* SPDX-License-Identifier: MIT */
/* Who is refused for want of something: told once, counted, summed up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "net/lacks.h"

#define LONG_MS 60000

static struct loop *loop;
static struct lacks lacks;
static struct words told; /* "ADDRESS COUNT TEXT", a hint behind it in () */
static bool stir, closed;

static void on_refused(void *owner, const struct front_refusal *r)
{
	CLEANUP(mem_free_ptr)
	char *line =
		mem_printf("%s %u %s%s%s%s", r->address ? r->address : "-",
			   (unsigned)r->count, r->text, r->hint ? " (" : "",
			   r->hint ? r->hint : "", r->hint ? ")" : "");

	assert_ptr_equal(owner, &told);
	words_add(&told, line);
	stir = true;
}

static void on_closed(void *owner)
{
	assert_ptr_equal(owner, &lacks);
	closed = true;
}

static int set_up(void **state)
{
	(void)state;
	lacks = (struct lacks){ .again_ms = LONG_MS,
				.refused = on_refused,
				.owner = &told };
	closed = stir = false;
	if (loop_new(&loop, NULL))
		return -1;
	lacks_open(&lacks, loop);
	return 0;
}

static void end(void)
{
	lacks_close(&lacks, on_closed, &lacks);
	/* From the loop. */
	assert_false(closed);
	loop_wait(loop, &closed, loop_now() + LONG_MS, NULL);
	assert_true(closed);
}

static int tear_down(void **state)
{
	(void)state;
	if (!closed)
		end();
	words_done(&told);
	loop_free(loop);
	return 0;
}

static void is_told(size_t index, const char *text)
{
	assert_true(index < told.count);
	assert_string_equal(told.word[index], text);
}

static const struct {
	enum lack what;
	const char *begins, *hint, *more;
} rows[] = {
	{ LACK_FILES, "refused: no open file is left", "ulimit -n",
	  "no open file was left" },
	{ LACK_MEMORY, "refused: no memory is left", "the others go on",
	  "no memory was left" },
	{ LACK_PLACES, "closed: it said nothing for a while", NULL,
	  "others waited for their place" },
	{ LACK_TIME, "closed: it did not say in time", NULL,
	  "they did not say in time what they want" },
	{ LACK_ALL, "refused: as many connections are open as there may be",
	  "ulimit -n", "all places were taken" },
	{ LACK_CONNECTIONS, "refused: its address has more connections",
	  "--trusted-proxy", "their addresses had more than one gets" },
	{ LACK_BYTES, "refused: what it sent does not fit", "--trusted-proxy",
	  "the memory that is for strangers was full" },
	{ LACK_QUESTIONS, "refused for up to a minute: its address asks",
	  "--trusted-proxy", "their addresses asked more often than one may" },
	{ LACK_TURN, "refused: it waited 10 s to be passed on",
	  "whom it has said hello to", "they waited 10 s to be passed on" },
};

static void each_kind_has_its_words(void **state)
{
	(void)state;
	assert_int_equal(COUNT(rows), LACK_KINDS);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *line = mem_printf("10.0.0.%zu 1 %s", i, rows[i].begins);
		char address[16];

		snprintf(address, sizeof(address), "10.0.0.%zu", i);
		lacks_tell(&lacks, rows[i].what, address);
		assert_int_equal(told.count, i + 1);
		assert_memory_equal(told.word[i], line, strlen(line));
		if (rows[i].hint)
			assert_non_null(strstr(told.word[i], rows[i].hint));
		else
			assert_null(strchr(told.word[i], '('));
	}
}

static void one_is_told_the_others_are_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *one = mem_printf(
			"- 1 1 more connection was refused since: %s",
			rows[i].more);
		CLEANUP(mem_free_ptr)
		char *three = mem_printf(
			"- 3 3 more connections were refused since: %s",
			rows[i].more);

		lacks_tell(&lacks, rows[i].what, NULL);
		lacks_end(&lacks);
		/* There was no other one. */
		assert_int_equal(told.count, 1);
		for (unsigned k = 0; k < 2; k++)
			lacks_tell(&lacks, rows[i].what, "10.0.0.1");
		assert_int_equal(told.count, 2);
		lacks_end(&lacks);
		assert_int_equal(told.count, 3);
		is_told(2, one);
		for (unsigned k = 0; k < 4; k++)
			lacks_tell(&lacks, rows[i].what, "10.0.0.1");
		lacks_end(&lacks);
		assert_int_equal(told.count, 5);
		is_told(4, three);
		lacks_end(&lacks);
		assert_int_equal(told.count, 5);
		words_done(&told);
	}
}

static void summed_up_when_the_minute_is_over(void **state)
{
	(void)state;
	lacks.again_ms = 1;
	lacks_tell(&lacks, LACK_ALL, "10.0.0.1");
	lacks_tell(&lacks, LACK_ALL, "10.0.0.2");
	assert_int_equal(told.count, 1);
	stir = false;
	loop_wait(loop, &stir, loop_now() + LONG_MS, NULL);
	assert_int_equal(told.count, 2);
	is_told(1, "- 1 1 more connection was refused since: all places were"
		   " taken");
	/* The next minute begins with the next one. */
	lacks_tell(&lacks, LACK_ALL, "10.0.0.3");
	assert_int_equal(told.count, 3);
	lacks_tell(&lacks, LACK_ALL, "10.0.0.4");
	stir = false;
	loop_wait(loop, &stir, loop_now() + LONG_MS, NULL);
	assert_int_equal(told.count, 4);
}

static void nothing_is_lost_at_the_end(void **state)
{
	(void)state;
	lacks_tell(&lacks, LACK_TIME, "10.0.0.1");
	lacks_tell(&lacks, LACK_TIME, "10.0.0.2");
	lacks_tell(&lacks, LACK_FILES, "10.0.0.2");
	lacks_close(&lacks, on_closed, &lacks);
	assert_int_equal(told.count, 3);
	is_told(2, "- 1 1 more connection was refused since: they did not say"
		   " in time what they want");
	lacks_tell(&lacks, LACK_MEMORY, "10.0.0.1");
	assert_int_equal(told.count, 3);
	loop_wait(loop, &closed, loop_now() + LONG_MS, NULL);
	assert_true(closed);
}

static void nobody_need_listen(void **state)
{
	(void)state;
	lacks.refused = NULL;
	lacks_tell(&lacks, LACK_TIME, "10.0.0.1");
	lacks_tell(&lacks, LACK_TIME, "10.0.0.1");
	lacks_end(&lacks);
	assert_int_equal(told.count, 0);
}

static void knows_which_errors_are_of_files(void **state)
{
	(void)state;
	assert_true(lack_of_files(EMFILE));
	assert_true(lack_of_files(ENFILE));
	assert_false(lack_of_files(ENOMEM));
	assert_false(lack_of_files(0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_kind_has_its_words),
		TEST(one_is_told_the_others_are_counted),
		TEST(summed_up_when_the_minute_is_over),
		TEST(nothing_is_lost_at_the_end),
		TEST(nobody_need_listen),
		TEST(knows_which_errors_are_of_files),
	};

	mem_init();
	return cmocka_run_group_tests_name("lacks", tests, NULL, NULL);
}
