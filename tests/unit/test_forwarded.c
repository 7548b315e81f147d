/* SPDX-License-Identifier: MIT */
/*
 * net/forwarded: whom a proxy of the user's asks for, and whom nobody else does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <string.h>

#include "net/address.h"
#include "net/forwarded.h"
#include "net/head.h"

static struct forwarded proxies;

static void trust(const char *one, const char *other)
{
	CLEANUP(words_done) struct words w = { 0 };
	struct error err = { 0 };

	words_add(&w, one);
	if (other)
		words_add(&w, other);
	if (forwarded_open(&proxies, &w, &err))
		fail_msg("%s", err.text);
}

static int tear_down(void **state)
{
	(void)state;
	forwarded_done(&proxies);
	return 0;
}

static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = htons(1000) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(1000) };
	struct sockaddr_storage out = { 0 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
		memcpy(&out, &v4, sizeof(v4));
		return out;
	}
	assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
	memcpy(&out, &v6, sizeof(v6));
	return out;
}

/* What peer becomes, with such fields: NAME, VALUE, …, NULL. */
static const char *whom(const char *peer, ...)
{
	static char out[ADDRESS_TEXT_MAX];
	CLEANUP(headers_done) struct headers h = { 0 };
	struct sockaddr_storage sa = address(peer);
	const char *name;
	bool changed;
	va_list args;

	va_start(args, peer);
	while ((name = va_arg(args, const char *)))
		headers_add(&h, name, va_arg(args, const char *));
	va_end(args);
	changed = forwarded_peer(&proxies, &h, &sa);
	address_print((struct sockaddr *)&sa, out, sizeof(out));
	return changed ? out : "no";
}

#define XFF "X-Forwarded-For"
#define FWD "Forwarded"

static void of_others(void **state)
{
	(void)state;
	assert_string_equal(whom("127.0.0.1", XFF, "192.0.2.1", NULL), "no");
	trust("10.0.0.1", NULL);
	assert_string_equal(whom("127.0.0.1", XFF, "192.0.2.1", NULL), "no");
	assert_string_equal(whom("10.0.0.2", XFF, "192.0.2.1", NULL), "no");
	assert_string_equal(whom("2001:db8::1", XFF, "192.0.2.1", NULL), "no");
	assert_string_equal(whom("10.0.0.1", XFF, "192.0.2.1", NULL),
			    "192.0.2.1");
	assert_string_equal(whom("::ffff:10.0.0.1", XFF, "192.0.2.1", NULL),
			    "192.0.2.1");
	assert_string_equal(whom("10.0.0.1", "Via", "192.0.2.1", NULL), "no");
}

static void networks(void **state)
{
	(void)state;
	trust("10.128.0.0/9", "2001:db8::/33");
	assert_string_equal(whom("10.128.7.7", XFF, "192.0.2.1", NULL),
			    "192.0.2.1");
	assert_string_equal(whom("10.127.7.7", XFF, "192.0.2.1", NULL), "no");
	assert_string_equal(whom("2001:db8:7fff::1", XFF, "::1", NULL),
			    "[::1]");
	assert_string_equal(whom("2001:db8:8000::1", XFF, "::1", NULL), "no");
	forwarded_done(&proxies);
	trust("0.0.0.0/0", NULL);
	assert_string_equal(whom("203.0.113.9", XFF, "2001:db8::5", NULL),
			    "[2001:db8::5]");
	assert_string_equal(whom("2001:db8::5", XFF, "2001:db8::6", NULL),
			    "no");
}

/* What the client wrote stands in front of it. */
static void last_of_strangers(void **state)
{
	(void)state;
	trust("127.0.0.1", "10.0.0.0/8");
	assert_string_equal(
		whom("127.0.0.1", XFF, "198.51.100.1, 192.0.2.1", NULL),
		"192.0.2.1");
	assert_string_equal(whom("127.0.0.1", XFF,
				 "junk\",,192.0.2.1 , 10.1.1.1,10.2.2.2", NULL),
			    "no");
	assert_string_equal(whom("127.0.0.1", XFF,
				 "junk,,192.0.2.1 , 10.1.1.1,10.2.2.2", NULL),
			    "192.0.2.1");
	assert_string_equal(
		whom("127.0.0.1", XFF, "198.51.100.1", XFF, "192.0.2.1", NULL),
		"192.0.2.1");
	assert_string_equal(whom("127.0.0.1", XFF, "10.1.1.1, 10.2.2.2", NULL),
			    "no");
}

static void forms(void **state)
{
	(void)state;
	trust("127.0.0.1", NULL);
	assert_string_equal(whom("127.0.0.1", XFF, "192.0.2.1:4711", NULL),
			    "192.0.2.1:4711");
	assert_string_equal(whom("127.0.0.1", XFF, "[2001:db8::1]:4711", NULL),
			    "[2001:db8::1]:4711");
	assert_string_equal(whom("127.0.0.1", XFF, "[2001:db8::1]", NULL),
			    "[2001:db8::1]");
	assert_string_equal(
		whom("127.0.0.1", FWD, "for=192.0.2.60;proto=http", NULL),
		"192.0.2.60");
	assert_string_equal(
		whom("127.0.0.1", FWD,
		     "for=1.2.3.4, For=\"[2001:db8:cafe::17]:4711\" ; by=x",
		     NULL),
		"[2001:db8:cafe::17]:4711");
	assert_string_equal(
		whom("127.0.0.1", FWD, "proto=http;FOR=192.0.2.1", NULL),
		"192.0.2.1");
}

