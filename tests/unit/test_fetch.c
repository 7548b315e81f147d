/* SPDX-License-Identifier: MIT */
/* What a board fetches: asked for as it asks, and all that is not installed. */
#include "http_server.h"

#include "free_port.h"
#include "sim/fetch.h"

enum { IMAGE = 300 };

static struct loop *loop;
static struct web web;
static char image[IMAGE];

/* What the server says to whoever asks. */
static struct {
	const char *bytes;
	size_t len;
	bool ends;
} answer;

static struct {
	bool done;
	unsigned times;
	char version[48], why[200];
} told;

static void answers(struct web_client *c, const char *request)
{
	(void)request;
	web_bytes(c, answer.bytes, answer.len);
	if (answer.ends)
		web_end(c);
}

static void on_ended(void *owner, const struct esp_image *got, const char *why)
{
	assert_ptr_equal(owner, &told);
	told.done = true;
	told.times++;
	snprintf(told.version, sizeof(told.version), "%s",
		 got ? got->version : "");
	snprintf(told.why, sizeof(told.why), "%s", why ? why : "");
}

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(image, 0, sizeof(image));
	image[0] = (char)0xe9;
	image[1] = 1; /* a segment */
	image[12] = 9; /* ESP32-S3 */
	image[29] = 1; /* 256 bytes of it */
	memcpy(image + 32, "\x32\x54\xcd\xab", 4);
	memcpy(image + 48, "3.1.4", 6);
	memcpy(image + 80, "xiaozhi", 8);
	if (loop_new(&loop, &err))
		return -1;
	web_open(&web, loop);
	web.answer = answers;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	web_close(&web);
	loop_free(loop);
	return 0;
}

static void fetched(struct fetch_order *order)
{
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("http://127.0.0.1:%u/a?b", web.port);
	struct error err = { 0 };

	memset(&told, 0, sizeof(told));
	order->url = url;
	assert_non_null(fetch_start(loop, order, on_ended, &told, &err));
	assert_false(told.done);
	assert_int_equal(loop_wait(loop, &told.done, loop_now() + 60000, &err),
			 0);
	loop_poll(loop);
	assert_int_equal(told.times, 1);
}

/* That is said; what comes of it. */
static void says(const char *text, bool ends, struct fetch_order order,
		 const char *why)
{
	answer.bytes = text;
	answer.len = strlen(text);
	answer.ends = ends;
	fetched(&order);
	assert_string_equal(told.why, why);
	assert_string_equal(told.version, "");
}

#define OK "HTTP/1.1 200 OK\r\n"
#define FIRMWARE ((struct fetch_order){ .percent = 100 })
#define ASSETS ((struct fetch_order){ .percent = 100, .assets = true })
#define DIES ((struct fetch_order){ .percent = 60 })
#define CUT "what it fetched ended before it was whole"
#define NO_HEAD "nothing fetched: the connection ended before a head"

static void test_refused(void **state)
{
	static const char status[] =
		"nothing fetched: the status of HTTP is not 200";
	static const char length[] = "nothing fetched: the length is not told";
	static const char none[] = "what it fetched is no image: not installed";

	(void)state;
	says("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc", false,
	     FIRMWARE, status);
	says("HTTP/1.1 206 Partial\r\nContent-Length: 3\r\n\r\nabc", false,
	     ASSETS, status);
	says("SMTP\r\n\r\n", false, FIRMWARE, status);
	says(OK "\r\nabc", false, FIRMWARE, length);
	says(OK "Content-Length: 0\r\n\r\n", false, ASSETS, length);
	says(OK "Content-Length: x\r\n\r\nabc", false, FIRMWARE, length);
	says(OK "content-length: 3\r\n\r\nabc", false, FIRMWARE, none);
	/* what assets are is not looked at */
	says(OK "Content-Length: 3\r\n\r\nabc", false, ASSETS, "");
	says(OK "Content-Length: 3\r\n\r\nabcdef", false, ASSETS, "");
	says(OK "Content-Length: 4\r\n\r\nabc", true, ASSETS, CUT);
	says(OK "Content-Length: 4\r\n", true, ASSETS, NO_HEAD);
	says("", true, FIRMWARE, NO_HEAD);
}

