/* SPDX-License-Identifier: MIT */
/*
 * Captures: what is written, from the event to the bytes; what is read, from
 * the bytes to the event; files that are foreign, cut, packed, full.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "capture/reader.h"
#include "capture/writer.h"

#define HEADER "{\"capture\":1,\"masked\":true}\n"

static char path[] = "/tmp/test_capture.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

/* ---- written ---- */

static struct capture_writer *create(bool audio)
{
	const struct capture_how how = { .path = path,
					 .as = "proxy",
					 .audio = audio };
	struct error err = { 0 };
	struct capture_writer *w = capture_create(&how, &err);

	assert_non_null(w);
	return w;
}

/* The line behind the header, of one event. */
static char *line_of(const struct capture_event *e, bool audio)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	struct capture_writer *w = create(audio);
	char *line;

	assert_int_equal(capture_write(w, e), 1);
	assert_int_equal(capture_close(w, NULL), 0);
	assert_int_equal(file_read(&file, "capture", path, NULL), 0);
	line = strchr(buf_string(&file), '\n') + 1;
	assert_ptr_equal(strchr(line, '\n'), file.data + file.len - 1);
	assert_int_equal(json_check(line, strlen(line), NULL), 0);
	return mem_strdup(line);
}

static void writes(const struct capture_event *e, bool audio,
		   const char *expected)
{
	CLEANUP(mem_free_ptr) char *line = line_of(e, audio);

	assert_string_equal(line, expected);
}

static void forms(void **state)
{
	struct capture_event e = { .at_us = 1500,
				   .conn = 2,
				   .leg = LEG_WS,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_DEVICE,
				   .data = { "{\"a\":\"\xc3\xa9\n\"}", 11 } };

	(void)state;
	writes(&e, false,
	       "{\"n\":1,\"t\":1500,\"c\":2,\"leg\":\"ws\",\"from\":\"device\",\"kind\":\"text\",\"size\":11,"
	       "\"text\":\"{\\\"a\\\":\\\"\xc3\xa9\\n\\\"}\"}\n");
	e.data = (struct span){ "\xff!", 2 };
	e.from = FROM_BACKEND;
	writes(&e, false,
	       "{\"n\":1,\"t\":1500,\"c\":2,\"leg\":\"ws\",\"from\":\"backend\",\"kind\":\"text\",\"size\":2,\"hex\":\"ff21\"}\n");
	e.data = (struct span){ "a\0b", 3 };
	writes(&e, false,
	       "{\"n\":1,\"t\":1500,\"c\":2,\"leg\":\"ws\",\"from\":\"backend\",\"kind\":\"text\",\"size\":3,\"hex\":\"610062\"}\n");
	e.kind = CAPTURED_BINARY;
	writes(&e, false,
	       "{\"n\":1,\"t\":1500,\"c\":2,\"leg\":\"ws\",\"from\":\"backend\",\"kind\":\"binary\",\"size\":3}\n");
	writes(&e, true,
	       "{\"n\":1,\"t\":1500,\"c\":2,\"leg\":\"ws\",\"from\":\"backend\",\"kind\":\"binary\",\"size\":3,\"hex\":\"610062\"}\n");
	e = (struct capture_event){ .at_us = 9,
				    .conn = 1,
				    .kind = CAPTURED_END,
				    .from = FROM_DEVICE,
				    .how = ENDED_CLOSE,
				    .code = 1000 };
	writes(&e, false,
	       "{\"n\":1,\"t\":9,\"c\":1,\"leg\":\"ws\",\"from\":\"device\",\"kind\":\"end\",\"how\":\"close\",\"code\":1000}\n");
	e = (struct capture_event){ .at_us = 9,
				    .conn = 1,
				    .kind = CAPTURED_DEVICE,
				    .device = "aa:bb",
				    .board = "kevin",
				    .version = "2.2.6" };
	writes(&e, false,
	       "{\"n\":1,\"t\":9,\"c\":1,\"kind\":\"device\",\"device\":\"aa:bb\",\"board\":\"kevin\",\"version\":\"2.2.6\"}\n");
	e = (struct capture_event){
		.at_us = 9,
		.conn = 1,
		.kind = CAPTURED_FINDING,
		.data = span_of("{ \"code\": \"D101\",\n\"x\":1}")
	};
	writes(&e, false,
	       "{\"n\":1,\"t\":9,\"c\":1,\"kind\":\"finding\",\"finding\":{\"code\":\"D101\",\"x\":1}}\n");
	e = (struct capture_event){ .at_us = 9,
				    .kind = CAPTURED_LOST,
				    .count = 3 };
	writes(&e, false, "{\"n\":1,\"t\":9,\"kind\":\"lost\",\"count\":3}\n");
}

