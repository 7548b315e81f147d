/* SPDX-License-Identifier: MIT */
/*
 * What a server tells by itself: changes of resources, of lists. Up to
 * 2025-11-25 by resources/subscribe and whatever stream there is; from
 * 2026-07-28 on by one subscriptions/listen, which lasts (modern.md 10). The
 * notifications themselves are events of the session.
 */
#ifndef MCP_WATCHING_H
#define MCP_WATCHING_H

#include "mcp/client.h"

/*
 * To be told of changes of these resources, too. -1: it could not be; *reply has
 * the server's error, and *refused (lent) the resource, where it is one of them.
 * What the server does not tell of, though it was asked to,
 * a notice says; where that is all of it, it could not be.
 */
int client_subscribe(struct client *c, char *const *uri, size_t count,
		     const char **refused, struct message *reply,
		     struct error *err);
/* No more; that it fails is nobody's matter. */
void client_unsubscribe(struct client *c, char *const *uri, size_t count);

/*
 * To be told of all that it says it tells of by itself, where it has to be
 * asked for that.
 */
int client_listen(struct client *c, struct error *err);

/*
 * For who asks by itself (client_start_modern, of a call that lasts): the params of
 * subscriptions/listen, appended, for these resources, and `with_lists`: for all
 * lists that the server says it tells of. False: there is nothing to be told.
 */
bool client_watch_filter(const struct client *c, bool with_lists,
			 const struct words *uris, struct buf *out);
/* The server acknowledged (call.first) that it tells of that resource. */
bool client_watch_honours(const struct call *call, const char *uri);

/* It logs only within requests that ask for it, so nobody else hears of that. */
bool client_logs_apart(const struct client *c);

/*
 * session_watch, and what was subscribed to is taken up again when it is lost.
 * -1 (ERR_CONNECT), too: the server has ended it, or forgot the session. A server
 * over HTTP that may forget it gets a ping every so many ms (0: CLIENT_PING_MS).
 */
#define CLIENT_PING_MS \
	300000 /* mcp-c-sdk forgets after 600 s (espressif.md 2) */
int client_watch(struct client *c, const bool *stop, int64_t deadline,
		 int64_t ping, struct error *err);

#endif
