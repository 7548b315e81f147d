/* SPDX-License-Identifier: MIT */
/*
 * Rules: a row each, with its code, what it looks at, and a function that says
 * whether it is there. Only the engine and the two tables include this.
 */
#ifndef DIAG_RULE_ROW_H
#define DIAG_RULE_ROW_H

#include <stdarg.h>

#include "diag/diag.h"

/* A frame, read once (device.md 3.1). Spans without text: there is none. */
struct frame_reading {
	bool is_json, is_object, is_batch;
	size_t fault; /* no JSON: the byte from which on */
	struct span whole, type, session_id, camel, payload;
	/* of the payload, or of the whole where it is bare */
	bool has_message;
	struct span version, id, method, params, result, error;
	bool is_request, is_reply;
	enum asked_method kind; /* of a request */
	/* what params, result or error of it hold; see part_names */
	struct span part[4];
	/* of a result: how much content it has, and of the first its members */
	size_t items;
	struct span item[3];
	bool has_id, has_number, number_was_text;
	int64_t number; /* of an id that is a text: its hash */
	/* of that number, also where it is no JSON; NULL: nobody asked so */
	struct diag_asked *asked;
};

/* Of reading.part: of params, of a result, of an error. */
enum { PARAM_NAME, PARAM_CURSOR, PARAM_USER_TOOLS, PARAM_CAPABILITIES };
enum { RESULT_NEXT, RESULT_IS_ERROR, RESULT_CONTENT, RESULT_TOOLS };
enum { ERROR_CODE, ERROR_MESSAGE };
/* Of reading.item. */
enum { ITEM_TEXT, ITEM_IMAGE, ITEM_TYPE };

/* When a rule is looked at. */
enum {
	ON_FRAME = 1, /* a text frame */
	ON_JSON = 2, /* … that is JSON */
	ON_MCP = 4, /* … of type mcp */
	ON_MESSAGE = 8, /* JSON-RPC, enveloped or bare */
	ON_REQUEST = 16, /* … with a method, and no notification */
	ON_REPLY = 32, /* … with a result or an error, and an id */
	ON_HELLO = 64,
	ON_END = 128, /* the connection is over */
	ON_BINARY = 256,
	ON_BROKEN = 512, /* a text frame that is no JSON */
	/* what is looked at in each message of a batch */
	ON_PART = ON_MESSAGE | ON_REQUEST | ON_REPLY
};

/* Where it holds. */
enum {
	OF_BOARD = 1,
	OF_PLAIN = 2,
	OF_ANY = 3,
	ENVELOPED = 4 /* not where messages are bare */
};

struct rule_look {
	struct diag *d;
	const struct diag_frame *f;
	const struct frame_reading *r;
	bool aside; /* f shows it, and is no frame of the connection */
	/* set by a rule that finds something */
	struct span at;
	char detail[320];
};

struct rule {
	enum diag_code code;
	unsigned on, of;
	bool (*look)(struct rule_look *l);
};

extern const struct rule backend_rules[], device_rules[];
extern const size_t backend_rules_count, device_rules_count;

#define NOT_A_MESSAGE "neither a request nor a reply nor a notification"

/* The detail; what does not fit ends with "…". */
void rule_words(struct rule_look *l, const char *format, va_list args)
	PRINTF_LIKE(2, 0);
/* For rules: true, with what is wrong. */
bool rule_hit(struct rule_look *l, struct span at, const char *format, ...)
	PRINTF_LIKE(3, 4);
/* A string's contents, without its quotes, as it is escaped; cut. */
int span_shown(struct span s);
/* "id 7 (self.x)"; where ids are not told, its name alone. Returns out. */
const char *asked_words(const struct rule_look *l, const struct diag_asked *a,
			char *out, size_t size);
const char *asked_name(const struct diag_asked *a);
/* A number, and not written as a whole one: 7.0, 7e0 ("true" is none). */
bool id_is_decimal(struct span id);
/* Of a cursor as it is escaped; 0: none, or an empty one. */
uint32_t cursor_hash(struct span cursor);
/*
 * For both tables: a binary frame that is no audio of the version that was
 * agreed on (device.md 1.7); where none was, it is not judged.
 */
bool rule_no_audio(struct rule_look *l);
/*
 * A server hello that the device takes; any other it ignores, and goes on
 * waiting (device.md 1.5, 2.3).
 */
bool hello_is_taken(const struct diag_frame *f, const struct frame_reading *r);

#endif
