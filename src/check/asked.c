/* SPDX-License-Identifier: MIT */
/*
 * Questions that call nothing: those that nobody should mind, then odd ones, of
 * which some are never answered (device.md 3.2) and some not survived (device.md 7.3).
 */
#include <string.h>

#include "base/mem.h"
#include "check/parts.h"
#include "check/questions.h"
#include "diag/list_rules.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

struct round {
	struct checkup *k;
	enum check_risk risk;
	struct buf names, silent, failed, through;
	unsigned count;
};

static void round_done(struct round *r)
{
	buf_done(&r->names);
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
		if (is_passed(r, q)) {
			add_name(&r->names, q->name);
			r->count++;
		} else {
			add_name(&r->through, q->name);
		}
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
	const bool good = a->answer == ANSWERED || silent;

	check_case(r->k, q->name, good ? STAGE_OK : STAGE_FAIL, a->took_us,
		   good			   ? "" :
		   a->answer == UNANSWERED ? "no answer" :
					     a->why.text);
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
		check_silent(r->k, q->name);
}

static int ask_one(struct round *r, const struct check_question *q,
		   struct error *err)
{
	struct session *s = r->k->in->connection->session;
	struct check_asking a;
	int status = 0;

	check_progress(r->k, q->name);
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

static void tell(struct round *r, const char *name, int status,
		 const char *more)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	buf_text(&words, buf_string(&r->names));
	buf_text(&words, more);
	if (r->silent.len)
		buf_printf(&words, "; no answer to: %s",
			   buf_string(&r->silent));
	if (r->failed.len)
		buf_printf(&words, "; failed: %s", buf_string(&r->failed));
	if (r->through.len)
		buf_printf(&words, "; not through serve: %s",
			   buf_string(&r->through));
	check_stage(r->k, name,
		    status			   ? STAGE_FAIL :
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
	status = client_list_tools(&c->client, false, &again, err);
	check_case(r->k, "second list", status ? STAGE_FAIL : STAGE_OK,
		   loop_now_us() - began, status ? err->text : "");
	if (status == 0) {
		diag_list_again(r->k->diag, &c->tools, &again);
		return 0;
	}
	add_name(err->kind == ERR_PEER || err->kind == ERR_PROTOCOL ?
			 &r->failed :
			 &r->silent,
		 "the second list");
	if (err->kind == ERR_INTERRUPTED)
		return -1;
	if (session_is_over(c->session)) {
		CLEANUP(error_reset) struct error why = { 0 };

		error_copy(&why, err);
		return check_died(r->k, "the second list", &why, err);
	}
	if (err->kind == ERR_TIMEOUT)
		check_silent(r->k, "the second list");
	error_reset(err);
	return 0;
}

int stage_asked(struct checkup *k, struct error *err)
{
	CLEANUP(round_done) struct round r = { .k = k, .risk = RISK_ASK };
	const bool tools = client_offers(&k->in->connection->client, "tools");
	int status;

	choose(&r);
	if (!check_dares(k, RISK_ASK, r.count + tools)) {
		check_stage(k, "asked", STAGE_SKIPPED,
			    "nothing (--risk ask asks %u questions)",
			    r.count + tools);
		return 0;
	}
	status = ask_all(&r, err);
	if (status == 0 && tools)
		status = list_again(&r, err);
	tell(&r, "asked", status, tools ? ", a second list" : "");
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
	tell(&r, "odd", status, "");
	return status;
}
