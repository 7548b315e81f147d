/* SPDX-License-Identifier: MIT */
/*
 * Frames of serve's Unix socket, and errors as JSON. What the objects mean is
 * not known here.
 */
#include "wire/control_frames.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "wire/member.h"

void control_encode(struct buf *out, enum control_kind kind, const void *data,
		    size_t len)
{
	unsigned char head[CONTROL_HEAD] = { 0 };

	assert(len <= CONTROL_FRAME_MAX);
	head[0] = (unsigned char)(len >> 24);
	head[1] = (unsigned char)(len >> 16);
	head[2] = (unsigned char)(len >> 8);
	head[3] = (unsigned char)len;
	head[4] = (unsigned char)kind;
	buf_add(out, head, sizeof(head));
	buf_add(out, data, len);
}

static bool read_kind(unsigned char byte, enum control_kind *out)
{
	switch (byte) {
	case 'j':
		*out = CONTROL_JSON;
		return true;
	case 't':
		*out = CONTROL_TEXT;
		return true;
	case 'b':
		*out = CONTROL_BINARY;
		return true;
	default:
		return false;
	}
}

static int not_ours(const char *what, struct error *err)
{
	error_set(err, ERR_PROTOCOL, "the control socket: %s", what);
	return error_hint(err, "the other end is no mcpctl of this version");
}

int control_decode(struct control_frame *out, const char *data, size_t len,
		   struct error *err)
{
	unsigned char head[CONTROL_HEAD];
	size_t size;

	if (len < CONTROL_HEAD)
		return 0;
	memcpy(head, data, sizeof(head));
	size = (size_t)head[0] << 24 | (size_t)head[1] << 16 |
	       (size_t)head[2] << 8 | head[3];
	if (!read_kind(head[4], &out->kind))
		return not_ours("a frame of unknown kind", err);
	if (head[5] || head[6] || head[7])
		return not_ours("a frame whose head is broken", err);
	if (size > CONTROL_FRAME_MAX)
		return not_ours("a frame that is too long", err);
	if (len - CONTROL_HEAD < size)
		return 0;
	out->data = data + CONTROL_HEAD;
	out->len = size;
	out->size = CONTROL_HEAD + size;
	return 1;
}

void control_error_encode(struct buf *out, const struct error *e)
{
	buf_printf(out, "{\"kind\":\"%s\"", error_kind_name(e->kind));
	if (e->has_code)
		buf_printf(out, ",\"code\":%d", e->code);
	json_add_text(out, "text", e->text);
	json_add_text(out, "hint", e->hint);
	json_add_text(out, "detail", e->detail);
	buf_char(out, '}');
}

/* A kind that is not known is an error all the same. */
static enum error_kind read_error_kind(const char *name)
{
	static const enum error_kind kinds[] = {
		ERR_NONE,     ERR_PEER, ERR_USAGE, ERR_CONNECT, ERR_TIMEOUT,
		ERR_PROTOCOL, ERR_AUTH, ERR_UNMET, ERR_OUTPUT,	ERR_INTERRUPTED,
	};

	for (size_t i = 0; name && i < COUNT(kinds); i++) {
		if (!strcmp(error_kind_name(kinds[i]), name))
			return kinds[i];
	}
	return ERR_PROTOCOL;
}

void control_error_decode(struct error *out, const cJSON *object)
{
	const char *detail = json_string(object, "detail");
	int64_t code;

	error_set(out, read_error_kind(json_string(object, "kind")), "%s", "");
	member_copy(object, "text", out->text, sizeof(out->text));
	member_copy(object, "hint", out->hint, sizeof(out->hint));
	if (json_integer(object, "code", &code) == 0 && code >= INT_MIN &&
	    code <= INT_MAX)
		error_code(out, (int)code);
	if (detail)
		error_detail(out, detail, strlen(detail));
}
