/* SPDX-License-Identifier: MIT */
/*
 * Files without stdio, whose buffer would keep a copy of a secret.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int file_read_fd(struct buf *out, int fd)
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
	errno = error;
	return error ? -1 : 0;
}

int file_read(struct buf *out, const char *what, const char *path,
	      struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = errno;
	bool large;

	if (fd >= 0) {
		error = file_read_fd(out, fd) ? errno : 0;
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

int file_write(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		data += put;
		len -= (size_t)put;
	}
	return 0;
}

int file_replace(const char *path, unsigned mode, const char *data, size_t len)
{
	CLEANUP(mem_free_ptr) char *part = mem_printf("%s.XXXXXX", path);
	int fd = mkostemp(part, O_CLOEXEC), error = 0;

	if (fd < 0)
		return -1;
	if (fchmod(fd, mode) || file_write(fd, data, len))
		error = errno;
	if (close(fd) && !error)
		error = errno;
	if (!error && rename(part, path) == 0)
		return 0;
	if (!error)
		error = errno;
	unlink(part);
	errno = error;
	return -1;
}
