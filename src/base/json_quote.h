/* SPDX-License-Identifier: MIT */
/*
 * Texts as they stand in JSON, also in JSON within a string, and in what is no
 * whole JSON: a loose look, by their quotes.
 */
#ifndef BASE_JSON_QUOTE_H
#define BASE_JSON_QUOTE_H

#include <stddef.h>

/* How many backslashes and then a quote begin at; 0: that is not so. */
size_t json_quote_length(const char *at, const char *end);
/*
 * Where the text that begins at p, behind a quote of that length, ends: at the
 * next quote that is no deeper. end: there is none.
 */
const char *json_quoted_end(const char *p, const char *end, size_t quote);

#endif
