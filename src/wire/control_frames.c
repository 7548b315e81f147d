/* SPDX-License-Identifier: MIT */
/*
 * Frames of serve's Unix socket, errors as JSON, and the versions of both ends.
 * What the objects mean is not known here.
 */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "wire/control_frames.h"
#include "wire/jsonrpc.h"

/*
 * Frames of serve's Unix socket, and errors as JSON. What the objects mean is
 * not known here.
 */

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
	json_add_text(out, "finding", *e->finding ? e->finding : NULL);
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
		if (strcmp(error_kind_name(kinds[i]), name) == 0)
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
	error_finding(out, json_string(object, "finding"));
	if (json_integer(object, "code", &code) == 0 && code >= INT_MIN &&
	    code <= INT_MAX)
		error_code(out, (int)code);
	if (detail)
		error_detail(out, detail, strlen(detail));
}

static void add_json(struct buf *out, const char *name, const char *json)
{
	if (json)
		buf_printf(out, ",\"%s\":%s", name, json);
}

void serve_question_encode(struct buf *out, const struct serve_question *q)
{
	buf_printf(out, "{\"op\":\"%s\"", q->op);
	if (q->timeout > 0)
		buf_printf(out, ",\"timeout\":%" PRId64, q->timeout);
	if (q->length > 0)
		buf_printf(out, ",\"for\":%" PRId64, q->length);
	if (q->photos > 0)
		buf_printf(out, ",\"photos\":%" PRId64, q->photos);
	json_add_text(out, "device", q->device);
	json_add_text(out, "by", q->by);
	json_add_text(out, "action", q->action);
	json_add_text(out, "key", q->key);
	json_add_text(out, "transport", q->transport);
	json_add_text(out, "list", q->list);
	json_add_text(out, "name", q->name);
	json_add_text(out, "prefix", q->prefix);
	json_add_text(out, "method", q->method);
	json_add_text(out, "notify", q->notify);
	add_json(out, "message", q->message);
	add_json(out, "params", q->params);
	add_json(out, "devices", q->devices);
	add_json(out, "tail", q->tail ? "true" : NULL);
	add_json(out, "pictures", q->pictures ? "true" : NULL);
	add_json(out, "findings", q->findings ? "true" : NULL);
	add_json(out, "serial", q->serial ? "true" : NULL);
	add_json(out, "last", q->last ? "true" : NULL);
	add_json(out, "watch", q->watch ? "true" : NULL);
	add_json(out, "enrolled", q->enrolled ? "true" : NULL);
	add_json(out, "keep", q->keep ? "true" : NULL);
	add_json(out, "wait", q->wait ? "true" : NULL);
	add_json(out, "idle", q->idle ? "true" : NULL);
	add_json(out, "all", q->all ? "true" : NULL);
	add_json(out, "force", q->force ? "true" : NULL);
	buf_char(out, '}');
}

/*
 * Versions of both ends of serve's socket. When something is said, and to whom,
 * is not known here.
 */

#define RESTART \
	"restart serve as this version ('mcpctl stop', then start it as before), or use its version here"

void greeting_ask(struct buf *out, const char *leases)
{
	buf_printf(out, "{\"op\":\"greet\",\"protocol\":%d", CONTROL_PROTOCOL);
	json_add_text(out, "version", MCPCTL_VERSION);
	json_add_text(out, "leases", leases);
	buf_char(out, '}');
}

void greeting_answer(struct buf *out, int pid)
{
	buf_printf(out, "{\"op\":\"greeting\",\"protocol\":%d,\"pid\":%d",
		   CONTROL_PROTOCOL, pid);
	json_add_text(out, "version", MCPCTL_VERSION);
	buf_char(out, '}');
}

/* Other errors may come first as well: that it has too many commands. */
static bool is_unknown_question(const cJSON *json)
{
	CLEANUP(error_reset) struct error why = { 0 };

	control_error_decode(&why, json_object(json, "error"));
	return why.kind == ERR_PROTOCOL;
}

bool greeting_read(struct greeting *out, const struct control_frame *f)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *op;

	*out = (struct greeting){ .protocol = CONTROL_PROTOCOL,
				  .version = MCPCTL_VERSION };
	if (f->kind != CONTROL_JSON)
		return false;
	json = json_parse(f->data, f->len, NULL);
	op = json_string(json, "op");
	if (text_same(op, "greeting")) {
		out->protocol = member_int(json, "protocol");
		out->pid = member_int(json, "pid");
	} else if (!text_same(op, "error") || !is_unknown_question(json)) {
		return false;
	}
	member_copy(json, "version", out->version, sizeof(out->version));
	return true;
}

bool greeting_differs(const struct greeting *g)
{
	return strcmp(g->version, MCPCTL_VERSION) != 0 ||
	       g->protocol != CONTROL_PROTOCOL;
}

static void tell_who(struct buf *out, const struct greeting *g)
{
	buf_text(out, "the running serve");
	if (g->pid > 0)
		buf_printf(out, " (pid %d)", g->pid);
	if (*g->version)
		buf_printf(out, " is version %s", g->version);
	else
		buf_text(out, " does not tell its version");
	buf_text(out, ", this is " MCPCTL_VERSION);
}

void greeting_tell(struct buf *out, const struct greeting *g)
{
	tell_who(out, g);
	buf_text(out, "; what only one of them knows will not work: " RESTART);
}

int greeting_check(const struct greeting *g, struct error *err)
{
	CLEANUP(buf_done) struct buf who = { 0 };

	if (g->protocol == CONTROL_PROTOCOL)
		return 0;
	tell_who(&who, g);
	error_set(
		err, ERR_PROTOCOL,
		"%s, and they do not understand each other (protocol %d and %d)",
		buf_string(&who), g->protocol, CONTROL_PROTOCOL);
	return error_hint(err, RESTART);
}

void greeting_blame(const struct greeting *g, struct error *err)
{
	CLEANUP(buf_done) struct buf who = { 0 };

	if (!greeting_differs(g))
		return;
	tell_who(&who, g);
	error_hint(err, "%s: " RESTART, buf_string(&who));
}
