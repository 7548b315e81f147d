/* SPDX-License-Identifier: MIT */
/*
 * A file opened as the bytes that are in it: what is packed by gzip or zstd is
 * read through that program.
 */
#ifndef CAPTURE_UNPACK_H
#define CAPTURE_UNPACK_H

#include <sys/types.h>

#include "base/error.h"

struct unpacked {
	int fd; /* -1: not open */
	pid_t child; /* 0: none */
	const char *program; /* of the child */
};

/* "-" is stdin, which must not be packed. -1 (ERR_USAGE): what hinders. */
int unpack_open(struct unpacked *u, const char *path, struct error *err);
/* After the last byte: false if the child says that this was not all. */
bool unpack_whole(struct unpacked *u);
/* Ends the child, if there is one yet. */
void unpack_done(struct unpacked *u);

#endif