/* One name for one secret, wherever it stands. */
static void secrets(void **state)
{
	static const char head[] =
		"GET /x?token=hush-1 HTTP/1.1\r\nAuthorization: Bearer hush-1\r\nCookie: a=hush-2; b=hush-3\r\nDevice-Id: aa\r\n";
	const struct capture_event e = {
		.at_us = 1,
		.conn = 1,
		.leg = LEG_OTA,
		.kind = CAPTURED_RESPONSE,
		.from = FROM_BACKEND,
		.status = 200,
		.head = { head, sizeof(head) - 1 },
		.data = span_of(
			"{\"websocket\":{\"url\":\"ws://h/\",\"token\":\"hush-4\"},\"token\":\"hush-1\"}"),
		.passed = span_of("{\"token\":\"hush-4\"}"),
	};
	CLEANUP(mem_free_ptr) char *line = line_of(&e, false);

	(void)state;
	assert_null(strstr(line, "hush"));
	assert_non_null(strstr(
		line,
		"\"head\":[\"GET /x?token=***1 HTTP/1.1\",\"Authorization: Bearer ***1\",\"Cookie: ***2\",\"Device-Id: aa\"]"));
	/* The size is that of the wire, not of what is left of it. */
	assert_non_null(strstr(line, "\"size\":65,"));
	assert_non_null(strstr(line, "\\\"token\\\":\\\"***3\\\"},"));
	assert_non_null(strstr(line, "\\\"token\\\":\\\"***1\\\"}"));
	assert_non_null(
		strstr(line, "\"passed\":\"{\\\"token\\\":\\\"***3\\\"}\""));
}

/* The password of an MQTT CONNECT is the last that stands in it. */
static void mqtt_password(void **state)
{
	static const char packet[] =
		"\x10\x18\0\4MQTT\4\xc2\0\x3c\0\2id\0\2me\0\4hush";
	const struct capture_event e = { .at_us = 1,
					 .conn = 1,
					 .leg = LEG_MQTT,
					 .kind = CAPTURED_PACKET,
					 .from = FROM_DEVICE,
					 .data = { packet,
						   sizeof(packet) - 1 } };

	(void)state;
	writes(&e, true,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"mqtt\",\"from\":\"device\",\"kind\":\"packet\",\"size\":26,\"cut\":12,\"hex\":\"101800044d51545404c2003c\"}\n");
}

static void large(void **state)
{
	static char data[CAPTURE_DATA_MAX + 2];
	const struct capture_event e = { .at_us = 1,
					 .conn = 1,
					 .kind = CAPTURED_TEXT,
					 .from = FROM_DEVICE,
					 .data = { data, sizeof(data) } };
	CLEANUP(mem_free_ptr) char *line = NULL;
	char sum[SHA256_TEXT];

	(void)state;
	/* The last character that would be whole is not cut. */
	memset(data, 'a', sizeof(data));
	data[CAPTURE_DATA_MAX - 1] = '\xc3';
	data[CAPTURE_DATA_MAX] = '\xa9';
	line = line_of(&e, false);
	sha256_text(data, sizeof(data), sum);
	assert_non_null(strstr(line, "\"size\":65538,\"cut\":65535,"));
	assert_non_null(strstr(line, sum));
	assert_true(strlen(line) < CAPTURE_DATA_MAX + 256);
}

