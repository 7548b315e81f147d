/* SPDX-License-Identifier: MIT */
/* Pictures of a board for calls of its tools: which is whose, and bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/loop.h"
#include "base/mem.h"
#include "serve/photos.h"

#define MOST 1000

static struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

/* The frame in which firmware sends such an answer; yours. */
static char *frame_of(const char *mark)
{
	return mem_printf(
		"{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"success\\\":true,\\\"picture_id\\\":\\\"%s\\\"}\"}]}}",
		mark);
}

static enum call_photo_state state_of(const struct photos *photos,
				      const char *reply, int64_t since)
{
	struct call_photo p;
	CLEANUP(mem_free_ptr) char *why = NULL;

	photos_find(&p, photos, span_of(reply), since, MOST);
	why = photos_explain(&p, MOST);
	assert_true((why == NULL) == (p.state == PHOTO_HERE));
	assert_true((p.data.text != NULL) == (p.state == PHOTO_HERE));
	return p.state;
}

static void the_reply_names_it(void **state)
{
	static const char first[] = "first", second[] = "second one";
	struct photos *photos = NULL;
	char mark[2][RANDOM_HEX_SIZE];
	size_t all = 0;

	(void)state;
	photos_begin(&photos);
	assert_int_equal(state_of(photos, "{}", 0), PHOTO_NONE);
	photos_add(photos, &all, span_of(first), mark[0]);
	photos_add(photos, &all, span_of(second), mark[1]);
	assert_string_not_equal(mark[0], mark[1]);
	assert_int_equal(all, strlen(first) + strlen(second));
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr) char *reply = frame_of(mark[i]);
		CLEANUP(buf_done) struct buf clean = { 0 };
		struct call_photo p;

		photos_find(&p, photos, span_of(reply), 0, MOST);
		assert_int_equal(p.state, PHOTO_HERE);
		assert_memory_equal(p.data.text, i ? second : first, p.size);
		assert_string_equal(
			photos_unmark(photos, span_of(reply), &clean).text,
			"{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"success\\\":true}\"}]}}");
	}
	assert_int_equal(state_of(photos, "{\"result\":{}}", 0), PHOTO_UNNAMED);
	photos_end(photos, &all);
	assert_false(photos_wanted(photos));
	assert_int_equal(all, 0);
	photos_free(photos);
}

/* A slow reply that has it is somebody else's. */
static void a_name_is_known_longer_than_its_picture(void **state)
{
	struct photos *photos = NULL;
	char mark[2][RANDOM_HEX_SIZE];
	CLEANUP(buf_done) struct buf room = { 0 };
	CLEANUP(mem_free_ptr) char *both = NULL;
	struct span clean;
	size_t all = 0;

	(void)state;
	clean = photos_unmark(NULL, span_of("{}"), &room);
	assert_string_equal(clean.text, "{}");
	photos_begin(&photos);
	photos_add(photos, &all, span_of("x"), mark[0]);
	photos_end(photos, &all);
	photos_begin(&photos);
	assert_int_equal(state_of(photos, mark[0], 0), PHOTO_NONE);
	photos_add(photos, &all, span_of("x"), mark[1]);
	both = mem_printf(
		"[1,\\\"picture_id\\\":\\\"%s\\\",\\\"picture_id\\\":\\\"%s\\\",\\\"picture_id\\\":\\\"0\\\"]",
		mark[1], mark[0]);
	clean = photos_unmark(photos, span_of(both), &room);
	assert_string_equal(clean.text, "[1,\\\"picture_id\\\":\\\"0\\\"]");
	photos_end(photos, &all);
	assert_int_equal(all, 0);
	photos_free(photos);
}

/* What came before a call is not its, though another one keeps it. */
static void an_older_one_is_not_its(void **state)
{
	struct photos *photos = NULL;
	char mark[RANDOM_HEX_SIZE];
	CLEANUP(mem_free_ptr) char *reply = NULL;
	size_t all = 0;

	(void)state;
	photos_begin(&photos);
	photos_add(photos, &all, span_of("old"), mark);
	reply = frame_of(mark);
	assert_int_equal(state_of(photos, reply, 0), PHOTO_HERE);
	photos_begin(&photos);
	assert_int_equal(state_of(photos, reply, loop_now_us() + 1),
			 PHOTO_NONE);
	photos_end(photos, &all);
	assert_int_equal(state_of(photos, reply, 0), PHOTO_HERE);
	photos_end(photos, &all);
	assert_int_equal(state_of(photos, reply, 0), PHOTO_NONE);
	photos_free(photos);
}

