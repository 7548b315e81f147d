/* SPDX-License-Identifier: MIT */
/*
 * Where a user's files of one kind are, by the XDG rules.
 */
#ifndef CLI_USER_PATH_H
#define CLI_USER_PATH_H

#include "base/error.h"

struct user_place {
	const char *variable; /* "XDG_CACHE_HOME" */
	const char *below_home; /* ".cache" */
};

extern const struct user_place user_cache, user_config, user_state;

/* .../mcpctl/NAME; NULL: neither the variable nor HOME names a folder. Yours. */
char *user_path(const struct user_place *place, const char *name);

/*
 * The folders of such a path, as far as they are missing, for the user alone.
 * But never a home folder: HOME itself, or what the variable's folder lies in,
 * must be there. -1: ERR_OUTPUT.
 */
int user_path_make(const struct user_place *place, const char *path,
		   struct error *err);

#endif
