/* SPDX-License-Identifier: MIT */
/* Addresses of access points: read, judged, shown without their secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "clients/point_url.h"
#include "folder.h"

#define NOW INT64_C(1795651200) /* 2026-11-26 */

/* {"alg":"ES256","typ":"JWT"} . {"userId":1,"exp":1801353600} . a signature */
#define JWT \
	"eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1c2VySWQiOjEsImV4cCI6MTgwMTM1MzYwMH0.c2ln"

static int read_text(struct point_urls *u, const char *text, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *file = folder_write("urls", text, strlen(text));

	return point_urls_read(u, file, err);
}

static void reads(void **state)
{
	struct point_urls u;
	struct error err = { 0 };
	char words[96];

	(void)state;
	assert_int_equal(
		read_text(
			&u,
			"# mine\n\n  wss://api.example/mcp/?token=" JWT
			"\r\nws://10.0.0.1:8004/mcp_endpoint/mcp/?token=ab%2Bc",
			&err),
		0);
	assert_int_equal(u.count, 2);
	assert_string_equal(u.item[0].url, "wss://api.example/mcp/?token=" JWT);
	assert_string_equal(u.item[0].shown, "wss://api.example/mcp/ (line 3)");
	assert_string_equal(u.item[1].shown,
			    "ws://10.0.0.1:8004/mcp_endpoint/mcp/ (line 4)");
	assert_int_equal(u.item[0].expires, 1801353600);
	assert_int_equal(u.item[1].expires, 0);
	point_url_expiry(&u.item[0], NOW, words, sizeof(words));
	assert_string_equal(words, "its token ends on 2027-01-31, in 66 days");
	point_url_expiry(&u.item[0], 1801353600 - 7200, words, sizeof(words));
	assert_string_equal(words, "its token ends on 2027-01-31, in 2 h");
	point_url_expiry(&u.item[0], 1801353600, words, sizeof(words));
	assert_string_equal(words, "its token ended on 2027-01-31");
	point_url_expiry(&u.item[0], 1801353600 - 1, words, sizeof(words));
	assert_string_equal(words, "its token ends on 2027-01-31, in 0 h");
	point_url_expiry(&u.item[0], 1801353600 - 172799, words, sizeof(words));
	assert_string_equal(words, "its token ends on 2027-01-31, in 47 h");
	point_url_expiry(&u.item[0], 1801353600 - 172800, words, sizeof(words));
	assert_string_equal(words, "its token ends on 2027-01-31, in 2 days");
	point_url_expiry(&u.item[1], NOW, words, sizeof(words));
	assert_string_equal(words, "");
	point_urls_done(&u);
}

static void one(void **state)
{
	struct point_urls u;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		point_urls_text(&u, "wss://h/mcp/?token=s3cret", "X", &err), 0);
	assert_string_equal(u.item[0].shown, "wss://h/mcp/");
	point_urls_done(&u);
	assert_int_equal(point_urls_text(&u, "wss://h/mcp/", "X", &err), 0);
	assert_string_equal(u.item[0].shown, "wss://h/mcp/");
	assert_int_equal(u.item[0].expires, 0);
	point_urls_done(&u);
}

/* So many bytes in one, and so many in a file, and no more. */
static void bounds(void **state)
{
	CLEANUP(buf_done) struct buf many = { 0 };
	char text[POINT_URL_MAX + 2];
	struct point_urls u;
	struct error err = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "wss://h/mcp/?", 13);
	text[POINT_URL_MAX + 1] = '\0';
	assert_int_equal(point_urls_text(&u, text, "X", &err), -1);
	assert_string_equal(err.text,
			    "X: this is no address with ws:// or wss://");
	assert_int_equal(u.count, 0);
	text[POINT_URL_MAX] = '\0';
	assert_int_equal(point_urls_text(&u, text, "X", &err), 0);
	point_urls_done(&u);
	for (int i = 0; i < POINT_URLS_MAX; i++)
		buf_printf(&many, "wss://h/%d\n", i);
	assert_int_equal(read_text(&u, buf_string(&many), &err), 0);
	assert_int_equal(u.count, POINT_URLS_MAX);
	assert_string_equal(u.item[POINT_URLS_MAX - 1].shown,
			    "wss://h/31 (line 32)");
	point_urls_done(&u);
	buf_text(&many, "ws://h/\n");
	assert_int_equal(read_text(&u, buf_string(&many), &err), -1);
	if (!strstr(err.text, ", line 33: these are too many addresses"))
		fail_msg("%s", err.text);
	assert_string_equal(err.hint, "32 are possible");
	error_reset(&err);
}

