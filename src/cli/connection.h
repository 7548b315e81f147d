/* SPDX-License-Identifier: MIT */
/*
 * The open target: its session, and what exists while that is open.
 */
#ifndef CLI_CONNECTION_H
#define CLI_CONNECTION_H

#include "cli/app.h"
#include "diag/diag.h"
#include "mcp/listing.h"

struct guards;
struct hearing;
struct sound_pace;
struct requests;

struct connection { /* zeroed at first, but for the app */
	struct app *app;
	struct endpoint endpoint;
	const struct transport_ops *ops; /* of that; NULL: not set up */
	struct session *session; /* NULL until connection_open */
	unsigned opened; /* sessions so far: which one this is */
	struct client client;
	struct diag diag; /* see cli/judged.h */
	struct span judging; /* the frame that it is at */
	bool judged[DIAG_CODE_COUNT]; /* told, on this connection */
	bool checks; /* findings are told by check, not as they come */
	uint64_t found[SEVERITY_ERROR + 1]; /* so far, each time */
	/* A method is asked that firmware does not have: no fault of a backend. */
	bool probing;
	bool worded; /* what is found now is told by an error, in words */
	bool era_ended; /* server/discover ended it: it is not asked again */
	struct buf era_kept; /* what its file says, while it is opened */
	char *vision_token; /* until initialize is sent; owned */
	bool asked; /* it was */
	bool connected;
	/* Of the session that was closed last: it had a connection; with a device,
	   or one was waited for. */
	bool reached, to_device;
	bool greeted; /* it had a hello, if only of serve */
	/* A wait that ended without a device leaves a listening target open. */
	bool stays;
	/* A task is waited for: lines of ours tell what changes. */
	bool tells_task;
	bool goes_on; /* other commands come on it: the shell */
	/* It is opened again: no addresses; on this port, where any would do. */
	bool again;
	uint16_t port;
	/* nothing is of interest but answers (CMD_ANSWERS) */
	bool answers_only;
	/* events go to ops->event (stdout) instead of ops->aside; audio too */
	bool tail;
	/* tail has its last: the rest is nobody's until the next connection_open */
	bool enough;
	bool *woken; /* one of many: see session_config; NULL */
	const char *whose; /* … its name in traces; lent; NULL */
	const char *whose_alias; /* … likewise; NULL: it has none */
	struct connection *witnessed_next; /* see cli/witnessed.h */
	bool any_device; /* --no-init of a command that needs no MCP */
	void (*on_event)(
		void *owner,
		const struct event *e); /* tail's filter and count; NULL */
	/* Who answers what the peer asks, in place of the options; NULL: they do.
	   `answers` is declared then. */
	bool (*on_request)(void *owner, const struct event *e);
	struct client_answers answers;
	void *on_event_owner; /* of both */
	struct tool_list tools; /* see cli/catalog_file.h */
	bool has_tools;
	struct page_list items[3]; /* by enum list_kind: see cli/cmd_items.h */
	bool has_items[3];
	struct words
		pictures; /* files of those that came, since a call began */
	struct timer tick; /* once a second while waiting for the peer */
	struct timer slow; /* connection_asks */
	char *asks; /* owned; NULL */
	bool shown; /* it is */
	struct sound_pace *pace; /* diag/pace.h, of who dials us; NULL */
	struct hearing
		*hearing; /* cli/hearing.h; NULL: what it says is not kept */
	struct guards *guards; /* NULL until connection_begin */
	struct requests *requests; /* NULL: nothing is answered */
};

/* Open the target, wait until up, initialize. 0 at once if connected. */
int connection_open(struct connection *c, struct error *err);
/* Close it; the next connection_open opens it anew. */
void connection_close(struct connection *c);

/*
 * connection_open in steps, for a main line that waits for other things too (the
 * shell): begin, if there is no session; then poll after each turn of the
 * loop, and at client_poll_at. poll: 1 connected, 0 not yet; -1: why not, and
 * all is closed. connection_open goes on from where they are.
 */
int connection_begin(struct connection *c, struct error *err);
int connection_poll(struct connection *c, struct error *err);

/* Whether pictures of the peer come to us: to a port of this session, or to serve. */
bool connection_takes_pictures(const struct connection *c);
/*
 * An address of a port of this session (listen:, sim:) for one picture; yours.
 * NULL: it has none.
 */
char *connection_upload_address(const struct connection *c);

/* Show the progress of a call under way. False: e is something else. */
bool connection_progress(struct connection *c, const struct event *e);

/*
 * What is asked now, shown on a terminal if it takes a while; NULL: nothing any
 * more.
 */
void connection_asks(struct connection *c, const char *what);

/* render_aside, but for what a note has told already. */
void connection_aside(struct connection *c, const struct event *e);

/* Close it, and forget what is known of targets. Before app_done. */
void connection_done(struct connection *c);

#endif
