/* SPDX-License-Identifier: MIT */
/*
 * The outer object of the device dialect. What is inside the payload is
 * wire/jsonrpc's matter, what a type means rpc/link's.
 */
#include "wire/envelope.h"

#include <string.h>

#include "base/text.h"

bool envelope_is_bare(const struct json_places *at)
{
	return !json_span_begins(at->outer[MEMBER_TYPE], '"') ||
	       (json_span_begins(at->outer[MEMBER_VERSION], '"') &&
		!json_span_begins(at->outer[MEMBER_PAYLOAD], '{'));
}

static void decode_object(struct envelope *out, const struct json_places *at)
{
	out->type = at->outer[MEMBER_TYPE];
	if (json_span_begins(at->outer[MEMBER_SESSION], '"')) {
		out->session_id = at->outer[MEMBER_SESSION];
	} else if (json_span_begins(at->outer[MEMBER_SESSION_CAMEL], '"')) {
		out->session_id = at->outer[MEMBER_SESSION_CAMEL];
		out->camel_case = true;
	}
	if (json_span_is(out->type, "mcp"))
		message_classify(&out->message, at->outer[MEMBER_PAYLOAD],
				 at->inner);
}

int envelope_scan(struct json_places *out, bool *odd, const char *text,
		  size_t len, struct error *err)
{
	static const char *const names[] = {
		MESSAGE_NAMES,
		[MEMBER_TYPE] = "type",
		[MEMBER_SESSION] = "session_id",
		[MEMBER_SESSION_CAMEL] = "sessionId",
		[MEMBER_PAYLOAD] = "payload",
	};

	*out = (struct json_places){ .name = names,
				     .names = ENVELOPE_MEMBERS,
				     .inside = MEMBER_PAYLOAD };
	return json_scan(text, len, out, odd, err);
}

int envelope_decode(struct envelope *out, const char *text, size_t len,
		    struct error *err)
{
	struct span whole = { text, len };
	bool odd;

	*out = (struct envelope){ 0 };
	if (envelope_scan(&out->at, &odd, text, len, err))
		return error_detail(err, text, len);
	whole.len = text_trim(&whole.text, len);
	if (*whole.text != '{' && *whole.text != '[') {
		error_set(err, ERR_PROTOCOL,
			  "message is neither a JSON object nor an array");
		return error_detail(err, text, len);
	}
	if (envelope_is_bare(&out->at)) {
		message_classify(&out->message, whole, out->at.outer);
		out->message.text = text;
		out->message.len = len;
	} else {
		decode_object(out, &out->at);
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

void envelope_places(struct json_places *out, struct span frame,
		     struct span payload,
		     const struct span member[MESSAGE_MEMBERS])
{
	static const char type[] = "\"mcp\"";
	const bool bare = frame.len == payload.len;
	struct span *to = bare ? out->outer : out->inner;
	const char *text = frame.text + frame.len - payload.len - !bare;
	const char *session = frame.text + strlen("{\"session_id\":");

	*out = (struct json_places){ .names = ENVELOPE_MEMBERS };
	for (size_t i = 0; i < MESSAGE_MEMBERS; i++) {
		if (member[i].text)
			to[i] = (struct span){ text + (member[i].text -
						       payload.text),
					       member[i].len };
	}
	if (bare)
		return;
	out->outer[MEMBER_PAYLOAD] = (struct span){ text, payload.len };
	text -= strlen(",\"payload\":") + strlen(type);
	out->outer[MEMBER_TYPE] = (struct span){ text, strlen(type) };
	text -= strlen(",\"type\":");
	if (text > frame.text)
		out->outer[MEMBER_SESSION] =
			(struct span){ session, (size_t)(text - session) };
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
