/* SPDX-License-Identifier: MIT */
/*
 * Who a capture is of, hidden: MAC addresses, UUIDs (Client-Id) and session ids
 * become others of their form, the same for the same throughout.
 */
#ifndef REPLAY_ANONYMISE_H
#define REPLAY_ANONYMISE_H

#include "base/buf.h"
#include "base/map.h"

struct anonyms { /* starts zeroed */
	struct map map;
	size_t count[3];
};

void anonyms_done(struct anonyms *a);
/* Append text with others in their place. */
void anonymise(struct anonyms *a, struct buf *out, const char *text,
	       size_t len);

#endif
