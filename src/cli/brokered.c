/* SPDX-License-Identifier: MIT */
/* Found by what they announce, opened and asked side by side. */
#include "cli/brokered.h"

#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/each.h"
#include "cli/setup.h"
#include "mcp/client_start.h"
#include "mcp/tools.h"
#include "net/mcp_mqtt.h"
#include "out/text_device.h"
#include "rpc/session_calls.h"

#define SETTLE_MS 15000 /* for the broker; its own limits are lower */

/* ---- who is there ---- */

struct brokered {
	const struct mqtt_table *mqtt;
	struct endpoint at;
	struct mcp_browse *browse;
	bool woken;
};

bool brokered_fits(const struct app *app)
{
	const char *target = app->config.target;
	size_t len = target ? strcspn(target, ":") : 0;
	const struct scheme *s =
		target && target[len] ? scheme_find(target, len) : NULL;

	return s && s->kind == SCHEME_MCP_MQTT;
}

/* 0: it is known who is there. */
static int settle(struct brokered *b, struct app *app, struct error *err)
{
	int64_t end = loop_now() + SETTLE_MS;
	int64_t wanted = loop_now() + app->config.wait;
	size_t count = 0;

	for (;;) {
		int status = b->mqtt->browse_poll(b->browse, err);
		int64_t next = status ? wanted : end;

		if (status < 0)
			return -1;
		if (status)
			b->mqtt->browse_list(b->browse, &count);
		if (status && (count || loop_now() >= wanted))
			return 0;
		if (!status && loop_now() >= end)
			return error_set(err, ERR_TIMEOUT,
					 "the broker '%s' tells nothing",
					 b->at.host);
		b->woken = false;
		if (loop_stay(app->loop, &b->woken, next, err))
			return -1;
	}
}

static int look(struct brokered *b, struct app *app, struct error *err)
{
	const struct transport_ops *ops;

	if (app_open_loop(app, err) || setup_endpoint(&b->at, app, &ops, err))
		return -1;
	b->mqtt = module_table("mqtt", MQTT_TABLE, err);
	if (!b->mqtt)
		return -1;
	b->browse = b->mqtt->browse_open(app->loop, &b->at, &b->woken, err);
	return b->browse ? settle(b, app, err) : -1;
}

int brokered_open(struct brokered **out, struct app *app, struct error *err)
{
	struct brokered *b = mem_zalloc(sizeof(*b));
	size_t count = 0;
	int status = look(b, app, err);

	*out = b;
	if (status)
		return -1;
	b->mqtt->browse_list(b->browse, &count);
	if (count)
		return 0;
	error_set(err, ERR_CONNECT, "no MCP server%s%s%s is at the broker '%s'",
		  *b->at.path ? " that fits '" : "", b->at.path,
		  *b->at.path ? "'" : "", b->at.host);
	return error_hint(
		err,
		"only what announces itself is found; --wait waits for one to come");
}

void brokered_close(struct brokered *b)
{
	if (!b)
		return;
	if (b->browse)
		b->mqtt->browse_close(b->browse);
	endpoint_done(&b->at);
	mem_free(b);
}

/* Several instances may have one name. */
static bool is_alone(const struct mcp_server *list, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++) {
		if (i != at && strcmp(list[i].name, list[at].name) == 0)
			return false;
	}
	return true;
}

static void describe(struct buf *out, const struct endpoint *at,
		     const struct mcp_server *one, bool alone)
{
	CLEANUP(buf_done) struct buf target = { 0 };
	CLEANUP(mem_free_ptr)
	char *both = mem_printf("%s/%s", one->id, one->name);

	endpoint_mcp_text(&target, at, one->id, one->name);
	json_add_object(out, "id", both);
	out->data[--out->len] = '\0';
	json_add_text(out, "alias", alone ? one->name : both);
	json_add_text(out, "server_id", one->id);
	json_add_text(out, "server_name", one->name);
	json_add_text(out, "description",
		      one->odd ? "unknown: what it announces is no presence" :
				 one->description);
	json_add_text(out, "target", buf_string(&target));
	buf_char(out, '}');
}

static void add(struct all *a, const struct buf *text)
{
	struct all_device *d;

	a->device =
		mem_grow(a->device, &a->capacity, a->count, sizeof(*a->device));
	d = &a->device[a->count++];
	*d = (struct all_device){
		.json = json_parse(text->data, text->len, NULL),
		.text = mem_copy(text->data, text->len),
		.len = text->len,
	};
	d->id = json_string(d->json, "id");
	d->id = d->id ? d->id : "";
	a->columns.device = d->json;
	render_widen(&a->columns);
}

void brokered_devices(struct brokered *b, struct all *a)
{
	const struct mcp_server *list;
	size_t count;

	list = b->mqtt->browse_list(b->browse, &count);
	for (size_t i = 0; i < count; i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		describe(&text, &b->at, &list[i], is_alone(list, count, i));
		add(a, &text);
	}
}

/* ---- each of them asked ---- */

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
	message_done(&row->reply);
	error_reset(&row->error);
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
