/* SPDX-License-Identifier: MIT */
/*
 * Where serve's Unix socket is, and whether it can be trusted: the folder
 * $XDG_RUNTIME_DIR/mcpctl, or, where that variable names no folder of this
 * user, mcpctl-UID below the temporary one; mode 0700 and ours, else it is
 * refused.
 */
#ifndef NET_CONTROL_PATH_H
#define NET_CONTROL_PATH_H

#include "base/error.h"

/*
 * The socket's path, yours. given: --socket or NULL: the default place, whose
 * folder is made if create; if not, and there is no socket, the other of the two
 * places is looked at. -1 (ERR_CONNECT): the folder is another user's, or
 * open to others, or cannot be made; ERR_USAGE: longer than a socket's
 * address may be (107 bytes).
 */
int control_path(char **out, const char *given, bool create, struct error *err);

/*
 * Whether there is a socket at path that is ours. -1 (ERR_CONNECT): it is of
 * another user (whose), or no socket. 0: *exists says it.
 */
int control_path_check(const char *path, bool *exists, struct error *err);

#endif
