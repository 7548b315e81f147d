/* SPDX-License-Identifier: MIT */
/*
 * URLs of http and https: joined, compared, shown; and dates. Its functions
 * are in the part http, and not in its table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/http_url.h"

static struct {
	__typeof__(http_date) *date;
	__typeof__(http_url_join) *join;
	__typeof__(http_url_same_origin) *same_origin;
	__typeof__(http_url_show) *show, *path;
	__typeof__(http_site_set) *site_set;
} url;

static bool find(void *function, const char *name)
{
	const void *found = module_table("http", name, NULL);

	memcpy(function, &found, sizeof(found));
	return found;
}

static int load(void **state)
{
	(void)state;
	return find(&url.date, "http_date") &&
			       find(&url.join, "http_url_join") &&
			       find(&url.same_origin, "http_url_same_origin") &&
			       find(&url.show, "http_url_show") &&
			       find(&url.path, "http_url_path") &&
			       find(&url.site_set, "http_site_set") ?
		       0 :
		       -1;
}

/* got is yours. */
static void is(char *got, const char *wanted, const char *what)
{
	if (!got != !wanted || (got && strcmp(got, wanted) != 0))
		fail_msg("'%s': '%s'", what, got ? got : "NULL");
	mem_free(got);
}

#define BASE "http://h:81/a/b/c?d/e#f"

