/* SPDX-License-Identifier: MIT */
/*
 * The page of serve: its boards in a browser, live; their tools as forms, what
 * was found, pictures, the capture. For who may see it (serve/pages_access.h); all
 * others get the page of the port. It works without a script, which only keeps
 * it live; nothing on it comes from anywhere else.
 *
 *   /                     the boards; ?q=WORDS, ?from=N
 *   /boards/ID            one of them; ?from=N of its tools
 *   /boards/ID/call       POST: a form of that page
 *   /events               an event stream of the rows that changed
 *   /findings/CODE        its story
 *   /pictures/N, /trace   files
 *   /web/…                style and script
 *   /login, /logout       where there is a token
 */
#ifndef SERVE_PAGES_H
#define SERVE_PAGES_H

#include "serve/serve_state.h"

struct web_pages;
/* At the door of s, which is open. -1: as pages_access_open. */
int pages_open(struct web_pages **out, struct serve *s, struct error *err);
/* Before the door is closed: nobody is answered any more; then closed(owner). */
void pages_close(struct web_pages *w, void (*closed)(void *owner), void *owner);

#endif
