/* SPDX-License-Identifier: MIT */
/*
 * Both sides of a proxy in a test, whose loop turns here: a board that dials
 * it, a backend that it dials. The descriptors do not block, and are the test's.
 */
#ifndef PROXIED_H
#define PROXIED_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/loop.h"

#define PATIENCE_MS 20000

static inline void proxied_turn(struct loop *l)
{
	const bool never = false;

	loop_stay(l, &never, loop_now() + 1, NULL);
}

static inline int proxied_dial(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* The connection that the proxy opens to a listening socket of the test. */
static inline int proxied_accept(struct loop *l, int listening)
{
	int64_t until = loop_now() + PATIENCE_MS;
	int fd;

	do {
		proxied_turn(l);
		fd = accept4(listening, NULL, NULL,
			     SOCK_NONBLOCK | SOCK_CLOEXEC);
	} while (fd < 0 && loop_now() < until);
	assert_true(fd >= 0);
	return fd;
}

#endif
