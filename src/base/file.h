/* SPDX-License-Identifier: MIT */
/*
 * A whole file as bytes: read, written, replaced; and its name.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * All of it, added to out. -1 (ERR_USAGE): it cannot be read, or is longer than
 * out's ceiling (at least 1 kB); what came before stays in out. what names it
 * in the error: "alias file".
 */
int file_read(struct buf *out, const char *what, const char *path,
	      struct error *err);
/* The same of a file that nobody named: what is no regular one is not waited for. */
int file_read_found(struct buf *out, const char *what, const char *path,
		    struct error *err);

/*
 * A file that the user named, to be written from its start, or (append) behind
 * what is there; "-" means nothing here. It is made for this user alone, the
 * umask heeded, since most of what is written can hold secrets; one that is
 * there is used as it is. In a folder where others could have put it (/tmp),
 * neither a link nor a file of somebody else's is written to. what names it in
 * the error: "trace"; NULL. -1 (ERR_OUTPUT, code errno), else a descriptor.
 */
#define FILE_CREATE_FLAGS (O_WRONLY | O_CREAT | O_NOCTTY) /* and what fits */
#define FILE_SHARED_FLAGS (O_NOFOLLOW | O_NONBLOCK) /* where others put names */
int file_create(const char *what, const char *path, bool append,
		struct error *err);
/* The same as a stream, which is yours; NULL: err. */
FILE *file_create_stream(const char *what, const char *path, bool append,
			 struct error *err);

/*
 * What is open is emptied and is this one's alone until it is closed; what is no
 * regular file stays as it is. -1 (ERR_OUTPUT): somebody else has it, who would
 * lose what he wrote. Not every file system knows locks.
 */
int file_take(int fd, const char *path, struct error *err);
/* As file_create_stream, and taken so. */
FILE *file_take_stream(const char *what, const char *path, struct error *err);

/*
 * Gives a file its name in the same folder's file system, unless that is taken
 * (EEXIST): at once, nobody sees a part of it. 0, or -1 and errno.
 */
int file_publish(const char *from, const char *to);

/* Where files go that nobody keeps: TMPDIR, else /tmp; lent. */
const char *file_temporary(void);
/* Where this program stands; yours; NULL: the system does not tell. */
char *file_program(void);
/* A regular file for which access(2) of that mode is granted. */
bool file_is_regular(const char *path, int mode);
/*
 * The first such of that name in folders (as PATH has them), but for relative
 * ones, which are anybody's; yours; NULL: there is none.
 */
char *file_find(const char *folders, const char *name, int mode);
/* The part of a path behind its last '/', lent; all of it if there is none. */
const char *file_name(const char *path);
/* The part before it, "." if there is none, "/" for a file there; yours. */
char *file_folder(const char *path);

/*
 * As open(2), close-on-exec; by another process, where this one may not and
 * that one was told before (base/spawner.h).
 */
int file_open(const char *path, int flags, unsigned mode);
/* Who does that from now on; NULL: we ourselves. */
void file_open_by(int (*fn)(const char *path, int flags, unsigned mode));

/*
 * The lock of a file (flock), which is made if it is missing: a descriptor,
 * and who closes it gives the lock back. patience: ms until -1 and errno
 * (EWOULDBLOCK: somebody else has it).
 */
int file_lock(const char *path, int patience);

struct stat;
/*
 * A regular file for reading, and what fstat says of it. flags: O_NOFOLLOW or
 * 0. -1 and errno (EINVAL: it is no regular file); a pipe is not waited for.
 */
int file_open_regular(const char *path, int flags, struct stat *st);

/* These four: 0, or -1 and errno. All that comes, EFBIG above out's ceiling. */
int file_read_fd(struct buf *out, int fd);
/* The same of a regular file of this user's, and no link (EPERM: another's). */
int file_read_own(struct buf *out, const char *path);
/* All of it to a descriptor. */
int file_write(int fd, const char *data, size_t len);
/* Nobody ever sees a part of it; what was there is replaced, a link too. */
int file_replace(const char *path, unsigned mode, const char *data, size_t len);

#endif
