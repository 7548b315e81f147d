/* SPDX-License-Identifier: MIT */
/*
 * A port of 127.0.0.1 for a program that cannot choose one itself.
 */
#ifndef FREE_PORT_H
#define FREE_PORT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"

static inline bool port_is_free(uint16_t port)
{
	struct sockaddr_in own = { .sin_family = AF_INET,
				   .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good;

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	good = !bind(fd, (struct sockaddr *)&own, sizeof(own));
	close(fd);
	return good;
}

/* The first of those that the system gives to whoever names none. */
static inline unsigned first_given_port(void)
{
	FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	unsigned first = 0;

	if (!f || fscanf(f, "%u", &first) != 1 || first < 2048)
		first = 32768;
	if (f)
		fclose(f);
	return first;
}

/*
 * Nobody listens at it, and below those that the system gives away: until the
 * program has opened it, no other test comes to it but by the same draw.
 */
static inline uint16_t free_port(void)
{
	unsigned first = first_given_port(), draw;
	unsigned lowest = first > 11024 ? 10000 : 1024;

	for (int i = 0; i < 1000; i++) {
		random_bytes(&draw, sizeof(draw));
		draw = lowest + draw % (first - lowest);
		if (port_is_free((uint16_t)draw))
			return (uint16_t)draw;
	}
	fail_msg("no free port");
	return 0;
}

#endif
