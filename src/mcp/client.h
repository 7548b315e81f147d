/* SPDX-License-Identifier: MIT */
/*
 * The client's side of MCP over a session: initialize, list, call, ping. It
 * blocks (the session runs the loop) and prints nothing. Era and revision are
 * properties of the client, not of the commands.
 */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include "mcp/listing.h"
#include "rpc/session.h"

struct client_opening; /* while initialize is under way */

struct client {
	struct session *session; /* borrowed */
	struct client_opening *opening; /* NULL: done, or never begun */
	struct message initialize; /* the reply to initialize */
	/* borrowed from it; may be NULL */
	const cJSON *capabilities, *server_info;
	const char *revision, *server_name, *server_version, *instructions;
	int64_t initialize_us; /* how long it took; -1: a serve had done it */
	bool device; /* speaks the device dialect */
};

/*
 * A request that Ctrl-C ends is cancelled at the peer where the protocol has a
 * way; where it has none, the error's hint says so.
 */

struct client_config {
	/* into capabilities.vision; NULL: left out */
	const char *vision_url, *vision_token;
};

/*
 * initialize, then notifications/initialized; neither, if a running serve did
 * it before (session_peer) and no vision_url is to be told. -1: as
 * session_wait, or ERR_PROTOCOL for a reply that is none.
 */
int client_open(struct client *c, struct session *s,
		const struct client_config *config, struct error *err);
void client_done(struct client *c);

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
 * All pages. On -1 what came before is in *out all the same. To devices
 * withUserTools is sent on every page, unless backend_view.
 */
int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err);

/*
 * Call a tool; arguments is JSON text of an object. -1: err. ERR_PEER is set
 * also for isError, with *out filled. Where the firmware answers only by
 * restarting (self.reboot, device.md 3.9) a dropped connection is success:
 * out->note says so.
 */
int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err);

/* isError in words, which are the first text: ERR_PEER. Always -1. */
int client_tool_error(const struct result *r, struct error *err);

/*
 * Any answer counts, an error too: firmware has no ping. *took_us is the round
 * trip.
 */
int client_ping(struct client *c, int64_t *took_us, bool *was_error,
		struct error *err);

/* Any method; *out is the reply (result or error: then ERR_PEER). */
int client_request(struct client *c, const char *method, const char *params,
		   struct message *out, int64_t *took_us, struct error *err);

#endif
