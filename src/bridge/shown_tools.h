/* SPDX-License-Identifier: MIT */
/*
 * What hosts see now: a catalogue of what is known of the peers at one moment,
 * which holds what it shows, whatever becomes of them.
 */
#ifndef BRIDGE_SHOWN_TOOLS_H
#define BRIDGE_SHOWN_TOOLS_H

#include "bridge/bridge_peer.h"
#include "bridge/catalogue.h"

struct shown_tools { /* starts zeroed */
	struct bridge_catalogue catalogue;
	struct bridge_source *source; /* of it */
	struct bridge_peer **peer; /* by source */
	struct bridge_list **list; /* held */
	char **prefix; /* those of the sources */
	size_t count;
	struct buf listing; /* the tools as a JSON array */
};

/* What it was before is released. Peers must last as long. */
void shown_tools_make(struct shown_tools *s, struct bridge_peer *const *peer,
		      size_t count, const struct bridge_rules *rules);
void shown_tools_done(struct shown_tools *s);

#endif
