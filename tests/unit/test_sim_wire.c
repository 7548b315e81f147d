/* SPDX-License-Identifier: MIT */
/* The pure parts of dialling: addresses, handshake, frames, OTA, ids, sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sim/board_http.h"
#include "sim/board_link.h"
#include "sim/board_ota.h"
#include "sim/board_ws.h"
#include "sim/fleet.h"
#include "sim/identity.h"
#include "sim/upload.h"

static void address(const char *text, const char *host, unsigned port,
		    const char *path)
{
	struct error err = { 0 };
	struct board_ws_url u;

	assert_int_equal(board_ws_url_parse(&u, text, &err), 0);
	assert_string_equal(u.host, host);
	assert_int_equal(u.port, port);
	assert_string_equal(u.path, path);
	board_ws_url_done(&u);
}

static void bad_address(const char *text, const char *words)
{
	struct error err = { 0 };
	struct board_ws_url u;

	assert_int_equal(board_ws_url_parse(&u, text, &err), -1);
	assert_non_null(strstr(err.text, words));
	error_reset(&err);
}

/* 1.2: the quirks of the board's own parser. */
static void test_addresses(void **state)
{
	struct board_ws_url u;

	(void)state;
	address("ws://h", "h", 80, "/");
	address("ws://h:81/a/b?c=d", "h", 81, "/a/b?c=d");
	address("wss://h/x", "h", 443, "/x");
	address("http://10.0.0.1:8002/xiaozhi/ota/", "10.0.0.1", 8002,
		"/xiaozhi/ota/");
	address("ws://h:81?x=1", "h", 81, "/"); /* the query is lost */
	address("ws://h?x=1", "h", 80, "/");
	address("ws://h:81/a:b", "h", 81, "/a:b");
	assert_int_equal(board_ws_url_parse(&u, "https://h/", NULL), 0);
	assert_true(u.tls);
	board_ws_url_done(&u);
	/* The first number is read (device.md 5.4 item 9). */
	address("ws://h:8000:8015/", "h", 8000, "/");
	address("ws://h:81x/y", "h", 81, "/y");
	bad_address("ws://h/a:b", "no number");
	bad_address("ws://h:/x", "no number");
	bad_address("ws://h::8015/x", "':8015' is no number");
	bad_address("ws://h:99999999999/x", "no number");
	bad_address("ws://[::1]:80/", "no number");
	bad_address("ws://h:0/", "not one of 1 to 65535");
	bad_address("ws://h:70000/", "not one of 1 to 65535");
	bad_address("ws:///x", "host");
	bad_address("h:80", "SCHEME");
	bad_address("ws://h/a b", "no address");
	bad_address("ws://h/a\r\nX: y", "no address");
}

static void handshake(const char *token, const char *line)
{
	const struct board_ws_identity who = { "d", "c", token, 2 };
	struct board_ws_url u;
	struct buf out = { 0 };
	char *expected = mem_printf("GET /p?q HTTP/1.1\r\n"
				    "Host: h\r\n"
				    "%s"
				    "Client-Id: c\r\n"
				    "Connection: Upgrade\r\n"
				    "Device-Id: d\r\n"
				    "Protocol-Version: 2\r\n"
				    "Sec-WebSocket-Key: KEY\r\n"
				    "Sec-WebSocket-Version: 13\r\n"
				    "Upgrade: websocket\r\n\r\n",
				    line);

	board_ws_url_parse(&u, "ws://h:8000/p?q", NULL);
	board_ws_handshake(&out, &u, &who, "KEY");
	assert_string_equal(buf_string(&out), expected);
	board_ws_url_done(&u);
	buf_done(&out);
	mem_free(expected);
}

/* What comes from a backend makes no lines of its own. */
static void test_token(void **state)
{
	struct upload_order order = { .kind = RULE_PHOTO,
				      .url = "http://h/p",
				      .photo = &photo_builtin,
				      .question = "?",
				      .token = "a\r\n\r\nGET / HTTP/1.1" };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(board_token_check(NULL, &err), 0);
	assert_int_equal(board_token_check("", &err), 0);
	assert_int_equal(board_token_check("Basic x=", &err), 0);
	assert_int_equal(board_token_check("a\nb", &err), -1);
	error_reset(&err);
	assert_null(upload_start(NULL, &order, NULL, NULL, &err));
	assert_non_null(strstr(err.text, "a control character"));
	error_reset(&err);
}

static void test_handshake(void **state)
{
	char key[25], other[25];

	(void)state;
	handshake(NULL, "");
	handshake("", "");
	handshake("tok", "Authorization: Bearer tok\r\n");
	handshake("Basic xyz", "Authorization: Basic xyz\r\n");
	board_ws_key(key);
	board_ws_key(other);
	assert_int_equal(strlen(key), 24);
	assert_string_not_equal(key, other);
}

