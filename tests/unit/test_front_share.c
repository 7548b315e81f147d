/* SPDX-License-Identifier: MIT */
/*
 * The front and what strangers may hold: who is refused, who is known and goes
 * first, who is counted where a proxy forwards, and what is told of it.
 */
#include "base/mem.h"
#include "base/module.h"
#include "net/address.h"
#include "net/front.h"
#include "raw_client.h"

#define REQUEST "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
#define OF_BOARD "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nDevice-Id: a\r\n\r\n"
#define BEGUN \
	"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\nx"
#define LONG_MS 60000

static const struct front_table *table;

static struct {
	struct loop *loop;
	struct front *front;
	struct budget *budget;
	struct raw_child child;
	unsigned requests, slow, busy, told, lines;
	uint64_t refused;
	char text[256], address[ADDRESS_TEXT_MAX];
	bool closed;
} t;

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	(void)owner;
	(void)body;
	(void)len;
	t.requests++;
	snprintf(t.address, sizeof(t.address), "%s", head->address);
	table->reply(rq, 200, "text/plain", "ok", 2);
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	(void)owner;
	t.told += address != NULL;
	t.slow += what == FRONT_SLOW;
	t.busy += what == FRONT_BUSY;
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	(void)owner;
	t.lines++;
	t.refused += r->count;
	snprintf(t.text, sizeof(t.text), "%s", r->text);
}

/* As serve does for boards that are listed. */
static enum front_standing standing(void *owner, const struct front_head *head)
{
	(void)owner;
	return headers_get(head->headers, "Device-Id") ? FRONT_NAMED :
							 FRONT_STRANGER;
}

static const struct front_events events = { .http = on_http,
					    .noise = on_noise,
					    .refused = on_refused,
					    .standing = standing };

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	table = module_table("front", FRONT_TABLE, &err);
	assert_non_null(table);
	t.budget = budget_new();
	return loop_new(&t.loop, &err);
}

/* What is counted is told soon. */
static void open_front(size_t connections_max, const struct words *proxies)
{
	const struct front_config config = {
		.host = "127.0.0.1",
		.admit = { .proxies = proxies },
		.head_timeout = LONG_MS,
		.refused_again = 50,
		.connections_max = connections_max,
		.budget = t.budget,
		.counts_questions = true,
	};
	struct error err = { 0 };

	t.front = table->open(t.loop, &config, &events, NULL, &err);
	assert_non_null(t.front);
}

static void on_closed(void *owner)
{
	(void)owner;
	t.closed = true;
}

