/* SPDX-License-Identifier: MIT */
/* One request to many boards. */
#ifndef SERVE_BROADCAST_H
#define SERVE_BROADCAST_H

#include "serve/control.h"

void broadcast_ask(struct control_peer *p, const struct control_question *q);
/* The next slice. */
void broadcast_step(struct broadcast *f);
void broadcast_abandon(struct control_peer *p);

#endif
