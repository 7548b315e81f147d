/* SPDX-License-Identifier: MIT */
/* Resources, prompts and completion of servers, passed on. */
#ifndef BRIDGE_HOST_ITEMS_H
#define BRIDGE_HOST_ITEMS_H

#include "bridge/host_state.h"

/* Lists of what servers have beside tools; and one of it. */
void host_items(struct host_part *p, const char *method);
/* What is declared of them, as members behind others. */
void host_add_offers(struct buf *out, const struct host_part *p);

#endif
