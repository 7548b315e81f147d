/* SPDX-License-Identifier: MIT */
/*
 * One TCP connection on loopback: all that it tells, how it ends and by whom,
 * what waits, and TLS on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/address.h"
#include "net/tcp.h"
#include "net/why.h"
#include "real_broker.h"
#include "skip_for.h"

#define LONG_MS 60000
/* MQTT 3.1.1: CONNECT of "x", and what a broker says to it. */
#define CONNECT "\x10\x0d\0\4MQTT\4\2\0\x3c\0\1x"
#define CONNACK "\x20\2\0\0"

static struct loop *loop;
static struct tcp tcp;
static struct buf told;
static int listener = -1, peer = -1;
static uint16_t port;
static bool is_up, has_ended, is_closed, is_drained, has_data, is_late, is_open;
static struct real_broker broker;
static char *crt;

static void on_connected(struct tcp *t)
{
	(void)t;
	is_up = true;
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	(void)t;
	buf_add(&told, data, len);
	has_data = true;
}

static void on_ended(struct tcp *t, const struct error *why)
{
	(void)t;
	has_ended = true;
	if (why)
		buf_printf(&told, "ended %d|%s|%s|%d|%d", (int)why->kind,
			   why->text, why->hint, why->code, why->reason);
	else
		buf_text(&told, "ended");
}

static void on_deadline(struct tcp *t)
{
	(void)t;
	is_late = true;
}

static void on_drained(struct tcp *t)
{
	is_drained = tcp_waiting(t) == 0;
}

static void on_closed(struct tcp *t)
{
	(void)t;
	is_closed = true;
	is_open = false;
}

static const struct tcp_events events = { on_connected, on_data,    on_ended,
					  on_deadline,	on_drained, on_closed };

static void wait_for(const bool *flag, const char *what)
{
	if (loop_wait(loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("no %s; told '%s'", what, buf_string(&told));
}

static int set_up(void **state)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	socklen_t len = sizeof(here);

	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	is_up = has_ended = is_closed = is_drained = has_data = is_late =
		is_open = false;
	listener =
		socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&here, len), 0);
	getsockname(listener, (struct sockaddr *)&here, &len);
	port = ntohs(here.sin_port);
	return 0;
}

static void end(void)
{
	if (is_open) {
		tcp_close(&tcp);
		tcp_close(&tcp);
		wait_for(&is_closed, "end");
	}
	assert_int_equal(tcp_waiting(&tcp), 0);
}

static int tear_down(void **state)
{
	(void)state;
	end();
	loop_free(loop);
	close(listener);
	if (peer >= 0)
		close(peer);
	peer = -1;
	buf_done(&told);
	broker_done(&broker);
	mem_free(crt);
	crt = NULL;
	return 0;
}

static void dial(const struct tls_trust *trust, uint16_t to)
{
	const struct tcp_order order = { .loop = loop,
					 .host = "127.0.0.1",
					 .port = to,
					 .trust = trust,
					 .events = &events };

	end();
	is_up = has_ended = is_closed = has_data = false;
	buf_reset(&told);
	is_open = true;
	tcp_open(&tcp, &order);
}

static void take_peer(void)
{
	const int64_t until = loop_now() + LONG_MS;

	while ((peer = accept(listener, NULL, NULL)) < 0) {
		assert_true(loop_now() < until);
		loop_poll(loop);
	}
}

static void connect_both(void)
{
	assert_int_equal(listen(listener, 5), 0);
	dial(NULL, port);
	wait_for(&is_up, "connection");
	take_peer();
}

static void tells(const char *text)
{
	assert_int_equal(send(peer, text, strlen(text), MSG_NOSIGNAL),
			 strlen(text));
}

static void hears(const char *text)
{
	char got[64] = { 0 };

	assert_int_equal(recv(peer, got, strlen(text), MSG_WAITALL),
			 strlen(text));
	assert_string_equal(got, text);
}

static void hears_end(int number)
{
	char got;

	errno = 0;
	assert_int_equal(recv(peer, &got, 1, 0), number ? -1 : 0);
	assert_int_equal(errno, number);
}

static void says_data(const char *text)
{
	while (told.len < strlen(text)) {
		has_data = false;
		wait_for(&has_data, "data");
	}
	assert_string_equal(buf_string(&told), text);
	buf_reset(&told);
}

