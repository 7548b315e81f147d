/* SPDX-License-Identifier: MIT */
/* Whether a board reaches an address that it is told: each network's borders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diag/reach.h"

#define HOME "192.168.1.40"
#define ITSELF "to the board that is the board itself"
#define EVERY "that means every address, and is none"
#define LINK_LOCAL "link-local, which a board never has"
#define NO_HOST "that is no address of one host"
#define CONTAINERS "containers alone know that name"

static void judged(const char *board, const char *asked, const char *host,
		   enum reach reach, const char *why)
{
	const struct reach_from from = { .board = board, .asked = asked };
	char words[REACH_WHY] = "before";

	if (reach_judge(&from, host, strlen(host), words) != reach)
		fail_msg("%s, board %s, asked %s", host, board ? board : "-",
			 asked ? asked : "-");
	assert_string_equal(words, why);
}

static void test_never(void **state)
{
	static const struct {
		const char *host, *why; /* "": it is open */
	} rows[] = {
		{ "0.0.0.0", EVERY },
		{ "0.255.255.255", EVERY },
		{ "1.0.0.0", "" },
		{ "126.255.255.255", "" },
		{ "127.0.0.0", ITSELF },
		{ "127.255.255.255", ITSELF },
		{ "128.0.0.0", "" },
		{ "169.253.255.255", "" },
		{ "169.254.0.0", LINK_LOCAL },
		{ "169.254.255.255", LINK_LOCAL },
		{ "169.255.0.0", "" },
		{ "223.255.255.255", "" },
		{ "224.0.0.0", NO_HOST },
		{ "255.255.255.255", NO_HOST },
		{ "localhost", ITSELF },
		{ "host.docker.internal", CONTAINERS },
		{ "gateway.docker.internal", CONTAINERS },
		{ "docker.internal", "" },
		{ "127.0.0", "" },
		{ "127.0.0.1.x", "" },
		{ "127.000000.0.0.1", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		judged(NULL, NULL, rows[i].host,
		       *rows[i].why ? REACH_NEVER : REACH_OPEN, rows[i].why);
}

/* Docker's networks, from one of a home: where the board is seen, or asked. */
static void test_unlikely(void **state)
{
	static const struct {
		const char *board, *host;
		bool is;
	} rows[] = {
		{ HOME, "172.15.255.255", false },
		{ HOME, "172.16.0.0", true },
		{ HOME, "172.31.255.255", true },
		{ HOME, "172.32.0.0", false },
		{ "192.167.255.255", "172.17.0.2", false },
		{ "192.168.0.0", "172.17.0.2", true },
		{ "192.168.255.255", "172.17.0.2", true },
		{ "192.169.0.0", "172.17.0.2", false },
		{ "9.255.255.255", "172.17.0.2", false },
		{ "10.0.0.0", "172.17.0.2", true },
		{ "10.255.255.255", "172.17.0.2", true },
		{ "11.0.0.0", "172.17.0.2", false },
		{ "172.18.0.3", "172.17.0.2", false },
		{ "192.168.100.100:65535", "172.17.0.2", true },
		{ HOME, "name.of.no.number", false },
		{ HOME, "192.168.1.2", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char why[REACH_WHY] = "";

		if (rows[i].is)
			snprintf(
				why, sizeof(why),
				"a network as of containers; the board is at %.20s",
				rows[i].board);
		judged(rows[i].board, NULL, rows[i].host,
		       rows[i].is ? REACH_UNLIKELY : REACH_OPEN, why);
	}
}

/* Of who is not seen, where it asked tells. */
static void test_asked(void **state)
{
	static const char *const urls[] = { "http://" HOME "/ota/",
					    "https://" HOME ":8443/",
					    "mqtt://" HOME,
					    "mqtt://u:p@" HOME ":1883/x",
					    "mqtts://" HOME "?x=1",
					    "mqtts://u@" HOME "/a@b",
					    "ws://" HOME ":8000/x/v1/" };

	(void)state;
	for (size_t i = 0; i < COUNT(urls); i++) {
		judged(NULL, urls[i], "172.17.0.2", REACH_UNLIKELY,
		       "a network as of containers; OTA is at " HOME);
		judged("board.lan", urls[i], "172.17.0.2", REACH_UNLIKELY,
		       "a network as of containers; OTA is at " HOME);
		judged("8.8.8.8", urls[i], "172.17.0.2", REACH_OPEN, "");
		/* Where it asked it got an answer. */
		judged(HOME, urls[i], HOME, REACH_OPEN, "");
	}
	judged(HOME, "http://172.17.0.2/", "172.17.0.2", REACH_OPEN, "");
	judged(HOME, "mqtt://u@host.docker.internal:1", "host.docker.internal",
	       REACH_OPEN, "");
	judged(NULL, "http://ota.lan/", "172.17.0.2", REACH_OPEN, "");
	judged(NULL, "nonsense", "127.0.0.1", REACH_NEVER, ITSELF);
}

/* A pretend board reaches what this machine does. */
static void test_here(void **state)
{
	static const char *const here[] = { "::1", "[::1]:5000", "127.0.0.1",
					    "127.255.255.255:9",
					    "169.254.0.1" };
	static const char *const elsewhere[] = { "::2", "126.0.0.1",
						 "169.255.0.1", "0.0.0.0" };
	static const char *const urls[] = { "http://localhost/",
					    "http://127.9.9.9:1/",
					    "mqtt://0.0.0.0" };

	(void)state;
	for (size_t i = 0; i < COUNT(here); i++)
		judged(here[i], NULL, "127.0.0.1", REACH_OPEN, "");
	for (size_t i = 0; i < COUNT(elsewhere); i++)
		judged(elsewhere[i], NULL, "127.0.0.1", REACH_NEVER, ITSELF);
	for (size_t i = 0; i < COUNT(urls); i++)
		judged(HOME, urls[i], "localhost", REACH_OPEN, "");
	judged(HOME, "http://0.0.0.1/", "localhost", REACH_NEVER, ITSELF);
}

/* Of a host that is longer than any name nothing is said. */
static void test_long(void **state)
{
	char url[200] = "http://", host[140] = "";

	(void)state;
	memset(host, 'a', 127);
	strcat(url, host);
	judged(HOME, url, host, REACH_OPEN, "");
	judged(HOME, url, "127.0.0.1", REACH_NEVER, ITSELF);
	host[127] = 'a';
	judged(HOME, url, host, REACH_OPEN, "");
	/* The bytes behind its length are another's. */
	assert_int_equal(
		reach_judge(&(struct reach_from){ 0 }, "127.0.0.1:80", 9, host),
		REACH_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never), cmocka_unit_test(test_unlikely),
		cmocka_unit_test(test_asked), cmocka_unit_test(test_here),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("reach", tests, NULL, NULL);
}
