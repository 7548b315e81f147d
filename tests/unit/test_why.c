/* SPDX-License-Identifier: MIT */
/*
 * The table of reasons: each row says something, can be reached, and is
 * filled with the facts alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <unistd.h>
#include <uv.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/codebook.h"
#include "net/tls_chain.h"
#include "net/why.h"

/* Facts that this row is made for. */
static struct why_facts facts_of(const struct why_row *r)
{
	static char said[64];

	snprintf(said, sizeof(said), "%s", r->said ? r->said : "odd words");
	said[strcspn(said, "|")] = '\0';
	return (struct why_facts){ .what = r->what,
				   .with = r->with,
				   .number = r->from,
				   .host = "far.example",
				   .port = 4711,
				   .waited = 10000,
				   .path = "/here",
				   .to = "ws://there/",
				   .said = said,
				   .challenge = "Basic" };
}

/* As base/error.h and doc/hacking.md want them. */
static void well_formed(const char *text, bool hint)
{
	size_t len = strlen(text);

	if (len < 8 || len > 400)
		fail_msg("'%s' has %zu bytes", text, len);
	if (strchr(".,;: ", text[len - 1]))
		fail_msg("'%s' ends in '%c'", text, text[len - 1]);
	/* Names may have capitals: "TLS with …", "TLS 1.0". */
	if (isupper((unsigned char)text[0]) && !text_starts(text, "TLS"))
		fail_msg("'%s' begins with a capital", text);
	if (strstr(text, "  ") || strpbrk(text, "\n\t"))
		fail_msg("'%s' has odd blanks", text);
	if (!hint && strchr(text, '?'))
		fail_msg("'%s' asks", text);
}

static void test_rows_are_whole(void **state)
{
	size_t count;
	const struct why_row *rows = why_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct why_row *r = &rows[i];

		assert_true(r->what >= WHY_OTHER);
		assert_true(r->kind != ERR_NONE);
		assert_true(r->from <= r->to);
		assert_non_null(r->text);
		well_formed(r->text, false);
		if (r->hint)
			well_formed(r->hint, true);
	}
}

/* The peer said it all, or nothing can be done: no row joins them unnoticed. */
static void test_rows_without_hint(void **state)
{
	static const enum why known[] = {
		WHY_STATUS,    WHY_REDIRECT_AGAIN,   WHY_REDIRECT_ODD,
		WHY_NO_ANSWER, WHY_REDIRECT_NOWHERE, WHY_NO_MESSAGE,
		WHY_NO_PONG,   WHY_NO_MQTT,	     WHY_STREAM_OFTEN,
		WHY_OTHER,
	};
	size_t count;
	const struct why_row *rows = why_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool found = rows[i].hint;

		for (size_t k = 0; k < COUNT(known) && !found; k++)
			found = known[k] == rows[i].what;
		if (!found)
			fail_msg("no hint: '%s'", rows[i].text);
	}
}

/* Its own facts lead to each row: none hides another, none stands twice. */
static void test_rows_are_reached(void **state)
{
	size_t count;
	const struct why_row *rows = why_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct why_facts f = facts_of(&rows[i]);

		if (why_find(&f) != &rows[i])
			fail_msg("'%s' hides '%s'", why_find(&f)->text,
				 rows[i].text);
	}
}

/* A peer chooses numbers and words: for whatever failed there is a row. */
static void test_each_reason_is_caught(void **state)
{
	static const unsigned with[] = { 0,	    WITH_WS,	WITH_HTTP,
					 WITH_MQTT, WITH_PLAIN, WITH_USER,
					 WITH_OLD,  WITH_BOARD, ~0u };
	static const int numbers[] = { 0, 1, 6, 99, 101, 299, 418, 599, 999 };

	(void)state;
	for (int what = WHY_OTHER; what <= WHY_WAITS_DEVICE; what++) {
		for (size_t i = 0; i < COUNT(with) * COUNT(numbers); i++) {
			const struct why_facts f = {
				.what = (enum why)what,
				.with = with[i % COUNT(with)],
				.number = numbers[i / COUNT(with)],
				.said = "odd",
			};

			if (why_find(&f)->what != f.what)
				fail_msg("no row for %d, with %x, number %d",
					 what, f.with, f.number);
		}
	}
}

static void no_braces(const char *text)
{
	if (strpbrk(text, "{}"))
		fail_msg("not filled: '%s'", text);
}

