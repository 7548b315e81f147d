/* SPDX-License-Identifier: MIT */
/*
 * A whole file as bytes.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

/*
 * All of it, added to out. -1 (ERR_USAGE): it cannot be read, or is longer than
 * out's ceiling (at least 1 kB); what came before stays in out. what names it
 * in the error: "alias file".
 */
int file_read(struct buf *out, const char *what, const char *path,
	      struct error *err);

#endif
