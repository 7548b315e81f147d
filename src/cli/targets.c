/* SPDX-License-Identifier: MIT */
/*
 * The table scheme -> transport: the only place that knows which there are.
 * The syntax of a target is net/endpoint's matter.
 */
#include "base/module.h"
#include "cli/app.h"
#include "net/listen.h"
#include "net/ws.h"
#include "sim/sim.h"

static const struct transport_ops *listen_target(struct error *err)
{
	(void)err;
	return &listen_ops;
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

/* clang-format off */
const struct target_row target_rows[] = {
	{ "listen", "listen:[[HOST:]PORT][/PATH]",
	  "wait for one device to dial in over WebSocket; the port (8000 if "
	  "none is given) answers its OTA question too", listen_target },
	{ "ws", "ws://HOST[:PORT][/PATH]",
	  "dial a WebSocket MCP server, as boards like otto-robot have one: "
	  "ws://BOARD:8080/ws", ws_target },
	{ "wss", "wss://HOST[:PORT][/PATH]",
	  "the same over TLS, verified (--cacert, --insecure)", ws_target },
	{ "sim", "sim:[PROFILE]",
	  "a simulated device inside mcpctl: no network and no hardware",
	  sim_target },
	{ NULL, NULL, NULL, NULL }
};
/* clang-format on */
