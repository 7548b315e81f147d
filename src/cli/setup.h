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

#endif
