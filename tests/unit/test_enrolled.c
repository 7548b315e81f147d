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

static void stays(struct enrolled *e, const char *text, const char *why)
{
	CLEANUP(mem_free_ptr)
	char *file = folder_write("bad.json", text, strlen(text));
	CLEANUP(mem_free_ptr)
	char *whole = mem_printf("file of enrolled boards '%s': %s", file, why);
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf now = { 0 };

	assert_int_equal(enrolled_read(e, file, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, whole);
	assert_string_equal(
		err.hint,
		"remove it, and let the boards enrol again: serve --enroll");
	assert_non_null(enrolled_find(e, A));
	/* Nor is it written over: somebody may want to see it. */
	assert_int_equal(enrolled_add(e, file, B, "c", 1, &err), -1);
	assert_non_null(enrolled_find(e, B));
	assert_int_equal(file_read(&now, "file", file, NULL), 0);
	assert_string_equal(buf_string(&now), text);
}

#define ENTRY "an entry has no client_id and at"

static void broken(void **state)
{
	CLEANUP(mem_free_ptr) char *file = folder_path("none/x.json");
	CLEANUP(mem_free_ptr)
	char *why = mem_printf(
		"cannot write the enrolled boards to '%s': No such file or directory",
		file);
	CLEANUP(enrolled_done) struct enrolled e = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(enrolled_add(&e, NULL, A, "c", 1, NULL), 0);
	stays(&e, "", "invalid JSON at byte 0: it ends too early");
	stays(&e, "[]", "not a JSON object");
	stays(&e, "{\"" B "\":{}}", ENTRY);
	stays(&e, "{\"" B "\":{\"client_id\":\"c\"}}", ENTRY);
	stays(&e, "{\"" B "\":{\"client_id\":1,\"at\":1}}", ENTRY);
	stays(&e, "{\"" B "\":{\"client_id\":\"c\",\"at\":\"1\"}}", ENTRY);
	assert_int_equal(enrolled_add(&e, "/dev/null/x", A, "d", 1, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(enrolled_find(&e, A)->client_id, "d");
	error_reset(&err);
	assert_int_equal(enrolled_add(&e, file, A, "e", 1, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_string_equal(err.text, why);
	assert_string_equal(enrolled_find(&e, A)->client_id, "e");
}

/* Who was told "until serve ends" is known until then, whoever comes behind. */
static void not_kept(void **state)
{
	CLEANUP(mem_free_ptr) char *file = folder_path("later/x.json");
	CLEANUP(mem_free_ptr) char *place = folder_path("later");
	CLEANUP(enrolled_done) struct enrolled e = { 0 }, other = { 0 };

	(void)state;
	assert_int_equal(enrolled_add(&e, file, A, "c", 1, NULL), -1);
	assert_int_equal(enrolled_add(&e, file, B, "d", 2, NULL), -1);
	assert_int_equal(e.count, 2);
	assert_string_equal(enrolled_find(&e, A)->client_id, "c");
	assert_string_equal(enrolled_find(&e, B)->client_id, "d");
	/* A reload (SIGHUP) reads the file anew. */
	assert_int_equal(enrolled_read(&e, file, NULL), 0);
	assert_int_equal(e.count, 2);
	/* The first time that it can be written they are in it. */
	assert_int_equal(mkdir(place, 0700), 0);
	assert_int_equal(enrolled_add(&e, file, A, "e", 3, NULL), 0);
	assert_int_equal(enrolled_read(&other, file, NULL), 0);
	assert_int_equal(other.count, 2);
	assert_string_equal(enrolled_find(&other, A)->client_id, "e");
	assert_string_equal(enrolled_find(&other, B)->client_id, "d");
	/* From now on the file says it. */
	assert_int_equal(file_replace(file, 0600, "{}", 2), 0);
	assert_int_equal(enrolled_read(&e, file, NULL), 0);
	assert_int_equal(e.count, 0);
}

/* One on a line, as it is read again. */
static void as_text(void **state)
{
	CLEANUP(enrolled_done) struct enrolled e = { 0 };
	CLEANUP(mem_free_ptr) char *file = folder_path("text.json");
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	enrolled_add(&e, file, A, "c\"1", 5, NULL);
	enrolled_add(&e, file, B, "", 1786190400000, NULL);
	assert_int_equal(file_read(&text, "file", file, NULL), 0);
	assert_string_equal(
		buf_string(&text),
		"{\n \"" A "\":{\"client_id\":\"c\\\"1\",\"at\":5},\n \"" B
		"\":{\"client_id\":\"\",\"at\":1786190400000}\n}\n");
}

/* By its id here, or by its alias. */
static void known(void **state)
{
	struct alias item = { (char[]){ "kitchen" }, (char[]){ B } };
	const struct aliases a = { &item, 1 }, none = { 0 };
	CLEANUP(enrolled_done) struct enrolled e = { 0 };

	(void)state;
	enrolled_add(&e, NULL, A, "c", 1, NULL);
	assert_true(enrolled_or_listed(&e, &none, A, NULL));
	assert_false(enrolled_or_listed(&e, &none, B, NULL));
	assert_true(enrolled_or_listed(&e, &a, B, "x"));
	assert_false(enrolled_or_listed(&e, &a, NULL, "c"));
	assert_false(enrolled_or_listed(&e, &a, NULL, NULL));
	assert_true(enrolled_or_listed(&e, &a, NULL, B));
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
	e.count--;
	assert_false(enrolled_is_full(&e));
	e.count++;
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
		cmocka_unit_test(kept),	    cmocka_unit_test(broken),
		cmocka_unit_test(not_kept), cmocka_unit_test(as_text),
		cmocka_unit_test(known),    cmocka_unit_test(bounded),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
