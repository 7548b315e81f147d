/* SPDX-License-Identifier: MIT */
/*
 * The head of a request: what the front sees before it decides who serves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/head.h"

#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define DEVICE                                                        \
	"GET /xiaozhi/v1/?a=b HTTP/1.1\r\nHost: 192.168.1.2\r\n"      \
	"Authorization: Bearer t\r\nClient-Id: u\r\n"                 \
	"Connection: Upgrade\r\nDevice-Id: 02:00:00:00:00:01\r\n"     \
	"Protocol-Version: 1\r\n" KEY "Sec-WebSocket-Version: 13\r\n" \
	"Upgrade: websocket\r\n\r\n"

static enum head_state parse(const char *text, size_t len)
{
	struct head head;
	enum head_state state = head_parse(&head, text, len);

	if (state == HEAD_READY)
		head_done(&head);
	assert_null(head.method);
	return state;
}

/* Of a text, whole. */
static enum head_state whole(const char *text)
{
	return parse(text, strlen(text));
}

static void test_device(void **state)
{
	static const char text[] = DEVICE "\x81\x85";
	const char *reason;
	struct head head;

	(void)state;
	assert_int_equal(head_parse(&head, text, sizeof(text) - 1), HEAD_READY);
	assert_string_equal(head.method, "GET");
	assert_string_equal(head.path, "/xiaozhi/v1/");
	assert_string_equal(head.query, "a=b");
	assert_int_equal(head.headers.count, 9);
	assert_string_equal(headers_get(&head.headers, "device-id"),
			    "02:00:00:00:00:01");
	/* Early frames stay outside. */
	assert_int_equal(head.length, sizeof(DEVICE) - 1);
	assert_int_equal(head_upgrade(&head, &reason), HEAD_WEBSOCKET);
	assert_null(reason);
	head_done(&head);
}

static void test_byte_by_byte(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(DEVICE) - 1; len++)
		assert_int_equal(parse(DEVICE, len), HEAD_MORE);
	assert_int_equal(parse(DEVICE, sizeof(DEVICE) - 1), HEAD_READY);
}