static void ends_as(enum error_kind kind, const char *text, const char *hint,
		    int code, enum why reason)
{
	CLEANUP(mem_free_ptr)
	char *wanted = mem_printf("ended %d|%s|%s|%d|%d", (int)kind, text, hint,
				  code, (int)reason);

	wait_for(&has_ended, "end");
	assert_string_equal(buf_string(&told), wanted);
	buf_reset(&told);
}

/* All that came is told by now. */
static void turn(void)
{
	for (int i = 0; i < 5; i++)
		loop_poll(loop);
}

/* ---- both ways ---- */

static void test_talk(void **state)
{
	char own[ADDRESS_TEXT_MAX], theirs[ADDRESS_TEXT_MAX], wanted[64];
	struct tls_facts facts;

	(void)state;
	assert_int_equal(listen(listener, 5), 0);
	dial(NULL, port);
	assert_false(tcp_ends(&tcp, own, theirs));
	assert_int_equal(tcp_waiting(&tcp), 0);
	wait_for(&is_up, "connection");
	take_peer();
	assert_true(tcp_ends(&tcp, own, theirs));
	snprintf(wanted, sizeof(wanted), "127.0.0.1:%u", (unsigned)port);
	assert_string_equal(own, "127.0.0.1");
	assert_string_equal(theirs, wanted);
	assert_false(tcp_tls_facts(&tcp, &facts));
	tcp_write(&tcp, "one", 3);
	tcp_write(&tcp, "two", 3);
	hears("onetwo");
	tells("three");
	says_data("three");
	tells("last");
	close(peer);
	peer = -1;
	wait_for(&has_ended, "end");
	assert_string_equal(buf_string(&told), "lastended");
}

static void test_refused(void **state)
{
	(void)state;
	dial(NULL, port);
	ends_as(ERR_CONNECT, "connection refused", "", ECONNREFUSED,
		WHY_NO_CONNECTION);
	assert_false(is_up);
}

static void test_reset_by_peer(void **state)
{
	const struct linger now = { .l_onoff = 1 };

	(void)state;
	connect_both();
	setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(peer);
	peer = -1;
	ends_as(ERR_CONNECT, "connection reset by peer", "", ECONNRESET,
		WHY_WENT);
}

static void test_adopted(void **state)
{
	const struct tcp_order order = { .loop = loop, .events = &events };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(listen(listener, 5), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	take_peer();
	is_open = true;
	tcp_adopt(&tcp, &order, fd);
	tells("one");
	says_data("one");
	tcp_write(&tcp, "two", 3);
	hears("two");
	end();
	hears_end(0);
	is_closed = false;
	is_open = true;
	tcp_adopt(&tcp, &order, -1);
	assert_false(has_ended);
	ends_as(ERR_CONNECT, "bad file descriptor", "", 0, WHY_OTHER);
}

static void test_deadline(void **state)
{
	(void)state;
	connect_both();
	tcp_deadline(&tcp, LONG_MS);
	assert_int_equal(uv_timer_get_due_in(&tcp.timer.uv) > LONG_MS / 2,
			 true);
	tcp_deadline(&tcp, 0);
	assert_int_equal(uv_is_active((uv_handle_t *)&tcp.timer.uv), 0);
	tcp_deadline(&tcp, 1);
	wait_for(&is_late, "deadline");
	assert_false(has_ended);
	tcp_close(&tcp);
	is_late = false;
	tcp_deadline(&tcp, 1);
	wait_for(&is_closed, "end");
	assert_false(is_late);
}

/* Nobody takes it in: the time is over before any answer. */
static void test_no_answer(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int filler[3];

	(void)state;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(listen(listener, 0), 0);
	for (size_t i = 0; i < COUNT(filler); i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(filler[i], (struct sockaddr *)&to, sizeof(to));
	}
	dial(NULL, port);
	assert_in_range(uv_timer_get_due_in(&tcp.timer.uv), 5000, 10000);
	tcp_deadline(&tcp, 1);
	ends_as(ERR_CONNECT, "no answer within 10 s", "", ETIMEDOUT,
		WHY_NO_CONNECTION);
	assert_false(is_up || is_late);
	for (size_t i = 0; i < COUNT(filler); i++)
		close(filler[i]);
}

/* The time goes on once it is connected, and is told otherwise. */
static void test_deadline_of_connecting(void **state)
{
	(void)state;
	connect_both();
	assert_in_range(uv_timer_get_due_in(&tcp.timer.uv), 1, 10000);
}

static int listen_v6(uint16_t *at)
{
	struct sockaddr_in6 here = { .sin6_family = AF_INET6,
				     .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t len = sizeof(here);
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&here, len) ||
	    listen(fd, 5) || getsockname(fd, (struct sockaddr *)&here, &len))
		skip_for("no IPv6 here");
	*at = ntohs(here.sin6_port);
	return fd;
}

