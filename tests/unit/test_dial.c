/* SPDX-License-Identifier: MIT */
/*
 * net/dial: a name's addresses in turn, their shares of the time, what is told
 * of each. Names that end in ".test" are looked up here.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "net/dial.h"

#define MANY 12

static int gate[2]; /* "slow.test" is found when something comes here */

/* 127.0.0.1, 127.0.0.2 … */
static struct addrinfo *addresses(unsigned count, const char *port)
{
	struct addrinfo *list = NULL;

	for (unsigned i = count; i > 0; i--) {
		struct addrinfo *a =
			calloc(1, sizeof(*a) + sizeof(struct sockaddr_in));
		struct sockaddr_in *in = (struct sockaddr_in *)(a + 1);

		in->sin_family = AF_INET;
		in->sin_port = htons((uint16_t)strtoul(port, NULL, 10));
		in->sin_addr.s_addr = htonl(0x7f000000 + i);
		a->ai_family = AF_INET;
		a->ai_addr = (struct sockaddr *)in;
		a->ai_addrlen = sizeof(*in);
		a->ai_next = list;
		list = a;
	}
	return list;
}

/* Stands in for the C library's, also in libuv; the list is freed by the C library. */
int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **out)
{
	int (*real)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **);
	char byte;

	if (!strstr(node, ".test") || (hints->ai_flags & AI_NUMERICHOST)) {
		*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
		return real(node, service, hints, out);
	}
	if (strcmp(node, "no.test") == 0)
		return EAI_NONAME;
	if (strcmp(node, "slow.test") == 0 && read(gate[0], &byte, 1) != 1)
		return EAI_FAIL;
	*out = addresses(strcmp(node, "many.test") == 0 ? MANY : 3, service);
	return 0;
}

static struct {
	struct loop *loop;
	struct dial *dial;
	struct dial_facts facts;
	bool over, failed, closes;
	int fd, answer; /* of attempt */
	unsigned attempts;
} seen;

static void on_connected(void *owner, int fd)
{
	assert_ptr_equal(owner, &seen);
	assert_false(seen.over);
	seen.fd = fd;
	seen.over = true;
}

static void on_failed(void *owner, const struct dial_facts *f)
{
	assert_ptr_equal(owner, &seen);
	assert_false(seen.over);
	seen.facts = *f;
	seen.over = seen.failed = true;
	/* Allowed, and nothing. */
	dial_close(seen.dial);
}

static int on_attempt(void *owner, const struct addrinfo *address)
{
	assert_ptr_equal(owner, &seen);
	assert_int_equal(address->ai_family, AF_INET);
	seen.attempts++;
	if (seen.closes) {
		dial_close(seen.dial);
		seen.over = true;
	}
	return seen.answer;
}

static void begin(const char *host, uint16_t port, int64_t timeout, bool itself)
{
	const struct dial_order order = { .host = host,
					  .port = port,
					  .timeout = timeout,
					  .attempt = itself ? NULL : on_attempt,
					  .connected = on_connected,
					  .failed = on_failed,
					  .owner = &seen };

	seen.dial = dial_open(seen.loop, &order);
	assert_false(seen.over); /* all is told from the loop */
	assert_int_equal(seen.attempts, 0);
}

static void wait_over(void)
{
	assert_int_equal(
		loop_wait(seen.loop, &seen.over, loop_now() + 60000, NULL), 0);
}

/* Bound to 127.0.0.`last`; backlog -1: not listening, so that it refuses. */
static int bound(unsigned last, int backlog, uint16_t *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_addr.s_addr = htonl(0x7f000000 + last);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*port = ntohs(in.sin_port);
	if (backlog >= 0)
		assert_int_equal(listen(fd, backlog), 0);
	return fd;
}

static int set_up(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	seen.fd = -1;
	return loop_new(&seen.loop, NULL) || pipe(gate);
}

static int tear_down(void **state)
{
	(void)state;
	loop_free(seen.loop);
	if (seen.fd >= 0)
		close(seen.fd);
	close(gate[0]);
	close(gate[1]);
	return 0;
}

