/* SPDX-License-Identifier: MIT */
/*
 * Pictures that a simulated device uploads: the bytes of the request, what the
 * tool then answers, and what waits meanwhile.
 */
#include "sim_harness.h"

#include "http_child.h"
#include "sim/upload.h"

#define PHOTO "self.camera.take_photo"
#define SCREEN "self.screen.snapshot"
#define CALL(id, name, arguments)                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
	"\"params\":{\"name\":\"" name "\",\"arguments\":" arguments "}}"
#define SAYS(id, text)                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{"     \
	"\"content\":[{\"type\":\"text\",\"text\":\"" text "" \
	"\"}],\"isError\":false}}"
#define FAILS(id, text)                                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"message\":\"" text \
	"\"}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}"
#define PONG FAILS("9", "Method not implemented: ping")
#define ASK CALL("1", PHOTO, "{\"question\":\"was ist das? 什么\"}")
#define OK(body) "HTTP/1.1 200 OK\r\n" body

#define PATIENCE 60000

/* 600 bytes: two pieces of the camera's encoder. */
static unsigned char picture[600];
static const struct photo photo = { picture, sizeof(picture) };

static void initialize(struct harness *h, const char *url, const char *token)
{
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
				"\"initialize\",\"params\":{\"capabilities\":{"
				"\"vision\":{\"url\":\"%s\"%s%s%s}}}}",
				url, token ? ",\"token\":\"" : "",
				token ? token : "", token ? "\"" : "");

	harness_mcp(h, text);
	mem_free(text);
	assert_non_null(strstr(harness_next(h, 0), "serverInfo"));
}

static void start(struct harness *h)
{
	harness_start(h, harness_profile("esp32", NULL), NULL, false);
	h->device.config.photo = &photo;
	harness_welcome(h);
}

static void start_with(struct harness *h, const struct http_child *c,
		       const char *token)
{
	char *url = mem_printf("http://127.0.0.1:%u/vision/explain?x=1",
			       (unsigned)c->port);

	start(h);
	initialize(h, url, token);
	mem_free(url);
}

static void waits_for(struct harness *h, const char *payload)
{
	char *text = mem_printf(
		"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":%s}",
		payload);
	const char *said = harness_next(h, PATIENCE);

	assert_non_null(said);
	assert_string_equal(said, text);
	mem_free(text);
}

static bool noted(const struct harness *h, const char *words)
{
	size_t i;

	for (i = 0; i < h->notes.count; i++) {
		if (strstr(h->notes.word[i], words))
			return true;
	}
	return false;
}

/* One upload whose request is not looked at. */
static void answered(const char *ask, const char *answer, const char *payload,
		     int expected)
{
	const struct http_script script = { .answer = answer,
					    .answer_len = strlen(answer),
					    .close = true };
	struct http_child c;
	struct harness h;

	http_child_open(&c);
	http_child_start(&c, &script);
	start_with(&h, &c, NULL);
	harness_mcp(&h, ask);
	waits_for(&h, payload);
	if (expected >= 0)
		assert_true(harness_saw(&h, (enum diag_code)expected));
	harness_stop(&h);
	http_child_finish(&c);
}

