/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd on the loop: requests come in, are judged, and go to the owner.
 */
#ifndef NET_FRONT_HTTP_H
#define NET_FRONT_HTTP_H

#include "net/front_private.h"

int front_http_open(struct front *f, struct error *err);
void front_http_add(struct front *f, int fd, const struct visitor *v);
void front_http_close(struct front *f);

#endif