static void test_ota_request(void **state)
{
	struct ota_request about = { .device_id = "d",
				     .client_id = "c",
				     .language = "zh-CN",
				     .user_agent = "b/2.4.2" };
	struct buf out = { 0 }, body = { 0 };
	struct board_ws_url u;
	char *expected;

	(void)state;
	ota_request_encode(&body, &about);
	board_ws_url_parse(&u, "http://h:8002/ota/", NULL);
	board_ws_ota_request(&out, &u, &about);
	expected = mem_printf("POST /ota/ HTTP/1.1\r\n"
			      "Host: h:8002\r\n"
			      "Accept-Language: zh-CN\r\n"
			      "Activation-Version: 1\r\n"
			      "Client-Id: c\r\n"
			      "Content-Type: application/json\r\n"
			      "Device-Id: d\r\n"
			      "User-Agent: b/2.4.2\r\n"
			      "Content-Length: %zu\r\n"
			      "Connection: close\r\n\r\n%s",
			      body.len, buf_string(&body));
	assert_string_equal(buf_string(&out), expected);
	board_ws_url_done(&u);
	board_ws_url_parse(&u, "http://h:80/ota/", NULL);
	memcpy(about.serial, "S1", 3);
	buf_reset(&out);
	board_ws_ota_request(&out, &u, &about);
	assert_non_null(strstr(buf_string(&out), "Host: h\r\n"));
	assert_non_null(strstr(buf_string(&out), "Activation-Version: 2\r\n"));
	assert_non_null(strstr(buf_string(&out),
			       "Device-Id: d\r\nSerial-Number: S1\r\nUser-"));
	mem_free(expected);
	board_ws_url_done(&u);
	buf_done(&out);
	buf_done(&body);
}

/* What the board sends is one masked frame, whatever its length. */
static void test_frames_out(void **state)
{
	static const size_t sizes[] = { 0, 5, 125, 126, 65535, 70000 };
	struct board_ws_reader r = { 0 };
	char *text = mem_zalloc(70001);
	size_t i;

	(void)state;
	memset(text, 'a', 70000);
	for (i = 0; i < COUNT(sizes); i++) {
		struct buf frame = { 0 };
		const char *data;
		size_t len;
		int code;

		board_ws_frame(&frame, WIRE_FIRST_TEXT, text, sizes[i]);
		assert_int_equal((unsigned char)frame.data[0], 0x81);
		assert_true(frame.data[1] & 0x80);
		board_ws_feed(&r, frame.data, frame.len);
		assert_int_equal(board_ws_next(&r, &data, &len, &code),
				 WIRE_TEXT);
		assert_int_equal(len, sizes[i]);
		assert_memory_equal(data, text, len);
		assert_int_equal(board_ws_next(&r, &data, &len, &code),
				 WIRE_NONE);
		buf_done(&frame);
	}
	board_ws_reader_done(&r);
	mem_free(text);
}

static void expect(struct board_ws_reader *r, enum board_ws_item item,
		   const char *text)
{
	const char *data;
	size_t len;
	int code;

	assert_int_equal(board_ws_next(r, &data, &len, &code), item);
	if (!text)
		return;
	assert_int_equal(len, strlen(text));
	assert_memory_equal(data, text, len);
}

/* Fragments with a ping between them, byte by byte. */
static void test_frames_in(void **state)
{
	static const char bytes[] = "\x01\x02He"
				    "\x89\x02pi"
				    "\x00\x01l"
				    "\x8a\x00"
				    "\x80\x02lo"
				    "\x82\x01x"
				    "\x81\x00"
				    "\x88\x02\x03\xe8";
	struct board_ws_reader r = { 0 };
	size_t i;

	(void)state;
	board_ws_feed(&r, bytes, sizeof(bytes) - 1);
	expect(&r, WIRE_PING, "pi");
	expect(&r, WIRE_TEXT, "Hello");
	expect(&r, WIRE_BINARY, "x");
	expect(&r, WIRE_TEXT, "");
	expect(&r, WIRE_CLOSE, NULL);
	expect(&r, WIRE_NONE, NULL);
	for (i = 0; i < 8; i++) {
		board_ws_feed(&r, bytes + i, 1);
		if (i < 7)
			expect(&r, WIRE_NONE, NULL);
	}
	expect(&r, WIRE_PING, "pi");
	assert_false(r.broken);
	board_ws_reader_done(&r);
}

static void broken(const char *bytes, size_t len)
{
	struct board_ws_reader r = { 0 };

	board_ws_feed(&r, bytes, len);
	expect(&r, WIRE_NONE, NULL);
	assert_true(r.broken);
	board_ws_feed(&r, bytes, len);
	expect(&r, WIRE_NONE, NULL);
	board_ws_reader_done(&r);
}

static void test_broken_frames(void **state)
{
	(void)state;
	broken("\x80\x01x", 3); /* a fragment of nothing */
	broken("\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", 10);
	broken("\x82\x7f\x00\x00\x00\x00\x02\x00\x00\x00", 10);
}

static void unchunk(const char *text, int state, const char *body)
{
	struct buf out = { 0 };

	assert_int_equal(http_unchunk(text, strlen(text), &out), state);
	if (body)
		assert_string_equal(buf_string(&out), body);
	buf_done(&out);
}

static void test_chunks(void **state)
{
	(void)state;
	unchunk("3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", 1,
		"abc0123456789");
	unchunk("3\r\nabc\r\n", 0, "abc");
	unchunk("3\r\nab", 0, NULL);
	unchunk("3", 0, NULL);
	unchunk("0\r\n\r\n", 1, "");
	unchunk("x\r\n", -1, NULL);
	unchunk("fffffff\r\n", -1, NULL);
	unchunk("-1\r\n", -1, NULL);
}

