/* SPDX-License-Identifier: MIT */
/*
 * TLS without its socket, against a broker with a certificate of its own: who
 * is believed, what is told of the peer, text both ways.
 */
#include <limits.h>
#include <poll.h>

#include "base/module.h"
#include "net/tls.h"
#include "real_broker.h"
#include "skip_for.h"

#define LONG_MS 60000
/* MQTT 3.1.1: CONNECT of "x", and what a broker says to it. */
#define CONNECT "\x10\x0d\0\4MQTT\4\2\0\x3c\0\1x"
#define CONNACK "\x20\2\0\0"

static const struct tls_table *tls;
static struct real_broker broker;
static struct tls_link *tried;
static int fd = -1;
static char *crt;

static int set_up(void **state)
{
	(void)state;
	tls = module_sized("tls", TLS_TABLE, sizeof(*tls), NULL);
	return tls ? 0 : -1;
}

static void drop(void)
{
	tls->free(tried);
	tried = NULL;
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static int tear_down(void **state)
{
	(void)state;
	drop();
	mem_free(crt);
	crt = NULL;
	broker_done(&broker);
	return 0;
}

static void begin(const char *options)
{
	CLEANUP(mem_free_ptr) char *key = NULL;
	CLEANUP(mem_free_ptr) char *more = NULL;
	const char *argv[] = {
		"openssl",  "req",
		"-x509",    "-newkey",
		"rsa:2048", "-nodes",
		"-days",    "2",
		"-subj",    "/CN=the lab",
		"-addext",  "subjectAltName=DNS:localhost,IP:127.0.0.1",
		"-keyout",  NULL,
		"-out",	    NULL,
		NULL
	};

	if (!broker_prepare(&broker))
		skip();
	argv[13] = key = broker_path(&broker, "key");
	argv[15] = crt = broker_path(&broker, "crt");
	if (run_program(argv) != 0)
		skip_for("no openssl to make a certificate");
	more = mem_printf("allow_anonymous true\ncertfile %s\ncafile %s\n"
			  "keyfile %s\n%s",
			  crt, crt, key, options);
	broker_configure(&broker, more);
	broker_run(&broker);
}

static void pump_out(void)
{
	char piece[512];
	size_t len;

	while ((len = tls->pending(tried, piece, sizeof(piece))))
		assert_int_equal(send(fd, piece, len, MSG_NOSIGNAL),
				 (ssize_t)len);
}

/* False: the peer ended it. */
static bool pump_in(void)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char piece[512];
	ssize_t len;

	assert_int_equal(poll(&wait, 1, LONG_MS), 1);
	len = recv(fd, piece, sizeof(piece), 0);
	if (len <= 0)
		return false;
	tls->feed(tried, piece, (size_t)len);
	return true;
}

static int shake(const char *host, const struct tls_trust *trust,
		 struct error *err)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(broker.port) };
	int status;

	drop();
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	tried = tls->open(host, trust, err);
	if (!tried)
		fail_msg("%s", err->text);
	while ((status = tls->shake(tried, err)) == 0) {
		pump_out();
		if (!pump_in())
			fail_msg("the broker ended the handshake");
	}
	pump_out();
	return status;
}

/* What comes, in pieces of two bytes. */
static void reads(const char *text, size_t len)
{
	char got[64];
	size_t at = 0;

	while (at < len) {
		struct error err = { 0 };
		ptrdiff_t n = tls->read(tried, got + at, 2, &err);

		assert_in_range(n, 0, 2);
		assert_int_equal(err.kind, ERR_NONE);
		at += (size_t)n;
		if (n == 0)
			assert_true(pump_in());
	}
	assert_memory_equal(got, text, len);
}

