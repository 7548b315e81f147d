/* SPDX-License-Identifier: MIT */
/*
 * The OTA question at a listening port: which address boards must be given,
 * and what one told that asked. For listen: and serve.
 */
#ifndef NET_OTA_DOOR_H
#define NET_OTA_DOOR_H

#include "base/split.h"
#include "net/front.h"
#include "wire/ota.h"

#define OTA_PATH "/xiaozhi/ota/"
/* Where a device is sent when no path is named. */
#define DEVICE_PATH "/xiaozhi/v1/"

/*
 * --advertise HOST, HOST:PORT or a ws:// or wss:// URL: the URL for devices and
 * the OTA address that belongs to it; yours. -1 (ERR_USAGE): it is none of these.
 */
int ota_advertise(const char *text, uint16_t port, const char *path,
		  char **ws_url, char **ota_url, struct error *err);

/* The OTA addresses of a port that is open on host (NULL, 0.0.0.0, ::: all), best first, added. */
void ota_addresses(struct words *out, const char *host, uint16_t port);

/*
 * What the board tells, from headers and body. Filled also if the body is no
 * JSON: -1 (ERR_PROTOCOL) then.
 */
int ota_read(struct ota_request *out, const struct front_head *head,
	     const char *body, size_t len, struct error *err);

/* Board and version of it, also if only its User-Agent tells them; "" if unknown. */
struct ota_board {
	char name[96], version[48];
};
void ota_board(struct ota_board *out, const struct ota_request *rq);

/* "asked OTA: board 'NAME', version V (DATE)", as far as it told; appended. */
void ota_describe(struct buf *out, const struct ota_request *rq);

#endif
