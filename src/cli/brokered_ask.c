/* SPDX-License-Identifier: MIT */
/* Sessions side by side, each asked what its own list tells. */
#include "cli/brokered_ask.h"

#include "base/mem.h"
#include "cli/connection.h"
#include "cli/each.h"
#include "mcp/client_start.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

struct brokered_asking {
	struct all *all;
	const struct brokered_ask *ask;
};

enum asked_step { LISTING, ASKING };

/* One of them, from its session on. */
struct brokered_asked {
	enum asked_step step;
	bool under_way; /* `call` */
	struct call call;
	struct listing listing;
	struct tool_list tools;
	struct brokered_question question;
};

static void forget(void *owner, struct connection *c, void *state)
{
	struct brokered_asked *one = state;

	(void)owner;
	if (!one)
		return;
	if (c->session)
		session_forget(c->session, &one->call);
	call_done(&one->call);
	listing_done(&one->listing);
	tool_list_done(&one->tools);
	buf_done(&one->question.params);
	mem_free(one);
}

static void show(const struct brokered_asking *a, struct all_row *row)
{
	if (!a->ask->judge || a->ask->judge(a->ask->owner, row)) {
		all_show(a->all, row);
		return;
	}
	all_row_done(row);
}

static int begin_call(struct brokered_asked *one, struct connection *c,
		      const char *method, const char *params, struct error *err)
{
	const struct client_request rq = {
		.method = method, .params = params && *params ? params : NULL
	};

	call_done(&one->call);
	one->call = (struct call){ 0 };
	if (client_start(&c->client, &one->call, &rq, err))
		return -1;
	one->under_way = true;
	return 0;
}

static int ask_page(struct brokered_asked *one, struct connection *c,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	listing_params(&one->listing, &params);
	return begin_call(one, c, listing_method(&one->listing),
			  params.len ? buf_string(&params) : NULL, err);
}

/* 1: its row was shown. */
static int ask_question(const struct brokered_asking *a,
			struct brokered_asked *one, struct connection *c,
			struct all_device *device, struct error *err)
{
	const struct brokered_ask *ask = a->ask;
	struct brokered_question *q = &one->question;
	struct all_row row = { .device = device, .took_us = -1 };

	one->step = ASKING;
	if (ask->question &&
	    ask->question(ask->owner, c, ask->lists ? &one->tools : NULL, q,
			  err))
		return -1;
	if (q->method)
		return begin_call(one, c, q->method, buf_string(&q->params),
				  err);
	if (q->notify &&
	    session_notify(c->session, q->notify,
			   q->params.len ? buf_string(&q->params) : NULL, err))
		return -1;
	if (ask->listed)
		ask->listed(ask->owner, &one->tools, &row);
	row.took_us = one->call.ended_us - one->call.started_us;
	show(a, &row);
	return 1;
}

/* A page came: the next one, or what the list was wanted for. */
static int take_page(const struct brokered_asking *a,
		     struct brokered_asked *one, struct connection *c,
		     struct all_device *device, struct error *err)
{
	if (one->call.failure.kind != ERR_NONE) {
		error_copy(err, &one->call.failure);
		return listing_failed(&one->listing, err);
	}
	if (listing_feed_take(&one->listing, &one->call.reply, err))
		return -1;
	if (!one->listing.done)
		return ask_page(one, c, err);
	client_know_tools(&c->client, &one->tools);
	return ask_question(a, one, c, device, err);
}

static int take_answer(const struct brokered_asking *a,
		       struct brokered_asked *one, struct all_device *device)
{
	struct all_row row = { .device = device };

	row.took_us = one->call.ended_us - one->call.started_us;
	error_copy(&row.error, &one->call.failure);
	message_take(&row.reply, &one->call.reply);
	show(a, &row);
	return 1;
}

/* As each_order.step. */
static int step(void *owner, struct connection *c, struct all_device *device,
		void **state, struct error *err)
{
	const struct brokered_asking *a = owner;
	struct brokered_asked *one = *state;

	if (!one) {
		*state = one = mem_zalloc(sizeof(*one));
		listing_init(&one->listing, &one->tools, false);
		return a->ask->lists ? ask_page(one, c, err) :
				       ask_question(a, one, c, device, err);
	}
	if (!one->under_way || !one->call.done)
		return 0;
	one->under_way = false;
	return one->step == LISTING ? take_page(a, one, c, device, err) :
				      take_answer(a, one, device);
}

int brokered_run(struct all *a, const struct brokered_ask *ask,
		 struct error *err)
{
	struct brokered_asking asking = { .all = a, .ask = ask };
	const struct each_order order = { .step = step,
					  .forget = forget,
					  .owner = &asking };

	return each_of(a, &order, err);
}
