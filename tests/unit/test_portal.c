/* SPDX-License-Identifier: MIT */
/*
 * The portal of a board: addresses that it can have, what it takes, and what is
 * said where nobody is there.
 */
#include "rendered.h"

#include <signal.h>

#include "cli/app.h"
#include "cli/portal.h"

static struct app app;
static struct portal portal;
static struct error err;

static int begin(void **state)
{
	(void)state;
	app_init(&app);
	return 0;
}

static int end(void **state)
{
	(void)state;
	portal_done(&portal);
	app_done(&app);
	error_reset(&err);
	return 0;
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void test_addresses(void **state)
{
	static const char *const good[][3] = {
		{ "http://h", "http://h", "h" },
		{ "http://h/", "http://h", "h" },
		{ "http://192.168.4.1:80/", "http://192.168.4.1:80",
		  "192.168.4.1" },
		{ "http://[fe80::1]:8080", "http://[fe80::1]:8080", "fe80::1" },
	};
	static const char *const bad[][2] = {
		{ "https://h", "'https://h': the portal is at http://HOST" },
		{ "h", "'h': the portal is at http://HOST[:PORT]" },
		{ "", "'': the portal is at http://HOST[:PORT]" },
		{ "http://h/x", "no path belongs to a portal" },
		{ "http://h//", "no path belongs to a portal" },
		{ "http://", "names no host" },
		{ "http://:80", "names no host" },
		{ "http://h:99999", "'http://h:99999': " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(portal_open(&portal, &app, good[i][0], &err),
				 0);
		assert_string_equal(portal.base, good[i][1]);
		assert_string_equal(portal.host, good[i][2]);
		assert_string_equal(portal.hardware, "");
		portal_done(&portal);
		assert_null(portal.base);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(portal_open(&portal, &app, bad[i][0], &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		says(err.text, bad[i][1]);
		portal_done(&portal);
	}
}

/* Port 1 of this machine: nobody is there. */
static void test_nobody(void **state)
{
	char url[1012];

	(void)state;
	memset(url, 'x', sizeof(url) - 1);
	assert_int_equal(portal_open(&portal, &app, "http://127.0.0.1:1", &err),
			 0);
	assert_null(portal_ota_url(&portal, &err));
	assert_int_equal(err.kind, ERR_CONNECT);
	says(err.text, "no portal at http://127.0.0.1:1");
	says(err.hint, "in the network of the board's hotspot");
	/* It takes 1 KiB with what is around it; more is not sent. */
	url[1011] = '\0';
	assert_int_equal(portal_set_ota_url(&portal, url, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	says(err.text, "the OTA address has 1011 bytes: the portal takes 1024");
	url[1010] = '\0';
	assert_int_equal(portal_set_ota_url(&portal, url, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
}

/* Ctrl-C in the turn in which it is known that nobody is there. */
static void test_closing_leaves_signals(void **state)
{
	const bool never = false;

	(void)state;
	assert_int_equal(portal_open(&portal, &app, "http://127.0.0.1:1", &err),
			 0);
	raise(SIGINT);
	assert_null(portal_ota_url(&portal, &err));
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(loop_wait(app.loop, &never, loop_now(), &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(err.code, SIGINT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_addresses),
					    TEST(test_nobody),
					    TEST(test_closing_leaves_signals) };

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
