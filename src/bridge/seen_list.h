/* SPDX-License-Identifier: MIT */
/* `bridge --list`: what a host would see, as lines. */
#ifndef BRIDGE_SEEN_LIST_H
#define BRIDGE_SEEN_LIST_H

#include "bridge/shown_tools.h"
#include "out/render.h"

void seen_list_print(struct renderer *r, const struct shown_tools *s);

#endif
