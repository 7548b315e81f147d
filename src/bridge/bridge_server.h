/* SPDX-License-Identifier: MIT */
/*
 * A target as a peer of the bridge: a server that is dialled or started, in the
 * background, and anew when it was lost, after a pause that grows. What it listed
 * last is kept (cli/schema_cache.h), so that its tools are known before it is there.
 */
#ifndef BRIDGE_BRIDGE_SERVER_H
#define BRIDGE_BRIDGE_SERVER_H

#include "bridge/bridge_peer.h"
#include "cli/app.h"

struct bridge_server;

struct server_config { /* lent as long as the server is open */
	struct app *app; /* its loop is open */
	const char *target; /* as on the command line, or a name of mcp.json */
	bool keep; /* read what is kept of its tools */
	int64_t interval; /* bridge_peer.interval */
	bool *changed, *woken;
	const struct peer_hearer *hearer; /* of what it says by itself */
	void (*told)(void *owner, const char *text); /* one line for the user */
	void *owner;
};

/* Dialled by the first bridge_server_tend. */
struct bridge_server *bridge_server_open(const struct server_config *config);
void bridge_server_close(struct bridge_server *s);
struct bridge_peer *bridge_server_peer(struct bridge_server *s);

/* Main line. Returns the loop_now() ms at which to come again at the latest. */
int64_t bridge_server_tend(struct bridge_server *s);
/* List its tools anew, or dial it now. */
void bridge_server_refresh(struct bridge_server *s);
/* It is there and listed, or was tried in vain. */
bool bridge_server_settled(const struct bridge_server *s);

#endif
