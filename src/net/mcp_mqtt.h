/* SPDX-License-Identifier: MIT */
/*
 * MCP over MQTT, as a client: servers that announce themselves at a broker
 * (mcp-mqtt.md). Part of the module of net/mqtt, whose table has its functions;
 * how a target of it is dialled stands there, too.
 */
#ifndef NET_MCP_MQTT_H
#define NET_MCP_MQTT_H

#include "net/mqtt.h"

/* Who announces himself; presence may lie: a server that ended leaves it. */
struct mcp_server {
	const char *id, *name;
	const char *description; /* NULL */
	const char *meta; /* JSON text; NULL */
	const char *device; /* whose board it says it is; NULL */
	int64_t since; /* loop_now() ms when it came, for what we saw */
	bool odd; /* what is kept there is no presence */
};

/* At one broker; more are not kept. */
#define MCP_SERVERS_MAX 5000

/* The transport; for the module's table alone. */
int mcp_mqtt_open(struct transport *t, const struct endpoint *to,
		  struct error *err);
int mcp_mqtt_send(struct transport *t, const char *text, size_t len,
		  struct error *err);
void mcp_mqtt_close(struct transport *t);
int mcp_mqtt_explain(struct transport *t, struct error *err);
bool mcp_mqtt_layers(const struct transport *t, int64_t id, struct layers *out);

#endif
