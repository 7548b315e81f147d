/* SPDX-License-Identifier: MIT */
#include "check/questions.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "rpc/session_calls.h"

enum {
	LARGE = 200 * 1000, /* bytes; more than a board has free */
	DEPTH = 100, /* a board's task has a stack of 4,096 bytes (device.md 7.1) */
	LATER_MS = 200
};

static void fill_large(struct buf *out)
{
	for (size_t i = 0; i < LARGE; i++)
		buf_char(out, 'x');
}

static void fill_deep(struct buf *out)
{
	for (size_t i = 0; i < DEPTH; i++)
		buf_char(out, '[');
	for (size_t i = 0; i < DEPTH; i++)
		buf_char(out, ']');
}

#define RPC(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"
#define UNKNOWN "\"method\":\"mcpctl/unknown\""

/* clang-format off */
const struct check_question questions[] = {
	{ .name = "unknown method", .risk = RISK_ASK,
	  .text = RPC("$", UNKNOWN) },
	{ .name = "unknown cursor", .risk = RISK_ASK, .flags = OF_TOOLS,
	  .text = RPC("$", "\"method\":\"tools/list\",\"params\":{\"cursor\":\"mcpctl.unknown\"}") },
	{ .name = "unknown tool", .risk = RISK_ASK, .flags = OF_TOOLS,
	  .text = RPC("$", "\"method\":\"tools/call\",\"params\":{\"name\":\"mcpctl.unknown\",\"arguments\":{}}") },
	{ .name = "id 0", .risk = RISK_ASK, .flags = OWN_ID, .id = 0,
	  .text = RPC("$", UNKNOWN) },
	{ .name = "id 2147483647", .risk = RISK_ASK, .flags = OWN_ID, .id = INT32_MAX,
	  .text = RPC("$", UNKNOWN) },
	{ .name = "quotes in a name", .risk = RISK_ODD, .flags = OF_TOOLS,
	  .text = RPC("$", "\"method\":\"tools/call\",\"params\":{\"name\":\"mcpctl \\\"quoted\\\" \\\\ name\",\"arguments\":{}}") },
	{ .name = "string id", .risk = RISK_ODD, .flags = OWN_ID | FIRMWARE_SILENT,
	  .id = 999999, .token = "\"mcpctl-1\"",
	  .text = RPC("\"mcpctl-1\"", UNKNOWN) },
	{ .name = "float id", .risk = RISK_ODD, .flags = OWN_ID | SERVER_SILENT,
	  .id = 1000000, .token = "1000000.5",
	  .text = RPC("$.5", UNKNOWN) },
	{ .name = "params null", .risk = RISK_ODD, .flags = FIRMWARE_SILENT | SERVER_SILENT,
	  .text = RPC("$", UNKNOWN ",\"params\":null") },
	{ .name = "batch", .risk = RISK_ODD, .flags = OWN_ID | FIRMWARE_SILENT | OF_BOARDS,
	  .id = 999998,
	  .text = "[" RPC("$", UNKNOWN) "]" },
	{ .name = "deep JSON", .risk = RISK_ODD,
	  .text = RPC("$", UNKNOWN ",\"params\":{\"deep\":@}"),
	  .fill = fill_deep },
	{ .name = "200 kB frame", .risk = RISK_ODD,
	  .text = RPC("$", UNKNOWN ",\"params\":{\"large\":\"@\"}"),
	  .fill = fill_large },
	{ .name = "fragmented frame", .risk = RISK_ODD, .flags = IN_PIECES,
	  .text = RPC("$", UNKNOWN) },
	{ .name = NULL }
};
/* clang-format on */

const struct check_question plain_question = { .name = "unknown method",
					       .risk = RISK_ASK,
					       .text = RPC("$", UNKNOWN) };

bool question_may_rest(const struct check_question *q, bool device)
{
	return q->flags & (device ? FIRMWARE_SILENT : SERVER_SILENT);
}

void question_text(const struct check_question *q, int32_t id, struct buf *out)
{
	for (const char *p = q->text; *p; p++) {
		if (*p == '$')
			buf_printf(out, "%d", (int)id);
		else if (*p == '@')
			q->fill(out);
		else
			buf_char(out, *p);
	}
}

static int start(struct session *s, struct call *call,
		 const struct check_question *q, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct raw_request rq = { .method = q->name, .token = q->token };

	rq.id = q->flags & OWN_ID ? q->id : session_next_id(s);
	question_text(q, rq.id, &text);
	rq.pieces = q->flags & IN_PIECES;
	rq.payload = (struct span){ buf_string(&text), text.len };
	return session_start_raw(s, call, &rq, err);
}

/* Any answer is one, a broken one too. */
static bool is_answered(const struct call *c)
{
	const enum error_kind kind = c->failure.kind;

	return c->done &&
	       (kind == ERR_NONE || kind == ERR_PEER || kind == ERR_PROTOCOL);
}

static bool is_lost(const struct session *s)
{
	return session_is_over(s) || !session_is_open(s);
}

static void judge(struct session *s, const struct call *c,
		  struct check_asking *out)
{
	if (is_answered(c)) {
		out->answer = ANSWERED;
		out->took_us = c->ended_us - c->started_us;
		return;
	}
	out->answer = is_lost(s) ? ANSWER_END : UNANSWERED;
	if (c->done)
		error_copy(&out->why, &c->failure);
}

/* Behind another one: does it still answer? */
static void ask_behind(struct session *s, struct check_asking *out)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	if (start(s, &call, &plain_question, &err) == 0)
		session_wait(s, &call, &err);
	session_forget(s, &call);
	if (is_answered(&call))
		return;
	out->answer = is_lost(s) ? ANSWER_END : ANSWER_SILENCE;
	error_copy(&out->why, &err);
}

static bool answers_in_order(const struct session *s)
{
	return session_link(s)->dialect == DIALECT_DEVICE;
}

static void wait_shortly(struct session *s, struct call *call,
			 struct check_asking *out)
{
	CLEANUP(error_reset) struct error err = { 0 };

	ask_behind(s, out);
	if (!call->done && !answers_in_order(s) && session_is_open(s))
		session_watch(s, &call->done, loop_now() + LATER_MS, &err);
}

void question_ask(struct session *s, const struct check_question *q,
		  struct check_asking *out)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	*out = (struct check_asking){ .answer = NOT_ASKED };
	if (start(s, &call, q, &out->why)) {
		if (is_lost(s))
			out->answer = ANSWER_END;
		return;
	}
	out->answer = UNANSWERED;
	if (q->risk == RISK_ODD)
		wait_shortly(s, &call, out);
	else if (session_wait(s, &call, &err) && err.kind == ERR_TIMEOUT)
		ask_behind(s, out);
	if (err.kind == ERR_INTERRUPTED)
		error_copy(&out->why, &err);
	session_forget(s, &call);
	if (out->answer == UNANSWERED)
		judge(s, &call, out);
}
