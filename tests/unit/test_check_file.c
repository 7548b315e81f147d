/* SPDX-License-Identifier: MIT */
/* A file judged again: a serial log that was saved, a capture. */
#include "checkup.h"

#include "folder.h"

/* What is told of that file, without the line of its end. */
static void judges(const char *text, size_t len, const char *expected)
{
	CLEANUP(mem_free_ptr) char *path = folder_write("file", text, len);
	CLEANUP(error_reset) struct error err = { 0 };
	const char *out, *ends;
	struct checkup k;

	begin(&k);
	app.out.width = 62;
	words_add(&options.skip, "D143");
	check_file(&k, path, &err);
	out = rendered_out(&s);
	ends = strstr(out, "\n0 errors, 0 warnings, ");
	if (!ends)
		fail_msg("'%s' of '%s': %s", out, text, err.text);
	s.out[ends - out] = '\0';
	assert_string_equal(out, expected);
	assert_string_equal(k.peer, path);
	words_done(&options.skip);
	end(&k);
}

static void refuses(const char *text, const char *before, const char *after)
{
	CLEANUP(mem_free_ptr)
	char *path = folder_write("file", text, strlen(text));
	CLEANUP(mem_free_ptr)
	char *expected = mem_printf("%s'%s'%s", before, path, after);
	CLEANUP(error_reset) struct error err = { 0 };
	struct checkup k;

	begin(&k);
	assert_int_equal(check_file(&k, path, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, expected);
	told("");
	end(&k);
}

/* A capture of these lines behind its head. */
static void captures(const char *head, const char *lines, const char *expected)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("%s\n%s", head, lines);

	judges(text, strlen(text), expected);
}

#define HEAD(more) "{\"capture\":1,\"masked\":true" more "}"
#define PROXY HEAD(",\"as\":\"proxy\"")
#define EVENT(n, t, c, rest) \
	"{\"n\":" #n ",\"t\":" #t ",\"c\":" #c ",\"leg\":\"ws\"," rest "}\n"
#define TEXT(n, t, c, text) \
	EVENT(n, t, c,      \
	      "\"from\":\"device\",\"kind\":\"text\",\"text\":\"" text "\"")
#define NAMED(n, c, name) \
	EVENT(n, n, c, "\"kind\":\"device\",\"device\":\"" name "\"")
#define LOST(n, count) \
	"{\"n\":" #n ",\"t\":9,\"kind\":\"lost\",\"count\":" #count "}\n"

/* Who recorded it is not judged. */
static void test_recorders(void **state)
{
	(void)state;
	captures(PROXY, "",
		 "capture  ok    proxy, 0 messages, 0 of audio, 0.0 s\n");
	captures(
		HEAD(",\"as\":\"sim\""), "",
		"capture  ok    sim, 0 messages, 0 of audio, 0.0 s; the device\n"
		"               was mcpctl, and is not judged\n");
	captures(HEAD(",\"as\":\"serve\""), "",
		 "capture  ok    serve, 0 messages, 0 of audio, 0.0 s; the\n"
		 "               backend was mcpctl, and is not judged\n");
	captures(HEAD(""), "",
		 "capture  ok    trace, 0 messages, 0 of audio, 0.0 s; who\n"
		 "               recorded it is not told: it is taken for the\n"
		 "               backend, which is not judged\n");
}

static void test_counted(void **state)
{
	(void)state;
	captures(PROXY, TEXT(1, 1, 1, "{}") TEXT(2, 1250000, 1, "{}"),
		 "capture  ok    proxy, 2 messages, 0 of audio, 1.2 s\n"
		 "device   ok    1 connection\n");
	captures(PROXY,
		 TEXT(1, 1, 1, "{}") EVENT(
			 2, 2, 1,
			 "\"from\":\"device\",\"kind\":\"binary\",\"size\":3"),
		 "capture  ok    proxy, 1 message, 1 of audio, 0.0 s\n"
		 "device   ok    1 connection\n");
	captures(
		PROXY, LOST(1, 3) LOST(2, 4),
		"capture  odd   proxy, 0 messages, 0 of audio, 0.0 s\n"
		"lost     odd   7 events were not recorded: what is missing may\n"
		"               be there\n");
	captures(
		PROXY, LOST(1, 1),
		"capture  odd   proxy, 0 messages, 0 of audio, 0.0 s\n"
		"lost     odd   1 event was not recorded: what is missing may\n"
		"               be there\n");
	captures(
		PROXY, "{\"n\":1,\"t\":1",
		"capture  ok    proxy, 0 messages, 0 of audio, 0.0 s\n"
		"cut      odd   the file ends within a line: read up to there\n");
}

/* All connections of one are one. */
static void test_devices(void **state)
{
	(void)state;
	captures(PROXY, NAMED(1, 1, "aa") NAMED(2, 2, "bb") NAMED(3, 3, "aa"),
		 "capture  ok    proxy, 0 messages, 0 of audio, 0.0 s\n"
		 "device   ok    aa, 2 connections\n"
		 "device   ok    bb, 1 connection\n");
}

