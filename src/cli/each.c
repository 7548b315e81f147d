/* SPDX-License-Identifier: MIT */
/* Sessions with many devices in one loop: opened, tended, counted. */
#include "cli/each.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/all.h"
#include "cli/connection.h"
#include "mcp/opening.h"
#include "out/text_device.h"

enum {
	AT_ONCE = 32, /* where they do not stay */
	/* … which share a connection: each costs only its messages */
	AT_ONCE_BROKERED = 1024,
	MARGIN_MS = 500, /* of those: the session knows better why */
	LOOK_MS = 1000 /* --follow: who is there now */
};

struct each_one {
	struct each *each;
	struct all_device device; /* its texts are its own */
	struct connection connection;
	char *pattern; /* for -d: this one alone */
	int64_t until; /* it must be up by then */
	int64_t begun_us;
	bool up, over;
	char *told; /* why it was lost, in words that were shown; NULL */
	void *state; /* of each_order.step */
};

struct each {
	struct app *app;
	const struct each_order *order;
	struct all *all;
	struct each_one **one;
	size_t count, capacity;
	size_t open; /* have a session */
	int64_t look_at;
	bool woken; /* a session has something */
	bool watching; /* that was said */
};

/* ---- whose ---- */

static struct device_record record_of(const struct each_one *one)
{
	struct device_record record = one->each->all->columns;

	record.device = one->device.json;
	record.device_text = (struct span){ one->device.text, one->device.len };
	return record;
}

static void on_event(void *owner, const struct event *e)
{
	const struct each_one *one = owner;
	const struct each_order *order = one->each->order;
	struct renderer *r = &one->each->app->out;
	const struct device_record record = record_of(one);

	r->whose = &record;
	order->event(order->owner, e);
	r->whose = NULL;
}

static int tell_up(struct each_one *one, struct error *err)
{
	const struct each_order *order = one->each->order;
	struct app *app = one->each->app;
	const struct device_record record = record_of(one);
	const char *target = app->config.target;
	int status = 0;

	if (!order->up)
		return 0;
	if (one->each->all->brokered)
		app->config.target = json_string(one->device.json, "target");
	app->out.whose = &record;
	status = order->up(order->owner, &one->connection, err);
	app->out.whose = NULL;
	app->config.target = target;
	return status;
}

/* ---- one of them ---- */

static void close_one(struct each_one *one)
{
	const struct each_order *order = one->each->order;

	if (order->forget)
		order->forget(order->owner, &one->connection, one->state);
	one->state = NULL;
	one->each->open -= one->connection.session != NULL;
	connection_close(&one->connection);
	one->over = true;
}

static void free_one(struct each_one *one)
{
	close_one(one);
	connection_done(&one->connection);
	cJSON_Delete(one->device.json);
	mem_free(one->device.text);
	mem_free(one->pattern);
	mem_free(one->told);
	mem_free(one);
}

/* Who is followed is tried again and again: what ends that in vain, once. */
static bool is_told(struct each_one *one, const struct error *why)
{
	const bool told = text_equal(one->told, why->text);

	if (told || !one->each->order->follow)
		return told;
	mem_free(one->told);
	one->told = mem_strdup(why->text);
	return false;
}

/* Its row, unless it may be back: then a note. */
static void lose(struct each_one *one, struct error *why)
{
	struct each *e = one->each;
	struct all_row row = { .device = &one->device, .took_us = -1 };

	close_one(one);
	if (is_told(one, why))
		return;
	if (e->order->follow &&
	    (why->kind == ERR_CONNECT || why->kind == ERR_TIMEOUT)) {
		render_note(&e->app->out,
			    "%s: %s; staying until it is back (Ctrl-C ends)",
			    render_device_name(one->device.json), why->text);
		return;
	}
	error_copy(&row.error, why);
	all_show(e->all, &row);
	/* Others go on for long. */
	if (e->order->stay)
		fflush(e->app->out.out);
}

