/* SPDX-License-Identifier: MIT */
/* A WebSocket, passed and read beside. */
#ifndef PROXY_WEB_WS_H
#define PROXY_WEB_WS_H

#include "proxy/web.h"

void web_websocket(struct web_place *at, int fd, const struct front_head *head);

#endif
