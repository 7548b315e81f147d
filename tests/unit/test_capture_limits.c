/* SPDX-License-Identifier: MIT */
/*
 * Captures at their borders: the longest line, the most connections that have
 * names, what is cut twice, files that are odd in other ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "capture/reader.h"
#include "capture/writer.h"

#define HEADER "{\"capture\":1,\"masked\":true}\n"

static char path[] = "/tmp/test_capture_limits.XXXXXX";

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static struct capture_reader *reads(const struct buf *file)
{
	CLEANUP(error_reset) struct error err = { 0 };
	const int fd = file_create("test", path, false, &err);
	struct capture_reader *r;

	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, file->data, file->len), 0);
	assert_int_equal(close(fd), 0);
	r = capture_open(path, &err);
	if (!r)
		fail_msg("%s", err.text);
	return r;
}

/* So many bytes without the line's end. */
static void add_line(struct buf *file, size_t bytes)
{
	static const char front[] = "{\"t\":1,\"kind\":\"text\",\"text\":\"";

	buf_text(file, front);
	for (size_t i = strlen(front) + 2; i < bytes; i++)
		buf_char(file, 'a');
	buf_text(file, "\"}");
}

/* The longest line is one; a byte more, and it is lost, ended or not. */
static void longest_line(void **state)
{
	static const struct {
		size_t bytes;
		bool ended, lost;
	} rows[] = {
		{ CAPTURE_LINE_MAX, true, false },
		{ CAPTURE_LINE_MAX, false, false },
		{ CAPTURE_LINE_MAX + 1, true, true },
		{ CAPTURE_LINE_MAX + 1, false, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf file = { 0 };
		struct capture_event e;
		struct capture_reader *r;

		buf_text(&file, HEADER);
		add_line(&file, rows[i].bytes);
		buf_text(&file, rows[i].ended ?
					"\n{\"t\":2,\"kind\":\"ping\"}\n" :
					"");
		r = reads(&file);
		assert_int_equal(capture_next(r, &e, NULL), 1);
		assert_int_equal(e.kind,
				 rows[i].lost ? CAPTURED_LOST : CAPTURED_TEXT);
		assert_int_equal(e.count, rows[i].lost);
		assert_int_equal(e.n, 2);
		assert_int_equal(capture_long(r), rows[i].lost ? 2 : 0);
		assert_int_equal(capture_next(r, &e, NULL), rows[i].ended);
		assert_int_equal(capture_cut(r),
				 !rows[i].ended && rows[i].lost);
		capture_reader_free(r);
	}
}

/* ---- written ---- */

static struct buf line;

static bool take_line(void *owner, struct span text)
{
	assert_ptr_equal(owner, &line);
	buf_reset(&line);
	buf_add(&line, text.text, text.len);
	return true;
}

static void write_one(const struct capture_event *e)
{
	const struct capture_how how = { .line = take_line,
					 .as = "sim",
					 .audio = true,
					 .made = "2026-11-22T10:02:11.400Z",
					 .owner = &line };
	struct capture_writer *w = capture_create(&how, NULL);

	assert_non_null(w);
	assert_int_equal(capture_write(w, e), 1);
	assert_int_equal(capture_close(w, NULL), 0);
}

/* What was read with its beginning alone is written so, whatever it is. */
static void beginnings(void **state)
{
	static char data[CAPTURE_DATA_MAX + 2];
	static const char text[] =
		"{\"n\":1,\"t\":0,\"c\":1,\"leg\":\"ws\",\"kind\":\"text\",\"size\":99999,\"cut\":65535,\"sha256\":\"5a\",\"text\":\"aaa";
	static const char bytes[] =
		"{\"n\":1,\"t\":0,\"c\":1,\"leg\":\"ws\",\"kind\":\"binary\",\"size\":99999,\"cut\":65536,\"sha256\":\"5a\",\"hex\":\"6161";
	struct capture_event e = { .conn = 1,
				   .kind = CAPTURED_TEXT,
				   .cut = true,
				   .sha256 = "5a",
				   .size = 99999,
				   .data = { data, sizeof(data) } };

	(void)state;
	memset(data, 'a', sizeof(data));
	data[CAPTURE_DATA_MAX - 1] = '\xc3';
	data[CAPTURE_DATA_MAX] = '\xa9';
	write_one(&e);
	assert_memory_equal(line.data, text, sizeof(text) - 1);
	assert_int_equal(line.len, sizeof(text) - 1 - 3 + 65535 + 2);
	e.kind = CAPTURED_BINARY;
	write_one(&e);
	assert_memory_equal(line.data, bytes, sizeof(bytes) - 1);
	assert_int_equal(line.len, sizeof(bytes) - 1 - 4 + 2 * 65536 + 2);
	e.data.len = 2;
	e.sha256 = NULL;
	write_one(&e);
	assert_string_equal(
		buf_string(&line),
		"{\"n\":1,\"t\":0,\"c\":1,\"leg\":\"ws\",\"kind\":\"binary\",\"size\":99999,\"cut\":2,\"hex\":\"6161\"}");
	buf_done(&line);
}

/* ---- who is who ---- */

/* Who a connection is stays known for the last 16384 at least. */
static void many_names(void **state)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	struct capture_event e;
	struct capture_reader *r;

	(void)state;
	buf_text(&file, HEADER);
	for (unsigned i = 1; i <= 16384; i++)
		buf_printf(
			&file,
			"{\"t\":1,\"c\":%u,\"kind\":\"device\",\"device\":\"d%u\"}\n",
			i, i);
	buf_text(&file, "{\"t\":1,\"c\":1,\"kind\":\"ping\"}\n"
			"{\"t\":1,\"c\":16384,\"kind\":\"ping\"}\n"
			"{\"t\":1,\"c\":16385,\"kind\":\"ping\"}\n");
	r = reads(&file);
	for (unsigned i = 1; i <= 16384; i++)
		assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_string_equal(e.device, "d1");
	assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_string_equal(e.device, "d16384");
	assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_null(e.device);
	assert_false(e.named_before);
	assert_int_equal(capture_next(r, &e, NULL), 0);
	capture_reader_free(r);
}

