/* SPDX-License-Identifier: MIT */
/* --save: which contents become files, how these are called, what is said. */
#include "rendered.h"

#include <unistd.h>

#include "base/file.h"
#include "cli/save.h"
#include "folder.h"

static struct app app;
static struct rendered shown;
static struct error err;

static int begin(void **state)
{
	(void)state;
	app = (struct app){ 0 };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	return 0;
}

static int end(void **state)
{
	(void)state;
	error_reset(&err);
	rendered_end(&shown);
	return 0;
}

static int save(const char *content, const char *path, bool texts)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"content\":[%s]}", content);
	CLEANUP(result_done) struct result result = result_from(text);

	error_reset(&err);
	return save_result(&app, &result, path, texts, &err);
}

static void holds(const char *path, const char *bytes)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_int_equal(file_read(&text, "file", path, &err), 0);
	assert_string_equal(buf_string(&text), bytes);
	assert_int_equal(unlink(path), 0);
}

/* "aGk=" is "hi", "eW8=" is "yo". */
#define IMAGE(data) \
	"{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" data "\"}"
#define TEXT "{\"type\":\"text\",\"text\":\"words\"}"
#define INSIDE                                                             \
	"{\"type\":\"resource\",\"resource\":{\"uri\":\"a://b\",\"text\":" \
	"\"inside\"}}"

static void test_names(void **state)
{
	static const struct {
		const char *path;
		size_t number;
		const char *name;
	} rows[] = {
		{ "shot.png", 0, "shot.png" },
		{ "shot.png", 1, "shot.png" },
		{ "shot.png", 2, "shot-2.png" },
		{ "a.b/shot", 3, "a.b/shot-3" },
		{ "a/.hidden", 2, "a/.hidden-2" },
		{ "a/x.tar.gz", 12, "a/x.tar-12.gz" },
		{ "shot.", 2, "shot-2." },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *name = save_path(rows[i].path, rows[i].number);

		assert_string_equal(name, rows[i].name);
	}
}

static void test_files(void **state)
{
	CLEANUP(mem_free_ptr) char *one = folder_path("x.png");
	CLEANUP(mem_free_ptr) char *two = folder_path("x-2.png");
	CLEANUP(mem_free_ptr) char *says = NULL;

	(void)state;
	/* Texts are left out where there are bytes. */
	assert_int_equal(save(IMAGE("aGk=") "," TEXT "," INSIDE
					    "," IMAGE("eW8="),
			      one, false),
			 0);
	says = mem_printf("saved 2 bytes to %s\nsaved 2 bytes to %s\n", one,
			  two);
	assert_string_equal(rendered_err(&shown), says);
	holds(one, "hi");
	holds(two, "yo");
	assert_int_equal(save(IMAGE("aGk=") "," INSIDE, one, true), 0);
	holds(one, "hi");
	holds(two, "inside");
	/* What is there alone is kept. */
	assert_int_equal(save(TEXT "," INSIDE, one, false), 0);
	holds(one, "inside");
	/* What was there is replaced. */
	mem_free(folder_write("x.png", "longer than that", 16));
	assert_int_equal(save(IMAGE("aGk="), one, false), 0);
	holds(one, "hi");
	assert_int_equal(save(IMAGE("aGk="), "/nonexistent/x", false), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_int_equal(save(IMAGE("aGk="), "/dev/full", false), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "cannot write '/dev/full': "));
}

static void test_nothing(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("x");

	(void)state;
	assert_int_equal(save("", path, true), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(
		err.text,
		"--save: the result has no image, audio or other bytes");
	assert_int_equal(save(TEXT "," IMAGE("?"), path, false), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text, "--save: the bytes of content 2 are not "
				      "valid base64");
	assert_int_equal(access(path, F_OK), -1);
	/* Beside what could be saved, too. */
	assert_int_equal(save(IMAGE("?") "," IMAGE("aGk="), path, false), -1);
	assert_string_equal(err.text, "--save: the bytes of content 1 are not "
				      "valid base64");
	holds(path, "hi");
	assert_int_equal(
		save(IMAGE("?") "," IMAGE("aGk=") "," IMAGE("!"), path, false),
		-1);
	assert_string_equal(err.text, "--save: the bytes of content 1, 3 are "
				      "not valid base64");
	holds(path, "hi");
}

/* Of many stdout takes the first; the others are named. */
static void test_stdout(void **state)
{
	(void)state;
	assert_int_equal(save(IMAGE("aGk=") "," IMAGE("eW8="), "-", false), 0);
	assert_string_equal(rendered_out(&shown), "hi");
	assert_non_null(strstr(rendered_err(&shown),
			       "--save - takes the first only; left out: "
			       "number 2\n"));
	assert_null(strstr(rendered_err(&shown), "saved"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names),
		TEST(test_files),
		TEST(test_nothing),
		TEST(test_stdout),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