static void test_rows_are_filled(void **state)
{
	size_t count;
	const struct why_row *rows = why_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct why_facts f = facts_of(&rows[i]);
		CLEANUP(error_reset) struct error err = { 0 };

		assert_int_equal(why_set(&err, &f), -1);
		assert_int_equal(err.kind, rows[i].kind);
		assert_int_equal(err.reason, rows[i].what);
		assert_int_equal(err.code, f.number);
		assert_int_equal(err.has_code, f.number != 0);
		no_braces(err.text);
		no_braces(err.hint);
		assert_true(!rows[i].hint == !err.hint[0]);
		if (strstr(rows[i].text, "{host}"))
			assert_non_null(strstr(err.text, "'far.example'"));
		if (strstr(rows[i].text, "{port}"))
			assert_non_null(strstr(err.text, "4711"));
		if (strstr(rows[i].text, "wait}"))
			assert_non_null(strstr(err.text, "within 10 s"));
	}
}

/* As mcpctl explain tells them, and as the error has them. */
static void test_findings(void **state)
{
	size_t count, told = 0;
	const struct why_row *rows = why_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct why_facts f = facts_of(&rows[i]);
		CLEANUP(error_reset) struct error err = { 0 };

		why_set(&err, &f);
		assert_string_equal(err.finding,
				    rows[i].finding ? rows[i].finding : "");
		if (rows[i].finding && finding_by_name(rows[i].finding) < 0)
			fail_msg("no story of %s", rows[i].finding);
		told += rows[i].finding != NULL;
	}
	assert_true(told > 30);
}

static void finds(struct why_facts f, const char *finding)
{
	CLEANUP(error_reset) struct error err = { 0 };

	f.host = "h";
	why_set(&err, &f);
	if (strcmp(err.finding, finding) != 0)
		fail_msg("'%s' instead of '%s' for: %s", err.finding, finding,
			 err.text);
}

static void tls_finds(const char *said, const char *finding)
{
	finds((struct why_facts){ .what = WHY_TLS, .said = said }, finding);
	finds((struct why_facts){ .what = WHY_TLS,
				  .with = WITH_MQTT,
				  .said = said },
	      finding);
}

static void connecting_finds(int number, const char *finding)
{
	finds((struct why_facts){ .what = WHY_NO_CONNECTION, .number = number },
	      finding);
}

static void status_finds(unsigned with, int number, const char *finding)
{
	finds((struct why_facts){ .what = WHY_STATUS,
				  .with = with,
				  .number = number },
	      finding);
}

/* Only where it is sure. */
static void test_what_is_found(void **state)
{
	(void)state;
	finds((struct why_facts){ .what = WHY_NO_HOST }, "N101");
	finds((struct why_facts){ .what = WHY_PROXY, .number = 407 }, "N114");
	finds((struct why_facts){ .what = WHY_PROXY, .said = "HTTP 403" },
	      "N114");
	finds((struct why_facts){ .what = WHY_REDIRECT,
				  .with = WITH_WS,
				  .number = 301 },
	      "N115");
	finds((struct why_facts){ .what = WHY_REDIRECT, .number = 301 },
	      "P715");
	finds((struct why_facts){ .what = WHY_NO_ANSWER, .number = 202 },
	      "P714");
	finds((struct why_facts){ .what = WHY_SUBSCRIBE,
				  .with = WITH_MQTT,
				  .path = "t" },
	      "M413");
	tls_finds("tlsv13 alert certificate required", "N207");
	tls_finds("unable to get local issuer certificate: " TLS_CHAIN_CUT,
		  "N205");
	connecting_finds(ECONNREFUSED, "N102");
	connecting_finds(ETIMEDOUT, "N103");
	connecting_finds(EHOSTUNREACH, "N104");
	connecting_finds(ENETUNREACH, "N104");
	connecting_finds(EMFILE, "");
	connecting_finds(0, "");
	status_finds(WITH_WS, 426, "N110");
	status_finds(WITH_WS, 404, "N116");
	finds((struct why_facts){ .what = WHY_CUT }, "N117");
	status_finds(WITH_WS, 500, "N116");
	status_finds(WITH_HTTP, 401, "P707");
	status_finds(WITH_HTTP, 403, ""); /* or the address was refused */
	status_finds(WITH_HTTP, 500, "P713");
	finds((struct why_facts){ .what = WHY_STATUS,
				  .with = WITH_HTTP | WITH_PLAIN,
				  .number = 400,
				  .said = "sent to an HTTPS port" },
	      "N121");
	tls_finds("wrong version number", "N121");
	tls_finds("", "N113");
	tls_finds("tlsv1 alert protocol version", "N206");
	tls_finds("certificate has expired", "N201");
	tls_finds("certificate is not yet valid", "N202");
	tls_finds("hostname mismatch", "N203");
	tls_finds("self-signed certificate in certificate chain", "N204");
	tls_finds("unable to get local issuer certificate", "N204");
	tls_finds("handshake failure", "");
	tls_finds("CA md too weak", "");
	finds((struct why_facts){ .what = WHY_SILENT }, "N111");
	finds((struct why_facts){ .what = WHY_FOREIGN }, "N112");
	finds((struct why_facts){ .what = WHY_CLOSED, .with = WITH_WS },
	      "N113");
	finds((struct why_facts){ .what = WHY_CLOSED, .with = WITH_HTTP },
	      "N117");
	finds((struct why_facts){ .what = WHY_WENT, .with = WITH_MQTT },
	      "M414");
	/* No broker is there. */
	finds((struct why_facts){ .what = WHY_WENT, .with = WITH_HTTP },
	      "N117");
	finds((struct why_facts){ .what = WHY_WENT, .with = WITH_WS }, "N113");
	finds((struct why_facts){ .what = WHY_WENT }, "N113");
	finds((struct why_facts){ .what = WHY_SESSION_FORGOTTEN }, "P704");
	finds((struct why_facts){ .what = WHY_PAGE }, "P708");
	finds((struct why_facts){ .what = WHY_TYPE }, "P728");
	finds((struct why_facts){ .what = WHY_ENDPOINT_MISSING }, "P703");
	finds((struct why_facts){ .what = WHY_WAITS_ENDPOINT }, "");
}

