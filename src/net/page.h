/* SPDX-License-Identifier: MIT */
/*
 * What a browser gets from a listening port: plain HTML, no script, nothing
 * loaded from elsewhere.
 */
#ifndef NET_PAGE_H
#define NET_PAGE_H

#include "base/buf.h"

/* Up to the heading, and the end. */
void page_start(struct buf *out);
void page_end(struct buf *out);

/* Text of anybody's, as text: nothing in it is markup, and it stays on its line. */
void page_text(struct buf *out, const char *text);

/* The OTA address that belongs to host, as the browser named us. */
void page_address(struct buf *out, const char *host);

#endif