static void sums(void **state)
{
	char out[SHA256_TEXT];

	(void)state;
	/* FIPS 180-4's examples. */
	sha256_text("abc", 3, out);
	assert_string_equal(
		out,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    56, out);
	assert_string_equal(
		out,
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	sha256_text("", 0, out);
	assert_string_equal(
		out,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void no_file(void **state)
{
	struct capture_how how = { .path = "/dev/null/x", .as = "client" };
	struct error err = { 0 };

	(void)state;
	assert_null(capture_create(&how, &err));
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "/dev/null/x"));
	how.path = "/dev/full";
	assert_null(capture_create(&how, &err));
	assert_int_equal(err.kind, ERR_OUTPUT);
	how.path = "-";
	assert_null(capture_create(&how, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(capture_close(NULL, &err), 0);
	error_reset(&err);
}

static void count_trouble(void *owner, const struct error *why)
{
	assert_int_equal(why->kind, ERR_OUTPUT);
	++*(int *)owner;
}

/* No room, for a while: told once, counted, and said in the file. */
static void full_disk(void **state)
{
	const struct capture_event e = { .at_us = 1,
					 .conn = 1,
					 .kind = CAPTURED_TEXT,
					 .from = FROM_DEVICE,
					 .data = span_of("{}") };
	int told = 0;
	const struct capture_how how = { .path = path,
					 .as = "serve",
					 .trouble = count_trouble,
					 .owner = &told };
	struct error err = { 0 };
	CLEANUP(buf_done) struct buf file = { 0 };
	struct capture_writer *w = capture_create(&how, &err);
	struct rlimit small = { 0 }, was;
	struct stat st;

	(void)state;
	assert_non_null(w);
	capture_write(w, &e);
	assert_int_equal(stat(path, &st), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = (struct rlimit){ (rlim_t)st.st_size + 10, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 3; i++)
		capture_write(w, &e);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(told, 1);
	assert_true(capture_failed(w));
	capture_write(w, &e);
	assert_int_equal(capture_close(w, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "3 events are lost"));
	assert_int_equal(file_read(&file, "capture", path, NULL), 0);
	assert_non_null(
		strstr(buf_string(&file), "\"text\":\"{}\"}\n{\"n\":5,\"t\":"));
	assert_non_null(strstr(buf_string(&file),
			       "\"kind\":\"lost\",\"count\":3}\n{\"n\":6,"));
	error_reset(&err);
}

static void private(void **state)
{
	struct stat st;

	(void)state;
	unlink(path);
	assert_int_equal(capture_close(create(false), NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* ---- read ---- */

static void put(const char *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static struct capture_reader *reads(const char *text)
{
	struct error err = { 0 };
	struct capture_reader *r;

	put(text, strlen(text));
	r = capture_open(path, &err);
	if (!r)
		print_error("%s\n", err.text);
	assert_non_null(r);
	return r;
}

static void is_next(struct capture_reader *r, struct capture_event *e)
{
	struct error err = { 0 };

	assert_int_equal(capture_next(r, e, &err), 1);
}

static void is_end(struct capture_reader *r, bool cut)
{
	struct capture_event e;
	struct error err = { 0 };

	assert_int_equal(capture_next(r, &e, &err), 0);
	assert_int_equal(capture_cut(r), cut);
	capture_reader_free(r);
}

static void read_events(void **state)
{
	struct capture_event e;
	struct capture_reader *r = reads(
		"{\"capture\":1,\"made\":\"2026-11-22T10:02:11.400Z\",\"as\":\"proxy\",\"masked\":true,\"upstream\":\"ws://h/\",\"new\":[1]}\n"
		"{\"n\":1,\"t\":0,\"c\":1,\"leg\":\"ota\",\"from\":\"device\",\"kind\":\"request\",\"head\":[\"POST / HTTP/1.1\",\"A: b\"],\"size\":4,\"text\":\"a\\u0000\\ud83d\\ude00\\ud800\\n\"}\n"
		"\n"
		"{\"n\":2,\"t\":5,\"c\":1,\"kind\":\"device\",\"device\":\"aa\",\"board\":\"b\"}\n"
		"{\"n\":9,\"t\":6,\"c\":1,\"leg\":\"ws\",\"from\":\"backend\",\"kind\":\"text\",\"size\":70000,\"cut\":2,\"sha256\":\"x\",\"hex\":\"ff0A\"}\n"
		"{\"t\":7,\"kind\":\"of tomorrow\"}\n"
		"{\"t\":7,\"leg\":\"of tomorrow\",\"kind\":\"text\"}\n"
		"{\"t\":8,\"c\":1,\"leg\":\"ws\",\"from\":\"device\",\"kind\":\"end\",\"how\":\"rst\"}");
	const struct capture_head *head = capture_head(r);

	(void)state;
	assert_int_equal(head->version, 1);
	assert_string_equal(head->as, "proxy");
	assert_string_equal(head->upstream, "ws://h/");
	assert_int_equal(head->made_ms, 1795341731400);
	assert_true(head->masked);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_REQUEST);
	assert_int_equal(e.leg, LEG_OTA);
	assert_int_equal(e.from, FROM_DEVICE);
	assert_int_equal(e.data.len, 10);
	assert_memory_equal(e.data.text, "a\0\xf0\x9f\x98\x80\xef\xbf\xbd\n",
			    10);
	assert_memory_equal(e.head.text, "POST / HTTP/1.1\r\nA: b\r\n",
			    e.head.len);
	assert_int_equal(e.head.len, 23);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_DEVICE);
	assert_string_equal(e.board, "b");
	assert_null(e.version);
	is_next(r, &e);
	assert_int_equal(e.n, 9);
	assert_string_equal(e.device, "aa");
	assert_true(e.bytes);
	assert_true(e.cut);
	assert_int_equal(e.size, 70000);
	assert_memory_equal(e.data.text, "\xff\n", 2);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_OTHER);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_OTHER);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_END);
	assert_int_equal(e.how, ENDED_RST);
	is_end(r, false);
}

static void read_old(void **state)
{
	struct capture_event e;
	struct capture_reader *r = reads(
		"{\"t\":3,\"dir\":\"in\",\"kind\":\"ready\",\"size\":1,\"text\":\"h\"}\n"
		"{\"t\":4,\"dir\":\"out\",\"kind\":\"text\",\"size\":9,\"text\":\"{\\\"method\\\":\\\"initialize\\\"}\"}\n"
		"{\"t\":5,\"dir\":\"in\",\"kind\":\"binary\",\"size\":3,\"hex\":\"4100ff\"}\n"
		"{\"t\":6,\"device\":\"aa\",\"dir\":\"in\",\"kind\":\"closed\",\"size\":0,\"text\":\"\"}\n");

	(void)state;
	assert_int_equal(capture_head(r)->version, 0);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_OPEN);
	assert_int_equal(e.n, 1);
	is_next(r, &e);
	assert_int_equal(e.from, FROM_BACKEND);
	is_next(r, &e);
	assert_int_equal(e.from, FROM_DEVICE);
	assert_int_equal(e.data.len, 3);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_END);
	assert_string_equal(e.device, "aa");
	is_end(r, false);
	/* Who plays the device is told to initialize. */
	r = reads(
		"{\"t\":4,\"dir\":\"out\",\"kind\":\"text\",\"size\":2,\"text\":\"{}\"}\n"
		"{\"t\":4,\"dir\":\"in\",\"kind\":\"text\",\"size\":9,\"text\":\"{\\\"method\\\":\\\"initialize\\\"}\"}\n");
	is_next(r, &e);
	assert_int_equal(e.from, FROM_DEVICE);
	is_next(r, &e);
	assert_int_equal(e.from, FROM_BACKEND);
	is_end(r, false);
}

static void cut_files(void **state)
{
	static const char *const ends[] = { "{\"t\":1,\"kind\":\"te", "{",
					    "{\"t\":1,\"kind\":\"text\"" };
	struct capture_event e;

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			HEADER "{\"t\":1,\"kind\":\"text\"}\n%s", ends[i]);
		struct capture_reader *r = reads(text);

		is_next(r, &e);
		is_end(r, true);
	}
	is_end(reads(HEADER), false);
}

