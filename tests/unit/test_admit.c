/* SPDX-License-Identifier: MIT */
/*
 * Whom a port answers: Host and Origin of requests, from literal bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/admit.h"
#include "net/head.h"

static struct admit port;

static void open_for(const char *host, const char *origin,
		     const char *advertise)
{
	CLEANUP(words_done) struct words hosts = { 0 }, origins = { 0 };
	const struct admit_options o = { &hosts, &origins, NULL, advertise };
	struct error err = { 0 };

	if (host)
		words_add(&hosts, host);
	if (origin)
		words_add(&origins, origin);
	admit_done(&port);
	assert_int_equal(admit_open(&port, &o, "bench.lan", NULL, &err), 0);
}

static int teardown(void **state)
{
	(void)state;
	admit_done(&port);
	return 0;
}

/* The fields are what stands between the request line and the empty line. */
static enum admit_verdict judge(const char *fields, bool upgrade)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("GET / HTTP/1.1\r\n%s\r\n", fields);
	enum admit_verdict verdict;
	struct head head;

	assert_int_equal(head_parse(&head, text, strlen(text)), HEAD_READY);
	verdict = admit_judge(&port, &head.headers, upgrade);
	head_done(&head);
	return verdict;
}

static void hosts(enum admit_verdict wanted, const char *const *list,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP(mem_free_ptr)
		char *fields = mem_printf("Host: %s\r\n", list[i]);

		if (judge(fields, false) != wanted ||
		    judge(fields, true) != wanted)
			fail_msg("Host: %s", list[i]);
	}
}

static void test_hosts(void **state)
{
	static const char *const ours[] = { "127.0.0.1",
					    "127.0.0.1:8000",
					    "192.168.1.2:8000",
					    "8.8.8.8",
					    "[::1]",
					    "[::1]:8000",
					    "[fe80::1%eth0]:1",
					    "[2001:db8::7]",
					    "localhost",
					    "LOCALHOST:8000",
					    "localhost.",
					    "app.localhost:8000",
					    "a.b.localhost.",
					    "bench.lan",
					    "Bench.Lan.:8000",
					    "bench",
					    "bench:1",
					    "bench.local:8000",
					    "BENCH.LOCAL." };
	static const char *const others[] = { "evil.example",
					      "evil.example:8000",
					      "localhost.example",
					      "127.0.0.1.evil.example",
					      "127.evil.example",
					      "xlocalhost",
					      ".localhost",
					      "bench.evil.example",
					      "bench.lan.example",
					      "bench.local.example",
					      "lan",
					      "local",
					      "2130706433",
					      "0x7f.1",
					      "127.1",
					      "::1",
					      "a b",
					      "",
					      ".",
					      "user@127.0.0.1",
					      "[::1",
					      "127.0.0.1:x" };

	(void)state;
	open_for(NULL, NULL, NULL);
	hosts(ADMIT_YES, ours, COUNT(ours));
	hosts(ADMIT_HOST, others, COUNT(others));
	/* HTTP/1.0, which no browser speaks. */
	assert_int_equal(judge("", false), ADMIT_YES);
}

static void test_more_hosts(void **state)
{
	static const char *const named[] = { "box.example", "BOX.example:1",
					     "bench.lan" };
	static const char *const url[] = { "b.example", "b.example:443" };
	static const char *const letter[] = { "b", "B.", "b:1" };
	static const char *const none[] = { "a.box.example", "box.example.org",
					    "wss" };

	(void)state;
	open_for("Box.example", NULL, NULL);
	hosts(ADMIT_YES, named, COUNT(named));
	hosts(ADMIT_HOST, none, COUNT(none));
	hosts(ADMIT_HOST, url, COUNT(url));
	open_for("b", NULL, NULL);
	hosts(ADMIT_YES, letter, COUNT(letter));
	open_for(NULL, NULL, "wss://b.example/ws?x=1");
	hosts(ADMIT_YES, url, COUNT(url));
	hosts(ADMIT_HOST, none, COUNT(none));
	open_for(NULL, NULL, "b.example:9000");
	hosts(ADMIT_YES, url, COUNT(url));
	open_for(NULL, NULL, "192.168.1.1");
	hosts(ADMIT_HOST, url, COUNT(url));
}

#define AT "Host: 127.0.0.1:8000\r\n"