/* A chunk counts once its own end is there; what is left is looked at later. */
static void test_chunk_borders(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	char *long_line = mem_zalloc(100);

	(void)state;
	unchunk("3\r\nabc\r", 0, "");
	unchunk("3\r\nabc\r\n0", 0, "abc");
	unchunk("aB\r\n", 0, "");
	unchunk("000003\nabc\r\n0\n", 1, "abc");
	unchunk("0000003\r\nabc", -1, NULL);
	unchunk("g\r\n", -1, NULL);
	unchunk("\r\n", -1, NULL);
	memset(long_line, '1', 64);
	assert_int_equal(http_unchunk(long_line, 64, &out), 0);
	memset(long_line, '1', 65);
	assert_int_equal(http_unchunk(long_line, 65, &out), -1);
	mem_free(long_line);
}

/* ---- HTTP replies ---- */

#define OK "HTTP/1.1 200 OK\r\n"

/* A reply in one piece, and byte by byte; then, perhaps, its end. */
static void replied(const char *text, bool ended, enum http_state expected,
		    const char *words)
{
	size_t len = strlen(text);

	for (size_t piece = 1; piece <= len; piece += len - 1) {
		struct board_reply r;
		enum http_state state = HTTP_MORE;

		board_reply_init(&r);
		for (size_t at = 0; at < len && state == HTTP_MORE; at += piece)
			state = board_reply_feed(&r, text + at,
						 len - at < piece ? len - at :
								    piece);
		if (ended && state == HTTP_MORE)
			state = board_reply_end(&r);
		assert_int_equal(state, expected);
		if (state == HTTP_WHOLE)
			assert_string_equal(buf_string(&r.body), words);
		else if (state == HTTP_REFUSED || state == HTTP_BROKEN)
			assert_string_equal(r.line, words);
		board_reply_done(&r);
	}
}

static void test_replies(void **state)
{
	(void)state;
	replied(OK "Content-Length: 3\r\n\r\nabc", false, HTTP_WHOLE, "abc");
	replied(OK "content-length:3\r\n\r\nab", false, HTTP_MORE, NULL);
	/* cut: it never was whole */
	replied(OK "Content-Length: 3\r\n\r\nab", true, HTTP_MORE, NULL);
	/* without a length, or with none, the end is the peer's */
	replied(OK "\r\nabc", false, HTTP_MORE, NULL);
	replied(OK "\r\nabc", true, HTTP_WHOLE, "abc");
	replied(OK "Content-Length: 0\r\n\r\n", false, HTTP_MORE, NULL);
	replied(OK "Content-Length: 0\r\n\r\nabc", true, HTTP_WHOLE, "abc");
	replied(OK "Content-Length: x\r\n\r\nabc", true, HTTP_WHOLE, "abc");
	replied(OK "Content-Length: 12345678901234567\r\n\r\nabc", true,
		HTTP_WHOLE, "abc");
	replied(OK "X-Content-Length: 1\r\nContent-Lengths: 1\r\n\r\nabc", true,
		HTTP_WHOLE, "abc");
	replied(OK
		"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n"
		"\r\n",
		false, HTTP_WHOLE, "abc");
	replied(OK "Transfer-Encoding: chunk\r\n\r\n2\r\n", false, HTTP_MORE,
		NULL);
	replied(OK "Transfer-Encoding: chunked\r\n\r\nz\r\n", false,
		HTTP_BROKEN, "the chunked reply is broken");
	replied(OK "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", true,
		HTTP_MORE, NULL);
	replied("HTTP/1.1 200 OK\r\n", true, HTTP_MORE, NULL);
	replied("+OK POP3 ready\r\n\r\n", false, HTTP_BROKEN, "+OK POP3 ready");
	/* another status: a moment for its words */
	replied("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nno", false,
		HTTP_MORE, NULL);
	replied("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nno", true,
		HTTP_REFUSED, "HTTP/1.1 404 Not Found: no");
	replied("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nNot Found",
		false, HTTP_REFUSED, "HTTP/1.1 404 Not Found");
	replied("HTTP/1.1 403 No\r\nContent-Length: 15\r\n\r\n"
		"{\"error\":\"why\"}",
		false, HTTP_REFUSED, "HTTP/1.1 403 No: why");
	replied("HTTP/1.0 500 Oops\r\n\r\n", true, HTTP_REFUSED,
		"HTTP/1.0 500 Oops");
}

/* Where a board hangs for good, and where a head or a refusal is too long. */
static void large_reply(const char *head, size_t len, enum http_state expected,
			const char *words)
{
	char *body = mem_zalloc(len + 1);
	struct board_reply r;

	memset(body, 'x', len);
	board_reply_init(&r);
	board_reply_feed(&r, head, strlen(head));
	assert_int_equal(board_reply_feed(&r, body, len), expected);
	assert_string_equal(r.line, words);
	board_reply_done(&r);
	mem_free(body);
}

