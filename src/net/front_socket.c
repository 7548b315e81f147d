/* SPDX-License-Identifier: MIT */
/*
 * Opens the listening socket, and says in words why it cannot.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/front_private.h"
#include "net/port_owner.h"

/*
 * As long as the system lets it be (net.core.somaxconn): what comes while it
 * is full is lost, and a peer tries again only after 1, 3, 7 s.
 */
#define BACKLOG 65535

static int explain_in_use(unsigned port, struct error *err)
{
	struct port_owner owner;

	if (!port_owner_find((uint16_t)port, &owner)) {
		error_set(err, ERR_CONNECT, "port %u is in use", port);
		return error_hint(err, "end the program that has it, or take "
				       "another port (0 picks a free one)");
	}
	error_set(err, ERR_CONNECT, "port %u is in use by '%s' (process %d)",
		  port, owner.program, owner.pid);
	if (!strcmp(owner.program, "mcpctl"))
		return error_hint(err,
				  "that is another mcpctl: end it ('mcpctl "
				  "stop' ends a serve), or take another port "
				  "(0 picks a free one)");
	return error_hint(err, "end it, or take another port (0 picks a free "
			       "one)");
}

static int explain(const char *host, unsigned port, int error,
		   struct error *err)
{
	switch (error) {
	case EADDRINUSE:
		explain_in_use(port, err);
		break;
	case EACCES:
	case EPERM:
		error_set(err, ERR_CONNECT,
			  "no permission to listen on port %u", port);
		error_hint(err, "ports below 1024 are for root; take another, "
				"such as 8000");
		break;
	case EADDRNOTAVAIL:
		error_set(err, ERR_CONNECT, "this machine has no address '%s'",
			  host ? host : "any");
		error_hint(err, "leave the host out to listen on all of them");
		break;
	default:
		error_set(err, ERR_CONNECT, "cannot listen on port %u: %s",
			  port, strerror(error));
	}
	return error_code(err, error);
}

static int listen_at(const struct sockaddr *address, socklen_t len)
{
	const int on = 1, off = 0;
	int error;
	int fd = socket(address->sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, address, len) && !listen(fd, BACKLOG))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int listen_on_all(uint16_t port)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_addr = in6addr_any,
				   .sin6_port = htons(port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = listen_at((struct sockaddr *)&v6, sizeof(v6));

	/* A machine without IPv6 fails in one of these ways. */
	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL ||
		       errno == EPROTONOSUPPORT))
		fd = listen_at((struct sockaddr *)&v4, sizeof(v4));
	return fd;
}

/* A name can have both kinds of address; a device can reach only IPv4. */
static const struct addrinfo *choose(const struct addrinfo *list)
{
	for (const struct addrinfo *i = list; i; i = i->ai_next) {
		if (i->ai_family == AF_INET)
			return i;
	}
	return list;
}

int front_bind(const char *host, uint16_t port, struct error *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE },
			*list = NULL;
	const struct addrinfo *found;
	char service[8];
	int fd, status;

	if (!host) {
		fd = listen_on_all(port);
		return fd < 0 ? explain(NULL, port, errno, err) : fd;
	}
	snprintf(service, sizeof(service), "%u", (unsigned)port);
	status = getaddrinfo(host, service, &hints, &list);
	if (status || !list) {
		error_set(err, ERR_CONNECT, "cannot find the host '%s': %s",
			  host, gai_strerror(status));
		return error_hint(err, "leave the host out to listen on all "
				       "addresses of this machine");
	}
	found = choose(list);
	fd = listen_at(found->ai_addr, found->ai_addrlen);
	status = errno;
	freeaddrinfo(list);
	return fd < 0 ? explain(host, port, status, err) : fd;
}
