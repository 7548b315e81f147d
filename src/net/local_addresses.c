/* SPDX-License-Identifier: MIT */
/*
 * The addresses by which a device may reach this machine. Stock firmware
 * takes IPv4 or names only (device.md 1.2), so IPv4 is what is listed.
 */
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "net/listen.h"

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
	return *first && !strcmp(i->ifa_name, first) ? 0 : 1;
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
