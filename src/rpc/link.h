/* SPDX-License-Identifier: MIT */
/*
 * What "connected" means in each dialect, as a state machine without I/O: a
 * frame goes in; what it was is handed out, and what must be sent in reply. Device
 * dialect: the server hello is due when the device's hello came, and only then
 * is the link up (device.md 1.5). Plain JSON-RPC is up at once. Unknown: up
 * as soon as a hello or a bare message tells which.
 *
 * It does not match replies and does not know MCP methods.
 */
#ifndef RPC_LINK_H
#define RPC_LINK_H

#include "net/transport.h"
#include "wire/audio.h"
#include "wire/envelope.h"
#include "wire/hello.h"
#include "wire/jsonrpc.h"

struct link {
	enum dialect dialect;
	bool up;
	char session_id
		[64]; /* made by us at the first hello; until then: what the device shows (learned) */
	bool learned;
	bool has_hello;
	struct hello hello; /* the device's, valid if has_hello */
	unsigned hellos; /* how many came */
	int frame_version; /* of binary frames: header, then hello */
	uint64_t audio_frames, audio_bytes, audio_broken;
	bool gone_camel; /* peer wrote "sessionId" */
	bool relayed; /* serve stands between: it answers hello and requests */
	bool has_udp; /* over MQTT: each voice session begins with a hello, which is answered with an offer */
	const struct udp_offer *udp; /* the transport's; NULL once it is gone */
};

/*
 * What a frame meant, handed to its taker; all of it is lent. A message of a
 * batch comes like any other, in a frame of its own.
 */
struct link_events {
	/*
	 * A frame came, before anything else is made of it. at: where its members
	 * stand (wire/envelope.h); NULL: it has none, or is no JSON. May be NULL.
	 */
	void (*frame)(void *owner, enum frame_kind kind, struct span frame,
		      const struct json_places *at);
	/* must go out before anything else can (device.md 1.5) */
	void (*send)(void *owner, const struct buf *frame);
	/* the device's: link.hello */
	void (*hello)(void *owner, struct span frame);
	void (*reply)(void *owner, struct message *m);
	void (*request)(void *owner, const struct message *m);
	void (*notification)(void *owner, const struct message *m);
	/* JSON-RPC that is out of place, and why */
	void (*odd)(void *owner, const struct message *m, const char *why);
	/* Before what is in it. False: that is not to be read; NULL: it is. */
	bool (*batch)(void *owner, const struct message *m);
	/* each message of a batch that is not read */
	void (*unread)(void *owner, const struct message *m);
	/* listen, abort, goodbye, iot, … */
	void (*device)(void *owner, const char *type, struct span frame);
	/* a binary frame was counted; problem: it was broken */
	void (*audio)(void *owner, struct span frame,
		      const struct error *problem);
	/* no JSON, or an envelope without a payload, and what it meant */
	void (*broken)(void *owner, struct span frame,
		       const struct error *problem,
		       const struct salvage *salvage);
};

void link_init(struct link *l, enum dialect dialect, int frame_version);
void link_done(struct link *l);

/* So long a peer that dialled in without a Device-Id is given for its hello. */
#define LINK_HELLO_MS 2000

/*
 * The transport is ready. dialled_in: a device came to us, so an unknown
 * dialect is the device's, and its hello is due. Else, in the device dialect,
 * the link is up at once: a server on a board says no hello (device.md 3.11).
 * frame_version: of its request's header, 0 if none.
 */
void link_connected(struct link *l, bool dialled_in, int frame_version);

/*
 * Instead, for a device that serve holds: the link is up, with the hello that
 * came long ago; a hello that comes now is reported but not answered.
 */
void link_relayed(struct link *l, const struct relay_info *relay);

/*
 * Over MQTT, before or after link_connected: a hello with transport "udp" is
 * answered with this offer (device.md 2.3), and audio comes bare, decrypted.
 * It is looked at anew for each hello, and lent until link_done, or NULL.
 */
void link_offer_udp(struct link *l, const struct udp_offer *offer);

/*
 * The dialect became known by other means (a probe was answered, or silence):
 * the link is up.
 */
void link_settle(struct link *l, enum dialect dialect);

/* Feed one frame: what it means is handed out before this returns. */
void link_receive(struct link *l, enum frame_kind kind, struct span frame,
		  const struct link_events *events, void *owner);

/* A JSON-RPC payload as a frame of this dialect. */
void link_wrap(const struct link *l, const char *payload, size_t len,
	       struct buf *out);

/*
 * An Opus packet for the device, as struct transport_ops.send_sound takes it
 * there. timestamp: ms since it began to speak.
 */
void link_wrap_sound(const struct link *l, uint32_t timestamp,
		     const void *packet, size_t len, struct buf *out);

/*
 * A device message (tts, alert, system, …) as a frame: session_id is filled
 * in if the object has none. -1 (ERR_USAGE): no JSON object, no "type"; or the
 * dialect is plain.
 */
int link_wrap_device(const struct link *l, const char *json, struct buf *out,
		     struct error *err);

#endif
