/* SPDX-License-Identifier: MIT */
#include "serve/pages_answer.h"

#include "serve/pages_parts.h"

#define HTML_TYPE "text/html; charset=utf-8"

void answer_guards(struct headers *h)
{
	headers_add(
		h, "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
	headers_add(h, "X-Content-Type-Options", "nosniff");
	headers_add(h, "X-Frame-Options", "DENY");
	headers_add(h, "Cross-Origin-Resource-Policy", "same-origin");
	headers_add(h, "Cross-Origin-Opener-Policy", "same-origin");
	/* Not "no-referrer": browsers send "Origin: null" with forms then. */
	headers_add(h, "Referrer-Policy", "same-origin");
}

void answer_page(const struct front_table *front, struct front_request *rq,
		 int status, const struct buf *page)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	answer_guards(&h);
	front->reply_with(rq, status, HTML_TYPE, &h, buf_string(page),
			  page->len);
}

void answer_notice(const struct front_table *front, struct front_request *rq,
		   int status, const char *title, const char *words)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	html_notice(&page, title, words, "/");
	answer_page(front, rq, status, &page);
}

void answer_go(const struct front_table *front, struct front_request *rq,
	       const char *where, const char *cookie)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	answer_guards(&h);
	headers_add(&h, "Location", where);
	if (cookie)
		headers_add(&h, "Set-Cookie", cookie);
	front->reply_with(rq, 303, "text/plain", &h, "", 0);
}
