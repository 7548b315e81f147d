/* SPDX-License-Identifier: MIT */
#include "check/ota_ask.h"
#include "check/planned.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/ota_rules.h"
#include "net/why.h"

struct ota_asking {
	struct checkup *k;
	const struct board_self *self;
	const struct board_ws_url *u;
	const char *url;
	struct ota_told *told;
};

/* ---- the question ---- */

static struct ota_request about_of(const struct board_self *self)
{
	struct ota_request about = self->profile->about;
	CLEANUP(mem_free_ptr)
	char *agent = mem_printf("%s/%s", about.board_name, about.version);

	text_copy(about.device_id, sizeof(about.device_id), self->device_id);
	text_copy(about.client_id, sizeof(about.client_id), self->client_id);
	text_copy(about.user_agent, sizeof(about.user_agent), agent);
	return about;
}

static void ota_question(struct buf *out, const struct board_self *self,
			 const struct board_ws_url *u)
{
	const struct ota_request about = about_of(self);

	buf_init(out, 0);
	board_ws_ota_request(out, u, &about);
}

/* ---- the answer ---- */

/* True: a board has no use for it. */
static bool judge(struct checkup *k, const struct board_self *self,
		  const struct exchange *x, const char *url)
{
	const struct ota_answer a = {
		.at_us = x->over_us,
		.status = x->status,
		.location = x->location,
		.content_type = x->content_type,
		.content_encoding = x->content_encoding,
		.has_length = x->has_length,
		.chunked = x->chunked,
		.closed_at_once = x->closed_at_once,
		.length = x->length,
		.body = buf_string(&x->body),
		.len = x->body.len,
		.cut = x->answered ? NULL : x->why.text,
		.from = { .board = x->way.own, .asked = url },
		.board_version = self->profile->about.version,
	};

	return diag_ota_is_bad(diag_ota(k->diag, &a));
}

static const char *framing(const struct exchange *x)
{
	return x->chunked    ? "chunked" :
	       x->has_length ? "Content-Length" :
			       "no length";
}

static void tell_answer(struct checkup *k, struct exchange *x, bool bad)
{
	char took[TEXT_ROOM];

	text_microseconds(x->over_us - x->begun_us, took, sizeof(took));
	if (!x->status) {
		exchange_failure(k, &x->why, WITH_HTTP);
		check_stage(k, "ota", STAGE_FAIL, "%s", x->why.text);
	} else if (x->status != 200) {
		check_stage(k, "ota", STAGE_FAIL, "%d in %s, %zu B", x->status,
			    took, x->body.len);
	} else {
		check_stage(k, "ota",
			    !x->answered ? STAGE_FAIL :
			    bad		 ? STAGE_ODD :
					   STAGE_OK,
			    "200 in %s, %zu B, %s%s%s", took, x->body.len,
			    framing(x), x->answered ? "" : "; ",
			    x->answered ? "" : x->why.text);
	}
}

/* What a board does not survive, or does not come behind (device.md 5.4). */
static bool is_deadly(const struct checkup *k)
{
	return diag_count(k->diag, O305) || diag_count(k->diag, O307);
}

/* How the answer ends, and what it says. */
static void take_answer(struct ota_asking *a, struct exchange *x)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct ota_told *t = a->told;

	ota_reply_done(&t->reply);
	t->reply = (struct ota_reply){ 0 };
	t->end = OTA_USELESS;
	if (!x->answered || is_deadly(a->k) ||
	    ota_reply_decode(&t->reply, buf_string(&x->body), x->body.len,
			     &why))
		return;
	t->end = t->reply.activation_code || t->reply.activation_challenge ?
			 OTA_HELD :
			 OTA_LEADS_ON;
}

static void look(struct ota_asking *a, struct exchange *x)
{
	bool bad = false;

	if (x->status) {
		exchange_trace_answer(a->k, a->self, LEG_OTA, x);
		bad = judge(a->k, a->self, x, a->url);
	}
	tell_answer(a->k, x, bad);
	if (x->status) {
		take_answer(a, x);
		return;
	}
	a->told->end = OTA_SILENT;
	error_copy(&a->told->why, &x->why);
}

static struct exchange_order order_of(const struct ota_asking *a)
{
	return (struct exchange_order){ a->k, a->self, a->u, LEG_OTA, true };
}

/* ---- activation ---- */

/* -1: Ctrl-C, --timeout. */
static int send_activation(struct ota_asking *a, struct exchange *x,
			   struct error *err)
{
	const struct ota_request about = about_of(a->self);
	const struct exchange_order order = order_of(a);
	struct buf request;

	buf_init(&request, 0);
	board_ws_activate_request(&request, a->u, &about);
	check_progress(a->k, "activation");
	if (exchange_make(x, &order, &request, err)) {
		check_stage(a->k, "activate", check_verdict(err), "%s",
			    err->text);
		return -1;
	}
	if (x->status)
		exchange_trace_answer(a->k, a->self, LEG_OTA, x);
	return 0;
}

