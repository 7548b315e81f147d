/* SPDX-License-Identifier: MIT */
/* The table of fronts, in the order in which they are opened. */
#include "bridge/fronts.h"

const struct bridge_front *const bridge_fronts[] = {
	&bridge_front_stdio,
	&bridge_front_port,
	&bridge_front_endpoint,
	&bridge_front_mqtt,
	NULL,
};
