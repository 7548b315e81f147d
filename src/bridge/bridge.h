/* SPDX-License-Identifier: MIT */
/*
 * The bridge without its fronts: who is behind it, what hosts see of that, and
 * what is told beside. One for the program.
 */
#ifndef BRIDGE_BRIDGE_H
#define BRIDGE_BRIDGE_H

#include "bridge/bridge_boards.h"
#include "bridge/bridge_server.h"
#include "bridge/fronts.h"
#include "bridge/given_names.h"
#include "bridge/mend_result.h"
#include "bridge/shown_tools.h"

#define BRIDGE_TIMEOUT_MS 25000 /* hosts wait 30 s to 60 s */
#define BRIDGE_WAIT_MS 20000 /* for a board that sleeps */

struct bridge {
	struct app *app;
	const struct bridge_options *options;
	struct bridge_rules rules;
	struct mend_rules mend;
	int64_t timeout, wait; /* ms */
	struct bridge_boards *boards; /* NULL: no serve is asked */
	struct words patterns; /* of boards; lent words */
	char *socket;
	struct bridge_server **server;
	size_t servers;
	struct bridge_peer **peer; /* all, in the order in which they came */
	size_t count, capacity;
	struct shown_tools shown;
	struct given_names given;
	struct given_names items; /* resources and prompts; see host_items.c */
	int64_t show_at; /* loop_now() ms when it is made anew; LOOP_FOREVER */
	bool changed, woken;
	bool went; /* one of those that are shown is not there any more */
	int log; /* of --log; -1: stderr */
	struct bridge *of; /* bridge_part_open: whose log it has; NULL */
	struct words lines; /* to be shown by the main line */
	struct peer_hearer hearer; /* of what servers say by themselves */
	/* What hosts see changed; NULL. */
	void (*on_change)(void *owner);
	void *owner;
	/* One of them is forgotten, behind it freed; main line; NULL. */
	void (*lost)(void *lost_owner, const struct bridge_peer *p);
	void *lost_owner;
};

/* Boards are meant where no target is, or where one of them is named. */
bool bridge_wants_boards(const struct config *c);
/* --socket, or what stands behind attach:; lent; NULL: neither. */
const char *bridge_socket(const struct config *c);
/*
 * The boards and targets that the configuration means; dialled by and by. -1:
 * a target that is none, a socket that cannot be, a log that cannot be written.
 */
int bridge_open(struct bridge *b, struct app *app,
		const struct bridge_options *options, struct error *err);
void bridge_close(struct bridge *b);
/*
 * One of those behind `of` alone, a bridge of its own that calls its tools as it
 * does itself. Set `changed` where what is known of it changed; bridge_tend and
 * bridge_close as for others, before `of` is closed.
 */
void bridge_part_open(struct bridge *out, struct bridge *of,
		      struct bridge_peer *peer);

/* Main line. Returns the loop_now() ms at which to come again at the latest. */
int64_t bridge_tend(struct bridge *b);

/* What hosts see, at most half a second old. */
const struct shown_tools *bridge_shown(struct bridge *b);
/*
 * The tool that a host means by that name, also where it is listed by another one
 * since; *source is whose, SIZE_MAX where its arguments say that. NULL: none, or
 * one that is hidden.
 */
const struct bridge_tool *bridge_find(struct bridge *b, const char *name,
				      size_t *source);
/* Ask all for their tools anew. */
void bridge_refresh(struct bridge *b);
/* Everybody that is there is listed, and the rest was tried in vain. */
bool bridge_settled(const struct bridge *b);

/* A line for the user; from the loop, too. */
void bridge_tell(void *owner, const char *text);

/* What became of a call, for who asks later who did what. */
struct bridge_deed {
	const char *host; /* who called: its clientInfo */
	const char *peer,
		*tool; /* as the peer calls itself and it; NULL: none */
	const char *arguments; /* JSON text; NULL */
	int64_t took_us;
	bool ok;
	const char *why; /* where not ok; NULL */
};
void bridge_log(struct bridge *part, const struct bridge_deed *d);

#endif
