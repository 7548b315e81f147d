/* SPDX-License-Identifier: MIT */
/* What is changed in an answer to OTA. */
#ifndef PROXY_WEB_OTA_H
#define PROXY_WEB_OTA_H

#include "proxy/web.h"

/*
 * web_ota.c: what is changed in an answer to OTA, so that the board comes
 * through us. board_version: what it runs; NULL. changes: a line each.
 */
void web_ota_edit(struct web_leg *l, struct span body, const char *device,
		  const char *board_version, struct edits *edits,
		  struct buf *changes);

#endif