/* Nothing is held any more when it has closed. */
static int tear_down(void **state)
{
	(void)state;
	table->close(t.front, on_closed);
	loop_wait(t.loop, &t.closed, loop_now() + LONG_MS, NULL);
	assert_true(t.closed);
	assert_int_equal(budget_used(t.budget, BUDGET_HEADS), 0);
	assert_int_equal(budget_used(t.budget, BUDGET_CONNECTIONS), 0);
	assert_int_equal(budget_used(t.budget, BUDGET_BYTES), 0);
	budget_free(t.budget);
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

static int say(uint16_t port, const char *text)
{
	int fd = raw_connect(port);

	raw_text(fd, text);
	return fd;
}

/* Does not close it. */
static void expect(int fd, const char *status, const char *field)
{
	char head[1024], body[2];

	raw_read_head(fd, head, sizeof(head));
	if (!strstr(head, status) || !strstr(head, field))
		_exit(4);
	raw_read(fd, body, sizeof(body));
}

static void visit(uint16_t port, const char *text, const char *status)
{
	int fd = say(port, text);

	expect(fd, status, "");
	close(fd);
}

/* ---- the tests ---- */

static void wait_for_line(unsigned lines)
{
	const bool never = false;
	int64_t end = loop_now() + LONG_MS;

	while (t.lines < lines && loop_now() < end)
		loop_wait(t.loop, &never, loop_now() + 5, NULL);
	assert_true(t.lines >= lines);
}

static void child_asks(uint16_t port, int out)
{
	(void)out;
	/* Alone three quarters of eight. */
	for (int i = 0; i < 6; i++)
		visit(port, REQUEST, " 200 ");
	for (int i = 0; i < 3; i++) {
		int fd = say(port, REQUEST);

		expect(fd, " 429 ", "Retry-After: ");
		close(fd);
	}
	/* A board that is known counts by itself. */
	visit(port, OF_BOARD, " 200 ");
}

static void test_too_many_questions(void **state)
{
	(void)state;
	budget_set(t.budget, BUDGET_QUESTIONS, 8);
	open_front(0, NULL);
	run(child_asks);
	assert_int_equal(t.requests, 7);
	/* One by itself, the rest with their number. */
	wait_for_line(2);
	assert_int_equal(t.refused, 3);
}

static void child_stalls(uint16_t port, int out)
{
	int fd[7];

	(void)out;
	for (int i = 0; i < 7; i++)
		fd[i] = say(port, BEGUN);
	/* An eighth of the address does not fit in; a board that is known does. */
	visit(port, REQUEST, " 503 ");
	visit(port, OF_BOARD, " 200 ");
	/* What was silent for a while goes for another one. */
	usleep(500000);
	visit(port, REQUEST, " 200 ");
	for (int i = 0; i < 7; i++)
		close(fd[i]);
}

static void test_too_many_connections(void **state)
{
	(void)state;
	budget_set(t.budget, BUDGET_CONNECTIONS, 8);
	open_front(20, NULL);
	run(child_stalls);
	assert_int_equal(t.requests, 2);
}

/* No place is left, and those who have them go on and on, a byte at a time. */
static void child_known_first(uint16_t port, int out)
{
	int fd[3], known;
	char byte;

	(void)out;
	for (int i = 0; i < 3; i++)
		fd[i] = say(port, BEGUN);
	usleep(50000); /* they have them by then */
	known = say(port, OF_BOARD);
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 3; k++)
			raw_text(fd[k], "x");
		usleep(20000);
		if (recv(known, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1)
			break;
	}
	if (recv(known, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
		_exit(5);
	expect(known, " 200 ", "");
	close(known);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

static void test_known_first(void **state)
{
	(void)state;
	open_front(3, NULL);
	run(child_known_first);
	assert_int_equal(t.requests, 1);
	assert_int_equal(t.busy, 0);
}

/* head, then so many bytes more. */
static void send_much(uint16_t port, const char *head, size_t count)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int fd = raw_connect(port);

	buf_text(&text, head);
	while (count--)
		buf_char(&text, 'x');
	raw_send(fd, text.data, text.len);
	expect(fd, " 503 ", "");
	close(fd);
}

static void child_large(uint16_t port, int out)
{
	(void)out;
	send_much(port,
		  "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		  "Content-Length: 100000\r\n\r\n",
		  100000);
}

static void test_too_many_bytes(void **state)
{
	(void)state;
	budget_set(t.budget, BUDGET_BYTES, 100000);
	open_front(0, NULL);
	run(child_large);
	assert_int_equal(t.requests, 0);
	wait_for_line(1);
	assert_non_null(strstr(t.text, "memory"));
}

static void child_half_head(uint16_t port, int out)
{
	(void)out;
	send_much(port, "GET /x HTTP/1.1\r\nX: ", 8000);
}

static void test_half_head_counts(void **state)
{
	(void)state;
	budget_set(t.budget, BUDGET_BYTES, 10000);
	open_front(0, NULL);
	run(child_half_head);
}

static void child_noise(uint16_t port, int out)
{
	(void)out;
	for (int i = 0; i < 25; i++) {
		int fd = say(port, "GET /x HTTP/1.1\r\nX");

		shutdown(fd, SHUT_WR);
		expect(fd, " 400 ", "");
		close(fd);
	}
}

/* Ten are told by themselves, the rest by their number. */
static void test_noise_is_counted(void **state)
{
	(void)state;
	open_front(0, NULL);
	run(child_noise);
	assert_int_equal(t.slow, 25);
	wait_for_line(1);
	while (t.told + t.refused < 25)
		wait_for_line(t.lines + 1);
	assert_int_equal(t.told + t.refused, 25);
	assert_non_null(strstr(t.text, "begun and never finished"));
}

/* Two requests of one proxy's connection, for two clients. */
static void child_forwarded(uint16_t port, int out)
{
	int fd = say(port, "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			   "X-Forwarded-For: 192.0.2.1\r\n\r\n");

	(void)out;
	expect(fd, " 200 ", "");
	raw_text(fd, "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		     "Forwarded: for=192.0.2.2\r\n\r\n");
	expect(fd, " 200 ", "");
	close(fd);
}

static void test_forwarded(void **state)
{
	CLEANUP(words_done) struct words proxies = { 0 };

	(void)state;
	words_add(&proxies, "127.0.0.0/8");
	open_front(0, &proxies);
	run(child_forwarded);
	assert_int_equal(t.requests, 2);
	assert_string_equal(t.address, "192.0.2.2");
	/* Both asked in this minute, the proxy did not. */
	assert_int_equal(budget_holders(t.budget), 2);
}

static void test_not_forwarded(void **state)
{
	(void)state;
	open_front(0, NULL);
	run(child_forwarded);
	assert_int_equal(t.requests, 2);
	assert_memory_equal(t.address, "127.0.0.1:", 10);
	assert_int_equal(budget_holders(t.budget), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_too_many_questions), TEST(test_too_many_connections),
		TEST(test_known_first),	       TEST(test_too_many_bytes),
		TEST(test_half_head_counts),   TEST(test_noise_is_counted),
		TEST(test_forwarded),	       TEST(test_not_forwarded),
	};

	return cmocka_run_group_tests_name("front_share", tests, NULL, NULL);
}