/* A board has IPv4 alone. */
static void test_family(void **state)
{
	char own[ADDRESS_TEXT_MAX], theirs[ADDRESS_TEXT_MAX], wanted[64];
	struct tcp_order order = { .loop = loop,
				   .host = "::1",
				   .any_family = true,
				   .events = &events };
	const int fd = listen_v6(&order.port);

	(void)state;
	is_open = true;
	tcp_open(&tcp, &order);
	wait_for(&is_up, "connection");
	assert_true(tcp_ends(&tcp, own, theirs));
	snprintf(wanted, sizeof(wanted), "[::1]:%u", (unsigned)order.port);
	assert_string_equal(own, "::1");
	assert_string_equal(theirs, wanted);
	end();
	is_up = is_closed = false;
	is_open = true;
	order.any_family = false;
	tcp_open(&tcp, &order);
	wait_for(&has_ended, "end");
	assert_false(is_up);
	close(fd);
}

/* ---- what comes is left there ---- */

static void test_hold(void **state)
{
	(void)state;
	connect_both();
	tcp_hold(&tcp, true);
	tcp_hold(&tcp, true);
	tells("one");
	turn();
	assert_string_equal(buf_string(&told), "");
	tcp_hold(&tcp, false);
	says_data("one");
	tcp_hold(&tcp, false);
	tells("two");
	says_data("two");
}

/* Held from the beginning. */
static void test_hold_early(void **state)
{
	(void)state;
	assert_int_equal(listen(listener, 5), 0);
	dial(NULL, port);
	tcp_hold(&tcp, true);
	wait_for(&is_up, "connection");
	take_peer();
	tells("one");
	turn();
	assert_string_equal(buf_string(&told), "");
	tcp_hold(&tcp, false);
	says_data("one");
}

static void test_deafen(void **state)
{
	(void)state;
	connect_both();
	tcp_deafen(&tcp);
	tells("one");
	turn();
	assert_string_equal(buf_string(&told), "");
	tcp_write(&tcp, "two", 3);
	hears("two");
}

static void test_lose(void **state)
{
	bool lost;

	(void)state;
	assert_int_equal(listen(listener, 5), 0);
	dial(NULL, port);
	assert_true(tcp_lose(&tcp));
	wait_for(&is_up, "connection");
	take_peer();
	tells("one");
	says_data("one");
	lost = tcp_lose(&tcp);
	if (!lost && geteuid() != 0)
		skip_for("this kernel lets only root drop packets");
	assert_true(lost);
	tells("two");
	turn();
	assert_string_equal(buf_string(&told), "");
}

/* ---- our end ---- */

static void test_close(void **state)
{
	(void)state;
	connect_both();
	tcp_write(&tcp, "one", 3);
	tells("late");
	tcp_close(&tcp);
	tcp_write(&tcp, "two", 3);
	tcp_shut(&tcp);
	tcp_reset(&tcp);
	assert_false(is_closed);
	wait_for(&is_closed, "end");
	is_open = false;
	hears("one");
	assert_string_equal(buf_string(&told), "");
}

static void test_reset(void **state)
{
	(void)state;
	connect_both();
	tcp_reset(&tcp);
	wait_for(&is_closed, "end");
	assert_false(has_ended);
	hears_end(ECONNRESET);
}

