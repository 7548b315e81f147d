/* SPDX-License-Identifier: MIT */
/*
 * Hosts, ports and socket addresses as text, and those of this machine. No
 * look-ups.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"

/*
 * Hosts, ports and socket addresses as text. No look-ups.
 */

static bool is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

static int parse_port(struct authority *out, const char *text, size_t len,
		      struct error *err)
{
	char copy[8];
	int64_t port;

	if (len == 0)
		return error_set(err, ERR_USAGE, "no port follows the ':'");
	if (len >= sizeof(copy))
		return error_set(err, ERR_USAGE,
				 "the port '%.*s' is not between 0 and 65535",
				 (int)(len < 40 ? len : 40), text);
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (text_integer(copy, 0, UINT16_MAX, &port))
		return error_set(err, ERR_USAGE,
				 "the port '%s' is not between 0 and 65535",
				 copy);
	out->port = (uint16_t)port;
	out->has_port = true;
	return 0;
}

static int parse_ipv6(struct authority *out, const char *text, size_t len,
		      struct error *err)
{
	const char *end = memchr(text, ']', len);
	struct in6_addr address;
	size_t host_len, zone;
	char copy[sizeof(out->host)];

	if (!end)
		return error_set(err, ERR_USAGE, "the '[' is not closed");
	host_len = (size_t)(end - text) - 1;
	if (host_len >= sizeof(out->host))
		return error_set(err, ERR_USAGE, "the host is too long");
	memcpy(out->host, text + 1, host_len);
	out->host[host_len] = '\0';
	zone = strcspn(out->host, "%");
	memcpy(copy, out->host, zone);
	copy[zone] = '\0';
	if (inet_pton(AF_INET6, copy, &address) != 1)
		return error_set(err, ERR_USAGE, "'%.60s' is no IPv6 address",
				 out->host);
	for (const char *p = out->host + zone; *p; p++) {
		if (*p != '%' && !is_host_char(*p))
			return error_set(err, ERR_USAGE,
					 "'%.60s' is no IPv6 address",
					 out->host);
	}
	text += host_len + 2;
	len -= host_len + 2;
	if (len == 0)
		return 0;
	if (*text != ':')
		return error_set(err, ERR_USAGE,
				 "only ':PORT' may follow the ']'");
	return parse_port(out, text + 1, len - 1, err);
}

int authority_parse(struct authority *out, const char *text, size_t len,
		    struct error *err)
{
	const char *colon = memchr(text, ':', len);
	size_t host_len = colon ? (size_t)(colon - text) : len;

	*out = (struct authority){ 0 };
	if (len > 0 && *text == '[')
		return parse_ipv6(out, text, len, err);
	if (colon && memchr(colon + 1, ':', len - host_len - 1))
		return error_set(
			err, ERR_USAGE,
			"an IPv6 address is written in brackets, [::1]:8000");
	if (host_len >= sizeof(out->host))
		return error_set(err, ERR_USAGE, "the host is too long");
	for (size_t i = 0; i < host_len; i++) {
		if (!is_host_char(text[i]))
			return error_set(
				err, ERR_USAGE,
				"the host '%.*s' has a character that no host has",
				(int)host_len, text);
	}
	memcpy(out->host, text, host_len);
	out->host[host_len] = '\0';
	if (!colon)
		return 0;
	return parse_port(out, colon + 1, len - host_len - 1, err);
}

void authority_print(struct buf *out, const char *host, uint16_t port)
{
	if (strchr(host, ':'))
		buf_printf(out, "[%s]", host);
	else
		buf_text(out, host);
	if (port)
		buf_printf(out, ":%u", (unsigned)port);
}

uint16_t address_port(const struct sockaddr *sa)
{
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		return ntohs(v4.sin_port);
	}
	if (sa->sa_family == AF_INET6) {
		memcpy(&v6, sa, sizeof(v6));
		return ntohs(v6.sin6_port);
	}
	return 0;
}

void address_print_host(const struct sockaddr *sa, char *out, size_t size)
{
	static const char mapped[] = "::ffff:";
	socklen_t len = sizeof(struct sockaddr_in);
	char text[NI_MAXHOST];

	if (sa->sa_family == AF_INET6)
		len = sizeof(struct sockaddr_in6);
	if ((sa->sa_family != AF_INET && sa->sa_family != AF_INET6) ||
	    getnameinfo(sa, len, text, sizeof(text), NULL, 0, NI_NUMERICHOST)) {
		snprintf(out, size, "unknown");
		return;
	}
	if (strncmp(text, mapped, sizeof(mapped) - 1) == 0 && strchr(text, '.'))
		snprintf(out, size, "%s", text + sizeof(mapped) - 1);
	else
		snprintf(out, size, "%s", text);
}

