/* SPDX-License-Identifier: MIT */
/* What the judges of HTTP answers have in common: lengths, pages, words. */
#ifndef DIAG_ANSWER_H
#define DIAG_ANSWER_H

#include "diag/diag.h"

/*
 * A body that is longer than what was seen to pass (device.md 5.4 item 6):
 * true, with its size and what hung a board, in words. declared: its
 * Content-Length, -1: none; more: it goes on behind len.
 */
#define ANSWER_SIZE_WORDS 120
bool answer_hangs(size_t len, int64_t declared, bool more,
		  char words[ANSWER_SIZE_WORDS]);

/* Who tells the head as it comes, before the body, tells the body by itself. */
enum answer_part { ANSWER_WHOLE, ANSWER_HEAD, ANSWER_BODY };

/* A web page, by its type (NULL: not told) or its first tag. */
bool answer_is_page(const char *content_type, const char *body, size_t len);
/*
 * {"code":500,"msg":"…"} behind a status of 200: a code of 400 or more, as those
 * of HTTP are. body: JSON (text NULL: none); at: its value.
 */
bool answer_code_fails(struct span body, struct span *at);
#define ANSWER_WORDS 84
/* ": WORDS" of the peer (wire/refusal.h), or "". */
const char *answer_words(const char *body, size_t len, char out[ANSWER_WORDS]);
#endif
