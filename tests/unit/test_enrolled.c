/* SPDX-License-Identifier: MIT */
/*
 * serve/tokens: the file of enrolled boards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/file.h"
#include "folder.h"
#include "serve/tokens.h"

#define A "02:00:00:00:00:0A"
#define B "02:00:00:00:00:0b"

static void kept(void **state)
{
	CLEANUP(enrolled_done) struct enrolled e = { 0 }, other = { 0 };
	CLEANUP(mem_free_ptr) char *file = folder_path("enrolled.json");
	const struct enrolled_board *b;
	struct stat st;

	(void)state;
	assert_int_equal(enrolled_read(&e, NULL, NULL), 0);
	assert_int_equal(enrolled_read(&e, file, NULL), 0);
	assert_null(enrolled_find(&e, A));
	assert_null(enrolled_find(&e, NULL));
	assert_int_equal(enrolled_add(&e, file, A, "c\"1", 5, NULL), 0);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* What another serve writes meanwhile stays. */
	assert_int_equal(enrolled_add(&other, file, B, "", 6, NULL), 0);
	assert_int_equal(enrolled_add(&e, file, A, "c2", 7, NULL), 0);
	assert_int_equal(e.count, 2);
	assert_int_equal(enrolled_read(&other, file, NULL), 0);
	b = enrolled_find(&other, "02:00:00:00:00:0a");
	assert_string_equal(b->client_id, "c2");
	assert_int_equal(b->at_ms, 7);
	assert_string_equal(enrolled_find(&other, B)->client_id, "");
}

static void stays(struct enrolled *e, const char *text)
{
	CLEANUP(mem_free_ptr)
	char *file = folder_write("bad.json", text, strlen(text));
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf now = { 0 };

	assert_int_equal(enrolled_read(e, file, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "bad.json"));
	assert_non_null(enrolled_find(e, A));
	/* Nor is it written over: somebody may want to see it. */
	assert_int_equal(enrolled_add(e, file, B, "c", 1, &err), -1);
	assert_non_null(enrolled_find(e, B));
	assert_int_equal(file_read(&now, "file", file, NULL), 0);
	assert_string_equal(buf_string(&now), text);
}

static void broken(void **state)
{
	CLEANUP(enrolled_done) struct enrolled e = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(enrolled_add(&e, NULL, A, "c", 1, NULL), 0);
	stays(&e, "");
	stays(&e, "[]");
	stays(&e, "{\"" B "\":{}}");
	stays(&e, "{\"" B "\":{\"client_id\":\"c\"}}");
	stays(&e, "{\"" B "\":{\"client_id\":1,\"at\":1}}");
	assert_int_equal(enrolled_add(&e, "/dev/null/x", A, "d", 1, &err), -1);
	assert_string_equal(enrolled_find(&e, A)->client_id, "d");
}

static void bounded(void **state)
{
	CLEANUP(enrolled_done) struct enrolled e = { 0 };
	char id[24];

	(void)state;
	for (int i = 0; i < ENROLLED_MAX + 10; i++) {
		snprintf(id, sizeof(id), "02:00:00:00:%02x:%02x", i >> 8,
			 i & 255);
		enrolled_add(&e, NULL, id, "c", i, NULL);
	}
	assert_true(enrolled_is_full(&e));
	assert_int_equal(e.count, ENROLLED_MAX);
	assert_null(enrolled_find(&e, id));
	/* Who is there may change. */
	enrolled_add(&e, NULL, "02:00:00:00:00:00", "new", 1, NULL);
	assert_string_equal(enrolled_find(&e, "02:00:00:00:00:00")->client_id,
			    "new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),
		cmocka_unit_test(broken),
		cmocka_unit_test(bounded),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
