/* SPDX-License-Identifier: MIT */
/* Addresses and versions as boards take them (device.md 1.2, 2.1, 5.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/board_text.h"

static void assert_part(const char *text, size_t len, const char *want)
{
	CLEANUP(mem_free_ptr) char *part = mem_strndup(text, len);

	assert_string_equal(part, want);
}

static void urls(void **state)
{
	static const struct {
		const char *text, *host, *path;
		int port;
		bool tls, has_port, more, lost;
	} rows[] = {
		{ "ws://h/x/?a=b", "h", "/x/?a=b", 80, false, false, false,
		  false },
		{ "wss://h/", "h", "/", 443, true, false, false, false },
		{ "https://h/p", "h", "/p", 443, true, false, false, false },
		{ "http://h", "h", "/", 80, false, false, false, false },
		{ "ws://h:8000/x", "h", "/x", 8000, false, true, false, false },
		{ "ws://h:80/x", "h", "/x", 80, false, false, false, false },
		{ "wss://h:443", "h", "/", 443, true, false, false, false },
		{ "wss://h:80/", "h", "/", 80, true, true, false, false },
		{ "ws://h:1/", "h", "/", 1, false, true, false, false },
		{ "ws://h:65535/", "h", "/", 65535, false, true, false, false },
		/* Only the first number is read. */
		{ "ws://h:8000:8015/x", "h", "/x", 8000, false, true, true,
		  false },
		{ "ws://h:8000x/", "h", "/", 8000, false, true, true, false },
		/* Without a path there is no query. */
		{ "ws://h?token=x", "h", "/", 80, false, false, false, true },
		{ "ws://h:9?token=x", "h", "/", 9, false, true, false, true },
		{ "ws://h/?token=x", "h", "/?token=x", 80, false, false, false,
		  false },
	};
	struct board_url u;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(board_url_read(&u, rows[i].text));
		assert_int_equal(u.fault, BOARD_URL_GOOD);
		assert_part(u.host, u.host_len, rows[i].host);
		assert_string_equal(u.path, rows[i].path);
		assert_int_equal(u.port, rows[i].port);
		assert_int_equal(u.tls, rows[i].tls);
		assert_int_equal(u.has_port, rows[i].has_port);
		assert_int_equal(u.more_port, rows[i].more);
		assert_int_equal(u.lost_query, rows[i].lost);
	}
	board_url_read(&u, "ws://h:8000:8015/x");
	assert_part(u.port_text, u.port_len, "8000:8015");
	board_url_read(&u, "ws://h:81?x");
	assert_part(u.port_text, u.port_len, "81");
	board_url_read(&u, "ws://h/");
	assert_null(u.port_text);
}

static void broken_urls(void **state)
{
	static const struct {
		const char *text;
		enum board_url_fault fault;
		const char *port; /* NULL: none was written, or not told */
	} rows[] = {
		{ "", BOARD_URL_NO_SCHEME, NULL },
		{ "h:8000/x", BOARD_URL_NO_SCHEME, NULL },
		{ "ws:/h/", BOARD_URL_NO_SCHEME, NULL },
		{ "ws://h/ x", BOARD_URL_BLANK, NULL },
		{ "ws://h/\n", BOARD_URL_BLANK, NULL },
		{ "ws://h/\x7f", BOARD_URL_BLANK, NULL },
		{ "ws://h:/", BOARD_URL_NO_NUMBER, "" },
		{ "ws://h:x/", BOARD_URL_NO_NUMBER, "x" },
		{ "ws://h:2147483648/", BOARD_URL_NO_NUMBER, "2147483648" },
		{ "ws://h:-2147483649/", BOARD_URL_NO_NUMBER, "-2147483649" },
		{ "ws://h:99999999999999999999/", BOARD_URL_NO_NUMBER,
		  "99999999999999999999" },
		/* The first ':' is taken for the port's, wherever it is. */
		{ "ws://h/a:b", BOARD_URL_NO_NUMBER, "b" },
		{ "ws://[::1]/", BOARD_URL_NO_NUMBER, ":1]" },
		{ "ws://h:0/", BOARD_URL_NO_PORT, "0" },
		{ "ws://h:-1/", BOARD_URL_NO_PORT, "-1" },
		{ "ws://h:65536/", BOARD_URL_NO_PORT, "65536" },
		{ "ws://h:2147483647/", BOARD_URL_NO_PORT, "2147483647" },
		{ "ws://", BOARD_URL_NO_HOST, NULL },
		{ "ws:///x", BOARD_URL_NO_HOST, NULL },
		{ "ws://:80/x", BOARD_URL_NO_HOST, "80" },
	};
	struct board_url u;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_false(board_url_read(&u, rows[i].text));
		assert_int_equal(u.fault, rows[i].fault);
		if (rows[i].port)
			assert_part(u.port_text, u.port_len, rows[i].port);
		else
			assert_null(u.port_text);
	}
	/* What is no ASCII is no blank. */
	assert_true(board_url_read(&u, "ws://h/\xc3\xa9!"));
}

