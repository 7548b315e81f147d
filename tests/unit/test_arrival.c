/* SPDX-License-Identifier: MIT */
/*
 * Nobody came: which step is missing, judged from what came. And what stands
 * around it: tokens, the advertised address, the page, who has a port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/arrival.h"
#include "net/listen.h"
#include "net/port.h"

#define URL "http://192.168.1.2:8000/xiaozhi/ota/"

static void explains(const struct port_facts *k, const char *text,
		     const char *hint)
{
	const struct arrival a = { .port = k, .ota_url = URL };
	struct error err = { 0 };

	assert_int_equal(arrival_explain(&a, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
	if (!strstr(err.hint, hint))
		fail_msg("'%s' does not hint '%s'", err.hint, hint);
}

static void finds(const struct port_facts *k, const char *code)
{
	const struct arrival a = { .port = k, .ota_url = URL };
	struct error err = { 0 };

	arrival_explain(&a, &err);
	assert_string_equal(err.finding, code);
}

static void test_steps_in_order(void **state)
{
	struct port_facts k = { 0 };

	(void)state;
	explains(&k, "nothing came at all", URL);
	finds(&k, "");
	explains(&k, "nothing", "firewall");
	explains(&k, "nothing", "same network");
	explains(&k, "nothing", "rebooted");
	k.connections = 3;
	explains(&k, "3 connections came, but no request", URL);
	k.browser = 1;
	explains(
		&k,
		"only a browser came, or what sends no Device-Id, from this machine",
		"phone");
	k.lan = true;
	explains(&k, "only a browser came, or what sends no Device-Id",
		 "is the board in that network too?");
	k.tls = 1;
	explains(&k, "TLS", "was the board given https:// or wss://?");
	finds(&k, "N121");
	k.ota = 1;
	explains(&k, "asked OTA", "wake");
	k.tls = 0;
	/* It is not known that it cannot: it may restart, or hang. */
	explains(&k, "asked OTA", "can it reach the address");
	k.tls = 1;
	k.no_upgrade = 1;
	explains(&k, "a proxy took 'Upgrade' away", "proxy_set_header Upgrade");
	k.wrong_path = 1;
	snprintf(k.wrong_path_text, sizeof(k.wrong_path_text), "%s", "/wrong");
	explains(&k, "'/wrong'", URL);
	k.wrong_token = 1;
	explains(&k, "token is wrong or missing", "MCPCTL_TOKEN");
}

/* What cannot be reached from a network needs no phone and no firewall. */
static void test_port_of_this_machine(void **state)
{
	struct port_facts k = { .home = true };

	(void)state;
	explains(&k, "nothing came at all", "only this machine reaches " URL);
	k.connections = k.browser = 1;
	explains(&k, "only a browser", "only this machine reaches " URL);
	k.ota = 1;
	explains(&k, "asked OTA", "wake");
}