/* What became of the challenge, in words. */
static void add_outcome(struct buf *out, const struct exchange *x)
{
	if (!x->status)
		buf_printf(out, "the challenge stayed unanswered: %s",
			   x->why.text);
	else if (x->status == 202)
		buf_text(out, "to the challenge it said 202: it is to wait");
	else if (x->status == 200)
		buf_text(out, "to the challenge it said 200: activated");
	else
		buf_printf(out, "to the challenge it said %d", x->status);
}

static void tell_held(const struct ota_asking *a, const struct exchange *x)
{
	const char *code = a->told->reply.activation_code;
	CLEANUP(buf_done) struct buf words = { 0 };

	if (code)
		buf_printf(&words, "a board shows the code %.40s and waits",
			   code);
	if (x) {
		buf_text(&words, code ? "; " : "");
		add_outcome(&words, x);
	}
	check_stage(a->k, "activate", STAGE_ODD, "%s", buf_string(&words));
}

/* It is activated: the answer is asked for anew, as a board does it. */
static int ask_again(struct ota_asking *a, struct error *err)
{
	CLEANUP(exchange_done) struct exchange x = { 0 };
	const struct exchange_order order = order_of(a);
	struct buf request;

	ota_question(&request, a->self, a->u);
	if (exchange_make(&x, &order, &request, err)) {
		check_stage(a->k, "activate", check_verdict(err), "%s",
			    err->text);
		return -1;
	}
	if (x.status) {
		exchange_trace_answer(a->k, a->self, LEG_OTA, &x);
		judge(a->k, a->self, &x, a->url);
	}
	take_answer(a, &x);
	check_stage(a->k, "activate",
		    a->told->end == OTA_LEADS_ON ? STAGE_OK : STAGE_ODD,
		    "to the challenge it said 200; asked again, %s",
		    a->told->end == OTA_LEADS_ON ? "it wants no activation" :
		    a->told->end == OTA_HELD	 ? "it wants it still" :
		    !x.answered			 ? x.why.text :
		    is_deadly(a->k) ? "it said what a board does not survive" :
				      "it said what no board can read");
	return 0;
}

static int answer_challenge(struct ota_asking *a, struct error *err)
{
	CLEANUP(exchange_done) struct exchange x = { 0 };

	if (send_activation(a, &x, err))
		return -1;
	if (x.status == 200)
		return ask_again(a, err);
	tell_held(a, &x);
	return 0;
}

static int activate(struct ota_asking *a, struct error *err)
{
	if (a->told->end == OTA_LEADS_ON)
		check_stage(a->k, "activate", STAGE_OK, "none is asked for");
	else if (a->told->reply.activation_challenge)
		return answer_challenge(a, err);
	else
		tell_held(a, NULL);
	return 0;
}

/* ---- the whole ---- */

/* The way, and the answer. */
static int ask(struct ota_asking *a, struct error *err)
{
	CLEANUP(exchange_done) struct exchange x = { 0 };
	const struct exchange_order order = order_of(a);
	struct buf request;

	ota_question(&request, a->self, a->u);
	check_dares(a->k, RISK_LOOK, 1);
	check_progress(a->k, "OTA");
	if (exchange_make(&x, &order, &request, err)) {
		if (way_tell_cut(a->k, &x.way, a->u->tls, err))
			check_stage(a->k, "ota", check_verdict(err), "%s",
				    err->text);
		return -1;
	}
	if (way_tell(a->k, &x.way, a->u->host, a->u->tls, &x.why)) {
		look(a, &x);
		return 0;
	}
	a->told->end = OTA_NO_WAY;
	error_copy(&a->told->why, &x.why);
	return 0;
}

int ota_ask(struct checkup *k, const struct board_self *self,
	    const struct board_ws_url *u, const char *url, struct ota_told *out,
	    struct error *err)
{
	struct ota_asking a = { k, self, u, url, out };

	if (ask(&a, err))
		return -1;
	if (out->end != OTA_HELD && out->end != OTA_LEADS_ON)
		return 0;
	return activate(&a, err);
}

void ota_told_done(struct ota_told *t)
{
	ota_reply_done(&t->reply);
	error_reset(&t->why);
}

int ota_plan(struct checkup *k, const struct board_self *self, const char *url,
	     struct error *err)
{
	CLEANUP(buf_done) struct buf body = { 0 };
	struct board_ws_url u;
	struct buf request;

	if (exchange_url(&u, self, url, err))
		return -1;
	ota_question(&request, self, &u);
	buf_text(&body, strstr(buf_string(&request), "\r\n\r\n") + 4);
	planned(k, RISK_LOOK, "the question of OTA (POST)", &body);
	buf_reset(&body);
	buf_text(&body, "{}");
	planned(k, RISK_LOOK, "if the answer has a challenge (POST …/activate)",
		&body);
	buf_done(&request);
	board_ws_url_done(&u);
	return 0;
}
