/* SPDX-License-Identifier: MIT */
/*
 * The target of the configuration, before the options add to it.
 */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "cli/app.h"

/*
 * config.target, which must be set, as an endpoint; without ':' it is a name
 * of an mcp.json. A note tells of a file that had to be passed over for it. -1:
 * as endpoint_parse and named_target.
 */
int setup_target(struct endpoint *out, struct app *app, struct error *err);

/*
 * The transport of the configured target into *ops, its endpoint, with what the
 * options add, into *e (endpoint_done releases it). -1 (ERR_USAGE): no target,
 * not understood, an option that does not fit.
 */
int setup_endpoint(struct endpoint *e, struct app *app,
		   const struct transport_ops **ops, struct error *err);

/* A secret from a file (first line) or, if file is NULL, from the environment variable; NULL text if neither. Yours. */
int secret_read(char **out, const char *file, const char *environment,
		struct error *err);

/* All of them, a line each; added. */
int secrets_read(struct words *out, const char *file, const char *environment,
		 struct error *err);

#endif
