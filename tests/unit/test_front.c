/* SPDX-License-Identifier: MIT */
/*
 * The front when many come at once: nobody is lost, what there is no place
 * for waits its turn, and not for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/front.h"
#include "raw_client.h"

#define REQUEST "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
#define LONG_MS 10000
#define MANY 700 /* more than a listening socket commonly has room for */

static const struct front_table *table;

static struct {
	struct loop *loop;
	struct front *front;
	struct raw_child child;
	size_t heads_max;
	unsigned requests, slow, slow_before, busy;
	bool closed;
} t;

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	(void)owner;
	(void)head;
	(void)body;
	(void)len;
	t.requests++;
	t.slow_before = t.slow;
	table->reply(rq, 200, "text/plain", "ok", 2);
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	(void)owner;
	(void)address;
	t.slow += what == FRONT_SLOW;
	t.busy += what == FRONT_BUSY;
}

static size_t heads_max(void *owner)
{
	(void)owner;
	return t.heads_max;
}

static const struct front_events events = { .http = on_http,
					    .noise = on_noise,
					    .heads_max = heads_max };

static void open_front(size_t connections_max, int64_t head_timeout)
{
	const struct front_config config = { .host = "127.0.0.1",
					     .head_timeout = head_timeout,
					     .connections_max =
						     connections_max };
	struct error err = { 0 };

	t.front = table->open(t.loop, &config, &events, NULL, &err);
	assert_non_null(t.front);
}

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	t.heads_max = 2000;
	table = module_table("front", FRONT_TABLE, &err);
	assert_non_null(table);
	return loop_new(&t.loop, &err);
}

static void on_closed(void *owner)
{
	(void)owner;
	t.closed = true;
}

static void close_front(void)
{
	table->close(t.front, on_closed);
	loop_wait(t.loop, &t.closed, loop_now() + LONG_MS, NULL);
	assert_true(t.closed);
	t.front = NULL;
}

static int tear_down(void **state)
{
	(void)state;
	if (t.front)
		close_front();
	raw_done(&t.child);
	loop_free(t.loop);
	return 0;
}

static void run(void (*fn)(uint16_t port, int out))
{
	raw_start(&t.child, t.loop, table->port(t.front), fn);
	raw_finish(&t.child, t.loop);
}

/* ---- in the child ---- */

static int ask(uint16_t port)
{
	int fd = raw_connect(port);

	raw_text(fd, REQUEST);
	return fd;
}

/* Does not close it. */
static void expect(int fd, const char *status)
{
	char head[1024], body[2];

	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, status))
		_exit(4);
	raw_read(fd, body, sizeof(body));
}

/* ---- the system's queue ---- */

static long room(void)
{
	FILE *file = fopen("/proc/sys/net/core/somaxconn", "re");
	long max = 0;

	if (!file || fscanf(file, "%ld", &max) != 1)
		max = 0;
	if (file)
		fclose(file);
	return max < MANY ? max : MANY;
}

static bool connects(int fd, const struct sockaddr_in *to)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return !connect(fd, (const struct sockaddr *)to, sizeof(*to)) ||
	       (errno == EINPROGRESS && poll(&p, 1, 100) == 1);
}

/* While it is busy with something else: the loop does not run. */
static void test_connect_to_busy(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	long count = room();
	int fd[MANY];

	(void)state;
	open_front(0, 0);
	to.sin_port = htons(table->port(t.front));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (long i = 0; i < count; i++) {
		fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		assert_true(fd[i] >= 0);
		if (!connects(fd[i], &to))
			fail_msg("connection %ld is lost", i + 1);
	}
	for (long i = 0; i < count; i++)
		close(fd[i]);
}

/* ---- more requests than places ---- */

static void child_twenty(uint16_t port, int out)
{
	int fd[20];

	(void)out;
	for (size_t i = 0; i < COUNT(fd); i++)
		fd[i] = ask(port);
	for (size_t i = 0; i < COUNT(fd); i++) {
		expect(fd[i], " 200 ");
		close(fd[i]);
	}
}

static void test_requests_wait(void **state)
{
	(void)state;
	open_front(2, 0);
	run(child_twenty);
	assert_int_equal(t.requests, 20);
	assert_int_equal(t.busy, 0);
}

static void child_closing(uint16_t port, int out)
{
	int fd[20];

	(void)out;
	for (size_t i = 0; i < COUNT(fd); i++) {
		fd[i] = raw_connect(port);
		raw_text(fd[i], "GET /x HTTP/1.1\r\nHost: x\r\n"
				"Connection: close\r\n\r\n");
	}
	for (size_t i = 0; i < COUNT(fd); i++) {
		expect(fd[i], " 200 ");
		close(fd[i]);
	}
}

/* A peer that closes first is not given its time to do so: 20 s in all. */
static void test_closing_peers(void **state)
{
	(void)state;
	open_front(1, 4000);
	run(child_closing);
	assert_int_equal(t.requests, 20);
	assert_int_equal(t.busy, 0);
}

static void child_no_place(uint16_t port, int out)
{
	int first = ask(port), second;

	(void)out;
	expect(first, " 200 ");
	second = ask(port);
	expect(second, " 503 ");
	close(second);
	close(first);
}

static void test_no_place(void **state)
{
	(void)state;
	open_front(1, 200);
	run(child_no_place);
	assert_int_equal(t.requests, 1);
	assert_int_equal(t.busy, 1);
}

static void child_gone(uint16_t port, int out)
{
	int first = ask(port), second, third;

	(void)out;
	expect(first, " 200 ");
	second = ask(port);
	third = ask(port);
	usleep(50000); /* both are queued by then */
	close(second);
	close(first);
	expect(third, " 200 ");
	close(third);
}

/* The place of one that went while it waited is the next one's. */
static void test_gone_while_waiting(void **state)
{
	(void)state;
	open_front(1, 0);
	run(child_gone);
	assert_in_range(t.requests, 2, 3);
}

static void child_held(uint16_t port, int out)
{
	char byte;
	int first = ask(port), second;

	expect(first, " 200 ");
	second = ask(port);
	(void)!write(out, "queued", 6);
	while (raw_read(second, &byte, 1))
		;
	close(first);
}

static void test_close_with_waiting(void **state)
{
	(void)state;
	open_front(1, 0);
	raw_start(&t.child, t.loop, table->port(t.front), child_held);
	while (!t.child.said.len)
		loop_poll(t.loop);
	for (int i = 0; i < 10; i++)
		loop_poll(t.loop);
	assert_int_equal(t.requests, 1);
	close_front();
	raw_finish(&t.child, t.loop);
}

/* ---- more heads than may be awaited ---- */

static void child_halves(uint16_t port, int out)
{
	int first = raw_connect(port), second = raw_connect(port), third;

	(void)out;
	raw_text(first, "GET /x HT");
	raw_text(second, "GET /x HT");
	third = ask(port);
	expect(first, " 408 ");
	expect(second, " 408 ");
	close(first);
	close(second);
	expect(third, " 200 ");
	close(third);
}

static void test_halves(void **state)
{
	(void)state;
	t.heads_max = 2;
	open_front(0, 200);
	run(child_halves);
	assert_int_equal(t.requests, 1);
	/* Not before the two were out of the way. */
	assert_int_equal(t.slow_before, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_connect_to_busy),
		TEST(test_requests_wait),
		TEST(test_closing_peers),
		TEST(test_no_place),
		TEST(test_gone_while_waiting),
		TEST(test_close_with_waiting),
		TEST(test_halves),
	};

	return cmocka_run_group_tests_name("front", tests, NULL, NULL);
}