/* What one had, too, is told once; the worst of it is the verdict. */
static void test_found(void **state)
{
	static const char text[] = PROXY "\n" NAMED(1, 1, "aa")
		TEXT(2, 2, 1, "{}") NAMED(3, 2, "bb") TEXT(4, 4, 2, "{}")
			TEXT(5, 5, 2, "{}");
	CLEANUP(mem_free_ptr)
	char *path = folder_write("file", text, sizeof(text) - 1);
	struct checkup k;

	(void)state;
	begin(&k);
	assert_int_equal(check_file(&k, path, NULL), -1);
	assert_int_equal(k.stages, 3);
	assert_string_equal(k.stage[1].words, "aa, 1 connection");
	assert_string_equal(k.stage[2].words, "bb, 1 connection; also D143");
	assert_int_equal(k.stage[2].verdict, STAGE_OK);
	assert_int_equal(diag.count, 1);
	assert_int_equal(diag.item[0].count, 3);
	assert_int_equal(diag.item[0].first_us, 2);
	assert_int_equal(diag.item[0].last_us, 5);
	assert_int_equal(k.count[SEVERITY_WARNING], 1);
	end(&k);
}

#define LOG(ms) "I (" #ms ") main: x\n"
#define START "rst:0x1 (POWERON),boot:0x8\n"

static void test_serial(void **state)
{
	static const struct {
		const char *log, *expected;
	} rows[] = {
		{ LOG(10), "lines: 1, starts of the chip: 0" },
		{ "x\n" LOG(10) LOG(20), "lines: 3, starts of the chip: 0" },
		{ "x\n" LOG(10) "y", "lines: 3, starts of the chip: 0" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *expected =
			mem_printf("serial   ok    %s\n", rows[i].expected);

		judges(rows[i].log, strlen(rows[i].log), expected);
	}
	refuses("x\ny\n", "",
		" is no capture, and no line of it is one of a board's serial log");
}

/* Of 4 kB a line is whole; of more it is told. */
static void test_long_line(void **state)
{
	CLEANUP(buf_done) struct buf log = { 0 };

	(void)state;
	buf_text(&log, LOG(10));
	for (int i = 0; i < 4096; i++)
		buf_char(&log, 'x');
	buf_text(&log, "\n");
	judges(log.data, log.len,
	       "serial   ok    lines: 2, starts of the chip: 0\n");
	log.len--;
	buf_text(&log, "x\n");
	judges(log.data, log.len,
	       "serial   ok    lines: 2, starts of the chip: 0, some lines\n"
	       "               were cut at 4 kB\n");
}

static void test_not_there(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct checkup k;

	(void)state;
	begin(&k);
	assert_int_equal(check_file(&k, "/no/such/file", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "'/no/such/file'"));
	assert_string_equal(k.peer, "/no/such/file");
	end(&k);
}

#define MOST 16384 /* connections that are open at once, and devices */

/* So many connections, each of a device with a name; they end, or do not. */
static char *many(size_t count, bool over)
{
	struct buf text = { 0 };

	buf_text(&text, PROXY "\n");
	for (size_t i = 1; i <= count; i++) {
		buf_printf(
			&text,
			"{\"t\":1,\"c\":%zu,\"leg\":\"ws\",\"kind\":\"open\",\"device\":\"%s%zu\"}\n",
			i, over ? "d" : "", over ? i : (size_t)0);
		if (over)
			buf_printf(&text,
				   "{\"t\":1,\"c\":%zu,\"kind\":\"end\"}\n", i);
	}
	return buf_take(&text);
}

/* Who writes a file decides what it costs to judge it, but for that. */
static void test_too_many(void **state)
{
	static const char *const words[] = {
		"more than 16384 connections are open at once, and no more are judged",
		"it is of more than 16384 devices, and no more are judged",
	};
	static const int lines[] = { 1 + MOST + 1, 1 + 2 * (MOST + 1) };

	(void)state;
	for (int by = 0; by < 2; by++) {
		CLEANUP(mem_free_ptr) char *most = many(MOST, by);
		CLEANUP(mem_free_ptr) char *more = many(MOST + 1, by);
		CLEANUP(mem_free_ptr)
		char *path = folder_write("most", most, strlen(most));
		CLEANUP(mem_free_ptr)
		char *over = folder_write("more", more, strlen(more));
		CLEANUP(mem_free_ptr)
		char *why = mem_printf("'%s', event %d: %s", over, lines[by],
				       words[by]);
		CLEANUP(error_reset) struct error err = { 0 };
		struct checkup k;

		begin(&k);
		assert_int_equal(check_file(&k, path, &err), 0);
		end(&k);
		begin(&k);
		assert_int_equal(check_file(&k, over, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.text, why);
		end(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorders),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests_name("check_file", tests, folder_make,
					   folder_remove);
}
