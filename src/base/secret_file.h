/* SPDX-License-Identifier: MIT */
/*
 * One secret in a file, as keys and passwords are kept.
 */
#ifndef BASE_SECRET_FILE_H
#define BASE_SECRET_FILE_H

#include "base/buf.h"
#include "base/error.h"

#define SECRET_FILE_MAX 4096 /* bytes */

/*
 * All bytes of the file but the line end behind them, into out (overwritten,
 * not released). -1 (ERR_USAGE): not readable, empty, too long, or holds a NUL
 * byte; out is empty then. what names it in the error: "key file".
 */
int secret_file_read(struct buf *out, const char *what, const char *file,
		     struct error *err);
/*
 * The same as a text, yours; file NULL: from the environment, where an empty
 * one is none. NULL: there is none.
 */
int secret_find(char **out, const char *what, const char *file,
		const char *environment, struct error *err);
/* A buffer as large as it can become: growing would leave copies behind. */
void secret_init(struct buf *secret, size_t max);
/* Overwrites, then releases. */
void secret_wipe(struct buf *secret);
/* The same for a text of mem_alloc; NULL: nothing. */
void secret_free(char *text);

/* Equal, in a time that tells nothing but the lengths. */
bool secret_same(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