/* A name between braces that is none would be told as a number. */
static void known_names(const char *text)
{
	static const char *const names[] = {
		"host",	 "port",   "path",   "to",   "said",  "challenge",
		"errno", "number", "wait",   "it",   "whose", "server",
		"wish",	 "open",   "secure", "usual"
	};

	while ((text = strchr(text, '{')) != NULL) {
		const char *end = strchr(text, '}'), *name;
		bool known = false;

		assert_non_null(end);
		end -= end[-1] == '\'';
		name = end;
		while (!strchr("{ '", name[-1]))
			name--;
		for (size_t i = 0; i < COUNT(names); i++)
			known |= strlen(names[i]) == (size_t)(end - name) &&
				 text_starts(name, names[i]);
		if (!known)
			fail_msg("who is '%s'?", name);
		text = end;
	}
}

static void test_names_are_known(void **state)
{
	size_t count;
	const struct why_row *rows = why_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		known_names(rows[i].text);
		known_names(rows[i].hint ? rows[i].hint : "");
	}
}

static void says(const struct why_facts *f, const char *text, const char *hint)
{
	CLEANUP(error_reset) struct error err = { 0 };

	why_set(&err, f);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
}

static void test_words(void **state)
{
	struct why_facts f = { .what = WHY_NO_CONNECTION,
			       .with = WITH_WS,
			       .host = "h",
			       .port = 80,
			       .number = ETIMEDOUT };

	(void)state;
	says(&f, "cannot connect to 'h' port 80: no answer",
	     "is the address right, and in this network? a firewall can drop it too");
	f.waited = 2500;
	says(&f, "cannot connect to 'h' port 80: no answer within 2.5 s",
	     "is the address right, and in this network? a firewall can drop it too");
	f.number = ECONNREFUSED;
	f.with = WITH_MQTT;
	says(&f, "cannot connect to the broker 'h' port 80: connection refused",
	     "is a broker running there, and on this port? 'mcpctl serve --mqtt' starts one");
	/* That one is for boards alone. */
	f.with = WITH_MQTT | WITH_FIVE;
	says(&f, "cannot connect to the broker 'h' port 80: connection refused",
	     "is a broker running there, and on this port?");
	f.with = WITH_MQTT;
	f.number = 0;
	says(&f, "cannot connect to the broker 'h' port 80: it failed",
	     "check the address");
	f.what = WHY_CLOSED;
	says(&f, "'h' port 80 closed the connection during the MQTT handshake",
	     "is it an MQTT broker? a gateway for boards closes so when client "
	     "id, user or password (a signature) do not fit");
	f.with = WITH_WS | WITH_PLAIN;
	says(&f, "'h' port 80 closed the connection during the handshake",
	     "is it a WebSocket server? does it want wss://?");
	f.with = WITH_HTTP | WITH_PLAIN;
	says(&f, "'h' port 80 closed the connection without an answer",
	     "is it an HTTP server? does it want https://?");
	f.with = WITH_HTTP;
	says(&f, "'h' port 80 closed the connection without an answer",
	     "is it an HTTPS server?");
}

