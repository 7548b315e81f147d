/* SPDX-License-Identifier: MIT */
/*
 * The outer object of the device dialect, {"session_id","type","payload"}
 * (device.md 3.1, 4), and plain JSON-RPC as the other dialect. Pure.
 */
#ifndef WIRE_ENVELOPE_H
#define WIRE_ENVELOPE_H

#include "base/json_scan.h"
#include "wire/jsonrpc.h"

enum dialect {
	DIALECT_UNKNOWN, /* to be found out */
	DIALECT_DEVICE,
	DIALECT_PLAIN
};

/* What a frame is known by, behind the members of a message. */
enum envelope_member {
	MEMBER_TYPE = MESSAGE_MEMBERS,
	MEMBER_SESSION,
	MEMBER_SESSION_CAMEL,
	MEMBER_PAYLOAD,
	ENVELOPE_MEMBERS
};

/* Slices are of the text that was decoded. */
struct envelope {
	/* "mcp", "hello", "listen", … with its quotes; text NULL: bare JSON-RPC */
	struct span type;
	struct span session_id; /* the same; text NULL if absent or no string */
	/* the session came as "sessionId" (a hazard that some backends show) */
	bool camel_case;
	/*
	 * bare, or the payload of type mcp, of whatever type that is (text NULL:
	 * there is none); lent
	 */
	struct message message;
	struct json_places at; /* of its members, for who reads on */
};

/*
 * Where a frame's members (enum message_member, enum envelope_member) stand, and
 * those of its payload, in one pass. -1 (ERR_PROTOCOL): no JSON.
 */
int envelope_scan(struct json_places *out, bool *odd, const char *text,
		  size_t len, struct error *err);
/*
 * A JSON-RPC object may have a member called "type" too: with "jsonrpc" and
 * without a payload it is no envelope.
 */
bool envelope_is_bare(const struct json_places *at);

/*
 * Decode one text frame in one pass. -1 (ERR_PROTOCOL, detail the frame): not
 * JSON, or no object and no array.
 */
int envelope_decode(struct envelope *out, const char *text, size_t len,
		    struct error *err);
void envelope_done(struct envelope *e);
/* The payload of a frame of type mcp; any other frame as it is. */
struct span envelope_payload(struct span frame);
/* Whether it carries or is an object, which a batch is not. */
bool envelope_has_object(const struct envelope *e);

/*
 * {"session_id":"ID","type":"mcp","payload":PAYLOAD}; session_id NULL leaves
 * the member out.
 */
void envelope_encode(struct buf *out, const char *session_id,
		     const char *payload, size_t len);
/*
 * The same where the members of the payload are known, as jsonrpc_request_noted
 * tells them: where they stand in the frame that was made of it, bare or not.
 */
void envelope_places(struct json_places *out, struct span frame,
		     struct span payload,
		     const struct span member[MESSAGE_MEMBERS]);

#endif
