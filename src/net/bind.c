/* SPDX-License-Identifier: MIT */
/* Sockets of ours that others reach, and why there is none; see the header. */
#include "net/bind.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/port_parts.h"

/* ---- TCP ---- */

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
		return error_hint(
			err,
			"end the program that has it, or take another port (0 picks a free one)");
	}
	error_set(err, ERR_CONNECT, "port %u is in use by '%s' (process %d)",
		  port, owner.program, owner.pid);
	if (strcmp(owner.program, "mcpctl") == 0)
		return error_hint(
			err,
			"that is another mcpctl: end it ('mcpctl stop' ends a serve), or take another port (0 picks a free one)");
	return error_hint(err,
			  "end it, or take another port (0 picks a free one)");
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
		error_hint(
			err,
			port < 1024 ?
				"ports below 1024 need root, or CAP_NET_BIND_SERVICE; take another, such as 8000" :
				"a rule of this machine forbids it (SELinux, a sandbox, a container?)");
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

int bind_tcp(const char *host, uint16_t port, struct error *err)
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
		return error_hint(
			err,
			"leave the host out to listen on all addresses of this machine");
	}
	found = choose(list);
	fd = listen_at(found->ai_addr, found->ai_addrlen);
	status = errno;
	freeaddrinfo(list);
	return fd < 0 ? explain(host, port, status, err) : fd;
}

/* ---- UDP ---- */

static int bind_datagrams(const char *host, uint16_t port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found;
	char service[8];
	int fd, off = 0;

	snprintf(service, sizeof(service), "%u", (unsigned)port);
	if (getaddrinfo(host, service, &hints, &found)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    0);
	if (fd >= 0 && found->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen)) {
		int error = errno;

		close(fd);
		fd = -1;
		errno = error;
	}
	freeaddrinfo(found);
	return fd;
}

static int explain_udp(const char *host, uint16_t port, int error,
		       struct error *err)
{
	struct port_owner owner;

	if (error == EADDRINUSE && port_owner_find_udp(port, &owner))
		error_set(
			err, ERR_CONNECT,
			"the UDP port %u, for audio, is in use by '%s' (process %d)",
			(unsigned)port, owner.program, owner.pid);
	else
		error_set(err, ERR_CONNECT,
			  "cannot open the UDP port %u for audio%s%s: %s",
			  (unsigned)port, host ? " on " : "", host ? host : "",
			  strerror(error));
	if (error == EACCES && port > 0 && port < 1024)
		error_hint(
			err,
			"ports below 1024 need root, or CAP_NET_BIND_SERVICE: take another one with --udp-port");
	else if (error == EADDRNOTAVAIL)
		error_hint(err,
			   "--listen must name an address of this machine");
	else if (error == EADDRINUSE)
		error_hint(
			err,
			"take another port with --udp-port, or any free one without it");
	return error_code(err, error);
}

int bind_udp(const char *host, uint16_t port, struct error *err)
{
	int fd = bind_datagrams(host ? host : "::", port);

	if (fd < 0 && !host && errno != EADDRINUSE && errno != EACCES)
		fd = bind_datagrams("0.0.0.0", port);
	if (fd >= 0)
		return fd;
	return explain_udp(host, port, errno, err);
}
