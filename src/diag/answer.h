/* SPDX-License-Identifier: MIT */
/* What the judges of HTTP answers have in common: lengths, pages, words. */
#ifndef DIAG_ANSWER_H
#define DIAG_ANSWER_H

#include "diag/diag.h"

/*
 * A body that was seen to pass; one of 8,300 bytes hung the board for good
 * (device.md 5.4 item 6).
 */
#define ANSWER_PASSES 8000

/* Who tells the head as it comes, before the body, tells the body by itself. */
enum answer_part { ANSWER_WHOLE, ANSWER_HEAD, ANSWER_BODY };

/* A web page, by its type (NULL: not told) or its first tag. */
bool answer_is_page(const char *content_type, const char *body, size_t len);
/* ": WORDS" of the peer (wire/refusal.h), or "". */
#define ANSWER_WORDS 84
const char *answer_words(const char *body, size_t len, char out[ANSWER_WORDS]);
#endif