static void test_large_replies(void **state)
{
	CLEANUP(mem_free_ptr) char *cut = mem_zalloc(201);

	(void)state;
	large_reply(OK "\r\n", 8191, HTTP_MORE, "");
	large_reply(OK "\r\n", 8192, HTTP_HANGS, "");
	large_reply(OK "Content-Length: 8192\r\n\r\n", 8192, HTTP_HANGS, "");
	large_reply(OK "Content-Length: 8191\r\n\r\n", 8191, HTTP_WHOLE, "");
	large_reply(OK "X: ", 16384 - strlen(OK "X: "), HTTP_MORE, "");
	large_reply(OK "X: ", 16385 - strlen(OK "X: "), HTTP_BROKEN,
		    "the answer is no HTTP");
	large_reply("HTTP/1.1 500 No\r\nX: ", 16385, HTTP_REFUSED,
		    "HTTP/1.1 500 No");
	memset(cut, 'x', 200);
	large_reply("", 16385, HTTP_BROKEN, cut);
	large_reply("HTTP/1.1 500 No\r\n\r\n", 4095, HTTP_MORE,
		    "HTTP/1.1 500 No");
}

/* The parts of a head that others look at. */
static void test_reply_parts(void **state)
{
	static const char whole[] =
		"HTTP/1.1 302 Found\r\nLocation:  http://h/\r\nContent-Type: "
		"text/html; x\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n"
		"\r\nhi";
	struct board_reply r;
	struct trace t;

	(void)state;
	board_reply_init(&r);
	assert_int_equal(r.length, -1);
	assert_int_equal(board_reply_feed(&r, whole, strlen(whole)),
			 HTTP_REFUSED);
	assert_int_equal(r.status, 302);
	assert_string_equal(r.location, "http://h/");
	assert_string_equal(r.type, "text/html; x");
	assert_string_equal(r.coding, "gzip");
	assert_true(r.has_head && r.has_length);
	assert_false(r.chunked);
	assert_int_equal(r.length, 2);
	board_http_trace_reply(&t, &r);
	assert_false(t.outgoing);
	assert_int_equal(t.status, 302);
	assert_string_equal(t.kind, "text");
	assert_int_equal(t.len, 2);
	assert_memory_equal(t.data, "hi", 2);
	assert_int_equal(t.head.len, strlen(whole) - 4);
	board_reply_done(&r);
	assert_null(r.location);
	board_reply_init(&r);
	board_reply_feed(&r, OK "\r\n", strlen(OK "\r\n"));
	assert_null(r.location);
	assert_null(r.type);
	assert_null(r.coding);
	assert_false(r.has_length);
	board_reply_done(&r);
}

/* What is told of a request: all of it, or how long its body is. */
static void test_traced_requests(void **state)
{
	CLEANUP(buf_done) struct buf rq = { 0 }, half = { 0 };
	struct trace t;

	(void)state;
	buf_text(&rq, "POST / HTTP/1.1\r\nA: b\r\n\r\nbody");
	board_http_trace_request(&t, &rq, true);
	assert_true(t.outgoing);
	assert_string_equal(t.kind, "text");
	assert_int_equal(t.head.len, 23);
	assert_memory_equal(t.head.text, "POST / HTTP/1.1\r\nA: b\r\n", 23);
	assert_int_equal(t.len, 4);
	assert_memory_equal(t.data, "body", 4);
	assert_int_equal(t.size, 4);
	board_http_trace_request(&t, &rq, false);
	assert_int_equal(t.len, 0);
	assert_int_equal(t.size, 4);
	buf_text(&half, "POST");
	board_http_trace_request(&t, &half, true);
	assert_int_equal(t.head.len, 4);
	assert_int_equal(t.len, 0);
	assert_int_equal(t.size, 0);
}

static void test_status(void **state)
{
	static const struct {
		const char *line;
		int status;
	} rows[] = {
		{ "HTTP/1.1 200 OK", 200 },
		{ "HTTP/1.0 404", 404 },
		{ "HTTP/1.1 999", 999 },
		{ "HTTP/1.1 099 x", -1 },
		{ "HTTP/1.1 20", -1 },
		{ "HTTP/2.0 200", -1 },
		{ "HTTP/1.1-200", -1 },
		{ "HTTP/1.1 2x0", -1 },
		{ "", -1 },
	};
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			board_status(rows[i].line, strlen(rows[i].line)),
			rows[i].status);
	assert_int_equal(board_refused(&err, 401, "no"), -1);
	assert_int_equal(err.kind, ERR_AUTH);
	assert_int_equal(err.code, 401);
	assert_string_equal(err.text, "no");
	assert_int_equal(board_refused(&err, 403, "no"), -1);
	assert_int_equal(err.kind, ERR_AUTH);
	assert_int_equal(board_refused(&err, 500, "no"), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, 500);
	error_reset(&err);
}

