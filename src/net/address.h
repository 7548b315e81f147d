/* SPDX-License-Identifier: MIT */
/*
 * Hosts, ports and socket addresses as text: checked, taken apart, printed.
 * Looks nothing up.
 */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <netdb.h>

#include "base/buf.h"
#include "base/error.h"

struct authority {
	char host[256]; /* without brackets; "" if none was given */
	bool has_port;
	uint16_t port;
};

/*
 * "HOST", "HOST:PORT", ":PORT", "[IPV6]", "[IPV6]:PORT" of len bytes. HOST is
 * a name or an IPv4 address. -1 (ERR_USAGE): what is wrong with which part;
 * the caller says what the whole is.
 */
int authority_parse(struct authority *out, const char *text, size_t len,
		    struct error *err);

/* Append "host:port", an IPv6 address in brackets; port 0 is left out. */
void authority_print(struct buf *out, const char *host, uint16_t port);

#define ADDRESS_TEXT_MAX 64

/*
 * "192.168.1.7:51234", "[::1]:80"; an IPv4 address inside IPv6 is shown as
 * IPv4. Port 0, which is not known, is left out.
 */
void address_print(const struct sockaddr *sa, char *out, size_t size);

/* The same without the port (and without brackets). */
void address_print_host(const struct sockaddr *sa, char *out, size_t size);

/* This machine itself, by its name or a loopback address. */
bool address_is_here(const char *host);
/* A number of a private net or of this link (RFC 1918, 4193, 3927, 4291). */
bool address_is_private(const char *host);

/* Bytes of the host in what address_print gave, with its brackets. */
size_t address_host_length(const char *text);

uint16_t address_port(const struct sockaddr *sa);

/*
 * Addresses of this machine that a device may reach, the default route's
 * first, loopback last and only if there is no other. Copies into out.
 */
size_t local_addresses(char (*out)[64], size_t max);

/*
 * The address from which we would send to a device ("192.168.1.7", or with a
 * port; a number): nothing is sent. False: there is no way to it.
 */
bool local_address_towards(const char *device, char *out, size_t size);

#endif