static void malformed(void **state)
{
	static const char *const lists[] = {
		"",
		"unknown",
		"192.0.2.1,",
		"192.0.2",
		"name.org",
		"192.0.2.1:x",
		"192.0.2.1:99999",
		"2001:db8::1:",
		"[::1",
		"1.2.3.4 5.6.7.8",
		"\"192.0.2.1\"",
		"::1%lo",
	};
	static const char *const elements[] = {
		"",
		"for=unknown",
		"for=_hidden",
		"for=",
		"proto=http",
		"for=1.2.3.4;for=1.2.3.5",
		"for=\"1.2.3.4",
		"by=1.2.3.4",
		"1.2.3.4",
		"for=\"",
		/* What a proxy added is swallowed by a quote that a client left open. */
		"for=9.9.9.9;x=\", for=192.0.2.1",
		"for=9.9.9.9;x=\", for=\"[2001:db8::1]:4711\";by=x",
	};

	(void)state;
	trust("127.0.0.1", NULL);
	for (size_t i = 0; i < COUNT(lists); i++)
		assert_string_equal(whom("127.0.0.1", XFF, lists[i], NULL),
				    "no");
	for (size_t i = 0; i < COUNT(elements); i++)
		assert_string_equal(whom("127.0.0.1", FWD, elements[i], NULL),
				    "no");
}

static void two_fields(void **state)
{
	(void)state;
	trust("127.0.0.1", NULL);
	assert_string_equal(
		whom("127.0.0.1", XFF, "192.0.2.1", FWD, "for=192.0.2.1", NULL),
		"192.0.2.1");
	assert_string_equal(
		whom("127.0.0.1", XFF, "192.0.2.1", FWD, "for=192.0.2.2", NULL),
		"no");
	assert_string_equal(
		whom("127.0.0.1", XFF, "192.0.2.1", FWD, "for=unknown", NULL),
		"no");
}

static bool tls(const char *peer, const char *name, const char *value,
		const char *other, const char *value_of_other)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	struct sockaddr_storage sa = address(peer);

	headers_add(&h, name, value);
	if (other)
		headers_add(&h, other, value_of_other);
	return forwarded_by_tls(&proxies, &h, (struct sockaddr *)&sa);
}

#define XFP "X-Forwarded-Proto"

static void by_tls(void **state)
{
	(void)state;
	trust("127.0.0.1", NULL);
	assert_true(tls("127.0.0.1", XFP, "https", NULL, NULL));
	assert_true(tls("127.0.0.1", XFP, "http, HTTPS", NULL, NULL));
	assert_true(
		tls("127.0.0.1", FWD, "for=x, for=y;proto=https", NULL, NULL));
	assert_true(tls("127.0.0.1", XFP, "https", FWD, "proto=\"https\""));
	assert_true(tls("127.0.0.1", XFP, "https", FWD, "for=192.0.2.1"));
	/* What a client says of itself, and what is not clear. */
	assert_false(tls("127.0.0.2", XFP, "https", NULL, NULL));
	assert_false(tls("127.0.0.1", XFP, "https, http", NULL, NULL));
	assert_false(tls("127.0.0.1", XFP, "httpsx", NULL, NULL));
	assert_false(tls("127.0.0.1", XFP, "", NULL, NULL));
	assert_false(tls("127.0.0.1", XFP, "https", FWD, "proto=http"));
	assert_false(tls("127.0.0.1", FWD, "proto=https, for=y", NULL, NULL));
	assert_false(
		tls("127.0.0.1", FWD, "proto=https;proto=https", NULL, NULL));
	assert_false(tls("127.0.0.1", "X-Other", "https", NULL, NULL));
}

static void bad_options(void **state)
{
	static const char *const bad[] = {
		"",	   "localhost",	  "10.0.0.1/33", "10.0.0.1/",
		"::1/129", "10.0.0.0/-1", "10.0.0.1:80", "[::1]"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		CLEANUP(words_done) struct words w = { 0 };
		CLEANUP(error_reset) struct error err = { 0 };

		words_add(&w, bad[i]);
		assert_int_equal(forwarded_open(&proxies, &w, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, "--trusted-proxy"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(of_others, tear_down),
		cmocka_unit_test_teardown(networks, tear_down),
		cmocka_unit_test_teardown(last_of_strangers, tear_down),
		cmocka_unit_test_teardown(forms, tear_down),
		cmocka_unit_test_teardown(malformed, tear_down),
		cmocka_unit_test_teardown(two_fields, tear_down),
		cmocka_unit_test_teardown(by_tls, tear_down),
		cmocka_unit_test_teardown(bad_options, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
