/* SPDX-License-Identifier: MIT */
/* A board as serve tells of it, in the words of the bridge. Pure. */
#ifndef BRIDGE_TOLD_BOARD_H
#define BRIDGE_TOLD_BOARD_H

#include "base/json.h"
#include "bridge/bridge_peer.h"

/* *reason: why it is not ready, in words; yours; NULL: that is not told. */
enum peer_state told_board_state(const cJSON *device, char **reason);
/* Board and version; yours. NULL: neither is told. */
char *told_board_about(const cJSON *device);
/* Its alias, else its name, else the end of its id; yours. */
char *told_board_prefix(const cJSON *device, const char *id);

#endif
