/* SPDX-License-Identifier: MIT */
/*
 * upgrade of boards behind servers at a broker: each is called with an address
 * that it reaches, and its presence tells that it went, is back, and with which
 * version. Nobody here sees it fetch.
 */
#ifndef CLI_UPGRADE_FLEET_H
#define CLI_UPGRADE_FLEET_H

#include "cli/app.h"

struct upgrade_fleet_order {
	const char *url; /* of the image, for the boards */
	int64_t begin; /* ms until it goes */
	int64_t restart; /* ms until it is back */
};

/*
 * Those that the target and -d mean: one, or with --all each. -1: the worst of
 * what failed.
 */
int upgrade_fleet(struct app *app, const struct upgrade_fleet_order *order,
		  struct error *err);

#endif
