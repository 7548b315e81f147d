/* SPDX-License-Identifier: MIT */
/*
 * Captures written anew: one masked, several put together by time.
 */
#ifndef REPLAY_RECAST_H
#define REPLAY_RECAST_H

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"

struct capture_writer;
struct renderer;

struct recast_order {
	char **paths; /* at least one */
	int count;
	bool anonymise; /* other MACs, UUIDs and session ids, too */
	struct renderer *out; /* notes */
};

/*
 * To stdout. Names of secrets and connections of several files never meet. -1:
 * a file cannot be read (ERR_USAGE; what was read before is written), or
 * several do not say when they were made; ERR_OUTPUT.
 */
int recast(const struct recast_order *order, struct error *err);

/*
 * Close a capture whose lines went to out (put_captured_line). result: of the
 * work, whose err stays; of a broken stdout the end of the program tells.
 */
int recast_close(struct capture_writer *w, const struct renderer *out,
		 int result, struct error *err);

/*
 * Who a capture is of, hidden: MAC addresses, UUIDs (Client-Id) and session ids
 * become others of their form, the same for the same throughout.
 */

struct anonyms { /* starts zeroed */
	struct map map;
	size_t count[3];
};

void anonyms_done(struct anonyms *a);
/* Append text with others in their place. */
void anonymise(struct anonyms *a, struct buf *out, const char *text,
	       size_t len);

#endif
