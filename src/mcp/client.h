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

struct client_guard;

/*
 * What this program answers when the server asks; declared in capabilities of
 * initialize, and only if true. Devices are told of none of it.
 */
struct client_answers {
	bool roots, sampling;
	bool elicit_form, elicit_url;
};

struct client_opening; /* while initialize is under way */

struct client {
	struct session *session; /* borrowed */
	struct client_opening *opening; /* NULL: done, or never begun */
	struct call *again; /* client_greeted; NULL */
	struct message initialize; /* the reply to initialize */
	/* borrowed from it; may be NULL */
	const cJSON *capabilities, *server_info;
	const char *revision, *server_name, *server_version, *instructions;
	int64_t initialize_us; /* how long it took; -1: a serve had done it */
	bool device; /* speaks the device dialect */
	/* Asked before and after each request; NULL. Set after client_begin; kept
	   by it. Lent. (mcp/guard.h) */
	const struct client_guard *guard;
	/* a copy, to start over with (HTTP 404); NULL: no initialize was sent */
	struct client_config *config;
	struct name_set hints; /* client_know_tools */
};

struct client_config {
	/* into capabilities.vision; NULL: left out */
	const char *vision_url, *vision_token;
	struct client_answers answers;
};

/*
 * Every request below: is asked of the guard, and may be tried again; is sent
 * once more after a new initialize if the server forgot the session (HTTP 404).
 * What Ctrl-C ends is cancelled at the peer where the protocol has a way; where
 * it has none, the error's hint says so.
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

/*
 * For listing.may_be_board. It does not speak the device dialect, but said what
 * firmware says to initialize (device.md 3.4), or was not asked (--no-init).
 */
bool client_may_be_board(const struct client *c);

/*
 * All pages. On -1 what came before is in *out all the same. To devices
 * withUserTools is sent on every page, unless backend_view. So it is to a board
 * behind its own door, of which that shows only when its first page is there:
 * no other server is sent a member that MCP does not know.
 */
int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err);

/*
 * What a listing says of tools, for client_call_tool: which may be repeated
 * (guard), which can only be called as a task. client_list_tools does it;
 * lists that came otherwise are told here. Nothing is kept of the list.
 */
void client_know_tools(struct client *c, const struct tool_list *list);

/*
 * Call a tool; arguments is JSON text of an object. -1: err. ERR_PEER is set
 * also for isError, with *out filled. Where the firmware answers only by
 * restarting (self.reboot, device.md 3.9) a dropped connection is success:
 * out->note says so. ERR_UNMET, and nothing is sent: it is known to be callable
 * as a task only.
 */
int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err);

/*
 * What a result of that tool is: 0, a success; -1 (ERR_PEER), a failure: isError
 * in words, which are the first text, or what firmware answers only after one
 * (device.md 3.9). May set r->note.
 */
int client_judge_result(const char *tool, struct result *r, struct error *err);

/*
 * A server that is no device says which of its parts it has. True: it has
 * `name` ("resources", "prompts", "completions", "logging", "tools"), or it
 * cannot be known (device, --no-init).
 */
bool client_offers(const struct client *c, const char *name);
/* -1 (ERR_UNMET): it has not; the hint lists those it has. */
int client_require(const struct client *c, const char *name, struct error *err);
/* The same for a part within: "resources", "subscribe". */
int client_require_part(const struct client *c, const char *name,
			const char *part, struct error *err);

/* All pages of resources/list, resources/templates/list or prompts/list
   (mcp/listing.h). On -1 what came before is in *out all the same. */
int client_list(struct client *c, enum list_kind kind, struct page_list *out,
		struct error *err);

/*
 * Whether structuredContent of a result fits the tool's outputSchema: 0 if it
 * does, or there is no such schema, or it is an error result. -1
 * (ERR_PROTOCOL): where it does not, and what was expected.
 */
int client_check_output(const struct tool *t, const struct result *r,
			struct error *err);

/*
 * Any answer counts, an error too: firmware has no ping. *took_us is the round
 * trip.
 */
int client_ping(struct client *c, int64_t *took_us, bool *was_error,
		struct error *err);

/*
 * Any method; *out is the reply (result or error: then ERR_PEER). params are
 * sent as they are, but for resources/read and prompts/get, which get a
 * progressToken.
 */
int client_request(struct client *c, const char *method, const char *params,
		   struct message *out, int64_t *took_us, struct error *err);

/* What a listing said of a tool, in client.hints. */
enum tool_hint { HINT_REPEATABLE = 1, HINT_TASK_ONLY = 2 };

struct client_request {
	const char *method;
	const char *params; /* JSON text; NULL */
	bool progress; /* with a progressToken, where the peer may know it */
};

/* opening.c: initialize once more on the same session. */
int client_reopen(struct client *c, struct error *err);

#endif
