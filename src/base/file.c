/* SPDX-License-Identifier: MIT */
/*
 * Reading a file without stdio, whose buffer would keep a copy of a secret.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* 0 or errno. */
static int read_all(struct buf *out, int fd)
{
	char piece[16384];
	int error = 0;
	ssize_t n;

	do {
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno != EINTR)
			error = errno;
		if (n > 0 && buf_add(out, piece, (size_t)n))
			error = EFBIG;
	} while (n && !error);
	explicit_bzero(piece, sizeof(piece));
	return error;
}

int file_read(struct buf *out, const char *what, const char *path,
	      struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = errno;
	bool large;

	if (fd >= 0) {
		error = read_all(out, fd);
		close(fd);
	}
	if (!error)
		return 0;
	large = out->max >> 20 != 0;
	if (out->full)
		return error_set(err, ERR_USAGE,
				 "the %s '%s' is larger than %zu %s", what,
				 path, out->max >> (large ? 20 : 10),
				 large ? "MB" : "kB");
	return error_set(err, ERR_USAGE, "cannot read the %s '%s': %s", what,
			 path, strerror(error));
}