static void hints(struct why_facts f, const char *has, const char *has_not)
{
	CLEANUP(error_reset) struct error err = { 0 };

	why_set(&err, &f);
	if (!strstr(err.hint, has))
		fail_msg("'%s' does not hint '%s'", err.hint, has);
	if (strstr(err.hint, has_not))
		fail_msg("'%s' hints '%s'", err.hint, has_not);
}

/* An advice that cannot be right where it is given is worse than none. */
static void test_hints_fit(void **state)
{
	struct why_facts f = { .what = WHY_STATUS, .with = WITH_HTTP };

	(void)state;
	for (f.number = 401; f.number <= 403; f.number += 2) {
		f.with = WITH_HTTP;
		hints(f, "give credentials", "were sent");
		f.with = WITH_WS | WITH_TOKEN;
		hints(f, "credentials were sent: check them", "give");
	}
	f = (struct why_facts){ .what = WHY_TLS,
				.said = "dh key too small",
				.host = "h",
				.port = 443 };
	hints(f, "s_client -connect h:443", "--insecure");
	f.said = "self-signed certificate in certificate chain";
	hints(f, "--insecure", "s_client");
	f.said = "unable to get local issuer certificate";
	hints(f, "--cacert", "s_client");
	/* That of mqtt:// is made at random. */
	f = (struct why_facts){ .what = WHY_WENT, .with = WITH_MQTT };
	hints(f, "was it stopped", "client id");
	f.what = WHY_WENT_AFTER;
	hints(f, "was it stopped", "client id");
	f.with |= WITH_ID;
	hints(f, "another client with our client id", "--");
}

/* What the peer said: in the words or not, never as a pattern, and cut. */
static void test_hostile_words(void **state)
{
	char many[4096];
	struct why_facts f = { .what = WHY_STATUS,
			       .with = WITH_HTTP,
			       .number = 401,
			       .host = "h",
			       .said = "{host} %s %n",
			       .challenge = "x" };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	why_set(&err, &f);
	assert_string_equal(
		err.text,
		"'h' refused: HTTP 401 (not authorized): {host} %s %n; it asks for 'x'");
	memset(many, 'a', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	f.said = many;
	why_set(&err, &f);
	assert_true(strlen(err.text) < 300);
	assert_non_null(strstr(err.text, "; it asks for 'x'"));
	f = (struct why_facts){ .what = WHY_STATUS, .number = 401 };
	why_set(&err, &f);
	assert_string_equal(err.text, "'' refused: HTTP 401 (not authorized)");
}

static void test_lookup(void **state)
{
	const char *said = "?";

	(void)state;
	assert_int_equal(why_lookup(UV_ETIMEDOUT, &said), WHY_NO_NAMESERVER);
	assert_null(said);
	assert_int_equal(why_lookup(0, &said), WHY_NO_HOST);
	assert_string_equal(said, "it has no address");
	assert_int_equal(why_lookup(UV_EAI_NONAME, &said), WHY_NO_HOST);
	assert_string_equal(said, uv_strerror(UV_EAI_NONAME));
}

static void cacert(const char *text, const char *why)
{
	char path[] = "/tmp/mcpctl-why-XXXXXX", wanted[128];
	int fd = mkstemp(path);
	struct error err = { 0 };

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(why_check_cacert(path, &err), why ? -1 : 0);
	unlink(path);
	snprintf(wanted, sizeof(wanted), "'%s' %s", path, why ? why : "");
	assert_string_equal(err.text, why ? wanted : "");
	assert_int_equal(err.kind, why ? ERR_USAGE : ERR_NONE);
	if (why)
		assert_string_equal(
			err.hint,
			"--cacert names a file of certificates in PEM form");
}

static void test_cacert(void **state)
{
	struct error err = { 0 };

	(void)state;
	cacert("x\n-----BEGIN CERTIFICATE-----\n", NULL);
	cacert("-----BEGIN TRUSTED CERTIFICATE-----", NULL);
	cacert("", "has no certificate");
	cacert("-----BEGIN PRIVATE KEY-----\n", "has no certificate");
	cacert("-----END CERTIFICATE-----\n", "has no certificate");
	assert_int_equal(why_check_cacert("/nowhere/at/all", &err), -1);
	assert_string_equal(
		err.text,
		"cannot read '/nowhere/at/all': No such file or directory");
	assert_int_equal(err.kind, ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_rows_without_hint),
		cmocka_unit_test(test_rows_are_reached),
		cmocka_unit_test(test_each_reason_is_caught),
		cmocka_unit_test(test_rows_are_filled),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_what_is_found),
		cmocka_unit_test(test_names_are_known),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_hints_fit),
		cmocka_unit_test(test_hostile_words),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_cacert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
