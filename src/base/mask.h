/* SPDX-License-Identifier: MIT */
/*
 * Secrets hidden in what is printed or traced: a loose scan, since frames may
 * be broken JSON and headers are no JSON at all. Lengths are not kept.
 */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

/*
 * Append text with *** for: the string behind a JSON member whose name is
 * token, authorization, password, secret, …, or key and nonce in the object udp
 * (also in JSON that stands escaped inside a string), what follows "Bearer ", and token=…, password:="…",
 * ?key=… and ?sig=… in URLs and command lines, the password of http://USER:PASSWORD@HOST,
 * and what is behind /upload/ in an address that serve handed out. Everything else is untouched; without a
 * secret the bytes are the same, and valid JSON stays valid.
 */
void mask_secrets(struct buf *out, const char *text, size_t len);

/*
 * Names for secrets: the same one is ***1 wherever it stands, another ***2, so
 * that "another token than before" can be seen. Only keyed hashes are kept, of
 * MASK_NAMES_MAX secrets; those behind them are ***. What is ***5 already is
 * given a name in order, too: names of two files do not meet.
 */
#define MASK_NAMES_MAX 4096
struct mask_names;
struct mask_names *mask_names_new(void);
void mask_names_free(struct mask_names *names); /* NULL is fine */
/* From now on ***5 is that of another file (number scope). */
void mask_names_from(struct mask_names *names, unsigned scope);
/* How many secrets have one. */
size_t mask_names_count(const struct mask_names *names);

/*
 * Bytes of a header's secret value that may be shown: "Bearer ", "Basic ",
 * "Digest ". The scheme helps to find a mistake and is no secret. 0: none.
 */
size_t mask_scheme(const char *value, size_t len);

/* mask_secrets with such names; NULL: ***. */
void mask_named(struct buf *out, const char *text, size_t len,
		struct mask_names *names);
/* Append what stands for a secret as a whole; nothing for nothing. */
void mask_whole(struct buf *out, const char *secret, size_t len,
		struct mask_names *names);
/*
 * window is a copy of size bytes of a text, from byte from on: stars over each
 * byte of a secret there, whose name may stand before it.
 */
void mask_window(char *window, size_t size, struct span text, size_t from);
/* Whether what stands behind this name, of a header or parameter, is secret. */
bool mask_is_secret(const char *name);

/* The same with a text as a whole; NULL for NULL. Yours. */
char *mask_text(const char *text);

/* As error_copy, the secrets in text, hint and detail hidden. */
void mask_error(struct error *to, const struct error *from);

#endif
