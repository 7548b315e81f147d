/* SPDX-License-Identifier: MIT */
/*
 * Addresses, numbers and versions as the board's own parsers take them
 * (device.md 1.2, 2.1, 5.4): for who plays a board, and for who judges what
 * boards are told.
 */
#ifndef WIRE_BOARD_TEXT_H
#define WIRE_BOARD_TEXT_H

#include "base/base.h"

enum board_url_fault {
	BOARD_URL_GOOD,
	BOARD_URL_NO_SCHEME, /* no "://" */
	BOARD_URL_BLANK, /* a blank or control character, which breaks lines */
	BOARD_URL_NO_NUMBER, /* as the port: the board restarts */
	BOARD_URL_NO_PORT, /* a number, and none of 1 to 65535 */
	BOARD_URL_NO_HOST
};

/* All is lent from the text; parts behind the fault are not set. */
struct board_url {
	enum board_url_fault fault;
	bool tls;
	const char *host;
	size_t host_len;
	const char *path; /* with its query, to the end of the text; "/" */
	uint16_t port; /* the scheme's own where none is given */
	bool has_port; /* another one than the scheme's own */
	bool more_port; /* text behind the port's number, which is not read */
	bool lost_query; /* there is no path before it */
	const char *port_text; /* as it was written; NULL: there is none */
	size_t port_len;
};

/* False: there is a fault. */
bool board_url_read(struct board_url *out, const char *text);

/* "host" or "host:port", of an MQTT endpoint; all is lent. */
struct board_endpoint {
	enum board_url_fault fault; /* NO_NUMBER, NO_HOST, NO_PORT */
	size_t host_len; /* the host stands at the front of the text */
	int port; /* BOARD_PORT_TLS where none is given */
	bool tls; /* that port means it, and no other does */
};
#define BOARD_PORT_TLS 8883
bool board_endpoint_read(struct board_endpoint *out, const char *text);

/*
 * Parts of a version, numbers between dots: "2.4.2", "2.4.2-x", ""; not
 * "v2.4.2", not "2..1". False: the board's parser throws at one. Counts those
 * behind max as well, and does not keep them.
 */
bool board_version_read(const char *version, int *part, size_t max,
			size_t *count);
/* Whether the board takes it for a newer one; both can be read. */
bool board_version_newer(const char *offered, const char *own);

#endif
