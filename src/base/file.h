/* SPDX-License-Identifier: MIT */
/*
 * A whole file as bytes: read, written, replaced; and its name.
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

/* The part of a path behind its last '/', lent; all of it if there is none. */
const char *file_name(const char *path);

/* These three: 0, or -1 and errno. All that comes, EFBIG above out's ceiling. */
int file_read_fd(struct buf *out, int fd);
/* All of it to a descriptor. */
int file_write(int fd, const char *data, size_t len);
/* Nobody ever sees a part of it; what was there is replaced, a link too. */
int file_replace(const char *path, unsigned mode, const char *data, size_t len);

#endif
