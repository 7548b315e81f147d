/* SPDX-License-Identifier: MIT */
/* A request over HTTP, passed; the answer to OTA held and edited. */
#ifndef PROXY_WEB_HTTP_H
#define PROXY_WEB_HTTP_H

#include "proxy/web.h"

/* The events of the front. */
void web_http(struct web_place *at, int fd, const struct front_head *head);

#endif
