/* SPDX-License-Identifier: MIT */
/*
 * Where this program keeps what lasts: logs, the history of the shell.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "base/error.h"
#include "cli/app.h"

/*
 * $XDG_STATE_HOME/mcpctl/NAME, or below ~/.local/state, its folders made; yours.
 * -1: ERR_USAGE (HOME is not set) or ERR_OUTPUT.
 */
int state_file(char **out, const char *name, struct error *err);

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

extern const struct option_row config_options[];

/* The row for the shell's `set`: no form there that is for one command. NULL. */
const struct option_row *config_setting(const char *name);

/* What it owns; everything else in it is lent. */
void config_release(struct config *c);

#endif
