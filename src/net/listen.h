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

#include "net/address.h"
#include "net/port.h"
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

#define OTA_REMEMBERED 16

struct listen {
	struct transport *transport;
	struct transport inner; /* the WebSocket of the device that is served */
	struct share share; /* of that, to its end */
	const struct front_table *front_table;
	const struct ws_table *ws_table;
	struct front *front;
	struct timer timer;

	char *host; /* NULL: all addresses */
	char *path; /* the only one accepted; NULL: any */
	struct words tokens;
	size_t message_max;
	uint16_t port;
	char *advertised_ws, *advertised_ota; /* by --advertise; NULL */
	bool behind_proxy; /* --advertise was a URL */
	char *ota_url; /* the first that is shown */

	struct knocks knocks;
	struct ota_request asked[OTA_REMEMBERED];
	size_t asked_count; /* all so far */

	bool serving; /* a device has the place, from the upgrade on */
	bool ready; /* and the owner knows */
	bool superseded; /* it dialled in again: what is open is dead */
	bool closing, front_open, holds_ws;
	char served[ADDRESS_TEXT_MAX], served_id[64];
	struct error why;
};
/* True if some token is acceptable: `given` is "Bearer T" or T (NULL: none). Takes the same time for all. */
bool listen_token_fits(const struct words *tokens, const char *given);

/* The HTML page. host: as the browser named us; device: NULL if none is connected. */
void listen_page(struct buf *out, const char *host, const char *device);

#endif
