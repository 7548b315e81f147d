/* SPDX-License-Identifier: MIT */
/*
 * The two hello messages (device.md 1.5, 2.3). Pure.
 */
#ifndef WIRE_HELLO_H
#define WIRE_HELLO_H

#include "base/json.h"
#include "wire/audio.h"

struct hello_audio {
	char format[16]; /* "" if absent */
	int sample_rate, channels, frame_duration; /* 0 if absent */
};

struct hello {
	int version; /* binary framing 1, 2, 3; 0 if absent (then 1 is meant) */
	bool has_features; /* firmware up to 1.6.2 sends none */
	bool mcp; /* features.mcp is true (or the text "true") */
	char transport[16]; /* "websocket", "udp", "" */
	struct hello_audio audio;
	cJSON *json; /* the whole message, owned */
};

/*
 * json is taken. -1 (ERR_PROTOCOL): its type is not "hello". Missing members
 * are no error: see has_features, version.
 */
int hello_decode_take(struct hello *out, cJSON *json, struct error *err);
void hello_done(struct hello *h);

/*
 * The server's answer over WebSocket: type, transport, session_id,
 * audio_params. `transport` is always sent: without it the device reboots.
 */
void hello_encode_server(struct buf *out, const char *session_id);

/*
 * The same over MQTT (device.md 2.3): transport "udp", and the udp object with
 * server, port, key, nonce, encryption.
 */
void hello_encode_udp(struct buf *out, const char *session_id,
		      const struct udp_offer *udp);

#endif
