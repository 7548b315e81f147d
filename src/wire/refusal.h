/* SPDX-License-Identifier: MIT */
/*
 * Why a peer says no, in its own words: a text in place of a message, a JSON
 * body, a web page. Pure; what it gives is a stranger's text.
 */
#ifndef WIRE_REFUSAL_H
#define WIRE_REFUSAL_H

#include "base/base.h"

#define REFUSAL_MAX 160 /* bytes */

/*
 * Of JSON the member that is known for it (error_description, message, detail,
 * title, msg, error, error.message), of a page its title without the status
 * in front, of other text the first line. Cut; yours. NULL: there are none.
 */
char *refusal_words(const char *text, size_t len);

/* The first line of a text, without blanks around it, cut; yours; NULL. */
char *refusal_line(const char *text, size_t len);

/* By what backends are known to write, in English and Chinese. */
bool refusal_is_credentials(const char *words);

#endif
