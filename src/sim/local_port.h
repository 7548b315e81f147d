/* SPDX-License-Identifier: MIT */
/*
 * The second door of otto-robot boards (device.md 3.11), as a simulated board
 * has it.
 */
#ifndef SIM_LOCAL_PORT_H
#define SIM_LOCAL_PORT_H

#include "sim/fleet.h"

/* What sim_run does with listen; ends as that says. */
int local_port_run(const struct fleet_order *order, struct error *err);

#endif
