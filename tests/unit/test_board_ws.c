/* SPDX-License-Identifier: MIT */
/* A board's WebSocket as it is dialled: let in, refused, answered by others. */
#include "http_server.h"

#include "net/why.h"
#include "sim/board_ws.h"

static struct loop *loop;
static struct web web;
static struct board_ws ws;

/* What the server says to whoever dials. */
static struct {
	char bytes[20000];
	size_t len;
	bool ends;
} answer;

static struct {
	struct buf said; /* what came, a word each */
	struct error why;
	bool over, closed, deaf;
} told;

static void on_opened(void *owner)
{
	(void)owner;
	buf_text(&told.said, "open ");
}

static void on_text(void *owner, const char *text, size_t len)
{
	(void)owner;
	buf_printf(&told.said, "text:%.*s ", (int)len, text);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	(void)owner;
	buf_printf(&told.said, "binary:%.*s ", (int)len, (const char *)data);
}

static void on_peer_close(void *owner, int code, struct span words)
{
	(void)owner;
	buf_printf(&told.said, "close:%d:%.*s ", code, (int)words.len,
		   words.text);
}

static bool on_ping(void *owner)
{
	(void)owner;
	buf_text(&told.said, "ping ");
	return !told.deaf;
}

static void on_ended(void *owner, const struct error *why)
{
	(void)owner;
	buf_text(&told.said, why ? "failed" : "over");
	if (why)
		error_copy(&told.why, why);
	told.over = true;
}

static void on_closed(void *owner)
{
	(void)owner;
	told.closed = true;
}

static const struct board_ws_events events = { .opened = on_opened,
					       .text = on_text,
					       .binary = on_binary,
					       .peer_close = on_peer_close,
					       .ping = on_ping,
					       .ended = on_ended,
					       .closed = on_closed };

static void answers(struct web_client *c, const char *request)
{
	assert_non_null(strstr(request, "\r\nUpgrade: websocket\r\n"));
	assert_non_null(strstr(request, "\r\nProtocol-Version: 2\r\n"));
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
	buf_done(&told.said);
	error_reset(&told.why);
	memset(&told, 0, sizeof(told));
	web_close(&web);
	loop_free(loop);
	return 0;
}

static void dialled(const char *bytes, size_t len, bool ends)
{
	const struct board_ws_identity who = { .device_id = "d",
					       .client_id = "c",
					       .frame_version = 2 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("ws://127.0.0.1:%u/x", web.port);
	struct error err = { 0 };
	struct board_ws_url u;

	buf_done(&told.said);
	error_reset(&told.why);
	told.over = told.closed = false;
	assert_true(len < sizeof(answer.bytes));
	memcpy(answer.bytes, bytes, len);
	answer.len = len;
	answer.ends = ends;
	board_ws_url_parse(&u, text, NULL);
	board_ws_open(&ws, loop, &u, &who, &events, NULL);
	board_ws_url_done(&u);
	assert_int_equal(loop_wait(loop, &told.over, loop_now() + 60000, &err),
			 0);
	board_ws_close(&ws);
	assert_int_equal(
		loop_wait(loop, &told.closed, loop_now() + 60000, &err), 0);
}

/* It was not let in, for that reason, in these words. */
static void refused(const char *text, bool ends, enum why reason,
		    const char *words)
{
	dialled(text, strlen(text), ends);
	assert_string_equal(buf_string(&told.said), "failed");
	assert_int_equal(told.why.reason, reason);
	assert_string_equal(told.why.text, words);
}

static void test_refused(void **state)
{
	(void)state;
	refused("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", false,
		WHY_STATUS, "HTTP/1.1 404 Not Found");
	assert_int_equal(told.why.code, 404);
	assert_int_equal(told.why.kind, ERR_CONNECT);
	refused("HTTP/1.1 401 Unauthorized\r\n\r\n{\"error\":\"token\"}", false,
		WHY_STATUS, "HTTP/1.1 401 Unauthorized: token");
	assert_int_equal(told.why.kind, ERR_AUTH);
	/* the words once */
	refused("HTTP/1.1 404 Not Found\r\n\r\nNot Found", true, WHY_STATUS,
		"HTTP/1.1 404 Not Found");
	refused("HTTP/1.1 302 Found\r\nLocation: http://h/y\r\n\r\n", true,
		WHY_REDIRECT, "HTTP/1.1 302 Found to 'http://h/y'");
	refused("HTTP/1.1 304 Same\r\n\r\n", true, WHY_STATUS,
		"HTTP/1.1 304 Same");
	/* where a status leads nowhere, a Location does not either */
	refused("HTTP/1.1 400 No\r\nLocation: http://h/y\r\n\r\n", true,
		WHY_STATUS, "HTTP/1.1 400 No");
	/* without an end of its own it is not waited for */
	refused("HTTP/1.1 403 No\r\n\r\n", false, WHY_STATUS,
		"HTTP/1.1 403 No");
}

static void test_others(void **state)
{
	char *head = mem_zalloc(16386);

	(void)state;
	refused("ICY 200 OK\r\n\r\n", true, WHY_FOREIGN, "ICY 200 OK");
	refused("SSH-2.0-x\r\n", true, WHY_FOREIGN, "SSH-2.0-x");
	refused("\r\n", true, WHY_FOREIGN, "an empty line came");
	refused("", true, WHY_CLOSED, "closed without an answer");
	memset(head, 'x', 16384);
	refused(head, false, WHY_FOREIGN,
		"the answer is no HTTP, or larger than 16 kB");
	mem_free(head);
}

#define SWITCH "HTTP/1.1 101 Switching Protocols\r\n\r\n"

static void let_in(const char *frames, size_t len, bool deaf,
		   const char *expected)
{
	char bytes[200] = SWITCH;
	size_t head = strlen(SWITCH);

	assert_true(head + len < sizeof(bytes));
	memcpy(bytes + head, frames, len);
	told.deaf = deaf;
	dialled(bytes, head + len, true);
	assert_string_equal(buf_string(&told.said), expected);
}

static void test_let_in(void **state)
{
	static const char frames[] = "\x81\x02hi\x82\x01x\x89\x01p";

	(void)state;
	let_in("", 0, false, "open over");
	let_in(frames, sizeof(frames) - 1, false,
	       "open text:hi binary:x ping over");
	let_in(frames, sizeof(frames) - 1, true,
	       "open text:hi binary:x ping over");
	/* after Close nothing is heard */
	let_in("\x88\x05\x0f\xa1why\x81\x01x", 10, false,
	       "open close:4001:why over");
	let_in("\x88\x02\x03\xe8", 4, false, "open close:1000: over");
	let_in("\x88\x00", 2, false, "open close:0: over");
	/* a fragment of nothing */
	let_in("\x80\x01x", 3, false, "open failed");
	assert_string_equal(
		told.why.text,
		"a frame was larger than 16 MB, or a fragment belonged to none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_let_in, set_up, tear_down),
	};

	mem_init();
	return cmocka_run_group_tests_name("board ws", tests, NULL, NULL);
}
