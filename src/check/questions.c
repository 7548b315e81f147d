/* SPDX-License-Identifier: MIT */
#include "check/questions.h"

#include <limits.h>
#include <string.h>

#include "check/parts.h"
#include "diag/list_rules.h"
#include "mcp/client_start.h"
#include "mcp/tools.h"
#include "net/why.h"
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
/* What is answered for certain: by firmware, with an error, or by servers. */
#define HARMLESS "\"method\":\"#\""

/* clang-format off */
const struct check_question questions[] = {
	{ .name = "unknown method", .risk = RISK_ASK,
	  .text = RPC("$", UNKNOWN) },
	{ .name = "unknown cursor", .risk = RISK_ASK, .flags = OF_TOOLS,
	  .text = RPC("$", "\"method\":\"tools/list\",\"params\":{\"cursor\":\"mcpctl.unknown\"}") },
	{ .name = "unknown tool", .risk = RISK_ASK, .flags = OF_TOOLS,
	  .text = RPC("$", "\"method\":\"tools/call\",\"params\":{\"name\":\"mcpctl.unknown\",\"arguments\":{}}") },
	{ .name = "id 0", .risk = RISK_ASK, .flags = OWN_ID, .id = 0,
	  .text = RPC("$", HARMLESS) },
	{ .name = "id 2147483647", .risk = RISK_ASK, .flags = OWN_ID, .id = INT32_MAX,
	  .text = RPC("$", HARMLESS) },
	{ .name = "quotes in a name", .risk = RISK_ODD, .flags = OF_TOOLS,
	  .text = RPC("$", "\"method\":\"tools/call\",\"params\":{\"name\":\"mcpctl \\\"quoted\\\" \\\\ name\",\"arguments\":{}}") },
	{ .name = "string id", .risk = RISK_ODD, .flags = OWN_ID | FIRMWARE_SILENT,
	  .id = 999999, .token = "\"mcpctl-1\"",
	  .text = RPC("\"mcpctl-1\"", HARMLESS) },
	{ .name = "float id", .risk = RISK_ODD, .flags = OWN_ID | SERVER_SILENT,
	  .id = 1000000, .token = "1000000.5",
	  .text = RPC("$.5", HARMLESS) },
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

const struct check_question plain_question = { .name = "a harmless request",
					       .risk = RISK_ASK,
					       .text = RPC("$", HARMLESS) };

static bool question_may_rest(const struct check_question *q, bool device)
{
	return q->flags & (device ? FIRMWARE_SILENT : SERVER_SILENT);
}

void question_text(const struct check_question *q, int32_t id, bool device,
		   struct buf *out)
{
	for (const char *p = q->text; *p; p++) {
		if (*p == '$')
			buf_printf(out, "%d", (int)id);
		else if (*p == '#')
			buf_text(out, device ? "mcpctl/unknown" : "ping");
		else if (*p == '@')
			q->fill(out);
		else
			buf_char(out, *p);
	}
}

static bool answers_in_order(const struct session *s)
{
	return session_link(s)->dialect == DIALECT_DEVICE;
}

static int start(struct session *s, struct call *call,
		 const struct check_question *q, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct raw_request rq = { .method = q->name, .token = q->token };

	rq.id = q->flags & OWN_ID ? q->id : session_next_id(s);
	question_text(q, rq.id, answers_in_order(s), &text);
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

/* Not a word of JSON-RPC, but one of HTTP: 400, 413. */
static bool is_refused(const struct call *c)
{
	return c->done && c->failure.reason == WHY_STATUS;
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
	out->answer = is_lost(s)    ? ANSWER_END :
		      is_refused(c) ? ANSWER_REFUSED :
				      UNANSWERED;
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

static void wait_shortly(struct session *s, struct call *call,
			 struct check_asking *out)
{
	CLEANUP(error_reset) struct error err = { 0 };

	ask_behind(s, out);
	if (!call->done && !answers_in_order(s) && session_is_open(s) &&
	    session_watch(s, &call->done, loop_now() + LATER_MS, &err) &&
	    err.kind == ERR_INTERRUPTED)
		error_copy(&out->why, &err);
}

/*
 * Ask, and wait: for --timeout; of those that may stay without an answer only
 * until the answer to the plain one behind it has come, and a little longer
 * from a peer that answers in any order.
 */
static void question_ask(struct session *s, const struct check_question *q,
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

/*
 * Questions that call nothing: those that nobody should mind, then odd ones, of
 * which some are never answered (device.md 3.2) and some not survived (device.md 7.3).
 */

struct round {
	struct checkup *k;
	enum check_risk risk;
	struct buf names, refused, silent, failed, through;
	unsigned count, made;
};

static void round_done(struct round *r)
{
	buf_done(&r->names);
	buf_done(&r->refused);
	buf_done(&r->silent);
	buf_done(&r->failed);
	buf_done(&r->through);
}

static void add_name(struct buf *out, const char *name)
{
	buf_printf(out, "%s%s", out->len ? ", " : "", name);
}

/* Serve numbers what it passes on, and frames are its own. */
static bool is_passed(const struct round *r, const struct check_question *q)
{
	const struct connection *c = r->k->in->connection;

	return !(q->flags & (OWN_ID | IN_PIECES)) ||
	       !session_link(c->session)->relayed;
}

/* Only a WebSocket has frames. */
static bool can_go(const struct round *r, const struct check_question *q)
{
	const struct session *s = r->k->in->connection->session;

	return !(q->flags & IN_PIECES) || session_link(s)->relayed ||
	       session_has_pieces(s);
}

static bool fits(const struct round *r, const struct check_question *q)
{
	const struct connection *c = r->k->in->connection;

	return q->risk == r->risk &&
	       !(q->flags & OF_TOOLS && !client_offers(&c->client, "tools")) &&
	       !(q->flags & OF_BOARDS && !c->client.device) && can_go(r, q);
}

static void choose(struct round *r)
{
	for (const struct check_question *q = questions; q->name; q++) {
		if (!fits(r, q))
			continue;
		if (is_passed(r, q))
			r->count++;
		else
			add_name(&r->through, q->name);
	}
}

#define ZERO "\"id\":0"

/* A relay before it, or the server itself, takes 0 for none (backends.md 3). */
static bool loses_zero(const struct round *r, const struct check_question *q)
{
	return q->flags & OWN_ID && q->id == 0 &&
	       !r->k->in->connection->client.device;
}

static void take(struct round *r, const struct check_question *q,
		 const struct check_asking *a)
{
	const bool silent =
		question_may_rest(q, r->k->in->connection->client.device);
	const bool refused = a->answer == ANSWER_REFUSED && !silent;
	const bool good = a->answer == ANSWERED || silent || refused;

	if (a->why.kind == ERR_INTERRUPTED) {
		check_case(r->k, q->name, check_verdict(&a->why), a->took_us,
			   a->why.text);
		return;
	}
	check_case(r->k, q->name, good ? STAGE_OK : STAGE_FAIL, a->took_us,
		   good && !refused	   ? "" :
		   a->answer == UNANSWERED ? "no answer" :
					     a->why.text);
	if (refused)
		buf_printf(&r->refused, "%s%s (HTTP %d)",
			   r->refused.len ? ", " : "", q->name, a->why.code);
	if (good)
		return;
	add_name(&r->silent, q->name);
	if (a->answer != UNANSWERED)
		return;
	if (loses_zero(r, q))
		diag_found(r->k->diag, P706,
			   (struct span){ ZERO, strlen(ZERO) },
			   "and one with another id is");
	else
		check_silent(r->k, q->name, &a->why);
}

static int ask_one(struct round *r, const struct check_question *q,
		   struct error *err)
{
	struct session *s = r->k->in->connection->session;
	struct check_asking a;
	int status = 0;

	check_progress(r->k, q->name);
	add_name(&r->names, q->name);
	r->made++;
	question_ask(s, q, &a);
	take(r, q, &a);
	if (a.why.kind == ERR_INTERRUPTED) {
		error_copy(err, &a.why);
		status = -1;
	} else if (a.answer == ANSWER_END || a.answer == ANSWER_SILENCE) {
		status = check_died(r->k, q->name, &a.why, err);
	}
	error_reset(&a.why);
	return status;
}

static int ask_all(struct round *r, struct error *err)
{
	for (const struct check_question *q = questions; q->name; q++) {
		if (fits(r, q) && is_passed(r, q) && ask_one(r, q, err))
			return -1;
	}
	return 0;
}

/* err: why it ended early, where it did: what was not reached is not asked. */
static void tell(struct round *r, const char *name, const struct error *err)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	r->k->asked -= r->count - r->made;
	buf_text(&words, buf_string(&r->names));
	if (err->kind == ERR_INTERRUPTED)
		buf_printf(&words, "; %s", err->text);
	if (r->refused.len)
		buf_printf(&words, "; refused: %s", buf_string(&r->refused));
	if (r->silent.len)
		buf_printf(&words, "; no answer to: %s",
			   buf_string(&r->silent));
	if (r->failed.len)
		buf_printf(&words, "; failed: %s", buf_string(&r->failed));
	if (r->through.len)
		buf_printf(&words, "; not through serve: %s",
			   buf_string(&r->through));
	check_stage(r->k, name,
		    err->kind != ERR_NONE	   ? check_verdict(err) :
		    r->silent.len || r->failed.len ? STAGE_ODD :
						     STAGE_OK,
		    "%s", buf_string(&words));
}

/* ---- the list once more ---- */

static int list_again(struct round *r, struct error *err)
{
	CLEANUP(tool_list_done) struct tool_list again = { 0 };
	struct connection *c = r->k->in->connection;
	const int64_t began = loop_now_us();
	int status;

	check_progress(r->k, "the list a second time");
	add_name(&r->names, "a second list");
	r->made++;
	status = client_list_tools(&c->client, false, &again, err);
	check_case(r->k, "second list", status ? check_verdict(err) : STAGE_OK,
		   loop_now_us() - began, status ? err->text : "");
	if (status == 0) {
		diag_list_again(r->k->diag, &c->tools, &again);
		return 0;
	}
	if (err->kind == ERR_INTERRUPTED)
		return -1;
	add_name(err->kind == ERR_PEER || err->kind == ERR_PROTOCOL ?
			 &r->failed :
			 &r->silent,
		 "the second list");
	if (session_is_over(c->session)) {
		CLEANUP(error_reset) struct error why = { 0 };

		error_copy(&why, err);
		return check_died(r->k, "the second list", &why, err);
	}
	if (err->kind == ERR_TIMEOUT)
		check_silent(r->k, "the second list", err);
	error_reset(err);
	return 0;
}

int stage_asked(struct checkup *k, struct error *err)
{
	CLEANUP(round_done) struct round r = { .k = k, .risk = RISK_ASK };
	const bool tools = client_offers(&k->in->connection->client, "tools");
	int status;

	choose(&r);
	r.count += tools;
	if (!check_dares(k, RISK_ASK, r.count)) {
		check_stage(k, "asked", STAGE_SKIPPED,
			    "nothing (--risk ask asks %u questions)", r.count);
		return 0;
	}
	status = ask_all(&r, err);
	if (status == 0 && tools)
		status = list_again(&r, err);
	tell(&r, "asked", err);
	return status;
}

int stage_odd(struct checkup *k, struct error *err)
{
	CLEANUP(round_done) struct round r = { .k = k, .risk = RISK_ODD };
	int status;

	choose(&r);
	if (!check_dares(k, RISK_ODD, r.count))
		return 0;
	status = ask_all(&r, err);
	tell(&r, "odd", err);
	return status;
}
