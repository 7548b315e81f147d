/* SPDX-License-Identifier: MIT */
/*
 * The password of an MQTT device (device.md 2.1): a signature of its client
 * id and user name. Linked into our plugin for the broker and into the module
 * mqtt, since it needs libcrypto.
 */
#ifndef BROKER_SIGN_H
#define BROKER_SIGN_H

#include "base/buf.h"

/* base64(HMAC-SHA256(key, client_id + "|" + user)), appended. */
void broker_sign(struct buf *out, const struct buf *key, const char *client_id,
		 const char *user);

#endif
