/* SPDX-License-Identifier: MIT */
/*
 * The table scheme -> transport: the only place that knows which there are.
 * The syntax of a target is net/endpoint's matter.
 */
#include "base/module.h"
#include "cli/app.h"
#include "net/attach.h"
#include "net/http.h"
#include "net/listen.h"
#include "net/mqtt.h"
#include "net/stdio.h"
#include "net/ws.h"
#include "sim/sim.h"

static const struct transport_ops *listen_target(struct error *err)
{
	(void)err;
	return &listen_ops;
}

static const struct transport_ops *attach_target(struct error *err)
{
	(void)err;
	return &attach_ops;
}

static const struct transport_ops *sim_target(struct error *err)
{
	(void)err;
	return &sim_ops;
}

static const struct transport_ops *ws_target(struct error *err)
{
	const struct ws_table *ws = module_table("ws", WS_TABLE, err);

	return ws ? &ws->dial : NULL;
}

static const struct transport_ops *mqtt_target(struct error *err)
{
	const struct mqtt_table *mqtt = module_table("mqtt", MQTT_TABLE, err);

	return mqtt ? &mqtt->dial : NULL;
}

static const struct transport_ops *http_target(struct error *err)
{
	const struct http_table *http = module_table("http", HTTP_TABLE, err);

	return http ? &http->dial : NULL;
}

static const struct transport_ops *stdio_target(struct error *err)
{
	(void)err;
	return &stdio_ops;
}

/* clang-format off */
const struct target_row target_rows[] = {
	{ "attach", "attach:[SOCKET]",
	  "a device of a running 'mcpctl serve', which is also what no target at all means; -d picks one of several", attach_target },
	{ "listen", "listen:[[HOST:]PORT][/PATH]",
	  "wait for one device to dial in over WebSocket; the port (8000 if none is given) answers its OTA question too", listen_target },
	{ "ws", "ws://HOST[:PORT][/PATH]",
	  "dial a WebSocket MCP server, as boards like otto-robot have one: ws://BOARD:8080/ws", ws_target },
	{ "wss", "wss://HOST[:PORT][/PATH]",
	  "the same over TLS, verified (--cacert, --insecure)", ws_target },
	{ "http", "http://HOST[:PORT][/PATH]",
	  "an MCP server over Streamable HTTP; one that only knows the older HTTP+SSE is found out", http_target },
	{ "https", "https://HOST[:PORT][/PATH]",
	  "the same over TLS, verified (--cacert, --insecure)", http_target },
	{ "sse+http", "sse+http://HOST[:PORT][/PATH]",
	  "HTTP+SSE at once, without trying Streamable HTTP first",
	  http_target },
	{ "sse+https", "sse+https://HOST[:PORT][/PATH]",
	  "the same over TLS, verified (--cacert, --insecure)", http_target },
	{ "stdio", "stdio:COMMAND LINE",
	  "an MCP server that is started as a child process, its words split as a shell does; all behind '--' is the same without quotes",
	  stdio_target },
	{ "mqtt", "mqtt://[USER@]HOST[:PORT]/CLIENT_ID[?up=TOPIC&down=TOPIC]",
	  "a device at an MQTT broker that hands it messages without its subscribing (a plain broker cannot: use 'mcpctl serve --mqtt')",
	  mqtt_target },
	{ "mqtts", "mqtts://[USER@]HOST[:PORT]/CLIENT_ID[?up=TOPIC&down=TOPIC]",
	  "the same over TLS, verified (--cacert, --insecure)", mqtt_target },
	{ "sim", "sim:[PROFILE]",
	  "a simulated device inside mcpctl: no network and no hardware",
	  sim_target },
	{ NULL, NULL, NULL, NULL }
};
/* clang-format on */