static void test_other_tongues(void **state)
{
	(void)state;
	assert_int_equal(whole("\x16"), HEAD_MORE);
	assert_int_equal(parse("\x16\x03\x01\x02\x00\x01", 6), HEAD_TLS);
	assert_int_equal(whole("\x16\x04"), HEAD_GARBAGE);
	assert_int_equal(whole("\x01\x02"), HEAD_GARBAGE);
	assert_int_equal(parse("\0", 1), HEAD_GARBAGE);
	assert_int_equal(whole(" GET"), HEAD_GARBAGE);
	assert_int_equal(whole("\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("SSH-2.0-OpenSSH_9\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("AVERYLONGMETHODTHATISNONEATALL"), HEAD_GARBAGE);
	assert_int_equal(whole("GET /\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("GET  HTTP/1.1\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("GET / HTTP/1.1x\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("GET / FTP/1.1\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("GET /\x01 HTTP/1.1\r\n"), HEAD_GARBAGE);
	assert_int_equal(whole("G"), HEAD_MORE);
}

static void test_broken_fields(void **state)
{
	(void)state;
	assert_int_equal(whole("GET / HTTP/1.1\r\nfoo bar\r\n\r\n"), HEAD_BAD);
	assert_int_equal(whole("GET / HTTP/1.1\r\n: x\r\n\r\n"), HEAD_BAD);
	assert_int_equal(whole("GET / HTTP/1.1\r\na : x\r\n\r\n"), HEAD_BAD);
	assert_int_equal(whole("GET / HTTP/1.1\r\na: x\r\n b\r\n\r\n"),
			 HEAD_BAD);
	assert_int_equal(whole("GET / HTTP/1.1\r\na: \x07\r\n\r\n"), HEAD_BAD);
	assert_int_equal(parse("GET / HTTP/1.1\r\na: \0\r\n\r\n", 24),
			 HEAD_BAD);
	assert_int_equal(whole("GET / HTTP/1.1\r\na:\r\n\r\n"), HEAD_READY);
	assert_int_equal(whole("GET / HTTP/1.0\n\n"), HEAD_READY);
}

static void test_values_are_trimmed(void **state)
{
	static const char text[] =
		"GET / HTTP/1.1\r\nA: \t x y \t\r\nB:\r\n\r\n";
	struct head head;

	(void)state;
	assert_int_equal(head_parse(&head, text, strlen(text)), HEAD_READY);
	assert_string_equal(headers_get(&head.headers, "a"), "x y");
	assert_string_equal(headers_get(&head.headers, "b"), "");
	head_done(&head);
}

/* Take one line out of the device's request, put another in. */
static enum head_upgrade with(const char *out, const char *in,
			      const char **reason)
{
	struct buf text = { 0 };
	const char *at = *out ? strstr(DEVICE, out) : DEVICE;
	size_t skip = (size_t)(strchr(at, '\n') - at) + 1;
	enum head_upgrade result;
	struct head head;

	if (!*out) {
		at = strstr(DEVICE, "Host");
		skip = 0;
	}
	buf_add(&text, DEVICE, (size_t)(at - DEVICE));
	buf_text(&text, in);
	buf_text(&text, at + skip);
	assert_int_equal(head_parse(&head, text.data, text.len), HEAD_READY);
	result = head_upgrade(&head, reason);
	head_done(&head);
	buf_done(&text);
	return result;
}

static void test_upgrades(void **state)
{
	const char *why = "none";

	(void)state;
	assert_int_equal(with("", "", &why), HEAD_WEBSOCKET);
	assert_null(why);
	why = "none";
	assert_int_equal(with("Upgrade: web", "", &why), HEAD_NO_UPGRADE);
	assert_null(why);
	assert_int_equal(with("", "Sec-WebSocket-Protocol: a, b\r\n", &why),
			 HEAD_WEBSOCKET);
	assert_int_equal(with("Connection", "Connection: a, uPgRaDe\r\n", &why),
			 HEAD_WEBSOCKET);
	assert_int_equal(
		with("Connection",
		     "Connection: keep-alive\r\nConnection: Upgrade\r\n", &why),
		HEAD_WEBSOCKET);
	assert_int_equal(with("Upgrade: web", "Upgrade: h2c\r\n", &why),
			 HEAD_REFUSE);
	assert_non_null(strstr(why, "websocket"));
	assert_int_equal(
		with("Upgrade: web", "Upgrade: websocket, h2c\r\n", &why),
		HEAD_REFUSE);
	assert_int_equal(with("", "Upgrade: websocket\r\n", &why), HEAD_REFUSE);
	assert_non_null(strstr(why, "twice"));
	assert_int_equal(with("", KEY, &why), HEAD_REFUSE);
	assert_int_equal(with("Connection", "Connection: xupgrade\r\n", &why),
			 HEAD_REFUSE);
	assert_int_equal(with("Sec-WebSocket-V", "", &why), HEAD_REFUSE);
	assert_int_equal(
		with("Sec-WebSocket-V", "Sec-WebSocket-Version: 8\r\n", &why),
		HEAD_REFUSE);
	assert_non_null(strstr(why, "13"));
	assert_int_equal(with("Sec-WebSocket-K", "", &why), HEAD_REFUSE);
	assert_int_equal(
		with("Sec-WebSocket-K", "Sec-WebSocket-Key: a b\r\n", &why),
		HEAD_REFUSE);
	assert_int_equal(with("GET", "POST / HTTP/1.1\r\n", &why), HEAD_REFUSE);
	assert_non_null(strstr(why, "GET"));
	assert_int_equal(with("GET", "GET / HTTP/1.0\r\n", &why), HEAD_REFUSE);
	assert_int_equal(with("", "Content-Length: 5\r\n", &why), HEAD_REFUSE);
	assert_int_equal(with("Host", "Host: x\n", &why), HEAD_REFUSE);
	assert_non_null(strstr(why, "CR LF"));
}

/* Of a request with these fields; NULL: it is fine. */
static const char *problem(const char *version, const char *fields)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("POST / HTTP/%s\r\n%s\r\n", version, fields);
	const char *why;
	struct head head;

	assert_int_equal(head_parse(&head, text, strlen(text)), HEAD_READY);
	why = head_problem(&head.headers, head.target_host, head.http_1_0);
	head_done(&head);
	return why;
}

static void test_two_ways(void **state)
{
	static const struct {
		const char *fields, *why;
	} rows[] = {
		{ "", "Host is missing" },
		{ "Host: a\r\nhost: a\r\n", "Host came twice" },
		{ "Host:\r\n", "HOST[:PORT]" },
		{ "Host: a b\r\n", "HOST[:PORT]" },
		{ "Host: a:99999\r\n", "HOST[:PORT]" },
		{ "Host: u@a\r\n", "HOST[:PORT]" },
		{ "Host: a\r\nContent-Length: 5\r\ncontent-length: 5\r\n",
		  "Content-Length came twice" },
		{ "Host: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
		  "Content-Length came twice" },
		{ "Host: a\r\nContent-Length: 5, 5\r\n", "no number" },
		{ "Host: a\r\nContent-Length: +5\r\n", "no number" },
		{ "Host: a\r\nContent-Length: -5\r\n", "no number" },
		{ "Host: a\r\nContent-Length: 0x5\r\n", "no number" },
		{ "Host: a\r\nContent-Length: 5 5\r\n", "no number" },
		{ "Host: a\r\nContent-Length:\r\n", "no number" },
		{ "Host: a\r\nContent-Length: 99999999999999999999\r\n",
		  "no number" },
		{ "Host: a\r\nContent-Length: 5\r\n"
		  "Transfer-Encoding: chunked\r\n",
		  "exclude" },
		{ "Host: a\r\nTransfer-Encoding: identity\r\n"
		  "Content-Length: 5\r\n",
		  "exclude" },
		{ "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n",
		  "only Transfer-Encoding" },
		{ "Host: a\r\nTransfer-Encoding: xchunked\r\n",
		  "only Transfer-Encoding" },
		{ "Host: a\r\nTransfer-Encoding:\r\n",
		  "only Transfer-Encoding" },
		{ "Host: a\r\nTransfer-Encoding: chunked\r\n"
		  "Transfer-Encoding: chunked\r\n",
		  "only Transfer-Encoding" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *why = problem("1.1", rows[i].fields);

		if (!why || !strstr(why, rows[i].why))
			fail_msg("%s: %s", rows[i].fields, why ? why : "fine");
	}
	assert_null(problem("1.1", "Host: a:1\r\nContent-Length: 0\r\n"));
	assert_null(problem("1.1", "Host: [::1]\r\n"
				   "Transfer-Encoding: Chunked\r\n"));
	assert_null(problem("1.0", ""));
	assert_null(problem("1.0", "Content-Length: 5\r\n"));
	assert_non_null(problem("1.0", "Host: a\r\nHost: b\r\n"));
	assert_non_null(problem("1.0", "Transfer-Encoding: chunked\r\n"));
}

/* As a library may give them that folds, or takes blanks in front of ':'. */
static void test_broken_name(void **state)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	(void)state;
	headers_add(&h, "Host", "a");
	assert_null(head_problem(&h, NULL, false));
	headers_add(&h, "Content-Length ", "5");
	assert_non_null(head_problem(&h, NULL, false));
}

/* As a library may give them that takes no lone CR for the end of a line. */
static void test_broken_value(void **state)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	(void)state;
	headers_add(&h, "Host", "a");
	headers_add(&h, "Content-Length", "5");
	headers_add(&h, "X-Tab", "a\tb");
	assert_null(head_problem(&h, NULL, false));
	headers_add(&h, "X", "a\rTransfer-Encoding: chunked");
	assert_string_equal(head_problem(&h, NULL, false),
			    "the value of a header is broken");
}

static void splits(const char *target, const char *path, const char *query)
{
	char *p, *q;

	head_split_target(target, strlen(target), &p, &q);
	assert_string_equal(p, path);
	if (query)
		assert_string_equal(q, query);
	else
		assert_null(q);
	mem_free(p);
	mem_free(q);
}

static void test_targets(void **state)
{
	(void)state;
	splits("/", "/", NULL);
	splits("/a?", "/a", "");
	splits("/a?b?c", "/a", "b?c");
	splits("http://h:1/x?y", "/x", "y");
	splits("http://h", "/", NULL);
	splits("http://", "http://", NULL);
	splits("https://h/x", "https://h/x", NULL);
	splits("http:/h/x", "http:/h/x", NULL);
	splits("*", "*", NULL);
}

static bool fits_target(const char *target, const char *host)
{
	CLEANUP(mem_free_ptr)
	char *its = head_target_host(target, strlen(target));
	CLEANUP(headers_done) struct headers h = { 0 };

	headers_add(&h, "Host", host);
	return !head_problem(&h, its, false);
}

/* Of two hosts one is what a proxy in front looked at, perhaps. */
static void test_hosts_of_targets(void **state)
{
	struct head head;
	const char *text = "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n";

	(void)state;
	assert_true(fits_target("/http://b/", "a"));
	assert_true(fits_target("http://A:1/x", "a:1"));
	assert_true(fits_target("http://a", "a"));
	assert_false(fits_target("http://b", "a"));
	assert_false(fits_target("http://a:1/x", "a"));
	assert_false(fits_target("http://a/", "ab"));
	assert_false(fits_target("http://ab/", "a"));
	assert_false(fits_target("http://b@a/", "a"));
	assert_int_equal(head_parse(&head, text, strlen(text)), HEAD_READY);
	assert_string_equal(
		head_problem(&head.headers, head.target_host, false),
		"Host is another than that of the target");
	head_done(&head);
}

static void query_gives(const char *query, const char *name, const char *wanted)
{
	char *got = head_query_value(query, name);

	if (!wanted)
		assert_null(got);
	else
		assert_string_equal(got ? got : "NULL", wanted);
	mem_free(got);
}

static void test_queries(void **state)
{
	(void)state;
	query_gives(NULL, "a", NULL);
	query_gives("", "a", NULL);
	query_gives("a=1&b=2", "b", "2");
	query_gives("DEVICE-ID=02%3a00", "device-id", "02:00");
	query_gives("ab=1&a=2", "a", "2");
	query_gives("a", "a", NULL);
	query_gives("a=", "a", "");
	query_gives("authorization=Bearer+x%20y", "Authorization",
		    "Bearer x y");
	query_gives("a=%zz", "a", NULL);
	query_gives("a=%00", "a", NULL);
	query_gives("&&a=1", "a", "1");
	query_gives("a=1&a=2", "a", "1");
	query_gives("b&a=1", "a", "1");
	query_gives("ba=2", "a", NULL);
	query_gives("a=b+c%2bd=e", "a", "b c+d=e");
}

static bool says_close(const char *value)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	headers_add(&h, "Connection", "x");
	headers_add(&h, "connection", value);
	return headers_have(&h, "Connection", "close");
}

