/* SPDX-License-Identifier: MIT */
/*
 * --save-audio at the open connection: what the board says, as files
 * (net/voice.h). Told by notices of the session.
 */
#ifndef CLI_HEARING_H
#define CLI_HEARING_H

#include "cli/connection.h"

/* Before it is opened; nothing without the option. -1: as voices_open. */
int hearing_open(struct connection *c, struct error *err);
/* For session_observer. */
void hearing_frame(struct connection *c, bool outgoing, enum frame_kind kind,
		   struct span frame);
/* The board went, or we go: while its session is there. */
void hearing_end(struct connection *c);
void hearing_close(struct connection *c);

#endif
