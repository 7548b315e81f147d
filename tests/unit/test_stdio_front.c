/* SPDX-License-Identifier: MIT */
/* A host at stdin and stdout: pipes of the test, an answerer of the tests' own. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "answering.h"
#include "base/buf.h"
#include "clients/stdio_front.h"

#define LONG_MS 20000

static struct {
	struct loop *loop;
	struct behind behind;
	struct answerer answerer;
	struct stdio_front *front;
	int in[2], out[2];
	struct buf heard; /* from stdout */
	struct buf lines;
	bool ended;
	unsigned ends;
} t;

static void on_ended(void *owner)
{
	(void)owner;
	t.ended = true;
	t.ends++;
}

static void on_line(void *owner, const char *text)
{
	(void)owner;
	buf_printf(&t.lines, "%s\n", text);
}

static void open_front(void)
{
	static const struct stdio_front_events events = { .ended = on_ended,
							  .line = on_line };

	fcntl(t.in[1], F_SETFL, O_NONBLOCK);
	fcntl(t.out[0], F_SETFL, O_NONBLOCK);
	t.front = stdio_front_open(t.loop, &t.answerer, t.in[0], t.out[1],
				   &events);
}

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	assert_int_equal(loop_new(&t.loop, &err), 0);
	t.behind.loop = t.loop;
	t.answerer = behind_answerer;
	t.answerer.owner = &t.behind;
	assert_int_equal(pipe2(t.in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(t.out, O_CLOEXEC), 0);
	buf_init(&t.heard, (size_t)256 << 20);
	open_front();
	return 0;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Nothing may be left behind. */
static int tear_down(void **state)
{
	(void)state;
	stdio_front_close(t.front);
	assert_int_equal(t.behind.clients, 0);
	assert_int_equal(t.behind.open, 0);
	for (int i = 0; i < 2; i++) {
		shut(&t.in[i]);
		shut(&t.out[i]);
	}
	buf_done(&t.heard);
	buf_done(&t.lines);
	loop_free(t.loop);
	return 0;
}

/* ---- the host ---- */

static void turn(void)
{
	loop_stay(t.loop, NULL, loop_now() + 2, NULL);
}

static void listen_on(void)
{
	static char some[65536];
	ssize_t got;

	while (t.out[0] >= 0 && (got = read(t.out[0], some, sizeof(some))) > 0)
		buf_add(&t.heard, some, (size_t)got);
}

/* All of it, while the front reads. False: it does not read any more. */
static bool say(const char *text, size_t len)
{
	int64_t until = loop_now() + LONG_MS;

	while (len > 0 && loop_now() < until) {
		ssize_t done = write(t.in[1], text, len);

		if (done <= 0) {
			turn();
			continue;
		}
		text += done;
		len -= (size_t)done;
	}
	return len == 0;
}

static void says(const char *text)
{
	assert_true(say(text, strlen(text)));
}

static size_t count(const char *text)
{
	size_t n = 0;

	for (const char *at = buf_string(&t.heard);
	     (at = strstr(at, text)) != NULL; at += strlen(text))
		n++;
	return n;
}

/* Until stdout has it so often. */
static void hears(const char *text, size_t times)
{
	int64_t until = loop_now() + LONG_MS;
	size_t from = 0, n = 0;

	for (;;) {
		const char *at;

		listen_on();
		while ((at = strstr(buf_string(&t.heard) + from, text))) {
			from = (size_t)(at - t.heard.data) + strlen(text);
			n++;
		}
		if (n >= times)
			break;
		if (loop_now() > until)
			fail_msg("not heard %zu times: %s", times, text);
		/* No further back than where a half of it may stand. */
		if (t.heard.len > from + strlen(text))
			from = t.heard.len - strlen(text);
		turn();
	}
	assert_int_equal(n, times);
}

static void waits(const unsigned *value, unsigned wanted)
{
	int64_t until = loop_now() + LONG_MS;

	while (*value != wanted && loop_now() < until)
		turn();
	assert_int_equal(*value, wanted);
}

/* How long it took, ms. */
static int64_t ends(bool reading)
{
	int64_t begun = loop_now();

	while (!t.ended && loop_now() < begun + LONG_MS) {
		if (reading)
			listen_on();
		turn();
	}
	assert_true(t.ended);
	assert_int_equal(t.ends, 1);
	return loop_now() - begun;
}

/* ---- tests ---- */

static void test_messages(void **state)
{
	(void)state;
	says("{\"id\":1,\"method\":\"initialize\"}\n\n\r\n{\"id\":2}\r\n");
	hears("{\"id\":1,\"result\":\"client 1\"}\n", 2);
	says("{\"method\":\"notifications/x\"}\nnonsense\n");
	hears("{\"error\":{\"code\":-32700},\"id\":null}\n", 1);
	assert_int_equal(count("\n"), 3);
	/* In pieces, and a reply with a line break in it. */
	says("{\"id\":9,\"x\":\"la");
	turn();
	says("ter\"}\n");
	hears("{\"id\":9, \"result\":\"late\"}\n", 1);
	/* What comes before a reply. */
	says("{\"id\":1,\"x\":\"tell\"}\n");
	hears("{\"method\":\"notifications/x\"}\n", 1);
	assert_int_equal(t.behind.made, 1);
}

static void test_end(void **state)
{
	(void)state;
	says("{\"id\":9,\"x\":\"later\"}\n");
	shut(&t.in[1]);
	assert_in_range(ends(true), 0, 700);
	listen_on();
	assert_int_equal(count("late"), 1);
	assert_string_equal(buf_string(&t.lines), "");
}

static void test_end_half_a_line(void **state)
{
	(void)state;
	says("{\"id\":1}\nhalf");
	shut(&t.in[1]);
	ends(true);
	listen_on();
	assert_string_equal(buf_string(&t.heard),
			    "{\"id\":1,\"result\":\"client 1\"}\n"
			    "{\"error\":{\"code\":-32700},\"id\":null}\n");
}

static void test_end_amid(void **state)
{
	(void)state;
	says("{\"id\":1,\"x\":\"never\"}\n");
	waits(&t.behind.open, 1);
	shut(&t.in[1]);
	assert_in_range(ends(true), 0, 1000 + LATER_MS);
	assert_int_equal(t.heard.len, 0);
}

static void test_end_of_nothing(void **state)
{
	(void)state;
	shut(&t.in[1]);
	assert_in_range(ends(true), 0, 700);
	assert_int_equal(t.heard.len, 0);
}

static void test_closed_amid(void **state)
{
	(void)state;
	says("{\"id\":1,\"x\":\"never\"}\n{\"id\":9,\"x\":\"later\"}\n");
	waits(&t.behind.open, 2);
	stdio_front_close(t.front);
	t.front = NULL;
	assert_int_equal(t.behind.abandoned, 2);
	assert_int_equal(t.ends, 0);
}

static void test_too_long(void **state)
{
	const size_t len = STDIO_LINE_MAX + 100;
	char *text = mem_alloc(len);

	(void)state;
	memset(text, 'x', len);
	assert_true(say(text, len));
	hears("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
	      "\"message\":\"Invalid Request: a message of more than 16 MB\"}}\n",
	      1);
	assert_true(say(text, len));
	says("never\n{\"id\":1}\n");
	hears("\"client 1\"", 1);
	assert_int_equal(count("\n"), 2);
	assert_int_equal(t.behind.open, 0);
	mem_free(text);
}

static void test_too_many(void **state)
{
	(void)state;
	for (int i = 0; i < STDIO_OPEN_MAX; i++)
		says("{\"id\":1,\"x\":\"never\"}\n");
	waits(&t.behind.open, STDIO_OPEN_MAX);
	says("{\"id\":\"a\",\"method\":\"never\"}\n");
	hears("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32603,"
	      "\"message\":\"too many questions are open: ask again later\"}}\n",
	      1);
	says("[{\"id\":\"a\",\"method\":\"never\"}]\n");
	hears("\"id\":null", 1);
	/* What asks nothing is heard, and makes place: also from within. */
	says("{\"method\":\"notifications/cancel\"}\n{\"id\":1,\"method\":\"x\"}\n");
	hears("\"client 1\"", 1);
	assert_int_equal(t.behind.open, STDIO_OPEN_MAX - 1);
}

/* As many as the pipes take when nobody reads the replies. */
static size_t flood(void)
{
	static const char one[] = "{\"id\":1,\"x\":\"tell\"}\n";
	int64_t idle = loop_now();
	size_t said = 0;

	while (loop_now() < idle + 300) {
		ssize_t done = write(t.in[1], one, sizeof(one) - 1);

		if (done == (ssize_t)sizeof(one) - 1) {
			said++;
			idle = loop_now();
		} else {
			assert_true(done < 0);
		}
		if (done < 0 || said % 1000 == 0)
			turn();
	}
	return said;
}

static void test_slow_host(void **state)
{
	size_t said;

	(void)state;
	said = flood();
	/* It is bounded: what waits, and what is in two pipes. */
	assert_in_range(said, 10000, 200000);
	hears("\"client 1\"", said);
	hears("notifications/x", said);
	says("{\"id\":9,\"x\":\"later\"}\n");
	hears("late", 1);
	assert_false(t.ended);
}

static void test_slow_host_ends(void **state)
{
	(void)state;
	flood();
	shut(&t.in[1]);
	assert_in_range(ends(false), STDIO_END_MS, 2000);
	assert_string_equal(buf_string(&t.lines),
			    "stdin ended, and stdout is not read\n");
}

static void test_host_reads_no_more(void **state)
{
	(void)state;
	says("{\"id\":1,\"x\":\"never\"}\n");
	waits(&t.behind.open, 1);
	shut(&t.out[0]);
	says("{\"id\":1}\n");
	assert_in_range(ends(false), 0, 700);
	assert_string_equal(buf_string(&t.lines), "the host reads no more\n");
}

/* A host may give a socket, or files. */
static void test_socket(void **state)
{
	(void)state;
	stdio_front_close(t.front);
	for (int i = 0; i < 2; i++) {
		shut(&t.in[i]);
		shut(&t.out[i]);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, t.in), 0);
	t.out[0] = fcntl(t.in[1], F_DUPFD_CLOEXEC, 3);
	t.out[1] = fcntl(t.in[0], F_DUPFD_CLOEXEC, 3);
	open_front();
	says("{\"id\":1}\n");
	hears("\"client 2\"", 1);
	shutdown(t.in[1], SHUT_WR);
	ends(true);
}

static void test_files(void **state)
{
	char name[] = "/tmp/stdio_front_XXXXXX";

	(void)state;
	stdio_front_close(t.front);
	shut(&t.in[0]);
	t.in[0] = mkostemp(name, O_CLOEXEC);
	assert_true(t.in[0] >= 0);
	unlink(name);
	assert_int_equal(write(t.in[0], "{\"id\":1}\n{\"id\":2}", 17), 17);
	lseek(t.in[0], 0, SEEK_SET);
	open_front();
	ends(true);
	listen_on();
	assert_int_equal(count("\"client 2\"}\n"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_messages),
		TEST(test_end),
		TEST(test_end_half_a_line),
		TEST(test_end_amid),
		TEST(test_end_of_nothing),
		TEST(test_closed_amid),
		TEST(test_too_long),
		TEST(test_too_many),
		TEST(test_slow_host),
		TEST(test_slow_host_ends),
		TEST(test_host_reads_no_more),
		TEST(test_socket),
		TEST(test_files),
	};

	return cmocka_run_group_tests_name("stdio_front", tests, NULL, NULL);
}
