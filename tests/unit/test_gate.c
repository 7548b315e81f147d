/* SPDX-License-Identifier: MIT */
/* proxy/gate: who comes in at a listening socket, who does not, and its end. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/split.h"
#include "net/address.h"
#include "proxy/gate.h"

#define PATIENCE_MS 20000
#define MANY 20

static struct {
	struct loop *loop;
	struct budget *budget;
	struct gate gate;
	int fd[MANY]; /* of those that came */
	struct share share[MANY];
	char from[MANY][ADDRESS_TEXT_MAX];
	int came, refused, closed;
	char words[300]; /* of the last refusal */
} run;

static void on_came(void *owner, int fd, const struct sockaddr *from,
		    struct share *share)
{
	assert_ptr_equal(owner, &run);
	assert_true(run.came < MANY);
	run.fd[run.came] = fd;
	address_print(from, run.from[run.came], ADDRESS_TEXT_MAX);
	share_move(&run.share[run.came], share);
	run.came++;
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	assert_ptr_equal(owner, &run);
	snprintf(run.words, sizeof(run.words), "%s: %s%s%s",
		 r->address ? r->address : "-", r->text, r->hint ? " | " : "",
		 r->hint ? r->hint : "");
	run.refused++;
}

static void on_closed(void *owner)
{
	assert_ptr_equal(owner, &run);
	run.closed++;
}

static const struct gate_events events = { .came = on_came,
					   .refused = on_refused,
					   .closed = on_closed };

static struct gate fresh(void)
{
	return (struct gate){ .loop = run.loop,
			      .budget = run.budget,
			      .events = &events,
			      .owner = &run };
}

static void turn(void)
{
	const bool never = false;

	loop_stay(run.loop, &never, loop_now() + 1, NULL);
}

static void until_it_is(const int *count, int wanted)
{
	int64_t until = loop_now() + PATIENCE_MS;

	while (*count < wanted && loop_now() < until)
		turn();
	assert_int_equal(*count, wanted);
}

