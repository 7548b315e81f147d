/* SPDX-License-Identifier: MIT */
/* Many pretend devices that dial, in one loop; what sim_run does with connect or ota. */
#ifndef SIM_FLEET_H
#define SIM_FLEET_H

#include "sim/board_link.h"
#include "sim/tally.h"

#define FLEET_MAX 10000

/* What sim_run has made ready. All borrowed. */
struct fleet_order {
	struct loop *loop;
	const struct sim_options *options;
	const struct profile *profile;
	const struct fault_plan *faults;
	const struct endpoint
		*mqtt; /* options->connect, if that is a broker; NULL */
	const struct photo *photo; /* NULL: the built-in one */
	const struct sim_observer *observer; /* may be NULL */
	struct tally *tally; /* filled in every case */
};

/* Dial with connect or ota; ends as sim_run says. */
int fleet_run(const struct fleet_order *order, struct error *err);

/* The local port of otto boards; what sim_run does with listen. (local_port.c) */
int local_port_run(const struct fleet_order *order, struct error *err);

#endif
