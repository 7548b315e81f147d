/* SPDX-License-Identifier: MIT */
/*
 * One of those behind the bridge as a server of MCP over MQTT (mcp-mqtt.md 9):
 * a connection to the broker of its own, its presence there, and its clients,
 * each answered as any host is, with the names that the board itself has.
 */
#ifndef BRIDGE_BOARD_PRESENCE_H
#define BRIDGE_BOARD_PRESENCE_H

#include "bridge/bridge.h"

struct board_presence;

/* Where; lent as long as boards are there. */
struct presence_place {
	const struct mqtt_table *mqtt;
	const struct endpoint *broker; /* its path: what names begin with */
	struct bridge *bridge; /* all of them */
	bool keep_asleep; /* it stays announced while it sleeps */
	/* The broker took it, or (why) is not there. */
	void (*told)(void *owner, struct board_presence *p,
		     const struct error *why);
	/*
	 * It is there, and refused a topic, by its access rules for example; it is
	 * not tried again. kind: a bit, the same for the same kind of topic and of use.
	 */
	void (*refused)(void *owner, unsigned kind, const struct error *why);
	void *owner;
};

/* Nothing is dialled yet. */
struct board_presence *board_presence_new(const struct presence_place *place,
					  struct bridge_peer *peer);
/*
 * Main line, after each turn of the loop: it comes, goes, is told anew. Returns
 * the loop_now() ms at which to come again at the latest.
 */
int64_t board_presence_tend(struct board_presence *p);
/* Its presence is taken back; freed from the loop, closed is called then. */
void board_presence_close(struct board_presence *p, void (*closed)(void *owner),
			  void *owner);
/* The same at once: its board is forgotten. */
void board_presence_forget(struct board_presence *p);
bool board_presence_is_of(const struct board_presence *p,
			  const struct bridge_peer *peer);
/* "SERVER-ID/SERVER-NAME". */
const char *board_presence_server(const struct board_presence *p);

#endif