static void test_tokens(void **state)
{
	(void)state;
	assert_true(says_close("close"));
	assert_true(says_close("a, Close ,b"));
	assert_true(says_close("a,\t close \t"));
	assert_true(says_close(",,close"));
	assert_true(says_close("a,close"));
	assert_false(says_close("clos"));
	assert_false(says_close(" , ,"));
	assert_false(says_close("closed"));
	assert_false(says_close("a b close"));
	assert_false(says_close(""));
}

static void test_lists(void **state)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	CLEANUP(mem_free_ptr) char *all = NULL;

	(void)state;
	assert_false(headers_have(&h, "A", "b"));
	assert_false(headers_mention(&h, "A", "b"));
	assert_null(headers_list(&h, "A"));
	headers_add(&h, "a", "x, bc");
	headers_add(&h, "Other", "b");
	assert_false(headers_have(&h, "A", "b"));
	assert_true(headers_mention(&h, "A", "b"));
	assert_false(headers_mention(&h, "A", "y"));
	headers_add(&h, "A", "y, B");
	assert_true(headers_have(&h, "A", "b"));
	assert_true(headers_mention(&h, "A", "y"));
	all = headers_list(&h, "A");
	assert_string_equal(all, "x, bc, y, B");
}

static void test_hosts(void **state)
{
	char longest[300];

	(void)state;
	assert_true(head_is_host("192.168.1.2:8000"));
	assert_true(head_is_host("box.local"));
	assert_true(head_is_host("[::1]:8000"));
	assert_false(head_is_host(""));
	assert_false(head_is_host(":8000"));
	assert_false(head_is_host("h:0"));
	assert_false(head_is_host("h:99999"));
	assert_false(head_is_host("h/x"));
	assert_false(head_is_host("h\"x"));
	assert_false(head_is_host("user@h"));
	assert_false(head_is_host("h h"));
	assert_false(head_is_host("::1"));
	assert_false(head_is_host("-h"));
	assert_false(head_is_host(".h"));
	assert_true(head_is_host("h-."));
	assert_true(head_is_host("h:1"));
	assert_true(head_is_host("h:65535"));
	memset(longest, 'a', sizeof(longest));
	longest[200] = '\0';
	assert_true(head_is_host(longest));
	longest[200] = 'a';
	longest[201] = '\0';
	assert_false(head_is_host(longest));
}

