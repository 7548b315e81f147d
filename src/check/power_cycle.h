/* SPDX-License-Identifier: MIT */
/* `--power-cycle`: switched off and on by serve, and back? */
#ifndef CHECK_POWER_CYCLE_H
#define CHECK_POWER_CYCLE_H

#include "check/parts.h"

/* --power-cycle: nothing is asked after it. */
int stage_power(struct checkup *k, struct error *err);
/* Whether the risk allows it, and whether that serve can: -1 (ERR_USAGE, or as serve_ask). */
int check_power_read(const struct checkup *k, struct error *err);
int check_power_possible(const struct checkup *k, struct error *err);

#endif
