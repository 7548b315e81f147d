/* SPDX-License-Identifier: MIT */
/* Named targets, dialled some at once, told in their order. */
#include "cli/every.h"

#include "base/mem.h"
#include "base/text.h"
#include "cli/all.h"
#include "cli/connection.h"
#include "mcp/opening.h"

enum {
	AT_ONCE = 16,
	MARGIN_MS = 500 /* the session knows better what it waited for */
};

struct every_one {
	struct app *app;
	const char *name; /* lent */
	struct connection connection;
	int64_t begun_us, took_us, until;
	bool up, over; /* it stands; it stands, or never will */
	struct error why;
};

bool every_dials(const struct named_entry *e)
{
	return e->name && !e->problem && !e->untrusted && !e->hidden && !e->off;
}

char *every_why(const struct error *failure)
{
	/* A hint may be about a detail, for which a line has no place. */
	return failure->detail ? error_headline(failure) : error_line(failure);
}

static void fail(struct every_one *one)
{
	one->over = true;
	one->up = false;
	connection_close(&one->connection);
}

/* The target is the configuration's, as long as it is read. */
static void begin(struct every_one *one)
{
	struct config *config = &one->app->config;
	const char *target = config->target;
	int status;

	config->target = one->name;
	one->app->out.about = one->name;
	one->begun_us = loop_now_us();
	status = connection_begin(&one->connection, &one->why);
	one->app->out.about = NULL;
	config->target = target;
	one->until = loop_now() + all_timeout(one->app) + MARGIN_MS;
	if (status)
		fail(one);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Returns when to come again at the latest. */
static int64_t tend(struct every_one *one)
{
	struct connection *c = &one->connection;
	char limit[32];
	int64_t next;
	int status;

	if (one->over)
		return LOOP_FOREVER;
	one->app->out.about = one->name;
	next = session_tend(c->session);
	status = connection_poll(c, &one->why);
	one->app->out.about = NULL;
	text_milliseconds(all_timeout(one->app), limit, sizeof(limit));
	if (status == 0 && loop_now() >= one->until)
		status = error_set(&one->why, ERR_TIMEOUT,
				   "it did not answer within %s", limit);
	if (status < 0) {
		fail(one);
		return LOOP_FOREVER;
	}
	one->took_us = loop_now_us() - one->begun_us;
	one->up = one->over = status > 0;
	return earlier(next, earlier(one->until, client_poll_at(&c->client)));
}

static int tend_all(struct app *app, struct every_one *one, size_t count,
		    bool *woken, struct error *err)
{
	for (;;) {
		int64_t next = LOOP_FOREVER;
		bool over = true;

		*woken = false;
		for (size_t i = 0; i < count; i++) {
			next = earlier(next, tend(&one[i]));
			over = over && one[i].over;
		}
		if (over)
			return 0;
		if (loop_stay(app->loop, woken, next, err))
			return -1;
	}
}

/* -1: Ctrl-C came meanwhile. */
static int tell(struct every_one *one, const struct every_order *order,
		size_t *failed, struct error *err)
{
	one->app->out.about = one->name;
	if (one->up && order->up &&
	    order->up(order->owner, one->name, &one->connection, &one->why))
		one->up = false;
	one->app->out.about = NULL;
	if (one->why.kind == ERR_INTERRUPTED) {
		error_copy(err, &one->why);
		return -1;
	}
	*failed += !one->up;
	order->told(order->owner, one->name, one->up ? one->took_us : -1,
		    one->up ? NULL : &one->why);
	return 0;
}

/* So many at once; all end before the next begin. */
static int run_some(struct app *app, char *const *names, size_t count,
		    const struct every_order *order, size_t *failed,
		    struct error *err)
{
	struct every_one *one = mem_zalloc(count * sizeof(*one));
	bool woken = false;
	int status;

	for (size_t i = 0; i < count; i++) {
		one[i].app = app;
		one[i].name = names[i];
		one[i].connection = (struct connection){ .app = app,
							 .woken = &woken,
							 .whose = names[i] };
		begin(&one[i]);
	}
	status = tend_all(app, one, count, &woken, err);
	for (size_t i = 0; i < count && status == 0; i++)
		status = tell(&one[i], order, failed, err);
	for (size_t i = 0; i < count; i++) {
		app->out.about = names[i];
		connection_done(&one[i].connection);
		error_reset(&one[i].why);
	}
	app->out.about = NULL;
	mem_free(one);
	return status;
}

int every_run(struct app *app, const struct words *names,
	      const struct every_order *order, struct error *err)
{
	size_t failed = 0;

	if (app_open_loop(app, err))
		return -1;
	for (size_t i = 0; i < names->count; i += AT_ONCE) {
		size_t left = names->count - i;

		if (run_some(app, names->word + i,
			     left < AT_ONCE ? left : AT_ONCE, order, &failed,
			     err))
			return -1;
	}
	if (!failed)
		return 0;
	error_set(err, ERR_UNMET, "%zu of %zu target%s failed", failed,
		  names->count, names->count == 1 ? "" : "s");
	return error_hint(err, "mcpctl -t NAME info says more of one");
}
