/* SPDX-License-Identifier: MIT */
/*
 * What a connection knows of TCP: as JSON, there and back, and of a socket.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/layers.h"

static struct layers decode(const char *text)
{
	cJSON *object = cJSON_Parse(text);
	struct layers l;

	assert_non_null(object);
	layers_decode(&l, object);
	cJSON_Delete(object);
	return l;
}

static void encodes(const struct layers *l, const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	layers_encode(&out, l);
	assert_string_equal(buf_string(&out), wanted);
}

static void test_there_and_back(void **state)
{
	static const char *const texts[] = {
		",\"ping\":false",
		",\"ping\":true",
		",\"ping\":true,\"pong_us\":0",
		",\"tcp\":{\"broker\":true,\"unacked\":1,\"unsent\":2,"
		"\"retransmits\":3,\"unacked_ms\":4,\"rtt_us\":5},"
		"\"ping\":true,\"pong_us\":6",
		",\"tcp\":{\"broker\":false,\"unacked\":0,\"unsent\":0,"
		"\"retransmits\":0,\"unacked_ms\":0,\"rtt_us\":0},"
		"\"ping\":false",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		CLEANUP(mem_free_ptr)
		char *object = mem_printf("{\"x\":1%s}", texts[i]);
		const struct layers l = decode(object);

		encodes(&l, texts[i]);
	}
}

static void test_odd_members(void **state)
{
	struct layers l;

	(void)state;
	l = decode("{}");
	assert_false(l.tcp || l.ping || l.broker);
	assert_int_equal(l.pong_us, -1);
	l = decode("{\"tcp\":true,\"ping\":1,\"pong_us\":-5}");
	assert_false(l.tcp || l.ping);
	assert_int_equal(l.pong_us, 0);
	l = decode("{\"tcp\":{\"unacked\":-1,\"unsent\":\"2\",\"rtt_us\":1.5,"
		   "\"retransmits\":7},\"pong_us\":null}");
	assert_true(l.tcp);
	assert_int_equal(l.unacked, 0);
	assert_int_equal(l.unsent, 0);
	assert_int_equal(l.rtt_us, 0);
	assert_int_equal(l.retransmits, 7);
	assert_int_equal(l.unacked_ms, 0);
	assert_int_equal(l.pong_us, 0);
}

static void is_none(int fd)
{
	struct layers l = { .tcp = true, .unacked = 1, .ping = true };

	assert_false(layers_of_socket(&l, fd));
	assert_false(l.tcp || l.ping);
	assert_int_equal(l.unacked, 0);
	assert_int_equal(l.pong_us, -1);
}

static void test_no_tcp(void **state)
{
	int pair[2];

	(void)state;
	is_none(-1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	is_none(pair[0]);
	close(pair[0]);
	close(pair[1]);
}

/* Two ends on loopback. */
static void connect_pair(int pair[2])
{
	struct sockaddr_in sa = { .sin_family = AF_INET };
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM, 0), room = 4096;

	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &len), 0);
	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(pair[0], (struct sockaddr *)&sa, sizeof(sa)),
			 0);
	pair[1] = accept(fd, NULL, NULL);
	assert_true(pair[1] >= 0);
	close(fd);
}

/* The peer reads nothing: what it has no room for waits here. */
static void test_tcp(void **state)
{
	static const char data[65536];
	struct layers l;
	int pair[2];

	(void)state;
	connect_pair(pair);
	assert_true(layers_of_socket(&l, pair[0]));
	assert_true(l.tcp);
	assert_false(l.broker || l.ping);
	assert_int_equal(l.unsent, 0);
	assert_int_equal(l.unacked, 0);
	assert_int_equal(l.unacked_ms, 0);
	assert_int_equal(l.retransmits, 0);
	assert_int_equal(l.pong_us, -1);
	while (send(pair[0], data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	assert_true(layers_of_socket(&l, pair[0]));
	assert_true(l.unsent > 0);
	assert_true(l.rtt_us > 0);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_odd_members),
		cmocka_unit_test(test_no_tcp),
		cmocka_unit_test(test_tcp),
	};

	mem_init();
	return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