static void refused(const char *data, size_t len, const char *why)
{
	struct error err = { 0 };

	put(data, len);
	assert_null(capture_open(path, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, why))
		print_error("%s\n", err.text);
	assert_non_null(strstr(err.text, why));
	error_reset(&err);
}

static void foreign(void **state)
{
	struct error err = { 0 };
	struct capture_event e;
	struct capture_reader *r;

	(void)state;
	refused("", 0, "is empty");
	refused("root:x:0\n", 9, "line 1 is no JSON");
	refused("{}\n", 3, "no header");
	refused("[1]\n", 4, "no header");
	refused("{\"capture\":\"x\"}\n", 16, "no version");
	refused("{\"capture\":2}\n", 14, "version 2");
	refused("\x1f\x8b\x08\0", 4, "could not unpack");
	assert_null(capture_open("/nowhere/x", &err));
	assert_non_null(strstr(err.text, "/nowhere/x"));
	r = reads(HEADER "{\"t\":1,\"kind\":\"text\"}\nhello\n");
	is_next(r, &e);
	assert_int_equal(capture_next(r, &e, &err), -1);
	assert_non_null(strstr(err.text, "line 3"));
	capture_reader_free(r);
	r = reads(HEADER "{\"t\":1,\"kind\":\"text\",\"hex\":\"0g\"}\n");
	assert_int_equal(capture_next(r, &e, &err), -1);
	assert_non_null(strstr(err.text, "hex"));
	capture_reader_free(r);
	r = reads(HEADER "{\"t\":-1,\"kind\":\"text\"}\n");
	assert_int_equal(capture_next(r, &e, &err), -1);
	capture_reader_free(r);
	error_reset(&err);
}

