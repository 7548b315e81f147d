/* SPDX-License-Identifier: MIT */
/* `bridge --print-config HOST`: what to paste into a host's settings. */
#ifndef BRIDGE_HOST_CONFIG_H
#define BRIDGE_HOST_CONFIG_H

#include "bridge/fronts.h"

struct config;

/* A password stands in it: it is left out. */
bool host_config_hides_proxy(const struct config *c);

/*
 * The snippet that starts this program as it was asked, with absolute paths,
 * appended, and where it goes into *where (static). -1 (ERR_USAGE): no such host.
 */
int host_config_print(struct buf *out, const char **where, const char *host,
		      const struct app *app, const struct bridge_options *o,
		      struct error *err);

#endif
