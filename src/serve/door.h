/* SPDX-License-Identifier: MIT */
/*
 * The listening ports of serve: OTA, activation, the page, vision and
 * snapshot uploads, and the WebSocket upgrade of devices. Files: door.c
 * (open, route, close), door_ota.c, door_memory.c (who asked it), door_page.c,
 * door_file.c (forms, files), door_vision.c (the answer), door_upgrade.c.
 */
#ifndef SERVE_DOOR_H
#define SERVE_DOOR_H

#include "base/error.h"

struct buf;
struct board;
struct door;
struct serve;

/* All of config.listen, or none. -1 as front open. */
int door_open(struct door **out, struct serve *s, struct error *err);
/* RECORD_LISTENING: addresses, what to set on the board, the page. */
void door_describe(struct door *d);
/* Stop listening; then released, and closed(owner). */
void door_close(struct door *d, void (*closed)(void *owner), void *owner);

/* Sockets that all ports together may have, of devices too. */
size_t door_places(const struct serve *s);
/* The first port, for others to build addresses with. */
uint16_t door_port(const struct door *d);
/* The addresses for `status`: "http://192.168.1.2:8000/xiaozhi/ota/" … as JSON texts in an array, appended. */
void door_addresses(const struct door *d, struct buf *out);

/*
 * The vision URL for a device: --advertise; else as its own connection reached
 * us (the Host of its upgrade, our end of its socket); else as we reach it;
 * yours. NULL: no address is known. Nobody else has a say in it. That it is
 * another one than the last time is recorded.
 */
char *door_vision_url(struct door *d, const struct board *device);

/*
 * An address that this device may upload one picture to, within 10 minutes;
 * yours. It holds a secret. NULL as above.
 */
char *door_upload_url(struct door *d, const struct board *device);

/*
 * What this device told when it asked OTA here from that address (NULL: it is
 * not known); NULL. Lent until the next question.
 */
const struct ota_request *
door_asked(const struct door *d, const char *device_id, const char *address);
/* The same by the MQTT client id that was given to it. */
const struct ota_request *door_asked_client(const struct door *d,
					    const char *client_id,
					    const char *address);
/* Whether it asked before, first from another address than this. */
bool door_asked_elsewhere(const struct door *d, const char *device_id,
			  const char *address);

#endif
