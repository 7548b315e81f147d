/* SPDX-License-Identifier: MIT */
/*
 * Hosts, ports and socket addresses: what is taken, why the rest is not, how
 * they are shown, and which are near.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/address.h"

static void test_taken(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *host;
		int port; /* -1: none */
	} rows[] = {
		{ "", 0, "", -1 },
		{ "h", 1, "h", -1 },
		{ "h:8", 1, "h", -1 },
		{ "h:80", 3, "h", 8 },
		{ "h:8:9", 3, "h", 8 },
		{ "h:0", 3, "h", 0 },
		{ "a-b_c.D9:65535", 14, "a-b_c.D9", 65535 },
		{ ":1", 2, "", 1 },
		{ "127.0.0.1:80", 12, "127.0.0.1", 80 },
		{ "[::1]", 5, "::1", -1 },
		{ "[::1]:80", 5, "::1", -1 },
		{ "[::1]:80", 7, "::1", 8 },
		{ "[fe80::1%eth0.7]:65535", 22, "fe80::1%eth0.7", 65535 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		struct authority a;

		if (authority_parse(&a, rows[i].text, rows[i].len, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_string_equal(a.host, rows[i].host);
		assert_int_equal(a.has_port, rows[i].port >= 0);
		assert_int_equal(a.port, rows[i].port < 0 ? 0 : rows[i].port);
	}
}

#define PORT(text) "the port '" text "' is not between 0 and 65535"
#define OTHER "an IPv6 address is written in brackets, [::1]:8000"
#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

static void test_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "h:", "no port follows the ':'" },
		{ ":", "no port follows the ':'" },
		{ "[::1]:", "no port follows the ':'" },
		{ "h:65536", PORT("65536") },
		{ "h:-1", PORT("-1") },
		{ "h:8x", PORT("8x") },
		{ "h: 80", PORT(" 80") },
		{ "h:99999999", PORT("99999999") },
		{ "[::1]:65536", PORT("65536") },
		{ "h:" TEN TEN TEN TEN, PORT(TEN TEN TEN TEN) },
		{ "h:" TEN TEN TEN TEN "0", PORT(TEN TEN TEN TEN) },
		{ "::1", OTHER },
		{ "a:1:", OTHER },
		{ "h/x:80", "the host 'h/x' has a character that no host has" },
		{ " h", "the host ' h' has a character that no host has" },
		{ "h]", "the host 'h]' has a character that no host has" },
		{ "[::1", "the '[' is not closed" },
		{ "[", "the '[' is not closed" },
		{ "[]", "'' is no IPv6 address" },
		{ "[1.2.3.4]", "'1.2.3.4' is no IPv6 address" },
		{ "[h]", "'h' is no IPv6 address" },
		{ "[%lo]", "'%lo' is no IPv6 address" },
		{ "[fe80::1%e/]", "'fe80::1%e/' is no IPv6 address" },
		{ "[" FIFTY TEN "]", "'" FIFTY TEN "' is no IPv6 address" },
		{ "[" FIFTY TEN "x]", "'" FIFTY TEN "' is no IPv6 address" },
		{ "[::1%" FIFTY "12345/]",
		  "'::1%" FIFTY "12345/' is no IPv6 address" },
		{ "[::1]80", "only ':PORT' may follow the ']'" },
		{ "[::1]x:80", "only ':PORT' may follow the ']'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *text = rows[i].text;
		struct error err = { 0 };
		struct authority a;

		if (!authority_parse(&a, text, strlen(text), &err))
			fail_msg("'%s' was taken", text);
		assert_string_equal(err.text, rows[i].why);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void test_letters(void **state)
{
	static const char taken[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789.-_";

	(void)state;
	for (int c = 0; c < 256; c++) {
		const char text[] = { 'h', (char)c };
		bool fits = memchr(taken, c, sizeof(taken) - 1);
		struct authority a;

		if (c != ':' &&
		    !authority_parse(&a, text, sizeof(text), NULL) != fits)
			fail_msg("character %d", c);
	}
}

/* text with so many bytes in front of its last ones. */
static int of_length(char fill, const char *begin, size_t len, const char *end,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct authority a;

	buf_text(&text, begin);
	while (text.len < len)
		buf_char(&text, fill);
	buf_text(&text, end);
	return authority_parse(&a, text.data, text.len, err);
}

static void test_long(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(of_length('h', "", 255, "", &err), 0);
	assert_int_equal(of_length('h', "", 255, ":80", &err), 0);
	assert_int_equal(of_length('h', "", 256, "", &err), -1);
	assert_string_equal(err.text, "the host is too long");
	assert_int_equal(err.kind, ERR_USAGE);
	/* The bracket is none of it. */
	assert_int_equal(of_length('e', "[fe80::1%", 256, "]", &err), 0);
	error_set(&err, ERR_CONNECT, "another");
	assert_int_equal(of_length('e', "[fe80::1%", 257, "]", &err), -1);
	assert_string_equal(err.text, "the host is too long");
	assert_int_equal(err.kind, ERR_USAGE);
}

static void prints(const char *host, uint16_t port, const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	authority_print(&out, host, port);
	assert_string_equal(buf_string(&out), wanted);
}

static void test_printed(void **state)
{
	(void)state;
	prints("h", 0, "h");
	prints("h", 1, "h:1");
	prints("::1", 0, "[::1]");
	prints("::1", 65535, "[::1]:65535");
}

static void shows(const void *sa, const char *whole, const char *host,
		  uint16_t port)
{
	char out[ADDRESS_TEXT_MAX];

	address_print(sa, out, sizeof(out));
	assert_string_equal(out, whole);
	address_print_host(sa, out, sizeof(out));
	assert_string_equal(out, host);
	assert_int_equal(address_port(sa), port);
}

static void shows_6(const char *number, uint16_t port, const char *whole,
		    const char *host)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6,
				   .sin6_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET6, number, &sa.sin6_addr), 1);
	shows(&sa, whole, host, port);
}