/* Nobody is there: nothing was begun that could have ended. */
static void test_not_there(void **state)
{
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("http://127.0.0.1:%u/", free_port());
	struct fetch_order order = FIRMWARE;
	struct error err = { 0 };

	(void)state;
	memset(&told, 0, sizeof(told));
	order.url = url;
	assert_non_null(fetch_start(loop, &order, on_ended, &told, &err));
	assert_int_equal(loop_wait(loop, &told.done, loop_now() + 60000, &err),
			 0);
	assert_non_null(strstr(told.why, "nothing fetched: "));
	assert_non_null(strstr(told.why, "refused"));
}

/* What comes piece by piece is the same. */
static void test_pieces(void **state)
{
	static const char *const pieces[] = { "HTTP/1.1 200 OK\r\nConte",
					      "nt-Length: 10\r\n\r\n", "12",
					      "345678", "90" };
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("http://127.0.0.1:%u/", web.port);
	struct fetch_order order = ASSETS;
	struct error err = { 0 };

	(void)state;
	memset(&told, 0, sizeof(told));
	answer.len = 0;
	answer.ends = false;
	order.url = url;
	assert_non_null(fetch_start(loop, &order, on_ended, &told, &err));
	while (!web.requests.count)
		loop_poll(loop);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		assert_false(told.done);
		web_bytes(web.clients, pieces[i], strlen(pieces[i]));
		for (int turn = 0; turn < 50; turn++)
			loop_poll(loop);
	}
	assert_int_equal(loop_wait(loop, &told.done, loop_now() + 60000, &err),
			 0);
	assert_string_equal(told.why, "");
	assert_int_equal(told.times, 1);
}

static void test_dies(void **state)
{
	static const char dies[] =
		"died amid what it fetched, as the fault wants it";

	(void)state;
	says(OK "Content-Length: 10\r\n\r\n123456", false, DIES, dies);
	says(OK "Content-Length: 10\r\n\r\n12345", true, DIES, CUT);
	says(OK "Content-Length: 10\r\n\r\n1234567890", false, DIES, dies);
}

static void test_long_head(void **state)
{
	char *head = mem_zalloc(16386);

	(void)state;
	memset(head, 'x', 16384);
	memcpy(head, OK, strlen(OK));
	says(head, false, FIRMWARE, "nothing fetched: the head is too long");
	/* one byte less may still go on */
	head[16383] = '\0';
	says(head, true, FIRMWARE, NO_HEAD);
	mem_free(head);
}

static void test_image(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct fetch_order order = FIRMWARE;
	CLEANUP(mem_free_ptr) char *request = NULL;

	(void)state;
	buf_printf(&text, OK "Content-Length: %d\r\n\r\n", IMAGE);
	buf_add(&text, image, IMAGE);
	answer.bytes = text.data;
	answer.len = text.len;
	answer.ends = false;
	fetched(&order);
	assert_string_equal(told.why, "");
	assert_string_equal(told.version, "3.1.4");
	request = mem_printf("GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
			     "Connection: close\r\n\r\n",
			     web.port);
	assert_string_equal(web.requests.word[0], request);
}

/* It would be a header of its own in what the board asks next. */
static void test_odd_version(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct fetch_order order = FIRMWARE;

	(void)state;
	memcpy(image + 48, "3\r\nX:y", 7);
	buf_printf(&text, OK "Content-Length: %d\r\n\r\n", IMAGE);
	buf_add(&text, image, IMAGE);
	answer.bytes = text.data;
	answer.len = text.len;
	answer.ends = false;
	fetched(&order);
	assert_string_equal(told.version, "");
	assert_string_equal(
		told.why,
		"the version of what it fetched has a control character: not installed");
}

/* Who is abandoned says nothing; an address that is none is not asked. */
static void test_abandoned(void **state)
{
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("http://127.0.0.1:%u/", web.port);
	struct fetch_order order = FIRMWARE;
	struct error err = { 0 };
	struct fetch *f;

	(void)state;
	memset(&told, 0, sizeof(told));
	answer.len = 0;
	answer.ends = false;
	order.url = url;
	f = fetch_start(loop, &order, on_ended, &told, &err);
	while (!web.requests.count)
		loop_poll(loop);
	fetch_abandon(f);
	fetch_abandon(NULL);
	while (web.clients)
		loop_poll(loop);
	assert_int_equal(told.times, 0);
	order.url = "http://h:x/";
	assert_null(fetch_start(loop, &order, on_ended, &told, &err));
	assert_non_null(strstr(err.text, "no number"));
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_not_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_odd_version, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_pieces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_head, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_image, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_abandoned, set_up,
						tear_down),
	};

	mem_init();
	return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
