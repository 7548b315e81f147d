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
	const char *why;

	(void)state;
	assert_int_equal(with("", "", &why), HEAD_WEBSOCKET);
	assert_int_equal(with("Upgrade: web", "", &why), HEAD_NO_UPGRADE);
	assert_int_equal(with("", "Sec-WebSocket-Protocol: a, b\r\n", &why),
			 HEAD_WEBSOCKET);
	assert_int_equal(with("Connection", "Connection: a, uPgRaDe\r\n", &why),
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
}

static void test_tokens(void **state)
{
	(void)state;
	assert_true(head_has_token("close", "close"));
	assert_true(head_has_token("a, Close ,b", "close"));
	assert_false(head_has_token("closed", "close"));
	assert_false(head_has_token("a b close", "close"));
	assert_false(head_has_token("", "close"));
	assert_false(head_has_token(NULL, "close"));
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
	memset(longest, 'a', sizeof(longest));
	longest[200] = '\0';
	assert_true(head_is_host(longest));
	longest[200] = 'a';
	longest[201] = '\0';
	assert_false(head_is_host(longest));
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
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_two_ways),
		cmocka_unit_test(test_broken_name),
		cmocka_unit_test(test_broken_value),
	};

	return cmocka_run_group_tests_name("front_head", tests, NULL, NULL);
}
