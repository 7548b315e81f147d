/* SPDX-License-Identifier: MIT */
/*
 * One JSON-RPC 2.0 message: encode, decode, classify. Pure; no ids are made
 * or matched here (rpc/session does that).
 */
#ifndef WIRE_JSONRPC_H
#define WIRE_JSONRPC_H

#include "base/json.h"

#define JSONRPC_PARSE_ERROR (-32700)
#define JSONRPC_INVALID_REQUEST (-32600)
#define JSONRPC_METHOD_NOT_FOUND (-32601)
#define JSONRPC_INVALID_PARAMS (-32602)
#define JSONRPC_INTERNAL_ERROR (-32603)
#define MCP_RESOURCE_NOT_FOUND (-32002)
#define MCP_URL_ELICITATION_REQUIRED (-32042)
#define SERVE_NOT_SENT (-32050) /* serve: the device was not asked */

enum message_kind {
	MESSAGE_UNKNOWN, /* JSON, but none of these */
	MESSAGE_REQUEST, /* method and id */
	MESSAGE_NOTIFICATION, /* method, no id */
	MESSAGE_RESULT, /* id and result (of any type, null too) */
	MESSAGE_ERROR, /* id and error */
	MESSAGE_BATCH /* an array */
};

struct message {
	enum message_kind kind;
	/* the payload's bytes as received; lent, until message_keep */
	const char *text;
	size_t len;
	struct span
		frame; /* that it came in, where rpc/link hands it out; lent */
	/* within text; text NULL: there is none */
	struct span id, params, result_text, error_text;
	char *method; /* owned */
	bool has_number; /* id is a whole number that fits: number is set */
	int64_t number;
	bool id_was_text; /* "7" for 7: some peers answer so; number is set */
	/* result and error in one reply: error wins unless it is null */
	bool both;
	bool odd; /* see json_tree */
	/* owned, after message_keep: a copy of text, with a NUL; trees, or NULL */
	char *kept;
	cJSON *result, *error;
};

/*
 * Read a payload in one pass, without a tree: text must outlive the message,
 * or be kept. -1 (ERR_PROTOCOL): not JSON.
 */
int message_read(struct message *out, const char *text, size_t len,
		 struct error *err);
/* Make it last, with its result and error as trees. -1 (ERR_PROTOCOL). */
int message_keep(struct message *m, struct error *err);
/* The words of an error reply that is kept; NULL, lent. */
const char *message_error_text(const struct message *m);
/* Both. */
int message_decode(struct message *out, const char *text, size_t len,
		   struct error *err);
void message_done(struct message *m);
/* Move, leaving `from` empty. */
void message_take(struct message *to, struct message *from);

/* A whole number that fits, also as a text: as some peers send ids. */
bool jsonrpc_number(struct span token, int64_t *out);

/* The members of a message, in the order of these names. */
#define MESSAGE_NAMES "id", "method", "params", "result", "error", "jsonrpc"
enum message_member {
	MEMBER_ID,
	MEMBER_METHOD,
	MEMBER_PARAMS,
	MEMBER_RESULT,
	MEMBER_ERROR,
	MEMBER_VERSION,
	MESSAGE_MEMBERS
};
/* The message that text is, of which these members were found. */
void message_classify(struct message *out, struct span text,
		      const struct span members[MESSAGE_MEMBERS]);

/*
 * {"jsonrpc":"2.0","id":ID,"method":METHOD,"params":PARAMS}; params NULL is
 * left out; text of params is JSON.
 */
void jsonrpc_request(struct buf *out, int32_t id, const char *method,
		     const char *params);
/*
 * The same into an empty buffer, and where its members stand there, for who
 * would have to look for them; lent as the buffer's bytes are.
 */
void jsonrpc_request_noted(struct buf *out, int32_t id, const char *method,
			   const char *params,
			   struct span member[MESSAGE_MEMBERS]);
void jsonrpc_notification(struct buf *out, const char *method,
			  const char *params);
/* Replies to a peer's request: id is the raw JSON token to echo. */
void jsonrpc_result(struct buf *out, const char *id, const char *result);
void jsonrpc_error(struct buf *out, const char *id, int code,
		   const char *message);

/*
 * What broken JSON meant. Firmware pastes error messages in without escaping
 * (device.md 3.7), so a reply may be no JSON. A loose scan finds `"id":N` and,
 * behind `"message":"`, the text up to the closing `"}}`.
 */
struct salvage {
	bool has_id, is_error;
	int64_t id;
	struct span id_text; /* where it stands, with quotes if it has some */
	char *message; /* yours to mem_free; NULL if none was found */
	bool has_code; /* firmware after 2.4.2 sends one before the message */
	int code;
};
void jsonrpc_salvage(const char *text, size_t len, struct salvage *out);
void salvage_done(struct salvage *s);

/*
 * "invalid params" for -32602, …, NULL for a code without a standard name.
 * MCP's own are known, those of the LLM service are not (wire/llm.h).
 */
const char *jsonrpc_code_name(int code);

/*
 * Copy a text member, cut at a whole character to fit size; "" if absent or no
 * text.
 */
void member_copy(const cJSON *object, const char *name, char *out, size_t size);

/* A whole number within int; 0 if absent or anything else. */
int member_int(const cJSON *object, const char *name);

#endif
