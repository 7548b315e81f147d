/* SPDX-License-Identifier: MIT */
/* One exchange of a board over HTTP: answered, or how it failed and why. */
#include "http_server.h"

#include "net/why.h"
#include "sim/board_http.h"

static struct loop *loop;
static struct web web;

/* What the server says to whoever asks. */
static struct {
	char bytes[16384];
	size_t len;
	bool ends;
} answer;

/* What was told: each event a letter, and what came of it. */
static struct {
	char events[16];
	char body[64], asked[256];
	int failed; /* enum http_failure; -1: it did not */
	struct error why;
	bool over, closed;
} told;

static void add_event(char letter)
{
	size_t len = strlen(told.events);

	assert_true(len < sizeof(told.events) - 1);
	told.events[len] = letter;
}

static void on_asks(void *owner, const struct buf *request)
{
	(void)owner;
	add_event('a');
	assert_true(request->len < sizeof(told.asked));
	memcpy(told.asked, request->data, request->len);
}

static void on_head(void *owner)
{
	(void)owner;
	add_event('h');
}

static void on_answered(void *owner, const char *body, size_t len)
{
	(void)owner;
	add_event('w');
	assert_true(len < sizeof(told.body));
	memcpy(told.body, body, len);
	told.over = true;
}

static void on_failed(void *owner, enum http_failure what,
		      const struct error *why)
{
	(void)owner;
	add_event('f');
	told.failed = (int)what;
	error_copy(&told.why, why);
	told.over = true;
}

static void on_closed(void *owner)
{
	(void)owner;
	told.closed = true;
}

static const struct board_http_events events = { .asks = on_asks,
						 .head = on_head,
						 .answered = on_answered,
						 .failed = on_failed,
						 .closed = on_closed };

static void answers(struct web_client *c, const char *request)
{
	(void)request;
	web_bytes(c, answer.bytes, answer.len);
	if (answer.ends)
		web_end(c);
}

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (loop_new(&loop, &err))
		return -1;
	web_open(&web, loop);
	web.answer = answers;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	error_reset(&told.why);
	web_close(&web);
	loop_free(loop);
	return 0;
}

#define ASKED "GET / HTTP/1.1\r\n\r\n"

static void ask(unsigned port)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("http://127.0.0.1:%u/", port);
	static struct board_http http;
	struct buf request = { 0 };
	struct error err = { 0 };
	struct board_ws_url u;

	error_reset(&told.why);
	memset(&told, 0, sizeof(told));
	told.failed = -1;
	board_ws_url_parse(&u, text, NULL);
	buf_text(&request, ASKED);
	board_http_open(&http, loop, &u, &request, &events, NULL);
	board_ws_url_done(&u);
	assert_int_equal(request.len, 0); /* taken */
	assert_int_equal(loop_wait(loop, &told.over, loop_now() + 60000, &err),
			 0);
	board_http_close(&http);
	assert_int_equal(
		loop_wait(loop, &told.closed, loop_now() + 60000, &err), 0);
}

static void asked(const char *text, bool ends)
{
	answer.len = strlen(text);
	assert_true(answer.len < sizeof(answer.bytes));
	memcpy(answer.bytes, text, answer.len);
	answer.ends = ends;
	ask(web.port);
	assert_string_equal(told.asked, ASKED);
}

static void answered(const char *text, bool ends, const char *body)
{
	asked(text, ends);
	assert_string_equal(told.events, "ahw");
	assert_string_equal(told.body, body);
}

/* It failed at that stage, for that reason, in these words. */
static void fails(const char *text, bool ends, enum http_failure what,
		  enum why reason, const char *words)
{
	bool head = what == HTTP_OTHER_STATUS || what == HTTP_NO_BODY ||
		    what == HTTP_HUNG;

	asked(text, ends);
	assert_string_equal(told.events, head ? "ahf" : "af");
	assert_int_equal(told.failed, what);
	assert_int_equal(told.why.reason, reason);
	assert_string_equal(told.why.text, words);
}

#define OK "HTTP/1.1 200 OK\r\n"
#define CUT "closed before the reply was whole"

static void test_answered(void **state)
{
	(void)state;
	answered(OK "Content-Length: 3\r\n\r\nabc", false, "abc");
	answered(OK "Content-Length: 3\r\n\r\nabc", true, "abc");
	answered(OK "\r\nabc", true, "abc");
	answered(OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		 false, "abc");
}

static void test_fails(void **state)
{
	CLEANUP(buf_done) struct buf large = { 0 };

	(void)state;
	fails("", true, HTTP_NO_HEAD, WHY_CUT, CUT);
	fails("HTTP/1.1 200", true, HTTP_NO_HEAD, WHY_CUT, CUT);
	fails("SSH-2.0-x\r\n", true, HTTP_NO_HEAD, WHY_FOREIGN,
	      "no HTTP came, but: SSH-2.0-x");
	fails("SSH-2.0-x\r\n\r\n", false, HTTP_NO_HEAD, WHY_FOREIGN,
	      "SSH-2.0-x");
	fails(OK "Content-Length: 3\r\n\r\nab", true, HTTP_NO_BODY, WHY_CUT,
	      CUT);
	fails(OK "Transfer-Encoding: chunked\r\n\r\nz\r\n", false, HTTP_NO_BODY,
	      WHY_FOREIGN, "the chunked reply is broken");
	fails("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno", false,
	      HTTP_OTHER_STATUS, WHY_STATUS, "HTTP/1.1 500 No: no");
	assert_int_equal(told.why.code, 500);
	assert_int_equal(told.why.kind, ERR_CONNECT);
	fails("HTTP/1.1 401 No\r\n\r\n", true, HTTP_OTHER_STATUS, WHY_STATUS,
	      "HTTP/1.1 401 No");
	assert_int_equal(told.why.kind, ERR_AUTH);
	buf_text(&large, OK "\r\n");
	for (int i = 0; i < HTTP_HANG; i++)
		buf_char(&large, 'x');
	fails(buf_string(&large), false, HTTP_HUNG, WHY_OTHER,
	      "the reply is 8 kB or more: a real device hangs here for good");
}

/* A refusal without an end of its own: a moment for its words, no more. */
static void test_refused_and_open(void **state)
{
	(void)state;
	fails("HTTP/1.1 403 No\r\n\r\nwhy", false, HTTP_OTHER_STATUS,
	      WHY_STATUS, "HTTP/1.1 403 No: why");
}

static void test_unreachable(void **state)
{
	(void)state;
	ask(1);
	assert_string_equal(told.events, "f");
	assert_int_equal(told.failed, HTTP_UNREACHABLE);
	assert_int_equal(told.why.reason, WHY_NO_CONNECTION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_answered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused_and_open, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_unreachable, set_up,
						tear_down),
	};

	mem_init();
	return cmocka_run_group_tests_name("board http", tests, NULL, NULL);
}