/* RFC 3986, 5.4, but for what is no http. */
static void test_joined(void **state)
{
	static const struct {
		const char *text, *whole;
	} rows[] = {
		{ "x", "http://h:81/a/b/x" },
		{ "./x", "http://h:81/a/b/x" },
		{ "x/", "http://h:81/a/b/x/" },
		{ "/x", "http://h:81/x" },
		{ "//i", "http://i" },
		{ "//i:82/x", "http://i:82/x" },
		{ "?y", "http://h:81/a/b/c?y" },
		{ "x?y", "http://h:81/a/b/x?y" },
		{ "#s", "http://h:81/a/b/c?d/e" },
		{ "#../s", "http://h:81/a/b/c?d/e" },
		{ "x#s", "http://h:81/a/b/x" },
		{ "x#s/../../t", "http://h:81/a/b/x" },
		{ "https://i/x#s", "https://i/x" },
		{ "//i#/s/../t", "http://i" },
		{ "x?y#s", "http://h:81/a/b/x?y" },
		{ "", "http://h:81/a/b/c?d/e" },
		{ ".", "http://h:81/a/b/" },
		{ "./", "http://h:81/a/b/" },
		{ "..", "http://h:81/a/" },
		{ "../", "http://h:81/a/" },
		{ "../x", "http://h:81/a/x" },
		{ "../..", "http://h:81/" },
		{ "../../x", "http://h:81/x" },
		{ "../../../../x", "http://h:81/x" },
		{ "/./x", "http://h:81/x" },
		{ "/../x", "http://h:81/x" },
		{ "x.", "http://h:81/a/b/x." },
		{ ".x", "http://h:81/a/b/.x" },
		{ "..x", "http://h:81/a/b/..x" },
		{ "x..", "http://h:81/a/b/x.." },
		{ "...", "http://h:81/a/b/..." },
		{ "./../x", "http://h:81/a/x" },
		{ "x/./y/../z", "http://h:81/a/b/x/z" },
		{ "/x/..?y/../z", "http://h:81/?y/../z" },
		{ "x?y/./z", "http://h:81/a/b/x?y/./z" },
		{ "https://i/x", "https://i/x" },
		{ "HTTP://i", "HTTP://i" },
		{ "http://u@i/x", "http://u@i/x" },
		{ "/x:y", "http://h:81/x:y" },
		{ "?x:y", "http://h:81/a/b/c?x:y" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		is(url.join(BASE, rows[i].text), rows[i].whole, rows[i].text);
	is(url.join("https://h", "x"), "https://h/x", "x");
	is(url.join("https://h", "?x"), "https://h/?x", "?x");
	is(url.join("https://h?y", "x"), "https://h/x", "x");
	is(url.join("https://h/a", "//i"), "https://i", "//i");
	is(url.join("https://u:p@[::1]:1/a", "b"), "https://u:p@[::1]:1/b",
	   "b");
}

static void test_not_joined(void **state)
{
	static const char *const rows[] = {
		"ftp://h/",    "mailto:x",     "x:y",	    "http:/x",
		"http://",     "http://:80",   "//",	    "//:1/",
		"http://a b",  "x y",	       "x\n",	    "x\x7f",
		"\x01",	       "http://h:0/",  "//h:99999", "http://h:x/",
		"http://[::1", "http://a@:1/", "https:x",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		is(url.join(BASE, rows[i]), NULL, rows[i]);
	is(url.join("ws://h/", "/x"), NULL, "of ws");
	is(url.join("h", "/x"), NULL, "of nothing");
}

/* 8,192 bytes that are told, no more. */
static void test_long(void **state)
{
	char text[8200];
	char *whole;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[8192] = '\0';
	whole = url.join("http://h/", text);
	assert_non_null(whole);
	assert_int_equal(strlen(whole), 9 + 8192);
	mem_free(whole);
	text[8192] = 'x';
	text[8193] = '\0';
	is(url.join("http://h/", text), NULL, "long");
}

static void test_origins(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{ "http://h/x", "http://h/y?z", true },
		{ "http://h", "HTTP://H:80/", true },
		{ "https://h", "https://h:443#x", true },
		{ "http://h:443", "https://h:443", false },
		{ "http://h", "http://h:81", false },
		{ "http://h", "http://i", false },
		{ "http://h", "http://h.", false },
		{ "http://u@h", "http://h", true },
		{ "http://h", "http://u@h", false },
		{ "http://h", "http://h/u@i", true },
		{ "http://h", "ws://h", false },
		{ "ws://h", "http://h", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (url.same_origin(rows[i].a, rows[i].b) != rows[i].same)
			fail_msg("%s, %s", rows[i].a, rows[i].b);
	}
}

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

static void test_shown(void **state)
{
	static const struct {
		const char *text, *shown, *path;
	} rows[] = {
		{ "http://h:81/a/b?c=d", "http://h:81/a/b", "/a/b" },
		{ "http://h/a#b?c", "http://h/a", "/a" },
		{ "http://h", "http://h", "/" },
		{ "http://h?a", "http://h", "/" },
		{ "http://u:p@h/a", "http://***@h/a", "/a" },
		{ "http://u:p@q@h/a", "http://***@h/a", "/a" },
		{ "http://h/a@b", "http://h/a@b", "/a@b" },
		{ "http://h?a@b", "http://h", "/" },
		{ "u@h/a", "***@h/a", "/" },
		{ "h/a@b", "h/a@b", "/" },
		{ "/a@b", "/a@b", "/" },
		{ "?a://b@c", "", "/" },
		{ "", "", "/" },
		{ FIFTY FIFTY FIFTY FIFTY "0", FIFTY FIFTY FIFTY FIFTY, "/" },
		{ "http://h/" FIFTY FIFTY FIFTY FIFTY,
		  "http://h/" FIFTY FIFTY FIFTY TEN TEN TEN TEN "0",
		  "/" FIFTY FIFTY FIFTY TEN TEN TEN TEN "012345678" },
		{ "http://u@" FIFTY FIFTY FIFTY FIFTY,
		  "http://***@" FIFTY FIFTY FIFTY TEN TEN TEN TEN "012345678",
		  "/" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		is(url.show(rows[i].text), rows[i].shown, rows[i].text);
		is(url.path(rows[i].text), rows[i].path, rows[i].text);
	}
}

static void sets(struct http_site *s, const char *text, const char *host,
		 uint16_t port, bool tls, bool here)
{
	assert_int_equal(url.site_set(s, text, NULL), 0);
	assert_string_equal(s->host, host);
	assert_int_equal(s->port, port);
	assert_int_equal(s->tls, tls);
	assert_int_equal(s->here, here);
}

static void test_sites(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "ws://u:p@h/?x", "'ws://***@h/' is no http or https URL" },
		{ "http://h /", "'http://h /' is no http or https URL" },
		{ "http://", "'http://' is no http or https URL" },
		{ "http://h:0", "'http://h:0' is no http or https URL" },
	};
	char kept[] = "kept";
	struct http_site s = { .url = kept };

	(void)state;
	sets(&s, "http://h/x", "h", 80, false, false);
	sets(&s, "https://u@[::1]:1?x", "::1", 1, true, true);
	sets(&s, "https://10.0.0.1", "10.0.0.1", 443, true, false);
	sets(&s, "http://localhost:65535", "localhost", 65535, false, true);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };

		assert_int_equal(url.site_set(&s, rows[i].text, &err), -1);
		assert_string_equal(err.text, rows[i].why);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(s.host, "localhost");
	}
	assert_ptr_equal(s.url, kept);
	mem_free(s.host);
}

static void test_dates(void **state)
{
	(void)state;
	assert_int_equal(url.date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
	assert_int_equal(url.date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
	assert_int_equal(url.date("Thu, 01 Jan 1970 00:02:00 GMT"), 120);
	assert_int_equal(url.date("Sun, 06 Nov 1994 08:49:37 GMT+1"), -1);
	assert_int_equal(url.date("Sun, 06 Nov 1994 08:49:37"), -1);
	assert_int_equal(url.date("Sunday, 06-Nov-94 08:49:37 GMT"), -1);
	assert_int_equal(url.date("120"), -1);
	assert_int_equal(url.date(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_not_joined),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_sites),
		cmocka_unit_test(test_dates),
	};

	mem_init();
	return cmocka_run_group_tests_name("http_url", tests, load, NULL);
}