static void wanted_photo(struct buf *out, uint16_t port, const char *token)
{
	buf_printf(out,
		   "POST /vision/explain?x=1 HTTP/1.1\r\n"
		   "Host: 127.0.0.1:%u\r\n%s%s%s"
		   "Client-Id: 00000000-0000-4000-8000-000000000001\r\n"
		   "Content-Type: multipart/form-data; "
		   "boundary=----ESP32_CAMERA_BOUNDARY\r\n"
		   "Device-Id: 02:00:00:00:00:01\r\n"
		   "Transfer-Encoding: chunked\r\n"
		   "Connection: close\r\n\r\n"
		   "65\r\n"
		   "------ESP32_CAMERA_BOUNDARY\r\n"
		   "Content-Disposition: form-data; name=\"question\"\r\n\r\n"
		   "was ist das? 什么\r\n"
		   "\r\n"
		   "7d\r\n"
		   "------ESP32_CAMERA_BOUNDARY\r\n"
		   "Content-Disposition: form-data; name=\"file\"; "
		   "filename=\"camera.jpg\"\r\n"
		   "Content-Type: image/jpeg\r\n\r\n"
		   "\r\n"
		   "200\r\n",
		   (unsigned)port, token ? "Authorization: Bearer " : "",
		   token ? token : "", token ? "\r\n" : "");
	buf_add(out, picture, 512);
	buf_text(out, "\r\n58\r\n");
	buf_add(out, picture + 512, 88);
	buf_text(out, "\r\n"
		      "21\r\n"
		      "\r\n------ESP32_CAMERA_BOUNDARY--\r\n"
		      "\r\n"
		      "0\r\n\r\n");
}

static void photographed(const char *token)
{
	static const char answer[] = OK(
		"Content-Length: 27\r\n\r\n{\"success\":true,\"n\":\"\\\"\"}  ");
	CLEANUP(buf_done) struct buf wanted = { 0 };
	struct http_child c;
	struct http_script script = { .answer = answer,
				      .answer_len = sizeof(answer) - 1 };
	struct harness h;

	http_child_open(&c);
	wanted_photo(&wanted, c.port, token);
	script.request = wanted.data;
	script.request_len = wanted.len;
	http_child_start(&c, &script);
	start_with(&h, &c, token);
	harness_mcp(&h, ASK);
	waits_for(&h, SAYS("1", "{\\\"success\\\":true,\\\"n\\\":"
				"\\\"\\\\\\\"\\\"}  "));
	assert_int_equal(harness_findings(&h), 1);
	assert_true(harness_saw(&h, B212));
	assert_true(noted(&h, "sends a picture of 600 bytes"));
	harness_stop(&h);
	http_child_finish(&c);
}

static void test_photo(void **state)
{
	(void)state;
	photographed("secret");
	photographed(NULL);
}

static void test_screen(void **state)
{
	static const char answer[] = OK("Content-Length: 2\r\n\r\n{}");
	CLEANUP(buf_done) struct buf wanted = { 0 };
	struct http_child c;
	struct http_script script = { .answer = answer,
				      .answer_len = sizeof(answer) - 1 };
	struct harness h;
	char *ask;

	(void)state;
	http_child_open(&c);
	buf_printf(&wanted,
		   "POST / HTTP/1.1\r\n"
		   "Host: 127.0.0.1:%u\r\n"
		   "Content-Type: multipart/form-data; "
		   "boundary=----ESP32_SCREEN_SNAPSHOT_BOUNDARY\r\n"
		   "Transfer-Encoding: chunked\r\n"
		   "Connection: close\r\n\r\n"
		   "8a\r\n"
		   "------ESP32_SCREEN_SNAPSHOT_BOUNDARY\r\n"
		   "Content-Disposition: form-data; name=\"file\"; "
		   "filename=\"screenshot.jpg\"\r\n"
		   "Content-Type: image/jpeg\r\n\r\n"
		   "\r\n%zx\r\n",
		   (unsigned)c.port, photo_builtin.len);
	buf_add(&wanted, photo_builtin.data, photo_builtin.len);
	buf_text(&wanted, "\r\n2a\r\n"
			  "\r\n------ESP32_SCREEN_SNAPSHOT_BOUNDARY--\r\n"
			  "\r\n0\r\n\r\n");
	script.request = wanted.data;
	script.request_len = wanted.len;
	http_child_start(&c, &script);
	start(&h);
	ask = mem_printf(CALL("2", SCREEN, "{\"url\":\"http://127.0.0.1:%u\"}"),
			 (unsigned)c.port);
	harness_mcp(&h, ask);
	mem_free(ask);
	waits_for(&h, SAYS("2", "true"));
	harness_stop(&h);
	http_child_finish(&c);
}