/* What each of the 256 may be: a byte of a name, or of a value. */
static void test_bytes(void **state)
{
	static const char names[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789!#$%&'*+-.^_`|~";

	(void)state;
	for (int c = 1; c < 256; c++) {
		const char text[] = { 'x', (char)c, '\0' };
		bool fits = strchr(names, c);
		bool control = (c < ' ' && c != '\t') || c == 0x7f;
		CLEANUP(headers_done) struct headers h = { 0 };
		const char *why;

		headers_add(&h, "Host", "a");
		headers_add(&h, text, "x");
		why = head_problem(&h, NULL, false);
		if (!why != fits || header_name_fits(text) != fits)
			fail_msg("a name with %d: %s", c, why);
		if (!fits)
			assert_string_equal(why,
					    "the name of a header is broken");
		if (header_value_fits(text) == control)
			fail_msg("a value with %d", c);
	}
	assert_false(header_name_fits(""));
	assert_true(header_value_fits(""));
}

static void test_request_lines(void **state)
{
	static const struct {
		const char *text;
		enum head_state state;
	} rows[] = {
		{ "ABCDEFGHIJKLMNOPQRSTUVWX / HTTP/1.1\r\n\r\n", HEAD_READY },
		{ "ABCDEFGHIJKLMNOPQRSTUVWX", HEAD_MORE },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXY", HEAD_GARBAGE },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXY / HTTP/1.1\r\n\r\n",
		  HEAD_GARBAGE },
		{ "G / HTTP/1.1\r\n\r\n", HEAD_READY },
		{ "GET / HTTP/0.9\r\n\r\n", HEAD_READY },
		{ "GET / HTTP/9.0\r\n\r\n", HEAD_READY },
		{ "GET / HTTP/1:1\r\n\r\n", HEAD_GARBAGE },
		{ "GET / HTTP/1.:\r\n\r\n", HEAD_GARBAGE },
		{ "GET / HTTP/1./\r\n\r\n", HEAD_GARBAGE },
		{ "GET / HTTP/:.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET / HTTP//.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET / HTTP/1.11\r\n\r\n", HEAD_GARBAGE },
		{ "GET / HTTP/1.\r\n\r\n", HEAD_GARBAGE },
		{ "GET / http/1.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET /a b HTTP/1.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET /\x1f HTTP/1.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET /\x7f HTTP/1.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET /\t HTTP/1.1\r\n\r\n", HEAD_GARBAGE },
		{ "GET /! HTTP/1.1\r\n\r\n", HEAD_READY },
		{ "GET /~\x80\xff HTTP/1.1\r\n\r\n", HEAD_READY },
		{ "GET / HTTP/1.1\r\na: \x1f\r\n\r\n", HEAD_BAD },
		{ "GET / HTTP/1.1\r\na: \x7f\r\n\r\n", HEAD_BAD },
		{ "GET / HTTP/1.1\r\na: x\ty \x80!\r\n\r\n", HEAD_READY },
		{ "\x16", HEAD_MORE },
		{ "\x16\x03", HEAD_TLS },
		{ "\x16\x02", HEAD_GARBAGE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (whole(rows[i].text) != rows[i].state)
			fail_msg("%s", rows[i].text);
	}
}

static void reads(const char *text, const char *method, bool http_1_0,
		  bool bare_newlines, size_t behind)
{
	size_t len = strlen(text);
	struct head head;

	assert_int_equal(head_parse(&head, text, len), HEAD_READY);
	assert_string_equal(head.method, method);
	assert_int_equal(head.http_1_0, http_1_0);
	assert_int_equal(head.bare_newlines, bare_newlines);
	assert_int_equal(head.length, len - behind);
	head_done(&head);
	assert_null(head.headers.item);
}

static void test_what_is_read(void **state)
{
	(void)state;
	reads("GET / HTTP/1.1\r\na: b\r\n\r\n", "GET", false, false, 0);
	reads("PUT / HTTP/1.0\r\na: b\r\n\r\nbody\r\n\r\n", "PUT", true, false,
	      8);
	reads("GET / HTTP/1.1\na: b\r\n\r\nx", "GET", false, true, 1);
	reads("GET / HTTP/1.1\r\na: b\n\r\n", "GET", false, true, 0);
	reads("GET / HTTP/1.1\r\na: b\r\n\n\n", "GET", false, true, 1);
	/* The empty line ends it. */
	assert_int_equal(whole("GET / HTTP/1.1\r\na: b\r\n"), HEAD_MORE);
	assert_int_equal(whole("GET / HTTP/1.1\r\na: b\r\n\r"), HEAD_MORE);
}

/* What is no upgrade of ours, in whole words. */
static void test_why_no_upgrade(void **state)
{
	static const struct {
		const char *out, *in, *why;
	} rows[] = {
		{ "Upgrade: web", "Upgrade: h2c\r\n",
		  "the only upgrade spoken here is websocket" },
		{ "GET", "POST / HTTP/1.1\r\n",
		  "a WebSocket upgrade must be a GET" },
		{ "GET", "GET / HTTP/1.0\r\n",
		  "a WebSocket upgrade needs HTTP/1.1" },
		{ "Connection", "",
		  "a WebSocket upgrade needs 'Connection: Upgrade'" },
		{ "Sec-WebSocket-V", "",
		  "only Sec-WebSocket-Version 13 is spoken here" },
		{ "Sec-WebSocket-V", "Sec-WebSocket-Version: 130\r\n",
		  "only Sec-WebSocket-Version 13 is spoken here" },
		{ "Sec-WebSocket-K", "",
		  "Sec-WebSocket-Key is missing or no base64" },
		{ "Sec-WebSocket-K", "Sec-WebSocket-Key:\r\n",
		  "Sec-WebSocket-Key is missing or no base64" },
		{ "Sec-WebSocket-K", "Sec-WebSocket-Key: a\"b\r\n",
		  "Sec-WebSocket-Key is missing or no base64" },
		{ "", "Content-Length: 0\r\n",
		  "a WebSocket upgrade has no body" },
		{ "", "Transfer-Encoding: chunked\r\n",
		  "a WebSocket upgrade has no body" },
		{ "", "Upgrade: websocket\r\n",
		  "a header of the WebSocket upgrade came twice" },
		{ "", KEY, "a header of the WebSocket upgrade came twice" },
		{ "", "Sec-WebSocket-Version: 13\r\n",
		  "a header of the WebSocket upgrade came twice" },
		{ "", "a: b\n", "header lines must end with CR LF" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *why = NULL;

		assert_int_equal(with(rows[i].out, rows[i].in, &why),
				 HEAD_REFUSE);
		assert_string_equal(why, rows[i].why);
	}
}

static enum head_upgrade with_key(size_t len)
{
	char line[128] = "Sec-WebSocket-Key: ";
	const char *why;
	size_t at = strlen(line);

	memset(line + at, 'k', len);
	/* Of base64 these two are no letters of names. */
	line[at] = '/';
	line[at + len - 1] = '=';
	strcpy(line + at + len, "\r\n");
	return with("Sec-WebSocket-K", line, &why);
}

static void test_keys(void **state)
{
	(void)state;
	assert_int_equal(with_key(1), HEAD_WEBSOCKET);
	assert_int_equal(with_key(64), HEAD_WEBSOCKET);
	assert_int_equal(with_key(65), HEAD_REFUSE);
}

static void test_why_two_ways(void **state)
{
	static const struct {
		const char *version, *fields, *why;
	} rows[] = {
		{ "1.1", "Host:\r\n", "Host is no HOST[:PORT]" },
		{ "1.0", "Host: :80\r\n", "Host is no HOST[:PORT]" },
		{ "1.1", "Host: a\r\nContent-Length: 12345678901234567890\r\n",
		  "Content-Length is no number of bytes" },
		{ "1.1",
		  "Host: a\r\nContent-Length: 5\r\n"
		  "Transfer-Encoding: chunked\r\n",
		  "Content-Length and Transfer-Encoding exclude each other" },
		{ "1.0", "Transfer-Encoding: chunked\r\n",
		  "HTTP/1.0 has no Transfer-Encoding" },
		{ "1.1",
		  "Host: a\r\nTransfer-Encoding: chunked\r\n"
		  "Transfer-Encoding: chunked\r\n",
		  "the only Transfer-Encoding spoken here is chunked" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(problem(rows[i].version, rows[i].fields),
				    rows[i].why);
	assert_null(problem(
		"1.1", "Host: a\r\nContent-Length: 1234567890123456789\r\n"));
}

/* Exactly so many bytes of one field: name, value and what stands between. */
static int check_bytes(size_t len, struct error *err)
{
	static const char *const none[] = { NULL };
	CLEANUP(headers_done) struct headers h = { 0 };
	CLEANUP(buf_done) struct buf value = { 0 };

	headers_add(&h, "abc", "defg");
	while (value.len < len - 3 - 4 - 4 - 2 - 4)
		buf_char(&value, 'v');
	headers_add(&h, "hi", buf_string(&value));
	return headers_check(&h, none, "transport", err);
}

#define TEN "0123456789"

static void test_own_fields(void **state)
{
	static const char *const ours[] = { "Host", "Accept", NULL };
	static const struct {
		const char *name, *value, *why;
	} rows[] = {
		{ "A", "b\tc \xff", NULL },
		{ "Accept-Language", "de", NULL },
		{ "host", "b",
		  "the header 'host' is set by the broker itself" },
		{ "ACCEPT", "b",
		  "the header 'ACCEPT' is set by the broker itself" },
		{ "a b", "c", "the header 'a b' cannot be sent" },
		{ "", "c", "the header '' cannot be sent" },
		{ "a", "b\n", "the header 'a' cannot be sent" },
		{ TEN TEN TEN TEN TEN TEN "x:", "",
		  "the header '" TEN TEN TEN TEN TEN TEN "' cannot be sent" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(headers_done) struct headers h = { 0 };
		struct error err = { 0 };

		headers_add(&h, "first", "one");
		headers_add(&h, rows[i].name, rows[i].value);
		assert_int_equal(headers_check(&h, ours, "broker", &err),
				 rows[i].why ? -1 : 0);
		assert_string_equal(err.text, rows[i].why ? rows[i].why : "");
		assert_int_equal(err.kind, rows[i].why ? ERR_USAGE : ERR_NONE);
	}
}

static void test_many_own_fields(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(check_bytes(49152, &err), 0);
	assert_int_equal(check_bytes(49153, &err), -1);
	assert_string_equal(err.text, "the headers are too long");
	assert_int_equal(err.kind, ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_other_tongues),
		cmocka_unit_test(test_broken_fields),
		cmocka_unit_test(test_values_are_trimmed),
		cmocka_unit_test(test_upgrades),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_hosts_of_targets),
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_two_ways),
		cmocka_unit_test(test_broken_name),
		cmocka_unit_test(test_broken_value),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_request_lines),
		cmocka_unit_test(test_what_is_read),
		cmocka_unit_test(test_why_no_upgrade),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_why_two_ways),
		cmocka_unit_test(test_own_fields),
		cmocka_unit_test(test_many_own_fields),
	};

	return cmocka_run_group_tests_name("front_head", tests, NULL, NULL);
}
