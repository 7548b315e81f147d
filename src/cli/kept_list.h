/* SPDX-License-Identifier: MIT */
/*
 * tools --cached: the list of a target as it was kept, without a connection
 * to any device.
 */
#ifndef CLI_KEPT_LIST_H
#define CLI_KEPT_LIST_H

#include "cli/app.h"

struct kept_list {
	struct tool_list tools; /* by name */
	char *from; /* of what: "listen:", "attach:ID" */
	int64_t age; /* seconds; below 0 if the clock was set back */
};

/*
 * Of the target. None, or attach: the device of the running serve (-d; the
 * only one), else what a serve showed last. -1: ERR_UNMET: nothing is kept;
 * ERR_USAGE: a target that is none, -d that fits several devices.
 */
int kept_list_open(struct kept_list *out, struct app *app, struct error *err);
void kept_list_done(struct kept_list *k);

#endif