/* Behind two that refuse: the third one's descriptor is handed over. */
static void test_in_turn(void **state)
{
	struct sockaddr_in in;
	socklen_t len = sizeof(in);
	uint16_t port;
	int fd = bound(3, 5, &port);

	(void)state;
	begin("three.test", port, 5000, true);
	wait_over();
	assert_false(seen.failed);
	assert_int_equal(getpeername(seen.fd, (struct sockaddr *)&in, &len), 0);
	assert_int_equal(ntohl(in.sin_addr.s_addr), 0x7f000003);
	assert_true(fcntl(seen.fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(seen.fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void test_number(void **state)
{
	uint16_t port;
	int fd = bound(1, 5, &port);

	(void)state;
	begin("127.0.0.1", port, 5000, true);
	wait_over();
	assert_false(seen.failed);
	assert_true(seen.fd >= 0);
	close(fd);
}

static void test_refused(void **state)
{
	char address[ADDRESS_TEXT_MAX];
	uint16_t port;
	int fd = bound(1, -1, &port);

	(void)state;
	begin("many.test", port, 5000, true);
	wait_over();
	assert_true(seen.failed);
	assert_int_equal(seen.facts.stage, DIAL_CONNECT);
	assert_int_equal(seen.facts.error, ECONNREFUSED);
	assert_int_equal(seen.facts.tries, MANY);
	for (unsigned i = 0; i < DIAL_TRIES; i++) {
		snprintf(address, sizeof(address), "127.0.0.%u:%u", i + 1,
			 (unsigned)port);
		assert_string_equal(seen.facts.noted[i].address, address);
		assert_int_equal(seen.facts.noted[i].error, ECONNREFUSED);
	}
	close(fd);
}

/* A backlog that is full: nothing answers, and each gets its share. */
static void test_no_answer(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	uint16_t port;
	int fd = bound(1, 0, &port), filler[3];
	int64_t before = loop_now();

	(void)state;
	in.sin_port = htons(port);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < COUNT(filler); i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(filler[i], (struct sockaddr *)&in, sizeof(in));
	}
	begin("127.0.0.1", port, 400, true);
	wait_over();
	assert_int_equal(seen.facts.error, ETIMEDOUT);
	assert_int_equal(seen.facts.tries, 1);
	assert_in_range(loop_now() - before, 390, 20000);
	for (size_t i = 0; i < COUNT(filler); i++)
		close(filler[i]);
	close(fd);
}

static void test_shares(void **state)
{
	int64_t before = loop_now();

	(void)state;
	begin("three.test", 9, 1500, false);
	wait_over();
	assert_int_equal(seen.attempts, 3);
	assert_int_equal(seen.facts.tries, 3);
	assert_int_equal(seen.facts.error, ETIMEDOUT);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(seen.facts.noted[i].error, ETIMEDOUT);
		assert_in_range(seen.facts.noted[i].ms, DIAL_MIN_MS - 1, 20000);
	}
	assert_in_range(loop_now() - before, 1400, 20000);
}

/* Whoever connects says at once that it cannot. */
static void test_attempt_fails(void **state)
{
	(void)state;
	seen.answer = ENETUNREACH;
	begin("three.test", 9, 60000, false);
	wait_over();
	assert_int_equal(seen.attempts, 3);
	assert_int_equal(seen.facts.stage, DIAL_CONNECT);
	assert_int_equal(seen.facts.error, ENETUNREACH);
}

/* Whoever connects says later that it cannot: the next one follows. */
static void test_refused_later(void **state)
{
	const int errors[] = { EHOSTUNREACH, ECONNREFUSED, ENETDOWN };

	(void)state;
	begin("three.test", 9, 60000, false);
	for (unsigned i = 0; i < COUNT(errors); i++) {
		while (seen.attempts <= i)
			loop_poll(seen.loop);
		assert_false(seen.over);
		dial_refused(seen.dial, errors[i]);
	}
	assert_true(seen.failed);
	assert_int_equal(seen.attempts, 3);
	assert_int_equal(seen.facts.stage, DIAL_CONNECT);
	assert_int_equal(seen.facts.error, ENETDOWN);
	assert_int_equal(seen.facts.tries, 3);
	for (unsigned i = 0; i < COUNT(errors); i++)
		assert_int_equal(seen.facts.noted[i].error, errors[i]);
	assert_string_equal(seen.facts.noted[2].address, "127.0.0.3:9");
}

static void test_close_inside_attempt(void **state)
{
	(void)state;
	seen.answer = ECONNREFUSED;
	seen.closes = true;
	begin("three.test", 9, 60000, false);
	wait_over();
	for (int i = 0; i < 5; i++)
		loop_poll(seen.loop);
	assert_int_equal(seen.attempts, 1);
	assert_false(seen.failed);
}

static void test_no_name(void **state)
{
	(void)state;
	begin("no.test", 9, 60000, true);
	wait_over();
	assert_int_equal(seen.facts.stage, DIAL_NAME);
	assert_int_equal(seen.facts.error, UV_EAI_NONAME);
	assert_int_equal(seen.facts.tries, 0);
}

/* The thread goes on; what it finds is nobody's. */
static void test_slow_name(void **state)
{
	(void)state;
	begin("slow.test", 9, 300, true);
	wait_over();
	assert_int_equal(seen.facts.stage, DIAL_NAME);
	assert_int_equal(seen.facts.error, UV_ETIMEDOUT);
	assert_int_equal(write(gate[1], "x", 1), 1);
}

static void test_close_while_resolving(void **state)
{
	const bool never = false;

	(void)state;
	begin("slow.test", 9, 60000, true);
	loop_poll(seen.loop);
	dial_close(seen.dial);
	assert_int_equal(write(gate[1], "x", 1), 1);
	loop_stay(seen.loop, &never, loop_now() + 50, NULL);
	assert_false(seen.over);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_in_turn),
		TEST(test_number),
		TEST(test_refused),
		TEST(test_no_answer),
		TEST(test_shares),
		TEST(test_attempt_fails),
		TEST(test_refused_later),
		TEST(test_close_inside_attempt),
		TEST(test_no_name),
		TEST(test_slow_name),
		TEST(test_close_while_resolving),
	};

	return cmocka_run_group_tests_name("dial", tests, NULL, NULL);
}
