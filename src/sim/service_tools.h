/* SPDX-License-Identifier: MIT */
/* Its tools: listed, called, what they answer. */
#ifndef SIM_SERVICE_TOOLS_H
#define SIM_SERVICE_TOOLS_H

#include "sim/service_state.h"

/* The last: the method "tools/NAME"; false if there is no such tool. */
void service_tools_list(struct service_part *p);
void service_tools_call(struct service_part *p);
bool service_tools_direct(struct service_part *p, const char *name);

#endif
