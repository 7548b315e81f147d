/* SPDX-License-Identifier: MIT */
/* The methods that hosts may ask. */
#ifndef BRIDGE_HOST_METHODS_H
#define BRIDGE_HOST_METHODS_H

#include "bridge/host_state.h"

void host_method(struct host_part *p, const char *method);
/* What waits is answered, if it need not wait any more. */
void host_resume(struct host_part *p);

#endif