/* One more, and those before are forgotten: memory is bounded. */
static void too_many_names(void **state)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	struct capture_event e;
	struct capture_reader *r;

	(void)state;
	buf_text(&file, HEADER);
	for (unsigned i = 1; i <= 16385; i++)
		buf_printf(
			&file,
			"{\"t\":1,\"c\":%u,\"kind\":\"device\",\"device\":\"d%u\"}\n",
			i, i);
	buf_text(&file, "{\"t\":1,\"c\":1,\"kind\":\"ping\"}\n"
			"{\"t\":1,\"c\":16385,\"kind\":\"ping\"}\n");
	r = reads(&file);
	for (unsigned i = 1; i <= 16385; i++)
		assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_null(e.device);
	assert_int_equal(capture_next(r, &e, NULL), 1);
	assert_string_equal(e.device, "d16385");
	capture_reader_free(r);
}

/* ---- files ---- */

/* A first line without an end is one; what is blank behind it is nothing. */
static void short_files(void **state)
{
	static const struct {
		const char *text;
		bool cut;
	} rows[] = {
		{ "{\"capture\":1}", false },
		{ "{\"capture\":1}\n \t\r", false },
		{ "{\"capture\":1}\r\n\n\n", false },
		{ "{\"capture\":1}\nx", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf file = { 0 };
		struct capture_event e;
		struct capture_reader *r;

		buf_text(&file, rows[i].text);
		r = reads(&file);
		assert_int_equal(capture_head(r)->version, 1);
		assert_int_equal(capture_next(r, &e, NULL), 0);
		assert_int_equal(capture_cut(r), rows[i].cut);
		assert_int_equal(capture_next(r, &e, NULL), 0);
		capture_reader_free(r);
	}
}

/* Messages that are cut are counted; nothing else that is. */
static void counted_beginnings(void **state)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	struct capture_event e;
	struct capture_reader *r;

	(void)state;
	buf_text(&file, HEADER
		 "{\"t\":1,\"kind\":\"text\",\"cut\":1,\"text\":\"a\"}\n"
		 "{\"t\":1,\"kind\":\"text\",\"text\":\"a\"}\n"
		 "{\"t\":1,\"kind\":\"packet\",\"cut\":1,\"hex\":\"10\"}\n"
		 "{\"t\":1,\"kind\":\"text\",\"cut\":0,\"text\":\"\"}\n");
	r = reads(&file);
	while (capture_next(r, &e, NULL) > 0)
		continue;
	assert_int_equal(capture_beginnings(r), 2);
	capture_reader_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_line),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(many_names),
		cmocka_unit_test(too_many_names),
		cmocka_unit_test(short_files),
		cmocka_unit_test(counted_beginnings),
	};

	return cmocka_run_group_tests_name("capture_limits", tests, make_file,
					   remove_file);
}
