/* SPDX-License-Identifier: MIT */
/*
 * listen: one device dials in. The port answers the device's OTA question,
 * shows a page to a browser, checks path and token, refuses a second device,
 * takes a device that dials again for restarted (its old connection ends),
 * counts whatever knocks, and can say which step is missing (explain).
 * Built on front and ws, which are loaded when it is opened.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include "net/transport.h"

extern const struct transport_ops listen_ops;

/* The port of an open listen: transport; 0 for any other. */
uint16_t listen_port(const struct transport *t);

/* What knocked so far, for explain and for tests. */
struct knocks {
	unsigned connections; /* anything at all */
	unsigned browser, tls, noise, ota, activate, wrong_path, wrong_token,
		refused, upgraded,
		foreign; /* pages of others, names that are not ours */
	bool lan; /* something came from another machine than this one */
	char ota_board[96], ota_version[48],
		ota_address[64]; /* of the last OTA question */
	char wrong_path_text[128]; /* the last wrong path */
	char foreign_text[200], foreign_hint[256]; /* of the last one */
};

/* The first missing step in words: pure. err becomes ERR_CONNECT with a hint. `ota_url` is the address to set. */
int knocks_explain(const struct knocks *k, const char *ota_url,
		   struct error *err);

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
