/* SPDX-License-Identifier: MIT */
/* Initialize in steps, and the probe for the dialect. */
#ifndef MCP_OPENING_H
#define MCP_OPENING_H

#include "mcp/client.h"

/*
 * A server that speaks MCP from 2026-07-28 on (modern.md) is not opened:
 * server/discover tells what it is, unless that is known. Which era it is is
 * found out as config->era says, or initialize finds it out: who refuses that,
 * naming such a revision, is asked in the other way. For who calls the functions
 * of client.h nothing differs by the era.
 *
 * initialize, then notifications/initialized; neither, if a running serve did
 * it before (session_peer) and no vision_url is to be told. -1: as
 * session_wait, or ERR_PROTOCOL for a reply that is none, or for a revision
 * that is not known (mcp/initialize.h). A server that refuses the revision but
 * names others is asked once more. A peer that need not say hello
 * (peer_info.standby: a board at a broker) may not be there yet: until something
 * is heard of it, it is asked again and again, as long as session_config.wait.
 */
int client_open(struct client *c, struct session *s,
		const struct client_config *config, struct error *err);
void client_done(struct client *c);

/* Without a question (--no-init): it is of this era. -1: it is a device. */
int client_assume_modern(struct client *c, struct session *s,
			 const struct client_config *config, struct error *err);

/*
 * client_open in steps, for a main line that waits for other things too (the
 * shell): begin, then poll after each turn of the loop, and at client_poll_at
 * (loop_now() ms; LOOP_FOREVER: only then). poll: 1 open, 0 not yet. -1 as
 * client_open; client_done ends it at any time.
 */
int client_begin(struct client *c, struct session *s,
		 const struct client_config *config, struct error *err);
int client_poll(struct client *c, struct error *err);
int64_t client_poll_at(const struct client *c);

/*
 * A peer that need not say hello said one: it may have restarted, and lost what
 * initialize told it (vision). It is told again, and its answer not waited for;
 * 'initialized' does not follow, which firmware passes over (device.md 3.3).
 * Others are told nothing. Main line, while the session is open.
 */
void client_greeted(struct client *c);

/* Initialize once more on the same session. */
int client_reopen(struct client *c, struct error *err);
/* … the era is found out anew: what was kept may be wrong. */
int client_find_era(struct client *c, struct error *err);
/* … what was kept is wrong, and nobody is to use it again. */
void client_forget_era(struct client *c);
/* … what server/discover answered. Takes it. */
void client_take_description(struct client *c, struct message *reply);

#endif
