/* SPDX-License-Identifier: MIT */
/*
 * Kind of target -> transport: the only place that knows which there are. How
 * targets are written is net/endpoint's matter.
 */
#include "cli/targets.h"
#include "base/module.h"
#include "net/attach.h"
#include "net/http.h"
#include "net/listen.h"
#include "net/mqtt.h"
#include "net/stdio.h"
#include "net/ws.h"
#include "sim/sim.h"

static const struct transport_ops *ws_ops(struct error *err)
{
	const struct ws_table *ws = module_table("ws", WS_TABLE, err);

	return ws ? &ws->dial : NULL;
}

static const struct transport_ops *mqtt_ops(struct error *err)
{
	const struct mqtt_table *mqtt = module_table("mqtt", MQTT_TABLE, err);

	return mqtt ? &mqtt->dial : NULL;
}

static const struct transport_ops *http_ops(struct error *err)
{
	const struct http_table *http = module_table("http", HTTP_TABLE, err);

	return http ? &http->dial : NULL;
}

/* Without a default: the compiler tells of a kind that has no line here. */
const struct transport_ops *target_ops(enum scheme_kind kind, struct error *err)
{
	switch (kind) {
	case SCHEME_ATTACH:
		return &attach_ops;
	case SCHEME_LISTEN:
		return &listen_ops;
	case SCHEME_WEBSOCKET:
		return ws_ops(err);
	case SCHEME_HTTP:
		return http_ops(err);
	case SCHEME_CHILD:
		return &stdio_ops;
	case SCHEME_MQTT:
		return mqtt_ops(err);
	case SCHEME_SIM:
		return &sim_ops;
	}
	return NULL;
}
