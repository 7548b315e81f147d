/* SPDX-License-Identifier: MIT */
/*
 * The outer object of the device dialect, {"session_id","type","payload"}
 * (device.md 3.1, 4), and plain JSON-RPC as the other dialect. Pure.
 */
#ifndef WIRE_ENVELOPE_H
#define WIRE_ENVELOPE_H

#include "base/json.h"

enum dialect {
	DIALECT_UNKNOWN, /* to be found out */
	DIALECT_DEVICE,
	DIALECT_PLAIN
};

struct envelope {
	/*
	 * "mcp", "hello", "listen", …; NULL for a bare JSON-RPC object; owned
	 */
	char *type;
	char *session_id; /* NULL if absent or no string; owned */
	/* the session came as "sessionId" (a hazard that some backends show) */
	bool camel_case;
	cJSON *json; /* whole object; owned */
	/*
	 * for type mcp: the payload, borrowed from json; NULL if absent or no
	 * object
	 */
	cJSON *payload;
	/*
	 * bytes of the payload, of any type, within the text that was decoded
	 */
	struct span payload_text;
};

/*
 * Decode one text frame. -1 (ERR_PROTOCOL, detail the frame): not JSON, or no
 * object and no array. A bare JSON-RPC object has type NULL.
 */
int envelope_decode(struct envelope *out, const char *text, size_t len,
		    struct error *err);
void envelope_done(struct envelope *e);

/*
 * {"session_id":"ID","type":"mcp","payload":PAYLOAD}; session_id NULL leaves
 * the member out.
 */
void envelope_encode(struct buf *out, const char *session_id,
		     const char *payload, size_t len);

#endif
