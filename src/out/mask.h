/* SPDX-License-Identifier: MIT */
/*
 * Secrets hidden in what is printed or traced: a loose scan, since frames may
 * be broken JSON and headers are no JSON at all. Lengths are not kept.
 */
#ifndef OUT_MASK_H
#define OUT_MASK_H

#include "base/buf.h"
#include "base/error.h"

/*
 * Append text with *** for: the string behind a JSON member whose name is
 * token, authorization, password, secret, … (also in JSON that stands escaped
 * inside a string), what follows "Bearer ", and token=…, password:="…",
 * ?key=… in URLs and command lines, and what is behind /upload/ in an address
 * that serve handed out. Everything else is untouched; without a
 * secret the bytes are the same, and valid JSON stays valid.
 */
void mask_secrets(struct buf *out, const char *text, size_t len);

/* The same with a text as a whole; NULL for NULL. Yours. */
char *mask_text(const char *text);

/* As error_copy, the secrets in text, hint and detail hidden. */
void mask_error(struct error *to, const struct error *from);

#endif