static int begin(struct each_one *one, struct error *err)
{
	struct each *e = one->each;
	struct config *config = &e->app->config;
	const char *device = config->device, *target = config->target;
	const char *own = json_string(one->device.json, "target");
	int status;

	config->device = e->all->brokered ? NULL : one->pattern;
	if (e->all->brokered)
		config->target = own;
	status = connection_begin(&one->connection, err);
	config->device = device;
	config->target = target;
	one->begun_us = loop_now_us();
	one->until = loop_now() + all_timeout(e->app) +
		     (e->all->brokered ? MARGIN_MS : 0);
	e->open += status == 0;
	return status;
}

static void came_up(struct each_one *one)
{
	CLEANUP(error_reset) struct error why = { 0 };

	one->up = true;
	if (tell_up(one, &why)) {
		lose(one, &why);
		return;
	}
	if (one->told)
		render_note(&one->each->app->out, "%s: it is back",
			    render_device_name(one->device.json));
	mem_free(TAKE(one->told));
	if (one->each->order->stay || one->each->order->step)
		return;
	all_count(one->each->all, &one->device, NULL,
		  loop_now_us() - one->begun_us);
	close_one(one);
}

static void ended(struct each_one *one)
{
	CLEANUP(error_reset) struct error why = { 0 };

	session_watch(one->connection.session, NULL, 0, &why);
	if (why.kind == ERR_NONE)
		error_set(&why, ERR_CONNECT, "the device went");
	lose(one, &why);
}

/* -1: it is not, and why. 0: not yet, or it stands. */
static int poll_one(struct each_one *one, struct error *err)
{
	struct connection *c = &one->connection;
	bool had = c->session != NULL;
	int status = connection_poll(c, err);

	one->each->open -= had && !c->session;
	if (status == 0 && loop_now() >= one->until)
		return error_set(err, ERR_CONNECT,
				 "the device went meanwhile, or says nothing");
	if (status > 0 && !one->up)
		came_up(one);
	return status < 0 ? -1 : 0;
}

/* One step further, where there are steps. */
static void step_one(struct each_one *one)
{
	const struct each_order *order = one->each->order;
	CLEANUP(error_reset) struct error why = { 0 };
	struct renderer *r = &one->each->app->out;
	int status;

	if (!order->step || !one->up || one->over)
		return;
	r->about = render_device_name(one->device.json);
	status = order->step(order->owner, &one->connection, &one->device,
			     &one->state, &why);
	r->about = NULL;
	if (status < 0)
		lose(one, &why);
	else if (status > 0)
		close_one(one);
}

static size_t at_once(const struct each *e)
{
	return e->all->brokered ? AT_ONCE_BROKERED : AT_ONCE;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Returns when it is due again at the latest. */
static int64_t tend(struct each_one *one)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct connection *c = &one->connection;
	int64_t next;

	if (one->over || (!c->session && !one->each->order->stay &&
			  one->each->open >= at_once(one->each)))
		return LOOP_FOREVER;
	if (!c->session && begin(one, &why)) {
		lose(one, &why);
		return LOOP_FOREVER;
	}
	next = session_tend(c->session);
	if (poll_one(one, &why))
		lose(one, &why);
	step_one(one);
	if (!one->over && one->up && session_is_over(c->session))
		ended(one);
	if (one->over)
		return LOOP_FOREVER;
	return one->up ? next :
			 earlier(next, earlier(one->until,
					       client_poll_at(&c->client)));
}

/* ---- all of them ---- */

static struct each_one *find(const struct each *e, const char *id)
{
	for (size_t i = 0; i < e->count; i++) {
		if (strcmp(e->one[i]->device.id, id) == 0)
			return e->one[i];
	}
	return NULL;
}

