/* SPDX-License-Identifier: MIT */
/*
 * proxy/readdress: the addresses in what a backend says, found where a board
 * reads them, and nothing else changed; and heads on their way up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proxy/readdress.h"
#include "proxy/web_leg.h"

static struct span span(const char *text)
{
	return (struct span){ text, strlen(text) };
}

#define KEY "00112233445566778899aabbccddeeff"
#define NONCE "0100000012345678000000000000ffff"
#define HELLO(server, port, key, nonce)                                        \
	"{\"type\":\"hello\", \"udp\" : {\"server\":" server ",\"port\":" port \
	",\"key\":" key ",\"nonce\":" nonce "},\"x\":1}"

static void where_audio_goes(void **state)
{
	static const char text[] =
		HELLO("\"h.example\"", "8884", "\"" KEY "\"", "\"" NONCE "\"");
	CLEANUP(buf_done) struct buf out = { 0 };
	struct told_udp t;

	(void)state;
	assert_true(told_udp(&t, span(text)));
	assert_string_equal(t.offer.server, "h.example");
	assert_int_equal(t.offer.port, 8884);
	assert_string_equal(t.offer.key, KEY);
	assert_string_equal(t.offer.nonce, NONCE);
	told_udp_replace(&out, span(text), &t, "a\"b", 65535);
	assert_string_equal(
		buf_string(&out),
		HELLO("\"a\\\"b\"", "65535", "\"" KEY "\"", "\"" NONCE "\""));
}

#define AS_TOLD(server, port, key, nonce) \
	HELLO("\"" server "\"", port, "\"" key "\"", "\"" nonce "\"")

static void no_audio_of_ours(void **state)
{
	static const char *const texts[] = {
		"",
		"{}",
		"{\"type\":\"hello\",\"udp\":7}",
		"{\"type\":\"hello\",\"udp\":{\"server\":\"h\",\"key\":\"" KEY
		"\",\"nonce\":\"" NONCE "\"}}",
		"{\"type\":\"bye\",\"hello\":0,\"udp\":{\"server\":\"h\",\"port\":1,\"key\":\"" KEY
		"\",\"nonce\":\"" NONCE "\"}}",
		AS_TOLD("", "1", KEY, NONCE),
		AS_TOLD("h", "0", KEY, NONCE),
		AS_TOLD("h", "65536", KEY, NONCE),
		AS_TOLD("h", "1.5", KEY, NONCE),
		AS_TOLD("h", "\"1\"", KEY, NONCE),
		AS_TOLD("h", "1", KEY "0", NONCE),
		AS_TOLD("h", "1", KEY, NONCE "0"),
		AS_TOLD("h", "1", "x0112233445566778899aabbccddeeff", NONCE),
		AS_TOLD("h", "1", KEY, "00"),
		HELLO("7", "1", "\"" KEY "\"", "\"" NONCE "\""),
		HELLO("\"h\"", "1", "7", "\"" NONCE "\""),
		HELLO("\"h\"", "1", "\"" KEY "\"", "null"),
		AS_TOLD("h", "1", KEY, NONCE) "}",
	};
	static const char *const fine[] = { AS_TOLD("h", "1", KEY, NONCE),
					    AS_TOLD("h", "65535", KEY, NONCE) };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct told_udp t;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		if (told_udp(&t, span(texts[i])))
			fail_msg("taken: %s", texts[i]);
	}
	for (size_t i = 0; i < COUNT(fine); i++)
		assert_true(told_udp(&t, span(fine[i])));
	/* As long a name as there is room for, and a letter more. */
	for (size_t more = 0; more < 2; more++) {
		const size_t len = sizeof(t.offer.server) - 1 + more;

		buf_reset(&text);
		buf_text(&text, "{\"type\":\"hello\",\"udp\":{\"server\":\"");
		for (size_t i = 0; i < len; i++)
			buf_char(&text, 'h');
		buf_text(&text, "\",\"port\":1,\"key\":\"" KEY
				"\",\"nonce\":\"" NONCE "\"}}");
		assert_int_equal(told_udp(&t, span(buf_string(&text))), !more);
	}
}

#define INIT(url)                                                  \
	"\"method\":\"initialize\",\"params\":{\"capabilities\":{" \
	"\"vision\":{\"url\":" url "}}}"