static void test_origins(void **state)
{
	static const char *const foreign[] = {
		AT "Origin: http://evil.example\r\n",
		AT "Origin: null\r\n",
		AT "Origin: \r\n",
		AT "Origin: file://\r\n",
		AT "Origin: http://127.0.0.1\r\n",
		AT "Origin: http://127.0.0.1:8001\r\n",
		AT "Origin: https://127.0.0.1\r\n",
		AT "Origin: http://localhost:8000\r\n",
		AT "Origin: http://127.0.0.1:8000/\r\n",
		AT "Origin: http://127.0.0.1:8000@evil.example\r\n",
		AT "Origin: http://127.0.0.1:8000.evil.example\r\n",
		AT "Origin: ws://127.0.0.1:8000\r\n",
		AT "Origin: moz-extension://127.0.0.1\r\n",
		AT "Origin: 127.0.0.1:8000\r\n",
		AT "Origin: ://127.0.0.1:8000\r\n",
		AT "Origin: http://127.0.0.1:8000\r\nOrigin: null\r\n",
		AT "Origin: null\r\nOrigin: http://127.0.0.1:8000\r\n",
		"Origin: http://127.0.0.1:8000\r\n",
		"Host: localhost:80\r\nOrigin: https://localhost\r\n",
	};
	static const char *const own[] = {
		AT,
		AT "Origin: http://127.0.0.1:8000\r\n",
		AT "origin: HTTP://127.0.0.1:8000\r\n",
		AT "Origin: https://127.0.0.1:8000\r\n",
		"Host: localhost\r\nOrigin: http://localhost\r\n",
		"Host: localhost:80\r\nOrigin: http://localhost\r\n",
		"Host: localhost\r\nOrigin: https://localhost\r\n",
		"Host: localhost:443\r\nOrigin: https://localhost\r\n",
		"Host: [::1]:8000\r\nOrigin: http://[::1]:8000\r\n"
	};

	(void)state;
	open_for(NULL, NULL, NULL);
	for (size_t i = 0; i < COUNT(foreign); i++) {
		if (judge(foreign[i], false) != ADMIT_ORIGIN ||
		    judge(foreign[i], true) != ADMIT_ORIGIN)
			fail_msg("%s", foreign[i]);
	}
	for (size_t i = 0; i < COUNT(own); i++) {
		if (judge(own[i], false) != ADMIT_YES ||
		    judge(own[i], true) != ADMIT_YES)
			fail_msg("%s", own[i]);
	}
}

/* A page that had its own name lead here is own, by that name. */
static void test_rebinding(void **state)
{
	(void)state;
	open_for(NULL, "http://evil.example:8000", NULL);
	assert_int_equal(judge("Host: evil.example:8000\r\n"
			       "Origin: http://evil.example:8000\r\n",
			       false),
			 ADMIT_HOST);
	assert_int_equal(judge("Host: evil.example:8000\r\n"
			       "Device-Id: aa:bb:cc:dd:ee:ff\r\n",
			       true),
			 ADMIT_HOST);
}

static void test_devices(void **state)
{
	static const char id[] =
		AT "Origin: file://\r\nDevice-Id: aa:bb:cc:dd:ee:ff\r\n";

	(void)state;
	open_for(NULL, NULL, NULL);
	assert_int_equal(judge(id, true), ADMIT_YES);
	/* A page that is own by rebinding can set it in a plain request. */
	assert_int_equal(judge(id, false), ADMIT_ORIGIN);
	assert_int_equal(judge(AT "Origin: null\r\nDevice-Id: \r\n", true),
			 ADMIT_ORIGIN);
}

static void allows(const char *option, const char *origin, bool allowed)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	const char *guest;

	open_for(NULL, option, NULL);
	headers_add(&h, "Host", "127.0.0.1:8000");
	headers_add(&h, "Origin", origin);
	assert_int_equal(admit_judge(&port, &h, false),
			 allowed ? ADMIT_YES : ADMIT_ORIGIN);
	guest = admit_guest(&port, &h);
	if (allowed)
		assert_string_equal(guest, origin);
	else
		assert_null(guest);
}

