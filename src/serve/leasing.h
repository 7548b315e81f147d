/* SPDX-License-Identifier: MIT */
/*
 * Leases as commands see them (wire/control_frames.h: lease, release): who
 * asks, what is told, and whom a lease keeps from a board. All commands are the
 * same user's: this is against mistakes, not against attacks.
 */
#ifndef SERVE_LEASING_H
#define SERVE_LEASING_H

#include "base/error.h"

struct board;
struct control_peer;
struct control_question;
struct serve;

void leasing_ask(struct control_peer *p, const struct control_question *q);
void leasing_release(struct control_peer *p, const struct control_question *q);
/* The connection goes: what it holds is over, and it waits no more. */
void leasing_leave(struct control_peer *p);
/* Those whose time is over. When the next one's is; LOOP_FOREVER. */
int64_t leasing_sweep(struct serve *s, int64_t now);

/*
 * Whether the command may ask or move that board. -1 (ERR_CONNECT): another
 * one holds it, and for how long; or a lease that the command was given is
 * over. Watching needs none of this.
 */
int leasing_check(const struct control_peer *p, const struct board *d,
		  struct error *err);
/* The same of a browser, which has no lease. */
int leasing_check_browser(const struct board *d, struct error *err);
/* The same of one that may not be here: its id, in small letters. */
int leasing_check_id(const struct control_peer *p, const char *id,
		     struct error *err);

#endif
