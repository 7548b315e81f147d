/* SPDX-License-Identifier: MIT */
/*
 * Of what is sure: loopback, no address at all (RFC 1122 3.2.1.3), link-local
 * (RFC 3927), multicast (RFC 1112), names that containers alone know. Of what
 * is likely: Docker's own networks, seen from another private one (RFC 1918).
 */
#include "diag/reach.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "wire/board_text.h"

#define HOST_MOST 128 /* a longer one is no number, and none of the names */

/* Of a number like 127.0.0.1, perhaps with a port. False: a name, or another thing. */
static bool number_of(const char *text, uint32_t *out)
{
	char number[INET_ADDRSTRLEN];
	struct in_addr address;
	size_t len = text ? strcspn(text, ":") : 0;

	if (!len || len >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	if (inet_pton(AF_INET, number, &address) != 1)
		return false;
	*out = ntohl(address.s_addr);
	return true;
}

static bool within(uint32_t address, uint32_t network, int bits)
{
	return (address ^ network) >> (32 - bits) == 0;
}

static bool is_loopback(uint32_t address)
{
	return within(address, 0x7f000000, 8);
}

/* Of mqtt://USER@HOST:PORT/…, which no board reads. */
static void broker_host(const char *url, char out[HOST_MOST])
{
	const char *host = strstr(url, "://") + 3;
	size_t len = strcspn(host, "/?");
	const char *at = memchr(host, '@', len);

	if (at) {
		len -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	len = *host == '[' ? len : strcspn(host, ":/?");
	if (len < HOST_MOST)
		snprintf(out, HOST_MOST, "%.*s", (int)len, host);
}

/* The host by which it was asked; "" if that is not known. */
static void asked_host(const struct reach_from *from, char out[HOST_MOST])
{
	struct board_url u;

	out[0] = '\0';
	if (from->asked && (text_starts(from->asked, "mqtt://") ||
			    text_starts(from->asked, "mqtts://")))
		broker_host(from->asked, out);
	else if (from->asked && board_url_read(&u, from->asked) &&
		 u.host_len < HOST_MOST)
		snprintf(out, HOST_MOST, "%.*s", (int)u.host_len, u.host);
}

/* A pretend board: on the machine that answers, or of a cable alone. */
static bool is_here(const struct reach_from *from, const char *asked)
{
	uint32_t address;

	if (from->board &&
	    (strcmp(from->board, "::1") == 0 ||
	     text_starts(from->board, "[::1]") ||
	     (number_of(from->board, &address) &&
	      (is_loopback(address) || within(address, 0xa9fe0000, 16)))))
		return true;
	return text_same(asked, "localhost") ||
	       (number_of(asked, &address) &&
		(is_loopback(address) || address == 0));
}

static const char *name_is_of(const char *host)
{
	if (text_same(host, "localhost"))
		return "to the board that is the board itself";
	if (text_same(host, "host.docker.internal") ||
	    text_same(host, "gateway.docker.internal"))
		return "containers alone know that name";
	return NULL;
}

static const char *never(uint32_t address)
{
	if (is_loopback(address))
		return "to the board that is the board itself";
	if (within(address, 0, 8))
		return "that means every address, and is none";
	if (within(address, 0xa9fe0000, 16))
		return "link-local, which a board never has";
	if (address >= 0xe0000000)
		return "that is no address of one host";
	return NULL;
}

/* 172.16.0.0/12, where Docker makes its networks. */
static bool is_docker(uint32_t address)
{
	return within(address, 0xac100000, 12);
}

static bool is_of_a_home(uint32_t address)
{
	return within(address, 0xc0a80000, 16) ||
	       within(address, 0x0a000000, 8);
}

static enum reach likely(const struct reach_from *from, const char *asked,
			 uint32_t host, char why[REACH_WHY])
{
	const char *seen = from->board;
	uint32_t board;

	if (!number_of(seen, &board)) {
		seen = asked;
		if (!number_of(seen, &board))
			return REACH_OPEN;
	}
	if (!is_docker(host) || !is_of_a_home(board))
		return REACH_OPEN;
	snprintf(why, REACH_WHY, "a network as of containers; %s is at %.20s",
		 seen == asked ? "OTA" : "the board", seen);
	return REACH_UNLIKELY;
}

enum reach reach_judge(const struct reach_from *from, const char *host,
		       size_t len, char why[REACH_WHY])
{
	char name[HOST_MOST], asked[HOST_MOST];
	const char *reason;
	uint32_t address;

	why[0] = '\0';
	if (len >= sizeof(name))
		return REACH_OPEN;
	snprintf(name, sizeof(name), "%.*s", (int)len, host);
	asked_host(from, asked);
	/* Where it asked, it got an answer. */
	if (is_here(from, asked) || strcmp(name, asked) == 0)
		return REACH_OPEN;
	reason = number_of(name, &address) ? never(address) : name_is_of(name);
	if (reason) {
		snprintf(why, REACH_WHY, "%s", reason);
		return REACH_NEVER;
	}
	return number_of(name, &address) ? likely(from, asked, address, why) :
					   REACH_OPEN;
}
