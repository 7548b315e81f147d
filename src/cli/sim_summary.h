/* SPDX-License-Identifier: MIT */
#ifndef CLI_SIM_SUMMARY_H
#define CLI_SIM_SUMMARY_H

#include "out/render.h"
#include "sim/sim.h"

/* Results: lines, or with -o json one object (see the man page). */
void sim_summary_show(struct renderer *r, const struct sim_summary *s);

#endif