/* The device is the row's from now on. */
static void add(struct each *e, struct all_device *device)
{
	const struct each_order *order = e->order;
	struct each_one *one = mem_zalloc(sizeof(*one));

	e->one = mem_grow(e->one, &e->capacity, e->count,
			  sizeof(struct each_one *));
	e->one[e->count++] = one;
	*one = (struct each_one){ .each = e,
				  .device = *device,
				  .connection = { .app = e->app,
						  .tail = order->tail,
						  .woken = &e->woken,
						  .any_device =
							  order->any_device } };
	one->pattern = mem_printf("id:%s", device->id);
	one->connection.whose = one->device.id;
	one->connection.whose_alias = json_string(one->device.json, "alias");
	if (order->event) {
		one->connection.on_event = on_event;
		one->connection.on_event_owner = one;
	}
	*device = (struct all_device){ .id = "" };
}

/* Who is new, and who is back. */
static void take_devices(struct each *e)
{
	struct all *a = e->all;

	for (size_t i = 0; i < a->count; i++) {
		struct each_one *one = find(e, a->device[i].id);

		if (!one)
			add(e, &a->device[i]);
		else if (one->over)
			one->up = one->over = false;
	}
}

static int look_again(struct each *e, struct error *err)
{
	if (!e->order->follow || loop_now() < e->look_at)
		return 0;
	e->look_at = loop_now() + LOOK_MS;
	if (all_look(e->all, err))
		return -1;
	take_devices(e);
	return 0;
}

static bool is_over(const struct each *e)
{
	const struct each_order *order = e->order;

	if (order->stop && *order->stop)
		return true;
	if (order->stay && loop_now() >= order->deadline)
		return true;
	if (order->follow)
		return false;
	for (size_t i = 0; i < e->count; i++) {
		if (!e->one[i]->over)
			return false;
	}
	return true;
}

/* Whoever stood until the end is told then. */
static void count_standing(struct each *e)
{
	for (size_t i = 0; i < e->count && e->order->stay; i++) {
		struct each_one *one = e->one[i];

		if (one->up && !one->over)
			all_count(e->all, &one->device, NULL,
				  loop_now_us() - one->begun_us);
	}
}

/* Said once, when each of the first is attached or is not to be had. */
static void tell_watching(struct each *e)
{
	size_t up = 0;

	if (!e->order->stay || e->watching)
		return;
	for (size_t i = 0; i < e->count; i++) {
		if (!e->one[i]->up && !e->one[i]->over)
			return;
		up += e->one[i]->up && !e->one[i]->over;
	}
	e->watching = true;
	render_note(&e->app->out, "watching %zu %s%s", up,
		    e->all->brokered ? "server" : "device", up == 1 ? "" : "s");
}

static int tend_all(struct each *e, struct error *err)
{
	while (!is_over(e)) {
		int64_t next =
			e->order->stay ? e->order->deadline : LOOP_FOREVER;
		bool over = false;

		e->woken = false;
		if (look_again(e, err))
			return -1;
		for (size_t i = 0; i < e->count && !over; i++) {
			next = earlier(next, tend(e->one[i]));
			over = e->order->stop && *e->order->stop;
		}
		if (e->order->follow)
			next = earlier(next, e->look_at);
		if (is_over(e))
			break;
		tell_watching(e);
		if (loop_stay(e->app->loop, &e->woken, next, err))
			return -1;
	}
	return 0;
}

int each_of(struct all *a, const struct each_order *order, struct error *err)
{
	struct each e = { .app = a->app,
			  .order = order,
			  .all = a,
			  .look_at = loop_now() + LOOK_MS };
	int status;

	take_devices(&e);
	status = tend_all(&e, err);
	count_standing(&e);
	for (size_t i = 0; i < e.count; i++)
		free_one(e.one[i]);
	mem_free(e.one);
	return status;
}

int each_run(struct app *app, const struct each_order *order, struct error *err)
{
	struct all a;
	int status = all_open(&a, app, err);

	if (status == 0)
		status = each_of(&a, order, err);
	if (status == 0)
		status = all_outcome(&a, err);
	all_done(&a);
	return status;
}