/* None of it shows a secret. */
static void wrong(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "", "no address" },
		{ "# none\n", "no address" },
		{ "https://h/mcp/?token=s3cret\n", "line 1" },
		{ "\nwss://?token=s3cret\n", "line 2" },
		{ "s3cret\n", "line 1" },
		{ "ws:/h/mcp/?token=s3cret\n", "no address with ws://" },
		{ "wss:/h/mcp/?token=s3cret\n", "no address with ws://" },
		{ "ws://h/mcp_endpoint/call/?token=s3cret\n", "robots" },
		{ "ws://h/mcp/?token=s3cret\nws://h/mcp/?token=s3cret\n",
		  "twice" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct point_urls u;
		struct error err = { 0 };

		assert_int_equal(read_text(&u, cases[i].text, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.text, cases[i].part))
			fail_msg("'%s' is not in '%s'", cases[i].part,
				 err.text);
		assert_null(strstr(err.text, "s3cret"));
		assert_null(strstr(err.hint, "s3cret"));
		assert_int_equal(u.count, 0);
	}
}

static void refuses(const char *text, const char *words, const char *hint)
{
	struct point_urls u;
	struct error err = { 0 };

	assert_int_equal(point_urls_text(&u, text, "X", &err), -1);
	assert_string_equal(err.text, words);
	assert_string_equal(err.hint, hint);
	assert_int_equal(err.kind, ERR_USAGE);
	point_urls_done(&u);
	error_reset(&err);
}

/* The words, and what can be done. */
static void advice(void **state)
{
	static const char shape[] =
		"copy the address of the access point as it is shown there: wss://HOST/mcp/?token=…";
	static const char none[] = "X: this is no address with ws:// or wss://";

	(void)state;
	refuses("wss://h/call/?token=s3cret",
		"X: this is the address for robots (/call/)",
		"a tool side dials the one with /mcp/; as a target, the other is asked by 'mcpctl ws://…/call/?token=… tools'");
	refuses("", none, shape);
	refuses("ws:///mcp/", none, shape);
	refuses("ws:/", none, shape);
	refuses("wss:/", none, shape);
	refuses("http://h/mcp/", none, shape);
}

static void schemes_have_no_case(void **state)
{
	struct point_urls u;

	(void)state;
	assert_int_equal(point_urls_text(&u, "WSS://h/mcp/", "X", NULL), 0);
	point_urls_done(&u);
	assert_int_equal(point_urls_text(&u, "Ws://h/mcp/", "X", NULL), 0);
	point_urls_done(&u);
}

/* Tokens that are no JWT, or say no time, say nothing. */
static void other_tokens(void **state)
{
	static const char *const tokens[] = { "a.b.c",
					      "..",
					      "a.!!.c",
					      "a.e30.c",
					      "a.eyJleHAiOiJ4In0.c",
					      "a.eyJleHAiOi01fQ.c" };

	(void)state;
	for (size_t i = 0; i < COUNT(tokens); i++) {
		CLEANUP(mem_free_ptr)
		char *url = mem_printf("wss://h/mcp/?token=%s", tokens[i]);
		struct point_urls u;

		assert_int_equal(point_urls_text(&u, url, "X", NULL), 0);
		assert_int_equal(u.item[0].expires, 0);
		point_urls_done(&u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),
		cmocka_unit_test(one),
		cmocka_unit_test(bounds),
		cmocka_unit_test(wrong),
		cmocka_unit_test(other_tokens),
		cmocka_unit_test(advice),
		cmocka_unit_test(schemes_have_no_case),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