/* device.md 5.3: the question behind a challenge. */
static void test_activation(void **state)
{
	static const char *const rows[][2] = {
		{ "http://h:8002/ota/", "POST /ota/activate HTTP/1.1\r\nHost: "
					"h:8002\r\nAccept-Language: de\r\n" },
		{ "http://h/ota", "POST /ota/activate HTTP/1.1\r\nHost: h\r\n"
				  "Accept-Language: de\r\n" },
		{ "http://h", "POST /activate HTTP/1.1\r\nHost: h\r\n"
			      "Accept-Language: de\r\n" },
	};
	static const struct ota_request about = { .device_id = "d",
						  .client_id = "c",
						  .language = "de",
						  .user_agent = "b/2" };
	static const char rest[] = "Activation-Version: 1\r\n"
				   "Client-Id: c\r\n"
				   "Content-Type: application/json\r\n"
				   "Device-Id: d\r\n"
				   "User-Agent: b/2\r\n"
				   "Content-Length: 2\r\n"
				   "Connection: close\r\n\r\n{}";

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *expected = mem_printf("%s%s", rows[i][1], rest);
		CLEANUP(buf_done) struct buf out = { 0 };
		struct board_ws_url u;

		board_ws_url_parse(&u, rows[i][0], NULL);
		board_ws_activate_request(&out, &u, &about);
		assert_string_equal(buf_string(&out), expected);
		board_ws_url_done(&u);
	}
}

/* Lengths in two and in eight bytes, masked or not; codes of Close. */
static void test_more_frames(void **state)
{
	struct board_ws_reader r = { 0 };
	char *text = mem_zalloc(70001);
	const char *data;
	size_t len;
	int code;

	(void)state;
	memset(text, 'a', 70000);
	board_ws_feed(&r, "\x81\x7e\x01\x00", 4);
	board_ws_feed(&r, text, 255);
	expect(&r, WIRE_NONE, NULL);
	board_ws_feed(&r, "ab", 2); /* the second is none of it */
	assert_int_equal(board_ws_next(&r, &data, &len, &code), WIRE_TEXT);
	assert_int_equal(len, 256);
	assert_memory_equal(data, text, 256);
	board_ws_reader_done(&r);
	board_ws_feed(&r, "\x82\x7f\0\0\0\0\0\x01\x00\x01", 10);
	board_ws_feed(&r, text, 65537);
	assert_int_equal(board_ws_next(&r, &data, &len, &code), WIRE_BINARY);
	assert_int_equal(len, 65537);
	board_ws_feed(&r, "\x81\x82\x01\x02\x03\x04\x49\x6b", 8);
	expect(&r, WIRE_TEXT, "Hi");
	board_ws_feed(&r, "\x88\x04\x0f\xa3no", 6);
	assert_int_equal(board_ws_next(&r, &data, &len, &code), WIRE_CLOSE);
	assert_int_equal(code, 4003);
	assert_int_equal(len, 4);
	board_ws_feed(&r, "\x88\x01\x0f", 3);
	assert_int_equal(board_ws_next(&r, &data, &len, &code), WIRE_CLOSE);
	assert_int_equal(code, 0);
	board_ws_feed(&r, "\x02\x01x\x80\x00", 5);
	expect(&r, WIRE_BINARY, "x");
	assert_false(r.broken);
	board_ws_reader_done(&r);
	mem_free(text);
}

/* Frames wait in their order, and not without end. */
static void test_queue(void **state)
{
	struct frame_queue q = { 0 };
	struct error err = { 0 };
	struct frame *f;

	(void)state;
	assert_null(frame_queue_take(&q));
	assert_int_equal(frame_queue_add(&q, "ab", 2, &err), 0);
	assert_int_equal(frame_queue_add(&q, "c", 1, &err), 0);
	assert_int_equal(q.bytes, 3);
	f = frame_queue_take(&q);
	assert_int_equal(f->len, 2);
	assert_memory_equal(f->text, "ab", 2);
	mem_free(f);
	assert_int_equal(q.bytes, 1);
	f = frame_queue_take(&q);
	assert_memory_equal(f->text, "c", 1);
	mem_free(f);
	assert_null(frame_queue_take(&q));
	assert_int_equal(frame_queue_add(&q, "d", 1, &err), 0);
	q.bytes = TRANSPORT_QUEUE_MAX - 1;
	assert_int_equal(frame_queue_add(&q, "ef", 2, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "bytes are waiting"));
	assert_int_equal(frame_queue_add(&q, "e", 1, &err), 0);
	frame_queue_done(&q);
	error_reset(&err);
}

/* OTA replies. */

#define BIT(code) OTA_BIT(code)

/* Of the error, or of a finding. */
static bool says(const struct error *err, const struct diag *d,
		 const char *words)
{
	for (size_t i = 0; i < d->count; i++) {
		if (strstr(d->item[i].detail, words))
			return true;
	}
	return strstr(err->text, words) != NULL;
}

static void judged(const char *body, const char *url, const char *words,
		   uint32_t codes)
{
	const struct ota_answer a = { .status = 200,
				      .has_length = true,
				      .length = (int64_t)strlen(body),
				      .body = body,
				      .len = strlen(body),
				      .board_version = "2.4.2" };
	struct diag d = { .found = NULL };
	struct ota_fate fate = { .diag = &d };
	struct error err = { 0 };
	struct ota_reply r;
	int status;

	status = ota_judge(&r, &a, &fate, &err);
	assert_int_equal(status, words ? -1 : 0);
	if (url)
		assert_string_equal(r.websocket_url, url);
	if (words && !says(&err, &d, words))
		print_error("said: %s\n", err.text);
	if (words)
		assert_true(says(&err, &d, words));
	assert_int_equal(fate.found, codes);
	assert_int_equal(fate.dead, (codes & (BIT(O305) | BIT(O307))) != 0);
	diag_done(&d);
	ota_reply_done(&r);
	error_reset(&err);
}

