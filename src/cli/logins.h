/* SPDX-License-Identifier: MIT */
/* What `login` and `logout` share: whose login it is, and how it is shown. */
#ifndef CLI_LOGINS_H
#define CLI_LOGINS_H

#include "cli/command.h"
#include "cli/credentials.h"

struct login_target {
	struct endpoint endpoint;
	struct credentials *credentials; /* of it; lent */
};

/*
 * The target that is named behind the command, or as for all others.
 * login_target_done releases it also then. -1 (ERR_USAGE): none, one without
 * logins, or one for which a token is given.
 */
int login_target_open(struct login_target *out, const struct invocation *in,
		      struct error *err);
void login_target_done(struct login_target *t);

/* state: of struct login_record; NULL: as it is now. */
void login_show(struct app *app, const struct login_entry *e,
		const char *state);

#endif