static void test_answers(void **state)
{
	(void)state;
	answered(ASK,
		 OK("Transfer-Encoding: chunked\r\n\r\n"
		    "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
		 SAYS("1", "abc"), -1);
	answered(ASK, OK("\r\nuntil the end"), SAYS("1", "until the end"),
		 V507);
	answered(ASK, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}",
		 FAILS("1", "Failed to upload photo"), V501);
	answered(ASK,
		 "HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\n\r\n",
		 FAILS("1", "Failed to upload photo"), V503);
	answered(ASK, "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n",
		 FAILS("1", "Failed to upload photo"), V501);
	answered(ASK, "SSH-2.0-x\r\n\r\n", FAILS("1", "Failed to upload photo"),
		 -1);
	answered(ASK, "", FAILS("1", "Failed to upload photo"), -1);
	/* A body that is cut: the firmware's reader gives an empty text. */
	answered(ASK, OK("Content-Length: 9\r\n\r\nabc"), SAYS("1", ""), -1);
	answered(ASK, OK("Transfer-Encoding: chunked\r\n\r\nx\r\n"),
		 SAYS("1", ""), -1);
}

/* What firmware takes for a success, though it is none: said. */
static void failed_with_200(const char *answer, const char *text,
			    const char *words)
{
	const struct http_script script = { .answer = answer,
					    .answer_len = strlen(answer),
					    .close = true };
	CLEANUP(mem_free_ptr) char *says = mem_printf(SAYS("1", "%s"), text);
	struct http_child c;
	struct harness h;

	http_child_open(&c);
	http_child_start(&c, &script);
	start_with(&h, &c, NULL);
	harness_mcp(&h, ASK);
	waits_for(&h, says);
	if (words ? !harness_told(&h, V505, words) : harness_saw(&h, V505))
		fail_msg("%s", words ? words : answer);
	harness_stop(&h);
	http_child_finish(&c);
}

static void test_failures_with_200(void **state)
{
	(void)state;
	failed_with_200(
		OK("Content-Length: 36\r\n\r\n"
		   "{\"success\":false,\"message\":\"no key\"}"),
		"{\\\"success\\\":false,\\\"message\\\":\\\"no key\\\"}",
		"no key");
	failed_with_200(OK("Content-Length: 15\r\n\r\n{\"error\":\"bad\"}"),
			"{\\\"error\\\":\\\"bad\\\"}", "bad");
	failed_with_200(OK("Content-Length: 22\r\n\r\n"
			   "{\"error\":{\"code\":\"x\"}}"),
			"{\\\"error\\\":{\\\"code\\\":\\\"x\\\"}}", "no more");
	failed_with_200(OK("Content-Length: 16\r\n\r\n<title>T</title>"),
			"<title>T</title>", "a web page: T");
	failed_with_200(OK("Content-Length: 1\r\n\r\n "), " ",
			"the answer is empty");
	failed_with_200(OK("Content-Length: 29\r\n\r\n"
			   "{\"success\":true,\"error\":null}"),
			"{\\\"success\\\":true,\\\"error\\\":null}", NULL);
	/* Not even a whole one: that is told, and nothing else. */
	failed_with_200(OK("Content-Length: 9\r\n\r\nabc"), "", NULL);
}

static void test_screen_refused(void **state)
{
	static const char answer[] = "HTTP/1.1 413 Too Large\r\n\r\n";
	const struct http_script script = { .answer = answer,
					    .answer_len = sizeof(answer) - 1,
					    .close = true };
	struct http_child c;
	struct harness h;
	char *ask;

	(void)state;
	http_child_open(&c);
	http_child_start(&c, &script);
	start(&h);
	ask = mem_printf(
		CALL("2", SCREEN, "{\"url\":\"http://127.0.0.1:%u/\"}"),
		(unsigned)c.port);
	harness_mcp(&h, ask);
	mem_free(ask);
	waits_for(&h, FAILS("2", "Unexpected status code: 413"));
	assert_true(harness_told(&h, V501, "HTTP 413"));
	/* Not the three digits alone: a port may have them. */
	assert_false(noted(&h, " 413"));
	harness_stop(&h);
	http_child_finish(&c);
}

