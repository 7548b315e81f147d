/* SPDX-License-Identifier: MIT */
/*
 * Versions of both ends of serve's socket. When something is said, and to whom,
 * is not known here.
 */
#include "wire/greeting.h"

#include <string.h>

#include "base/text.h"
#include "wire/member.h"

#define RESTART "restart it: 'mcpctl stop', then start serve as before"

void greeting_ask(struct buf *out)
{
	buf_printf(out, "{\"op\":\"greet\",\"protocol\":%d", CONTROL_PROTOCOL);
	json_add_text(out, "version", MCPCTL_VERSION);
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
	error_set(err, ERR_PROTOCOL,
		  "%s, and they do not understand each "
		  "other (protocol %d and %d)",
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