static void test_shown(void **state)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "/s" };

	(void)state;
	v4.sin_addr.s_addr = htonl(0xc0a80107);
	shows(&v4, "192.168.1.7", "192.168.1.7", 0);
	v4.sin_port = htons(51234);
	shows(&v4, "192.168.1.7:51234", "192.168.1.7", 51234);
	shows_6("::1", 0, "[::1]", "::1");
	shows_6("2001:db8::7", 80, "[2001:db8::7]:80", "2001:db8::7");
	shows_6("::ffff:10.0.0.1", 80, "10.0.0.1:80", "10.0.0.1");
	shows_6("::10.0.0.1", 80, "[::10.0.0.1]:80", "::10.0.0.1");
	shows(&path, "unknown", "unknown", 0);
}

static void test_host_length(void **state)
{
	(void)state;
	assert_int_equal(address_host_length("192.168.1.7:80"), 11);
	assert_int_equal(address_host_length("192.168.1.7"), 11);
	assert_int_equal(address_host_length("[::1]:80"), 5);
	assert_int_equal(address_host_length("[::1]"), 5);
	assert_int_equal(address_host_length(""), 0);
}

static void test_here(void **state)
{
	static const char *const here[] = { "127.0.0.1",       "127.0.0.0",
					    "127.255.255.255", "localhost",
					    "LocalHost",       "::1" };
	static const char *const there[] = { "126.255.255.255",
					     "128.0.0.1",
					     "10.0.0.127",
					     "0.0.0.0",
					     "127.evil.example",
					     "localhost.example",
					     "::",
					     "" };

	(void)state;
	for (size_t i = 0; i < COUNT(here); i++)
		assert_true(address_is_here(here[i]));
	for (size_t i = 0; i < COUNT(there); i++)
		assert_false(address_is_here(there[i]));
}