static void test_judge(void **state)
{
	static const struct {
		const char *text;
		bool boots;
	} versions[] = { { "", true },
			 { "2.4.2", true },
			 { "2.4.2-x", true },
			 { "2.4.", true },
			 { " 2", true },
			 { "v2.4.2", false },
			 { "2..1", false },
			 { ".1", false },
			 { "2.4.x", false },
			 { "2-a.x", false },
			 { "99999999999", false } };
	char *long_value = mem_printf("{\"websocket\":{\"url\":\"ws://h/\","
				      "\"x\":\"%04001d\"}}",
				      0);

	(void)state;
	judged("{\"websocket\":{\"url\":\"ws://h/\",\"token\":\"t\","
	       "\"version\":1}}",
	       "ws://h/", NULL, 0);
	judged("{\"websocket\":{\"url\":\"ws://h/\",\"version\":\"3\"},"
	       "\"firmware\":{\"version\":\"v2.4.2\",\"url\":\"\"}}",
	       "ws://h/", "restarts here", BIT(O304) | BIT(O307) | BIT(O318));
	for (size_t i = 0; i < COUNT(versions); i++) {
		char *body = mem_printf("{\"websocket\":{\"url\":\"ws://h/\"},"
					"\"firmware\":{\"version\":\"%s\","
					"\"url\":\"\"}}",
					versions[i].text);

		judged(body, "ws://h/",
		       versions[i].boots ? NULL : versions[i].text,
		       BIT(O318) | (versions[i].boots ? 0 : BIT(O307)));
		mem_free(body);
	}
	/* Without a url that is a text the version is not looked at. */
	judged("{\"websocket\":{\"url\":\"ws://h/\"},"
	       "\"firmware\":{\"version\":\"v1\"}}",
	       "ws://h/", NULL, BIT(O318));
	judged("{\"websocket\":{\"url\":\"ws://h/\"},"
	       "\"firmware\":{\"version\":\"2.4.2-x\",\"url\":\"\"}}",
	       "ws://h/", NULL, BIT(O318));
	judged("{\"websocket\":{\"url\":\"ws://h/\",\"token\":\"\"},"
	       "\"firmware\":{\"version\":\"2.4.3\",\"url\":\"u\"}}",
	       "ws://h/", NULL, BIT(O317));
	judged("{\"mqtt\":{\"endpoint\":\"h:1883\"},\"websocket\":{\"url\":"
	       "\"ws://h/\"}}",
	       "ws://h/", NULL, BIT(O319) | BIT(O303));
	judged("{\"mqtt\":{}}", NULL, NULL, BIT(O301));
	judged("{}", NULL, "neither 'websocket' nor 'mqtt'", BIT(O301));
	/* It stays on WebSocket with what was stored (device.md 5.4 item 10). */
	judged("{\"websocket\":{}}", NULL, NULL, BIT(O316));
	judged("{\"websocket\":{\"URL\":\"ws://h/\"}}", NULL, NULL, BIT(O316));
	/* Sections are found without case, and a text may stand behind it all. */
	judged("{\"WebSocket\":{\"url\":\"ws://h/\"}} x", "ws://h/", NULL,
	       BIT(O318));
	judged("{\"activation\":{\"code\":\"123456\"}}", NULL, "code 123456",
	       BIT(O315));
	judged("{\"websocket\":{\"url\":\"ws://h/\","
	       "\"a_name_too_long_\":1}}",
	       "ws://h/", "'a_name_too_long_' in websocket",
	       BIT(O305) | BIT(O318));
	/* What is not stored is not looked at either. */
	judged("{\"websocket\":{\"url\":\"ws://h/\","
	       "\"a_name_too_long_\":true}}",
	       "ws://h/", NULL, BIT(O318));
	judged(long_value, "ws://h/", "websocket.x has 4001 bytes",
	       BIT(O305) | BIT(O318));
	mem_free(long_value);
	judged("<html>", NULL, "", BIT(O313));
}

/* The broker that the members of `mqtt` name. */
static void brokered(const char *mqtt, const char *shown, uint32_t codes)
{
	CLEANUP(mem_free_ptr) char *body = mem_printf("{\"mqtt\":%s}", mqtt);
	const struct ota_answer a = { .status = 200,
				      .has_length = true,
				      .length = (int64_t)strlen(body),
				      .body = body,
				      .len = strlen(body) };
	struct diag d = { .found = NULL };
	struct ota_fate fate = { .diag = &d };
	cJSON *json = cJSON_Parse(mqtt);
	struct error err = { 0 };
	struct broker_where b;
	char *text;

	fate.found = diag_ota(&d, &a);
	if (ota_broker(&b, json, &fate, &err))
		text = mem_strdup(err.text);
	else
		text = mem_printf(
			"%s %u %s %s %s %s %s %s %d", b.host, (unsigned)b.port,
			b.tls ? "tls" : "plain", b.user ? b.user : "-",
			b.password ? b.password : "-",
			b.client_id ? b.client_id : "-", b.up ? b.up : "-",
			b.down ? b.down : "-", (int)b.keepalive);
	if (!strstr(text, shown))
		print_error("said: %s\n", text);
	assert_non_null(strstr(text, shown));
	assert_int_equal(fate.found, codes);
	assert_int_equal(fate.dead, strstr(shown, "restarts") != NULL);
	diag_done(&d);
	mem_free(text);
	cJSON_Delete(json);
	broker_where_done(&b);
	error_reset(&err);
}

