/* SPDX-License-Identifier: MIT */
/*
 * Whom an id names that a user wrote (an alias, a token's line). Pure. A board
 * is who its Device-Id says: that is what a token or a signature is bound to.
 * What it tells beside it, as its Client-Id, anybody can copy.
 */
#ifndef SERVE_BOARD_ID_H
#define SERVE_BOARD_ID_H

#include "base/base.h"

/*
 * id is its Device-Id, without case; its client id only where it told no
 * Device-Id, or where that client id itself names the same Device-Id
 * (device.md 2.1). NULL fits nothing.
 */
bool board_id_is(const char *id, const char *device_id, const char *client_id);

/* "aa:bb:cc:dd:ee:ff": no client id has this form. */
bool board_id_is_mac(const char *text);

#endif