static void test_guests(void **state)
{
	CLEANUP(headers_done) struct headers own = { 0 };

	(void)state;
	allows("https://b.example", "https://b.example", true);
	allows("HTTPS://B.example:443", "https://b.example", true);
	allows("http://b.example:80", "http://b.example", true);
	allows("http://b.example:8080", "http://b.example:8080", true);
	allows("http://[::1]:3000", "http://[::1]:3000", true);
	allows("file://", "file://", true);
	allows("moz-extension://4a-b", "moz-extension://4a-b", true);
	allows("a.b_c+d-9://E.f_g+h-0", "A.b_c+d-9://E.f_g+h-0", true);
	allows("http://b.example:443", "http://b.example:443", true);
	allows("https://b.example:80", "https://b.example", false);
	allows("https://b.example", "http://b.example", false);
	allows("https://b.example", "https://b.example:8443", false);
	allows("https://b.example", "https://a.b.example", false);
	allows("https://b.example", "https://b.example.org", false);
	allows("https://b.example", "null", false);
	/* What is own is told nothing: it needs no leave. */
	headers_add(&own, "Host", "127.0.0.1:8000");
	headers_add(&own, "Origin", "http://127.0.0.1:8000");
	assert_null(admit_guest(&port, &own));
}

static void refuses(const char *host, const char *origin, const char *hint)
{
	CLEANUP(words_done) struct words hosts = { 0 }, origins = { 0 };
	const struct admit_options o = { &hosts, &origins, NULL, NULL };
	CLEANUP(error_reset) struct error err = { 0 };
	struct admit a;

	if (host)
		words_add(&hosts, host);
	if (origin)
		words_add(&origins, origin);
	assert_int_equal(admit_open(&a, &o, NULL, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, host ? host : origin));
	assert_non_null(strstr(err.hint, hint));
	assert_null(a.hosts.word);
}

static void test_options(void **state)
{
	(void)state;
	refuses(NULL, "null", "every page");
	refuses(NULL, "*", "every page");
	refuses(NULL, "b.example", "scheme");
	refuses(NULL, "https://b.example/", "scheme");
	refuses(NULL, "https://", "scheme");
	refuses(NULL, "https://a b", "scheme");
	refuses(NULL, "app://", "scheme");
	refuses("b.example:80", NULL, "name alone");
	refuses("https://b.example", NULL, "name alone");
	refuses("*.example", NULL, "name alone");
	refuses(":80", NULL, "name alone");
}

static void remedy(const char *host, const char *origin, enum admit_verdict why,
		   const char *wanted)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	headers_add(&h, "Host", host);
	headers_add(&h, "Origin", origin);
	assert_int_equal(admit_remedy(&out, why, &h), wanted != NULL);
	assert_string_equal(buf_string(&out), wanted ? wanted : "");
}

/* What is proposed may be typed into a shell as it is. */
static void test_remedies(void **state)
{
	(void)state;
	remedy("b.example:8000", "", ADMIT_HOST, "--allow-host b.example");
	remedy("b;reboot", "", ADMIT_HOST, NULL);
	remedy("-rf", "", ADMIT_HOST, NULL);
	remedy("h", "https://b.example:1", ADMIT_ORIGIN,
	       "--allow-origin https://b.example:1");
	remedy("h", "file://", ADMIT_ORIGIN, "--allow-origin file://");
	remedy("h", "null", ADMIT_ORIGIN, NULL);
	remedy("h", "https://b.example;reboot", ADMIT_ORIGIN, NULL);
	remedy("h", "https://$(reboot)", ADMIT_ORIGIN, NULL);
}

/* A name of letters so long, as the origin of an extension. */
static bool is_origin(size_t scheme, size_t rest)
{
	CLEANUP(words_done) struct words origins = { 0 };
	const struct admit_options o = { .origins = &origins };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error err = { 0 };
	struct admit a;
	int status;

	while (text.len < scheme)
		buf_char(&text, 'a');
	buf_text(&text, "://");
	while (text.len < scheme + 3 + rest)
		buf_char(&text, 'b');
	words_add(&origins, buf_string(&text));
	status = admit_open(&a, &o, NULL, NULL, &err);
	admit_done(&a);
	return status == 0;
}

static void test_long_origins(void **state)
{
	(void)state;
	assert_false(is_origin(0, 1));
	assert_true(is_origin(1, 1));
	assert_true(is_origin(31, 1));
	assert_false(is_origin(32, 1));
	assert_true(is_origin(7, 290));
	assert_false(is_origin(7, 291));
}

static void judges(const char *fields, bool upgrade, enum admit_verdict wanted)
{
	if (judge(fields, upgrade) != wanted)
		fail_msg("%s", fields);
}

/* A library of boards, which names a file as its page. */
static void test_arduino(void **state)
{
	static const char own[] = AT
		"Origin: file://\r\nUser-Agent: arduino-WebSocket-Client\r\n";
	static const char other[] = AT
		"Origin: file://\r\nUser-Agent: Arduino-WebSocket-Client\r\n";

	(void)state;
	open_for(NULL, NULL, NULL);
	judges(own, true, ADMIT_YES);
	judges(own, false, ADMIT_ORIGIN);
	judges(other, true, ADMIT_ORIGIN);
}

