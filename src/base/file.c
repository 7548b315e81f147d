/* SPDX-License-Identifier: MIT */
/*
 * Files without stdio, whose buffer would keep a copy of a secret.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define LOCK_PAUSE_MS 10

const char *file_temporary(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

bool file_is_regular(const char *path, int mode)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, mode);
}

char *file_find(const char *folders, const char *name, int mode)
{
	while (*folders) {
		size_t len = strcspn(folders, ":");
		CLEANUP(mem_free_ptr)
		char *path = mem_printf("%.*s/%s", (int)len, folders, name);

		if (*folders == '/' && file_is_regular(path, mode))
			return TAKE(path);
		folders += len;
		folders += *folders == ':';
	}
	return NULL;
}

char *file_program(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path));

	return len > 0 ? mem_strndup(path, (size_t)len) : NULL;
}

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *file_folder(const char *path)
{
	size_t len = (size_t)(file_name(path) - path);

	if (len == 0)
		return mem_strdup(".");
	return mem_strndup(path, len > 1 ? len - 1 : len);
}

static int (*opener)(const char *path, int flags, unsigned mode);

void file_open_by(int (*fn)(const char *path, int flags, unsigned mode))
{
	opener = fn;
}

int file_open(const char *path, int flags, unsigned mode)
{
	if (opener)
		return opener(path, flags, mode);
	return open(path, flags | O_CLOEXEC, mode);
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

int file_open_regular(const char *path, int flags, struct stat *st)
{
	int fd = open(path,
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

int file_lock(const char *path, int patience)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_MS * 1000000L };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int left = patience;

	if (fd < 0)
		return -1;
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		int why = errno;

		left -= LOCK_PAUSE_MS;
		if (why != EWOULDBLOCK || left < 0) {
			close(fd);
			errno = why;
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

int file_read_own(struct buf *out, const char *path)
{
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st), why = EPERM;

	if (fd < 0)
		return -1;
	if (st.st_uid == geteuid())
		why = file_read_fd(out, fd) ? errno : 0;
	close(fd);
	errno = why;
	return why ? -1 : 0;
}

int file_read(struct buf *out, const char *what, const char *path,
	      struct error *err)
{
	int fd = file_open(path, O_RDONLY, 0), error = errno;
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

int file_read_found(struct buf *out, const char *what, const char *path,
		    struct error *err)
{
	struct stat st;

	/* Looked at by its name: it may be another process that opens it. */
	if (stat(path, &st) || S_ISREG(st.st_mode))
		return file_read(out, what, path, err);
	return error_set(err, ERR_USAGE,
			 "cannot read the %s '%s': it is no regular file", what,
			 path);
}

/* ---- made for the user ---- */

/* Can others put names into its folder? Then it may be a trap. */
static bool is_shared(const char *path)
{
	const char *name = file_name(path);
	CLEANUP(mem_free_ptr)
	char *folder = mem_printf("%.*s.", (int)(name - path), path);
	uid_t self = geteuid();
	struct stat st;

	if (stat(folder, &st))
		return false;
	/* A group of its own is what many systems give to each user. */
	if (st.st_mode & S_IWOTH ||
	    (st.st_mode & S_IWGRP && st.st_gid != getegid()))
		return true;
	return self && st.st_uid && st.st_uid != self;
}

static int cannot_create(const char *what, const char *path, const char *why,
			 struct error *err)
{
	return error_set(err, ERR_OUTPUT, "cannot write %s%s%s'%s': %s",
			 what ? "the " : "", what ? what : "", what ? " " : "",
			 path, why);
}

static int is_trap(const char *what, const char *path, const char *why,
		   struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *text =
		mem_printf("%s, in a folder that others can write to", why);

	cannot_create(what, path, text, err);
	error_code(err, EPERM);
	return error_hint(
		err,
		"give a file in a folder of your own, or remove that one first");
}

/* What is there was put there by us, and has no name elsewhere. */
static int check_ours(int fd, const char *what, const char *path,
		      struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return cannot_create(what, path, strerror(errno), err);
	if (st.st_uid != geteuid())
		return is_trap(what, path, "it is another user's", err);
	if (st.st_nlink > 1)
		return is_trap(what, path, "it has a second name", err);
	return 0;
}

static int empty(int fd, const char *what, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) || (S_ISREG(st.st_mode) && ftruncate(fd, 0)))
		return cannot_create(what, path, strerror(errno), err);
	return 0;
}

/*
 * A pipe that nobody reads would be waited for: of our own it is, one that
 * another put there holds nobody up.
 */
static int open_shared(const char *path, int flags)
{
	int fd = file_open(path, flags | FILE_SHARED_FLAGS, 0600);
	struct stat st;

	if (fd >= 0 && fcntl(fd, F_SETFL, flags & O_APPEND)) {
		close(fd);
		return -1;
	}
	if (fd < 0 && errno == ENXIO && !lstat(path, &st) &&
	    st.st_uid == geteuid())
		return file_open(path, flags | O_NOFOLLOW, 0600);
	return fd;
}

int file_create(const char *what, const char *path, bool append,
		struct error *err)
{
	bool shared = is_shared(path);
	int flags = FILE_CREATE_FLAGS | (append ? O_APPEND : 0), why, fd;

	fd = shared ? open_shared(path, flags) : file_open(path, flags, 0600);
	why = errno;
	if (fd < 0 && why == ELOOP && shared)
		return is_trap(what, path, "it is a link", err);
	if (fd < 0 && why == ENXIO && shared)
		return is_trap(what, path, "it is a pipe that nobody reads",
			       err);
	if (fd < 0) {
		cannot_create(what, path, strerror(why), err);
		return error_code(err, why);
	}
	if ((shared && check_ours(fd, what, path, err)) ||
	    (!append && empty(fd, what, path, err))) {
		close(fd);
		return -1;
	}
	return fd;
}

int file_take(int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		error_set(
			err, ERR_OUTPUT,
			"another program writes to '%s', or another option of this one",
			path);
		return error_hint(err, "give this one a file of its own");
	}
	return empty(fd, NULL, path, err);
}

/* NULL: fd is closed. */
static FILE *stream_of(int fd, const char *mode, const char *what,
		       const char *path, struct error *err)
{
	FILE *file = fdopen(fd, mode);

	if (file)
		return file;
	cannot_create(what, path, strerror(errno), err);
	close(fd);
	return NULL;
}

FILE *file_create_stream(const char *what, const char *path, bool append,
			 struct error *err)
{
	int fd = file_create(what, path, append, err);

	return fd < 0 ? NULL :
			stream_of(fd, append ? "a" : "w", what, path, err);
}

FILE *file_take_stream(const char *what, const char *path, struct error *err)
{
	int fd = file_create(what, path, true, err);

	if (fd >= 0 && file_take(fd, path, err)) {
		close(fd);
		return NULL;
	}
	return fd < 0 ? NULL : stream_of(fd, "a", what, path, err);
}

int file_publish(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* A file system that does not know it: a second name, then only that. */
	if (link(from, to))
		return -1;
	unlink(from);
	return 0;
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
