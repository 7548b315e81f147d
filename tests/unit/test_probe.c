/* SPDX-License-Identifier: MIT */
/* Places that are probed: which they are, and which of them take a connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/probe.h"

static const uint16_t usual[] = { 80, 8080, 0 };

static void each_place_of_a_network(void **state)
{
	static const struct {
		const char *text, *first, *last;
		size_t count;
	} rows[] = {
		{ "192.168.1.7", "192.168.1.7", "192.168.1.7", 2 },
		{ "lamp.local:81", "lamp.local", "lamp.local", 1 },
		{ "h", "h", "h", 2 },
		{ "[fe80::1]:81", "fe80::1", "fe80::1", 1 },
		{ "192.168.1.9/30", "192.168.1.9", "192.168.1.10", 4 },
		{ "192.168.1.9:81/31", "192.168.1.8", "192.168.1.9", 2 },
		{ "192.168.1.9:81/32", "192.168.1.9", "192.168.1.9", 1 },
		{ "10.0.0.77/24", "10.0.0.1", "10.0.0.254", 508 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct probe_list list = { 0 };
		struct error err = { 0 };

		assert_int_equal(probe_add(&list, rows[i].text, usual, &err),
				 0);
		assert_int_equal(list.count, rows[i].count);
		assert_string_equal(list.item[0].host, rows[i].first);
		assert_string_equal(list.item[list.count - 1].host,
				    rows[i].last);
		probe_list_done(&list);
	}
}

static void what_is_none(void **state)
{
	static const char *const rows[] = { "",
					    ":80",
					    "a b",
					    "10.0.0.0/23",
					    "10.0.0.0/33",
					    "10.0.0.0/",
					    "lamp/24",
					    "[::1]/30",
					    "10.0.0.1:0",
					    "10.0.0.0/24/24" };
	struct probe_list list = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };

		if (!probe_add(&list, rows[i], usual, &err))
			fail_msg("'%s' was taken", rows[i]);
		assert_int_equal(err.kind, ERR_USAGE);
		error_reset(&err);
	}
	probe_list_done(&list);
}

static void they_are_not_too_many(void **state)
{
	struct probe_list list = { 0 };
	struct error err = { 0 };
	int added = 0;

	(void)state;
	while (!probe_add(&list, "10.0.0.0/24", usual, &err) && added < 100)
		added++;
	assert_int_equal(added, PROBE_MAX / 508);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(list.count, PROBE_MAX);
	probe_list_done(&list);
	error_reset(&err);
}

/* It listens at a port of 127.0.0.1 that the kernel gives. */
static int listening(uint16_t *port)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t len = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
	*port = ntohs(own.sin_port);
	return fd;
}

/* More of them than are dialled at once; one takes a connection. */
static void one_is_open(void **state)
{
	struct probe_list list = { 0 };
	struct error err = { 0 };
	struct loop *loop;
	uint16_t ports[2] = { 0 };
	int fd = listening(&ports[0]);

	(void)state;
	assert_int_equal(loop_new(&loop, &err), 0);
	assert_int_equal(probe_add(&list, "127.0.0.0/24", ports, &err), 0);
	assert_int_equal(probe_run(loop, &list, 60000, &err), 0);
	for (size_t i = 0; i < list.count; i++)
		assert_int_equal(list.item[i].open,
				 strcmp(list.item[i].host, "127.0.0.1") == 0);
	probe_list_done(&list);
	loop_free(loop);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place_of_a_network),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(they_are_not_too_many),
		cmocka_unit_test(one_is_open),
	};

	mem_init();
	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
