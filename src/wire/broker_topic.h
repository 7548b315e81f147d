/* SPDX-License-Identifier: MIT */
/*
 * The topics between serve and its plugin inside mosquitto. The plugin stands
 * in for a subscription that stock firmware never makes (device.md 2.2). Pure.
 *
 * ID is a client id, percent-encoded: only A-Z a-z 0-9 . _ - @ stay.
 *   mcpctl/joined/ID   plugin to serve: a device connected; JSON
 *                      {"address","user","n"}; user may be null
 *   mcpctl/left/ID     plugin to serve: it went; JSON {"reason","n"} (reason:
 *                      mosquitto's; 2.0 always tells -1)
 *   mcpctl/up/ID       plugin to serve: a copy of what that device published
 *   mcpctl/refused/ID  plugin to serve: its credentials, or what it may not
 *                      subscribe or publish to (once a connection); JSON
 *                      {"address","text","hint"}; hint may be null
 *   mcpctl/down/ID     serve to plugin: hand this to that client
 *   mcpctl/kick/ID     serve to plugin: end its connection
 * No other client may publish or subscribe below mcpctl/. serve does not
 * subscribe either: the plugin hands these to BROKER_CLIENT_ID.
 *
 * n is a number of the connection, an integer below 2^53, which rises and is
 * never used twice, also not by a broker that was started again. Where a
 * client takes over the id of one that is connected, joined comes with a
 * larger n, and no left. When serve's own connection comes (back), joined is
 * told again for all who are there: with the n that was known, nothing
 * changed.
 *
 * All other clients publish to BROKER_UP_TOPIC and subscribe to their own down
 * topic (broker_own_topic), and to nothing else, reads included: what boards
 * say is for serve. BROKER_OPERATOR, where there is one, may use all topics but
 * those below mcpctl/.
 *
 * What is a device: a client id of the form GID_x@@@y@@@z; or it published a
 * JSON object with a "type" (joined comes before that message); or it has been
 * connected for 2 s without subscribing or publishing anything, as stock
 * firmware with another client id does. The operator is none. Of other clients
 * serve is not told.
 */
#ifndef WIRE_BROKER_TOPIC_H
#define WIRE_BROKER_TOPIC_H

#include "base/buf.h"

#define BROKER_ROOT "mcpctl/"
#define BROKER_CLIENT_ID "mcpctl-serve" /* what serve itself joins as */
#define BROKER_OPERATOR "operator" /* user name of who looks at all topics */
#define BROKER_UP_TOPIC "device-server" /* where all devices publish */

enum broker_topic {
	BROKER_NONE, /* not below mcpctl/, or not understood */
	BROKER_UP,
	BROKER_JOINED,
	BROKER_LEFT,
	BROKER_REFUSED,
	BROKER_DOWN,
	BROKER_KICK
};

void broker_topic_encode(struct buf *out, enum broker_topic kind,
			 const char *client_id);
/* The client id, decoded, into id (emptied first). */
enum broker_topic broker_topic_decode(const char *topic, struct buf *id);

/* The topic on which that client is sent to, appended. */
void broker_own_topic(struct buf *out, const char *client_id);

/*
 * A topic pattern with {client_id} and {mac} filled in: {mac} is the Device-Id
 * with _ for each colon. device_id may be NULL ("unknown" then).
 */
void topic_fill(struct buf *out, const char *pattern, const char *client_id,
		const char *device_id);
/* The subscription that fits all: + for a level that holds a placeholder. */
void topic_filter(struct buf *out, const char *pattern);
/*
 * Match a topic against a pattern: what stood for {client_id} and {mac} into
 * the two buffers (emptied first; mac with colons again). False: no match.
 */
bool topic_match(const char *pattern, const char *topic, struct buf *client_id,
		 struct buf *mac);

/*
 * "GID_x@@@aa_bb_cc_dd_ee_ff@@@uuid" (device.md 2.1): the Device-Id in it,
 * with colons, into out. False: another form.
 */
bool client_id_mac(const char *client_id, char out[18]);

#endif
