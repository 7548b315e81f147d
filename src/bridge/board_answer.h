/* SPDX-License-Identifier: MIT */
/* What serve answers to a call of one of its boards, as the end of that call. */
#ifndef BRIDGE_BOARD_ANSWER_H
#define BRIDGE_BOARD_ANSWER_H

#include "bridge/bridge_peer.h"

/* device: as in struct bridge_peer. CALL_OPEN: the row tells no end. */
enum call_end board_answer_take(struct bridge_call *c, struct span row,
				bool device);

#endif