static void endpoints(void **state)
{
	static const struct {
		const char *text;
		enum board_url_fault fault;
		int host_len, port;
		bool tls;
	} rows[] = {
		{ "h.example", BOARD_URL_GOOD, 9, 8883, true },
		{ "h:8883", BOARD_URL_GOOD, 1, 8883, true },
		{ "h:1883", BOARD_URL_GOOD, 1, 1883, false },
		{ "h:1883/x", BOARD_URL_GOOD, 1, 1883, false },
		{ "h:1", BOARD_URL_GOOD, 1, 1, false },
		{ "h:65535", BOARD_URL_GOOD, 1, 65535, false },
		{ "h:0", BOARD_URL_NO_PORT, 1, 0, false },
		{ "h:65536", BOARD_URL_NO_PORT, 1, 65536, false },
		{ "h:", BOARD_URL_NO_NUMBER, 1, 8883, true },
		{ "mqtt://h", BOARD_URL_NO_NUMBER, 4, 8883, true },
		{ "", BOARD_URL_NO_HOST, 0, 8883, true },
		{ ":1883", BOARD_URL_NO_HOST, 0, 1883, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct board_endpoint e;

		assert_int_equal(board_endpoint_read(&e, rows[i].text),
				 rows[i].fault == BOARD_URL_GOOD);
		assert_int_equal(e.fault, rows[i].fault);
		assert_int_equal(e.host_len, rows[i].host_len);
		assert_int_equal(e.port, rows[i].port);
		assert_int_equal(e.tls, rows[i].tls);
	}
}

static void versions(void **state)
{
	static const char *const broken[] = { "v2.4.2",	   "2..1", ".",
					      ".1",	   "x",	   "2.x",
					      "2147483648" };
	int part[3] = { -1, -1, -1 };
	size_t count = 9;

	(void)state;
	assert_true(board_version_read("", part, 3, &count));
	assert_int_equal(count, 0);
	assert_true(board_version_read("2.14.2-rc1", part, 3, &count));
	assert_int_equal(count, 3);
	assert_true(part[0] == 2 && part[1] == 14 && part[2] == 2);
	/* A dot at the end is none; those behind max are counted. */
	assert_true(board_version_read("7.8.9.", part, 2, &count));
	assert_int_equal(count, 3);
	assert_true(part[0] == 7 && part[1] == 8 && part[2] == 2);
	for (size_t i = 0; i < COUNT(broken); i++)
		assert_false(board_version_read(broken[i], part, 3, &count));
}

static void newer(void **state)
{
	static const struct {
		const char *offered, *own;
		bool newer;
	} rows[] = {
		{ "2.4.3", "2.4.2", true },
		{ "2.4.2", "2.4.2", false },
		{ "2.4.2", "2.4.3", false },
		{ "2.10.0", "2.9.9", true },
		{ "2.9.9", "2.10.0", false },
		{ "3", "2.9.9", true },
		{ "2", "2.0", false },
		{ "2.4.2.0", "2.4.2", true },
		{ "2.4", "2.4.2", false },
		{ "2.4.2-x", "2.4.2", false },
		{ "v3", "2.4.2", false },
		{ "3", "v2", false },
		{ "1", "", true },
		{ "", "1", false },
		{ "1.1.1.1.1.1.1.2", "1.1.1.1.1.1.1.1", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			board_version_newer(rows[i].offered, rows[i].own),
			rows[i].newer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls),	     cmocka_unit_test(broken_urls),
		cmocka_unit_test(endpoints), cmocka_unit_test(versions),
		cmocka_unit_test(newer),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