static int set_up(void **state)
{
	(void)state;
	memset(&run, 0, sizeof(run));
	assert_int_equal(loop_new(&run.loop, NULL), 0);
	run.budget = budget_new();
	run.gate = fresh();
	assert_int_equal(gate_open(&run.gate, "127.0.0.1", 0, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	gate_close(&run.gate);
	/* Again is nothing. */
	gate_close(&run.gate);
	until_it_is(&run.closed, 1);
	for (int i = 0; i < 5; i++)
		turn();
	assert_int_equal(run.closed, 1);
	assert_int_equal(run.gate.handles, 0);
	for (int i = 0; i < run.came; i++) {
		close(run.fd[i]);
		share_close(&run.share[i]);
	}
	assert_int_equal(budget_used(run.budget, BUDGET_HEADS), 0);
	budget_free(run.budget);
	loop_free(run.loop);
	return 0;
}

static int dial(char *own)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(run.gate.port) };
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	const struct timeval patience = { PATIENCE_MS / 1000, 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	getsockname(fd, (struct sockaddr *)&from, &len);
	if (own)
		address_print((struct sockaddr *)&from, own, ADDRESS_TEXT_MAX);
	return fd;
}

/* It was closed there. */
static void assert_over(int fd)
{
	char byte;
	ssize_t got = recv(fd, &byte, 1, 0);

	assert_true(got == 0 || (got < 0 && errno == ECONNRESET));
}

/* ---- who comes ---- */

static void who_comes(void **state)
{
	char own[ADDRESS_TEXT_MAX];
	int fd = dial(own), theirs;

	(void)state;
	until_it_is(&run.came, 1);
	theirs = run.fd[0];
	assert_string_equal(run.from[0], own);
	assert_true(fcntl(theirs, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(theirs, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(budget_used(run.budget, BUDGET_HEADS), 1);
	assert_int_equal(run.refused, 0);
	assert_int_equal(send(theirs, "x", 1, 0), 1);
	assert_int_equal(recv(fd, own, 1, 0), 1);
	close(fd);
}

/* More than are taken at once: all come. */
static void many(void **state)
{
	int fd[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		fd[i] = dial(NULL);
	until_it_is(&run.came, MANY);
	assert_int_equal(budget_used(run.budget, BUDGET_HEADS), MANY);
	for (int i = 0; i < MANY; i++)
		close(fd[i]);
}

/* ---- who does not ---- */

/* No address gets more than its part; who is refused counts no more. */
static void one_too_many(void **state)
{
	char own[ADDRESS_TEXT_MAX];
	char words[300];
	int fd[4];

	(void)state;
	budget_set(run.budget, BUDGET_HEADS, 4);
	for (int i = 0; i < 4; i++)
		fd[i] = dial(own);
	until_it_is(&run.refused, 1);
	assert_int_equal(run.came, 3);
	snprintf(
		words, sizeof(words),
		"%s: refused: its address has more connections than one gets | if many come through a reverse proxy of yours: --trusted-proxy ADDRESS",
		own);
	assert_string_equal(run.words, words);
	assert_over(fd[3]);
	assert_int_equal(budget_used(run.budget, BUDGET_HEADS), 3);
	/* One goes, and there is room again. */
	close(run.fd[0]);
	share_close(&run.share[0]);
	close(fd[3]);
	fd[3] = dial(NULL);
	until_it_is(&run.came, 4);
	run.fd[0] = -1;
	for (int i = 0; i < 4; i++)
		close(fd[i]);
}

static void refused_by_its_owner(void **state)
{
	struct sockaddr_in from = { .sin_family = AF_INET,
				    .sin_port = htons(77) };

	(void)state;
	assert_int_equal(inet_pton(AF_INET, "192.0.2.1", &from.sin_addr), 1);
	gate_refuse(&run.gate, LACK_TURN, (struct sockaddr *)&from);
	assert_int_equal(run.refused, 1);
	assert_memory_equal(run.words, "192.0.2.1:77: ", 14);
	/* Told once; how many more at its end. */
	gate_refuse(&run.gate, LACK_TURN, (struct sockaddr *)&from);
	gate_refuse(&run.gate, LACK_TURN, (struct sockaddr *)&from);
	assert_int_equal(run.refused, 1);
	gate_close(&run.gate);
	until_it_is(&run.closed, 1);
	assert_int_equal(run.refused, 2);
	assert_memory_equal(run.words, "-: 2 ", 5);
}

/* No descriptor is left: who comes is refused, and later ones come again. */
static void no_descriptor(void **state)
{
	struct rlimit before, none;
	int fd = dial(NULL), second, lowest;

	(void)state;
	until_it_is(&run.came, 1);
	second = dial(NULL);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	lowest = dup(fd);
	close(lowest);
	none = (struct rlimit){ (rlim_t)lowest, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	until_it_is(&run.refused, 1);
	assert_int_equal(run.came, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_non_null(strstr(
		run.words,
		": refused: no open file is left for its connection | the others go on; raise the limit of open files (ulimit -n)"));
	assert_over(second);
	assert_true(run.gate.reserve >= 0);
	close(second);
	second = dial(NULL);
	until_it_is(&run.came, 2);
	close(second);
	close(fd);
}

/* ---- opening ---- */

static void a_port_that_is_taken(void **state)
{
	struct gate other = fresh();
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(gate_open(&other, "127.0.0.1", run.gate.port, &err),
			 -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_false(other.open);
	gate_close(&other);
	turn();
	assert_int_equal(run.closed, 0);
}

/* Nobody comes any more, and the port is free. */
static void closed(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(run.gate.port) };
	int fd = dial(NULL), late;

	(void)state;
	gate_close(&run.gate);
	until_it_is(&run.closed, 1);
	assert_int_equal(run.came, 0);
	assert_over(fd);
	close(fd);
	late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(late, (struct sockaddr *)&to, sizeof(to)), -1);
	assert_int_equal(errno, ECONNREFUSED);
	close(late);
}

static void hosts(void **state)
{
	static const struct {
		const char *listen, *host;
	} rows[] = {
		{ "127.0.0.1:80", "127.0.0.1" },
		{ "[::1]:80", "::1" },
		{ "80", NULL },
		{ ":80", NULL },
	};
	struct words none = { 0 };

	(void)state;
	assert_null(gate_host(NULL));
	assert_null(gate_host(&none));
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(words_done) struct words listen = { 0 };
		CLEANUP(mem_free_ptr) char *host = NULL;

		words_add(&listen, rows[i].listen);
		words_add(&listen, "192.0.2.1:1");
		host = gate_host(&listen);
		if (rows[i].host)
			assert_string_equal(host, rows[i].host);
		else
			assert_null(host);
	}
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		EACH(who_comes),     EACH(many),
		EACH(one_too_many),  EACH(refused_by_its_owner),
		EACH(no_descriptor), EACH(a_port_that_is_taken),
		EACH(closed),	     cmocka_unit_test(hosts),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