/* It is passed over, and counted. */
static void long_line(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(mem_free_ptr)
	char *many = mem_zalloc(2 * CAPTURE_LINE_MAX + 1);
	struct capture_event e;
	struct capture_reader *r;
	struct error err = { 0 };

	(void)state;
	memset(many, 'a', 2 * CAPTURE_LINE_MAX);
	buf_text(&text, HEADER "{\"t\":1,\"kind\":\"text\",\"text\":\"");
	buf_text(&text, many);
	buf_text(&text, "\"}\n{\"t\":2,\"kind\":\"ping\"}\n");
	put(text.data, text.len);
	r = capture_open(path, &err);
	assert_non_null(r);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_LOST);
	assert_int_equal(e.count, 1);
	is_next(r, &e);
	assert_int_equal(e.kind, CAPTURED_PING);
	assert_int_equal(capture_long(r), 2);
	is_end(r, false);
	refused(many, 2 * CAPTURE_LINE_MAX, "does not end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),	 cmocka_unit_test(secrets),
		cmocka_unit_test(mqtt_password), cmocka_unit_test(large),
		cmocka_unit_test(sums),		 cmocka_unit_test(no_file),
		cmocka_unit_test(full_disk),	 cmocka_unit_test(private),
		cmocka_unit_test(read_events),	 cmocka_unit_test(read_old),
		cmocka_unit_test(cut_files),	 cmocka_unit_test(foreign),
		cmocka_unit_test(long_line),
	};

	return cmocka_run_group_tests_name("capture", tests, make_file,
					   remove_file);
}