static void talks_to_whom_it_believes(void **state)
{
	static const char *const hosts[] = { "127.0.0.1", "localhost" };
	struct tls_trust trust = { 0 };
	struct tls_facts facts;
	struct error err = { 0 };

	(void)state;
	begin("");
	trust.cacert = crt;
	for (size_t i = 0; i < COUNT(hosts); i++) {
		assert_int_equal(shake(hosts[i], &trust, &err), 1);
		tls->facts(tried, &facts);
		assert_string_equal(facts.version, "TLSv1.3");
		assert_string_equal(facts.issuer, "the lab");
		assert_in_range(facts.days, 1, 2);
		assert_string_equal(facts.doubt, "");
		tls->write(tried, CONNECT, sizeof(CONNECT) - 1);
		pump_out();
		reads(CONNACK, sizeof(CONNACK) - 1);
	}
}

static void is_not_believed(const char *host, const char *cacert,
			    const char *words)
{
	const struct tls_trust trust = { .cacert = cacert };
	struct error err = { 0 };

	assert_int_equal(shake(host, &trust, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	if (!strstr(err.text, words) || !strstr(err.text, host))
		fail_msg("'%s' instead of '%s'", err.text, words);
	error_reset(&err);
}

static void says_why_it_does_not_believe(void **state)
{
	struct tls_trust trust = { .cacert = "/nowhere" };
	struct error err = { 0 };

	(void)state;
	begin("");
	is_not_believed("127.0.0.1", NULL, "self-signed certificate");
	is_not_believed("127.0.0.2", crt, "IP address mismatch");
	is_not_believed("elsewhere.test", crt, "ostname mismatch");
	assert_null(tls->open("127.0.0.1", &trust, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "/nowhere"));
	error_reset(&err);
}

/* Not checked, but what would be said of it is known. */
static void believes_all_if_it_is_told_to(void **state)
{
	const struct tls_trust trust = { .insecure = true };
	struct tls_facts facts;
	struct error err = { 0 };

	(void)state;
	begin("");
	assert_int_equal(shake("elsewhere.test", &trust, &err), 1);
	tls->facts(tried, &facts);
	assert_non_null(strstr(facts.doubt, "self-signed certificate"));
	assert_string_equal(facts.issuer, "the lab");
	tls->write(tried, CONNECT, sizeof(CONNECT) - 1);
	pump_out();
	reads(CONNACK, sizeof(CONNACK) - 1);
}

/* TLS 1.3 tells so when the handshake was done. */
static void is_told_that_a_certificate_is_wanted(void **state)
{
	struct tls_trust trust = { 0 };
	struct error err = { 0 };
	ptrdiff_t got;
	char byte;

	(void)state;
	begin("require_certificate true\n");
	trust.cacert = crt;
	assert_int_equal(shake("127.0.0.1", &trust, &err), 1);
	while ((got = tls->read(tried, &byte, 1, &err)) == 0)
		assert_true(pump_in());
	assert_int_equal(got, -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "certificate required"));
	error_reset(&err);
}

static void hears_what_is_no_tls(void **state)
{
	const struct tls_trust trust = { .insecure = true };
	static const char text[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
	struct error err = { 0 };
	char piece[4096];

	(void)state;
	tried = tls->open("127.0.0.1", &trust, &err);
	assert_non_null(tried);
	assert_int_equal(tls->shake(tried, &err), 0);
	/* It says hello first; that is told once. */
	assert_true(tls->pending(tried, piece, sizeof(piece)) > 100);
	assert_int_equal(piece[0], 22);
	assert_int_equal(tls->pending(tried, piece, sizeof(piece)), 0);
	tls->feed(tried, text, sizeof(text) - 1);
	assert_int_equal(tls->shake(tried, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "127.0.0.1"));
	error_reset(&err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(talks_to_whom_it_believes),
		TEST(says_why_it_does_not_believe),
		TEST(believes_all_if_it_is_told_to),
		TEST(is_told_that_a_certificate_is_wanted),
		TEST(hears_what_is_no_tls),
	};

	mem_init();
	return cmocka_run_group_tests_name("tls", tests, NULL, NULL);
}
