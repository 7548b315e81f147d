/* SPDX-License-Identifier: MIT */
/*
 * What the files of listen: share: the target with its one device, and what
 * was heard from boards that asked OTA.
 */
#ifndef NET_LISTEN_PRIVATE_H
#define NET_LISTEN_PRIVATE_H

#include "net/address.h"
#include "net/listen.h"
#include "net/ota_door.h"
#include "net/port_parts.h"

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

/* Tell the owner; text is lent. */
void listen_notice(struct listen *l, enum notice_kind kind, const char *address,
		   const char *text);
/* Something came: count it, note whether from another machine. */
void listen_knock(struct listen *l, const char *address, const char *local);

/* listen_http.c */
void listen_http(void *owner, struct front_request *rq,
		 const struct front_head *head, const char *body, size_t len);
/* What this device told when it asked OTA; NULL if it did not. */
const struct ota_request *listen_asked(const struct listen *l,
				       const char *device_id);

/* listen_upgrade.c */
int listen_upgrade(void *owner, int fd, const struct front_head *head,
		   const char **reason);
/* True if some token is acceptable: `given` is "Bearer T" or T (NULL: none). Takes the same time for all. */
bool listen_token_fits(const struct words *tokens, const char *given);

/* listen_page.c: the HTML page. host: as the browser named us; device: NULL if none is connected. */
void listen_page(struct buf *out, const char *host, const char *device);

/* listen_text.c */

/* The text of NOTICE_LISTENING; sets l->ota_url. */
void listen_describe(struct listen *l, struct buf *out);

#endif
