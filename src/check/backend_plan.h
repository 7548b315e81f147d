/* SPDX-License-Identifier: MIT */
/* --plan of check backend: what would be said, and nothing is sent. */
#ifndef CHECK_BACKEND_PLAN_H
#define CHECK_BACKEND_PLAN_H

#include "check/exchange.h"

/* url: one that check backend takes. -1 (ERR_USAGE): a board could not dial it. */
int backend_plan_show(struct checkup *k, const struct board_self *self,
		      const char *url, struct error *err);

#endif
