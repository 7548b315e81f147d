/* SPDX-License-Identifier: MIT */
/*
 * Boards that a bridge knew, with their lists of tools, kept in a file for each
 * serve: so that a host which lists tools once sees those that sleep, too.
 * Several bridges share it; what one of them knows no more, another may.
 */
#ifndef BRIDGE_BOARDS_FILE_H
#define BRIDGE_BOARDS_FILE_H

#include "bridge/bridge_peer.h"

#define BOARDS_FILE_DAYS 30 /* then one that did not come is forgotten */
#define BOARDS_FILE_MOST 4096 /* boards */

struct kept_board {
	const char *id, *prefix, *about, *way; /* lent; about, way NULL */
	int64_t seen; /* Unix ms */
	struct bridge_list *list; /* lent */
};

/* Where it stands for the serve at this socket; yours. NULL: nowhere. */
char *boards_file_path(const char *socket);

/* Each that is kept. A file that is none, or of another make: nothing. */
void boards_file_read(const char *path,
		      void (*each)(void *owner, const struct kept_board *b),
		      void *owner);

/*
 * Those, and others that stand there and are not too old. -1 (ERR_OUTPUT): it
 * cannot be written.
 */
int boards_file_write(const char *path, const struct kept_board *board,
		      size_t count, struct error *err);

#endif
