/* SPDX-License-Identifier: MIT */
/*
 * The client's side of MCP over a session: initialize, list, call, ping. It
 * blocks (the session runs the loop) and prints nothing. Era and revision are
 * properties of the client, not of the commands.
 */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include "mcp/era.h"
#include "mcp/listing.h"
#include "mcp/rounds.h"
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

struct client_watching; /* mcp/watching.h */
struct client_opening; /* while initialize is under way */

struct client {
	struct session *session; /* borrowed */
	struct client_opening *opening; /* NULL: done, or never begun */
	struct call *again; /* client_greeted; NULL */
	struct client_watching *watching; /* NULL: nothing, or not modern */
	void (*unwatch)(struct client *c); /* its end; NULL: likewise */
	/* the reply to initialize, or to server/discover; that may be missing */
	struct message initialize;
	struct era_known era;
	bool modern; /* era.era is ERA_MODERN: each request stands alone */
	bool confirmed; /* an answer in this session showed that it is so */
	bool described; /* `initialize` came in this session */
	/* What is known of the tools is of an earlier command; and it was wrong. */
	bool tools_kept, tools_wrong;
	bool probed; /* client_begin or poll failed at server/discover */
	/* of what the server logs beside its answers; modern; static; NULL: nothing */
	const char *log_level;
	/* borrowed from it; may be NULL */
	const cJSON *capabilities, *server_info;
	const char *revision, *server_name, *server_version, *instructions;
	int64_t initialize_us; /* how long it took; -1: a serve had done it */
	bool device; /* speaks the device dialect */
	/* It takes arguments as mcp/kwargs.h says; that was told. */
	bool kwargs, kwargs_told;
	/* Asked before and after each request; NULL. Set after client_begin; kept
	   by it. Lent. (mcp/guard.h) */
	const struct client_guard *guard;
	/* Who answers what a request's rounds ask; NULL: nobody. Lent, as guard. */
	const struct client_asker *asker;
	/* a copy, to start over with (HTTP 404); NULL: no initialize was sent */
	struct client_config *config;
	struct name_set hints; /* client_know_tools */
	/* schemas of tools with arguments that are headers too, by name */
	struct tool_params {
		char *name;
		cJSON *schema;
	} * params; /* owned */
	size_t params_count, params_capacity;
};

/*
 * Questions that come in the rounds of a request (mcp/rounds.h): on the main
 * line, while the request is asked.
 */
struct client_asker {
	/* True: it is, or will be, answered (round_answer, round_refuse), and the
	   session woken. False: nobody does; option is the one that would. */
	bool (*ask)(void *owner, struct round_ask *ask, const char **option);
	/* The questions are gone: nobody waits for their answers. */
	void (*withdraw)(void *owner);
	void *owner;
};

/* What is known of the era before anything is asked. */
struct era_config {
	enum era
		era; /* ERA_UNKNOWN: it is found out, where `asks`, else legacy */
	enum era_how how; /* of era */
	/* by the user: the other one is not tried; a device is refused, not asked */
	bool told;
	bool asks; /* by server/discover */
	bool kept; /* an earlier command found it out: it may be wrong by now */
	const char *revision; /* ERA_MODERN that is kept; static */
	struct span
		reply; /* to server/discover, likewise; text NULL: none; lent */
	/* It was found out, or what was kept is wrong (ERA_UNKNOWN); NULL. reply as
	   above. */
	void (*found)(void *owner, const struct era_known *e,
		      struct span reply);
	void *owner;
};

struct client_config {
	struct era_config era;
	const char *log_level; /* client.log_level; static */
	bool kwargs; /* it may be the SDK that wants those (mcp/kwargs.h) */
	/* into capabilities.vision; NULL: left out */
	const char *vision_url, *vision_token;
	struct client_answers answers;
};

/*
 * Every request below: is asked of the guard, and may be tried again; is sent
 * once more after a new initialize if the server forgot the session (HTTP 404).
 * What Ctrl-C ends is cancelled at the peer where the protocol has a way; where
 * it has none, the error's hint says so.
 */

/*
 * What the server says of itself, asked for if that was kept from an earlier
 * command. -1: it could not be asked.
 */
int client_describe(struct client *c, struct error *err);

/*
 * For listing.may_be_board. It does not speak the device dialect, but said what
 * firmware says to initialize (device.md 3.4), or was not asked (--no-init).
 */
bool client_may_be_board(const struct client *c);

/* That it is modern was found out earlier, and nothing has confirmed it yet. */
bool client_era_is_old(const struct client *c);

/*
 * A tool whose arguments cannot be headers as its schema wants is left out, and
 * a notice says so, where headers are sent (modern.md 7).
 *
 * All pages. On -1 what came before is in *out all the same. To devices
 * withUserTools is sent on every page, unless backend_view. So it is to a board
 * behind its own door, of which that shows only when its first page is there:
 * no other server is sent a member that MCP does not know.
 */
int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err);
/* Of a list that came otherwise: what it would leave out. */
void client_leave_out(struct client *c, struct tool_list *list);

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
 * (device.md 3.9); -1 (ERR_PROTOCOL), no object. May set r->note.
 */
int client_judge_result(const char *tool, struct result *r, struct error *err);

/* -1 (ERR_UNMET): it has not; the hint lists those it has. */
int client_require(struct client *c, const char *name, struct error *err);
/* The same for a part within: "resources", "subscribe". */
int client_require_part(struct client *c, const char *name, const char *part,
			struct error *err);

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
 * From which level on the server logs: told by logging/setLevel, or with each
 * request from now on. level: static, of log_levels (mcp/rules.h). -1: err, and
 * reply has the server's.
 */
int client_set_log_level(struct client *c, const char *level,
			 struct message *reply, struct error *err);

/*
 * Any answer counts, an error too: firmware has no ping, and what is modern is
 * asked server/discover. *took_us is the round
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

/* What is asked, by client.asker; as long as a person takes. -1: it was not
   answered, or Ctrl-C. */
int client_answer(struct client *c, struct rounds *r, struct error *err);
/*
 * tools/call, as client_call_tool does it, and its reply as it came; a task may
 * come in place of the result, and where it has to be asked for that, it is.
 */
int client_ask_tool(struct client *c, const char *name, const char *arguments,
		    struct message *reply, struct error *err);

#endif