static void test_private(void **state)
{
	static const char *const near[] = {
		"10.0.0.0",	  "10.255.255.255", "172.16.0.0",
		"172.31.255.255", "192.168.0.0",    "192.168.255.255",
		"169.254.0.0",	  "169.254.255.1",  "fc00::",
		"fdff:ffff::1",	  "fe80::",	    "febf:ffff::1",
		"fe80::1%eth0",
	};
	static const char *const far[] = {
		"9.255.255.255",
		"11.0.0.0",
		"172.15.255.255",
		"172.32.0.0",
		"171.16.0.1",
		"173.16.0.1",
		"192.167.255.255",
		"192.169.0.0",
		"193.168.0.1",
		"191.168.0.1",
		"169.253.255.255",
		"169.255.0.0",
		"168.254.0.1",
		"127.0.0.1",
		"203.0.113.9",
		"fbff::1",
		"fe00::1",
		"fe7f::1",
		"fec0::1",
		"ff80::1",
		"7e80::1",
		"2001:db8::1",
		"::1",
		"10.name.example",
		"localhost",
		"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(near); i++) {
		if (!address_is_private(near[i]))
			fail_msg("%s is far", near[i]);
	}
	for (size_t i = 0; i < COUNT(far); i++) {
		if (address_is_private(far[i]))
			fail_msg("%s is near", far[i]);
	}
}

/* How many there are of either kind: loopback or not. */
static size_t count_own(bool loopback)
{
	struct ifaddrs *list;
	size_t count = 0;

	assert_int_equal(getifaddrs(&list), 0);
	for (const struct ifaddrs *i = list; i; i = i->ifa_next)
		count += i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
			 (i->ifa_flags & IFF_UP) &&
			 (i->ifa_flags & IFF_RUNNING) &&
			 !!(i->ifa_flags & IFF_LOOPBACK) == loopback;
	freeifaddrs(list);
	return count;
}

/* Loopback only where there is no other. */
static void test_own(void **state)
{
	char all[256][64], first[2][64] = { "", "kept" };
	size_t count = local_addresses(all, COUNT(all));
	size_t others = count_own(false);
	struct in_addr number;

	(void)state;
	assert_int_equal(count, others ? others : count_own(true));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(inet_pton(AF_INET, all[i], &number), 1);
		assert_int_equal(ntohl(number.s_addr) >> 24 == 127, !others);
	}
	assert_int_equal(local_addresses(first, 0), 0);
	assert_string_equal(first[0], "");
	assert_int_equal(local_addresses(first, 1), count > 0);
	assert_string_equal(first[1], "kept");
	if (count)
		assert_string_equal(first[0], all[0]);
}

static void test_towards(void **state)
{
	static const char *const none[] = { "", "localhost", "name.example:80",
					    "1.2.3.4.5", "127.0.0.1:x" };
	char out[ADDRESS_TEXT_MAX] = "";
	int free_one = dup(0);

	(void)state;
	close(free_one);
	assert_true(local_address_towards("127.0.0.1", out, sizeof(out)));
	assert_string_equal(out, "127.0.0.1");
	assert_true(local_address_towards("127.0.0.1:80", out, sizeof(out)));
	assert_string_equal(out, "127.0.0.1");
	/* A machine may be without IPv6. */
	if (local_address_towards("::1", out, sizeof(out))) {
		assert_string_equal(out, "::1");
		*out = '\0';
		assert_true(
			local_address_towards("[::1]:80", out, sizeof(out)));
		assert_string_equal(out, "::1");
	}
	strcpy(out, "kept");
	for (size_t i = 0; i < COUNT(none); i++)
		assert_false(local_address_towards(none[i], out, sizeof(out)));
	assert_string_equal(out, "kept");
	/* No descriptor is left open. */
	assert_int_equal(dup(0), free_one);
	close(free_one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_printed),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_host_length),
		cmocka_unit_test(test_here),
		cmocka_unit_test(test_private),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_towards),
	};

	return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
