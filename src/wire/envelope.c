/* SPDX-License-Identifier: MIT */
/*
 * The outer object of the device dialect. What is inside the payload is
 * wire/jsonrpc's matter, what a type means rpc/link's.
 */
#include "wire/envelope.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/text.h"

enum {
	TYPE = MESSAGE_MEMBERS,
	SESSION,
	SESSION_CAMEL,
	VERSION,
	PAYLOAD,
	NAMES
};

/* A text starts with '"', an object with '{'. */
static bool starts(struct span value, char c)
{
	return value.text && *value.text == c;
}

/*
 * A JSON-RPC object may have a member called "type" too: with "jsonrpc" and
 * without a payload it is no envelope.
 */
static bool is_bare(const struct json_places *at)
{
	return !starts(at->outer[TYPE], '"') ||
	       (starts(at->outer[VERSION], '"') &&
		!starts(at->outer[PAYLOAD], '{'));
}

static void decode_object(struct envelope *out, const struct json_places *at)
{
	out->type = at->outer[TYPE];
	if (starts(at->outer[SESSION], '"')) {
		out->session_id = at->outer[SESSION];
	} else if (starts(at->outer[SESSION_CAMEL], '"')) {
		out->session_id = at->outer[SESSION_CAMEL];
		out->camel_case = true;
	}
	if (json_span_is(out->type, "mcp"))
		message_classify(&out->message, at->outer[PAYLOAD], at->inner);
}

int envelope_decode(struct envelope *out, const char *text, size_t len,
		    struct error *err)
{
	static const char *const names[] = {
		MESSAGE_NAMES,
		[TYPE] = "type",
		[SESSION] = "session_id",
		[SESSION_CAMEL] = "sessionId",
		[VERSION] = "jsonrpc",
		[PAYLOAD] = "payload",
	};
	struct json_places at = { .name = names,
				  .names = NAMES,
				  .inside = PAYLOAD };
	struct span whole = { text, len };
	bool odd;

	*out = (struct envelope){ 0 };
	if (json_scan(text, len, &at, &odd, err))
		return error_detail(err, text, len);
	whole.len = text_trim(&whole.text, len);
	if (*whole.text != '{' && *whole.text != '[') {
		error_set(err, ERR_PROTOCOL,
			  "message is neither a JSON object nor an array");
		return error_detail(err, text, len);
	}
	if (is_bare(&at)) {
		message_classify(&out->message, whole, at.outer);
		out->message.text = text;
		out->message.len = len;
	} else {
		decode_object(out, &at);
	}
	out->message.odd = odd;
	return 0;
}

void envelope_done(struct envelope *e)
{
	message_done(&e->message);
	*e = (struct envelope){ 0 };
}

bool envelope_has_object(const struct envelope *e)
{
	const char *text = e->message.text;

	return text_trim(&text, e->message.len) && *text == '{';
}

void envelope_encode(struct buf *out, const char *session_id,
		     const char *payload, size_t len)
{
	buf_char(out, '{');
	if (session_id) {
		buf_text(out, "\"session_id\":");
		buf_json_string(out, session_id, strlen(session_id));
		buf_char(out, ',');
	}
	buf_text(out, "\"type\":\"mcp\",\"payload\":");
	buf_add(out, payload, len);
	buf_char(out, '}');
}

struct span envelope_payload(struct span frame)
{
	struct span type, payload;

	if (json_check(frame.text, frame.len, NULL) == 0 &&
	    json_span_member(frame, "type", &type) &&
	    json_span_is(type, "mcp") &&
	    json_span_member(frame, "payload", &payload))
		return payload;
	return frame;
}