static void test_finish(void **state)
{
	(void)state;
	connect_both();
	tcp_write(&tcp, "one", 3);
	tcp_finish(&tcp);
	wait_for(&is_closed, "end");
	assert_false(has_ended);
	hears("one");
	hears_end(0);
	/* Also one that never was. */
	dial(NULL, port);
	tcp_finish(&tcp);
	wait_for(&is_closed, "end");
	assert_false(is_up);
}

static void test_shut(void **state)
{
	(void)state;
	connect_both();
	tcp_write(&tcp, "one", 3);
	tcp_shut(&tcp);
	hears("one");
	turn();
	hears_end(0);
	tells("two");
	says_data("two");
	assert_false(is_closed);
}

/* ---- what waits ---- */

static void read_all(size_t len)
{
	static char piece[65536];
	const int64_t until = loop_now() + LONG_MS;

	while (len) {
		ssize_t n = recv(peer, piece, sizeof(piece), MSG_DONTWAIT);

		assert_true(n > 0 || errno == EAGAIN);
		assert_true(loop_now() < until);
		len -= n > 0 ? (size_t)n : 0;
		loop_poll(loop);
	}
}

static void test_drained(void **state)
{
	const size_t len = 16u << 20;
	char *all = mem_zalloc(len);

	(void)state;
	connect_both();
	tcp_write(&tcp, all, len);
	mem_free(all);
	assert_in_range(tcp_waiting(&tcp), 1, len - 1);
	tcp_write(&tcp, "x", 1);
	assert_false(is_drained);
	read_all(len + 1);
	wait_for(&is_drained, "room");
	assert_int_equal(tcp_waiting(&tcp), 0);
	assert_false(has_ended);
}

/* As much as may wait, and one more. */
static void test_overflow(void **state)
{
	char *all = mem_zalloc(TCP_QUEUE_MAX + 1);
	size_t waits;

	(void)state;
	connect_both();
	tcp_write(&tcp, all, TCP_QUEUE_MAX);
	waits = tcp_waiting(&tcp);
	assert_in_range(waits, 1, TCP_QUEUE_MAX - 1);
	turn();
	assert_false(has_ended);
	waits = tcp_waiting(&tcp);
	tcp_write(&tcp, all, TCP_QUEUE_MAX - waits);
	assert_int_equal(tcp_waiting(&tcp), TCP_QUEUE_MAX);
	assert_false(has_ended);
	tcp_write(&tcp, all, 1);
	assert_int_equal(tcp_waiting(&tcp), TCP_QUEUE_MAX);
	mem_free(all);
	ends_as(ERR_CONNECT, "the peer does not read what is sent", "", 0,
		WHY_OTHER);
}

/* What it said before it went is told before that it went. */
static void test_last_words(void **state)
{
	const struct linger now = { .l_onoff = 1 };
	char *all = mem_zalloc(8u << 20);

	(void)state;
	connect_both();
	tcp_write(&tcp, all, 8u << 20);
	mem_free(all);
	assert_true(tcp_waiting(&tcp) > 0);
	setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(peer);
	peer = -1;
	wait_for(&has_ended, "end");
	assert_int_equal(strncmp(told.data, "ended 3|", 8), 0);
}

/* ---- TLS ---- */

static void begin_broker(void)
{
	CLEANUP(mem_free_ptr) char *key = NULL;
	CLEANUP(mem_free_ptr) char *more = NULL;
	const char *argv[] = {
		"openssl",     "req",	   "-x509",
		"-newkey",     "rsa:2048", "-nodes",
		"-days",       "2",	   "-subj",
		"/CN=the lab", "-addext",  "subjectAltName=IP:127.0.0.1",
		"-keyout",     NULL,	   "-out",
		NULL,	       NULL
	};

	if (!broker_prepare(&broker))
		skip();
	argv[13] = key = broker_path(&broker, "key");
	argv[15] = crt = broker_path(&broker, "crt");
	if (run_program(argv) != 0)
		skip_for("no openssl to make a certificate");
	more = mem_printf(
		"allow_anonymous true\ncertfile %s\ncafile %s\nkeyfile %s\n",
		crt, crt, key);
	broker_configure(&broker, more);
	broker_run(&broker);
}

