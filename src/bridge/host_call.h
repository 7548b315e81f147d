/* SPDX-License-Identifier: MIT */
/* Tools/call: found, checked, put into a queue, answered; signs of life. */
#ifndef BRIDGE_HOST_CALL_H
#define BRIDGE_HOST_CALL_H

#include "bridge/host_state.h"

void host_call(struct host_part *p);
/* loop_now() ms of the next sign of life. */
int64_t host_call_progress(struct host_part *p);

#endif
