/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket's Ping, one at a time, and what its socket tells. The library
 * sends none by itself: boards that answer late must not be cut off
 * (device.md 1.4).
 */
#include <string.h>
#include <sys/socket.h>

#include "net/ws_private.h"

/* Which one, so that a late Pong is not taken for the next one's. */
static void payload_of(const struct ws *ws, unsigned char out[WS_PING_BYTES])
{
	for (unsigned i = 0; i < WS_PING_BYTES; i++)
		out[i] = (unsigned char)(ws->pings >>
					 8 * (WS_PING_BYTES - 1 - i));
}

int ws_ping_write(struct ws *ws)
{
	/* A client's are masked in place. */
	unsigned char data[LWS_PRE + WS_PING_BYTES];

	ws->ping_due = false;
	payload_of(ws, data + LWS_PRE);
	ws->broken = lws_write(ws->wsi, data + LWS_PRE, WS_PING_BYTES,
			       LWS_WRITE_PING) < WS_PING_BYTES;
	return ws->broken ? -1 : 0;
}

void ws_ping_begin(struct ws *ws)
{
	ws->pings++;
	ws->ping_due = ws->ping_open = true;
	ws->pong_us = -1;
	ws->ping_at_us = loop_now_us();
}

/* One of ours that came earlier than this is late; else whatever it holds. */
static bool is_late(const struct ws *ws, const unsigned char *data, size_t len)
{
	unsigned char wanted[WS_PING_BYTES];
	uint32_t told = 0;

	payload_of(ws, wanted);
	if (len != WS_PING_BYTES || memcmp(data, wanted, len) == 0)
		return false;
	for (unsigned i = 0; i < WS_PING_BYTES; i++)
		told = told << 8 | data[i];
	return told < ws->pings;
}

void ws_pong(struct ws *ws, const void *data, size_t len)
{
	const struct transport *t = ws->transport;

	/* One that nobody asked for means nothing. */
	if (!ws->ping_open || ws->ping_due || is_late(ws, data, len))
		return;
	ws->ping_open = false;
	ws->pong_us = loop_now_us() - ws->ping_at_us;
	if (t->events->pong && !ws->closing)
		t->events->pong(t->owner);
}

bool ws_layers(const struct transport *t, int64_t id, struct layers *out)
{
	const struct ws *ws = t->impl;

	(void)id;
	*out = (struct layers){ .pong_us = -1 };
	if (!ws || !ws->wsi || ws->state != WS_OPEN)
		return false;
	layers_of_socket(out, lws_get_socket_fd(ws->wsi));
	out->ping = true;
	out->pong_us = ws->pings ? ws->pong_us : -1;
	return true;
}