#define UP "\"publish_topic\":\"up\""

static void test_broker(void **state)
{
	(void)state;
	brokered("{\"endpoint\":\"192.168.1.2:1883\",\"client_id\":\"c\","
		 "\"username\":\"u\",\"password\":\"p\"," UP
		 ",\"subscribe_topic\":\"null\",\"keepalive\":60}",
		 "192.168.1.2 1883 plain u p c up null 60", 0);
	/*
	 * TLS if and only if the port is 8883, which is the default (device.md
	 * 2.1).
	 */
	brokered("{\"endpoint\":\"h\",\"username\":\"\"," UP "}",
		 "h 8883 tls - - - up - 240", 0);
	brokered("{\"endpoint\":\"h:8883\"," UP "}", "h 8883 tls", 0);
	brokered("{\"endpoint\":\"h:1884/x\"," UP "}", "h 1884 plain", 0);
	brokered("{\"endpoint\":\"h:1\",\"keepalive\":0," UP "}", " 240", 0);
	brokered("{\"endpoint\":\"h:1\",\"keepalive\":4," UP "}", " 240", 0);
	brokered("{\"endpoint\":\"h:1\",\"keepalive\":5," UP "}", " 5", 0);
	brokered("{\"endpoint\":\"h:1\",\"keepalive\":65535," UP "}", " 65535",
		 0);
	brokered("{\"endpoint\":\"h:1\",\"keepalive\":65536," UP "}", " 240",
		 0);
	brokered("{\"endpoint\":\"h:1\",\"publish_topic\":\"\"}",
		 "h 1 plain - - - - - 240", BIT(O303));
	brokered("{\"endpoint\":\"h:1\",\"client_id\":7," UP "}",
		 "h 1 plain - - - up", 0);
	brokered("{\"endpoint\":\"mqtt://h:1883\"," UP "}", "restarts",
		 BIT(O302));
	brokered("{\"endpoint\":\"h:\"}", "restarts", BIT(O302) | BIT(O303));
	brokered("{\"endpoint\":\"h:123456\"}", "no port of 1 to 65535",
		 BIT(O302) | BIT(O303));
	brokered("{\"endpoint\":\"h:12345678901\"}", "restarts",
		 BIT(O302) | BIT(O303));
	brokered("{\"endpoint\":\":1883\"}", "no host", BIT(O302) | BIT(O303));
	brokered("{\"endpoint\":1883}", "without an endpoint that is a text",
		 BIT(O302));
	brokered("{}", "without an endpoint", BIT(O301));
}

