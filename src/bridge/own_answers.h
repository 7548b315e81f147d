/* SPDX-License-Identifier: MIT */
/* What the bridge's own tools answer. */
#ifndef BRIDGE_OWN_ANSWERS_H
#define BRIDGE_OWN_ANSWERS_H

#include "bridge/host_state.h"

/* Their text, appended. False: it is why it failed. */
bool own_devices(struct bridge *b, struct buf *out);
bool own_refresh(struct bridge *b, const cJSON *arguments, struct buf *out);

#endif
