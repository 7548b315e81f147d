/* SPDX-License-Identifier: MIT */
/*
 * Whose token goes to the configured target: that of a login by OAuth, where
 * the user gave none himself. Asks the user, and starts his browser.
 */
#ifndef CLI_CREDENTIALS_H
#define CLI_CREDENTIALS_H

#include "auth/token_source.h"
#include "cli/app.h"

struct credentials;

/*
 * Who has the tokens of that endpoint, into e->bearer; NULL there where it has
 * no use for one: it is no HTTP, the user gives a token, or forbade it. Kept
 * until credentials_done. -1 (ERR_USAGE): an option, or the object "oauth" of
 * its entry, is wrong.
 */
int credentials_attach(struct endpoint *e, struct app *app, struct error *err);
/* All of them. Before the loop is freed. */
void credentials_done(struct app *app);

/* Those of an endpoint; NULL. */
struct credentials *credentials_of(const struct app *app,
				   const struct endpoint *e);
struct token_source *credentials_source(const struct credentials *c);
const struct auth_settings *credentials_settings(const struct credentials *c);
/* The command logs in: somebody is there, browser or not. */
void credentials_insist(struct credentials *c, bool browser);

/* The folder of auth/store.h; yours; NULL: there is no place. */
char *credentials_folder(void);

#endif