static void test_let_in(void **state)
{
	struct port_facts k = { .connections = 9,
				.wrong_token = 1,
				.upgraded = 1 };
	const struct arrival a = { .port = &k, .ota_url = URL };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(arrival_explain(&a, &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
}

static void test_board_is_named(void **state)
{
	struct port_facts k = { .ota = 1 };

	(void)state;
	snprintf(k.ota_board, sizeof(k.ota_board), "%s", "bread-compact");
	snprintf(k.ota_version, sizeof(k.ota_version), "%s", "2.4.2");
	snprintf(k.ota_address, sizeof(k.ota_address), "%s",
		 "192.168.1.7:51234");
	explains(&k, "'bread-compact' version 2.4.2", "wake word");
	explains(&k, "from 192.168.1.7:51234", "button");
	explains(&k, "OTA", "--advertise");
	k.tls = 1;
	explains(&k, "never dialled", "ws://, not wss://");
}

static void test_foreign(void **state)
{
	struct port_facts k = { .connections = 2, .foreign = 1, .browser = 1 };

	(void)state;
	snprintf(k.foreign_text, sizeof(k.foreign_text), "%s",
		 "a page of 'x' was refused");
	explains(&k, "no device was let in; a page of 'x' was refused",
		 "the board's OTA address is " URL);
	snprintf(k.foreign_hint, sizeof(k.foreign_hint), "%s",
		 "--allow-origin x");
	explains(&k, "no device", "--allow-origin x; else: the board's");
	/* Others got further. */
	k.tls = 1;
	explains(&k, "TLS", URL);
	k.ota = 1;
	explains(&k, "asked OTA", "wake");
}

static void says(const struct arrival *a, const char *text, const char *hint,
		 const char *code)
{
	struct error err = { 0 };

	assert_int_equal(arrival_explain(a, &err), -1);
	assert_string_equal(err.text, text);
	if (!strstr(err.hint, hint))
		fail_msg("'%s' does not hint '%s'", err.hint, hint);
	assert_string_equal(err.finding, code);
}

/* A device got further than any that only knocked: that is told. */
static void test_who_got_furthest(void **state)
{
	struct port_facts k = { .connections = 1, .ota = 1, .no_upgrade = 1 };
	struct arrival a = { .port = &k, .ota_url = URL, .mqtt = true };
	char failed[] = "it left", refused[] = "one had no token",
	     hint[] = "ask it", empty[] = "", who[] = "aa:bb",
	     broker[] = "the broker is gone", start[] = "start it";

	(void)state;
	says(&a,
	     "no device was let in: a WebSocket request came, from which a proxy took 'Upgrade' away",
	     "the proxy must pass it on", "N110");
	k.no_upgrade = 0;
	says(&a, "no device dialled in: the board asked OTA, but never dialled",
	     "can it reach the broker", "");
	a.broker = broker;
	says(&a, "no device dialled in: the broker is gone",
	     "mcpctl serve -v shows each step", "");
	a.broker_hint = empty;
	says(&a, "no device dialled in: the broker is gone",
	     "mcpctl serve -v shows each step", "");
	a.broker_hint = start;
	says(&a, "no device dialled in: the broker is gone", "start it", "");
	a.refused = refused;
	says(&a, "no device was let in: one had no token",
	     "mcpctl serve -v shows each step", "");
	a.hint = hint;
	says(&a, "no device was let in: one had no token", "ask it", "");
	a.connected = true;
	says(&a, "no device dialled in: one connected, and said no hello",
	     "the board's own log (USB)", "D102");
	a.who = who;
	a.hello = true;
	says(&a,
	     "no device dialled in: aa:bb said hello, and did not answer further",
	     "the board's own log (USB)", "");
	a.hint = empty;
	a.failed = failed;
	says(&a, "no device dialled in: it left",
	     "mcpctl devices shows its state", "");
	a.hint = hint;
	says(&a, "no device dialled in: it left", "ask it", "");
	/* Who was let in is not told that nobody was. */
	k.upgraded = 1;
	a.serves = true;
	a.waited = 2500;
	says(&a, "no device was ready within 2.5 s: it left", "ask it", "");
	/* Only strangers came, to one that serves. */
	a = (struct arrival){ .port = &k, .ota_url = URL, .serves = true };
	k = (struct port_facts){ .foreign = 1, .connections = 2 };
	says(&a,
	     "no device was ready within 0 ms: 2 connections came, but no request",
	     "is the OTA address of the board " URL, "");
}

/* No row hides another, and none says what no board's owner could do. */
static void test_rows(void **state)
{
	size_t count;
	const struct arrival_row *rows = arrival_rows(&count);

	(void)state;
	assert_int_equal(rows[count - 1].needs, 0);
	for (size_t i = 0; i < count; i++) {
		const char *hint = rows[i].hint;

		for (size_t k = 0; k < i; k++) {
			if (!(rows[k].needs & ~rows[i].needs))
				fail_msg("row %zu hides row %zu", k, i);
		}
		assert_true(
			text_starts(rows[i].text, "{none}{ within time}: ") ||
			text_starts(rows[i].text, "no device was let in"));
		assert_true(strlen(hint) > 0);
		assert_null(strchr(".,;: ", hint[strlen(hint) - 1]));
		assert_null(strchr(".,;: ?",
				   rows[i].text[strlen(rows[i].text) - 1]));
	}
}

/* All facts at once, then one less in each turn: each row is filled. */
static void test_rows_are_filled(void **state)
{
	struct port_facts k = { .connections = 1,
				.browser = 1,
				.tls = 1,
				.ota = 1,
				.wrong_path = 1,
				.wrong_token = 1 };
	struct arrival a = {
		.port = &k, .ota_url = URL, .serves = true, .waited = 3000
	};
	unsigned *const steps[] = { &k.wrong_token, &k.wrong_path,
				    &k.ota,	    &k.tls,
				    &k.browser,	    &k.connections };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i <= COUNT(steps); i++) {
		assert_int_equal(arrival_explain(&a, &err), -1);
		assert_null(strpbrk(err.text, "{}"));
		assert_null(strpbrk(err.hint, "{}"));
		assert_non_null(strstr(err.text, " within 3 s: "));
		if (i < COUNT(steps))
			*steps[i] = 0;
	}
	assert_string_equal(err.text, "no device was ready within 3 s: "
				      "nothing came at all");
	k.connections = 1;
	arrival_explain(&a, &err);
	assert_string_equal(err.text, "no device was ready within 3 s: "
				      "1 connection came, but no request");
	k.ota = 1;
	snprintf(k.ota_board, sizeof(k.ota_board), "%s", "{ota} b");
	a.serves = false;
	arrival_explain(&a, &err);
	assert_string_equal(
		err.text,
		"no device dialled in: the board '{ota} b' asked OTA, but never dialled");
}

static void test_tokens(void **state)
{
	struct words none = { 0 }, some = { 0 };

	(void)state;
	words_add(&some, "right");
	words_add(&some, "Basic x y");
	words_add(&some, "Bearer own");
	assert_true(listen_token_fits(&none, NULL));
	assert_true(listen_token_fits(&none, "anything"));
	assert_false(listen_token_fits(&some, NULL));
	assert_false(listen_token_fits(&some, ""));
	assert_false(listen_token_fits(&some, "Bearer "));
	assert_false(listen_token_fits(&some, "Bearer"));
	assert_false(listen_token_fits(&some, "righ"));
	assert_false(listen_token_fits(&some, "right "));
	assert_false(listen_token_fits(&some, "Bearer rightx"));
	assert_false(listen_token_fits(&some, "Right"));
	assert_true(listen_token_fits(&some, "right"));
	assert_true(listen_token_fits(&some, "Bearer right"));
	assert_true(listen_token_fits(&some, "bearer right"));
	/* A token that has a space is sent as it is (device.md 1.2). */
	assert_true(listen_token_fits(&some, "Basic x y"));
	assert_true(listen_token_fits(&some, "Bearer own"));
	assert_true(listen_token_fits(&some, "Bearer Bearer own"));
	assert_false(listen_token_fits(&some, "own"));
	words_done(&some);
}

static void advertised(const char *text, const char *ws, const char *ota)
{
	struct error err = { 0 };
	char *ws_url, *ota_url;

	if (ota_advertise(text, 8000, "/p/", &ws_url, &ota_url, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_string_equal(ws_url, ws);
	assert_string_equal(ota_url, ota);
	mem_free(ws_url);
	mem_free(ota_url);
}

static void test_advertise(void **state)
{
	static const char *const bad[] = {
		"",	 "a b",	    "h/x", "h:0",      "http://h/x",
		"ws://", "h:70000", "-h",  "ws://h:x/"
	};
	struct error err = { 0 };
	char *ws_url, *ota_url;

	(void)state;
	advertised("1.2.3.4", "ws://1.2.3.4:8000/p/",
		   "http://1.2.3.4:8000/xiaozhi/ota/");
	advertised("h:9", "ws://h:9/p/", "http://h:9/xiaozhi/ota/");
	advertised("[::1]", "ws://[::1]:8000/p/",
		   "http://[::1]:8000/xiaozhi/ota/");
	advertised("ws://h:9", "ws://h:9/p/", "http://h:9/xiaozhi/ota/");
	advertised("wss://h/ws", "wss://h/ws", "https://h/xiaozhi/ota/");
	advertised("wss://[::1]:7/", "wss://[::1]:7/",
		   "https://[::1]:7/xiaozhi/ota/");
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (!ota_advertise(bad[i], 8000, "/p/", &ws_url, &ota_url,
				   &err))
			fail_msg("'%s' was accepted", bad[i]);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_null(ws_url);
		assert_null(ota_url);
	}
}

static void test_page(void **state)
{
	struct buf page = { 0 };

	(void)state;
	listen_page(&page, "<b>&\"host'", "a<script>\x01\xff");
	assert_non_null(strstr(page.data, "&#60;b&#62;&#38;&#34;host&#39;"));
	assert_non_null(strstr(page.data, "a&#60;script&#62;\\x01\\xff."));
	assert_null(strstr(page.data, "<script"));
	assert_true(page.len < 8000);
	buf_reset(&page);
	listen_page(&page, "h:8000", NULL);
	assert_non_null(strstr(page.data, "http://h:8000/xiaozhi/ota/"));
	assert_non_null(strstr(page.data, "No device is connected"));
	buf_done(&page);
}

static void test_local_addresses(void **state)
{
	char found[8][64];
	size_t count = local_addresses(found, 8);

	(void)state;
	assert_true(count >= 1);
	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(found[i]) >= 7);
		assert_null(strchr(found[i], ':'));
		/* Loopback only where there is nothing else. */
		assert_true(count == 1 || strcmp(found[i], "127.0.0.1") != 0);
	}
	assert_int_equal(local_addresses(found, 0), 0);
}

static void test_port_owner(void **state)
{
	static const char line[] =
		"   0: 00000000:1F40 00000000:0000 0A 00000000:00000000 "
		"00:00000000 00000000  1000        0 4711 1 0000000000000000 "
		"100 0 0 10 0\n";
	static const char connected[] =
		"   0: 0100007F:1F40 0100007F:9999 01 00000000:00000000 "
		"00:00000000 00000000  1000        0 4712 1 0000 1\n";

	(void)state;
	assert_int_equal(port_owner_inode(line, 8000), 4711);
	assert_int_equal(port_owner_inode(line, 8001), 0);
	assert_int_equal(port_owner_inode(connected, 8000), 0);
	assert_int_equal(port_owner_inode("", 8000), 0);
	assert_int_equal(port_owner_inode("  sl  local_address", 8000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_in_order),
		cmocka_unit_test(test_port_of_this_machine),
		cmocka_unit_test(test_let_in),
		cmocka_unit_test(test_board_is_named),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_who_got_furthest),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_are_filled),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_advertise),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_local_addresses),
		cmocka_unit_test(test_port_owner),
	};

	return cmocka_run_group_tests_name("arrival", tests, NULL, NULL);
}
