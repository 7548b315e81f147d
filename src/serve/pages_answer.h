/* SPDX-License-Identifier: MIT */
/*
 * Answers to browsers: a page, a notice, another address; each with the headers
 * that keep pages of others, and scripts, away from it.
 */
#ifndef SERVE_PAGES_ANSWER_H
#define SERVE_PAGES_ANSWER_H

#include "base/buf.h"
#include "net/front.h"

/* Nothing but what this port sends is loaded, run, or asked. */
void answer_guards(struct headers *h);

void answer_page(const struct front_table *front, struct front_request *rq,
		 int status, const struct buf *page);
/* html_notice, with a way back to all boards. */
void answer_notice(const struct front_table *front, struct front_request *rq,
		   int status, const char *title, const char *words);
/* 303; cookie: the value of Set-Cookie, NULL. */
void answer_go(const struct front_table *front, struct front_request *rq,
	       const char *where, const char *cookie);

#endif
