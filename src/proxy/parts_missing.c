/* SPDX-License-Identifier: MIT */
/* Until their files are here: MQTT, UDP, MCP servers. */
#include "proxy/proxy.h"

static int missing(struct error *err)
{
	return error_set(err, ERR_USAGE, "this kind is not relayed yet");
}

int mqtt_relay_endpoint(struct proxy *p, const char *endpoint,
			const char *reached, char **out, struct error *err)
{
	(void)p;
	(void)endpoint;
	(void)reached;
	(void)out;
	return missing(err);
}

int mqtt_relay_open(struct proxy *p, struct error *err)
{
	(void)p;
	return missing(err);
}

void mqtt_relay_addresses(const struct proxy *p, struct words *out)
{
	(void)p;
	(void)out;
}

void mqtt_relay_close(struct proxy *p)
{
	(void)p;
}

void udp_relay_close(struct proxy *p)
{
	(void)p;
}

int mcp_relay_open(struct proxy *p, struct error *err)
{
	(void)p;
	return missing(err);
}

void mcp_relay_addresses(const struct proxy *p, struct words *out)
{
	(void)p;
	(void)out;
}

void mcp_relay_close(struct proxy *p)
{
	(void)p;
}