static void it_is_bounded(void **state)
{
	CLEANUP(mem_free_ptr) char *data = mem_zalloc(PHOTOS_LARGEST + 1);
	struct photos *photos = NULL;
	size_t all = 0, full = PHOTOS_ALL - 10;
	char mark[RANDOM_HEX_SIZE], oldest[RANDOM_HEX_SIZE];

	(void)state;
	photos_begin(&photos);
	photos_add(photos, &all, (struct span){ data, PHOTOS_LARGEST + 1 },
		   mark);
	assert_int_equal(all, 0);
	assert_int_equal(state_of(photos, mark, 0), PHOTO_TOO_LARGE);
	photos_add(photos, &all, (struct span){ data, MOST + 1 }, mark);
	assert_int_equal(state_of(photos, mark, 0), PHOTO_TOO_LARGE);
	photos_add(photos, &full, (struct span){ data, 11 }, mark);
	assert_int_equal(full, PHOTOS_ALL - 10);
	assert_int_equal(state_of(photos, mark, 0), PHOTO_NO_ROOM);
	/* The last ones are kept. */
	photos_add(photos, &all, span_of("x"), oldest);
	for (size_t i = 1; i < PHOTOS_KEPT; i++)
		photos_add(photos, &all, span_of("x"), mark);
	assert_int_equal(state_of(photos, oldest, 0), PHOTO_HERE);
	photos_add(photos, &all, span_of("x"), mark);
	assert_int_equal(state_of(photos, oldest, 0), PHOTO_UNNAMED);
	assert_int_equal(all, PHOTOS_KEPT);
	photos_end(photos, &all);
	assert_int_equal(all, 0);
	photos_free(photos);
}

/* Up to each bound, which is within. */
static void at_the_bounds(void **state)
{
	CLEANUP(mem_free_ptr) char *data = mem_zalloc(PHOTOS_LARGEST);
	struct photos *photos = NULL;
	struct call_photo p;
	size_t all = 0, full = PHOTOS_ALL - 10;
	char mark[RANDOM_HEX_SIZE];

	(void)state;
	assert_false(photos_wanted(NULL));
	photos_begin(&photos);
	assert_true(photos_wanted(photos));
	photos_add(photos, &all, (struct span){ data, MOST }, mark);
	assert_int_equal(state_of(photos, mark, 0), PHOTO_HERE);
	photos_add(photos, &full, (struct span){ data, 10 }, mark);
	assert_int_equal(full, PHOTOS_ALL);
	assert_int_equal(state_of(photos, mark, 0), PHOTO_HERE);
	photos_add(photos, &all, (struct span){ data, PHOTOS_LARGEST }, mark);
	assert_int_equal(all, MOST + PHOTOS_LARGEST);
	photos_find(&p, photos, span_of(mark), 0, PHOTOS_LARGEST);
	assert_int_equal(p.state, PHOTO_HERE);
	assert_int_equal(p.size, PHOTOS_LARGEST);
	assert_int_equal(p.data.len, PHOTOS_LARGEST);
	assert_string_equal(p.mark, mark);
	all += 10;
	photos_end(photos, &all);
	assert_int_equal(all, 0);
	photos_free(photos);
	photos_find(&p, NULL, span_of(mark), 0, MOST);
	assert_int_equal(p.state, PHOTO_NONE);
}

static void in_words(void **state)
{
	static const struct {
		enum call_photo_state state;
		const char *words;
	} rows[] = {
		{ PHOTO_NONE, "none came while the tool was at work" },
		{ PHOTO_UNNAMED,
		  "one came, but the tool's result does not say that it is of this call" },
		{ PHOTO_TOO_LARGE,
		  "it has 1001 bytes, and 1000 are the most here" },
		{ PHOTO_NO_ROOM, "serve holds too many pictures just now" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct call_photo p = { .state = rows[i].state,
					      .size = 1001 };
		CLEANUP(mem_free_ptr) char *words = photos_explain(&p, MOST);

		assert_string_equal(words, rows[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reply_names_it),
		cmocka_unit_test(an_older_one_is_not_its),
		cmocka_unit_test(a_name_is_known_longer_than_its_picture),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(at_the_bounds),
		cmocka_unit_test(in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