void address_print(const struct sockaddr *sa, char *out, size_t size)
{
	char host[ADDRESS_TEXT_MAX];
	unsigned port = address_port(sa);
	const char *open, *end;

	address_print_host(sa, host, sizeof(host));
	open = strchr(host, ':') ? "[" : "";
	end = *open ? "]" : "";

	if (port)
		snprintf(out, size, "%s%s%s:%u", open, host, end, port);
	else
		snprintf(out, size, "%s%s%s", open, host, end);
}

size_t address_host_length(const char *text)
{
	const char *bracket = strchr(text, ']');

	return bracket ? (size_t)(bracket - text) + 1 : strcspn(text, ":");
}

/* Not by how it begins: 127.evil.example is a name. */
bool address_is_here(const char *host)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return text_same(host, "localhost") || strcmp(host, "::1") == 0;
}

bool address_is_private(const char *host)
{
	static const struct {
		unsigned char bytes[2], mask[2];
	} nets[] = { { { 10, 0 }, { 255, 0 } },
		     { { 172, 16 }, { 255, 240 } },
		     { { 192, 168 }, { 255, 255 } },
		     { { 169, 254 }, { 255, 255 } } };
	unsigned char number[16];
	CLEANUP(mem_free_ptr)
	char *bare = mem_strndup(host, strcspn(host, "%"));

	if (inet_pton(AF_INET6, bare, number) == 1)
		return (number[0] & 0xfe) == 0xfc ||
		       (number[0] == 0xfe && (number[1] & 0xc0) == 0x80);
	if (inet_pton(AF_INET, bare, number) != 1)
		return false;
	for (size_t i = 0; i < COUNT(nets); i++) {
		if ((number[0] & nets[i].mask[0]) == nets[i].bytes[0] &&
		    (number[1] & nets[i].mask[1]) == nets[i].bytes[1])
			return true;
	}
	return false;
}

/*
 * The addresses by which a device may reach this machine. Stock firmware
 * takes IPv4 or names only (device.md 1.2), so IPv4 is what is listed.
 */

/*
 * The interface of the default route with the lowest metric: a line of
 * /proc/net/route is interface, destination, gateway, flags, …, metric, mask.
 */
static void default_interface(char *out, size_t size)
{
	FILE *file = fopen("/proc/net/route", "re");
	unsigned long best = ULONG_MAX;
	char line[256];

	*out = '\0';
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		unsigned long metric = ULONG_MAX;
		char *rest = line, *word;

		for (int column = 0; (word = strsep(&rest, "\t")); column++) {
			if (column == 1 && strcmp(word, "00000000") != 0)
				break;
			if (column == 6)
				metric = strtoul(word, NULL, 10);
		}
		if (metric >= best)
			continue;
		best = metric;
		snprintf(out, size, "%.15s", line);
	}
	fclose(file);
}

static bool usable(const struct ifaddrs *i)
{
	return i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
	       (i->ifa_flags & IFF_UP) && (i->ifa_flags & IFF_RUNNING);
}

/* 0: of the default route, 1: another, 2: loopback */
static int rank(const struct ifaddrs *i, const char *first)
{
	if (i->ifa_flags & IFF_LOOPBACK)
		return 2;
	return *first && strcmp(i->ifa_name, first) == 0 ? 0 : 1;
}

size_t local_addresses(char (*out)[64], size_t max)
{
	struct ifaddrs *list, *i;
	char first[IF_NAMESIZE];
	size_t count = 0;

	if (getifaddrs(&list))
		return 0;
	default_interface(first, sizeof(first));
	for (int want = 0; want <= 2; want++) {
		if (want == 2 && count > 0)
			break;
		for (i = list; i && count < max; i = i->ifa_next) {
			if (!usable(i) || rank(i, first) != want)
				continue;
			address_print_host(i->ifa_addr, out[count++], 64);
		}
	}
	freeifaddrs(list);
	return count;
}

bool local_address_towards(const char *device, char *out, size_t size)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM,
				  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof(own);
	struct addrinfo *found;
	struct authority a;
	bool good;
	int fd;

	/* A bare IPv6 address is none that it takes. */
	if (authority_parse(&a, device, strlen(device), NULL))
		snprintf(a.host, sizeof(a.host), "%s", device);
	if (getaddrinfo(a.host, "9", &hints, &found))
		return false;
	fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	good = fd >= 0 && !connect(fd, found->ai_addr, found->ai_addrlen) &&
	       !getsockname(fd, (struct sockaddr *)&own, &len);
	if (good)
		address_print_host((const struct sockaddr *)&own, out, size);
	if (fd >= 0)
		close(fd);
	freeaddrinfo(found);
	return good;
}