static void test_unreachable(void **state)
{
	struct harness h;

	(void)state;
	start(&h);
	harness_mcp(&h, ASK);
	harness_mcp_says(&h, FAILS("1", "Image explain URL or token is not "
					"set"));
	initialize(&h, "http://127.0.0.1:1/", NULL);
	harness_mcp(&h, ASK);
	waits_for(&h, FAILS("1", "Failed to connect to explain URL"));
	assert_true(noted(&h, "refused"));
	initialize(&h, "https://127.0.0.1:1/", NULL);
	harness_mcp(&h, ASK);
	waits_for(&h, FAILS("1", "Failed to connect to explain URL"));
	harness_mcp(&h, CALL("2", SCREEN, "{\"url\":\"h\"}"));
	harness_mcp_says(&h, FAILS("2", "Failed to open URL: h"));
	harness_mcp(&h, CALL("3", SCREEN, "{\"url\":\"http://127.0.0.1:1/\"}"));
	waits_for(&h, FAILS("3", "Failed to open URL: http://127.0.0.1:1/"));
	harness_stop(&h);
}

/*
 * Every other reply waits for the upload, and is then the first (device.md
 * 3.9).
 */
static void test_others_wait(void **state)
{
	static const char answer[] = OK("Content-Length: 2\r\n\r\nok");
	const struct http_script script = { .answer = answer,
					    .answer_len = sizeof(answer) - 1,
					    .close = true };
	struct http_child c;
	struct harness h;

	(void)state;
	http_child_open(&c);
	start_with(&h, &c, NULL);
	harness_mcp(&h, ASK);
	harness_mcp(&h, PING);
	/* The server is not there yet. */
	assert_null(harness_next(&h, 100));
	http_child_start(&c, &script);
	waits_for(&h, PONG);
	waits_for(&h, SAYS("1", "ok"));
	harness_stop(&h);
	http_child_finish(&c);
}

/* 5.4 item 6: it hangs for good. */
static void test_hangs(void **state)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct http_script script = { .close = false };
	struct http_child c;
	struct harness h;
	int i;

	(void)state;
	buf_text(&answer, OK("Content-Length: 8300\r\n\r\n"));
	for (i = 0; i < 8300; i++)
		buf_char(&answer, 'x');
	script.answer = answer.data;
	script.answer_len = answer.len;
	http_child_open(&c);
	http_child_start(&c, &script);
	start_with(&h, &c, NULL);
	harness_mcp(&h, ASK);
	while (!harness_saw(&h, V502))
		assert_null(harness_next(&h, 50));
	harness_mcp(&h, PING);
	assert_null(harness_next(&h, 100));
	assert_true(harness_told(&h, V502, "8300 bytes"));
	assert_true(h.died);
	harness_stop(&h);
	http_child_finish(&c);
}

/* The connection ends while an upload is under way. */
static void test_hang_up(void **state)
{
	const struct http_script script = { .answer = NULL };
	struct http_child c;
	struct harness h;

	(void)state;
	http_child_open(&c);
	http_child_start(&c, &script);
	start_with(&h, &c, NULL);
	harness_mcp(&h, ASK);
	assert_null(harness_next(&h, 50));
	pretend_hang_up(&h.device);
	pretend_open(&h.device);
	assert_non_null(strstr(harness_next(&h, 0), "\"hello\""));
	harness_stop(&h);
	http_child_finish(&c);
}

static void test_late_reply(void **state)
{
	struct harness h;

	(void)state;
	harness_start(&h, harness_profile("esp32", NULL), "late-reply=80ms",
		      false);
	harness_welcome(&h);
	initialize(&h, "h", NULL);
	harness_mcp(&h, ASK);
	harness_mcp(&h, PING);
	harness_mcp_says(&h, PONG);
	waits_for(&h, FAILS("1", "Failed to connect to explain URL"));
	harness_stop(&h);
}

