/* SPDX-License-Identifier: MIT */
/*
 * Captures: what is written, from the event to the bytes; what is read, from
 * the bytes to the event; files that are foreign, cut, packed, full.
 */
#include <errno.h>
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

/* What stands in front of a secret stays, and so does what is none. */
static void heads(void **state)
{
	static const char head[] =
		"GET / HTTP/1.1\nauthorization:basic aHVzaA==\r\nAuthorization:   Digest hush\r\nAuthorization: Bearer \r\nX: \xc3\xa9\r\nno colon\r\na b: c";
	const struct capture_event e = { .at_us = 1,
					 .conn = 1,
					 .leg = LEG_HTTP,
					 .kind = CAPTURED_REQUEST,
					 .from = FROM_DEVICE,
					 .head = { head, sizeof(head) - 1 } };

	(void)state;
	writes(&e, false,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"http\",\"from\":\"device\",\"kind\":\"request\",\"head\":[\"GET / HTTP/1.1\",\"authorization:basic ***1\",\"Authorization:   Digest ***2\",\"Authorization: ***3\",\"X: \xc3\xa9\",\"no colon\",\"a b: c\"]}\n");
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

/* As much as fits is not cut; bytes are cut anywhere, passed ones, too. */
static void large_bytes(void **state)
{
	static char data[CAPTURE_DATA_MAX + 1];
	struct capture_event e = { .at_us = 1,
				   .conn = 1,
				   .kind = CAPTURED_TEXT,
				   .from = FROM_DEVICE,
				   .data = { data, CAPTURE_DATA_MAX },
				   .passed = { data, sizeof(data) } };
	CLEANUP(mem_free_ptr) char *line = NULL, *bytes = NULL;

	(void)state;
	memset(data, 'a', sizeof(data));
	line = line_of(&e, false);
	assert_null(strstr(line, "\"cut\""));
	assert_non_null(strstr(line, "\"size\":65536,\"text\":\"aaa"));
	assert_non_null(
		strstr(line, "\"passed_cut\":65536,\"passed_sha256\":\""));
	assert_non_null(strstr(line, "\",\"passed\":\"aaa"));
	e.data = e.passed;
	e.passed = (struct span){ "\xff", 1 };
	data[0] = '\x80';
	data[1] = '\0';
	bytes = line_of(&e, false);
	assert_non_null(
		strstr(bytes, "\"size\":65537,\"cut\":65536,\"sha256\""));
	assert_non_null(strstr(bytes, "\",\"hex\":\"80006161"));
	assert_non_null(strstr(bytes, "\"passed_hex\":\"ff\"}"));
}

/* What is a beginning already stays one, with the sum of the whole. */
static void cut_before(void **state)
{
	struct capture_event e = { .at_us = 1,
				   .conn = 1,
				   .leg = LEG_UDP,
				   .kind = CAPTURED_TEXT,
				   .cut = true,
				   .sha256 = "5a",
				   .size = 70000,
				   .data = { "abc", 3 } };

	(void)state;
	writes(&e, false,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"udp\",\"kind\":\"text\",\"size\":70000,\"cut\":3,\"sha256\":\"5a\",\"text\":\"abc\"}\n");
	e.cut = false;
	e.bytes = true;
	writes(&e, false,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"udp\",\"kind\":\"text\",\"size\":70000,\"hex\":\"616263\"}\n");
	/* Of audio over UDP, as of binary frames, the size alone. */
	e.kind = CAPTURED_PACKET;
	writes(&e, false,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"udp\",\"kind\":\"packet\",\"size\":70000}\n");
	e.data = (struct span){ 0 };
	writes(&e, true,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"udp\",\"kind\":\"packet\",\"size\":70000}\n");
	/* A packet of MQTT that is no CONNECT has no password. */
	e = (struct capture_event){ .at_us = 1,
				    .conn = 1,
				    .leg = LEG_MQTT,
				    .kind = CAPTURED_PACKET,
				    .topic = "a/\"b",
				    .data = { "\x20\x02\0\0", 4 } };
	writes(&e, false,
	       "{\"n\":1,\"t\":1,\"c\":1,\"leg\":\"mqtt\",\"kind\":\"packet\",\"topic\":\"a/\\\"b\",\"size\":4,\"hex\":\"20020000\"}\n");
}

/* A finding that is told within another object; one that is no JSON. */
static void findings(void **state)
{
	struct capture_event e = {
		.at_us = 1,
		.conn = 1,
		.kind = CAPTURED_FINDING,
		.data = span_of("{\"finding\": {\"code\": \"D101\"}}")
	};

	(void)state;
	writes(&e, false,
	       "{\"n\":1,\"t\":1,\"c\":1,\"kind\":\"finding\",\"finding\":{\"code\":\"D101\"}}\n");
	e.data = span_of("{\"code\":");
	writes(&e, false, "{\"n\":1,\"t\":1,\"c\":1,\"kind\":\"finding\"}\n");
	e.data = (struct span){ 0 };
	writes(&e, false, "{\"n\":1,\"t\":1,\"c\":1,\"kind\":\"finding\"}\n");
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

/* What it has recorded is not taken away. */
static void file_of_another(void **state)
{
	const struct capture_how how = { .path = path, .as = "client" };
	struct capture_writer *w = capture_create(&how, NULL);
	struct error err = { 0 };
	struct stat before, after;

	(void)state;
	assert_non_null(w);
	assert_int_equal(stat(how.path, &before), 0);
	assert_true(before.st_size > 0);
	assert_null(capture_create(&how, &err));
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "another program writes"));
	assert_int_equal(stat(how.path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(capture_close(w, NULL), 0);
	w = capture_create(&how, NULL);
	assert_non_null(w);
	assert_int_equal(stat(how.path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(capture_close(w, NULL), 0);
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
	/* Told once: what was written behind it is the end of the file. */
	assert_string_equal(
		strstr(buf_string(&file), "{\"n\":6,"),
		"{\"n\":6,\"t\":1,\"c\":1,\"leg\":\"ws\",\"from\":\"device\",\"kind\":\"text\",\"size\":2,\"text\":\"{}\"}\n");
	error_reset(&err);
}

/* ---- not into a file ---- */

static struct buf lines;
static int full; /* so many lines find no room */

static bool take_line(void *owner, struct span line)
{
	assert_ptr_equal(owner, &lines);
	if (full > 0) {
		full--;
		errno = ENOSPC;
		return false;
	}
	buf_add(&lines, line.text, line.len);
	buf_char(&lines, '\n');
	return true;
}

static void keep_trouble(void *owner, const struct error *why)
{
	assert_ptr_equal(owner, &lines);
	buf_printf(&lines, "%s\n", why->text);
}

#define HEAD_OF_COPY                                                         \
	"{\"capture\":1,\"program\":\"mcpctl " MCPCTL_VERSION                \
	"\",\"made\":\"2026-11-22T10:02:11.400Z\",\"as\":\"sim\",\"clock\":" \
	"\"us\",\"masked\":true"

/* A copy keeps the times of what it is of; each line is given out whole. */
static void given_out(void **state)
{
	const struct capture_how how = { .line = take_line,
					 .as = "sim",
					 .made = "2026-11-22T10:02:11.400Z",
					 .trouble = keep_trouble,
					 .owner = &lines };
	const struct capture_event e = { .conn = 1, .kind = CAPTURED_PING };
	struct error err = { 0 };
	struct capture_writer *w = capture_create(&how, &err);

	(void)state;
	assert_non_null(w);
	assert_int_equal(capture_connection(w), 1);
	assert_int_equal(capture_connection(w), 2);
	assert_int_equal(capture_reader(w), -1);
	/* Since it began, and not since the machine did. */
	assert_true(capture_now(w) >= 0 && capture_now(w) < 60000000);
	assert_int_equal(capture_write(w, &e), 1);
	assert_string_equal(
		buf_string(&lines), HEAD_OF_COPY
		"}\n{\"n\":1,\"t\":0,\"c\":1,\"leg\":\"ws\",\"kind\":\"ping\"}\n");
	assert_false(capture_failed(w));
	buf_reset(&lines);
	full = 1;
	assert_int_equal(capture_write(w, &e), 2);
	assert_true(capture_failed(w));
	assert_string_equal(
		buf_string(&lines),
		"cannot write 'stdout': No space left on device; the work goes on\n");
	buf_reset(&lines);
	assert_int_equal(capture_close(w, &err), -1);
	assert_string_equal(
		buf_string(&lines),
		"{\"n\":3,\"t\":0,\"kind\":\"lost\",\"count\":1}\n");
	assert_string_equal(
		err.text,
		"'stdout' could not be written whole: 1 event is lost: No space left on device");
	/* Where there is no room from the beginning on there is none. */
	full = 1;
	assert_null(capture_create(&how, &err));
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_string_equal(err.text,
			    "cannot write 'stdout': No space left on device");
	buf_done(&lines);
	error_reset(&err);
}

/* Of a kind that is not known nothing is written, but it has its number. */
static void no_kind(void **state)
{
	const struct capture_how how = { .line = take_line,
					 .as = "sim",
					 .made = "2026-11-22T10:02:11.400Z",
					 .owner = &lines };
	struct capture_event e = { .conn = 1, .kind = CAPTURED_OTHER };
	struct capture_writer *w = capture_create(&how, NULL);

	(void)state;
	assert_non_null(w);
	buf_reset(&lines);
	assert_int_equal(capture_write(w, &e), 1);
	assert_string_equal(buf_string(&lines), "");
	e.kind = CAPTURED_PONG;
	e.at_us = 4;
	assert_int_equal(capture_write(w, &e), 2);
	assert_string_equal(
		buf_string(&lines),
		"{\"n\":2,\"t\":4,\"c\":1,\"leg\":\"ws\",\"kind\":\"pong\"}\n");
	assert_int_equal(capture_close(w, NULL), 0);
	buf_done(&lines);
}

/* A password in an address has a name, as all secrets have; the user has not. */
static void upstreams(void **state)
{
	static const struct {
		const char *url, *written;
		size_t secrets;
	} rows[] = {
		{ "ws://h:80/x", "ws://h:80/x", 0 },
		{ "ws://me@h/x", "ws://me@h/x", 0 },
		{ "ws://me:hush@h/x", "ws://me:***1@h/x", 1 },
		{ "ws://me:hush@h/?token=hush", "ws://me:***1@h/?token=***1",
		  1 },
		{ "ws://h/a:b@c", "ws://h/a:b@c", 0 },
		{ "ws://h?a:b@c", "ws://h?a:b@c", 0 },
		{ "h:80", "h:80", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct capture_how how = {
			.line = take_line,
			.as = "sim",
			.made = "2026-11-22T10:02:11.400Z",
			.upstream = rows[i].url,
			.owner = &lines
		};
		CLEANUP(mem_free_ptr)
		char *want = mem_printf(HEAD_OF_COPY ",\"upstream\":\"%s\"}\n",
					rows[i].written);
		struct capture_writer *w;

		buf_reset(&lines);
		w = capture_create(&how, NULL);
		assert_non_null(w);
		assert_string_equal(buf_string(&lines), want);
		assert_int_equal(capture_secrets(w), rows[i].secrets);
		assert_int_equal(capture_close(w, NULL), 0);
	}
	buf_done(&lines);
}

/* The same file, as long as it has its name. */
static void read_beside(void **state)
{
	struct capture_writer *w = create(false);
	struct stat ours, there;
	char moved[sizeof(path) + 2];
	int fd = capture_reader(w);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(stat(path, &ours), 0);
	assert_int_equal(fstat(fd, &there), 0);
	assert_true(ours.st_ino == there.st_ino);
	assert_int_equal(close(fd), 0);
	snprintf(moved, sizeof(moved), "%s.2", path);
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(capture_reader(w), -1);
	assert_int_equal(capture_close(create(false), NULL), 0);
	assert_int_equal(capture_reader(w), -1);
	assert_int_equal(capture_close(w, NULL), 0);
	assert_int_equal(unlink(moved), 0);
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

/* ---- what is written is read ---- */

static const struct capture_event all_kinds[] = {
	{ .at_us = 1, .conn = 1, .leg = LEG_WS, .kind = CAPTURED_OPEN },
	{ .at_us = 2,
	  .conn = 4294967295,
	  .leg = LEG_HTTP,
	  .kind = CAPTURED_REQUEST,
	  .from = FROM_DEVICE,
	  .device = "aa",
	  .head = { "POST / HTTP/1.1\r\nA: b\r\n", 23 },
	  .data = { "{}", 2 },
	  .passed = { "[]", 2 },
	  .size = 2 },
	{ .at_us = 3,
	  .conn = 1,
	  .leg = LEG_OTA,
	  .kind = CAPTURED_RESPONSE,
	  .from = FROM_BACKEND,
	  .status = 404,
	  .passed = { "\xff", 1 } },
	{ .at_us = 4,
	  .conn = 1,
	  .leg = LEG_STDIO,
	  .kind = CAPTURED_TEXT,
	  .from = FROM_BACKEND,
	  .data = { "x", 1 },
	  .size = 70000,
	  .cut = true,
	  .sha256 = "5a",
	  .passed = { "y", 1 },
	  .passed_cut = true,
	  .passed_sha256 = "6b" },
	{ .at_us = 5,
	  .conn = 1,
	  .leg = LEG_VISION,
	  .kind = CAPTURED_BINARY,
	  .size = 9 },
	{ .at_us = 6, .conn = 1, .leg = LEG_LOCAL, .kind = CAPTURED_PING },
	{ .at_us = 7, .conn = 1, .leg = LEG_UDP, .kind = CAPTURED_PONG },
	{ .at_us = 8,
	  .conn = 1,
	  .leg = LEG_MQTT,
	  .kind = CAPTURED_PACKET,
	  .topic = "t/\xc3\xa9",
	  .data = { "\x20", 1 },
	  .size = 1,
	  .bytes = false },
	{ .at_us = 9,
	  .conn = 1,
	  .leg = LEG_SERIAL,
	  .kind = CAPTURED_LINE,
	  .data = { "I (1) x", 7 },
	  .size = 7 },
	{ .at_us = 10,
	  .conn = 1,
	  .kind = CAPTURED_END,
	  .how = ENDED_TIMEOUT,
	  .code = 65535 },
	{ .at_us = 10, .conn = 1, .kind = CAPTURED_END, .how = ENDED_FIN },
	{ .at_us = 10, .conn = 1, .kind = CAPTURED_END, .how = ENDED_RST },
	{ .at_us = 10, .conn = 1, .kind = CAPTURED_END, .how = ENDED_CLOSE },
	{ .at_us = 10, .conn = 1, .kind = CAPTURED_END },
	{ .at_us = 11,
	  .conn = 2,
	  .kind = CAPTURED_FINDING,
	  .data = { "{\"code\":\"D101\"}", 15 } },
	{ .at_us = 12,
	  .conn = 2,
	  .kind = CAPTURED_DEVICE,
	  .device = "bb",
	  .board = "kevin",
	  .version = "2.2.6" },
	{ .at_us = 13, .kind = CAPTURED_LOST, .count = 7 },
	{ .at_us = 14,
	  .conn = 1,
	  .kind = CAPTURED_NOTICE,
	  .data = { "ready", 5 },
	  .size = 5 },
};

static void same_text(const char *a, const char *b)
{
	assert_int_equal(a != NULL, b != NULL);
	if (a)
		assert_string_equal(a, b);
}

static void same_span(struct span a, struct span b)
{
	assert_int_equal(a.len, b.len);
	if (a.len)
		assert_memory_equal(a.text, b.text, a.len);
}

static void there_and_back(void **state)
{
	struct capture_writer *w = create(false);
	struct error err = { 0 };
	struct capture_reader *r;
	struct capture_event e;

	(void)state;
	for (size_t i = 0; i < COUNT(all_kinds); i++)
		capture_write(w, &all_kinds[i]);
	assert_int_equal(capture_close(w, &err), 0);
	r = capture_open(path, &err);
	assert_non_null(r);
	assert_string_equal(capture_head(r)->as, "proxy");
	assert_true(capture_head(r)->made_ms > INT64_C(1700000000000));
	for (size_t i = 0; i < COUNT(all_kinds); i++) {
		const struct capture_event *want = &all_kinds[i];

		is_next(r, &e);
		assert_int_equal(e.n, i + 1);
		assert_int_equal(e.at_us, want->at_us);
		assert_int_equal(e.conn, want->conn);
		assert_int_equal(e.kind, want->kind);
		assert_int_equal(e.leg, want->leg);
		assert_int_equal(e.from, want->from);
		assert_int_equal(e.size, want->size);
		assert_int_equal(e.cut, want->cut);
		assert_int_equal(e.status, want->status);
		assert_int_equal(e.how, want->how);
		assert_int_equal(e.code, want->code);
		assert_int_equal(e.count, want->count);
		same_text(e.device, want->device);
		same_text(e.board, want->board);
		same_text(e.version, want->version);
		same_text(e.topic, want->topic);
		same_text(e.sha256, want->sha256);
		same_span(e.data, want->data);
		same_span(e.head, want->head);
		same_span(e.passed, want->passed);
		assert_int_equal(e.passed_cut, want->passed_cut);
		same_text(e.passed_sha256, want->passed_sha256);
	}
	assert_int_equal(capture_beginnings(r), 1);
	assert_int_equal(capture_long(r), 0);
	is_end(r, false);
}

/* Who a connection is was told once; from then on it is known. */
static void who_is_who(void **state)
{
	struct capture_event e;
	struct capture_reader *r = reads(
		HEADER
		"{\"t\":1,\"c\":1,\"kind\":\"text\"}\n"
		"{\"t\":1,\"c\":1,\"kind\":\"text\",\"device\":\"x\"}\n"
		"{\"t\":1,\"c\":1,\"kind\":\"device\",\"device\":\"aa\"}\n"
		"{\"t\":1,\"c\":2,\"kind\":\"device\",\"device\":\"bb\"}\n"
		" \t\r\n"
		"{\"t\":1,\"c\":1,\"kind\":\"text\"}\n"
		"{\"t\":1,\"c\":2,\"kind\":\"text\"}\n"
		"{\"t\":1,\"c\":1,\"kind\":\"device\",\"device\":\"cc\"}\n"
		"{\"t\":1,\"c\":1,\"kind\":\"text\"}\n"
		"{\"t\":1,\"kind\":\"text\"}\n");
	static const struct {
		const char *device;
		bool before;
		uint64_t n;
	} rows[] = {
		{ NULL, false, 2 }, { "x", false, 3 },	{ "aa", false, 4 },
		{ "bb", false, 5 }, { "aa", true, 7 },	{ "bb", true, 8 },
		{ "cc", false, 9 }, { "cc", true, 10 }, { NULL, false, 11 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		is_next(r, &e);
		same_text(e.device, rows[i].device);
		assert_int_equal(e.named_before, rows[i].before);
		/* Without a number of its own it has that of its line. */
		assert_int_equal(e.n, rows[i].n);
	}
	is_end(r, false);
}

/* All that JSON has in strings (RFC 8259, 7). */
static void escapes(void **state)
{
	static const struct {
		const char *written, *read;
		size_t len;
	} rows[] = {
		{ "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8 },
		{ "a\\u007fb",
		  "a\x7f"
		  "b",
		  3 },
		{ "\\u0080\\u00e9\\u07FF", "\xc2\x80\xc3\xa9\xdf\xbf", 6 },
		{ "\\u0800\\u20AC\\uffff",
		  "\xe0\xa0\x80\xe2\x82\xac\xef\xbf\xbf", 9 },
		{ "\\ud800\\udc00\\uDBFF\\uDFFF",
		  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8 },
		/* Halves alone are none of them. */
		{ "\\udc00x", "\xef\xbf\xbdx", 4 },
		{ "\\ud83d\\u0041",
		  "\xef\xbf\xbd"
		  "A",
		  4 },
		{ "\\ud83d\\n", "\xef\xbf\xbd\n", 4 },
		{ "\\ud7ff\\ue000", "\xed\x9f\xbf\xee\x80\x80", 6 },
		{ "", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *file = mem_printf(
			HEADER
			"{\"t\":1,\"kind\":\"text\",\"text\":\"%s\",\"topic\":\"%s\"}\n",
			rows[i].written, rows[i].written);
		struct capture_reader *r = reads(file);
		struct capture_event e;

		is_next(r, &e);
		assert_int_equal(e.data.len, rows[i].len);
		assert_memory_equal(e.data.text, rows[i].read, rows[i].len);
		assert_string_equal(e.topic, rows[i].read);
		assert_int_equal(e.size, rows[i].len);
		is_end(r, false);
	}
}

/* One line, or what is said of it. */
static void read_one(const char *line, const char *wrong)
{
	CLEANUP(mem_free_ptr) char *file = mem_printf(HEADER "%s\n", line);
	struct error err = { 0 };
	struct capture_reader *r = reads(file);
	struct capture_event e;

	if (!wrong) {
		is_next(r, &e);
	} else {
		assert_int_equal(capture_next(r, &e, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, "', line 2: "));
		if (!strstr(err.text, wrong))
			fail_msg("'%s' does not say '%s'", err.text, wrong);
	}
	error_reset(&err);
	capture_reader_free(r);
}

static void numbers(void **state)
{
	static const struct {
		const char *member, *most, *more;
	} rows[] = {
		{ "n", "9007199254740991", "9007199254740993" },
		{ "c", "4294967295", "4294967296" },
		{ "size", "9007199254740991", "9007199254740993" },
		{ "status", "2147483647", "2147483648" },
		{ "code", "65535", "65536" },
		{ "count", "9007199254740991", "9007199254740993" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *most = mem_printf("{\"t\":1,\"kind\":\"x\",\"%s\":%s}",
					rows[i].member, rows[i].most);
		CLEANUP(mem_free_ptr)
		char *more = mem_printf("{\"t\":1,\"kind\":\"x\",\"%s\":%s}",
					rows[i].member, rows[i].more);
		CLEANUP(mem_free_ptr)
		char *less = mem_printf("{\"t\":1,\"kind\":\"x\",\"%s\":-1}",
					rows[i].member);

		read_one(most, NULL);
		read_one(more, "a number is none, or is too large");
		read_one(less, "a number is none, or is too large");
	}
	read_one("{\"t\":0,\"kind\":\"x\"}", NULL);
	read_one("{\"kind\":\"x\"}", "\"t\" is not there");
	read_one("{\"t\":\"1\",\"kind\":\"x\"}", "\"t\" is not there");
	read_one("{\"t\":1}", "it has no \"kind\"");
	read_one("{\"t\":1,\"kind\":\"x\",\"hex\":\"fF09aA\"}", NULL);
	read_one("{\"t\":1,\"kind\":\"x\",\"hex\":\"0\"}",
		 "\"hex\" is no hexadecimal digits in pairs");
	read_one("{\"t\":1,\"kind\":\"x\",\"hex\":\"g0\"}", "\"hex\" is no");
	read_one("{\"t\":1,\"kind\":\"x\",\"hex\":\"0`\"}", "\"hex\" is no");
	read_one("{\"t\":1,\"kind\":\"x\",\"hex\":7}", "\"hex\" is no");
	read_one("{\"t\":1,\"kind\":\"x\",\"passed_hex\":\"0\"}",
		 "\"passed_hex\" is no hexadecimal digits in pairs");
}

/* When it was made, as far as that can be read. */
static void moments(void **state)
{
	static const struct {
		const char *made;
		int64_t ms;
	} rows[] = {
		{ "2026-11-22T10:02:11Z", 1795341731000 },
		{ "2026-11-22T10:02:11.4Z", 1795341731400 },
		{ "2026-11-22T10:02:11.056789Z", 1795341731056 },
		{ "1970-01-01T00:00:01.999Z", 1999 },
		{ "yesterday", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *file = mem_printf(
			"\xef\xbb\xbf{\"capture\":1,\"made\":\"%s\"}\n",
			rows[i].made);
		struct capture_reader *r = reads(file);

		assert_string_equal(capture_head(r)->made, rows[i].made);
		assert_int_equal(capture_head(r)->made_ms, rows[i].ms);
		assert_false(capture_head(r)->masked);
		assert_null(capture_head(r)->as);
		is_end(r, false);
	}
}

/* A connection of a trace is its device, or what begins with "ready". */
static void old_connections(void **state)
{
	static const struct {
		const char *line;
		uint32_t conn;
	} rows[] = {
		{ "{\"t\":1,\"dir\":\"in\",\"kind\":\"text\"}", 1 },
		{ "{\"t\":1,\"dir\":\"in\",\"kind\":\"ready\"}", 2 },
		{ "{\"t\":1,\"dir\":\"out\",\"kind\":\"text\"}", 2 },
		{ "{\"t\":1,\"dir\":\"in\",\"kind\":\"text\",\"device\":\"a\"}",
		  1 },
		{ "{\"t\":1,\"dir\":\"in\",\"kind\":\"text\",\"device\":\"b\"}",
		  2 },
		{ "{\"t\":1,\"dir\":\"in\",\"kind\":\"ready\",\"device\":\"a\"}",
		  1 },
	};
	CLEANUP(buf_done) struct buf file = { 0 };
	struct capture_reader *r;
	struct capture_event e;
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		buf_printf(&file, "%s\n", rows[i].line);
	buf_text(&file, "{\"t\":1,\"kind\":\"text\"}\n");
	r = reads(buf_string(&file));
	assert_true(capture_head(r)->masked);
	for (size_t i = 0; i < COUNT(rows); i++) {
		is_next(r, &e);
		assert_int_equal(e.conn, rows[i].conn);
		assert_int_equal(e.from, i == 2 ? FROM_BACKEND : FROM_DEVICE);
	}
	assert_int_equal(capture_next(r, &e, &err), -1);
	assert_non_null(strstr(err.text, "line 7: it has no \"dir\""));
	capture_reader_free(r);
	error_reset(&err);
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
	refused("{\"dir\":1}\n", 10, "no header");
	refused("{\"capture\":\"x\"}\n", 16, "no version");
	refused("{\"capture\":2}\n", 14, "version 2");
	refused("{\"capture\":0}\n", 14, "no version");
	put("{\"capture\":2}\n", 14);
	assert_null(capture_open(path, &err));
	assert_string_equal(err.hint,
			    "it was written by a newer mcpctl: use that");
	put("{\"capture\":2,\"program\":\"mcpctl 9\"}\n", 35);
	assert_null(capture_open(path, &err));
	assert_string_equal(err.hint, "it was written by mcpctl 9: use that");
	put("{}\n", 3);
	assert_null(capture_open(path, &err));
	assert_string_equal(
		err.hint,
		"captures are what --trace FILE writes; see mcpctl-capture(5)");
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
		cmocka_unit_test(forms),
		cmocka_unit_test(secrets),
		cmocka_unit_test(heads),
		cmocka_unit_test(large_bytes),
		cmocka_unit_test(cut_before),
		cmocka_unit_test(findings),
		cmocka_unit_test(given_out),
		cmocka_unit_test(no_kind),
		cmocka_unit_test(upstreams),
		cmocka_unit_test(read_beside),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(who_is_who),
		cmocka_unit_test(escapes),
		cmocka_unit_test(numbers),
		cmocka_unit_test(moments),
		cmocka_unit_test(old_connections),
		cmocka_unit_test(mqtt_password),
		cmocka_unit_test(large),
		cmocka_unit_test(sums),
		cmocka_unit_test(no_file),
		cmocka_unit_test(file_of_another),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(private),
		cmocka_unit_test(read_events),
		cmocka_unit_test(read_old),
		cmocka_unit_test(cut_files),
		cmocka_unit_test(foreign),
		cmocka_unit_test(long_line),
	};

	return cmocka_run_group_tests_name("capture", tests, make_file,
					   remove_file);
}
