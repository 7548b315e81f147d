/* SPDX-License-Identifier: MIT */
/* What the keys do. */
#ifndef TOP_TOP_KEYS_H
#define TOP_TOP_KEYS_H

#include "top/top.h"

/* All that are there; what they ask for is done at once. */
void top_keys(struct top *t);

#endif