static void test_builtin(void **state)
{
	static const unsigned char size[] = {
		0xff, 0xc0, 0, 17, 8, 0, 48, 0, 64
	};
	const unsigned char *data = photo_builtin.data;
	size_t len = photo_builtin.len;

	(void)state;
	assert_memory_equal(data, "\xff\xd8\xff", 3);
	assert_memory_equal(data + len - 2, "\xff\xd9", 2);
	assert_non_null(memmem(data, len, size, sizeof(size)));
}

static void unread(const char *file, const char *words)
{
	struct error err = { 0 };
	struct buf out;

	assert_int_equal(photo_read(&out, file, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, words));
	assert_null(out.data);
	error_reset(&err);
}

static void test_file(void **state)
{
	char path[] = "/tmp/test_sim_photo.XXXXXX";
	int fd = mkstemp(path);
	struct buf out;

	(void)state;
	unread("/nowhere/x.jpg", "No such file");
	unread("/", "Is a directory");
	unread(path, "no JPEG");
	assert_int_equal(write(fd, photo_builtin.data, photo_builtin.len),
			 (ssize_t)photo_builtin.len);
	assert_int_equal(photo_read(&out, path, NULL), 0);
	assert_int_equal(out.len, photo_builtin.len);
	assert_memory_equal(out.data, photo_builtin.data, out.len);
	buf_done(&out);
	assert_int_equal(ftruncate(fd, (16 << 20) + 1), 0);
	unread(path, "larger than 16 MB");
	close(fd);
	unlink(path);
}

static void misread(const char *result, const char *words)
{
	struct error err = { 0 };
	char *text = mem_printf("{\"tools\":[{\"name\":\"self.x\","
				"\"description\":\"\",\"arguments\":{\"a\":{"
				"\"type\":\"string\"}},\"result\":%s}]}",
				result);
	struct profile *p = profile_parse(text, strlen(text), "x.json", &err);

	if (!words) {
		assert_non_null(p);
		profile_free(p);
	} else {
		assert_null(p);
		if (!strstr(err.text, words))
			print_error("said: %s\n", err.text);
		assert_non_null(strstr(err.text, words));
	}
	error_reset(&err);
	mem_free(text);
}

static void test_rules(void **state)
{
	(void)state;
	misread("{\"upload\":\"photo\"}", NULL);
	misread("{\"upload\":\"photo\",\"question\":\"${a}?\"}", NULL);
	misread("{\"upload\":\"screen\",\"to\":\"${a}\"}", NULL);
	misread("{\"upload\":\"sound\"}", "\"photo\" or \"screen\"");
	misread("{\"upload\":1}", "upload");
	misread("{\"upload\":\"screen\"}", "need each other");
	misread("{\"upload\":\"photo\",\"to\":\"x\"}", "need each other");
	misread("{\"text\":\"x\",\"to\":\"x\"}", "need each other");
	misread("{\"upload\":\"screen\",\"to\":\"x\",\"question\":\"\"}",
		"'question' needs");
	misread("{\"upload\":\"screen\",\"to\":\"${b}\"}", "b");
	misread("{\"upload\":\"photo\",\"delay_ms\":1}", "own time");
	misread("{\"upload\":\"photo\",\"text\":\"x\"}", "two answers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_photo),
		cmocka_unit_test(test_screen),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_failures_with_200),
		cmocka_unit_test(test_screen_refused),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_others_wait),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_hang_up),
		cmocka_unit_test(test_late_reply),
		cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_rules),
	};
	size_t i;

	mem_init();
	for (i = 0; i < sizeof(picture); i++)
		picture[i] = (unsigned char)(i * 7);
	return cmocka_run_group_tests_name("sim photo", tests, NULL, NULL);
}
