/* SPDX-License-Identifier: MIT */
/*
 * MCP over MQTT: its topics, and what is published there that is no JSON-RPC of
 * a session (mcp-mqtt.md 1). Pure.
 */
#ifndef WIRE_MCP_TOPIC_H
#define WIRE_MCP_TOPIC_H

#include "base/json.h"

#define MCP_TOPIC_CLIENT_PROPERTY "MCP-MQTT-CLIENT-ID"
#define MCP_TOPIC_KIND_PROPERTY "MCP-COMPONENT-TYPE"
#define MCP_TOPIC_META_PROPERTY "MCP-META"
#define MCP_TOPIC_FILTERS_PROPERTY "MCP-SERVER-NAME-FILTERS"
#define MCP_TOPIC_ROLES_PROPERTY "MCP-RBAC"

#define MCP_DISCONNECTED "notifications/disconnected"
#define MCP_ONLINE "notifications/server/online"
/* An SDK for microcontrollers cuts topics there. */
#define MCP_TOPIC_SHORT 128

enum mcp_topic_kind {
	MCP_TOPIC_NONE,
	MCP_TOPIC_PRESENCE, /* of a server, retained */
	MCP_TOPIC_CONTROL, /* initialize goes there */
	MCP_TOPIC_RPC,
	MCP_TOPIC_CAPABILITY,
	MCP_TOPIC_CLIENT, /* presence of a client */
	MCP_TOPIC_CLIENT_CAPABILITY,
	MCP_TOPIC_DRAFT /* of a draft that nothing speaks any more */
};

/* Slices of the topic that was read; text NULL: it has no such part. */
struct mcp_topic {
	enum mcp_topic_kind kind;
	struct span client, id, name;
	const char *server; /* "ID/NAME", where both are; NULL */
};

void mcp_topic_read(struct mcp_topic *out, const char *topic);

/* A topic, yours. server: "ID/NAME"; client: NULL where the kind has none. */
char *mcp_topic_make(enum mcp_topic_kind kind, const char *client,
		     const char *server);
/* The filter that finds presence of those that "ID/NAME" filter fits; yours. */
char *mcp_presence_filter(const char *filter);
/* All messages of that older draft. */
#define MCP_DRAFT_FILTER "$mcp-service/#"

/* An id of a server or of a client: not empty, without / + #, printable. */
bool mcp_id_fits(const char *text, size_t len);
/*
 * "ID/NAME", or a filter of those: ID may be +, NAME have + and # as levels. -1
 * (ERR_USAGE): what is wrong with it.
 */
int mcp_filter_check(const char *text, struct error *err);
/* It names one server. */
bool mcp_filter_is_exact(const char *text);

/* What a server is called; each NULL: it does not say. */
struct mcp_names {
	const char *id, *name;
	const char *device; /* whose board it is: of its presence */
};
/*
 * As -d means it: the last level of its name, all of it, "ID/NAME", its id, its
 * device; a glob of any of these. Without case. "id:" in front: no name.
 */
bool mcp_names_fit(const struct mcp_names *n, const char *pattern);

/* What a presence says; release with mcp_presence_done. */
struct mcp_presence {
	bool gone; /* it is empty */
	bool online; /* it is a presence at all */
	char *description; /* NULL */
	char *meta; /* JSON text; NULL */
	char *device; /* "id" of that: of the board behind it; NULL */
};
void mcp_presence_read(struct mcp_presence *out, const char *data, size_t len);
void mcp_presence_done(struct mcp_presence *p);

#endif