static void test_tls(void **state)
{
	struct tls_trust trust = { 0 };
	struct tls_facts facts;

	(void)state;
	begin_broker();
	trust.cacert = crt;
	dial(&trust, broker.port);
	tcp_write(&tcp, "lost", 4);
	assert_false(tcp_tls_facts(&tcp, &facts));
	wait_for(&is_up, "TLS");
	assert_true(tcp_tls_facts(&tcp, &facts));
	assert_string_equal(facts.issuer, "the lab");
	tcp_write(&tcp, CONNECT, sizeof(CONNECT) - 1);
	wait_for(&has_data, "answer");
	assert_int_equal(told.len, sizeof(CONNACK) - 1);
	assert_memory_equal(told.data, CONNACK, sizeof(CONNACK) - 1);
	buf_reset(&told);
	/* Goodbye: it ends TLS, too, and so it is no failure. */
	tcp_write(&tcp, "\xe0\0", 2);
	wait_for(&has_ended, "end");
	assert_string_equal(buf_string(&told), "ended");
}

static void test_tls_not_believed(void **state)
{
	const struct tls_trust trust = { 0 };

	(void)state;
	begin_broker();
	dial(&trust, broker.port);
	wait_for(&has_ended, "end");
	assert_false(is_up);
	assert_non_null(strstr(buf_string(&told), "self-signed certificate"));
}

static void test_tls_no_file(void **state)
{
	const struct tls_trust trust = { .cacert = "/nowhere" };

	(void)state;
	dial(&trust, port);
	assert_false(has_ended);
	wait_for(&has_ended, "end");
	assert_false(is_up);
	assert_non_null(strstr(buf_string(&told), "/nowhere"));
}

/* It hears a hello, and goes. */
static void test_tls_shaken_off(void **state)
{
	const struct tls_trust trust = { .insecure = true };
	const int64_t until = loop_now() + LONG_MS;
	struct error why = { 0 };
	char piece[16];

	(void)state;
	why_set(&why, &(struct why_facts){ .what = WHY_TLS,
					   .with = WITH_BOARD,
					   .host = "127.0.0.1" });
	assert_int_equal(listen(listener, 5), 0);
	dial(&trust, port);
	take_peer();
	while (recv(peer, piece, 1, MSG_DONTWAIT) < 1) {
		assert_true(loop_now() < until);
		loop_poll(loop);
	}
	assert_int_equal(piece[0], 22);
	shutdown(peer, SHUT_WR);
	ends_as(why.kind, why.text, why.hint, why.code, (enum why)why.reason);
	error_reset(&why);
	assert_false(is_up);
}

/* It takes the connection, and says nothing. */
static void test_tls_silent(void **state)
{
	const struct tls_trust trust = { .insecure = true };
	struct tls_facts facts;

	(void)state;
	assert_int_equal(listen(listener, 5), 0);
	dial(&trust, port);
	take_peer();
	while (!tcp.open)
		loop_poll(loop);
	tcp_deadline(&tcp, 1);
	ends_as(ERR_CONNECT, "no TLS handshake within 10 s", "", 0,
		WHY_TLS_SILENT);
	assert_false(is_up || is_late);
	assert_false(tcp_tls_facts(&tcp, &facts));
}

static void test_tls_answered_plainly(void **state)
{
	const struct tls_trust trust = { .insecure = true };

	(void)state;
	assert_int_equal(listen(listener, 5), 0);
	dial(&trust, port);
	take_peer();
	tells("HTTP/1.1 400 Bad Request\r\n\r\n");
	wait_for(&has_ended, "end");
	assert_false(is_up);
	assert_int_equal(strncmp(told.data, "ended 3|", 8), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_talk),
		TEST(test_refused),
		TEST(test_reset_by_peer),
		TEST(test_adopted),
		TEST(test_deadline),
		TEST(test_no_answer),
		TEST(test_deadline_of_connecting),
		TEST(test_family),
		TEST(test_hold),
		TEST(test_hold_early),
		TEST(test_deafen),
		TEST(test_lose),
		TEST(test_close),
		TEST(test_reset),
		TEST(test_finish),
		TEST(test_shut),
		TEST(test_drained),
		TEST(test_overflow),
		TEST(test_last_words),
		TEST(test_tls),
		TEST(test_tls_not_believed),
		TEST(test_tls_no_file),
		TEST(test_tls_shaken_off),
		TEST(test_tls_silent),
		TEST(test_tls_answered_plainly),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