static void test_names_of_ours(void **state)
{
	static const char *const machine[] = { "bench", "bench.local" };
	static const char *const listen[] = { "door.example", "door.example." };
	const struct admit_options none = { 0 };

	(void)state;
	assert_int_equal(
		admit_open(&port, &none, "bench", "door.example", NULL), 0);
	hosts(ADMIT_YES, machine, COUNT(machine));
	hosts(ADMIT_YES, listen, COUNT(listen));
	assert_int_equal(port.hosts.count, 4);
	admit_done(&port);
	assert_int_equal(admit_open(&port, &none, ".lan", "", NULL), 0);
	assert_int_equal(port.hosts.count, 0);
	hosts(ADMIT_HOST, machine, COUNT(machine));
	hosts(ADMIT_HOST, listen, COUNT(listen));
}

#define ORIGIN_HINT \
	"write scheme, host and port alone, as in https://bench.example or http://127.0.0.1:3000"
#define EVERY_PAGE \
	"that would let every page in; name one, as in https://bench.example"

static void says(const char *host, const char *origin, const char *proxy,
		 const char *why, const char *hint)
{
	CLEANUP(words_done)
	struct words hosts = { 0 }, origins = { 0 }, proxies = { 0 };
	const struct admit_options o = { &hosts, &origins, &proxies, NULL };
	CLEANUP(error_reset) struct error err = { 0 };
	struct admit a;

	words_add(&hosts, host);
	words_add(&origins, origin);
	words_add(&proxies, proxy);
	assert_int_equal(admit_open(&a, &o, "bench", NULL, &err), -1);
	assert_string_equal(err.text, why);
	assert_string_equal(err.hint, hint);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(a.hosts.count, 0);
	assert_int_equal(a.origins.count, 0);
}

static void advertised(const char *text, const char *host)
{
	CLEANUP(mem_free_ptr) char *got = admit_advertised(text);

	if (!host)
		assert_null(got);
	else
		assert_string_equal(got, host);
}

static void test_advertised(void **state)
{
	(void)state;
	advertised("bench", "bench");
	advertised("bench:9", "bench");
	advertised("[fd00::1]:9", "fd00::1");
	advertised("wss://bench.example:9/ws?a=b", "bench.example");
	advertised("wss://[fd00::1]", "fd00::1");
	advertised("wss://", NULL);
	advertised("bench:x", NULL);
	advertised(NULL, NULL);
}

static void test_why_no_option(void **state)
{
	(void)state;
	says("h:80", "https://b", "10.0.0.1",
	     "option '--allow-host': 'h:80' is no host",
	     "write the name alone, as in bench.example");
	says("h", "*", "10.0.0.1",
	     "option '--allow-origin': '*' is no origin of a page", EVERY_PAGE);
	says("h", "null", "10.0.0.1",
	     "option '--allow-origin': 'null' is no origin of a page",
	     EVERY_PAGE);
	says("h", "b", "10.0.0.1",
	     "option '--allow-origin': 'b' is no origin of a page",
	     ORIGIN_HINT);
	says("h", "a_b/c://x", "10.0.0.1",
	     "option '--allow-origin': 'a_b/c://x' is no origin of a page",
	     ORIGIN_HINT);
	says("h", "https://:80", "10.0.0.1",
	     "option '--allow-origin': 'https://:80' is no origin of a page",
	     ORIGIN_HINT);
	says("h", "https://b", "box",
	     "option '--trusted-proxy': 'box' is no address of a proxy, nor a network",
	     "such as 127.0.0.1, 10.0.0.0/8 or 2001:db8::/32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_hosts, teardown),
		cmocka_unit_test_teardown(test_more_hosts, teardown),
		cmocka_unit_test_teardown(test_origins, teardown),
		cmocka_unit_test_teardown(test_rebinding, teardown),
		cmocka_unit_test_teardown(test_devices, teardown),
		cmocka_unit_test_teardown(test_guests, teardown),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_remedies),
		cmocka_unit_test(test_long_origins),
		cmocka_unit_test_teardown(test_arduino, teardown),
		cmocka_unit_test_teardown(test_names_of_ours, teardown),
		cmocka_unit_test(test_why_no_option),
		cmocka_unit_test(test_advertised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