static void where_pictures_go(void **state)
{
	static const char *const with[] = {
		"{" INIT("\"http://h/x\"") "}",
		"{\"type\":\"mcp\",\"payload\":{" INIT("\"http://h/x\"") "}}",
	};
	static const char *const without[] = {
		"",
		"{" INIT("7") "}",
		"{" INIT("null") "}",
		"{" INIT("{}") "}",
		"{" INIT("\"http://h/x\"") "}}",
		"{\"method\":\"tools/list\",\"vision\":{\"url\":\"http://h/x\"}}",
		"{\"method\":\"initialize\",\"vision\":{\"url\":\"http://h/x\"}}",
		"{\"method\":\"initialize\",\"params\":{\"vision\":{\"url\":\"http://h/x\"}}}",
		"{\"method\":\"initialize\",\"params\":{\"capabilities\":{\"vision\":{}}}}",
		"{\"method\":\"ping\",\"params\":{\"capabilities\":{\"vision\":{\"url\":\"http://h/x\"}}}}",
		"{\"params\":{\"capabilities\":{\"vision\":{\"url\":\"http://h/x\"}}}}",
	};
	struct span url;

	(void)state;
	for (size_t i = 0; i < COUNT(with); i++) {
		assert_true(told_vision(&url, span(with[i])));
		assert_int_equal(url.len, strlen("\"http://h/x\""));
		assert_memory_equal(url.text, "\"http://h/x\"", url.len);
	}
	for (size_t i = 0; i < COUNT(without); i++) {
		if (told_vision(&url, span(without[i])))
			fail_msg("taken: %s", without[i]);
	}
}

/* ---- heads on their way up ---- */

static void goes_up(const char *url, const char *target, const char *head,
		    const char *up, const char *struck)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(upstream_done) struct upstream u = { 0 };
	const char *left;

	assert_int_equal(upstream_read(&u, url, NULL), 0);
	web_request_head(&out, span(head), &u, target, &left);
	assert_string_equal(buf_string(&out), up);
	if (struck)
		assert_string_equal(left, struck);
	else
		assert_null(left);
}

static void heads(void **state)
{
	(void)state;
	goes_up("http://h:90/x", NULL,
		"POST /a?b HTTP/1.1\r\nHost: proxy:8000\r\nX: y\r\n\r\n",
		"POST /a?b HTTP/1.1\r\nHost: h:90\r\nX: y\r\n\r\n", NULL);
	goes_up("http://h:90/x", "/x?c",
		"POST /a?b HTTP/1.1\r\nHost: proxy\r\n\r\n",
		"POST /x?c HTTP/1.1\r\nHost: h:90\r\n\r\n", NULL);
	goes_up("https://h/x", NULL, "GET / HTTP/1.1\r\nhost:proxy:1\r\n\r\n",
		"GET / HTTP/1.1\r\nhost: h\r\n\r\n", NULL);
	/* A WebSocket's port, where the board wrote one (device.md 1.2). */
	goes_up("ws://h:90/x", NULL, "GET / HTTP/1.1\r\nHost: proxy\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n", NULL);
	goes_up("ws://h:90/x", NULL, "GET / HTTP/1.1\r\nHost: proxy:1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: h:90\r\n\r\n", NULL);
	/* What cannot be read here is not asked for; whole names count. */
	goes_up("http://h/", NULL,
		"GET / HTTP/1.1\r\naccept-encoding: gzip\r\nAccept-Encodings: a\r\nAccept: b\r\n\r\n",
		"GET / HTTP/1.1\r\nAccept-Encodings: a\r\nAccept: b\r\n\r\n",
		"Accept-Encoding");
	goes_up("http://h/", NULL,
		"GET / HTTP/1.1\r\nSec-WebSocket-Extensions: x\r\nHosts: a\r\nHost",
		"GET / HTTP/1.1\r\nHosts: a\r\nHost",
		"Sec-WebSocket-Extensions");
	/* No line of a request: as it is. */
	goes_up("http://h/", "/x", "GET\r\n\r\n", "GET\r\n\r\n", NULL);
	goes_up("http://h/", "/x", "GET /\r\n\r\n", "GET /\r\n\r\n", NULL);
}

static void hosts_of_addresses(void **state)
{
	CLEANUP(mem_free_ptr) char *host = web_host_of("192.168.1.2:80");
	CLEANUP(mem_free_ptr) char *bare = web_host_of("name");

	(void)state;
	assert_string_equal(host, "192.168.1.2");
	assert_string_equal(bare, "name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_audio_goes),
		cmocka_unit_test(no_audio_of_ours),
		cmocka_unit_test(where_pictures_go),
		cmocka_unit_test(heads),
		cmocka_unit_test(hosts_of_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