static void test_mqtt_ids(void **state)
{
	static const char gateway[] = "GID_t@@@02_00_00_00_00_FF@@@"
				      "00000000-0000-4000-8000-000000000001";
	static const struct {
		const char *first;
		uint64_t n;
		const char *id;
	} rows[] = {
		{ gateway, 0, gateway },
		{ gateway, 2,
		  "GID_t@@@02_00_00_00_01_01@@@"
		  "00000000-0000-4000-8000-000000000003" },
		{ "Board-1", 0, "Board-1" },
		{ "Board-1", 1, "Board-1-2" },
		{ "G@@@x@@@y", 1, "G@@@x@@@y-2" },
		{ "G@@@020000000001@@@y", 1, "G@@@020000000001@@@y-2" },
		{ "G@@@y", 1, "G@@@y-2" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		char *id = identity_mqtt(rows[i].first, rows[i].n);

		assert_string_equal(id, rows[i].id);
		mem_free(id);
	}
}

static void test_ids(void **state)
{
	static const struct {
		bool client;
		const char *first;
		uint64_t n;
		const char *id;
	} rows[] = {
		{ false, "02:00:00:00:00:01", 0, "02:00:00:00:00:01" },
		{ false, "02:00:00:00:00:FF", 1, "02:00:00:00:01:00" },
		{ false, "AA:BB:CC:DD:EE:FF", 9999, "aa:bb:cc:de:16:0e" },
		{ false, "Lamp", 0, "lamp" },
		{ false, "Lamp", 2, "lamp-3" },
		{ false, "02:00:00:00:00", 1, "02:00:00:00:00-2" },
		{ true, "00000000-0000-4000-8000-000000000001", 0,
		  "00000000-0000-4000-8000-000000000001" },
		{ true, "00000000-0000-4000-8000-0000000000FF", 1,
		  "00000000-0000-4000-8000-000000000100" },
		{ true, "me", 1, "me-2" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		char *id = rows[i].client ?
				   identity_client(rows[i].first, rows[i].n) :
				   identity_device(rows[i].first, rows[i].n);

		assert_string_equal(id, rows[i].id);
		mem_free(id);
	}
	for (i = 0; i < 2; i++) {
		char *id = mem_zalloc(130);

		memset(id, 'a', 128 + i);
		assert_int_equal(identity_is_plain(id), i == 0);
		mem_free(id);
	}
	assert_true(identity_is_plain("~ "));
	assert_false(identity_is_plain("\x7f"));
	assert_true(identity_is_plain("x y"));
	assert_false(identity_is_plain(""));
	assert_false(identity_is_plain("a\r\nb"));
	assert_false(identity_is_plain("é"));
}

/* What the board's MQTT library takes where it is given no client id. */
static void test_library_ids(void **state)
{
	static const char *const rows[][2] = {
		{ "02:00:00:0a:1b:fc", "ESP32_0A1BFC" },
		{ "lamp", "ESP32_lAmp" },
		{ "0a:1b", "ESP32_0A1B" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *id = identity_library(rows[i][0]);

		assert_string_equal(id, rows[i][1]);
	}
}

/* What a fleet was asked, and what of it was never listed, or answered. */
static void test_counts(void **state)
{
	struct firmware_catalog c = { .count = 0 };
	struct tally t = { .sum.devices = 1 };
	struct counted_request of = { .is_call = true };
	struct sim_summary sum;
	static const char *const names[] = { "a", "b", "u" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		firmware_catalog_add(&c, i)->name = mem_strdup(names[i]);
	c.tool[2].user_only = true;
	counts_init(&t.counts, &c);
	t.counts.sessions = 3;
	t.counts.hellos = 2;
	t.counts.unheard = 1;
	t.counts.listed_whole = 4;
	of.tool = &c.tool[0];
	of.came_ns = 1000000;
	counts_came(&t.counts, &of);
	counts_came(&t.counts, &of);
	counts_came(&t.counts, &of);
	counts_replied(&t.counts, &of, false, 3000000);
	counts_replied(&t.counts, &of, true, 8000000);
	of.is_call = false;
	of.tool = NULL;
	counts_came(&t.counts, &of);
	counts_came(NULL, &of);
	counts_replied(NULL, &of, false, 0);
	counts_listed(&t.counts, 1, false);
	counts_listed(&t.counts, 2, true);
	counts_listed(&t.counts, 3, true);
	counts_listed(NULL, 0, true);
	tally_finish(&t, &sum);
	assert_int_equal(sum.requests.came, 4);
	assert_int_equal(sum.requests.answered, 1);
	assert_int_equal(sum.requests.refused, 1);
	assert_int_equal(sum.tool_calls.came, 3);
	assert_int_equal(sum.tool_calls.answered, 1);
	assert_int_equal(sum.tool_calls.refused, 1);
	assert_int_equal(sum.sessions, 3);
	assert_int_equal(sum.hellos, 2);
	assert_int_equal(sum.unheard, 1);
	assert_int_equal(sum.listed_whole, 4);
	assert_int_equal(sum.answer_p50, 2000);
	assert_int_equal(sum.answer_p99, 7000);
	assert_int_equal(sum.lost_tools.name.count, 2);
	assert_string_equal(sum.lost_tools.name.word[0], "b");
	assert_int_equal(sum.lost_tools.count[0], 1);
	assert_string_equal(sum.lost_tools.name.word[1], "u");
	assert_int_equal(sum.lost_tools.count[1], 1);
	assert_int_equal(sum.lost_replies.name.count, 1);
	assert_string_equal(sum.lost_replies.name.word[0], "a");
	assert_int_equal(sum.lost_replies.count[0], 1);
	sim_summary_done(&sum);
	firmware_catalog_done(&c);
}

static void test_tally(void **state)
{
	struct tally t = { .sum.devices = 7 };
	struct sim_summary sum;
	const struct finding first = { .code = B223, .count = 1 };
	const struct finding again = { .code = B223, .count = 2 };
	const struct finding other = { .code = B214, .count = 1 };
	int ms;

	(void)state;
	assert_int_equal(samples_percentile(&t.welcome, 50), -1);
	for (ms = 100; ms > 0; ms--)
		samples_add(&t.welcome, ms);
	samples_add(&t.first_call, 3);
	tally_found(&t, &first, "a");
	tally_found(&t, &again, "b");
	tally_found(&t, &first, "c");
	tally_found(&t, &other, "");
	tally_died(&t, B214);
	tally_finish(&t, &sum);
	assert_int_equal(sum.welcome_p50, 50);
	assert_int_equal(sum.welcome_p99, 99);
	assert_int_equal(sum.first_call_p50, 3);
	assert_int_equal(sum.first_call_p99, 3);
	assert_int_equal(sum.devices, 7);
	/* The most severe first. */
	assert_int_equal(sum.found_count, 2);
	assert_int_equal(sum.found[0].code, B214);
	assert_true(sum.found[0].fatal);
	assert_int_equal(sum.found[1].code, B223);
	assert_string_equal(sum.found[1].detail, "a");
	assert_int_equal(sum.found[1].connections, 2);
	assert_int_equal(sum.found[1].times, 3);
	assert_false(sum.found[1].fatal);
	sim_summary_done(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_ota_request),
		cmocka_unit_test(test_frames_out),
		cmocka_unit_test(test_frames_in),
		cmocka_unit_test(test_broken_frames),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_chunk_borders),
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_large_replies),
		cmocka_unit_test(test_reply_parts),
		cmocka_unit_test(test_traced_requests),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_activation),
		cmocka_unit_test(test_more_frames),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_broker),
		cmocka_unit_test(test_mqtt_ids),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_library_ids),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_tally),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim wire", tests, NULL, NULL);
}
